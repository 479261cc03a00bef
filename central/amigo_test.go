package central_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/money"
	"tirage/wager"
)

// amigo is the rule book of Amigo, with readings replaced as in island.
func amigo(t testing.TB, replace ...string) []byte {
	t.Helper()
	book, err := game.Book("amigo")
	if err != nil {
		t.Fatal(err)
	}
	return replaced(t, string(book), replace)
}

// aFewDraws leaves of Amigo's day the draws 90 to 100, so that tests do not plan days of 250.
var aFewDraws = []string{"draws: [1, 250]}", "draws: [90, 100]}"}

// amiguito is a game with 3 columns of 2 numbers and 2 jackpot numbers: 16
// combinations, so that a test can have a winner of every tier. It draws 90 to
// 110 only; the rest is Amigo's.
func amiguito(t testing.TB, replace ...string) []byte {
	t.Helper()
	book := string(amigo(t, "game: amigo", "game: amiguito"))
	cut := func(from, to, with string) {
		i, j := strings.Index(book, from), strings.Index(book, to)
		if i < 0 || j < i {
			t.Fatalf("the rule book has no section from %q to %q", from, to)
		}
		book = book[:i] + with + book[j:]
	}
	cut("\nmatrices:", "\n# AMI-5.2:", amiguitoMatrices)
	cut("  payout_rate: 3391/5000", "  minimum:", "")
	cut("\nprinted:", "\n# AMI-6.4:", amiguitoTables)
	cut("draws: [1, 250]}", " # 04:10 to", "draws: [90, 110]}")
	return replaced(t, book, replace)
}

const amiguitoMatrices = `
matrices:
  - {key: numbers, name: {fr: Numéros, en: Numbers}, pick: 3, count: 6, columns: 3, sets: [{key: numbers, count: 3}]}
  - {key: jackpot, name: {fr: Numéro Jackpot, en: Jackpot number}, pick: 1, count: 2, sets: [{key: jackpot, count: 1}]}
multiple:
  matrix: numbers
  shapes:
    - {extras: 1, columns: [1, 3]}
  also: jackpot
  also_max: 2
  jackpot_only_multiple: allowed
  shape_scope: board
`

const amiguitoTables = `
prize_tables:
  - key: ordinary
    tiers:
      - {name: 3+1, hits: {numbers: 3, jackpot: 1}, prize: jackpot}
      - {name: "3", hits: {numbers: 3}, prize: 7}
      - {name: "2", hits: {numbers: 2}, prize: 2}
      - {name: "1", hits: {numbers: 1}, prize: 1}
`

// board is a board of nine numbers, or more, and jackpot numbers.
func board(numbers []int, jackpot ...int) wager.Board {
	return wager.Board{Picks: game.Picks{numbers, jackpot}}
}

// firsts are the first numbers of the nine columns.
var firsts = []int{1, 6, 11, 16, 21, 26, 31, 36, 41}

func (w *world) boards(euros int64, draws int, boards ...wager.Board) wager.Slip {
	return wager.Slip{Game: w.rules.Code, Boards: boards, Stake: money.Euros(euros), Draws: draws}
}

// AMI-3.1.3: several boards of a slip, simple and multiple, are one ticket, of
// which each combination is a part of each draw; read back, it is the same ticket.
func TestAMI_3_1_3_Boards(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, amigo(t, aFewDraws...))
		got := w.sell(w.boards(
			2, 2,
			board(firsts, 3), // 1
			board(append([]int{2, 7}, firsts...), 1, 2),                                     // 1×2, two jackpot numbers: 8
			wager.Board{QuickPick: true, Shape: game.Shape{Extras: 2, Columns: 1}, Also: 2}, // 6
			board(firsts, 3), // the same again: 1
		))
		counts := make([]int, len(got.Plays))
		for i, p := range got.Plays {
			counts[i] = len(p.Combinations)
		}
		if !slices.Equal(counts, []int{1, 8, 6, 1}) || got.Price != money.Euros(64) || w.owes(w.shop) != got.Price {
			t.Errorf("boards of %v combinations for %s, want 1, 8, 6 and 1 for 64.00", counts, got.Price)
		}
		for range 2 {
			again := w.checked(got).Ticket
			if !slices.Equal(again.Combinations(), got.Combinations()) || again.Price != got.Price || again.Units != 1 {
				t.Errorf("sold %v, read back %v", got.Combinations(), again.Combinations())
			}
			for i, p := range again.Plays {
				if !slices.EqualFunc(p.Picks, got.Plays[i].Picks, slices.Equal) || (i == 2) != (len(p.Random) > 0) {
					t.Errorf("board %d: sold %v, read back %v of which %v random", i+1, got.Plays[i].Picks, p.Picks, p.Random)
				}
			}
			w.restart()
		}
		w.at(mondayDraw(91))
		for _, number := range []int{90, 91} {
			if s := w.view(number).Settlement; s == nil || s.Parts != 16 || s.Stakes != money.Euros(32) {
				t.Errorf("draw %d settled as %+v, want 16 parts and 32.00", number, s)
			}
		}
	})
}

