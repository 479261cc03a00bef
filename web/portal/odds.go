package portal

import (
	"math/big"
	"net/http"
	"slices"
	"strings"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/instant"
	"tirage/money"
	"tirage/web/page"
)

// oddsPage is the exact chances of every game.
type oddsPage struct {
	shell
	Games    []gameOdds
	Instants []gameOdds
}

// gameOdds is the chances of a game, by prize table.
type gameOdds struct {
	Code       game.Code
	Name       game.Text
	Logo       string
	Multiplier string // its mean; "": none
	Jackpot    bool
	Tables     []tableOdds
}

// tableOdds is a prize table with its chances.
type tableOdds struct {
	Stake  money.Amount // to which they refer
	Key    string       // of a promotional table; "": the ordinary one
	Sets   []game.Text
	Tiers  []tierOdds
	Any    chance
	Return string // of 1 €, in cents to two decimals: "57,54"
	Loss   string // the rest
	ToPot  string // of it, what goes to the jackpot; "": nothing
	Units  int64  // of a pool, in an instant game
}

// tierOdds is a prize and its chance.
type tierOdds struct {
	Name    string
	Hits    []string
	Prize   money.Amount
	Jackpot bool
	Units   int64 // of a pool, in an instant game
	chance
}

// chance is a probability as people read it.
type chance struct{ Num, Denom, OneIn string }

func (p portal) odds(w http.ResponseWriter, r *http.Request) error {
	s, err := p.shell(r, "odds.title", pathOdds)
	if err != nil {
		return err
	}
	data := oddsPage{shell: s}
	lang := page.LangOf(r)
	for _, code := range p.drawGames() {
		rules, err := p.app.Sys.Rules(code)
		if err != nil {
			return err
		}
		data.Games = append(data.Games, oddsOf(lang, rules, draw.DayOf(rules, p.app.Sys.Now())))
	}
	for _, code := range p.app.Sys.InstantGames() {
		g, err := p.app.Sys.Instant(code)
		if err != nil {
			return err
		}
		data.Instants = append(data.Instants, instantOdds(lang, g))
	}
	return face.Render(w, r, http.StatusOK, "odds", data)
}

// oddsOf leaves out promotions that are over.
func oddsOf(lang page.Lang, r *game.Rules, today game.Day) gameOdds {
	g := gameOdds{Code: r.Code, Name: r.Name, Logo: page.LogoOf(r.Code), Jackpot: r.Jackpot != nil}
	if len(r.Multipliers) > 0 {
		g.Multiplier = decimal(lang, r.MeanTimes(), 2)
	}
	for i, table := range r.Tables {
		holds := func(p game.Promotion) bool { return p.Table == i && p.Last >= today }
		if i > 0 && !slices.ContainsFunc(r.Promotions, holds) {
			continue
		}
		odds := r.Odds(i)
		t := tableOdds{Stake: r.UnitStake, Any: chanceOf(lang, odds.Any, r.OneInAny(odds.Any))}
		if i > 0 {
			t.Key = table.Key
		}
		for _, set := range r.Sets {
			name := set.Name
			if name.FR == "" {
				name = r.Matrices[set.Matrix].Name
			}
			t.Sets = append(t.Sets, name)
		}
		for j, tier := range table.Tiers {
			p := odds.Tiers[j].Probability
			t.Tiers = append(t.Tiers, tierOdds{Name: tier.Name, Prize: tier.Prize, Jackpot: tier.Jackpot, Hits: page.HitsOf(tier), chance: chanceOf(lang, p, r.OneIn(p))})
		}
		back := new(big.Rat).Add(odds.Payout, odds.Shared)
		if r.Jackpot != nil && odds.Jackpot {
			back.Add(back, r.Jackpot.Share)
			t.ToPot = decimal(lang, percent(r.Jackpot.Share), 2)
		}
		t.setReturn(lang, back)
		g.Tables = append(g.Tables, t)
	}
	return g
}

// setReturn says of a euro what comes back on average and what does not.
func (t *tableOdds) setReturn(lang page.Lang, back *big.Rat) {
	t.Return = decimal(lang, percent(back), 2)
	t.Loss = decimal(lang, percent(new(big.Rat).Sub(big.NewRat(1, 1), back)), 2)
}

func percent(p *big.Rat) *big.Rat { return new(big.Rat).Mul(p, big.NewRat(100, 1)) }

// instantOdds is the chances of an instant game: those of a pool, in which each
// unit is sold once.
func instantOdds(lang page.Lang, g central.InstantGame) gameOdds {
	o := gameOdds{Code: g.Rules.Code, Name: g.Rules.Name, Logo: page.LogoOf(g.Rules.Code)}
	for _, table := range g.Rules.Tables {
		o.Tables = append(o.Tables, poolOdds(lang, table, int64(g.Rules.Units)))
	}
	return o
}

func poolOdds(lang page.Lang, table instant.PrizeTable, units int64) tableOdds {
	t := tableOdds{Stake: table.Price, Units: units}
	winning, paid := int64(0), new(big.Rat)
	for _, prize := range table.Prizes {
		if prize.Amount == 0 {
			continue
		}
		n := int64(prize.Units)
		winning += n
		paid.Add(paid, new(big.Rat).Mul(big.NewRat(n, units), prize.Amount.Rat()))
		t.Tiers = append(t.Tiers, tierOdds{Prize: prize.Amount, Units: n, chance: exact(lang, big.NewRat(n, units))})
	}
	t.Any = exact(lang, big.NewRat(winning, units))
	t.setReturn(lang, paid.Quo(paid, table.Price.Rat()))
	return t
}

// exact is a chance with "1 in N" to two decimals, or none when it is whole.
func exact(lang page.Lang, p *big.Rat) chance {
	oneIn := new(big.Rat).Inv(p)
	decimals := 2
	if oneIn.IsInt() {
		decimals = 0
	}
	return chanceOf(lang, p, oneIn.FloatString(decimals))
}

// chanceOf writes a probability; oneIn is N of "1 in N" as the rules round it.
func chanceOf(lang page.Lang, p *big.Rat, oneIn string) chance {
	n, _ := new(big.Rat).SetString(oneIn)
	decimals := 0
	if at := strings.IndexByte(oneIn, '.'); at >= 0 && !n.IsInt() {
		decimals = len(oneIn) - at - 1
	}
	return chance{whole(lang, p.Num()), whole(lang, p.Denom()), decimal(lang, n, decimals)}
}

func whole(lang page.Lang, n *big.Int) string { return lang.Number(n.Int64()) } // of a game that this system can run

// decimal writes a number with so many decimals, rounded half away from zero.
func decimal(lang page.Lang, n *big.Rat, decimals int) string {
	text := n.FloatString(decimals)
	if decimals == 0 {
		i, _ := new(big.Int).SetString(text, 10)
		return whole(lang, i)
	}
	i, _ := new(big.Int).SetString(text[:len(text)-decimals-1], 10)
	point := ","
	if lang == page.English {
		point = "."
	}
	return whole(lang, i) + point + text[len(text)-decimals:]
}
