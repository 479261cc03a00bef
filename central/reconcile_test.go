package central_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
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
	if m.down {
		return nil, errDown
	}
	return m.CardProvider.Payments(ctx, day)
}

func (m *moody) set(down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = down
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
		got := m.taken()
		if len(got) != len(want) {
			t.Fatalf("asked for %v, want %v", got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("asked for %v, want %v", got, want)
			}
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
	due(day + 3)
	b.wantBalance(player, 2000)
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
