package paper

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"tirage/game"
	"tirage/money"
	"tirage/wager"
)

// faint is the ink of a speck.
const faint = 0.02

// reading makes a reading: fields marked, others unsure with so much ink, all the rest empty.
func reading(l *Layout, marked []Field, unsure map[Field]float64) *Reading {
	r := &Reading{Layout: l, Marks: make([]Mark, len(l.Boxes)), Ink: make([]float64, len(l.Boxes)), specks: make([]bool, len(l.Boxes))}
	for i, b := range l.Boxes {
		r.Marks[i] = Empty
		if slices.Contains(marked, b.Field) {
			r.Marks[i], r.Ink[i] = Marked, 0.2
		}
		if ink, is := unsure[b.Field]; is {
			r.Marks[i], r.Ink[i], r.specks[i] = Unsure, ink, ink == faint
		}
	}
	return r
}

func place(n int) Field   { return Field{Kind: Element, N: n} }
func pirate(n int) Field  { return Field{Kind: Element, Matrix: 1, N: n} }
func stakeOf(n int) Field { return Field{Kind: Stake, N: n} }
func drawsOf(n int) Field { return Field{Kind: Draws, N: n} }

// TestIAT_2_3_2_PaperMarks: what the marks of a slip come to, what is asked, and
// that the rules decide of specks alone without asking. Nothing has a default.
func TestIAT_2_3_2_PaperMarks(t *testing.T) {
	t.Parallel()
	l := testLayout(t, "ile-au-tresor")
	flash := Field{Kind: QuickPick}
	six := []Field{place(1), place(3), place(5), place(7), place(9), place(11)}
	seven := append(slices.Clone(six), place(13))
	rest := []Field{pirate(2), stakeOf(2), drawsOf(4)}
	full := slices.Concat(seven, rest)
	const strong, crossed = 0.18, 0.9
	want := wager.Slip{
		Game: "ile-au-tresor", Stake: money.Amount(600), Draws: 5,
		Boards: []wager.Board{{Picks: game.Picks{{1, 3, 5, 7, 9, 11, 13}, {2}}}},
	}
	open := want
	open.Boards = []wager.Board{{Picks: game.Picks{{1, 3, 5, 7, 9, 11}, {2}}, QuickPick: true}}
	noStake, noDraws, none := want, want, want
	noStake.Stake, noDraws.Draws, none.Boards = 0, 0, nil
	eight := want
	eight.Boards = []wager.Board{{Picks: game.Picks{{1, 3, 5, 7, 9, 11, 13, 14}, {2}}}}
	for name, c := range map[string]struct {
		marked []Field
		unsure map[Field]float64
		slip   wager.Slip
		asked  []Field
		err    error
	}{
		"all sure":                                {full, nil, want, nil, nil},
		"a speck beside seven places":             {full, map[Field]float64{place(2): faint}, want, nil, nil},
		"two specks beside seven places":          {full, map[Field]float64{place(2): faint, pirate(3): faint}, want, nil, nil},
		"a speck beside another that is unsure":   {full, map[Field]float64{place(2): faint, place(4): crossed}, wager.Slip{}, []Field{place(2), place(4)}, nil},
		"a speck of a stake":                      {full, map[Field]float64{stakeOf(0): faint}, wager.Slip{}, []Field{stakeOf(0)}, nil},
		"a speck of a number of draws":            {full, map[Field]float64{drawsOf(0): faint}, wager.Slip{}, []Field{drawsOf(0)}, nil},
		"a crossed-out eighth":                    {full, map[Field]float64{place(2): crossed}, wager.Slip{}, []Field{place(2)}, nil},
		"IAT-2.3.3 an eighth by a paler pen":      {full, map[Field]float64{place(2): strong}, wager.Slip{}, []Field{place(2)}, nil},
		"a crossed-out seventh":                   {slices.Concat(six, rest), map[Field]float64{place(13): crossed}, wager.Slip{}, []Field{place(13)}, nil},
		"the seventh by a pale stroke":            {slices.Concat(six, rest), map[Field]float64{place(13): strong}, wager.Slip{}, []Field{place(13)}, nil},
		"a trace is never made the seventh":       {slices.Concat(six, rest), map[Field]float64{place(13): faint}, wager.Slip{}, []Field{place(13)}, nil},
		"either of two may be the seventh":        {slices.Concat(six, rest), map[Field]float64{place(13): strong, place(14): strong}, wager.Slip{}, []Field{place(13), place(14)}, nil},
		"the quick pick may be asked for":         {slices.Concat(six, rest), map[Field]float64{flash: strong, place(13): strong}, wager.Slip{}, []Field{place(13), flash}, nil},
		"a quick pick of part":                    {slices.Concat(six, rest, []Field{flash}), nil, open, nil, nil},
		"a quick pick, and a place not sure":      {slices.Concat(six, rest, []Field{flash}), map[Field]float64{place(13): strong}, wager.Slip{}, []Field{place(13)}, nil},
		"a second stake that is not sure":         {full, map[Field]float64{stakeOf(0): strong}, wager.Slip{}, []Field{stakeOf(0)}, nil},
		"one stake, not sure":                     {slices.Concat(seven, []Field{pirate(2), drawsOf(4)}), map[Field]float64{stakeOf(2): strong}, wager.Slip{}, []Field{stakeOf(2)}, nil},
		"one stake, crossed out":                  {slices.Concat(seven, []Field{pirate(2), drawsOf(4)}), map[Field]float64{stakeOf(5): crossed}, wager.Slip{}, []Field{stakeOf(5)}, nil},
		"one number of draws, not sure":           {slices.Concat(seven, []Field{pirate(2), stakeOf(2)}), map[Field]float64{drawsOf(1): strong}, wager.Slip{}, []Field{drawsOf(1)}, nil},
		"IAT-2.3.2 no stake":                      {slices.Concat(seven, []Field{pirate(2), drawsOf(4)}), nil, noStake, nil, nil},
		"IAT-2.3.2 no number of draws":            {slices.Concat(seven, []Field{pirate(2), stakeOf(2)}), nil, noDraws, nil, nil},
		"IAT-2.3.2 two stakes":                    {append(slices.Clone(full), stakeOf(3)), nil, wager.Slip{}, nil, ErrStakeTwice},
		"IAT-2.3.2 two numbers of draws":          {append(slices.Clone(full), drawsOf(0)), nil, wager.Slip{}, nil, ErrDrawsTwice},
		"IAT-2.3.3 eight places are not repaired": {append(slices.Clone(full), place(14)), nil, eight, nil, nil},
		"no combination":                          {[]Field{stakeOf(2), drawsOf(4)}, nil, none, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := reading(l, c.marked, c.unsure)
			before := slices.Clone(r.Marks)
			slip, asked, err := r.Slip(nil)
			var fields []Field
			for _, i := range asked {
				fields = append(fields, l.Boxes[i].Field)
			}
			if !reflect.DeepEqual(slip, c.slip) || !slices.Equal(fields, c.asked) || !errors.Is(err, c.err) {
				t.Errorf("got %+v, %v, %v\nwant %+v, %v, %v", slip, fields, err, c.slip, c.asked, c.err)
			}
			if !slices.Equal(r.Marks, before) {
				t.Error("the reading has changed")
			}
		})
	}
	t.Run("answers hold", func(t *testing.T) {
		t.Parallel()
		r := reading(l, slices.Concat(six, rest), map[Field]float64{place(13): faint, place(14): strong})
		_, asked, _ := r.Slip(nil)
		if len(asked) != 2 {
			t.Fatalf("asked %v", asked)
		}
		slip, still, err := r.Slip(map[int]Mark{asked[0]: Marked, asked[1]: Empty, -1: Marked, 9999: Marked})
		if !reflect.DeepEqual(slip, want) || still != nil || err != nil {
			t.Errorf("got %+v, %v, %v", slip, still, err)
		}
	})
}

