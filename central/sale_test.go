package central_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/wager"
)

// A sale is what the slip asks, at the next draws, and the outlet owes its price.
func TestPlace(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		number := w.sys.Size()
		got := w.sell(w.slip(1234, 8, 3))
		want := wager.Ticket{
			Number: wager.ID(number), Secret: got.Secret, PlacedAt: monday, Outlet: w.outlet.ID, Terminal: w.terminal.ID, Rules: w.rules,
			Plays: []wager.Play{{Picks: w.rules.Picks(1234), Combinations: []game.Combination{1234}}},
			Stake: money.Euros(8), Units: 4, Asked: 3, Draws: got.Draws, Price: money.Euros(24),
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(sameRules)); diff != "" {
			t.Errorf("ticket (-want +got):\n%s", diff)
		}
		if n := numbers(got.Draws); !slices.Equal(n, []int{95, 96, 97}) {
			t.Errorf("draws %v, want 95 to 97", n)
		}
		if owes := w.owes(w.shop); owes != money.Euros(24) {
			t.Errorf("the outlet owes %s, want 24.00", owes)
		}
		if got.Secret == [8]byte{} {
			t.Error("the ticket has no secret")
		}
		if diff := cmp.Diff(got, w.checked(got).Ticket, cmp.Comparer(sameRules)); diff != "" {
			t.Errorf("ticket as sold, and as read back:\n%s", diff)
		}
		for _, c := range []game.Combination{1233, 1235} {
			if n := w.sys.Exposed(got.Draws[0].ID, c); n != 0 {
				t.Errorf("combination %d is sold %d times, nobody bought it", c, n)
			}
		}
	})
}

func sameRules(a, b *game.Rules) bool { return a == b || a != nil && b != nil && a.Hash == b.Hash }

// Every refusal of a sale changes nothing.
func TestPlaceRefused(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		poor := w.newShop(2, "metropole", "Europe/Paris")
		poor.outlet.CreditLimit = money.Euros(19)
		blocked := w.newShop(3, "metropole", "Europe/Paris")
		blocked.outlet.Blocked = true
		for _, s := range []*shop{poor, blocked} {
			_, err := w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: w.key(), Officer: w.officer.ID, Outlet: s.outlet})
			w.check(err)
		}
		good := central.Place{Key: "k", Terminal: w.terminal.ID, Slip: w.slip(7, 2, 1)}
		for _, c := range []struct {
			name   string
			want   error
			change func(*central.Place)
		}{
			{"no key", central.ErrKey, func(p *central.Place) { p.Key = "" }},
			{"long key", central.ErrKey, func(p *central.Place) { p.Key = string(make([]byte, 65)) }},
			{"unknown game", central.ErrUnknownGame, func(p *central.Place) { p.Slip.Game = "loto" }},
			{"unknown terminal", party.ErrUnknownTerminal, func(p *central.Place) { p.Terminal = "0123456789abcdef" }},
			{"no terminal", party.ErrUnknownTerminal, func(p *central.Place) { p.Terminal = "\x00" }},
			{"IAT-2.1 stake", wager.ErrStake, func(p *central.Place) { p.Slip.Stake = money.Euros(12) }},
			{"IAT-2.3.2 stake not marked", wager.ErrStakeNotMarked, func(p *central.Place) { p.Slip.Stake = 0 }},
			{"IAT-2.3.2 draws not marked", wager.ErrDrawsNotMarked, func(p *central.Place) { p.Slip.Draws = 0 }},
			{"IAT-2.3.5 draws", wager.ErrDraws, func(p *central.Place) { p.Slip.Draws = 7 }},
			{"IAT-2.3.2 boards", wager.ErrBoards, func(p *central.Place) { p.Slip.Boards = append(p.Slip.Boards, p.Slip.Boards[0]) }},
			{"IAT-2.3.3 too few", game.ErrTooFew, func(p *central.Place) { p.Slip.Boards = []wager.Board{{Picks: game.Picks{{1, 2, 3}, {1}}}} }},
			{"IAT-2.3.3 too many", game.ErrTooMany, func(p *central.Place) {
				p.Slip.Boards = []wager.Board{{Picks: game.Picks{{1, 2, 3, 4, 5, 6, 7, 8}, {1}}}}
			}},
			{"unknown place", game.ErrElement, func(p *central.Place) {
				p.Slip.Boards = []wager.Board{{Picks: game.Picks{{1, 2, 3, 4, 5, 6, 22}, {1}}}}
			}},
			{"credit", party.ErrCredit, func(p *central.Place) { p.Terminal, p.Slip.Stake = poor.terminal.ID, money.Euros(20) }},
			{"blocked", party.ErrBlocked, func(p *central.Place) { p.Terminal = blocked.terminal.ID }},
		} {
			t.Run(c.name, func(t *testing.T) {
				p := good
				c.change(&p)
				w.refuses(c.want, func() error { _, err := w.sys.Place(w.ctx(), p); return err })
			})
		}
		if _, err := w.sys.Place(w.ctx(), good); err != nil {
			t.Errorf("the same without fault: %v", err)
		}
		// The limit itself may be reached.
		_, err := w.sys.Place(w.ctx(), central.Place{Key: "k", Terminal: poor.terminal.ID, Slip: w.slip(7, 6, 3)})
		w.check(err)
		w.refuses(party.ErrCredit, func() error {
			_, err := w.sys.Place(w.ctx(), central.Place{Key: "k2", Terminal: poor.terminal.ID, Slip: w.slip(7, 2, 1)})
			return err
		})
	})
}

