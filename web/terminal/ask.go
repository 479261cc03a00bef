package terminal

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tirage/game"
	"tirage/money"
	"tirage/paper"
	"tirage/web/page"
)

// askPage shows a slip and asks about one box of it that is unsure: nothing is
// guessed. What was answered stands in its address.
type askPage struct {
	frame
	Photo        string // address of the picture
	Width        float64
	Height       float64
	Marked       []paper.Rect // read as marked, and answered so
	Waiting      []paper.Rect // that are asked about later
	Near         paper.Rect   // about the box that is asked about, and hides nothing of it
	Round        paper.Rect   // the same with more room
	Zoom         paper.Rect   // around it
	Asked        asked
	N, Of        int     // the question, of how many
	State        []field // of the form: the desk, the picture, the answers before
	Marks, Empty string  // the answers, as the form sends them
	Again        string  // address at which another photo is taken
}

// asked is a box in words.
type asked struct {
	Kind   string // "element", "flash", "stake", "draws"
	Board  string // letter; "": the slip has one
	Matrix game.Text
	Name   game.Text
	Art    string // drawing; "": none
	Stake  money.Amount
	Draws  int
}

// answersMax bounds the answers of an address: no slip has more boxes.
const answersMax = 1000

// ask shows the next unsure box of a picture, or fills in the desk once there is none.
func (t *terminal) ask(w http.ResponseWriter, r *http.Request, s seat) error {
	q := r.URL.Query()
	d, err := readDesk(q, s.games)
	if err != nil {
		return err
	}
	id := q.Get("photo")
	x, err := t.shots.get(t.app.SessionMark(r, page.TerminalSession), id)
	if err != nil {
		return t.refuseScan(w, r, s, d, "", err)
	}
	answers, err := readAnswers(q["r"], len(x.reading.Marks))
	if err != nil {
		return err
	}
	slip, ask, err := x.reading.Slip(answers)
	if err == nil && len(ask) == 0 {
		if err = d.lay(slip, "paper"); err == nil {
			http.Redirect(w, r, d.address(), http.StatusSeeOther)
			return nil
		}
	}
	if err != nil {
		return t.refuseScan(w, r, s, d, "", err)
	}
	f, err := t.frame(r, s, "ask.title", pathAsk)
	if err != nil {
		return err
	}
	p := newAskPage(f, x.reading, answers, ask)
	p.Photo = pathPicture + id
	v := d.values()
	p.Again = pathScan
	if len(v) > 0 {
		p.Again += "?" + v.Encode()
	}
	v.Set("photo", id)
	v["r"] = q["r"]
	p.State = fieldsOf(v)
	return face.Render(w, r, http.StatusOK, "ask", p)
}

func newAskPage(f frame, reading *paper.Reading, answers map[int]paper.Mark, ask []int) askPage {
	l := reading.Layout
	i := ask[0]
	box := l.Boxes[i].Rect
	p := askPage{
		frame: f, Width: l.Width, Height: l.Height, Near: wider(box, 0.7), Round: wider(box, 1.6), Asked: askedOf(l, i), N: len(answers) + 1, Of: len(answers) + len(ask),
		Zoom:  around(box, 3.2*max(box.W, box.H), l),
		Marks: answer(i, paper.Marked), Empty: answer(i, paper.Empty),
	}
	for n, m := range reading.Marks {
		if a, ok := answers[n]; ok {
			m = a
		}
		switch {
		case n == i:
		case slices.Contains(ask, n):
			p.Waiting = append(p.Waiting, wider(l.Boxes[n].Rect, 0.7))
		case m == paper.Marked:
			p.Marked = append(p.Marked, wider(l.Boxes[n].Rect, 0.5))
		}
	}
	return p
}

// wider is a rectangle with d mm more at each side.
func wider(r paper.Rect, d float64) paper.Rect {
	return paper.Rect{X: r.X - d, Y: r.Y - d, W: r.W + 2*d, H: r.H + 2*d}
}

// around is a square of the slip with a box in its middle.
func around(box paper.Rect, size float64, l *paper.Layout) paper.Rect {
	c := box.Centre()
	return paper.Rect{X: min(max(0, c.X-size/2), l.Width-size), Y: min(max(0, c.Y-size/2), l.Height-size), W: size, H: size}
}

// View is a rectangle as the viewBox of a drawing.
func (p askPage) View() string {
	return fmt.Sprintf("%.2f %.2f %.2f %.2f", p.Zoom.X, p.Zoom.Y, p.Zoom.W, p.Zoom.H)
}

func askedOf(l *paper.Layout, i int) asked {
	at, r := l.Boxes[i].Field, l.Rules
	x := asked{}
	if l.Boards > 1 {
		x.Board = letterOf(at.Board + 1)
	}
	switch at.Kind {
	case paper.Element:
		m := r.Matrices[at.Matrix]
		e := m.Elements[at.N-1]
		x.Kind, x.Matrix, x.Name, x.Art = "element", m.Name, e.Name, page.LookOf(m).ArtOf(e)
	case paper.QuickPick:
		x.Kind = "flash"
	case paper.Stake:
		x.Kind, x.Stake = "stake", r.Stakes[at.N]
	case paper.Draws:
		x.Kind, x.Draws = "draws", r.DrawCounts[at.N]
	}
	return x
}

func answer(box int, m paper.Mark) string { return strconv.Itoa(box) + "." + strconv.Itoa(int(m)) }

// readAnswers reads what [answer] writes, of a slip of so many boxes.
func readAnswers(list []string, boxes int) (map[int]paper.Mark, error) {
	if len(list) > answersMax {
		return nil, fmt.Errorf("%w: %d answers", page.ErrForm, len(list))
	}
	answers := map[int]paper.Mark{}
	for _, text := range list {
		at, mark, _ := strings.Cut(text, ".")
		i, err := strconv.ParseUint(at, 10, 16)
		m := paper.Empty
		if mark == strconv.Itoa(int(paper.Marked)) {
			m = paper.Marked
		} else if mark != strconv.Itoa(int(paper.Empty)) {
			err = page.ErrForm
		}
		if err != nil || int(i) >= boxes {
			return nil, fmt.Errorf("%w: answer %.20q", page.ErrForm, text)
		}
		answers[int(i)] = m
	}
	return answers, nil
}

// picture serves the picture of a session, to it alone.
func (t *terminal) picture(w http.ResponseWriter, r *http.Request, _ seat) error {
	x, err := t.shots.get(t.app.SessionMark(r, page.TerminalSession), r.PathValue("id"))
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "image/jpeg")
	h.Set("Content-Length", strconv.Itoa(len(x.jpeg)))
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(x.jpeg) // the viewer may have gone
	return nil
}

// fieldsOf are values as hidden fields, in a fixed order.
func fieldsOf(v url.Values) []field {
	var list []field
	for name, texts := range v {
		for _, text := range texts {
			list = append(list, field{name, text})
		}
	}
	slices.SortStableFunc(list, func(a, b field) int { return strings.Compare(a.Name, b.Name) })
	return list
}
