package store_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tirage/internal/dbtest"
	"tirage/money"
	"tirage/store"
)

// every has a row and more of each type. The records are the journal's first ten.
var every = store.Rows{
	Tiles:    []store.Tile{{Level: 0, N: 0, Hashes: bytes.Repeat([]byte{1}, 8192)}, {Level: 1, N: 1 << 40, Hashes: bytes.Repeat([]byte{2}, 8192)}},
	Commands: []store.Command{{Key: []byte{0, 255}, Scope: "terminal/a", Content: hash(1), Record: 0}, {Key: []byte{0, 255}, Scope: "officer/b", Content: hash(2), Record: 9}},
	Rules:    []store.Rules{{Hash: hash(10), Game: "ile-au-tresor", Version: "2017", FirstDay: 17_000, Record: 0, Book: []byte("game: île")}},
	Outlets: []store.Outlet{
		{Record: 1, ID: "b", Number: 7, Territory: "FR", Zone: "Europe/Paris", CreditLimit: 100_000},
		{Record: 2, ID: "a", Number: 8, Territory: "RE", Zone: "", CreditLimit: 0, Blocked: true, Centre: true},
		{Record: 3, ID: "b", Number: 7, Territory: "FR", Zone: "Europe/Paris", CreditLimit: 5, Blocked: true, Cause: "unpaid", At: 7},
	},
	Terminals: []store.Terminal{{Record: 1, ID: "t2", Outlet: "b"}, {Record: 2, ID: "t1", Outlet: "a"}, {Record: 4, ID: "t2", Outlet: "a", Renewed: 3, Withdrawn: true}},
	Officers:  []store.Officer{{Record: 0, ID: "o1", Roles: "draws finance"}, {Record: 5, ID: "o1", Roles: ""}},
	Draws: []store.Draw{
		{ID: 1, Game: "ile-au-tresor", Rules: hash(10), Day: 20_000, Number: 1, Session: 1, OpensAt: 1, ClosesAt: 2, DrawsAt: 2, Record: 3},
		{ID: 2, Game: "ile-au-tresor", Rules: hash(10), Day: 20_000, Number: 2, Session: 1, OpensAt: -5, ClosesAt: 3, DrawsAt: 4, Record: 3},
		{ID: 3, Game: "ile-au-tresor", Rules: hash(10), Day: 20_001, Number: 1, Session: 1, OpensAt: 1, ClosesAt: 20, DrawsAt: 30, Record: 3},
		{ID: 4, Game: "other", Rules: hash(10), Day: 20_001, Number: 1, Session: 1, OpensAt: 1, ClosesAt: 20, DrawsAt: 30, Record: 3},
	},
	Steps: []store.Step{
		{Draw: 1, State: "planned", At: 1, Record: 3},
		{Draw: 1, State: "certified", At: 9, Record: 8},
		{Draw: 2, State: "drawn", At: 9, Record: 8},
		{Draw: 3, State: "selling", At: 2, Record: 4},
		{Draw: 4, State: "cancelled", At: 2, Record: 4},
	},
	Closes:  []store.Close{{Draw: 1, Wagers: 1, Parts: 2, Stakes: 400, Cancelled: 3, Root: hash(11)}},
	Results: []store.Result{{Draw: 1, Elements: "3,17,9/2", Times: 1}, {Draw: 2, Elements: "1", Times: 10}},
	Shares: []store.Share{
		{Draw: 1, Table: 0, Tier: 1, Winners: 1, Units: 2, UnitValue: 2_000_000, Total: 4_000_000},
		{Draw: 1, Table: 0, Tier: 2, Winners: 0, Units: 0, UnitValue: 0, Total: 0},
	},
	Moves: []store.Move{
		{Draw: 3, Record: 5, ClosesAt: 40, DrawsAt: 50},
		{Draw: 3, Record: 6, ClosesAt: 35, DrawsAt: 50, Early: true},
		{Draw: 1, Record: 7, ClosesAt: 100, DrawsAt: 110},
	},
	Jackpots: []store.JackpotMove{
		{
			Draw: 1, Game: "other", Record: 7, Before: 30_000_000, TopUp: 1, Contribution: 99, CarriedNum: 3, CarriedDen: 1 << 62,
			End: "rolled-down", Extra: "ceiling", Tier: 2, Paid: 29_999_900, Rest: 200,
		},
		{Draw: 2, Game: "ile-au-tresor", Record: 8, CarriedDen: 1, End: "won"},
		{Draw: 3, Game: "other", Record: 9, TopUp: 25_000_000, CarriedDen: 4, End: "carried", Extra: "kept", After: 25_000_000},
	},
	Refunds:    []store.Refund{{Draw: 4, Record: 7}},
	Expiries:   []store.Expiry{{LastDraw: 2, Record: 8, Prizes: 500, Back: 200}, {LastDraw: 1, Record: 9}},
	Extensions: []store.Extension{{Record: 6, Game: "other", From: -1, To: 3, Until: 9}, {Record: 7, Game: "ile-au-tresor", From: 4, To: 4, Until: 4}},
	Proposals:  []store.Proposal{{Record: 2}, {Record: 4}, {Record: 6}, {Record: 8}},
	Decisions:  []store.Decision{{Proposal: 4, Record: 5, Approved: true}, {Proposal: 2, Record: 7}},
	Tickets: []store.Ticket{
		{Number: 5, Outlet: "b", LastDraw: 2, Price: 800},
		{Number: 6, Outlet: "b", LastDraw: 1, Price: 200},
	},
	Parts: []store.Part{
		{Draw: 1, Ticket: 5, N: 0, Combination: 348_839, Units: 2, Table: 0, LastDraw: 2},
		{Draw: 1, Ticket: 5, N: 1, Combination: 0, Units: 1, Table: 1, LastDraw: 2},
		{Draw: 2, Ticket: 5, N: 0, Combination: 1, Units: 1, Table: 0, LastDraw: 2},
		{Draw: 1, Ticket: 6, N: 0, Combination: 2, Units: 1, Table: 0, LastDraw: 1},
	},
	Cancellations: []store.Cancellation{{Ticket: 6, At: 8, Record: 7}},
	Payments:      []store.Payment{{Ticket: 5, Draw: 1, At: 9, Outlet: "a", Amount: 4_000_000, Record: 9}},
	Stops:         []store.Stop{{Ticket: 5, Record: 7, At: 8}, {Ticket: 6, Record: 8, At: 9}, {Ticket: 5, Record: 9, At: 9, Lifted: true}},
	Reprints:      []store.Reprint{{Ticket: 6, Record: 6, At: 8}, {Ticket: 6, Record: 8, At: 9}},
	Postings: []store.Posting{
		{Entry: 5, Account: "outlet/b", Amount: 800},
		{Entry: 5, N: 1, Account: "stake/1", Amount: -600},
		{Entry: 5, N: 2, Account: "stake/2", Amount: -200},
		{Entry: 6, Account: "outlet/b", Amount: 200},
		{Entry: 6, N: 1, Account: "stake/1", Amount: -200},
	},
	Books: []store.Book{
		{Record: 1, Hash: hash(20), Sort: "instant", Code: "ile-au-tresor-instant", Version: "2017", FirstDay: 17_000, Book: []byte("kind: instant")},
		{Record: 2, Hash: hash(21), Sort: "accounts", Code: "accounts", Version: "1", FirstDay: -1, Book: []byte("kind: accounts")},
	},
	PoolSecrets: []store.PoolSecret{
		{Hash: hash(30), Game: "g", Price: 200, Number: 2, Officer: "o1", Record: 1},
		{Hash: hash(32), Game: "g", Price: 500, Number: 1, Officer: "o1", Record: 2},
		{Hash: hash(31), Game: "g", Price: 200, Number: 1, Officer: "o1", Record: 3},
		{Hash: hash(33), Game: "g", Price: 200, Number: 1, Officer: "o2", Record: 4},
	},
	Pools: []store.Pool{{ID: 1, Game: "g", Price: 200, Number: 1, Record: 3}, {ID: 2, Game: "g", Price: 200, Number: 2, Record: 4}},
	PoolSteps: []store.PoolStep{
		{Pool: 1, State: "committed", At: 1, Record: 3},
		{Pool: 2, State: "committed", At: 1, Record: 4},
		{Pool: 1, State: "open", At: 1, Record: 5},
		{Pool: 1, State: "closed", At: 1, Record: 9},
	},
	Units: []store.Unit{
		{Record: 5, Player: "p2", Pool: 1, N: 0, Price: 200, Prize: 0, At: 1},
		{Record: 6, Player: "p1", Pool: 1, N: 1, Price: 200, Prize: 500, At: 1},
		{Record: 7, Player: "p2", Pool: 1, N: 2, Price: 200, Prize: 0, At: 1},
		{Record: 8, Player: "p2", Pool: 2, N: 0, Price: 200, Prize: 200, At: 1},
	},
	GameSteps: []store.GameStep{
		{Record: 4, Game: "g", State: "launched"},
		{Record: 8, Game: "g", State: "suspended", Cause: "officer", FR: "Panne.", EN: "Fault."},
	},
	Players: []store.Player{{Record: 2, ID: "p2", Terms: "1", At: 1}, {Record: 3, ID: "p1", Terms: "1", At: 1}},
	PlayerChanges: []store.PlayerChange{
		{Record: 3, Player: "p2", What: "deposits", Amount: 10_000, Until: 5, At: 1},
		{Record: 4, Player: "p1", What: "terms", Terms: "2", At: 1},
		{Record: 5, Player: "p2", What: "pause", Until: 1 << 50, At: 1},
	},
	Vouchers: []store.Voucher{{Number: 6, Outlet: "b", Amount: 2000}, {Number: 7, Outlet: "a", Amount: 5000}},
	Deposits: []store.Deposit{
		{Record: 5, Player: "p1", Means: "demo", Reference: hash(40), Amount: 500, At: 1},
		{Record: 6, Player: "p2", Means: "card/test", Reference: hash(40), Amount: 700, At: 1},
		{Record: 8, Player: "p1", Means: "voucher", Reference: hash(41), Amount: 2000, At: 1},
	},
	Withdrawals: []store.Withdrawal{
		{Record: 6, Player: "p1", Amount: 100, At: 1},
		{Record: 7, Player: "p2", Amount: 200, At: 1},
		{Record: 8, Player: "p1", Amount: 300, At: 1},
		{Record: 9, Player: "p1", Amount: 400, At: 1},
	},
	WithdrawalSteps: []store.WithdrawalStep{
		{Withdrawal: 6, State: "sent", At: 1, Record: 8},
		{Withdrawal: 7, State: "sent", At: 1, Record: 8},
		{Withdrawal: 8, State: "sent", At: 1, Record: 8},
		{Withdrawal: 6, State: "paid", At: 1, Record: 9},
		{Withdrawal: 7, State: "returned", At: 1, Record: 9},
	},
	OpenWithdrawals: []store.OpenWithdrawal{{State: "asked", Withdrawal: 9}, {State: "sent", Withdrawal: 8}},
	TallyMarks:      []store.TallyMark{{Record: 3}, {Record: 8}},
	Statements: []store.Statement{
		{Record: 4, Outlet: "b", First: 20_000, Last: 20_006, Terms: hash(50), Zone: "Europe/Paris", Closing: 100, At: 1},
		{Record: 5, Outlet: "a", First: 20_007, Last: 20_013, Terms: hash(50), Zone: "Europe/Paris", Opening: -5, Vouchers: 2000, Received: 5, Returned: 15, Closing: 2005, At: 1},
		{Record: 6, Outlet: "b", First: 20_007, Last: 20_013, Terms: hash(50), Zone: "Europe/Paris", Opening: 100, Received: 300, Closing: -200, At: 1},
	},
	StatementLines: []store.StatementLine{
		{Record: 4, Game: "amigo", Sold: 200, Cancelled: 100, Commission: 5, CarriedNum: 1, CarriedDen: 20},
		{Record: 4, Game: "ile-au-tresor", Paid: 3, Back: 2, Commission: -1, CarriedDen: 1},
		{Record: 6, Game: "amigo", CarriedNum: 1, CarriedDen: 20},
	},
	DebitSteps: []store.DebitStep{
		{Statement: 4, State: "sent", Amount: 100, At: 1, Record: 7},
		{Statement: 5, State: "sent", Amount: 2005, At: 1, Record: 7},
		{Statement: 4, State: "paid", Amount: 100, At: 1, Record: 8},
		{Statement: 4, State: "returned", Amount: 100, Undone: true, At: 1, Record: 9},
	},
	Notices: []store.Notice{
		{Record: 4, Outlet: "b", FR: "Fermé.", EN: "Closed.", Until: 50, At: 1},
		{Record: 8, FR: "Panne.", EN: "Fault.", Until: 90, At: 1},
		{Record: 9, FR: "Erreur.", EN: "Mistake.", Until: 90, At: 1},
	},
	Retractions: []store.Retraction{{Record: 9, Notice: 9}},
	Tallies: []store.Tally{
		{Day: 20_000, Outlet: "a", Game: "", Vouchers: 2000, VouchersN: 1, Received: -10, Returned: 4},
		{Day: 20_000, Outlet: "b", Terminal: "t1", Game: "amigo", Sold: 200, SoldN: 2, Cancelled: 100, CancelledN: 1, Paid: 5, PaidN: 1, Back: 6, BackN: 1, Own: 5, OwnN: 1, Pace: 150},
		{Day: 20_000, Outlet: "b", Terminal: "t2", Game: "amigo", Sold: 1, SoldN: 1, Pace: 1},
		{Day: 20_001, Outlet: "b", Terminal: "t2", Game: "amigo", Sold: 1, SoldN: 1, Pace: 1},
	},
	// The numbers of the names are in the order of their first use: p2 is before p1.
	Chain: []store.Link{{Player: "p1", Last: 9}, {Player: "p2", Last: 8}},
}

