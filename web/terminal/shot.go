package terminal

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"sync"
	"time"

	"tirage/paper"
	"tirage/web/page"
)

// Pictures of slips are kept while their boxes are asked about, and no longer:
// so many, so large, so long.
const (
	shotsMax  = 64
	shotBytes = 1 << 20
	shotLife  = 3 * time.Minute
)

// errShot is a question about a picture that is no longer kept, or was never this session's.
var errShot = fmt.Errorf("%w: picture is no longer kept", page.ErrNotFound)

// shot is a slip of which a box is unsure, straightened, as JPEG.
type shot struct {
	session [32]byte
	reading *paper.Reading // without its page
	jpeg    []byte
	timer   *time.Timer
	number  int // the order they came in
}

// shots are the pictures kept, in memory only. A session has one, the last.
type shots struct {
	mu   sync.Mutex
	byID map[string]shot
	next int
}

func newShots() *shots { return &shots{byID: map[string]shot{}} }

// put keeps a reading for a session and returns its name; the one before, or
// the oldest of all where there are too many, goes.
func (s *shots) put(session [32]byte, reading *paper.Reading) (id string, err error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, reading.Page, &jpeg.Options{Quality: 85}); err != nil {
		return "", fmt.Errorf("keep a picture: %w", err)
	}
	if b.Len() > shotBytes {
		return "", paper.ErrImageSize
	}
	bare := *reading
	bare.Page = nil
	id = page.NewKey()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(session)
	if len(s.byID) >= shotsMax {
		s.dropOldest()
	}
	s.next++
	s.byID[id] = shot{session: session, reading: &bare, jpeg: b.Bytes(), number: s.next, timer: time.AfterFunc(shotLife, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.byID, id)
	})}
	return id, nil
}

// get returns a session's picture, or [errShot].
func (s *shots) get(session [32]byte, id string) (shot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, ok := s.byID[id]
	if !ok || x.session != session {
		return shot{}, errShot
	}
	return x, nil
}

// clear forgets the picture of a session.
func (s *shots) clear(session [32]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(session)
}

func (s *shots) drop(session [32]byte) {
	for id, x := range s.byID {
		if x.session == session {
			x.timer.Stop()
			delete(s.byID, id)
		}
	}
}

func (s *shots) dropOldest() {
	oldest, number := "", 0
	for id, x := range s.byID {
		if oldest == "" || x.number < number {
			oldest, number = id, x.number
		}
	}
	s.byID[oldest].timer.Stop()
	delete(s.byID, oldest)
}
