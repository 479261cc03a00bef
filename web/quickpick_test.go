package web

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/rng"
	"tirage/wager"
	"tirage/web/page"
)

// Under the reading quick_pick_by: terminal what a quick pick misses is drawn at
// the terminal, as docs/rng.md says, and the record says what was; what is all
// random and capped is drawn again; and the same form sold twice is one sale.
func TestIAT_2_4_QuickPickByTerminal(t *testing.T) {
	t.Parallel()
	book, err := game.Book("ile-au-tresor")
	check(t, err)
	s := newShopWith(t, money.Euros(1000), []byte(strings.Replace(string(book), "by: central", "by: terminal", 1)))
	r, err := s.sys.Rules("ile-au-tresor")
	check(t, err)
	b := s.signedOn()

	drawn := func(key string, picks game.Picks, attempt int) wager.Play {
		t.Helper()
		w, err := wager.New(r, wager.Slip{Game: r.Code, Boards: []wager.Board{{Picks: picks, QuickPick: true}}, Stake: 200, Draws: 1})
		check(t, err)
		return w.Plays(rng.Seed(sha256.Sum256([]byte("tirage quick pick by terminal\n"+key))), attempt)[0]
	}
	flash := func(places []int, pirate int) (p shown, key string) {
		t.Helper()
		form := b.get("/terminal").form("/terminal/vente")
		return b.post("/terminal/vente", join(form, marks(places, pirate, 200, 1), do("flash"))), form.Get("key")
	}
	last := func() wager.Play {
		t.Helper()
		lines, err := s.sys.Tickets(context.Background(), s.outlet.ID, opening, opening.Add(time.Hour), 100)
		check(t, err)
		v, err := s.sys.Ticket(context.Background(), lines[0].Number)
		check(t, err)
		return v.Ticket.Plays[0]
	}
	for _, c := range []struct {
		places []int
		pirate int
		picks  game.Picks
		full   bool // what is drawn first
	}{
		{nil, 0, nil, false},
		{[]int{19, 21}, 3, game.Picks{{19, 21}, {3}}, false},
		{nil, 0, nil, true},
	} {
		p, key := flash(c.places, c.pirate)
		expect(t, p, http.StatusOK, "Total 2,00 €")
		want := drawn(key, c.picks, 0)
		if c.full {
			for range 5 {
				_, err := s.sys.Place(context.Background(), central.Place{Key: page.NewKey(), Terminal: s.terminal.ID, Slip: wager.Slip{
					Game: r.Code, Boards: []wager.Board{{Picks: want.Picks}}, Stake: 2000, Draws: 1,
				}})
				check(t, err)
			}
			s.clock.set(s.clock.Now().Add(time.Second)) // so that the next ticket is the last
			want = drawn(key, c.picks, 1)
		}
		form := join(p.form("/terminal/vente"), do("sell"))
		p = b.post("/terminal/vente", form)
		expect(t, p, http.StatusOK, "À payer 2,00 €")
		if got := last(); !cmp.Equal(got, want, cmpopts.EquateEmpty()) {
			t.Errorf("sold %v, of them at random %v; want %v, %v", got.Picks, got.Random, want.Picks, want.Random)
		}
		again := b.post("/terminal/vente", form)
		if len(codes(p)) != 1 || !cmp.Equal(codes(again), codes(p)) {
			t.Errorf("tickets %v, asked again %v", codes(p), codes(again))
		}
	}

	_, err = s.sys.Place(context.Background(), central.Place{Key: page.NewKey(), Terminal: s.terminal.ID, Slip: wager.Slip{
		Game: r.Code, Boards: []wager.Board{{QuickPick: true}}, Stake: 200, Draws: 1,
	}})
	if !errors.Is(err, game.ErrTooFew) {
		t.Errorf("the central system completed it: %v", err)
	}
}