var everyChange = map[string]money.Amount{"outlet/b": 1000, "stake/1": -800, "stake/2": -200}

func writeAll(db *store.DB) error {
	return write(db, every, everyChange, "r0", "", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9")
}

func headOf(t *testing.T, db *store.DB) store.Head {
	t.Helper()
	var head store.Head
	view(t, db, func(s *store.Snapshot) (err error) {
		head, err = s.Head(t.Context())
		return err
	})
	return head
}

func view(t *testing.T, db *store.DB, fn func(*store.Snapshot) error) {
	t.Helper()
	if err := db.View(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// What a turn writes is read back as it was, by every reader there is.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		if err := writeAll(db); err != nil {
			t.Fatal(err)
		}
		if err := write(db, store.Rows{}, nil, "r10", "r11"); err != nil {
			t.Fatal(err)
		}
		turns := []store.Turn{
			{First: 0, Count: 10, At: 1, Records: bundle("r0", "", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9")},
			{First: 10, Count: 2, At: 2, Records: bundle("r10", "r11")},
		}
		view(t, db, func(s *store.Snapshot) error {
			check := func(name string, want any) func(got any, err error) {
				return func(got any, err error) {
					t.Helper()
					if err != nil {
						t.Errorf("%s: %v", name, err)
					} else if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s (-want +got):\n%s", name, diff)
					}
				}
			}
			ctx := t.Context()
			all := []int64{4, 3, 2, 1, 99}
			tickets := []uint64{6, 5, 99}
			check("head", store.Head{Size: 12, At: 2, Frontier: hash(10), Root: hash(12)})(any1(s.Head(ctx)))
			check("turns", turns)(any1(s.Turns(ctx, 0, 10)))
			check("first turn", turns[:1])(any1(s.Turns(ctx, 9, 1)))
			check("turns from within", turns)(any1(s.Turns(ctx, 9, 10)))
			check("second turn", turns[1:])(any1(s.Turns(ctx, 11, 10)))
			check("stops", []store.Stop{every.Stops[0], every.Stops[2]})(any1(s.Stops(ctx, []uint64{5, 99})))
			check("reprints", every.Reprints)(any1(s.Reprints(ctx, []uint64{6, 5})))
			check("tickets of an outlet", every.Tickets[1:])(any1(s.TicketsOf(ctx, "b", 6, 7, 9)))
			check("the newest ticket", every.Tickets[1:])(any1(s.TicketsOf(ctx, "b", 0, 99, 1)))
			check("tickets of nobody", 0)(length(s.TicketsOf(ctx, "nobody", 0, 99, 9)))
			check("no turn", 0)(length(s.Turns(ctx, 12, 10)))
			check("tile", every.Tiles[1].Hashes)(any1(s.Tile(ctx, 1, 1<<40)))
			check("commands", map[store.CommandKey]store.Command{
				{Key: "\x00\xff", Scope: "terminal/a"}: every.Commands[0], {Key: "\x00\xff", Scope: "officer/b"}: every.Commands[1],
			})(any1(s.Commands(ctx, []store.CommandKey{
				{Key: "\x00\xff", Scope: "terminal/a"}, {Key: "\x00\xff", Scope: "terminal/b"}, {Key: "\x00\xff", Scope: "officer/b"},
			})))
			check("no commands", map[store.CommandKey]store.Command{})(any1(s.Commands(ctx, nil)))
			check("rules", every.Rules)(any1(s.Rules(ctx)))
			check("outlets let sell again", map[string]int64{})(any1(s.OutletsUnblocked(ctx)))
			check("outlets", []store.Outlet{every.Outlets[1], every.Outlets[2]})(any1(s.Outlets(ctx)))
			check("terminals", []store.Terminal{every.Terminals[1], every.Terminals[2]})(any1(s.Terminals(ctx)))
			check("steps of a terminal", []store.Terminal{every.Terminals[2], every.Terminals[0]})(any1(s.TerminalSteps(ctx, "t2")))
			check("officers", every.Officers[1:])(any1(s.Officers(ctx)))
			draws := slices.Clone(every.Draws) // moved
			draws[0].ClosesAt, draws[0].DrawsAt = 100, 110
			draws[2].ClosesAt, draws[2].DrawsAt = 35, 50
			check("draws", draws)(any1(s.Draws(ctx, all)))
			check("draws of a day", draws[:2])(any1(s.DrawsOfDay(ctx, "ile-au-tresor", 20_000)))
			check("draws since all drew", draws[1:3])(any1(s.DrawsSince(ctx, 111)))
			check("draws since the last drew, moved", draws[:3])(any1(s.DrawsSince(ctx, 110)))
			check("draws since one drew, not moved", draws)(any1(s.DrawsSince(ctx, 30)))
			check("moves", []store.Move{every.Moves[2], every.Moves[0], every.Moves[1]})(any1(s.Moves(ctx, all)))
			check("last draw", int64(4))(any1(s.LastDraw(ctx)))
			check("steps", every.Steps)(any1(s.Steps(ctx, all)))
			check("closes", every.Closes)(any1(s.Closes(ctx, all)))
			check("results", every.Results)(any1(s.Results(ctx, all)))
			check("shares", every.Shares)(any1(s.Shares(ctx, all)))
			check("jackpots", every.Jackpots)(any1(s.Jackpots(ctx, all)))
			check("last jackpot", every.Jackpots[2])(any1(s.LastJackpot(ctx, "other")))
			check("refunds", every.Refunds)(any1(s.Refunds(ctx, all)))
			check("expiries", []store.Expiry{every.Expiries[1], every.Expiries[0]})(any1(s.Expiries(ctx, all)))
			check("extensions", every.Extensions)(any1(s.Extensions(ctx)))
			check("open proposals", []uint64{6, 8})(any1(s.OpenProposals(ctx)))
			check("recent proposals", []store.Decided{{Record: 8}, {Record: 6}, {Record: 4, Decision: &every.Decisions[0]}})(any1(s.RecentProposals(ctx, 3)))
			check("decisions", []store.Decision{every.Decisions[1], every.Decisions[0]})(any1(s.Decisions(ctx, []uint64{2, 4, 6, 99})))
			check("ticket", every.Tickets[1])(any1(s.Ticket(ctx, 6)))
			check("tickets", every.Tickets)(any1(s.Tickets(ctx, tickets)))
			check("cancellations", every.Cancellations)(any1(s.Cancellations(ctx, tickets)))
			check("payments", every.Payments)(any1(s.Payments(ctx, tickets)))
			check("parts, without those cancelled", every.Parts[:2])(any1(s.Parts(ctx, 1, 0, -1, 10)))
			check("first part", every.Parts[:1])(any1(s.Parts(ctx, 1, 0, -1, 1)))
			check("parts after one", every.Parts[1:2])(any1(s.Parts(ctx, 1, 5, 0, 10)))
			check("parts of another draw", every.Parts[2:3])(any1(s.Parts(ctx, 2, 0, -1, 10)))
			check("postings", every.Postings[:3])(any1(s.Postings(ctx, 5)))
			checkInstant(ctx, s, check)
			checkPlayers(ctx, s, check)
			checkAccounts(ctx, s, check)
			dump, err := s.Dump(ctx) // which has a draw as it was planned
			if diff := cmp.Diff(every, dump, cmpopts.SortSlices(partBefore), cmpopts.SortSlices(stepBefore)); err != nil || diff != "" {
				t.Errorf("dump: %v\n%s", err, diff)
			}
			check("balances", everyChange)(any1(s.Balances(ctx)))
			check("trial balance", everyChange)(any1(s.TrialBalance(ctx)))
			for i, want := range []string{"r0", "", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11"} {
				record, at, err := s.Record(ctx, uint64(i))
				if err != nil || string(record) != want || at != 1+int64(i/10) {
					t.Errorf("record %d: got %q at %d, %v, want %q", i, record, at, err, want)
				}
			}
			return nil
		})
		var parts []store.Part
		err := db.EachPart(t.Context(), 1, func(slice []store.Part) error {
			parts = append(parts, slice...)
			return nil
		})
		if diff := cmp.Diff(every.Parts[:2], parts); err != nil || diff != "" {
			t.Errorf("each part: %v\n%s", err, diff)
		}
	})
}