// IAT-2.3.5: a wager over more draws than the session has left is cut to them.
func TestIAT_2_3_5_Cut(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		w.at(mondayDraw(127)) // closed 20 s ago
		got := w.sell(w.slip(1, 10, 6))
		if n := numbers(got.Draws); !slices.Equal(n, []int{128, 129, 130}) || got.Price != money.Euros(30) || !got.Cut() || got.Asked != 6 {
			t.Errorf("draws %v of %d at %s, want 128 to 130 of 6 at 30.00", n, got.Asked, got.Price)
		}
		w.at(mondayDraw(130).Add(-21 * time.Second))
		if n := numbers(w.sell(w.slip(2, 2, 6)).Draws); !slices.Equal(n, []int{130}) {
			t.Errorf("draws %v, want the last one", n)
		}
		w.clock.set(mondayDraw(130).Add(-20 * time.Second))
		w.refuses(wager.ErrNoSession, func() error { _, err := w.place(w.slip(2, 2, 1)); return err })
	})
}

// IAT-2.3.5: between two sessions, by both readings.
func TestIAT_2_3_5_BetweenSessions(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		t.Run("refused", func(t *testing.T) {
			w := newWorld(t, dsn, island(t))
			w.at(mondayDraw(130))
			w.refuses(wager.ErrNoSession, func() error { _, err := w.place(w.slip(2, 2, 1)); return err })
			if next := w.status().NextOpensAt; !next.Equal(mondayDraw(167).Add(-time.Hour)) {
				t.Errorf("sales open next at %s, want an hour before draw 167", next)
			}
			w.at(mondayDraw(167).Add(-time.Hour))
			if n := numbers(w.sell(w.slip(2, 2, 2)).Draws); !slices.Equal(n, []int{167, 168}) {
				t.Errorf("draws %v", n)
			}
		})
	})
	dbtest.Each(t, func(t *testing.T, dsn string) {
		t.Run("next_session", func(t *testing.T) {
			w := newWorld(t, dsn, island(t, "between_sessions: refused", "between_sessions: next_session"))
			w.at(mondayDraw(130).Add(-20 * time.Second))
			if n := numbers(w.sell(w.slip(2, 2, 2)).Draws); !slices.Equal(n, []int{167, 168}) {
				t.Errorf("draws %v, want those of the next session", n)
			}
			w.at(mondayDraw(214)) // the next session is on Wednesday
			got := w.sell(w.slip(2, 2, 1))
			if d := got.Draws[0]; d.Number != 95 || d.Day != game.NewDay(2027, 1, 6) {
				t.Errorf("draw %d of %s", d.Number, d.Day)
			}
		})
	})
}

