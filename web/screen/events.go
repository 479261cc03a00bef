package screen

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/web/page"
)

// streams is the server-sent events of all screens of a process.
//
// A screen's stream is one goroutine that waits for the system's signal, which
// is a channel of one: a screen that is slow misses signals, never states,
// because each event is the whole state as it stands. What it cannot take
// within a write's time ends its stream. So no screen holds more than its
// goroutine and one event, and none delays another or a sale.
type streams struct {
	app     *page.App
	build   string
	most    int64         // streams at one time
	each    int           // of one client, so that it cannot take them all
	beat    time.Duration // from a sign of life to the next
	silence time.Duration // after which a screen calls the line down
	within  time.Duration // a write must be done

	open atomic.Int64

	mu   sync.Mutex
	kept map[keptKey]kept // the newest state of each game and language, encoded

	clients sync.Mutex
	by      map[string]int // open streams by client
}

type keptKey struct {
	code game.Code
	lang page.Lang
}

type kept struct {
	mark string
	body []byte
}

func newStreams(app *page.App, build string) *streams {
	return &streams{
		app: app, build: build, most: 4000, each: 200, beat: 5 * time.Second, silence: 15 * time.Second, within: 10 * time.Second,
		kept: map[keptKey]kept{}, by: map[string]int{},
	}
}

// serve streams the states of a game: an event "state" at once and after each
// change of a draw, with the journal's size as its id, and an event "beat" with
// the system's time. A screen that comes back gets the state as it stands, so
// the id that it last saw does not matter.
func (s *streams) serve(w http.ResponseWriter, r *http.Request) error {
	code, lang := gameOf(r), langOf(r)
	if _, err := s.app.Sys.Rules(code); err != nil {
		return err
	}
	client := s.app.ClientOf(r)
	if !s.enter(client) {
		w.Header().Set("Retry-After", "30")
		http.Error(w, "too many screens", http.StatusServiceUnavailable)
		return nil
	}
	defer s.leave(client)

	changed, stop := s.app.Sys.Watch()
	defer stop()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	out := &stream{w: w, rc: http.NewResponseController(w), within: s.within}
	if err := out.rc.SetReadDeadline(time.Time{}); err != nil {
		return fmt.Errorf("open stream: %w", err)
	}
	ticker := time.NewTicker(s.beat)
	defer ticker.Stop()
	// Whatever ends a stream after this, its screen is gone or comes back by itself: nobody is left to tell.
	if s.state(out, code, lang) != nil {
		return nil
	}
	for {
		var err error
		select {
		case <-r.Context().Done():
			return nil
		case _, open := <-changed:
			if !open {
				return nil
			}
			err = s.state(out, code, lang)
		case <-ticker.C:
			err = out.send("event: beat\ndata: %d\n\n", s.app.Sys.Now().UnixMilli())
		}
		if err != nil {
			return nil
		}
	}
}

// enter counts a stream, or refuses it: the server or its client has too many.
func (s *streams) enter(client string) bool {
	s.clients.Lock()
	defer s.clients.Unlock()
	if s.open.Load() >= s.most || s.by[client] >= s.each {
		return false
	}
	s.open.Add(1)
	s.by[client]++
	return true
}

func (s *streams) leave(client string) {
	s.clients.Lock()
	defer s.clients.Unlock()
	s.open.Add(-1)
	if s.by[client]--; s.by[client] == 0 {
		delete(s.by, client)
	}
}

// state sends the state as it stands.
func (s *streams) state(out *stream, code game.Code, lang page.Lang) error {
	st, err := s.app.Sys.Status(code)
	if err != nil {
		return err
	}
	body, err := s.encoded(code, lang, st)
	if err != nil {
		s.app.Logger.Error("state of a screen", "game", code, "err", err)
		return err
	}
	return out.send("id: %d\nevent: state\ndata: {\"at\":%d,\"state\":%s}\n\n", st.Size, st.At.UnixMilli(), body)
}

// encoded returns the state as JSON. Screens of one game and language share it:
// they all ask at the same moment.
func (s *streams) encoded(code game.Code, lang page.Lang, st central.Status) ([]byte, error) {
	r, err := s.app.Sys.Rules(code)
	if err != nil {
		return nil, err
	}
	key, mark := keptKey{code, lang}, markOf(r, st)
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.kept[key]; k.mark == mark {
		return k.body, nil
	}
	state, err := newState(s.app.Sys, r, st, lang, s.build)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(state)
	if err != nil {
		return nil, fmt.Errorf("encode state: %w", err)
	}
	s.kept[key] = kept{mark, body}
	return body, nil
}

// markOf is equal for two moments exactly when their states are: it names the
// draws and where each stands. The journal's size will not do, it grows with every sale.
func markOf(r *game.Rules, st central.Status) string {
	type at struct {
		ID    draw.ID
		State draw.State
		Drawn bool
		Pot   money.Amount
		At    int64
	}
	views := slices.Concat(st.Closed, st.Last, st.Moved)
	if len(st.Upcoming) > 0 {
		views = append(views, st.Upcoming[0])
	}
	where := make([]at, 0, len(views))
	for _, v := range views {
		where = append(where, at{v.ID, v.State, v.Result != nil, v.Pot, v.DrawsAt.UnixMilli()})
	}
	return fmt.Sprint(r.Hash, len(st.Closed), len(st.Last), len(st.Moved), where, st.Stopped, st.NextOpensAt.UnixMilli(), draw.DayOf(r, st.At))
}

// stream is the way to one screen.
type stream struct {
	w      http.ResponseWriter
	rc     *http.ResponseController
	within time.Duration
}

// send writes an event and sees it off. The server's own limit of a response's
// time does not fit a stream, so each write has its own.
func (s *stream) send(format string, args ...any) error {
	if err := s.rc.SetWriteDeadline(time.Now().Add(s.within)); err != nil {
		return fmt.Errorf("send event: %w", err)
	}
	if _, err := fmt.Fprintf(s.w, format, args...); err != nil {
		return fmt.Errorf("send event: %w", err)
	}
	if err := s.rc.Flush(); err != nil {
		return fmt.Errorf("send event: %w", err)
	}
	return nil
}
