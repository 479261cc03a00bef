package central_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/internal/sim"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/store"
	"tirage/wager"
)

func TestMain(m *testing.M) {
	// Each step of a property test on a database is a commit: fewer of them, unless the command line says otherwise.
	if err := flag.Set("rapid.checks", "15"); err != nil {
		panic(err)
	}
	// These tests wait for commits more than they compute.
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(max(8, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
	dbtest.Main(m)
}

// monday is a Monday on which sales of draws 95 to 130 (12:00 to 14:55 in
// Paris) have been open for half an hour.
var monday = time.Date(2027, 1, 4, 10, 30, 0, 0, time.UTC)

// mondayDraw is when a draw of that day is drawn.
func mondayDraw(number int) time.Time {
	return time.Date(2027, 1, 4, 3, 5, 0, 0, time.UTC).Add(time.Duration(number) * 5 * time.Minute)
}

// clock is a clock that the test owns: the node's, and a wall clock beside it that somebody may set.
type clock struct {
	mu   sync.Mutex
	now  time.Time
	step time.Duration // of the wall clock

	asked atomic.Int64 // how often the node asked for its time
}

func (c *clock) Now() time.Time {
	defer c.asked.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Wall() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now.Add(c.step)
}

func (c *clock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = at
}

func (c *clock) setWall(step time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.step = step
}

// quiet logs only what went wrong and was not expected by any test.
var quiet = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError + 1}))

func testKeys() central.Keys {
	return central.Keys{Origin: "tirage.test/log", Log: [32]byte{1}, Games: [32]byte{2}, Tickets: [32]byte{3}, Sealing: [32]byte{4}}
}

// world is a central system on a clock that the test owns, with an officer, one
// game and an outlet. Its books are checked when the test ends.
type world struct {
	testing.TB
	dsn     string
	clock   *clock
	db      *store.DB
	sys     *central.System
	officer party.Officer
	rules   *game.Rules
	real    bool         // the clock is compared with the database server's
	logger  *slog.Logger // nil: quiet
	more    func(*central.Options)
	*shop   // the first outlet

	mu   sync.Mutex
	keys int
}

// shop is an outlet with a terminal.
type shop struct {
	outlet   party.Outlet
	terminal party.Terminal
	device   string
}

func newWorld(t testing.TB, dsn string, book []byte) *world {
	t.Helper()
	return newWorldAt(t, dsn, book, monday)
}

func newWorldAt(t testing.TB, dsn string, book []byte, at time.Time) *world {
	t.Helper()
	w := &world{TB: t, dsn: dsn, clock: &clock{now: at}}
	w.open()
	t.Cleanup(w.close)
	var err error
	w.officer, err = w.sys.PutOfficer(w.ctx(), central.PutOfficer{Key: w.key(), Login: "chef", Password: "dix caracteres", Roles: []string{"operations"}})
	w.check(err)
	w.rules, err = w.sys.PublishRules(w.ctx(), central.PublishRules{Key: w.key(), Officer: w.officer.ID, Book: book})
	w.check(err)
	w.shop = w.newShop(1, "metropole", "Europe/Paris")
	w.tick()
	return w
}

// open opens the node: at first, or again.
func (w *world) open() {
	w.Helper()
	w.db, w.sys = w.node()
}

// node opens a node on the world's database.
func (w *world) node() (*store.DB, *central.System) {
	w.Helper()
	db, err := store.Open(w.ctx(), w.dsn)
	w.check(err)
	sys, err := central.Open(w.ctx(), w.options(db))
	w.check(err)
	return db, sys
}

func (w *world) options(db *store.DB) central.Options {
	o := central.Options{
		DB: db, Keys: testKeys(), Clock: central.Clock{Now: w.clock.Now, Wall: w.clock.Wall, Simulated: !w.real}, Control: "none", Logger: cmp.Or(w.logger, quiet),
		Demo: true, Site: "https://loterie.test",
	}
	if w.more != nil {
		w.more(&o)
	}
	return o
}

