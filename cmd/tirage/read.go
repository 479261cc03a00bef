package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"

	"tirage/game"
	"tirage/paper"
	"tirage/wager"
	"tirage/web/page"
)

type readCmd struct {
	Files []string `arg:"" name:"file" help:"Photos or scans of slips (JPEG or PNG), one slip each."`
	Rules []string `name:"rules" sep:"none" placeholder:"FILE" help:"Read slips of this rule book, too. May be given again."`
	JSON  bool     `name:"json" help:"Print one JSON line a file."`
}

// Help shows how it is used.
func (readCmd) Help() string {
	return "Reads paper slips as a terminal does: what is not sure is told, never guessed. Exit code 1 when a file cannot be opened or is refused, or a box is unsure.\n\n" +
		"Examples:\n  tirage read photo.jpg\n  tirage read scans/*.png --json\n  tirage read photo.jpg --rules my-game.yaml"
}

// readingJSON is the form of --json: a slip, with the boxes that must be asked, or why there is none.
type readingJSON struct {
	File    string      `json:"file"`
	Game    string      `json:"game,omitempty"`
	Version string      `json:"version,omitempty"` // of the rule book
	Rules   string      `json:"rules,omitempty"`   // the book's hash
	Stake   int64       `json:"stake_cents,omitempty"`
	Draws   int         `json:"draws,omitempty"`
	Boards  []boardJSON `json:"boards,omitempty"`
	Unsure  []boxJSON   `json:"unsure,omitempty"` // boxes: with any, the rest is not told
	Refused string      `json:"refused,omitempty"`
	Reason  string      `json:"reason,omitempty"`
}

type boardJSON struct {
	Board     int              `json:"board"` // from 1, as it stands on the slip
	Picks     map[string][]int `json:"picks"` // by key of the matrix
	QuickPick bool             `json:"quick_pick,omitempty"`
}

// boxJSON is a box: of a stake Value is in cents.
type boxJSON struct {
	Kind   string  `json:"kind"`
	Board  int     `json:"board,omitempty"` // from 1
	Matrix string  `json:"matrix,omitempty"`
	Value  int64   `json:"value,omitempty"`
	Ink    float64 `json:"ink"`
}

// Run reads each file.
func (c readCmd) Run(e *env) error {
	books, err := c.books()
	if err != nil {
		return err
	}
	fault := false
	for _, file := range c.Files {
		if err := e.ctx.Err(); err != nil {
			return err
		}
		s, err := readSlip(file, books)
		if err != nil { // the others are read all the same
			fault = true
			fmt.Fprintln(e.stderr, "tirage:", err)
			continue
		}
		fault = fault || s.Refused != "" || s.Unsure != nil
		if c.JSON {
			err = json.NewEncoder(e.stdout).Encode(s)
		} else {
			_, err = fmt.Fprintln(e.stdout, s.words())
		}
		if err != nil {
			return err
		}
	}
	if fault {
		return errFault
	}
	return nil
}

// books are the rule books whose slips are read.
func (c readCmd) books() ([]*game.Rules, error) {
	var all []*game.Rules
	for _, name := range c.Rules {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		r, err := game.Parse(name, b)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	for _, code := range game.Embedded() {
		b, err := game.Book(code)
		if err != nil {
			return nil, err
		}
		r, err := game.Parse(string(code)+".yaml", b)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// readSlip reads a file. Its error is one of the file system; a picture that is refused says so.
func readSlip(file string, books []*game.Rules) (readingJSON, error) {
	f, err := os.Open(file)
	if err != nil {
		return readingJSON{}, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	s := readingJSON{File: file}
	refuse := func(err error) (readingJSON, error) {
		s.Refused = page.Describe(page.English, err).Code
		s.Reason = err.Error()
		return s, nil
	}
	img, err := paper.Decode(f)
	if err != nil {
		return refuse(err)
	}
	reading, err := paper.Read(img, func(code game.Code, version [8]byte) *game.Rules {
		for _, r := range books {
			if r.Code == code && [8]byte(r.Hash[:8]) == version {
				return r
			}
		}
		return nil
	})
	if err != nil {
		return refuse(err)
	}
	r := reading.Layout.Rules
	s.Game, s.Version, s.Rules = string(r.Code), r.Version, fmt.Sprintf("%x", r.Hash)
	slip, asked, err := reading.Slip(nil)
	if err != nil {
		return refuse(err)
	}
	for _, i := range asked {
		s.Unsure = append(s.Unsure, describeBox(reading, i))
	}
	if asked != nil {
		return s, nil
	}
	s.Stake, s.Draws = int64(slip.Stake), slip.Draws
	for i, b := range slip.Boards {
		line := boardJSON{cmp.Or(b.Letter, i+1), map[string][]int{}, b.QuickPick}
		for m, picks := range b.Picks {
			line.Picks[r.Matrices[m].Key] = append([]int{}, picks...)
		}
		s.Boards = append(s.Boards, line)
	}
	if _, err := wager.New(r, slip); err != nil {
		return refuse(err)
	}
	return s, nil
}

// describeBox says what marking a box would mean.
func describeBox(reading *paper.Reading, i int) boxJSON {
	r, f := reading.Layout.Rules, reading.Layout.Boxes[i].Field
	b := boxJSON{Kind: f.Kind.String(), Ink: float64(int(1000*reading.Ink[i])) / 1000}
	switch f.Kind {
	case paper.Element:
		b.Board, b.Matrix, b.Value = f.Board+1, r.Matrices[f.Matrix].Key, int64(f.N)
	case paper.QuickPick:
		b.Board = f.Board + 1
	case paper.Stake:
		b.Value = int64(r.Stakes[f.N])
	case paper.Draws:
		b.Value = int64(r.DrawCounts[f.N])
	}
	return b
}

// words says a slip in one paragraph.
func (s readingJSON) words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ", s.File)
	if s.Game != "" {
		fmt.Fprintf(&b, "%s (%s)", s.Game, s.Version)
	}
	for _, board := range s.Boards {
		fmt.Fprintf(&b, "\n  board %d:", board.Board)
		for key, picks := range sorted(board.Picks) {
			fmt.Fprintf(&b, " %s %v", key, picks)
		}
		if board.QuickPick {
			b.WriteString(" quick pick")
		}
	}
	if s.Stake > 0 {
		fmt.Fprintf(&b, "\n  stake %d.%02d", s.Stake/100, s.Stake%100)
	}
	if s.Draws > 0 {
		fmt.Fprintf(&b, "\n  draws %d", s.Draws)
	}
	for _, u := range s.Unsure {
		fmt.Fprintf(&b, "\n  unsure: %s", u.Kind)
		if u.Board > 0 {
			fmt.Fprintf(&b, " of board %d", u.Board)
		}
		if u.Matrix != "" {
			fmt.Fprintf(&b, ", %s", u.Matrix)
		}
		if u.Value > 0 {
			fmt.Fprintf(&b, " %d", u.Value)
		}
	}
	if s.Refused != "" {
		fmt.Fprintf(&b, "\n  refused: %s", s.Reason)
	}
	return b.String()
}

// sorted gives a map in the order of its keys.
func sorted(m map[string][]int) iter.Seq2[string, []int] {
	return func(yield func(string, []int) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}