// F18: from closing time on nothing is sold or cancelled, however late the scheduler is.
func TestF18_LateScheduler(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		closes := mondayDraw(95).Add(-20 * time.Second)
		w.clock.set(closes.Add(-time.Microsecond))
		first := w.sell(w.slip(3, 2, 1))
		w.clock.set(closes)
		second := w.sell(w.slip(3, 2, 1))
		if first.Draws[0].Number != 95 || second.Draws[0].Number != 96 {
			t.Errorf("draws %d and %d, want 95 and 96", first.Draws[0].Number, second.Draws[0].Number)
		}
		w.refuses(central.ErrTooLate, func() error { return w.cancel(w.shop, first) })
		w.clock.set(mondayDraw(131)) // nobody ticked: all of the session is still "selling"
		w.refuses(wager.ErrNoSession, func() error { _, err := w.place(w.slip(3, 2, 1)); return err })
		w.tick()
		if v := w.view(96); v.Wagers != 1 || v.Stakes != money.Euros(2) {
			t.Errorf("draw 96 closed with %d wagers, %s", v.Wagers, v.Stakes)
		}
	})
}

// Territories sell only the draws that the rule book gives them.
func TestTerritories(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t, "zone: Indian/Reunion}", "zone: Indian/Reunion, draws: [[97, 98], [167, 214]]}"))
		reunion := w.newShop(2, "reunion", "Indian/Reunion")
		got, err := w.sys.Place(w.ctx(), central.Place{Key: "k", Terminal: reunion.terminal.ID, Slip: w.slip(3, 2, 6)})
		w.check(err)
		if n := numbers(got.Draws); !slices.Equal(n, []int{97, 98}) {
			t.Errorf("draws %v, want 97 and 98", n)
		}
		w.at(mondayDraw(98))
		w.refuses(wager.ErrNoSession, func() error {
			_, err := w.sys.Place(w.ctx(), central.Place{Key: "k2", Terminal: reunion.terminal.ID, Slip: w.slip(3, 2, 6)})
			return err
		})
		w.sell(w.slip(3, 2, 6))
	})
}

// IAT-2.4: a quick pick completes what the player left open, and the record says what was random.
func TestIAT_2_4_QuickPick(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		whole := w.sell(w.quickPick(4, 2))
		other := w.sell(w.quickPick(4, 2))
		if whole.Plays[0].Combinations[0] == other.Plays[0].Combinations[0] {
			t.Error("two quick picks gave the same combination") // 1 in 348,840
		}
		s := w.quickPick(2, 1)
		s.Boards[0].Picks = game.Picks{{21, 5, 9}, {}}
		partial := w.sell(s)
		play := partial.Plays[0]
		for _, n := range []int{5, 9, 21} {
			if !slices.Contains(play.Picks[0], n) || slices.Contains(play.Random[0], n) {
				t.Errorf("place %d is the player's: picks %v, random %v", n, play.Picks, play.Random)
			}
		}
		if len(play.Picks[0]) != 7 || len(play.Random[0]) != 4 || len(play.Random[1]) != 1 {
			t.Errorf("picks %v, random %v", play.Picks, play.Random)
		}
		for _, ticket := range []wager.Ticket{whole, partial} {
			if diff := cmp.Diff(ticket, w.checked(ticket).Ticket, cmp.Comparer(sameRules)); diff != "" {
				t.Errorf("quick pick as sold, and as read back:\n%s", diff)
			}
		}
	})
}