// What Amigo does not sell is refused whole, and leaves nothing.
func TestAMI_5_2_Refused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), amigo(t, aFewDraws...))
	five := append([]int{2, 7, 12, 17, 22}, firsts...) // 1×5: 32 combinations
	for _, c := range []struct {
		name string
		want error
		slip wager.Slip
	}{
		{"AMI-5.2 above 100 €", wager.ErrLimit, w.boards(4, 1, board(five, 1))},
		{"AMI-5.2 above 100 € over the boards", wager.ErrLimit, w.boards(2, 1, board(five, 1), board(append([]int{2, 7, 12, 17}, firsts...), 1), board(firsts, 1, 2, 3))},
		{"AMI-5.2 above 100 € over the draws", wager.ErrLimit, w.boards(2, 2, board(five, 1))},
		{"AMI-3.1.6 unequal extras", game.ErrShape, w.boards(2, 1, board(append([]int{2, 3, 7}, firsts...), 1))},
		{"AMI-3.1.6 six columns", game.ErrShape, w.boards(2, 1, board(append([]int{27}, five...), 1))},
		{"AMI-3.2 partial quick pick", wager.ErrPartialQuickPick, w.boards(2, 1, wager.Board{Picks: game.Picks{firsts[:3]}, QuickPick: true})},
		{"AMI-3.1.3 draws", wager.ErrDraws, w.boards(2, 3, board(firsts, 1))},
		{"AMI-5 stake", wager.ErrStake, w.boards(20, 1, board(firsts, 1))},
		{"too few numbers", game.ErrTooFew, w.boards(2, 1, board(firsts[:8], 1))},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.refuses(c.want, func() error { _, err := w.place(c.slip); return err })
		})
	}
	limit := new(wager.LimitError)
	if _, err := w.place(w.boards(4, 1, board(five, 1))); !errors.As(err, &limit) || limit.Stake != money.Euros(2) {
		t.Errorf("got %v, want that 2.00 still fits", err)
	}
	w.sell(w.boards(2, 1, board(five, 1)))
	w.refuses(wager.ErrOverRun, func() error { _, err := w.place(w.boards(2, 20, board(firsts, 1))); return err })
}

// AMI-4.2: the ticket of a single draw says what the jackpot is at least, once
// that is known, and says the same ever after.
func TestAMI_4_2_Jackpot(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, amigo(t, aFewDraws...))
		place := central.Place{Key: "again", Terminal: w.terminal.ID, Slip: w.boards(10, 1, board(firsts, 1, 2, 3, 4, 5))}
		first, err := w.sys.Place(w.ctx(), place)
		w.check(err)
		several := w.sell(w.boards(10, 2, board(firsts, 1)))
		if first.Jackpot != money.Euros(250_000) || several.Jackpot != 0 {
			t.Errorf("jackpot %s on the ticket of one draw, %s on that of two, want 250,000.00 and none", first.Jackpot, several.Jackpot)
		}
		if st := w.status(); !st.JackpotKnown || st.Jackpot != first.Jackpot || st.Upcoming[0].Pot != first.Jackpot || st.Upcoming[1].Pot != 0 {
			t.Errorf("status says %s (%t)", st.Jackpot, st.JackpotKnown)
		}

		w.clock.set(mondayDraw(90).Add(-10 * time.Second)) // draw 90 is closed, and not drawn
		w.tick()
		unknown := w.sell(w.boards(2, 1, board(firsts, 1)))
		if st := w.status(); unknown.Jackpot != 0 || st.JackpotKnown || st.Jackpot != 0 || st.Closed[0].Pot != money.Euros(250_000) {
			t.Errorf("the jackpot is said to be %s before the draw before is settled; status %s (%t)", unknown.Jackpot, st.Jackpot, st.JackpotKnown)
		}

		w.at(mondayDraw(90))
		known := w.sell(w.boards(2, 1, board(firsts, 1)))
		settled := w.view(90).Settlement.Jackpot
		if settled == nil || settled.After == 0 && settled.Paid == 0 {
			t.Fatalf("jackpot moved by %+v", settled)
		}
		want := max(settled.After, money.Euros(250_000))
		if st := w.status(); known.Jackpot != want || st.Jackpot != want || !st.JackpotKnown || w.view(91).Pot != want || w.view(90).Pot != money.Euros(250_000) {
			t.Errorf("after %+v: jackpot %s on the ticket, %s in the status, want %s", settled, known.Jackpot, st.Jackpot, want)
		}
		w.restart()
		for _, ticket := range []wager.Ticket{first, several, unknown, known} {
			if again := w.checked(ticket).Ticket.Jackpot; again != ticket.Jackpot {
				t.Errorf("ticket %d said %s, and now %s", ticket.Number, ticket.Jackpot, again)
			}
		}
		if again, err := w.sys.Place(w.ctx(), place); err != nil || again.Number != first.Number || again.Jackpot != first.Jackpot {
			t.Errorf("the same command again: ticket %d with %s, %v", again.Number, again.Jackpot, err)
		}
		if st := w.status(); st.Jackpot != want || !st.JackpotKnown {
			t.Errorf("after a restart the jackpot is %s (%t), want %s", st.Jackpot, st.JackpotKnown, want)
		}
	})
}

