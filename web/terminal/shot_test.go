package terminal

import (
	"errors"
	"image"
	"testing"
	"testing/synctest"
	"time"

	"tirage/paper"
)

// Pictures are kept for their session alone, one each, so many in all, so long.
func TestShotsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShots()
		reading := &paper.Reading{Page: image.NewRGBA(image.Rect(0, 0, 8, 8))}
		put := func(n byte) string {
			id, err := s.put([32]byte{n}, reading)
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		kept := func(n byte, id string, want bool) {
			t.Helper()
			x, err := s.get([32]byte{n}, id)
			if (err == nil) != want || err != nil && !errors.Is(err, errShot) || err == nil && (len(x.jpeg) == 0 || x.reading.Page != nil) {
				t.Errorf("session %d: got %d bytes, %v; want kept: %v", n, len(x.jpeg), err, want)
			}
		}
		first := put(1)
		kept(1, first, true)
		kept(2, first, false)
		second := put(1)
		kept(1, first, false)
		kept(1, second, true)
		for n := range shotsMax {
			put(byte(n + 2))
		}
		kept(1, second, false) // the oldest made room
		if len(s.byID) != shotsMax {
			t.Errorf("%d pictures are kept, want %d", len(s.byID), shotsMax)
		}
		last := put(200)
		s.clear([32]byte{200})
		kept(200, last, false)
		time.Sleep(shotLife)
		synctest.Wait()
		if len(s.byID) != 0 {
			t.Errorf("%d pictures are kept after their time", len(s.byID))
		}
	})
}
