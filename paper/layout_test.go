package paper

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	goqr "github.com/piglig/go-qr"

	"tirage/game"
	"tirage/instant"
)

// books are all rule books of draw games in the tree, by file.
func books(t *testing.T) map[string]*game.Rules {
	t.Helper()
	all := map[string]*game.Rules{}
	for _, pattern := range []string{"../game/rules/*.yaml", "../game/testdata/*.yaml", "../testdata/*.yaml"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := instant.Parse(name, b); err == nil {
				continue
			}
			r, err := game.Parse(name, b)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all[filepath.Base(name)] = r
		}
	}
	return all
}

// reserved are the places where no box may be: about the marks and the code, and off the paper.
func reserved(l *Layout) []Rect {
	quiet := l.QR.inset(-QuietZone)
	all := []Rect{quiet, {-10, -10, 10, 200}, {-10, -10, 200, 10}, {l.Width, -10, 10, 200}, {-10, l.Height, 200, 10}}
	for _, m := range l.Marks {
		all = append(all, Rect{m.X, m.Y, 0, 0}.inset(-MarkOuter-1))
	}
	return all
}

func overlap(a, b Rect) bool {
	return a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H
}

// TestLayoutOfEveryBook: every rule book of the tree has a slip, on which each
// field that can be marked has one box, large enough for a pen, apart from all others.
func TestLayoutOfEveryBook(t *testing.T) {
	t.Parallel()
	for name, r := range books(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := NewLayout(r)
			if err != nil {
				t.Fatal(err)
			}
			checkLayout(t, l)
			code, err := goqr.EncodeText(SlipText(r), goqr.Medium)
			if err != nil {
				t.Fatal(err)
			}
			if modules := QuietZone / (l.QR.W / float64(code.Size())); modules < 4 {
				t.Errorf("%.2f modules of white around the code, 4 are asked", modules)
			}
			if l.Boxes[0].W < 4 || l.Boxes[0].H < 3 {
				t.Errorf("boxes of %v × %v mm", l.Boxes[0].W, l.Boxes[0].H)
			}
		})
	}
}

func checkLayout(t *testing.T, l *Layout) {
	t.Helper()
	r := l.Rules
	if l.Boards < 1 || l.Boards > r.BoardsMax {
		t.Errorf("%d boards, at most %d", l.Boards, r.BoardsMax)
	}
	seen := map[Field]bool{}
	for i, b := range l.Boxes {
		if seen[b.Field] {
			t.Errorf("%v has two boxes", b.Field)
		}
		seen[b.Field] = true
		if b.W < 3 || b.H < 2.5 {
			t.Errorf("%v: %v × %v mm", b.Field, b.W, b.H)
		}
		for _, other := range l.Boxes[:i] {
			if overlap(b.inset(-0.35), other.inset(-0.35)) {
				t.Errorf("%v and %v are less than 0.7 mm apart", b, other)
			}
		}
		for _, no := range reserved(l) {
			if overlap(b.Rect, no) {
				t.Errorf("%v in %v", b, no)
			}
		}
	}
	var want []Field
	for b := range l.Boards {
		for m := range r.Matrices {
			for e := range r.Matrices[m].Elements {
				want = append(want, Field{Element, b, m, e + 1})
			}
		}
		want = append(want, Field{QuickPick, b, 0, 0})
	}
	for i := range r.Stakes {
		want = append(want, Field{Stake, 0, 0, i})
	}
	for i := range r.DrawCounts {
		want = append(want, Field{Draws, 0, 0, i})
	}
	var got []Field
	for _, b := range l.Boxes {
		got = append(got, b.Field)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// Text stands on the paper, outside of boxes, marks and code.
	for _, x := range l.texts {
		at := x.start()
		ink := Rect{at.X, at.Y - 0.62*x.size*mmPerPoint, textWidth(x.face, x.size, x.s), 0.66 * x.size * mmPerPoint}
		for _, b := range l.Boxes {
			if overlap(ink, b.inset(-OutlineWidth/2)) {
				t.Errorf("%q in the box of %v", x.s, b.Field)
			}
		}
		for _, no := range reserved(l) {
			if overlap(ink, no) {
				t.Errorf("%q in %v", x.s, no)
			}
		}
	}
}

func TestSlipText(t *testing.T) {
	t.Parallel()
	for _, r := range books(t) {
		code, version, err := ParseSlipText(SlipText(r))
		if err != nil || code != r.Code || [8]byte(r.Hash[:8]) != version {
			t.Errorf("%s: %v %x %v", SlipText(r), code, version, err)
		}
	}
	for _, s := range []string{
		"", "TIRAGEB1", "TIRAGEB1~amigo", "TIRAGEB1~amigo~", "TIRAGEB1~amigo~0123456789abcde", "TIRAGEB1~amigo~0123456789abcdef~",
		"TIRAGEB1~amigo~0123456789ABCDEF", "TIRAGEB1~amigo~0123456789abcdeg", "TIRAGEB2~amigo~0123456789abcdef", "TIRAGEB1~Amigo~0123456789abcdef",
		"TIRAGEB1~~0123456789abcdef", " TIRAGEB1~amigo~0123456789abcdef",
	} {
		if _, _, err := ParseSlipText(s); !errors.Is(err, ErrStrangeCode) {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// TestSlipLabels: on the slips of our games a number stands close over its own box and
// at least eight times as far from the one above; and all can be read: names and
// sentences in 7 points, numbers in 8.
func TestSlipLabels(t *testing.T) {
	t.Parallel()
	for _, code := range []game.Code{"ile-au-tresor", "amigo"} {
		l := testLayout(t, code)
		for _, x := range l.texts {
			at := x.start()
			mid := at.X + textWidth(x.face, x.size, x.s)/2
			over := func(b Box) bool { return b.X < mid && mid < b.X+b.W }
			if x.size < 7 {
				t.Errorf("%s: %q in %.1f points", code, x.s, x.size)
			}
			own := func(b Box) bool { return over(b) && x.align == centre && math.Abs(b.Y-labelOff-at.Y) < 0.01 }
			if !slices.ContainsFunc(l.Boxes, own) {
				continue
			}
			if x.size < 8 {
				t.Errorf("%s: number %q in %.1f points", code, x.s, x.size)
			}
			for _, b := range l.Boxes {
				top, bottom := b.Y-OutlineWidth/2, b.Y+b.H+OutlineWidth/2
				white := at.Y - 0.68*x.size*mmPerPoint - bottom
				if over(b) && bottom < at.Y && white < 1.19 {
					t.Errorf("%s: %q is %.2f mm below the box of %v", code, x.s, white, b.Field)
				}
				if white := top - at.Y - 0.012*x.size*mmPerPoint; own(b) && (white < 0.14 || white > 0.16) {
					t.Errorf("%s: %q is %.2f mm above its box", code, x.s, white)
				}
			}
		}
	}
}
