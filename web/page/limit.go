package page

import (
	"container/list"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// limiterKeys bounds the clients that a limiter remembers; the one that was
// quiet longest is forgotten first.
const limiterKeys = 10_000

// Limiter limits how often each client may do something. It is safe for
// concurrent use, and its memory is bounded.
type Limiter struct {
	every rate.Limit
	burst int

	mu     sync.Mutex
	recent *list.List // of *client, the latest first
	byKey  map[string]*list.Element
}

type client struct {
	key     string
	limiter *rate.Limiter
}

// NewLimiter returns a limiter that gives each client burst tries at once, and
// then as many a second as every says.
func NewLimiter(every rate.Limit, burst int) *Limiter {
	return &Limiter{every: every, burst: burst, recent: list.New(), byKey: map[string]*list.Element{}}
}

// Allow counts one try of a client and returns [ErrTooMany] when it is one too many.
func (l *Limiter) Allow(key string) error {
	_, err := l.tryAt(key, time.Now())
	return err
}

// Try is [Limiter.Allow] for tries of which only the failures count: whoever
// succeeds gives the try back with forgive, so that the many tills of a shop,
// which are one address, may all sign on.
func (l *Limiter) Try(key string) (forgive func(), err error) { return l.tryAt(key, time.Now()) }

func (l *Limiter) tryAt(key string, at time.Time) (forgive func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.byKey[key]
	if ok {
		l.recent.MoveToFront(e)
	} else {
		e = l.recent.PushFront(&client{key, rate.NewLimiter(l.every, l.burst)})
		l.byKey[key] = e
		if l.recent.Len() > limiterKeys {
			last := l.recent.Back()
			delete(l.byKey, l.recent.Remove(last).(*client).key)
		}
	}
	try := e.Value.(*client).limiter.ReserveN(at, 1)
	if try.DelayFrom(at) > 0 {
		try.CancelAt(at)
		return nil, ErrTooMany
	}
	return func() { try.CancelAt(at) }, nil
}