func (w *world) close() {
	w.Helper()
	sim.CheckBooks(w, w.sys)
	w.sys.Close()
	w.check(w.db.Close())
}

// secondNode opens another node on the world's database, whose books are checked too.
func (w *world) secondNode() *central.System {
	w.Helper()
	db, sys := w.node()
	w.Cleanup(func() {
		sim.CheckBooks(w, sys)
		sys.Close()
		w.check(db.Close())
	})
	return sys
}

// records are all records of the journal, and their bytes.
func (w *world) records() (records []journal.Record, raw [][]byte) {
	w.Helper()
	w.check(w.db.View(w.ctx(), func(tx *store.Snapshot) error {
		for {
			turns, err := tx.Turns(w.ctx(), uint64(len(raw)), 1000)
			if err != nil || len(turns) == 0 {
				return err
			}
			for _, t := range turns {
				all, err := journal.SplitBundle(t.Records)
				if err != nil {
					return err
				}
				for _, b := range all {
					rec, err := journal.Decode(b)
					if err != nil {
						return err
					}
					records, raw = append(records, rec), append(raw, b)
				}
			}
		}
	}))
	return records, raw
}

// restart ends the node and opens another: what it knows then comes from the database.
func (w *world) restart() {
	w.Helper()
	w.close()
	w.open()
	sim.CheckBooks(w, w.sys)
}

// ctx outlives the test's own context, which ends before its cleanups.
func (w *world) ctx() context.Context { return context.WithoutCancel(w.Context()) }

func (w *world) check(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// key makes a command key.
func (w *world) key() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.keys++
	return fmt.Sprintf("key-%d", w.keys)
}

func (w *world) newShop(number int, territory, zone string) *shop {
	w.Helper()
	s := &shop{}
	var err error
	s.outlet, err = w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: w.key(), Officer: w.officer.ID, Outlet: party.Outlet{
		Number: number, Territory: territory, Zone: zone, CreditLimit: money.Euros(1_000_000),
	}})
	w.check(err)
	s.terminal, s.device, err = w.sys.PutTerminal(w.ctx(), central.PutTerminal{Key: w.key(), Officer: w.officer.ID, Outlet: s.outlet.ID})
	w.check(err)
	return s
}

// at sets the clock and does what is due.
func (w *world) at(at time.Time) {
	w.Helper()
	w.clock.set(at)
	w.tick()
}

// catchUp is at for weeks later: a tick makes the statements of some weeks, and the next one goes on.
func (w *world) catchUp(at time.Time) {
	w.Helper()
	w.clock.set(at)
	for next := w.tick(); !next.IsZero() && !next.After(at); {
		next = w.tick()
	}
}

func (w *world) tick() time.Time {
	w.Helper()
	next, err := w.sys.Tick(w.ctx())
	w.check(err)
	return next
}

// slip is a slip with a combination of the player, at a stake in euros.
func (w *world) slip(c game.Combination, euros int64, draws int) wager.Slip {
	return wager.Slip{
		Game: w.rules.Code, Boards: []wager.Board{{Picks: w.rules.Picks(c)}}, Stake: money.Euros(euros), Draws: draws,
	}
}

func (w *world) quickPick(euros int64, draws int) wager.Slip {
	return wager.Slip{Game: w.rules.Code, Boards: []wager.Board{{QuickPick: true}}, Stake: money.Euros(euros), Draws: draws}
}

// place asks the first outlet for a wager.
func (w *world) place(s wager.Slip) (wager.Ticket, error) {
	return w.sys.Place(w.ctx(), central.Place{Key: w.key(), Terminal: w.terminal.ID, Slip: s})
}

// sell sells a wager that must be accepted.
func (w *world) sell(s wager.Slip) wager.Ticket {
	w.Helper()
	t, err := w.place(s)
	w.check(err)
	return t
}