// AMI-8.1.2: the multiplier is drawn with the draw, shown with its record and
// not before (F17), and multiplies every prize but rank 1.
func TestAMI_8_1_2_Multiplier(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, amiguito(t))
		all := w.sell(w.boards(6, 1, board([]int{1, 2, 3, 4, 5, 6}, 1, 2))) // 1×3, both: 16 combinations
		id := all.Draws[0].ID
		w.clock.set(mondayDraw(90))
		w.check(w.sys.Step(w.ctx(), id, draw.Closed))
		if v := w.view(90); v.Times != 0 || v.Result != nil {
			t.Errorf("before the draw: %v, multiplier %d", v.Result, v.Times)
		}
		w.restart()
		w.tick()
		v := w.view(90)
		times := money.Amount(v.Times)
		if !slices.Contains([]int{1, 2, 3, 4, 5, 10}, v.Times) {
			t.Fatalf("multiplier %d", v.Times)
		}
		// Of the 16 combinations 1 has all, 1 the three numbers only, 6 two, 6 one.
		fund := money.Euros(250_000) + v.Settlement.Jackpot.Contribution
		value, _ := fund.Split(3)
		want := value*3 + times*3*(money.Euros(7)+6*money.Euros(2)+6*money.Euros(1))
		if a := w.checked(all).Answer; a.Total != want || a.Prizes[0].TierName != "3+1" {
			t.Errorf("with ×%d all combinations win %s, want %s", times, a.Total, want)
		}
		w.restart()
		if again := w.status().Last[0]; again.Times != v.Times || again.Settlement.Shares[1].UnitValue != times*money.Euros(7) {
			t.Errorf("after a restart the multiplier is %d, and rank 2 wins %s", again.Times, again.Settlement.Shares[1].UnitValue)
		}
	})
}

// AMI-dates: rule books hold from a date, and the version in force at the draw
// is fixed with the sale: draws after midnight are of the day before.
func TestAMI_Dates(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		few := []string{"draws: [90, 110]}", "draws: [1, 1]}\n    - {weekdays: [mon, tue, wed, thu, fri, sat, sun], draws: [244, 246]}"}
		w := newWorldAt(t, dsn, amiguito(t, few...), monday.AddDate(0, 0, -7))
		next, err := w.sys.PublishRules(w.ctx(), central.PublishRules{
			Key: w.key(), Officer: w.officer.ID,
			Book: amiguito(t, append(few, `version: "2011"`, `version: "2027"`, "first_day: 2011-05-07", "first_day: 2027-01-05", "prize: 7}", "prize: 70}")...),
		})
		w.check(err)
		w.at(mondayDraw(245).Add(-time.Minute)) // 00:29 on Tuesday
		all := board([]int{1, 2, 3, 4, 5, 6}, 1, 2)
		old := w.sell(w.boards(2, 1, all))
		w.at(mondayDraw(250).Add(3 * time.Hour)) // sales of Tuesday's first draw are open
		fresh := w.sell(w.boards(2, 1, all))
		w.at(fresh.Draws[0].DrawsAt)
		for _, c := range []struct {
			ticket wager.Ticket
			rules  *game.Rules
			number int
			prize  int64
		}{{old, w.rules, 245, 7}, {fresh, next, 1, 70}} {
			answer := w.checked(c.ticket)
			d, s := answer.Ticket.Draws[0], w.settlement(c.ticket.Draws[0])
			if c.ticket.Rules.Hash != c.rules.Hash || answer.Ticket.Rules.Hash != c.rules.Hash || d.Number != c.number {
				t.Errorf("sold by version %s for draw %d, want %s and %d", answer.Ticket.Rules.Version, d.Number, c.rules.Version, c.number)
			}
			if value := s.Settlement.Shares[1].UnitValue; value != money.Euros(c.prize).Times(int64(s.Times)) {
				t.Errorf("draw %d: rank 2 wins %s with ×%d, want %d by version %s", c.number, value, s.Times, c.prize, c.rules.Version)
			}
		}
	})
}