// IAT-3: the 50th unit stake on a combination is sold, the 51st refused, by draw.
func TestIAT_3_Cap(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		w.sell(w.slip(5, 20, 2)) // draws 95 and 96: 10 units
		w.sell(w.slip(5, 20, 2))
		w.sell(w.slip(5, 20, 1)) // draw 95: 30
		w.sell(w.slip(5, 20, 1)) // 40
		last := w.sell(w.slip(5, 8, 1))
		var capped *wager.CappedError
		before := w.sys.Size()
		if _, err := w.place(w.slip(5, 20, 3)); !errors.As(err, &capped) {
			t.Fatalf("got %v, want capped", err)
		}
		if n := numbers(capped.Full); !slices.Equal(n, []int{95}) || capped.Stake != money.Euros(10) {
			t.Errorf("full %v, possible %s; want draw 95, and 10.00 (6 units are left, 12 € is no stake)", n, capped.Stake)
		}
		if w.sys.Size() != before {
			t.Error("a refusal left a record")
		}
		w.sell(w.slip(5, 10, 1)) // 49
		w.sell(w.slip(5, 2, 1))  // the 50th
		w.refuses(wager.ErrCapped, func() error { _, err := w.place(w.slip(5, 2, 1)); return err })
		w.refuses(wager.ErrCapped, func() error { _, err := w.place(w.slip(5, 2, 6)); return err })
		w.sell(w.slip(6, 2, 1)) // another combination
		w.check(w.cancel(w.shop, last))
		w.sell(w.slip(5, 8, 1)) // cancelling gave its units back
		w.refuses(wager.ErrCapped, func() error { _, err := w.place(w.slip(5, 2, 1)); return err })
		w.at(mondayDraw(95))
		w.sell(w.slip(5, 20, 1)) // draw 96 has 20 units
		if n := w.sys.Exposed(w.view(96).ID, 5); n != 30 {
			t.Errorf("draw 96 has %d units, want 30", n)
		}
	})
}

// IAT-3, reading cap_counts: wagers.
func TestIAT_3_CountsWagers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t, "max: 50", "max: 3", "counts: unit_stakes", "counts: wagers"))
		for _, euros := range []int64{20, 2, 20} {
			w.sell(w.slip(5, euros, 1))
		}
		w.refuses(wager.ErrCapped, func() error { _, err := w.place(w.slip(5, 2, 1)); return err })
	})
}

// IAT-3, reading cap_refusal: partial sells the draws that have room.
func TestIAT_3_RefusalPartial(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t, "max: 50", "max: 10", "refusal: whole", "refusal: partial"))
		w.sell(w.slip(5, 20, 2))
		got := w.sell(w.slip(5, 4, 4))
		if n := numbers(got.Draws); !slices.Equal(n, []int{97, 98}) || got.Price != money.Euros(8) {
			t.Errorf("draws %v at %s, want 97 and 98 at 8.00", n, got.Price)
		}
		w.refuses(wager.ErrCapped, func() error { _, err := w.place(w.slip(5, 4, 2)); return err })
	})
}

// IAT-3, reading cap_quick_pick: a quick pick that is capped is drawn again,
// until the draw is full, but never the player's own elements.
func TestIAT_3_QuickPickRedraw(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t, "max: 50", "max: 1"))
		sold := map[game.Combination]bool{}
		for range w.rules.Size() {
			sold[w.sell(w.quickPick(2, 1)).Plays[0].Combinations[0]] = true
		}
		if len(sold) != int(w.rules.Size()) {
			t.Errorf("quick picks filled %d combinations of %d", len(sold), w.rules.Size())
		}
		w.refuses(wager.ErrCapped, func() error { _, err := w.place(w.quickPick(2, 1)); return err })
		// Draw 96 is empty. Its place 2 fills up: the rest of a player's own is not drawn again for him.
		w.at(mondayDraw(95))
		c, err := w.rules.Rank(game.Picks{{2}, {1}})
		w.check(err)
		w.sell(w.slip(c, 2, 1))
		refused := 0
		for range 40 {
			s := w.quickPick(2, 1)
			s.Boards[0].Picks = game.Picks{{2}, {}}
			if got, err := w.place(s); errors.Is(err, wager.ErrCapped) {
				refused++
			} else {
				w.check(err)
				w.check(w.cancel(w.shop, got))
			}
		}
		if refused == 0 || refused == 40 {
			t.Errorf("%d of 40 partial quick picks refused, want about half", refused)
		}
	})
}

