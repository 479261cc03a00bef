package training

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/store"
	"tirage/wager"
)

// opening is a Monday on which the sales of both games are open.
var opening = time.Date(2027, 1, 4, 10, 30, 0, 0, time.UTC)

const island game.Code = "ile-au-tresor"

// live is a live system with an outlet and a terminal, and its school.
type live struct {
	t        *testing.T
	sys      *central.System
	school   *School
	officer  string
	outlet   party.Outlet
	terminal string

	mu  sync.Mutex
	now time.Time
}

func (l *live) clock() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

func newLive(t *testing.T) *live {
	return newLiveWith(t, func(_ game.Code, book []byte) []byte { return book })
}

// newLiveWith is a live system with rule books that are changed first.
func newLiveWith(t *testing.T, change func(game.Code, []byte) []byte) *live {
	t.Helper()
	ctx := context.Background()
	l := &live{t: t, now: opening}
	db, err := store.Open(ctx, "sqlite:"+t.TempDir()+"/tirage.db")
	check(t, err)
	keys, err := central.NewKeys("tirage.test/log")
	check(t, err)
	l.sys, err = central.Open(ctx, central.Options{DB: db, Keys: keys, Clock: central.Clock{Now: l.clock, Wall: l.clock}, Control: "none", Logger: slog.New(slog.DiscardHandler), Site: "https://tirage.example"})
	check(t, err)
	officer, err := l.sys.PutOfficer(ctx, central.PutOfficer{Key: "o", Login: "anne", Password: "correct horse", Roles: []string{"operations"}})
	check(t, err)
	l.officer = officer.ID
	for _, code := range []game.Code{island, "amigo"} {
		book, err := game.Book(code)
		check(t, err)
		_, err = l.sys.PublishRules(ctx, central.PublishRules{Key: string(code), Officer: l.officer, Book: change(code, book)})
		check(t, err)
	}
	_, err = l.sys.PublishTerms(ctx, central.PublishRules{Key: "terms", Officer: l.officer, Book: party.TermsBook()})
	check(t, err)
	l.outlet, err = l.sys.PutOutlet(ctx, central.PutOutlet{Key: "outlet", Officer: l.officer, Outlet: party.Outlet{Number: 214, Territory: "reunion", Zone: "Indian/Reunion", CreditLimit: money.Euros(10)}})
	check(t, err)
	terminal, _, err := l.sys.PutTerminal(ctx, central.PutTerminal{Key: "terminal", Officer: l.officer, Outlet: l.outlet.ID})
	check(t, err)
	l.terminal = terminal.ID
	_, err = l.sys.Tick(ctx)
	check(t, err)
	l.school = New(l.sys, slog.New(slog.DiscardHandler))
	t.Cleanup(func() {
		l.school.Close()
		check(t, l.sys.CheckBooks(ctx))
		l.sys.Close()
		check(t, db.Close())
	})
	return l
}

