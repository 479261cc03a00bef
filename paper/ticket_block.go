package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/settle"
	"tirage/wager"
)

// A block is a part of a ticket, over its whole width.
type block interface{ put(r *roll) }

type (
	// emblem is a game's logo, or its name.
	emblem struct{ code, name string }
	// band is words in white on black, and a note under it.
	band struct{ words, note string }
	// pairs are names and values.
	pairs []pair
	// wording is what was played on one matrix of a board, in words, which count
	// (IAT-5.2); without names, what its heading says of the board.
	wording struct {
		letter, heading string
		names           []string
		short           bool // numbers
		inset           bool // of a slip that may have several boards: a letter stands before them
	}
	// chart is the map with the places that were chosen.
	chart struct{ places, chosen []string }
	// sentence is words over the whole width, large or small.
	sentence struct {
		words string
		size  float64
		face  face
	}
	// divider is a thin line.
	divider struct{}
	// seal is the QR code, the code in groups, and where it can be checked.
	seal struct{ says, code, site string }
	// help is what every ticket says of age and of help.
	help struct{}
)

// pair is a name and its value.
type pair struct {
	name, value string
	size        float64 // of the value
}

// blocks are what the ticket says, in order (IAT-5.1, AMI-4.2).
func (t Ticket) blocks() []block {
	var list []block
	if t.Training {
		list = append(list, band{"SPÉCIMEN", "Terminal en formation : sans valeur, aucun jeu n’est enregistré."})
	}
	if t.Copy > 0 {
		list = append(list, band{fmt.Sprintf("DUPLICATA %d", t.Copy), "Réimprimé le " + moment(t.PrintedAt, t.zone()) + " : même reçu, un seul paiement."})
	}
	list = append(list, emblem{string(t.Rules.Code), t.Rules.Name.FR}, t.registration(), divider{})
	list = append(list, t.dates()...)
	if t.Jackpot > 0 {
		list = append(list, pairs{{"Jackpot minimum", euros(t.Jackpot), 30}})
	}
	list = append(list, divider{})
	list = append(list, t.playing()...)
	if len(t.Rules.Multipliers) > 0 {
		list = append(list, sentence{"Multiplicateur OUI", 28, boldFace})
	}
	for _, s := range t.promotions() {
		list = append(list, sentence{s, 20, plainFace})
	}
	list = append(list, divider{}, t.sums(), divider{})
	list = append(list, t.terms()...)
	if t.Training {
		return append(list, seal{says: t.says(), code: wager.TrainingCode(t.Number, t.Secret)}, band{"SPÉCIMEN", "Ce reçu n’a jamais été vendu."}, help{})
	}
	return append(list, seal{t.says(), wager.Code(t.Number, t.Secret), strings.TrimPrefix(t.site(), "https://")}, help{})
}

// zone is the outlet's zone.
func (t Ticket) zone() *time.Location { return cmp.Or(t.Zone, t.Rules.Calendar.Zone) }

// registration is when and where the wager was registered: the outlet's time, and
// the metropolitan one besides where clocks differ.
func (t Ticket) registration() pairs {
	local, paris := second(t.PlacedAt, t.zone()), second(t.PlacedAt, t.Rules.Calendar.Zone)
	list := pairs{{name: "Enregistré le", value: local}}
	if local != paris {
		list = pairs{{name: "Enregistré le (heure locale)", value: local}, {name: "Heure de Paris", value: paris}}
	}
	return append(list,
		pair{name: "Point d’enregistrement", value: strconv.Itoa(t.Outlet)},
		pair{name: "Numéro séquentiel", value: strconv.FormatUint(uint64(t.Number), 10)},
	)
}

// dates are the draws: their days, by the metropolitan date, and their numbers.
func (t Ticket) dates() []block {
	list := []block{sentence{"Date de tirage(s) métropolitaine", 22, plainFace}}
	var days []game.Day
	for _, d := range t.Draws {
		if !slices.Contains(days, d.Day) {
			days = append(days, d.Day)
			list = append(list, sentence{dayInWords(d.Day), 26, boldFace})
		}
	}
	list = append(list, pairs{{"Tirage(s) n°", ranges(drawNumbers(t.Draws)), 26}})
	if t.Cut() {
		list = append(list, sentence{fmt.Sprintf("%d tirages demandés, coupé à %d : fin de la session.", t.Asked, len(t.Draws)), 20, boldFace})
	}
	return list
}

// playing is what was played: the map above the words.
func (t Ticket) playing() []block {
	var list []block
	first := &t.Rules.Matrices[0]
	if onMap(first) && len(t.Plays) > 0 {
		var c chart
		for n, e := range first.Elements {
			c.places = append(c.places, e.Key)
			if slices.Contains(t.Plays[0].Picks[0], n+1) {
				c.chosen = append(c.chosen, e.Key)
			}
		}
		list = append(list, c)
	}
	for n, p := range t.Plays {
		for i, m := range t.Rules.Matrices {
			w := wording{heading: m.Name.FR, short: true, inset: t.Rules.BoardsMax > 1}
			switch {
			case onMap(&m):
				w.heading = "Vos lieux"
			case m.Key == "pirates":
				w.heading = "Votre pirate"
			case m.Key == "jackpot" && len(p.Picks[i]) > 1:
				w.heading = "Numéros Jackpot"
			}
			if i == 0 && w.inset {
				w.letter = t.Letter(n)
			}
			for _, e := range p.Picks[i] {
				w.names = append(w.names, m.Elements[e-1].Name.FR)
				w.short = w.short && len(m.Elements[e-1].Name.FR) <= 3
			}
			list = append(list, w)
		}
		if of := len(p.Combinations); of > 1 {
			list = append(list, wording{heading: "Jeu multiple : " + thousands(int64(of)) + " combinaisons", inset: t.Rules.BoardsMax > 1})
		}
	}
	return list
}

