package central_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/internal/sim"
)

// moody is a provider that may be down, and tells that it was asked.
type moody struct {
	*sim.CardProvider
	mu    sync.Mutex
	down  bool
	not   game.Day // is not told
	asked []game.Day
	heard chan game.Day
}

var errDown = errors.New("the provider is down")

func (m *moody) Payments(ctx context.Context, day game.Day) ([]central.CardNotice, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, day)
	select {
	case m.heard <- day:
	default:
	}
	if m.down || day == m.not {
		return nil, errDown
	}
	return m.CardProvider.Payments(ctx, day)
}

func (m *moody) set(down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = down
}

func (m *moody) refuse(day game.Day) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.not = day
}

// taken are the days asked for since the last call.
func (m *moody) taken() []game.Day {
	m.mu.Lock()
	defer m.mu.Unlock()
	days := m.asked
	m.asked = nil
	return days
}

// Once a day, yesterday's payments are compared; a provider that does not answer
// is asked again an hour later; what differs is logged, and nobody named.
func TestReconcileCards_Daily(t *testing.T) {
	t.Parallel()
	b := newBank(t, dbtest.SQLite(t))
	var log bytes.Buffer
	b.logger = slog.New(slog.NewTextHandler(&log, nil))
	m := &moody{CardProvider: b.cards, heard: make(chan game.Day, 1)}
	b.more = func(o *central.Options) {
		o.Demo, o.Cards = true, map[string]central.CardProvider{"sim": m}
	}
	b.restart()
	player, day := b.player(true), b.today()
	due := func(want ...game.Day) {
		t.Helper()
		b.sys.ReconcileDue(b.ctx())
		if got := m.taken(); !slices.Equal(got, want) {
			t.Fatalf("asked for %v, want %v", got, want)
		}
	}
	due(day - 1)
	due()
	lost := b.begin(player, 2000)
	_, err := b.cards.Pay(lost)
	b.check(err)
	stranger := "ffffffffffffffffffffffffffffffff"
	_, err = b.cards.Begin(b.ctx(), stranger, 5000, "/")
	b.check(err)
	_, err = b.cards.Pay(stranger)
	b.check(err)
	midnight := (day + 1).At(0, b.rules.Calendar.Zone)
	b.clock.set(midnight.Add(-time.Second))
	due()
	b.clock.set(midnight)
	m.set(true)
	due(day)
	due()
	b.wantBalance(player, 0)
	m.set(false)
	b.clock.set(midnight.Add(time.Hour - time.Second))
	due()
	b.clock.set(midnight.Add(time.Hour))
	due(day)
	due()
	b.wantBalance(player, 2000)
	said := log.String()
	if !strings.Contains(said, errDown.Error()) || strings.Count(said, "payments by card differ") != 1 ||
		!strings.Contains(said, `theirs=1 ours=0 amounts=0`) || strings.Contains(said, player) {
		t.Errorf("logged %s", said)
	}
	b.clock.set((day + 4).At(time.Hour, b.rules.Calendar.Zone))
	b.clock.setWall(time.Hour)
	due() // nobody knows the day
	b.clock.setWall(0)
	b.restart()
	b.sys.ReconcileDue(b.ctx())
	if got := m.taken(); len(got) < 3 || !slices.Equal(got[:3], []game.Day{day + 3, day + 2, day + 1}) { // then, where the late deposit was paid
		t.Errorf("asked for %v", got)
	}
	b.wantBalance(player, 2000)
}

// Days that were missed while no node ran are made up once, the newest first; a
// day that the provider does not tell keeps no newer one from being compared.
func TestReconcileCards_Missed(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		m := &moody{CardProvider: b.cards, heard: make(chan game.Day, 1)}
		b.more = func(o *central.Options) {
			o.Demo, o.Cards = true, map[string]central.CardProvider{"sim": m}
		}
		b.restart()
		player, day := b.player(true), b.today()
		compared := func() (days []game.Day) {
			t.Helper()
			rows, err := b.raw().Query(`SELECT day FROM card_day WHERE provider = 'sim' ORDER BY day`)
			b.check(err)
			defer func() { b.check(rows.Close()) }()
			for rows.Next() {
				var day game.Day
				b.check(rows.Scan(&day))
				days = append(days, day)
			}
			b.check(rows.Err())
			return days
		}
		// due compares what is due: the provider is asked for these days first, and then all these have been compared.
		due := func(asked []game.Day, want ...game.Day) {
			t.Helper()
			b.sys.ReconcileDue(b.ctx())
			got := m.taken()
			if len(got) < len(asked) || !slices.Equal(got[:len(asked)], asked) || len(asked) == 0 && len(got) > 0 {
				t.Fatalf("asked for %v, want %v", got, asked)
			}
			if got := compared(); !slices.Equal(got, want) {
				t.Fatalf("compared are %v, want %v", got, want)
			}
		}
		due([]game.Day{day - 1}, day-1)
		pay := func() { // and its notice is lost
			_, err := b.cards.Pay(b.begin(player, 2000))
			b.check(err)
		}
		pay()
		b.clock.set((day + 1).At(13*time.Hour, b.rules.Calendar.Zone))
		pay()
		b.clock.set((day + 5).At(9*time.Hour, b.rules.Calendar.Zone))
		b.restart() // after four nights
		m.refuse(day + 1)
		due([]game.Day{day + 4, day + 3, day + 2, day + 1}, day-1, day+2, day+3, day+4)
		due(nil, day-1, day+2, day+3, day+4)
		b.wantBalance(player, 0)
		m.refuse(0)
		b.restart()
		due([]game.Day{day + 1}, day-1, day, day+1, day+2, day+3, day+4)
		b.wantBalance(player, 4000)
		b.restart() // on the same day, or another node
		due(nil, day-1, day, day+1, day+2, day+3, day+4)
		b.clock.set((day + 1000).At(9*time.Hour, b.rules.Calendar.Zone))
		b.sys.ReconcileDue(b.ctx())
		if all := compared(); len(all) != 6+367 || all[6] != day+999-366 {
			t.Errorf("after years: %d days were compared", len(all))
		}
		b.wantBalance(player, 4000)
	})
}

// Run compares by itself.
func TestReconcileCards_Run(t *testing.T) {
	t.Parallel()
	b := newBank(t, dbtest.SQLite(t))
	m := &moody{CardProvider: b.cards, heard: make(chan game.Day, 1)}
	b.more = func(o *central.Options) { o.Cards = map[string]central.CardProvider{"sim": m} }
	b.restart()
	ctx, stop := context.WithCancel(b.ctx())
	ended := make(chan error, 1)
	go func() { ended <- b.sys.Run(ctx) }()
	select {
	case day := <-m.heard:
		if day != b.today()-1 {
			t.Errorf("asked for %s", day)
		}
	case <-time.After(30 * time.Second):
		t.Error("not asked")
	}
	stop()
	b.check(<-ended)
}
