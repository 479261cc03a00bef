package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/settle"
	"tirage/web/page"
)

// state is all that a screen shows, in words of one language: what its events
// carry, and what the page holds before the first of them. Instants are ms
// since 1970. A result is in it only when its record is (F17), prizes and "no
// winner" only when the settlement is (F19).
type state struct {
	Build   string   `json:"build"`   // names the page's files: a screen that has others loads the page again
	Every   int64    `json:"every"`   // ms from a draw to the next
	Stopped bool     `json:"stopped"` // this node sells and draws nothing
	OpensAt int64    `json:"opensAt"` // when nothing sells: the next opening, 0 if none is planned
	Opens   string   `json:"opens"`   // the same in words
	Next    *moment  `json:"next"`    // the next draw that sells
	Waiting *moment  `json:"waiting"` // the oldest closed draw that has no result yet
	Last    []result `json:"last"`    // the last draws with a result, newest first
	Moved   []moved  `json:"moved"`   // draws that are postponed or cancelled
	Hours   string   `json:"hours"`   // of sale, today; when they are over, the next opening
	HoursOf string   `json:"hoursOf"` // what Hours is, in words
}

// moment is a draw to come.
type moment struct {
	ID       draw.ID `json:"id"`
	Number   int     `json:"number"`
	ClosesAt int64   `json:"closesAt"`
	DrawsAt  int64   `json:"drawsAt"`
	Pot      string  `json:"pot"` // what its jackpot is at least; "": none, or not known yet
	Time     string  `json:"-"`   // of the draw, in Paris
	Closes   string  `json:"-"`   // of sales, with seconds
}

// moved is draws that are not held at their time, in words.
type moved struct {
	ID   draw.ID `json:"id"`
	Text string  `json:"text"`
}

// result is a draw with its result.
type result struct {
	ID      draw.ID    `json:"id"`
	Number  int        `json:"number"`
	Time    string     `json:"time"`
	DrawsAt int64      `json:"drawsAt"`
	Sets    [][]string `json:"sets"`    // lamps by drawn set, in the order drawn
	Times   int        `json:"times"`   // the multiplier; 0 in games without
	Pot     string     `json:"pot"`     // what its jackpot was at least; "": none, or not known yet
	Tiers   []tier     `json:"tiers"`   // nil before the settlement
	Outcome *outcome   `json:"outcome"` // of the jackpot; nil before the settlement, and in games without
	names   []string   // of the lamps, for a page without script
}

// outcome is what became of the jackpot in a draw: in the settlement and in nothing else (F19).
type outcome struct {
	End  string `json:"end"` // names its style: "won", "rolled-down", "carried", "reserve"
	Text string `json:"text"`
}

// Names lists what was drawn, in words.
func (r result) Names() string {
	text := strings.Join(r.names, " · ")
	if r.Times > 0 {
		text += " · ×" + strconv.Itoa(r.Times)
	}
	return text
}

// tier is a line of the prizes of a draw.
type tier struct {
	Hits    []string `json:"hits"`    // by drawn set
	Prize   string   `json:"prize"`   // for a unit stake
	Winners string   `json:"winners"` // winning combinations
	Won     bool     `json:"won"`
}

// newState puts what the system knows of a game into words.
func newState(sys *central.System, r *game.Rules, st central.Status, lang page.Lang, build string) (state, error) {
	zone := page.ParisZone()
	s := state{
		Build: build, Every: r.Calendar.Every.Milliseconds(), Stopped: st.Stopped,
		Last: []result{}, Moved: []moved{}, Hours: hours(r, st.At),
	}
	if !st.NextOpensAt.IsZero() {
		s.OpensAt = st.NextOpensAt.UnixMilli()
		s.Opens = lang.Moment(st.NextOpensAt, zone)
	}
	sentence := "hours"
	if over(r, st) {
		sentence, s.Hours = "opens", s.Opens
	}
	if s.Hours != "" {
		var err error
		if s.HoursOf, err = face.T(lang, sentence); err != nil {
			return state{}, err
		}
	}
	if len(st.Upcoming) > 0 {
		s.Next = newMoment(st.Upcoming[0], lang)
	}
	runs, err := runsOf(sys, st.Moved)
	if err != nil {
		return state{}, err
	}
	for _, run := range runs {
		text, err := run.text(lang)
		if err != nil {
			return state{}, err
		}
		s.Moved = append(s.Moved, moved{run.first.ID, text})
	}
	for _, v := range st.Closed {
		if v.State == draw.Closed && v.Result == nil {
			s.Waiting = newMoment(v, lang)
			break
		}
	}
	for _, v := range st.Last {
		if v.Result == nil {
			continue
		}
		book, err := sys.RulesByHash(v.Rules)
		if err != nil {
			return state{}, fmt.Errorf("result of draw %d: %w", v.ID, err)
		}
		res, err := newResult(book, v, lang)
		if err != nil {
			return state{}, err
		}
		s.Last = append(s.Last, res)
	}
	return s, nil
}