// settlement is a draw, whatever its day.
func (w *world) settlement(d draw.Draw) central.DrawView {
	w.Helper()
	v, err := w.sys.Draw(w.ctx(), d.Game, d.Day, d.Number)
	w.check(err)
	if v.Settlement == nil {
		w.Fatalf("draw %d of %s is %s", d.Number, d.Day, v.State)
	}
	return v
}

// Draws after midnight belong to the draw day before; by the reading claim_day
// their claims count from the new day (AMI-11.2).
func TestAMI_11_2_AfterMidnight(t *testing.T) {
	t.Parallel()
	for reading, lastDay := range map[string]string{"calendar_date": "2027-03-06", "draw_day": "2027-03-05"} {
		w := newWorldAt(t, dbtest.SQLite(t), amiguito(t, "claim_day: calendar_date", "claim_day: "+reading, "draws: [90, 110]", "draws: [238, 242]"), mondayDraw(239).Add(-time.Minute))
		before := w.sell(w.boards(2, 1, board([]int{1, 2, 3, 4, 5, 6}, 1, 2)))
		w.at(mondayDraw(239)) // midnight
		after := w.sell(w.boards(2, 1, board([]int{1, 2, 3, 4, 5, 6}, 1, 2)))
		w.at(mondayDraw(240))
		for _, ticket := range []wager.Ticket{before, after} {
			if d := ticket.Draws[0]; d.Day.String() != "2027-01-04" || game.DayOf(d.DrawsAt, w.rules.Calendar.Zone).String() != "2027-01-05" {
				t.Errorf("%s: draw %d of %s at %s", reading, d.Number, d.Day, d.DrawsAt)
			}
			if a := w.checked(ticket).Answer; a.ClaimUntil.String() != lastDay || a.Total == 0 {
				t.Errorf("%s: %s won in draw %d, claims until %s, want %s", reading, a.Total, ticket.Draws[0].Number, a.ClaimUntil, lastDay)
			}
		}
	}
}

// promoted is the islet with the first two tiers doubled in the draws 97 and 98
// of that Monday, in metropolitan France.
func promoted(t testing.TB) []byte {
	t.Helper()
	return islet(t, "draws: [95, 130]", "draws: [95, 99]", "draws: [167, 214]", "draws: [167, 168]", "- {name: 0+0, hits: {places: 0, pirates: 0}, prize: 2}\n", `- {name: 0+0, hits: {places: 0, pirates: 0}, prize: 2}
  - key: doubled
    tiers:
      - {name: 1+1, hits: {places: 1, pirates: 1}, prize: 40, payable: next_morning}
      - {name: 1+0, hits: {places: 1, pirates: 0}, prize: 6, payable: next_morning}
      - {name: 0+0, hits: {places: 0, pirates: 0}, prize: 2}
promotions:
  - {table: doubled, days: [2027-01-04, 2027-01-10], weekdays: [mon], draws: [[97, 98]], territories: [metropole]}
`)
}

