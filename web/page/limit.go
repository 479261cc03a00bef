package page

import (
	"container/list"
	"net/http"
	"net/netip"
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
func (l *Limiter) Allow(key string) error { return l.allowAt(key, time.Now()) }

func (l *Limiter) allowAt(key string, at time.Time) error {
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
	if !e.Value.(*client).limiter.AllowN(at, 1) {
		return ErrTooMany
	}
	return nil
}

// ClientOf names the client of a request for limits: its address, or its
// network of 64 bits when that is all an IPv6 client owns.
func ClientOf(r *http.Request) string {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	a := ap.Addr().Unmap()
	if a.Is4() {
		return a.String()
	}
	p, err := a.WithZone("").Prefix(64)
	if err != nil {
		return a.String()
	}
	return p.String()
}
