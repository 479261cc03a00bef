package central_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/party"
)

// second is another officer than the world's.
func (w *world) second() party.Officer {
	w.Helper()
	o, err := w.sys.PutOfficer(w.ctx(), central.PutOfficer{Key: "second", By: w.officer.ID, Login: "adjoint", Password: "un premier mot", Roles: []string{"operations"}})
	w.check(err)
	w.check(w.sys.ChangePassword(w.ctx(), central.ChangePassword{Key: "second/own", Officer: o.ID, Old: "un premier mot", New: "dix caracteres"}))
	return o
}

// propose is a proposal of the world's officer.
func (w *world) propose(c central.Change) (central.Proposal, error) {
	if c.Reason == "" {
		c.Reason = "panne"
	}
	return w.sys.Propose(w.ctx(), central.Propose{Key: w.key(), Officer: w.officer.ID, Change: c})
}

func (w *world) proposed(c central.Change) central.Proposal {
	w.Helper()
	p, err := w.propose(c)
	w.check(err)
	return p
}

func (w *world) approve(officer string, id uint64) error {
	_, err := w.sys.Approve(w.ctx(), central.Decide{Key: w.key(), Officer: officer, Proposal: id})
	return err
}

func (w *world) reject(officer string, id uint64) error {
	_, err := w.sys.Reject(w.ctx(), central.Decide{Key: w.key(), Officer: officer, Proposal: id})
	return err
}

// change proposes and approves a change.
func (w *world) change(c central.Change) {
	w.Helper()
	w.check(w.approve(w.second().ID, w.proposed(c).ID))
}

func (w *world) postpone(shift time.Duration, numbers ...int) {
	w.Helper()
	w.change(central.Change{Act: central.ActPostpone, Shift: shift, Draws: w.draws(numbers...)})
}

func (w *world) cancelDraws(numbers ...int) {
	w.Helper()
	w.change(central.Change{Act: central.ActCancelDraw, Draws: w.draws(numbers...)})
}

// draws are the ids of draws of the day of the test's clock.
func (w *world) draws(numbers ...int) []draw.ID {
	w.Helper()
	list := make([]draw.ID, len(numbers))
	for i, n := range numbers {
		list[i] = w.view(n).ID
	}
	return list
}

// F18: an early close, and whatever else moves draws or money, needs two
// officers. Each act is done once, whatever is sent again.
func TestF18_TwoOfficers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		other := w.second()
		day := game.NewDay(2027, 3, 5)
		for _, c := range []central.Change{
			{Act: central.ActClose, Draws: w.draws(95)},
			{Act: central.ActPostpone, Draws: w.draws(96, 98), Shift: time.Hour},
			{Act: central.ActCancelDraw, Draws: w.draws(97, 99)},
			{Act: central.ActExtendClaims, Game: w.rules.Code, From: day, To: day + 1, Until: day + 9},
		} {
			c.Reason = "  alerte incendie à la régie "
			before := w.sys.Size()
			propose := central.Propose{Key: w.key(), Officer: w.officer.ID, Change: c}
			p, err := w.sys.Propose(w.ctx(), propose)
			w.check(err)
			again, err := w.sys.Propose(w.ctx(), propose)
			w.check(err)
			c.Reason = strings.TrimSpace(c.Reason)
			want := central.Proposal{ID: before, Change: c, By: w.officer.ID, At: w.clock.Now()}
			if diff := cmp.Diff(want, p); diff != "" || again.ID != p.ID || w.sys.Size() != before+1 {
				t.Errorf("%s proposed: %s; again %d, %d records", c.Act, diff, again.ID, w.sys.Size()-before)
			}
			reused := propose
			reused.Change.Reason = "autre motif"
			w.refuses(central.ErrKeyReused, func() error { _, err := w.sys.Propose(w.ctx(), reused); return err })
			w.refuses(central.ErrSameOfficer, func() error { return w.approve(w.officer.ID, p.ID) })
			for _, nobody := range []string{w.outlet.ID, "nobody", ""} {
				w.refuses(central.ErrNotAllowed, func() error { return w.approve(nobody, p.ID) })
				w.refuses(central.ErrNotAllowed, func() error { return w.reject(nobody, p.ID) })
			}
			approve := central.Decide{Key: w.key(), Officer: other.ID, Proposal: p.ID}
			done, err := w.sys.Approve(w.ctx(), approve)
			w.check(err)
			if size := w.sys.Size(); size != p.ID+2+uint64(max(1, len(c.Draws))) {
				t.Errorf("%s: %d records", c.Act, size-p.ID)
			}
			size := w.sys.Size()
			repeated, err := w.sys.Approve(w.ctx(), approve)
			w.check(err)
			want.DecidedAt, want.DecidedBy, want.Approved = w.clock.Now(), other.ID, true
			if diff := cmp.Diff(want, done); diff != "" || !cmp.Equal(done, repeated) || w.sys.Size() != size {
				t.Errorf("%s approved: %s; again %+v", c.Act, diff, repeated)
			}
			w.refuses(central.ErrDecided, func() error { return w.approve(other.ID, p.ID) })
			w.refuses(central.ErrDecided, func() error { return w.reject(w.officer.ID, p.ID) })
		}
		if v := w.view(95); !v.ClosesAt.Equal(monday) {
			t.Errorf("draw 95 closes at %s", v.ClosesAt)
		}
		w.restart()
	})
}

