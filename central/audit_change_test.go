package central_test

import (
	"encoding/hex"
	"testing"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/ledger"
)

// The books ask of each draw that was moved or cancelled, of each claim that was
// extended or ended, who decided it, and what follows from that: a journal with
// more, less or something else is found, though all its tables agree with it.
func TestF18_CheckBooksAsksWhoDecided(t *testing.T) {
	t.Parallel()
	base := newWorld(t, dbtest.SQLite(t), fewDraws(t))
	party := func(id string) (p journal.Party) {
		_, err := hex.Decode(p[:], []byte(id))
		base.check(err)
		return p
	}
	one, two := party(base.officer.ID), party(base.second().ID)
	base.sellAll(2, 1)
	base.sellAll(2, 4)
	base.at(mondayDraw(95))
	draws := base.draws(96, 97, 98)
	first, second := uint64(draws[0]), uint64(draws[1])
	cancelled := base.draws(98)[0]
	base.change(central.Change{Act: central.ActCancelDraw, Draws: draws[2:]}) // not refunded yet
	p := base.proposed(central.Change{Act: central.ActCancelDraw, Draws: draws[:2]}).ID
	v := base.view(96)
	closesAt, drawsAt := v.ClosesAt.UnixMicro(), v.DrawsAt.UnixMicro()
	approve := &journal.Decision{Command: journal.Command{1}, By: two, Proposal: p, Approved: true}
	next := base.sys.Size()
	last := int64(base.view(95).ID)
	left := base.account(ledger.Prize(last))
	base.finds(t, []forged{
		{"approved, but by no command", "Commands", []journal.Body{approve, &journal.CancelDraw{Draw: first, Decision: next}, &journal.CancelDraw{Draw: second, Decision: next}}},
		{"by the one who proposed", "may not decide", []journal.Body{
			&journal.Decision{Command: journal.Command{1}, By: one, Proposal: p, Approved: true},
			&journal.CancelDraw{Draw: first, Decision: next}, &journal.CancelDraw{Draw: second, Decision: next},
		}},
		{"by nobody known", "may not decide", []journal.Body{&journal.Decision{Command: journal.Command{1}, By: journal.Party{9}, Proposal: p}}},
		{"half done", "is not done", []journal.Body{approve, &journal.CancelDraw{Draw: first, Decision: next}}},
		{"another draw", "follows", []journal.Body{approve, &journal.CancelDraw{Draw: second, Decision: next}, &journal.CancelDraw{Draw: first, Decision: next}}},
		{"another act", "follows", []journal.Body{approve, &journal.Move{Draw: first, Decision: next, ClosesAt: closesAt + 1, DrawsAt: drawsAt + 1}}},
		{"a move that nobody approved", "nobody approved", []journal.Body{&journal.Move{Draw: first, Decision: next, ClosesAt: closesAt + 1, DrawsAt: drawsAt + 1}}},
		{"a rejected act", "nobody approved", []journal.Body{
			&journal.Decision{Command: journal.Command{1}, By: two, Proposal: p}, &journal.CancelDraw{Draw: first, Decision: next},
		}},
		{"an extension that nobody approved", "nobody approved", []journal.Body{&journal.Extension{Decision: next, Game: "islet", From: 21000, To: 21000, Until: 21001}}},
		{"a refund less", "follows", []journal.Body{&journal.Refund{Draw: uint64(cancelled)}}},
		{"claims that have not ended", "before their time", []journal.Body{&journal.Expiry{LastDraw: uint64(last), Prizes: left}}},
	})
}