// any1 lets a reader's answer go where its type is not known.
func any1[T any](value T, err error) (any, error) { return value, err }

func length[T any](values []T, err error) (any, error) { return len(values), err }

// A row that does not exist is an error of its own, never an empty answer.
func TestNotFound(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		view(t, db, func(s *store.Snapshot) error {
			ctx := t.Context()
			for name, read := range map[string]func() (any, error){
				"record":   func() (any, error) { _, _, err := s.Record(ctx, 0); return nil, err },
				"tile":     func() (any, error) { return any1(s.Tile(ctx, 0, 0)) },
				"jackpot":  func() (any, error) { return any1(s.LastJackpot(ctx, "other")) },
				"ticket":   func() (any, error) { return any1(s.Ticket(ctx, 0)) },
				"unit":     func() (any, error) { return any1(s.Unit(ctx, 0)) },
				"player":   func() (any, error) { return any1(s.Player(ctx, "p1")) },
				"link":     func() (any, error) { return any1(s.Link(ctx, "p1")) },
				"voucher":  func() (any, error) { return any1(s.Voucher(ctx, 0)) },
				"deposit":  func() (any, error) { return any1(s.Deposit(ctx, "demo", hash(1))) },
				"person":   func() (any, error) { return any1(s.Person(ctx, "p1")) },
				"address":  func() (any, error) { return any1(s.PersonByEmail(ctx, "a@b")) },
				"identity": func() (any, error) { return any1(s.PersonByIdentity(ctx, hash(1))) },
				"passkey":  func() (any, error) { return any1(s.Passkey(ctx, hash(1))) },
				"token":    func() (any, error) { return any1(s.Token(ctx, "e-mail", hash(1))) },
				"message":  func() (any, error) { return any1(s.Mail(ctx, 1)) },
				"card":     func() (any, error) { return any1(s.CardPayment(ctx, "x")) },
				"password": func() (any, error) { return any1(s.Password(ctx, "x")) },
				"device":   func() (any, error) { return any1(s.Device(ctx, "x")) },
				"session":  func() (any, error) { return any1(s.Session(ctx, hash(1))) },
			} {
				if _, err := read(); !errors.Is(err, store.ErrNotFound) {
					t.Errorf("%s: got %v, want ErrNotFound", name, err)
				}
			}
			if id, err := s.LastDraw(ctx); id != 0 || err != nil {
				t.Errorf("last draw of none: %d, %v, want 0", id, err)
			}
			return nil
		})
	})
}