func TestIAT_3_QuickPickRefuse(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t, "max: 50", "max: 1", "quick_pick: redraw", "quick_pick: refuse"))
		for c := range game.Combination(w.rules.Size()) {
			if c != 3 {
				w.sell(w.slip(c, 2, 1))
			}
		}
		refused := 0
		for range 60 {
			if got, err := w.place(w.quickPick(2, 1)); errors.Is(err, wager.ErrCapped) {
				refused++
			} else {
				w.check(err)
				w.check(w.cancel(w.shop, got))
			}
		}
		if refused < 30 || refused == 60 {
			t.Errorf("%d of 60 quick picks refused, want about 50", refused)
		}
	})
}

// A ticket is cancelled by who sold it, before its first draw closes (F16), once.
func TestF16_Cancel(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		other := w.newShop(2, "metropole", "Europe/Paris")
		ticket := w.sell(w.slip(9, 6, 2))
		w.refuses(central.ErrNotYours, func() error { return w.cancel(other, ticket) })
		forged := ticket
		forged.Secret[7]++
		w.refuses(central.ErrNoTicket, func() error { return w.cancel(w.shop, forged) })
		forged = ticket
		for _, number := range []wager.ID{0, ticket.Number + 1, 1 << 63, 1<<64 - 1} {
			forged.Number = number
			w.refuses(central.ErrNoTicket, func() error { return w.cancel(w.shop, forged) })
		}
		// Another terminal of the outlet may.
		second, _, err := w.sys.PutTerminal(w.ctx(), central.PutTerminal{Key: w.key(), Officer: w.officer.ID, Outlet: w.outlet.ID})
		w.check(err)
		w.check(w.cancel(&shop{terminal: second}, ticket))
		w.refuses(central.ErrCancelled, func() error { return w.cancel(w.shop, ticket) })
		if owes := w.owes(w.shop); owes != 0 {
			t.Errorf("the outlet owes %s after the cancellation", owes)
		}
		if c := w.checked(ticket); !c.CancelledAt.Equal(monday) {
			t.Errorf("cancelled at %s", c.CancelledAt)
		}
		kept := w.sell(w.slip(9, 6, 2))
		w.at(mondayDraw(95).Add(-20 * time.Second))
		w.refuses(central.ErrTooLate, func() error { return w.cancel(w.shop, kept) })
		w.at(mondayDraw(97))
		w.refuses(central.ErrTooLate, func() error { return w.cancel(w.shop, kept) })
		w.refuses(central.ErrCancelled, func() error { _, err := w.pay(w.shop, ticket); return err })
		v := w.view(95)
		if v.Wagers != 1 || v.Stakes != money.Euros(6) || v.Settlement.Parts != 1 {
			t.Errorf("draw 95: %d wagers, %s, %d parts settled; want the one that was not cancelled", v.Wagers, v.Stakes, v.Settlement.Parts)
		}
		w.closeSays(v.ID, ticket, kept)
	})
}

// closeSays shows that the close record of a draw has one sale, one
// cancellation, and the root over the records of both tickets and of the cancellation.
func (w *world) closeSays(id draw.ID, cancelled, kept wager.Ticket) {
	w.Helper()
	records, raw := w.records()
	var root journal.Frontier
	for i, rec := range records {
		switch b := rec.Body.(type) {
		case *journal.Sale:
			if n := wager.ID(i); n == cancelled.Number || n == kept.Number {
				root.Append(journal.LeafHash(raw[i]))
			}
		case *journal.Cancellation:
			root.Append(journal.LeafHash(raw[i]))
		case *journal.Close:
			if draw.ID(b.Draw) != id {
				continue
			}
			if b.Wagers != 1 || b.Cancelled != 1 || b.Parts != 1 || b.Root != root.Root() {
				w.Errorf("close record %+v, want one sale, one cancellation and root %x", b, root.Root())
			}
		}
	}
}
