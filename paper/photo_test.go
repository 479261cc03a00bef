package paper_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"tirage/game"
	"tirage/internal/photo"
	"tirage/paper"
)

// slipLayout lays out a game that comes with the program.
func slipLayout(t testing.TB, code game.Code) *paper.Layout {
	t.Helper()
	b, err := game.Book(code)
	if err != nil {
		t.Fatal(err)
	}
	r, err := game.Parse(string(code), b)
	if err != nil {
		t.Fatal(err)
	}
	l, err := paper.NewLayout(r)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func known(layouts []*paper.Layout) func(game.Code, [8]byte) *game.Rules {
	return func(code game.Code, version [8]byte) *game.Rules {
		for _, l := range layouts {
			if l.Rules.Code == code && [8]byte(l.Rules.Hash[:8]) == version {
				return l.Rules
			}
		}
		return nil
	}
}

// TestReadPhotos reads photos of slips of both games, marked as players would:
// in good light every slip is right and under 2 % of the boxes are asked for; in
// bad light at least 80 % are read, and of what is not asked at most 0.1 % wrong.
func TestReadPhotos(t *testing.T) {
	t.Parallel()
	const photos, parts = 100, 10
	layouts := []*paper.Layout{slipLayout(t, "ile-au-tresor"), slipLayout(t, "amigo")}
	for _, c := range []struct {
		light                 string
		difficulty            float64
		readLeast             int
		unsureMost, wrongMost float64 // shares of boxes
	}{
		{"good light", 0.3, photos, 0.02, 0},
		{"bad light", 0.7, photos * 8 / 10, 1, 0.001},
	} {
		t.Run(c.light, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			read, boxes, unsure, wrong := 0, 0, 0, 0
			t.Run("photos", func(t *testing.T) {
				for part := range parts {
					t.Run(fmt.Sprint(part), func(t *testing.T) {
						t.Parallel()
						for i := part; i < photos; i += parts {
							l := layouts[i%2]
							reading, marks, err := readOne(l, c.difficulty, uint64(i), layouts)
							mu.Lock()
							if err == nil {
								read, boxes = read+1, boxes+len(marks)
								u, w := compare(reading.Marks, marks)
								unsure, wrong = unsure+u, wrong+w
							} else {
								t.Logf("photo %d: %v", i, err)
							}
							mu.Unlock()
						}
					})
				}
			})
			t.Logf("%d of %d read; of %d boxes %d unsure, %d wrong", read, photos, boxes, unsure, wrong)
			if read < c.readLeast {
				t.Errorf("%d of %d slips read, want %d", read, photos, c.readLeast)
			}
			if float64(unsure) > c.unsureMost*float64(boxes) {
				t.Errorf("%d of %d boxes unsure", unsure, boxes)
			}
			if float64(wrong) > c.wrongMost*float64(boxes-unsure) {
				t.Errorf("%d of %d boxes wrong", wrong, boxes-unsure)
			}
		})
	}
}

// readOne takes a photo of a slip, and reads it.
func readOne(l *paper.Layout, difficulty float64, n uint64, layouts []*paper.Layout) (*paper.Reading, []paper.Mark, error) {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], n)
	marks := photo.Fill(l, rand.New(rand.NewChaCha8(seed)))
	img, err := paper.Decode(bytes.NewReader(photo.JPEG(l, marks, difficulty, seed)))
	if err != nil {
		return nil, nil, err
	}
	reading, err := paper.Read(img, known(layouts))
	return reading, marks, err
}

func compare(got, want []paper.Mark) (unsure, wrong int) {
	for i, m := range got {
		switch {
		case m == paper.Unsure:
			unsure++
		case m != want[i]:
			wrong++
		}
	}
	return unsure, wrong
}

// TestReadOtherPhotos: what is no whole slip of a known game is refused, also in bad light.
func TestReadOtherPhotos(t *testing.T) {
	t.Parallel()
	l, other := slipLayout(t, "ile-au-tresor"), slipLayout(t, "amigo")
	marks := make([]paper.Mark, len(l.Boxes))
	for i := range 3 {
		var seed [32]byte
		seed[0] = byte(i)
		for name, c := range map[string]struct {
			jpeg func() (*paper.Reading, error)
			want []error
		}{
			"half": {func() (*paper.Reading, error) {
				return paper.Read(photo.Half(l, marks, 0.5, seed), known([]*paper.Layout{l}))
			}, []error{paper.ErrHalfSlip, paper.ErrNoSlip}},
			"two": {func() (*paper.Reading, error) {
				return paper.Read(photo.Pair(l, marks, other, nil, 0.3, seed), known([]*paper.Layout{l, other}))
			}, []error{paper.ErrSeveralSlips}},
			"page":  {func() (*paper.Reading, error) { return paper.Read(photo.Page(0.5, seed), known([]*paper.Layout{l})) }, []error{paper.ErrNoSlip}},
			"table": {func() (*paper.Reading, error) { return paper.Read(photo.Table(0.5, seed), known([]*paper.Layout{l})) }, []error{paper.ErrNoSlip}},
			"code": {func() (*paper.Reading, error) {
				return paper.Read(photo.WithCode(l, marks, "WIFI:S:shop;;", 0.5, seed), known([]*paper.Layout{l}))
			}, []error{paper.ErrStrangeCode}},
			"other game": {func() (*paper.Reading, error) {
				return paper.Read(photo.Take(other, nil, 0.5, seed), known([]*paper.Layout{l}))
			}, []error{paper.ErrUnknownSlip}},
			"code of ours": {func() (*paper.Reading, error) {
				return paper.Read(photo.WithCode(l, marks, paper.SlipText(other.Rules), 0.5, seed), known([]*paper.Layout{l, other}))
			}, []error{paper.ErrOtherPage}},
		} {
			t.Run(fmt.Sprint(name, " ", i), func(t *testing.T) {
				t.Parallel()
				reading, err := c.jpeg()
				for _, want := range c.want {
					if errors.Is(err, want) {
						return
					}
				}
				t.Errorf("got %v, %v, want one of %v", reading != nil, err, c.want)
			})
		}
	}
}