// What can never be done is not even proposed.
func TestProposeRefused(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		id, day := w.view(97).ID, game.NewDay(2027, 3, 5)
		w.at(mondayDraw(95))
		certified, planned := w.view(95).ID, w.view(167).ID
		w.cancelDraws(99)
		postpone := func(shift time.Duration, draws ...draw.ID) central.Change {
			return central.Change{Act: central.ActPostpone, Shift: shift, Draws: draws}
		}
		of := func(act central.ChangeAct, draws ...draw.ID) central.Change {
			return central.Change{Act: act, Draws: draws}
		}
		extend := func(code game.Code, from, to, until game.Day) central.Change {
			return central.Change{Act: central.ActExtendClaims, Game: code, From: from, To: to, Until: until}
		}
		for _, c := range []struct {
			name   string
			change central.Change
			want   error
		}{
			{"nothing", central.Change{}, central.ErrChange},
			{"unknown act", of(9, id), central.ErrChange},
			{"no draws", of(central.ActCancelDraw), central.ErrChange},
			{"a draw twice", of(central.ActCancelDraw, id, planned, id), central.ErrChange},
			{"too many draws", of(central.ActCancelDraw, make([]draw.ID, journal.ProposalDrawsMax+1)...), central.ErrChange},
			{"by nothing", postpone(0, id), central.ErrChange},
			{"backwards", postpone(-time.Hour, id), central.ErrChange},
			{"by less than a microsecond", postpone(time.Minute+1, id), central.ErrChange},
			{"by too much", postpone(32*24*time.Hour, id), central.ErrChange},
			{"a cancellation by an hour", central.Change{Act: central.ActCancelDraw, Draws: []draw.ID{id}, Shift: time.Hour}, central.ErrChange},
			{"a cancellation of claims", central.Change{Act: central.ActCancelDraw, Draws: []draw.ID{id}, Game: w.rules.Code}, central.ErrChange},
			{"claims of draws", central.Change{Act: central.ActExtendClaims, Draws: []draw.ID{id}, Game: w.rules.Code, From: day, To: day, Until: day + 1}, central.ErrChange},
			{"claims from after to", extend(w.rules.Code, day+1, day, day+2), central.ErrChange},
			{"claims not extended", extend(w.rules.Code, day, day+1, day+1), central.ErrChange},
			{"claims extended by years", extend(w.rules.Code, day, day+1, day+400), central.ErrChange},
			{"claims of another game", extend("loto", day, day, day+1), central.ErrUnknownGame},
			{"claims of the past", extend(w.rules.Code, game.NewDay(2027, 1, 3), day, day+1), central.ErrClaimsOver},
			{"unknown draw", of(central.ActCancelDraw, id, 99_999), draw.ErrUnknown},
			{"draw 0", of(central.ActClose, 0), draw.ErrUnknown},
			{"cancel a certified draw", of(central.ActCancelDraw, id, certified), draw.ErrTransition},
			{"cancel a cancelled draw", of(central.ActCancelDraw, w.view(99).ID), draw.ErrTransition},
			{"postpone a certified draw", postpone(time.Hour, certified), draw.ErrClosed},
			{"postpone a cancelled draw", postpone(time.Hour, w.view(99).ID), draw.ErrTransition},
			{"close a certified draw", of(central.ActClose, certified), draw.ErrClosed},
			{"close before sales open", of(central.ActClose, planned), draw.ErrMove},
		} {
			t.Run(c.name, func(t *testing.T) {
				w.refuses(c.want, func() error { _, err := w.propose(c.change); return err })
			})
		}
		for _, reason := range []string{" ", strings.Repeat("x", journal.ProposalReasonMax+1), "\xff"} {
			w.refuses(central.ErrReason, func() error {
				_, err := w.propose(central.Change{Act: central.ActCancelDraw, Draws: []draw.ID{id}, Reason: reason})
				return err
			})
		}
		w.refuses(central.ErrNotAllowed, func() error {
			_, err := w.sys.Propose(w.ctx(), central.Propose{Key: w.key(), Officer: w.outlet.ID, Change: central.Change{Act: central.ActClose, Draws: []draw.ID{id}, Reason: "?"}})
			return err
		})
		for _, number := range []uint64{0, 5, 99_999, 1 << 62, 1<<64 - 1} {
			w.refuses(central.ErrNoProposal, func() error { return w.approve(w.officer.ID, number) })
			if _, err := w.sys.Proposal(w.ctx(), number); !errors.Is(err, central.ErrNoProposal) {
				t.Errorf("proposal %d: %v", number, err)
			}
		}
	})
}