// promotions say of which draws the prize table is another than the ordinary
// one, and what it gives, for the stake of the ticket.
func (t Ticket) promotions() []string {
	byTable := map[int][]int{}
	for i, d := range t.Draws {
		byTable[t.Table(i)] = append(byTable[t.Table(i)], d.Number)
	}
	var list []string
	for i := 1; i < len(t.Rules.Tables); i++ {
		if len(byTable[i]) == 0 {
			continue
		}
		s := fmt.Sprintf("Tirage(s) n° %s, autre tableau de lots.", ranges(byTable[i]))
		if change := t.changes(t.Rules.Tables[0], t.Rules.Tables[i]); change != "" {
			s += fmt.Sprintf(" Pour %s : %s.", euros(t.Stake), change)
		}
		list = append(list, s)
	}
	if list != nil && len(byTable[0]) > 0 {
		list = append(list, fmt.Sprintf("Tirage(s) n° %s, tableau de lots ordinaire.", ranges(byTable[0])))
	}
	return list
}

// changes are the prizes of a table that differ from the ordinary ones.
func (t Ticket) changes(ordinary, other game.PrizeTable) string {
	prize := func(x game.Tier) string {
		if x.Jackpot {
			return "le jackpot"
		}
		return euros(x.Prize.Times(t.Units))
	}
	var list []string
	for _, x := range other.Tiers {
		i := slices.IndexFunc(ordinary.Tiers, func(o game.Tier) bool { return o.Name == x.Name })
		switch {
		case i < 0:
			list = append(list, fmt.Sprintf("rang %s, %s", x.Name, prize(x)))
		case prize(ordinary.Tiers[i]) != prize(x):
			list = append(list, fmt.Sprintf("rang %s, %s au lieu de %s", x.Name, prize(x), prize(ordinary.Tiers[i])))
		}
	}
	for _, o := range ordinary.Tiers {
		if !slices.ContainsFunc(other.Tiers, func(x game.Tier) bool { return o.Name == x.Name }) {
			list = append(list, fmt.Sprintf("rang %s, aucun gain", o.Name))
		}
	}
	return strings.Join(list, " ; ")
}

// sums are stakes and the total to pay.
func (t Ticket) sums() pairs {
	var list pairs
	if of := len(t.Combinations()); of > 1 {
		list = pairs{{name: "Mise par tirage et par combinaison", value: euros(t.Stake)}, {name: "Nombre de combinaisons", value: thousands(int64(of))}}
	} else {
		list = pairs{{name: "Mise par tirage", value: euros(t.Stake)}}
	}
	return append(list,
		pair{name: "Nombre de tirages", value: strconv.Itoa(len(t.Draws))},
		pair{"Total à payer", euros(t.Price), 40},
	)
}

// terms are what counts on a ticket, and until when prizes can be claimed: by the
// times of draws at the sale; a postponement can only make it later.
func (t Ticket) terms() []block {
	var list []block
	if onMap(&t.Rules.Matrices[0]) {
		list = append(list, sentence{"La combinaison en toutes lettres est la seule qui compte, non le dessin.", 18, plainFace})
	}
	if len(t.Draws) > 0 {
		until := settle.ClaimEnd(t.Rules, t.Draws[len(t.Draws)-1], settle.Delay{}, nil)
		list = append(list,
			sentence{"Gains payables jusqu’au " + shortDay(until) + " inclus", 24, boldFace},
			sentence{"sur remise de ce reçu ; forclusion ensuite. Tirage reporté : délai reporté.", 18, plainFace})
	}
	return list
}

func drawNumbers(draws []draw.Draw) []int {
	var list []int
	for _, d := range draws {
		list = append(list, d.Number)
	}
	return list
}

// ranges writes numbers in order, three and more that follow each other as a range: "95 à 97, 99, 100".
func ranges(list []int) string {
	var words []string
	for i := 0; i < len(list); {
		end := i
		for end+1 < len(list) && list[end+1] == list[end]+1 {
			end++
		}
		if end-i >= 2 {
			words = append(words, fmt.Sprintf("%d à %d", list[i], list[end]))
			i = end + 1
			continue
		}
		words = append(words, strconv.Itoa(list[i]))
		i++
	}
	return strings.Join(words, ", ")
}

// Words of dates and amounts, as French writes them. Thousands stand apart by a
// no-break space of the common kind, which every font has.
const nbsp = "\u00a0"

var (
	weekdays = [...]string{"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"}
	months   = [...]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"}
)

func dayInWords(d game.Day) string {
	at := d.At(12*time.Hour, time.UTC)
	day := strconv.Itoa(at.Day())
	if at.Day() == 1 {
		day = "1er"
	}
	return fmt.Sprintf("%s %s %s %d", weekdays[at.Weekday()], day, months[at.Month()-1], at.Year())
}

func shortDay(d game.Day) string { return d.At(12*time.Hour, time.UTC).Format("02/01/2006") }

func moment(at time.Time, zone *time.Location) string {
	return at.In(zone).Format("02/01/2006" + nbsp + "15:04")
}

func second(at time.Time, zone *time.Location) string {
	return at.In(zone).Format("02/01/2006" + nbsp + "15:04:05")
}

func euros(a money.Amount) string {
	return fmt.Sprintf("%s,%02d%s€", thousands(int64(a)/100), int64(a)%100, nbsp)
}

func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + nbsp + s[i:]
	}
	return s
}