func newMoment(v central.DrawView, lang page.Lang) *moment {
	zone := page.ParisZone()
	return &moment{
		v.ID, v.Number, v.ClosesAt.UnixMilli(), v.DrawsAt.UnixMilli(), pot(v.Pot, lang),
		v.DrawsAt.In(zone).Format("15:04"), v.ClosesAt.In(zone).Format("15:04:05"),
	}
}

// pot writes a jackpot, in whole euros: it is what the draw pays at least.
func pot(a money.Amount, lang page.Lang) string {
	if a == 0 {
		return ""
	}
	return lang.Euros(a - a%100)
}

// run is draws one after the other that were cancelled, or postponed by as
// much. Of postponed ones planned is when the first was to be drawn.
type run struct {
	first, last central.DrawView
	planned     time.Time
}

// runsOf joins moved draws to runs, in the order of the first ones' times. A
// run that is drawn over midnight is two.
func runsOf(sys *central.System, views []central.DrawView) ([]run, error) {
	views = slices.Clone(views)
	slices.SortFunc(views, func(a, b central.DrawView) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Number, b.Number))
	})
	var runs []run
	for _, v := range views {
		book, err := sys.RulesByHash(v.Rules)
		if err != nil {
			return nil, fmt.Errorf("moved draw %d: %w", v.ID, err)
		}
		c := &book.Calendar
		next := run{v, v, v.Day.At(c.FirstAt, c.Zone).Add(time.Duration(v.Number-1) * c.Every)}
		if n := len(runs) - 1; n >= 0 && runs[n].takes(next, c.Every) {
			runs[n].last = v
			continue
		}
		runs = append(runs, next)
	}
	slices.SortStableFunc(runs, func(a, b run) int { return a.first.DrawsAt.Compare(b.first.DrawsAt) })
	return runs, nil
}

// takes tells whether the draw after a run's last belongs to it.
func (r run) takes(next run, every time.Duration) bool {
	a, b := r.last, next.first
	together := a.Day == b.Day && a.Number+1 == b.Number && (a.State == draw.Cancelled) == (b.State == draw.Cancelled)
	return together && (a.State == draw.Cancelled || b.DrawsAt.Sub(a.DrawsAt) == every && dayOf(a.DrawsAt) == dayOf(b.DrawsAt))
}

func dayOf(at time.Time) game.Day { return game.DayOf(at, page.ParisZone()) }

// text says of a run that it is cancelled, or postponed and to when: with the
// day, if it is another than was planned.
func (r run) text(lang page.Lang) (string, error) {
	clock := func(at time.Time) string { return at.In(page.ParisZone()).Format("15:04") }
	first, last, several := r.first, r.last, r.first.ID != r.last.ID
	away := dayOf(first.DrawsAt) != dayOf(r.planned)
	switch {
	case first.State == draw.Cancelled && several:
		return face.T(lang, "moved.cancelled.run", first.Number, last.Number)
	case first.State == draw.Cancelled:
		return face.T(lang, "moved.cancelled", first.Number)
	case several && away:
		return face.T(lang, "moved.postponed.run.day", first.Number, last.Number, lang.ShortDay(dayOf(first.DrawsAt)), clock(first.DrawsAt), clock(last.DrawsAt))
	case several:
		return face.T(lang, "moved.postponed.run", first.Number, last.Number, clock(first.DrawsAt), clock(last.DrawsAt))
	case away:
		return face.T(lang, "moved.postponed.day", first.Number, lang.Moment(first.DrawsAt, page.ParisZone()))
	}
	return face.T(lang, "moved.postponed", first.Number, clock(first.DrawsAt))
}

func newResult(r *game.Rules, v central.DrawView, lang page.Lang) (result, error) {
	res := result{
		ID: v.ID, Number: v.Number, DrawsAt: v.DrawsAt.UnixMilli(), Pot: pot(v.Pot, lang),
		Time: v.DrawsAt.In(page.ParisZone()).Format("15:04"),
	}
	if len(r.Multipliers) > 0 {
		res.Times = v.Times
	}
	for i, drawn := range v.Result {
		matrix := r.Matrices[r.Sets[i].Matrix]
		set := make([]string, 0, len(drawn))
		for _, n := range drawn {
			element := matrix.Elements[n-1]
			set = append(set, lampKey(matrix, element))
			res.names = append(res.names, lang.Text(element.Name))
		}
		res.Sets = append(res.Sets, set)
	}
	if v.Settlement == nil {
		return res, nil
	}
	var err error
	if res.Tiers, err = tiers(r, *v.Settlement, max(1, v.Times), lang); err != nil {
		return result{}, err
	}
	if v.Settlement.Jackpot != nil {
		res.Outcome, err = outcomeOf(r, *v.Settlement.Jackpot, lang)
	}
	return res, err
}