// A unique key is refused on both engines, and nothing stays of the turn.
func TestConflict(t *testing.T) {
	t.Parallel()
	refused(t, true, map[string]store.Rows{
		"command":                           {Commands: every.Commands[:1]},
		"rules":                             {Rules: []store.Rules{{Hash: hash(10), Game: "g", Record: 77}}},
		"draw number":                       {Draws: []store.Draw{{ID: 9, Game: "other", Rules: hash(10), Day: 20_001, Number: 1, Session: 1, ClosesAt: 1, DrawsAt: 1}}},
		"step":                              {Steps: every.Steps[:1]},
		"step again":                        {Steps: []store.Step{{Draw: 2, State: "drawn", At: 10, Record: 10}}},
		"close":                             {Closes: every.Closes},
		"result":                            {Results: every.Results[:1]},
		"move":                              {Moves: every.Moves[:1]},
		"jackpot":                           {Jackpots: []store.JackpotMove{{Draw: 3, Game: "other", Record: 10, CarriedDen: 1, End: "won"}}},
		"jackpot twice in a record":         {Jackpots: []store.JackpotMove{{Draw: 4, Game: "other", Record: 9, CarriedDen: 1, End: "won"}}},
		"tally record":                      {TallyMarks: every.TallyMarks[:1]},
		"statement":                         {Statements: every.Statements[:1]},
		"statement of a week that has one":  {Statements: []store.Statement{{Record: 10, Outlet: "b", First: 20_000, Last: 20_006, Terms: hash(50), Zone: "Europe/Paris"}}},
		"statement line":                    {StatementLines: every.StatementLines[:1]},
		"debit paid twice":                  {DebitSteps: []store.DebitStep{{Statement: 4, State: "paid", Amount: 1, Record: 10}}},
		"notice":                            {Notices: every.Notices[:1]},
		"notice taken back twice":           {Retractions: []store.Retraction{{Record: 10, Notice: 9}}},
		"two notices by a retraction":       {Retractions: []store.Retraction{{Record: 9, Notice: 8}}},
		"refund":                            {Refunds: []store.Refund{{Draw: 4, Record: 10}}},
		"expiry":                            {Expiries: []store.Expiry{{LastDraw: 1, Record: 10}}},
		"extension":                         {Extensions: every.Extensions[:1]},
		"proposal":                          {Proposals: every.Proposals[:1]},
		"decided again":                     {Decisions: []store.Decision{{Proposal: 4, Record: 10}}},
		"two proposals decided by a record": {Decisions: []store.Decision{{Proposal: 6, Record: 7}}},
		"share":                             {Shares: every.Shares[:1]},
		"ticket":                            {Tickets: every.Tickets[:1]},
		"part":                              {Parts: every.Parts[:1]},
		"cancellation":                      {Cancellations: every.Cancellations},
		"payment":                           {Payments: every.Payments},
		"stop":                              {Stops: every.Stops[:1]},
		"reprint":                           {Reprints: every.Reprints[:1]},
		"posting":                           {Postings: every.Postings[:1]},
		"tile":                              {Tiles: every.Tiles[:1]},
		"book":                              {Books: []store.Book{{Record: 10, Hash: hash(20), Sort: "instant", Code: "x", Version: "1"}}},
		"secret of two pools":               {PoolSecrets: []store.PoolSecret{{Hash: hash(30), Game: "g", Price: 200, Number: 9, Officer: "o1", Record: 10}}},
		"two secrets of an officer":         {PoolSecrets: []store.PoolSecret{{Hash: hash(39), Game: "g", Price: 200, Number: 1, Officer: "o2", Record: 10}}},
		"pool number":                       {Pools: []store.Pool{{ID: 3, Game: "g", Price: 200, Number: 2, Record: 10}}},
		"pool opened again":                 {PoolSteps: []store.PoolStep{{Pool: 1, State: "open", At: 2, Record: 10}}},
		"unit played twice (F11)":           {Units: []store.Unit{{Record: 10, Player: "p1", Pool: 1, N: 2, Price: 200, At: 2}}},
		"two units of a record":             {Units: []store.Unit{{Record: 8, Player: "p1", Pool: 2, N: 1, Price: 200, At: 2}}},
		"game step":                         {GameSteps: every.GameSteps[:1]},
		"player":                            {Players: []store.Player{{Record: 10, ID: "p1", Terms: "1", At: 2}}},
		"player change":                     {PlayerChanges: every.PlayerChanges[:1]},
		"voucher":                           {Vouchers: every.Vouchers[:1]},
		"voucher used twice (F11)":          {Deposits: []store.Deposit{{Record: 10, Player: "p2", Means: "voucher", Reference: hash(41), Amount: 2000, At: 2}}},
		"withdrawal":                        {Withdrawals: every.Withdrawals[:1]},
		"withdrawal paid twice":             {WithdrawalSteps: []store.WithdrawalStep{{Withdrawal: 6, State: "paid", At: 2, Record: 10}}},
		"in one turn":                       {Commands: []store.Command{{Key: []byte("k"), Scope: "s", Content: hash(1)}, {Key: []byte("k"), Scope: "s", Content: hash(2)}}},
	})
}