func (w *world) cancel(s *shop, t wager.Ticket) error {
	_, err := w.sys.Cancel(w.ctx(), central.Cancel{Key: w.key(), Terminal: s.terminal.ID, Ticket: t.Number, Secret: t.Secret})
	return err
}

func (w *world) pay(s *shop, t wager.Ticket) (central.Paid, error) {
	return w.sys.Pay(w.ctx(), central.Pay{Key: w.key(), Terminal: s.terminal.ID, Ticket: t.Number, Secret: t.Secret})
}

// checked is the answer to a check of a ticket in Paris.
func (w *world) checked(t wager.Ticket) central.Check {
	w.Helper()
	return w.checkedIn(t, w.rules.Calendar.Zone)
}

func (w *world) checkedIn(t wager.Ticket, zone *time.Location) central.Check {
	w.Helper()
	c, err := w.sys.Check(w.ctx(), t.Number, t.Secret, zone)
	w.check(err)
	return c
}

func (w *world) owes(s *shop) money.Amount {
	w.Helper()
	a, err := w.sys.OutletAccount(s.outlet.ID)
	w.check(err)
	return a.Owes
}

func (w *world) status() central.Status {
	w.Helper()
	s, err := w.sys.Status(w.rules.Code)
	w.check(err)
	return s
}

// view is a draw of the day of the test's clock.
func (w *world) view(number int) central.DrawView {
	w.Helper()
	d, err := w.sys.Draw(w.ctx(), w.rules.Code, game.DayOf(w.clock.Now(), w.rules.Calendar.Zone), number)
	w.check(err)
	return d
}

// refuses shows that a command is refused for a reason, and changes nothing.
func (w *world) refuses(want error, command func() error) {
	w.Helper()
	before := w.sys.Size()
	if err := command(); !errors.Is(err, want) {
		w.Errorf("got %v, want %v", err, want)
	}
	if after := w.sys.Size(); after != before {
		w.Errorf("a refused command left %d records", after-before)
	}
}

func numbers(draws []draw.Draw) []int {
	list := make([]int, len(draws))
	for i, d := range draws {
		list[i] = d.Number
	}
	return list
}

// island is the rule book of L'Ile au Trésor, with readings replaced: pairs of old and new text, each once.
func island(t testing.TB, replace ...string) []byte {
	t.Helper()
	book, err := game.Book("ile-au-tresor")
	if err != nil {
		t.Fatal(err)
	}
	return replaced(t, string(book), replace)
}

// islet is a game with 3 places and 2 pirates, of which one each is drawn: six
// combinations, so that a test can have a winner of every tier. The rest is the island's.
func islet(t testing.TB, replace ...string) []byte {
	t.Helper()
	book := string(island(t, "game: ile-au-tresor", "game: islet"))
	from, to, end := strings.Index(book, "\nmatrices:"), strings.Index(book, "\n# IAT-3:"), strings.Index(book, "\n# Promotions:")
	return replaced(t, book[:from]+isletRules+book[to:end], replace)
}

const isletRules = `
matrices:
  - {key: places, name: {fr: Carte, en: Map}, pick: 1, count: 3, sets: [{key: places, count: 1}]}
  - {key: pirates, name: {fr: Pirates, en: Pirates}, pick: 1, count: 2, sets: [{key: pirates, count: 1}]}
prize_tables:
  - key: ordinary
    tiers:
      - {name: 1+1, hits: {places: 1, pirates: 1}, prize: 20, payable: next_morning}
      - {name: 1+0, hits: {places: 1, pirates: 0}, prize: 3, payable: next_morning}
      - {name: 0+0, hits: {places: 0, pirates: 0}, prize: 2}
`

func replaced(t testing.TB, book string, replace []string) []byte {
	t.Helper()
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(book, replace[i]) {
			t.Fatalf("the rule book does not have %q", replace[i])
		}
		book = strings.Replace(book, replace[i], replace[i+1], 1) // the value; comments come after it
	}
	return []byte(book)
}

func hours(n int) time.Duration { return time.Duration(n) * time.Hour }