func (l *live) enter() (Desk, func()) {
	l.t.Helper()
	d, leave, err := l.school.Enter(context.Background(), l.terminal)
	check(l.t, err)
	return d, leave
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sell sells a quick pick of the island.
func (d Desk) sell(t *testing.T, key string) wager.Ticket {
	t.Helper()
	r, err := d.Sys.Rules(island)
	check(t, err)
	ticket, err := d.Sys.Place(context.Background(), central.Place{Key: key, Terminal: d.Terminal, Slip: wager.Slip{
		Game: island, Boards: []wager.Board{{Picks: make(game.Picks, len(r.Matrices)), QuickPick: true}}, Stake: r.Stakes[0], Draws: 1,
	}})
	check(t, err)
	return ticket
}

// F21: a day of training is sold, drawn, checked and paid as any other, and the
// live system has no record of it; neither takes a ticket of the other.
func TestF21_TrainingDay(t *testing.T) {
	t.Parallel()
	l := newLive(t)
	ctx := context.Background()
	before, err := l.sys.Checkpoint()
	check(t, err)
	d, leave := l.enter()
	defer leave()
	_, outlet, err := d.Sys.Terminal(d.Terminal)
	check(t, err)
	if outlet.Number != 214 || outlet.Zone != l.outlet.Zone || outlet.Territory != l.outlet.Territory || outlet.ID == l.outlet.ID {
		t.Errorf("the outlet in training is %+v", outlet)
	}
	var sold []wager.Ticket
	for i := range 40 {
		sold = append(sold, d.sell(t, string(rune('a'+i))))
	}
	check(t, d.Draw(ctx, island))
	var paid money.Amount
	for morning := range 2 {
		for i, ticket := range sold {
			c, err := d.Sys.CheckAt(ctx, ticket.Number, ticket.Secret, placeOf(t, outlet))
			check(t, err)
			if c.Answer.Waiting > 0 {
				t.Fatalf("ticket %d waits after its draw", ticket.Number)
			}
			if c.Answer.Payable == 0 || morning == 0 {
				continue
			}
			p, err := d.Sys.Pay(ctx, central.Pay{Key: "pay" + string(rune('a'+i)), Terminal: d.Terminal, Ticket: ticket.Number, Secret: ticket.Secret})
			check(t, err)
			paid = paid.Add(p.Amount)
		}
		if morning == 0 {
			start := time.Now()
			check(t, d.Morning(ctx))
			t.Logf("the draws until next morning took %v", time.Since(start))
		}
	}
	if paid == 0 {
		t.Error("of 40 tickets nothing was paid")
	}
	for _, ticket := range sold {
		if _, err := l.sys.Check(ctx, ticket.Number, ticket.Secret, time.UTC); !errors.Is(err, central.ErrNoTicket) {
			t.Errorf("live takes ticket %d of training: %v", ticket.Number, err)
		}
		if _, err := l.sys.Pay(ctx, central.Pay{Key: "live", Terminal: l.terminal, Ticket: ticket.Number, Secret: ticket.Secret}); !errors.Is(err, central.ErrNoTicket) {
			t.Errorf("live pays ticket %d of training: %v", ticket.Number, err)
		}
	}
	if _, _, err := l.sys.Terminal(d.Terminal); !errors.Is(err, party.ErrUnknownTerminal) {
		t.Errorf("live knows the terminal in training: %v", err)
	}
	check(t, d.Sys.CheckBooks(ctx))
	after, err := l.sys.Checkpoint()
	check(t, err)
	if !bytes.Equal(before, after) {
		t.Errorf("the live journal was\n%s\nand is\n%s", before, after)
	}
}

// The time of training goes on by the draw, and while none is on sale to the next sales.
func TestTrainingTime(t *testing.T) {
	t.Parallel()
	l := newLive(t)
	l.mu.Lock()
	l.now = time.Date(2027, 1, 4, 22, 30, 0, 0, time.UTC) // the island sells no more today
	l.mu.Unlock()
	d, leave := l.enter()
	defer leave()
	ctx := context.Background()
	status, err := d.Sys.Status(island)
	check(t, err)
	if len(status.Open) > 0 || status.NextOpensAt.IsZero() {
		t.Fatalf("at night %d draws sell, the next at %v", len(status.Open), status.NextOpensAt)
	}
	check(t, d.Draw(ctx, island))
	status, err = d.Sys.Status(island)
	check(t, err)
	if len(status.Open) == 0 {
		t.Fatalf("nothing sells at %v", status.At)
	}
	first := status.Open[0]
	check(t, d.Draw(ctx, island))
	status, err = d.Sys.Status(island)
	check(t, err)
	if len(status.Last) == 0 || status.Last[0].ID != first.ID || status.Last[0].State != draw.Certified || status.At.Before(first.DrawsAt) {
		t.Errorf("at %v the last draws are %+v, not %d", status.At, status.Last, first.ID)
	}
	if err := d.Draw(ctx, "nothing"); !errors.Is(err, central.ErrUnknownGame) {
		t.Errorf("a game that nobody has: %v", err)
	}
	if now := l.sys.Now(); !now.Equal(l.clock()) {
		t.Errorf("live is at %v", now)
	}
}

// What closed and waits for its draw is drawn first, the oldest before the others, and not what is on sale.
func TestTrainingDrawsWhatClosed(t *testing.T) {
	t.Parallel()
	l := newLive(t)
	d, leave := l.enter()
	defer leave()
	ctx := context.Background()
	status, err := d.Sys.Status(island)
	check(t, err)
	first, second := status.Open[0], status.Open[1]
	check(t, d.moveTo(ctx, first.DrawsAt.Add(-time.Second)))
	status, err = d.Sys.Status(island)
	check(t, err)
	if len(status.Closed) != 1 || status.Closed[0].ID != first.ID || status.Closed[0].State != draw.Closed || status.Open[0].ID != second.ID {
		t.Fatalf("a second before its draw: closed %+v, on sale %+v", status.Closed, status.Open[0])
	}
	check(t, d.Draw(ctx, island))
	status, err = d.Sys.Status(island)
	check(t, err)
	if len(status.Last) == 0 || status.Last[0].ID != first.ID || status.Last[0].State != draw.Certified || !status.At.Before(second.ClosesAt) {
		t.Errorf("at %v the last draws are %+v, want %d alone: %d sells until %v", status.At, status.Last, first.ID, second.ID, second.ClosesAt)
	}
}

// The clock of training is never behind where it was: not when it is moved to a time that is over, nor when the live one goes on.
func TestTrainingClock(t *testing.T) {
	t.Parallel()
	live := opening
	c := &clock{live: func() time.Time { return live }}
	for _, step := range []struct{ live, to, want time.Duration }{
		{0, -time.Hour, 0},
		{0, 3 * time.Hour, 3 * time.Hour},
		{0, time.Hour, 3 * time.Hour},
		{0, 3 * time.Hour, 3 * time.Hour},
		{10 * time.Minute, time.Hour, 3*time.Hour + 10*time.Minute},
		{4 * time.Hour, 4 * time.Hour, 7 * time.Hour},
		{4 * time.Hour, 8 * time.Hour, 8 * time.Hour},
	} {
		live = opening.Add(step.live)
		c.moveTo(opening.Add(step.to))
		if got := c.now().Sub(opening); got != step.want {
			t.Errorf("live at +%v, moved to +%v: +%v, want +%v", step.live, step.to, got, step.want)
		}
	}
}

// The next morning is that of the game whose morning is the latest, so that the prizes of all are payable.
func TestTrainingMorning(t *testing.T) {
	t.Parallel()
	for _, late := range []game.Code{island, "amigo"} {
		t.Run(string(late), func(t *testing.T) {
			t.Parallel()
			l := newLiveWith(t, func(code game.Code, book []byte) []byte {
				if code != late {
					return book
				}
				return bytes.Replace(book, []byte(`morning_at: "06:00"`), []byte(`morning_at: "09:30"`), 1)
			})
			d, leave := l.enter()
			defer leave()
			check(t, d.Morning(context.Background()))
			paris, err := time.LoadLocation("Europe/Paris")
			check(t, err)
			if got, want := d.Sys.Now(), time.Date(2027, 1, 5, 9, 30, 0, 0, paris); got.Before(want) || got.After(want.Add(time.Minute)) {
				t.Errorf("the morning is at %v, want %v", got.In(paris), want)
			}
		})
	}
}

// What changes at a live terminal is so in training at the next request; what a live outlet owes is not copied.
func TestTrainingMirrors(t *testing.T) {
	t.Parallel()
	l := newLive(t)
	ctx := context.Background()
	d, leave := l.enter()
	leave()
	l.outlet.Centre, l.outlet.Blocked, l.outlet.Number = true, true, 215
	_, err := l.sys.PutOutlet(ctx, central.PutOutlet{Key: "change", Officer: l.officer, Outlet: l.outlet})
	check(t, err)
	printer := party.Printer{Address: netip.MustParseAddrPort("192.0.2.1:9100"), Auto: true}
	check(t, l.sys.SetPrinter(ctx, central.SetPrinter{Key: "printer", Officer: l.officer, Terminal: l.terminal, Printer: printer}))
	again, leave := l.enter()
	defer leave()
	_, outlet, err := again.Sys.Terminal(again.Terminal)
	check(t, err)
	if again.Sys != d.Sys || again.Terminal != d.Terminal || !outlet.Centre || outlet.Blocked || outlet.Number != 215 {
		t.Errorf("in training it is %+v", outlet)
	}
	if got, err := again.Sys.Printer(ctx, again.Terminal); err != nil || got != printer {
		t.Errorf("the printer in training: %+v, %v", got, err)
	}
	if _, _, err := l.school.Enter(ctx, "nobody"); !errors.Is(err, party.ErrUnknownTerminal) {
		t.Errorf("a terminal that nobody has: %v", err)
	}
}

// A process has one training system. It ends after an hour unused, when it is
// full, and with its school; nothing of it is left on the disk.
func TestTrainingEnds(t *testing.T) {
	t.Parallel()
	l := newLive(t)
	ctx := context.Background()
	a, leaveA := l.enter()
	b, leaveB := l.enter()
	if a.Sys != b.Sys {
		t.Error("two training systems")
	}
	path := a.room.folder.path
	exists := func() bool { _, err := os.Stat(path); return !errors.Is(err, fs.ErrNotExist) }
	leaveA()
	leaveA()
	later := time.Now().Add(2 * idleTime)
	l.school.rest(later)
	l.school.rest(time.Now())
	if !exists() {
		t.Fatal("it ended while a terminal was at work")
	}
	l.school.most = 1
	if _, _, err := l.school.Enter(ctx, l.terminal); !errors.Is(err, ErrFull) {
		t.Errorf("full, while a terminal is at work: %v", err)
	}
	leaveB()
	c, leaveC := l.enter()
	if exists() || c.Sys == a.Sys {
		t.Error("full, it did not begin anew")
	}
	leaveC()
	path, l.school.most = c.room.folder.path, recordsMax
	if l.school.rest(time.Now()); !exists() {
		t.Error("it ended while it was just used")
	}
	if l.school.rest(later); exists() {
		t.Error("an hour later it is still there")
	}
	e, leaveE := l.enter()
	path = e.room.folder.path
	l.school.Close()
	if !exists() {
		t.Error("closed under a terminal at work")
	}
	if _, _, err := l.school.Enter(ctx, l.terminal); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if leaveE(); exists() {
		t.Error("the school is closed, and the system still there")
	}
}

// What a process that was killed left is removed at the start of the next; what another one works in is not.
func TestTrainingSweeps(t *testing.T) {
	t.Parallel()
	dead, err := newFolder()
	check(t, err)
	check(t, os.WriteFile(dead.file("training.db"), []byte("x"), 0o600))
	check(t, dead.lock.Close())
	alive, err := newFolder()
	check(t, err)
	stranger, err := os.MkdirTemp("", folderName+"*") // without a lock
	check(t, err)
	defer func() { check(t, os.Remove(stranger)) }()
	check(t, sweep())
	if _, err := os.Stat(dead.path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was left is still there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(alive.path, lockName)); err != nil {
		t.Errorf("what another works in is gone: %v", err)
	}
	check(t, alive.remove())
}

// A folder that is being made is nobody's to sweep, however the two meet.
func TestTrainingFolderWhileSwept(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	var sweeping sync.WaitGroup
	for range 2 {
		sweeping.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					if err := sweep(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for range 400 {
		f, err := newFolder()
		if err != nil {
			t.Error(err)
			break
		}
		check(t, f.remove())
	}
	close(done)
	sweeping.Wait()
}

func placeOf(t *testing.T, o party.Outlet) settle.Place {
	t.Helper()
	zone, err := o.Location()
	check(t, err)
	return settle.Place{Zone: zone, Centre: o.Centre}
}

// What the live system publishes while a training system is open is in it at the
// next request; or it begins anew, where its time is further than that.
func TestTrainingFollowsWhatIsPublished(t *testing.T) {
	t.Parallel()
	l := newLive(t)
	ctx := context.Background()
	before, leave := l.enter()
	leave()
	old, err := game.Book(island)
	check(t, err)
	version := func(name, day string) {
		t.Helper()
		book := strings.NewReplacer(`version: "2017"`, `version: "`+name+`"`, "first_day: 2017-07-25", "first_day: "+day).Replace(string(old))
		_, err := l.sys.PublishRules(ctx, central.PublishRules{Key: name, Officer: l.officer, Book: []byte(book)})
		check(t, err)
	}
	rulesOn := func(d Desk, day string) string {
		t.Helper()
		for _, r := range d.Sys.RulesVersions(island) {
			if r.FirstDay.String() == day {
				return r.Version
			}
		}
		return ""
	}
	version("soon", "2027-01-20")
	terms := strings.NewReplacer(`payment_max: "500"`, `payment_max: "400"`).Replace(string(party.TermsBook()))
	terms = regexp.MustCompile(`(?m)^version: .*$`).ReplaceAllString(terms, `version: "soon"`)
	terms = regexp.MustCompile(`(?m)^first_day: .*$`).ReplaceAllString(terms, "first_day: 2027-01-20")
	_, err = l.sys.PublishTerms(ctx, central.PublishRules{Key: "terms soon", Officer: l.officer, Book: []byte(terms)})
	check(t, err)
	_, err = l.sys.PublishAccounts(ctx, central.PublishRules{Key: "accounts", Officer: l.officer, Book: party.Book()})
	check(t, err)
	d, leave := l.enter()
	if d.Sys != before.Sys || rulesOn(d, "2027-01-20") != "soon" || len(d.Sys.TermsVersions()) != 2 || d.Sys.AccountRules() == nil {
		t.Errorf("in training: rules %q, %d terms, rules of accounts %v", rulesOn(d, "2027-01-20"), len(d.Sys.TermsVersions()), d.Sys.AccountRules() != nil)
	}
	for range 3 {
		check(t, d.Morning(ctx))
	}
	leave()
	version("sooner", "2027-01-07")
	d, leave = l.enter()
	defer leave()
	if d.Sys == before.Sys || rulesOn(d, "2027-01-07") != "sooner" || rulesOn(d, "2027-01-20") != "soon" {
		t.Errorf("begun anew: %v; rules %q and %q", d.Sys != before.Sys, rulesOn(d, "2027-01-07"), rulesOn(d, "2027-01-20"))
	}
}
