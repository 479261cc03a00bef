package main

import (
	"encoding/json"
	"fmt"
	"os"

	"tirage/game"
	"tirage/paper"
)

type slipCmd struct {
	Game string `arg:"" help:"A game that comes with tirage, or the file of a rule book."`
	Out  string `name:"out" placeholder:"FILE.pdf" help:"Write the slip as PDF, A6 landscape; without --json to bulletin-GAME.pdf if not said."`
	JSON bool   `name:"json" help:"Print where everything stands on the slip, as JSON."`
}

// Help shows how it is used.
func (slipCmd) Help() string {
	return "The paper slip (bulletin) of a draw game, to print at true size (100 %, not fitted to the page).\n\nExamples:\n" +
		"  tirage slip ile-au-tresor --out bulletin.pdf\n  tirage slip my-game.yaml --json"
}

// slipJSON is the form of --json: lengths in mm from the top left corner.
type slipJSON struct {
	Game    string     `json:"game"`
	Version string     `json:"version"`
	Code    string     `json:"code"` // what the QR code says
	Width   float64    `json:"width"`
	Height  float64    `json:"height"`
	Boards  int        `json:"boards"`
	Marks   [4]xyJSON  `json:"marks"` // centres: top left, top right, bottom right, bottom left
	QR      rectJSON   `json:"qr"`
	Boxes   []slotJSON `json:"boxes"`
}

type xyJSON struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

type rectJSON struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// slotJSON is a box: what marking it says, and where it stands. Of kind
// "stake" the value is in cents, of "draws" their number, of "element" the
// element, from 1. Boards and matrices count from 1.
type slotJSON struct {
	Kind   string `json:"kind"`
	Board  int    `json:"board,omitempty"`
	Matrix int    `json:"matrix,omitempty"`
	Value  int64  `json:"value,omitempty"`
	rectJSON
}

// Run writes the slip.
func (c slipCmd) Run(e *env) error {
	name, b, err := readBook(c.Game)
	if err != nil {
		return err
	}
	if kind := kindOf(b); kind == instantKind || kind == accountsBook || kind == termsBook {
		return fmt.Errorf("%s: slips are of draw games", name)
	}
	r, err := game.Parse(name, b)
	if err != nil {
		return err
	}
	l, err := paper.NewLayout(r)
	if err != nil {
		return err
	}
	if c.Out == "" && !c.JSON {
		c.Out = "bulletin-" + string(r.Code) + ".pdf"
	}
	if c.Out != "" {
		pdf, err := l.PDF()
		if err != nil {
			return err
		}
		if err := os.WriteFile(c.Out, pdf, 0o644); err != nil {
			return err
		}
	}
	if c.JSON {
		return json.NewEncoder(e.stdout).Encode(describeSlip(l))
	}
	_, err = fmt.Fprintf(e.stdout, "%s: %s, version %s, boards: %d of at most %d, boxes: %d\n", c.Out, r.Name.EN, r.Version, l.Boards, r.BoardsMax, len(l.Boxes))
	return err
}

func describeSlip(l *paper.Layout) slipJSON {
	s := slipJSON{
		Game: string(l.Rules.Code), Version: l.Rules.Version, Code: paper.SlipText(l.Rules),
		Width: l.Width, Height: l.Height, Boards: l.Boards, QR: rectJSON(l.QR),
	}
	for i, m := range l.Marks {
		s.Marks[i] = xyJSON(m)
	}
	for _, b := range l.Boxes {
		f := b.Field
		box := slotJSON{Kind: f.Kind.String(), rectJSON: rectJSON(b.Rect)}
		switch f.Kind {
		case paper.Element:
			box.Board, box.Matrix, box.Value = f.Board+1, f.Matrix+1, int64(f.N)
		case paper.QuickPick:
			box.Board = f.Board + 1
		case paper.Stake:
			box.Value = int64(l.Rules.Stakes[f.N])
		case paper.Draws:
			box.Value = int64(l.Rules.DrawCounts[f.N])
		}
		s.Boxes = append(s.Boxes, box)
	}
	return s
}