// A promotion is fixed with the sale, by draw and territory, so one ticket may
// straddle two prize tables.
func TestPromotion(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, promoted(t))
		island := w.newShop(2, "reunion", "Indian/Reunion")
		sold := map[*shop][]wager.Ticket{w.shop: w.sellAll(4, 4)}
		for c := range w.rules.Size() {
			ticket, err := w.sys.Place(w.ctx(), central.Place{Key: w.key(), Terminal: island.terminal.ID, Slip: w.slip(game.Combination(c), 4, 4)})
			w.check(err)
			sold[island] = append(sold[island], ticket)
		}
		w.at(mondayDraw(98))
		w.restart()
		w.at(morning)
		for s, tickets := range sold {
			for _, ticket := range tickets {
				a := w.checked(ticket).Answer
				var total money.Amount
				for i, p := range a.Prizes {
					want, payable := isletPrize(ticket.Plays[0].Picks, w.settlement(ticket.Draws[i]).Result)
					if payable && i >= 2 && s == w.shop { // draws 97 and 98
						want *= 2
					}
					total += want * 2
					if p.Amount != want*2 {
						t.Errorf("outlet %d, combination %v, draw %d: won %s, want %s", s.outlet.Number, ticket.Plays[0].Picks, p.Draw.Number, p.Amount, want*2)
					}
				}
				if paid, err := w.pay(s, ticket); paid.Amount != total || (err == nil) != (total > 0) {
					t.Errorf("paid %s, %v; want %s", paid.Amount, err, total)
				}
			}
		}
		records, _ := w.records()
		for s, want := range map[*shop][]uint64{w.shop: {0, 0, 1, 1}, island: nil} {
			if sale := records[sold[s][0].Number].Body.(*journal.Sale); !slices.Equal(sale.Tables, want) {
				t.Errorf("outlet %d sells by the tables %v, want %v", s.outlet.Number, sale.Tables, want)
			}
			for _, ticket := range []wager.Ticket{sold[s][0], w.checked(sold[s][0]).Ticket} {
				if len(ticket.Tables) != len(want) || ticket.Table(0) != 0 || ticket.Table(3) != map[bool]int{true: 1}[s == w.shop] {
					t.Errorf("outlet %d: the ticket says the tables %v, want %v", s.outlet.Number, ticket.Tables, want)
				}
			}
		}
	})
}

// The cap counts the same combination of several boards, simple or multiple, together.
func TestCapOverMultiplePlays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), amiguito(t, "# cap: {max: …}", "cap: {max: 6, counts: unit_stakes, refusal: whole, quick_pick: redraw, tries: 100}"))
	multiple := board([]int{1, 2, 3, 4, 5}, 1) // 1×2
	simple := board([]int{1, 3, 5}, 1)         // one of its four
	combination := w.sell(w.boards(4, 2, multiple, simple)).Plays[1].Combinations[0]
	if n := w.sys.Exposed(w.status().Upcoming[0].ID, combination); n != 4 {
		t.Errorf("%d unit stakes on the combination, want 4", n)
	}
	capped := new(wager.CappedError)
	if _, err := w.place(w.boards(4, 1, multiple, simple)); !errors.As(err, &capped) || capped.Stake != money.Euros(2) {
		t.Errorf("four unit stakes where two have room: %v", err)
	}
	last := w.sell(w.boards(2, 1, multiple, simple))
	w.refuses(wager.ErrCapped, func() error { _, err := w.place(w.boards(2, 1, simple)); return err })
	w.sell(w.boards(2, 1, board([]int{1, 4, 5}, 1))) // another of the four
	w.check(w.cancel(w.shop, last))
	w.sell(w.boards(4, 1, simple))
	w.restart()
	w.refuses(wager.ErrCapped, func() error { _, err := w.place(w.boards(2, 1, simple)); return err })
}

// The system publishes every kind of book but those with prizes that are shares
// of the stakes, or a jackpot that nothing feeds.
func TestPublishEveryKind(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), amigo(t, aFewDraws...))
	for name, want := range map[string]error{
		"amigo-28": nil, "keno-10": nil, "pick-3": nil, "euromillions": central.ErrKind, "lotto-59": central.ErrKind, "powerball": central.ErrKind,
	} {
		book, err := os.ReadFile("../game/testdata/" + name + ".yaml")
		w.check(err)
		book = regexp.MustCompile("currency: (USD|GBP)").ReplaceAll(book, []byte("currency: EUR"))
		_, err = w.sys.PublishRules(w.ctx(), central.PublishRules{Key: w.key(), Officer: w.officer.ID, Book: book})
		if !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
}

// What a jackpot carries below the cent must fit a record whatever the shares
// of the versions that fed it (AMI-8.2).
func TestPublishShares(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), amigo(t, aFewDraws...))
	publish := func(day int, share string) error {
		book := regexp.MustCompile(`share: \S+`).ReplaceAll(amigo(t, aFewDraws...), []byte("share: "+share))
		book = regexp.MustCompile(`first_day: \S+`).ReplaceAll(book, fmt.Appendf(nil, "first_day: 2027-06-%02d", day))
		book = regexp.MustCompile(`(?m)^  payout_rate:.*\n`).ReplaceAll(book, nil)
		_, err := w.sys.PublishRules(w.ctx(), central.PublishRules{Key: w.key(), Officer: w.officer.ID, Book: book})
		return err
	}
	w.check(publish(1, "1/999999937"))
	if err := publish(2, "1/999999929"); !errors.Is(err, central.ErrKind) {
		t.Errorf("a third denominator: got %v, want ErrKind", err)
	}
	w.check(publish(3, "2/999999937"))
}