func TestChangeAct(t *testing.T) {
	t.Parallel()
	for _, act := range []central.ChangeAct{central.ActPostpone, central.ActClose, central.ActCancelDraw, central.ActExtendClaims, central.ActPayTicket, central.ActLiftStop, central.ActClosePool} {
		if got, err := central.ParseChangeAct(act.String()); err != nil || got != act {
			t.Errorf("%s reads as %s, %v", act, got, err)
		}
	}
	for _, name := range []string{"", "ChangeAct(0)", "open"} {
		if _, err := central.ParseChangeAct(name); !errors.Is(err, central.ErrChange) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if got := central.ChangeAct(99).String(); got != "ChangeAct(99)" {
		t.Errorf("99 is %q", got)
	}
}

// A proposal is decided against what holds when it is approved: all of its draws are changed, or none.
func TestApproveAllOrNone(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		other, draws := w.second().ID, w.draws(97, 96, 95)
		var open []uint64
		for _, c := range []central.Change{
			{Act: central.ActPostpone, Draws: draws, Shift: time.Minute},
			{Act: central.ActClose, Draws: draws},
		} {
			open = append(open, w.proposed(c).ID)
		}
		cancel := w.proposed(central.Change{Act: central.ActCancelDraw, Draws: draws}).ID
		// Sales of draw 95 are over, whether or not the scheduler has come round.
		w.clock.set(mondayDraw(95).Add(-20 * time.Second))
		for _, scheduled := range []bool{false, true} {
			for _, id := range open {
				w.refuses(draw.ErrClosed, func() error { return w.approve(other, id) })
			}
			if scheduled {
				break
			}
			w.tick()
		}
		w.at(mondayDraw(95))
		w.refuses(draw.ErrTransition, func() error { return w.approve(other, cancel) })
		for number, state := range map[int]draw.State{95: draw.Certified, 96: draw.Selling, 97: draw.Selling} {
			if v := w.view(number); v.State != state || !v.DrawsAt.Equal(mondayDraw(number)) {
				t.Errorf("draw %d is %s, draws at %s", number, v.State, v.DrawsAt)
			}
		}
		// They stay open, for the officer who made them to withdraw.
		list, err := w.sys.Proposals(w.ctx())
		w.check(err)
		if got := proposalIDs(list); !slices.Equal(got, append(open, cancel)) {
			t.Errorf("proposals %v, want %v", got, append(open, cancel))
		}
		w.check(w.reject(w.officer.ID, cancel))
		w.check(w.reject(other, open[0]))
		w.refuses(central.ErrDecided, func() error { return w.approve(other, cancel) })
		w.restart()
		list, err = w.sys.Proposals(w.ctx())
		w.check(err)
		if got, want := proposalIDs(list), []uint64{open[1], cancel, open[0]}; !slices.Equal(got, want) {
			t.Errorf("proposals %v, want the open one, then those decided, newest first: %v", got, want)
		}
		if p := list[1]; p.Approved || p.DecidedBy != w.officer.ID || p.DecidedAt.IsZero() {
			t.Errorf("withdrawn: %+v", p)
		}
	})
}

func proposalIDs(list []central.Proposal) []uint64 {
	ids := make([]uint64, len(list))
	for i, p := range list {
		ids[i] = p.ID
	}
	return ids
}

// Of officers who decide at once, on several nodes, one is heard.
func TestApproveParallel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.Postgres(t), islet(t))
	nodes := []*central.System{w.sys, w.secondNode()}
	other := w.second().ID
	p := w.proposed(central.Change{Act: central.ActPostpone, Draws: w.draws(96, 97), Shift: time.Hour})
	errs := make([]error, 20)
	var deciding sync.WaitGroup
	for n := range errs {
		deciding.Go(func() {
			decide := central.Decide{Key: w.key(), Officer: other, Proposal: p.ID}
			if n%3 == 0 {
				_, errs[n] = nodes[n%2].Reject(w.ctx(), decide)
			} else {
				_, errs[n] = nodes[n%2].Approve(w.ctx(), decide)
			}
		})
	}
	deciding.Wait()
	heard := 0
	for _, err := range errs {
		if err == nil {
			heard++
		} else if !errors.Is(err, central.ErrDecided) {
			t.Error(err)
		}
	}
	if heard != 1 {
		t.Errorf("%d decisions", heard)
	}
}