// A draw that sells can be postponed, more than once, and sells again (draw.State.To).
func TestPostponedTwice(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		if err := writeAll(db); err != nil {
			t.Fatal(err)
		}
		want := []store.Step{every.Steps[3]}
		for i, state := range []string{"postponed", "selling", "postponed", "selling", "closed"} {
			step := store.Step{Draw: 3, State: state, At: int64(10 + i), Record: uint64(10 + i)}
			if err := write(db, store.Rows{Steps: []store.Step{step}}, nil, "record"); err != nil {
				t.Fatal(err)
			}
			want = append(want, step)
		}
		view(t, db, func(s *store.Snapshot) error {
			got, err := s.Steps(t.Context(), []int64{3})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			return err
		})
	})
}

// The second line of defence: what the program should never write.
func TestChecks(t *testing.T) {
	t.Parallel()
	refused(t, false, map[string]store.Rows{
		"command key empty":       {Commands: []store.Command{{Scope: "s", Content: hash(1)}}},
		"command key too long":    {Commands: []store.Command{{Key: make([]byte, 65), Scope: "s", Content: hash(1)}}},
		"command content no hash": {Commands: []store.Command{{Key: []byte("k"), Scope: "s", Content: []byte("x")}}},
		"draw without rules":      {Draws: []store.Draw{{ID: 9, Game: "g", Rules: hash(99), Number: 1, Session: 1, ClosesAt: 1, DrawsAt: 1}}},
		"draw before its close":   {Draws: []store.Draw{{ID: 9, Game: "g", Rules: hash(10), Number: 1, Session: 1, ClosesAt: 2, DrawsAt: 1}}},
		"unknown state":           {Steps: []store.Step{{Draw: 1, State: "won"}}},
		"step of no draw":         {Steps: []store.Step{{Draw: 99, State: "closed"}}},
		"negative stakes":         {Closes: []store.Close{{Draw: 2, Stakes: -1, Root: hash(1)}}},
		"negative price":          {Tickets: []store.Ticket{{Number: 20, Outlet: "b", Price: -1}}},
		"no units":                {Parts: []store.Part{{Draw: 1, Ticket: 5, N: 9}}},
		"negative payment":        {Payments: []store.Payment{{Ticket: 6, Draw: 1, Outlet: "b", Amount: -1}}},
		"payment of no ticket":    {Payments: []store.Payment{{Ticket: 99, Draw: 1, Outlet: "b", Amount: 1}}},
		"cancellation of none":    {Cancellations: []store.Cancellation{{Ticket: 99}}},
		"stop of no ticket":       {Stops: []store.Stop{{Ticket: 99, Record: 10}}},
		"reprint of no ticket":    {Reprints: []store.Reprint{{Ticket: 99, Record: 10}}},
		"posting without account": {Postings: []store.Posting{{Entry: 9, Amount: 1}}},
		"posting of nothing":      {Postings: []store.Posting{{Entry: 9, Account: "a"}}},
		"partial tile":            {Tiles: []store.Tile{{Level: 0, N: 5, Hashes: hash(1)}}},
		"negative credit":         {Outlets: []store.Outlet{{Record: 30, ID: "x", CreditLimit: -1}}},
		"result without times":    {Results: []store.Result{{Draw: 3, Elements: "1"}}},
		"move of no draw":         {Moves: []store.Move{{Draw: 99, Record: 10, ClosesAt: 1, DrawsAt: 1}}},
		"moved before its close":  {Moves: []store.Move{{Draw: 1, Record: 10, ClosesAt: 2, DrawsAt: 1}}},
		"jackpot loses a cent":    jackpot(func(j *store.JackpotMove) { j.After-- }),
		"jackpot makes a cent":    jackpot(func(j *store.JackpotMove) { j.Paid++ }),
		"negative jackpot":        jackpot(func(j *store.JackpotMove) { j.Before--; j.After-- }),
		"negative top-up":         jackpot(func(j *store.JackpotMove) { j.TopUp, j.Before = -1, 25_000_001 }),
		"negative contribution":   jackpot(func(j *store.JackpotMove) { j.Contribution--; j.After-- }),
		"negative jackpot paid":   jackpot(func(j *store.JackpotMove) { j.Paid--; j.After++ }),
		"negative rest":           jackpot(func(j *store.JackpotMove) { j.Rest--; j.After++ }),
		"negative jackpot after":  jackpot(func(j *store.JackpotMove) { j.Rest, j.After = 25_000_001, -1 }),
		"a cent carried":          jackpot(func(j *store.JackpotMove) { j.CarriedNum = j.CarriedDen }),
		"carried by zero":         jackpot(func(j *store.JackpotMove) { j.CarriedDen = 0 }),
		"denominator too large":   jackpot(func(j *store.JackpotMove) { j.CarriedDen = 1 << 63 }),
		"fraction too large":      jackpot(func(j *store.JackpotMove) { j.CarriedNum, j.CarriedDen = 1<<63, 1<<63+1 }),
		"unknown end":             jackpot(func(j *store.JackpotMove) { j.End = "lost" }),
		"unknown extra draw":      jackpot(func(j *store.JackpotMove) { j.Extra = "again" }),
		"jackpot of no game":      jackpot(func(j *store.JackpotMove) { j.Game = "" }),
		"jackpot of no draw":      jackpot(func(j *store.JackpotMove) { j.Draw = 99 }),
		"jackpot to no tier":      jackpot(func(j *store.JackpotMove) { j.Tier = -1 }),
		"refund of no draw":       {Refunds: []store.Refund{{Draw: 99, Record: 10}}},
		"expiry of no draw":       {Expiries: []store.Expiry{{LastDraw: 99, Record: 10}}},
		"negative expiry":         {Expiries: []store.Expiry{{LastDraw: 3, Record: 10, Back: -1}}},
		"extension of no days":    {Extensions: []store.Extension{{Record: 10, Game: "other", From: 2, To: 1, Until: 3}}},
		"extension that shortens": {Extensions: []store.Extension{{Record: 10, Game: "other", From: 1, To: 3, Until: 2}}},
		"decision of no proposal": {Decisions: []store.Decision{{Proposal: 5, Record: 10}}},
		"decided before proposed": {Decisions: []store.Decision{{Proposal: 8, Record: 4}}},
		"book of no hash":         {Books: []store.Book{{Record: 10, Hash: []byte("x"), Sort: "instant", Code: "x", Version: "1"}}},
		"book of no sort":         {Books: []store.Book{{Record: 10, Hash: hash(29), Code: "x", Version: "1"}}},
		"secret of no hash":       {PoolSecrets: []store.PoolSecret{{Hash: []byte("x"), Game: "g", Price: 200, Number: 9, Officer: "o1"}}},
		"secret of nobody":        {PoolSecrets: []store.PoolSecret{{Hash: hash(39), Game: "g", Price: 200, Number: 9}}},
		"secret of pool 0":        {PoolSecrets: []store.PoolSecret{{Hash: hash(39), Game: "g", Price: 200, Officer: "o1"}}},
		"pool without price":      {Pools: []store.Pool{{ID: 3, Game: "g", Number: 3, Record: 10}}},
		"pool 0":                  {Pools: []store.Pool{{Game: "g", Price: 200, Number: 3, Record: 10}}},
		"step of no pool":         {PoolSteps: []store.PoolStep{{Pool: 99, State: "open", Record: 10}}},
		"unknown state of a pool": {PoolSteps: []store.PoolStep{{Pool: 2, State: "sold", Record: 10}}},
		"unit before the first":   {Units: []store.Unit{{Record: 10, Player: "p1", Pool: 2, N: -1, Price: 200}}},
		"unit for nothing":        {Units: []store.Unit{{Record: 10, Player: "p1", Pool: 2, N: 1}}},
		"negative prize":          {Units: []store.Unit{{Record: 10, Player: "p1", Pool: 2, N: 1, Price: 200, Prize: -1}}},
		"unknown state of a game": {GameSteps: []store.GameStep{{Record: 10, Game: "g", State: "sold"}}},
		"unknown cause":           {GameSteps: []store.GameStep{{Record: 10, Game: "g", State: "suspended", Cause: "weather"}}},
		"player without terms":    {Players: []store.Player{{Record: 10, ID: "p9"}}},
		"player without id":       {Players: []store.Player{{Record: 10, Terms: "1"}}},
		"change of nobody":        {PlayerChanges: []store.PlayerChange{{Record: 10, What: "pause"}}},
		"change of nothing":       {PlayerChanges: []store.PlayerChange{{Record: 10, Player: "p1"}}},
		"negative limit":          {PlayerChanges: []store.PlayerChange{{Record: 10, Player: "p1", What: "deposits", Amount: -1}}},
		"voucher for nothing":     {Vouchers: []store.Voucher{{Number: 10, Outlet: "b"}}},
		"voucher of no outlet":    {Vouchers: []store.Voucher{{Number: 10, Amount: 1}}},
		"deposit of nothing":      {Deposits: []store.Deposit{{Record: 10, Player: "p1", Means: "demo", Reference: hash(49)}}},
		"deposit by nothing":      {Deposits: []store.Deposit{{Record: 10, Player: "p1", Reference: hash(49), Amount: 1}}},
		"deposit of no reference": {Deposits: []store.Deposit{{Record: 10, Player: "p1", Means: "demo", Amount: 1}}},
		"withdrawal of nothing":   {Withdrawals: []store.Withdrawal{{Record: 10, Player: "p1"}}},
		"step of no withdrawal":   {WithdrawalSteps: []store.WithdrawalStep{{Withdrawal: 99, State: "sent", Record: 10}}},
		"withdrawal is lost":      {WithdrawalSteps: []store.WithdrawalStep{{Withdrawal: 8, State: "lost", Record: 10}}},
		"tally of nobody":         {Tallies: []store.Tally{{Day: 1, Sold: 1}}},
		"tally below nothing":     {Tallies: []store.Tally{{Day: 1, Outlet: "b", Sold: -1}}},
		"statement of nobody":     {Statements: []store.Statement{{Record: 10, Terms: hash(1), Zone: "Europe/Paris"}}},
		"statement in no zone":    {Statements: []store.Statement{{Record: 10, Outlet: "b", First: 20_100, Last: 20_106, Terms: hash(1)}}},
		"statement of no week":    {Statements: []store.Statement{{Record: 10, Outlet: "b", First: 2, Last: 1, Terms: hash(1), Zone: "Europe/Paris"}}},
		"line of no statement":    {StatementLines: []store.StatementLine{{Record: 99, Game: "g", CarriedDen: 1}}},
		"line carries a cent":     {StatementLines: []store.StatementLine{{Record: 4, Game: "g", CarriedNum: 1, CarriedDen: 1}}},
		"debit of no statement":   {DebitSteps: []store.DebitStep{{Statement: 99, State: "sent", Amount: 1, Record: 10}}},
		"debit of nothing":        {DebitSteps: []store.DebitStep{{Statement: 6, State: "sent", Record: 10}}},
		"debit that is lost":      {DebitSteps: []store.DebitStep{{Statement: 6, State: "lost", Amount: 1, Record: 10}}},
		"outlet for the weather":  {Outlets: []store.Outlet{{Record: 10, ID: "b", Cause: "weather"}}},
		"chain of nobody":         {Chain: []store.Link{{Last: 10}}},
	})
}