// outcomeOf says what became of a jackpot (AMI-8.2).
func outcomeOf(r *game.Rules, j settle.Jackpot, lang page.Lang) (*outcome, error) {
	o := outcome{End: j.End.String()}
	tier := ""
	if j.End == settle.JackpotRolledDown {
		tier = r.Tables[0].Tiers[j.Tier].Name
	}
	id := "jackpot." + o.End
	switch j.Extra {
	case settle.ExtraKept, settle.ExtraRolled:
		id += ".extra"
	case settle.NoExtra, settle.CeilingRolled:
	}
	var err error
	o.Text, err = face.T(lang, id, lang.Money(j.Paid), tier, r.Jackpot.OneIn)
	return &o, err
}

// lampKey names the lamp of an element on the page.
func lampKey(m game.Matrix, e game.Element) string { return m.Key + "/" + e.Key }

// tiers lists the ordinary prize table with its winners, and the promotional
// tables that were won from. Winners are summed over the last draws of their tickets.
// A tier without a winner says what it would have paid, the multiplier of the draw in it.
func tiers(r *game.Rules, s settle.Settlement, times int, lang page.Lang) ([]tier, error) {
	jackpot, err := face.T(lang, "jackpot")
	if err != nil {
		return nil, err
	}
	type line struct{ table, tier int }
	winners, value := map[line]int64{}, map[line]money.Amount{}
	won := map[int]bool{0: true}
	for _, share := range s.Shares {
		at := line{share.Table, share.Tier}
		winners[at] += share.Winners
		value[at] = share.UnitValue
		won[share.Table] = true
	}
	list := []tier{}
	for t, table := range r.Tables {
		if !won[t] {
			continue
		}
		for i, rank := range table.Tiers {
			at := line{t, i}
			prize := lang.Euros(rank.Prize.Times(int64(times)))
			if rank.Jackpot {
				prize = jackpot
			}
			if v, ok := value[at]; ok {
				prize = lang.Euros(v)
			}
			list = append(list, tier{hits(rank), prize, lang.Number(winners[at]), winners[at] > 0})
		}
	}
	return list, nil
}

func hits(t game.Tier) []string {
	list := make([]string, 0, len(t.Hits))
	for _, n := range t.Hits {
		if n == game.Any {
			list = append(list, "–")
			continue
		}
		list = append(list, strconv.Itoa(n))
	}
	return list
}

// spansMax is how many spans of sales a line of the wall holds.
const spansMax = 3

// hours lists when a game sells on a draw day: "11:10 – 14:54 · 17:10 – 21:54".
// Sessions of which one opens before the other closes are one span. Of more
// spans than the line holds, those that are not over come first.
func hours(r *game.Rules, at time.Time) string {
	spans := spansOf(r, at)
	for len(spans) > spansMax && spans[0].closes.Before(at) {
		spans = spans[1:]
	}
	words := make([]string, 0, spansMax)
	for _, s := range spans[:min(len(spans), spansMax)] {
		if s.closes.Sub(s.opens) >= 24*time.Hour {
			return "24 h/24"
		}
		words = append(words, s.opens.In(r.Calendar.Zone).Format("15:04")+" – "+s.closes.In(r.Calendar.Zone).Format("15:04"))
	}
	return strings.Join(words, " · ")
}

// span is a time of sales without a gap.
type span struct{ opens, closes time.Time }

// spansOf lists the spans of a draw day, the earliest first.
func spansOf(r *game.Rules, at time.Time) []span {
	var spans []span
	for _, d := range draw.Plan(r, draw.DayOf(r, at)) {
		last := len(spans) - 1
		if last >= 0 && !d.OpensAt.After(spans[last].closes) {
			spans[last].closes = d.ClosesAt
			continue
		}
		spans = append(spans, span{d.OpensAt, d.ClosesAt})
	}
	return spans
}

// over tells whether a game sells no more on its draw day. It depends on
// nothing but what [markOf] names.
func over(r *game.Rules, st central.Status) bool {
	if len(st.Upcoming) > 0 {
		return false
	}
	spans := spansOf(r, st.At)
	return len(spans) == 0 || st.NextOpensAt.IsZero() || !st.NextOpensAt.Before(spans[len(spans)-1].closes)
}