// TestAMI_3_1_3_PaperBoards: a slip of several boards has those that are marked;
// one that is not sure is asked for where a multiple play may be meant.
func TestAMI_3_1_3_PaperBoards(t *testing.T) {
	t.Parallel()
	l := testLayout(t, "amigo")
	board := func(b, extra int) (fields []Field) {
		for c := range 9 {
			fields = append(fields, Field{Element, b, 0, 5*c + 1})
		}
		for e := range extra {
			fields = append(fields, Field{Element, b, 0, 5*e + 2})
		}
		return append(fields, Field{Element, b, 1, 3})
	}
	marked := slices.Concat(board(0, 0), board(2, 2), []Field{stakeOf(1), drawsOf(2)})
	r := reading(l, marked, map[Field]float64{{Element, 3, 0, 7}: faint, {Element, 0, 1, 7}: faint})
	slip, asked, err := r.Slip(nil)
	if err != nil || asked != nil || len(slip.Boards) != 2 || len(slip.Boards[1].Picks[0]) != 11 {
		t.Fatalf("got %+v, %v, %v", slip, asked, err)
	}
	if _, err := wager.New(l.Rules, slip); err != nil {
		t.Error(err)
	}
	for what, unsure := range map[string]map[Field]float64{
		"a speck that would make a multiple play": {{Element, 0, 0, 2}: faint},
		"a stroke on a board that is not used":    {{Element, 3, 0, 7}: 0.15},
	} {
		r = reading(l, marked, unsure)
		if _, asked, err := r.Slip(nil); err != nil || len(asked) != 1 {
			t.Errorf("%s: asked %v, %v", what, asked, err)
		}
	}
}