// jackpot is a movement as good as one that writeAll writes, changed.
func jackpot(change func(*store.JackpotMove)) store.Rows {
	j := every.Jackpots[2]
	j.Draw, j.Record = 4, 10
	change(&j)
	return store.Rows{Jackpots: []store.JackpotMove{j}}
}

// Who starts anew finds the draws that are not over, however long ago they
// drew: a cancelled one until its stakes are booked to give back.
func TestDrawsNotOver(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		if err := writeAll(db); err != nil {
			t.Fatal(err)
		}
		check := func(want ...int64) {
			t.Helper()
			var got []int64
			view(t, db, func(s *store.Snapshot) error {
				draws, err := s.DrawsSince(t.Context(), 1000)
				for _, d := range draws {
					got = append(got, d.ID)
				}
				return err
			})
			if !slices.Equal(got, want) {
				t.Errorf("draws %v are not over, want %v", got, want)
			}
		}
		check(2, 3)
		for _, step := range []struct {
			rows store.Rows
			want []int64
		}{
			{store.Rows{Steps: []store.Step{{Draw: 2, State: "cancelled", At: 11, Record: 10}}}, []int64{2, 3}},
			{store.Rows{Steps: []store.Step{{Draw: 3, State: "certified", At: 12, Record: 11}}}, []int64{2}},
			{store.Rows{Refunds: []store.Refund{{Draw: 2, Record: 12}}}, nil},
		} {
			if err := write(db, step.rows, nil, "record"); err != nil {
				t.Fatal(err)
			}
			check(step.want...)
		}
	})
}

