package central_test

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/money"
)

// A change of an outlet as an officer saw it is refused when it is not so any
// more: a form that was open since would lift a block. Sent again, it is done once.
func TestPutOutlet_Was(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), islet(t))
	seen := w.outlet
	blocked, raised := seen, seen
	blocked.Blocked, raised.CreditLimit = true, money.Euros(5000)
	block := central.PutOutlet{Key: w.key(), Officer: w.officer.ID, Outlet: blocked, Was: &seen}
	for range 2 {
		if got, err := w.sys.PutOutlet(w.ctx(), block); err != nil || got != blocked {
			t.Errorf("block: %+v (%v)", got, err)
		}
	}
	stale := central.PutOutlet{Key: w.key(), Officer: w.officer.ID, Outlet: raised, Was: &seen}
	w.refuses(central.ErrChanged, func() error { _, err := w.sys.PutOutlet(w.ctx(), stale); return err })
	if got := w.sys.Outlets()[0]; got != blocked {
		t.Errorf("a stale form leaves %+v", got)
	}
}

// F18: what is approved is what was read: draws that stand otherwise than the
// second officer has seen them leave the proposal open, whatever is sold on them meanwhile.
func TestF18_ApproveWhatWasSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), islet(t))
	other := w.second()
	ids := w.draws(97, 96)
	p := w.proposed(central.Change{Act: central.ActPostpone, Draws: ids, Shift: time.Hour})
	seen := func() string {
		views, err := w.sys.DrawsByID(w.ctx(), ids)
		w.check(err)
		return central.Seen(views)
	}
	approve := func(seen string) error {
		_, err := w.sys.Approve(w.ctx(), central.Decide{Key: w.key(), Officer: other.ID, Proposal: p.ID, Seen: seen})
		return err
	}
	before := seen()
	w.sell(w.quickPick(2, 3))
	if seen() != before {
		t.Error("a sale changes how draws stand")
	}
	w.postponeBy(other.ID, 30*time.Minute, 96)
	w.refuses(central.ErrChanged, func() error { return approve(before) })
	if got, err := w.sys.Proposal(w.ctx(), p.ID); err != nil || !got.DecidedAt.IsZero() {
		t.Errorf("refused, and decided at %v (%v)", got.DecidedAt, err)
	}
	w.check(approve(seen()))
}

// postponeBy postpones draws by another officer's approval.
func (w *world) postponeBy(other string, shift time.Duration, numbers ...int) {
	w.Helper()
	w.check(w.approve(other, w.proposed(central.Change{Act: central.ActPostpone, Shift: shift, Draws: w.draws(numbers...)}).ID))
}

// A reason has as many characters as the sentence says, in any script, and
// none that hides or turns around what stands beside it.
func TestReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), islet(t))
	id := w.draws(99)
	for reason, want := range map[string]error{
		strings.Repeat("é", central.ReasonMax): nil,
		strings.Repeat("🎲", central.ReasonMax): nil,
		"deux\nlignes":                           nil,
		strings.Repeat("x", central.ReasonMax+1): central.ErrReason,
		strings.Repeat("🎲", central.ReasonMax+1): central.ErrReason,
		"\u202eennap":                            central.ErrReason,
		"panne \u2066du réseau":                  central.ErrReason,
		"panne\x00":                              central.ErrReason,
		"panne\x1b[2J":                           central.ErrReason,
		"pan\u0085ne":                            central.ErrReason,
	} {
		propose := func() error {
			_, err := w.propose(central.Change{Act: central.ActCancelDraw, Draws: id, Reason: reason})
			return err
		}
		if want != nil {
			w.refuses(want, propose)
		} else if err := propose(); err != nil {
			t.Errorf("reason %.20q: %v", reason, err)
		}
	}
}

var exact = cmp.Comparer(func(a, b *big.Rat) bool { return a == nil && b == nil || a != nil && b != nil && a.Cmp(b) == 0 })

// The draws that the memory gives are those of the tables, in each state, and after a restart.
func TestDrawsFromMemory(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, amiguito(t))
		for range 3 {
			w.sell(w.quickPick(2, 2))
		}
		other := w.second()
		w.check(w.approve(other.ID, w.proposed(central.Change{Act: central.ActCancelDraw, Draws: w.draws(92, 93)}).ID))
		w.postponeBy(other.ID, time.Hour, 94)
		w.at(mondayDraw(91))
		w.sell(w.quickPick(2, 1))
		open := w.proposed(central.Change{Act: central.ActCancelDraw, Draws: w.draws(99)})
		for range 2 {
			views, err := w.sys.Draws(w.ctx(), w.rules.Code, game.NewDay(2027, 1, 4))
			w.check(err)
			stored, err := w.sys.StoredDraws(w.ctx(), w.rules.Code, game.NewDay(2027, 1, 4))
			w.check(err)
			if diff := cmp.Diff(stored, views, exact); diff != "" || len(views) != 21 {
				t.Errorf("%d draws from memory, less the tables': %s", len(views), diff)
			}
			ids := []draw.ID{views[3].ID, views[0].ID}
			list, err := w.sys.Planned(w.ctx(), append(ids, 99_999))
			w.check(err)
			byID, err := w.sys.DrawsByID(w.ctx(), ids)
			w.check(err)
			for i, v := range []int{0, 3} {
				if diff := cmp.Diff(views[v].Draw, list[i]) + cmp.Diff(views[v], byID[i], exact); diff != "" {
					t.Errorf("draw %d by its ID: %s", views[v].Number, diff)
				}
			}
			w.restart()
		}
		if n, err := w.sys.OpenProposals(w.ctx()); err != nil || n != 1 {
			t.Errorf("%d proposals are open (%v)", n, err)
		}
		w.check(w.reject(w.officer.ID, open.ID))
		if n, err := w.sys.OpenProposals(w.ctx()); err != nil || n != 0 {
			t.Errorf("%d proposals are open (%v)", n, err)
		}
	})
}