// TestReadTraces: what is in a box that is no mark is never taken for one.
func TestReadTraces(t *testing.T) {
	t.Parallel()
	l := testLayout(t, "ile-au-tresor")
	drawings := map[string]struct {
		draw func(r *raster, b Rect)
		may  []Mark
	}{
		"a speck":              {func(r *raster, b Rect) { r.line(b.Centre(), b.Centre(), 0.3, 0.3) }, []Mark{Empty, Unsure}},
		"a dot of the pen":     {func(r *raster, b Rect) { r.line(b.Centre(), b.Centre(), 0.9, 0.1) }, []Mark{Empty, Unsure}},
		"rubbed out":           {func(r *raster, b Rect) { cross(r, b, 0.7, 0.93) }, []Mark{Empty, Unsure}},
		"rubbed out, not well": {func(r *raster, b Rect) { cross(r, b, 0.8, 0.82) }, []Mark{Empty, Unsure}},
		"crossed out":          {func(r *raster, b Rect) { r.rect(b, 0.2) }, []Mark{Unsure}},
		"a stroke beside":      {func(r *raster, b Rect) { r.line(Point{b.X - 0.4, b.Y - 1}, Point{b.X - 0.4, b.Y + 5}, 0.4, 0.2) }, []Mark{Empty, Unsure}},
		"a cross":              {func(r *raster, b Rect) { cross(r, b, 0.5, 0.3) }, []Mark{Marked}},
	}
	for name, d := range drawings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := drawSlip(t, l, 8, 0.86)
			rnd := rand.New(rand.NewPCG(3, 3))
			for i, b := range l.Boxes {
				switch {
				case i%6 == 1:
					cross(r, b.Rect, 0.5, 0.3)
				case i%6 == 4 && rnd.IntN(3) > 0:
					d.draw(r, b.Rect)
				}
			}
			rnd = rand.New(rand.NewPCG(3, 3))
			reading, err := Read(r.photo(t, shot{w: 1400, h: 1050, fill: 0.85, turn: 0.2, tilt: 0.1, gain: 0.85, gradient: 0.2, blur: 1, noise: 0.015, desk: 0.4, quality: 75}), booksOf(l))
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range reading.Marks {
				want := []Mark{Empty}
				switch {
				case i%6 == 1:
					want = []Mark{Marked}
				case i%6 == 4 && rnd.IntN(3) > 0:
					want = d.may
				}
				if !slices.Contains(want, m) {
					t.Errorf("box %d is %v (ink %.3f), want one of %v", i, m, reading.Ink[i], want)
				}
			}
		})
	}
}

func cross(r *raster, b Rect, width, light float64) {
	in := b.inset(0.6)
	r.line(Point{in.X, in.Y}, Point{in.X + in.W, in.Y + in.H}, width, light)
	r.line(Point{in.X, in.Y + in.H}, Point{in.X + in.W, in.Y}, width, light)
}