func partBefore(a, b store.Part) bool {
	return slices.Compare([]int64{a.Draw, int64(a.Ticket), int64(a.N)}, []int64{b.Draw, int64(b.Ticket), int64(b.N)}) < 0
}

func stepBefore(a, b store.Step) bool {
	return slices.Compare([]int64{int64(a.Record), a.Draw}, []int64{int64(b.Record), b.Draw}) < 0
}

// refused writes each of the rows in a turn, after all that writeAll writes:
// none is taken, and nothing stays of its turn.
func refused(t *testing.T, conflict bool, cases map[string]store.Rows) {
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		if err := writeAll(db); err != nil {
			t.Fatal(err)
		}
		for name, rows := range cases {
			t.Run(name, func(t *testing.T) {
				rows.Terminals = []store.Terminal{{Record: 20, ID: "new", Outlet: "a"}}
				err := write(db, rows, map[string]money.Amount{"cash": 1}, "record")
				if err == nil || errors.Is(err, store.ErrConflict) != conflict {
					t.Errorf("got %v, want a refusal (ErrConflict: %t)", err, conflict)
				}
				checkUntouched(t, db)
			})
		}
		if err := write(db, store.Rows{}, nil, "the next turn goes on"); err != nil {
			t.Error(err)
		}
	})
}

