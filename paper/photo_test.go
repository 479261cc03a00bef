package paper_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"tirage/game"
	"tirage/internal/photo"
	"tirage/paper"
	"tirage/wager"
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
	const photos, parts = 200, 10
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
			read, boxes, unsure, wrong, sold := 0, 0, 0, 0, 0
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
								if play, is := soldAs(reading); is && !reflect.DeepEqual(play, slipOf(t, l, marks)) {
									sold++
									t.Logf("photo %d: sold %+v, and marked is %v", i, play, slipOf(t, l, marks))
								}
							} else {
								t.Logf("photo %d: %v", i, err)
							}
							mu.Unlock()
						}
					})
				}
			})
			t.Logf("%d of %d read; of %d boxes %d unsure, %d wrong", read, photos, boxes, unsure, wrong)
			if sold > 0 {
				t.Errorf("%d slips sold for what they do not say", sold)
			}
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
	reading, err := readFile(photo.Small(l, marks, difficulty, seed), layouts)
	return reading, marks, err
}

func readFile(jpeg []byte, layouts []*paper.Layout) (*paper.Reading, error) {
	img, err := paper.Decode(bytes.NewReader(jpeg))
	if err != nil {
		return nil, err
	}
	return paper.Read(img, known(layouts))
}

// soldAs is the slip that a reading comes to without a question, if the rules take it.
func soldAs(reading *paper.Reading) (wager.Slip, bool) {
	slip, asked, err := reading.Slip(nil)
	if err != nil || asked != nil {
		return wager.Slip{}, false
	}
	_, err = wager.New(reading.Layout.Rules, slip)
	return slip, err == nil
}

// slipOf is what marks ask for.
func slipOf(t *testing.T, l *paper.Layout, marks []paper.Mark) wager.Slip {
	t.Helper()
	slip, _, err := (&paper.Reading{Layout: l, Marks: marks}).Slip(nil)
	if err != nil {
		return wager.Slip{}
	}
	return slip
}

// TestReadSpoilt: a slip that is hidden, stained, torn, bent, blacked out or marked
// by two pens is refused or asked about, unless it can be told what it says, and that is read.
func TestReadSpoilt(t *testing.T) {
	t.Parallel()
	const photos = 8
	layouts := []*paper.Layout{slipLayout(t, "ile-au-tresor"), slipLayout(t, "amigo")}
	for _, how := range photo.Spoilings {
		for _, difficulty := range []float64{0.3, 0.7} {
			t.Run(fmt.Sprint(how, " ", difficulty), func(t *testing.T) {
				t.Parallel()
				for n := range photos {
					l := layouts[n%2]
					seed := [32]byte{byte(n), byte(how), 9}
					marks := photo.Fill(l, rand.New(rand.NewChaCha8(seed)))
					jpeg, truth, told := photo.Spoilt(l, marks, how, difficulty, seed)
					reading, err := readFile(jpeg, layouts)
					if err != nil {
						continue
					}
					play, sold := soldAs(reading)
					if sold && (!told || !reflect.DeepEqual(play, slipOf(t, l, truth))) {
						t.Errorf("photo %d: sold %+v, and marked is %+v", n, play, slipOf(t, l, truth))
					}
				}
			})
		}
	}
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