// checkUntouched checks that the database has what writeAll wrote and no more.
func checkUntouched(t *testing.T, db *store.DB) {
	t.Helper()
	view(t, db, func(s *store.Snapshot) error {
		ctx := t.Context()
		head, err := s.Head(ctx)
		if err != nil || head.Size != 10 {
			t.Errorf("head is at %d (%v), want 10", head.Size, err)
		}
		if turns, err := s.Turns(ctx, 0, 10); err != nil || len(turns) != 1 {
			t.Errorf("%d turns (%v), want 1", len(turns), err)
		}
		if terminals, err := s.Terminals(ctx); err != nil || len(terminals) != 2 {
			t.Errorf("%d terminals (%v), want 2", len(terminals), err)
		}
		if balances, err := s.Balances(ctx); err != nil || !maps.Equal(balances, everyChange) {
			t.Errorf("balances %v (%v), want %v", balances, err, everyChange)
		}
		return nil
	})
}

func TestPrivate(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		update := func(fn func(ctx context.Context, tx *store.Tx) error) error {
			return db.Update(t.Context(), func(tx *store.Tx) error { return fn(t.Context(), tx) })
		}
		err := update(func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(
				tx.SetPassword(ctx, store.Password{Login: "anne", Officer: "o1", Hash: "old", Issued: true}),
				tx.SetPassword(ctx, store.Password{Login: "anne", Officer: "o1", Hash: "new"}),
				tx.SetPassword(ctx, store.Password{Login: "jean", Officer: "o2", Hash: "first", Issued: true}),
				tx.SetDevice(ctx, store.Device{Terminal: "t1", Hash: hash(1)}),
				tx.SetDevice(ctx, store.Device{Terminal: "t1", Hash: hash(2)}),
				tx.AddSession(ctx, store.Session{TokenHash: hash(3), Kind: "officer", Subject: "o1", ExpiresAt: 10}),
				tx.AddSession(ctx, store.Session{TokenHash: hash(4), Kind: "terminal", Subject: "t1", ExpiresAt: 11}),
				tx.AddSession(ctx, store.Session{TokenHash: hash(5), Kind: "terminal", Subject: "t1", ExpiresAt: 12}),
				tx.ExpireSessions(ctx, 10),
				tx.EndSession(ctx, hash(5)),
				tx.EndSession(ctx, hash(6)),
				tx.AddSession(ctx, store.Session{TokenHash: hash(7), Kind: "officer", Subject: "o2", ExpiresAt: 12}),
				tx.EndSessionsOf(ctx, "officer", "o2"),
				tx.EndSessionsOf(ctx, "officer", "t1"),
			)
		})
		if err != nil {
			t.Fatal(err)
		}
		view(t, db, func(s *store.Snapshot) error {
			ctx := t.Context()
			if p, err := s.Password(ctx, "anne"); err != nil || p != (store.Password{Login: "anne", Officer: "o1", Hash: "new"}) {
				t.Errorf("password %v, %v", p, err)
			}
			if list, err := s.Passwords(ctx); err != nil || !cmp.Equal(list, []store.Password{{Login: "anne", Officer: "o1", Hash: "new"}, {Login: "jean", Officer: "o2", Hash: "first", Issued: true}}) {
				t.Errorf("passwords %v, %v", list, err)
			}
			if p, err := s.PasswordOf(ctx, "o2"); err != nil || p != (store.Password{Login: "jean", Officer: "o2", Hash: "first", Issued: true}) {
				t.Errorf("password of o2 %v, %v", p, err)
			}
			if p, err := s.PasswordOf(ctx, "o3"); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("password of o3 %v, %v", p, err)
			}
			want := store.Device{Terminal: "t1", Hash: hash(2)}
			if d, err := s.Device(ctx, "t1"); err != nil || !cmp.Equal(d, want) {
				t.Errorf("device %v, %v", d, err)
			}
			if got, err := s.Session(ctx, hash(4)); err != nil || !cmp.Equal(got, store.Session{TokenHash: hash(4), Kind: "terminal", Subject: "t1", ExpiresAt: 11}) {
				t.Errorf("session %v, %v", got, err)
			}
			for name, n := range map[string]uint64{"expired": 3, "ended": 5, "ended with all of its subject": 7} {
				if _, err := s.Session(ctx, hash(n)); !errors.Is(err, store.ErrNotFound) {
					t.Errorf("%s session: %v, want ErrNotFound", name, err)
				}
			}
			return nil
		})
		err = update(func(ctx context.Context, tx *store.Tx) error {
			return tx.SetDevice(ctx, store.Device{Terminal: "t2", Hash: hash(2)})
		})
		if !errors.Is(err, store.ErrConflict) {
			t.Errorf("a key for two terminals: %v, want ErrConflict", err)
		}
	})
}
