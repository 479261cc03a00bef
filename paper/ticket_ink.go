package paper

import (
	"encoding/xml"
	"math"
	"strconv"
	"strings"

	"tirage/art"
)

// A loop is a polygon, or a line.
type loop []Point

// A figure is loops together: filled, by the non-zero rule, so that their
// directions say which are holes; or drawn as lines with round ends and joints.
type figure struct {
	loops  []loop
	line   float64 // how wide its lines are; 0: it is filled
	closed bool    // its lines are
}

// thermalArt is a drawing for thermal printers, which know black and white only: one of
// our files of art named ticket-*, made of paths and circles, in loops.
type thermalArt struct {
	left, top, width, height float64 // its view box
	shapes                   []figure
}

// thermalFile is what such a file may have.
type thermalFile struct {
	ViewBox string `xml:"viewBox,attr"`
	Fill    string `xml:"fill,attr"`
	Shapes  []struct {
		XMLName xml.Name
		D       string  `xml:"d,attr"`
		X       float64 `xml:"cx,attr"`
		Y       float64 `xml:"cy,attr"`
		R       float64 `xml:"r,attr"`
		Fill    string  `xml:"fill,attr"`
		Stroke  float64 `xml:"stroke-width,attr"`
	} `xml:",any"`
}

// thermalArtOf reads a drawing; ok is false when there is none of that name.
func thermalArtOf(name string) (drawn thermalArt, ok bool) {
	b, err := art.Files.ReadFile("ticket-" + name + ".svg")
	if err != nil {
		return thermalArt{}, false
	}
	var f thermalFile
	assert(xml.Unmarshal(b, &f) == nil, "a drawing of tickets can be read")
	box := strings.Fields(f.ViewBox)
	assert(len(box) == 4, "a drawing of tickets has a view box")
	drawn = thermalArt{pathNumber(box[0]), pathNumber(box[1]), pathNumber(box[2]), pathNumber(box[3]), nil}
	for _, s := range f.Shapes {
		var lines []loop
		closed := true
		switch s.XMLName.Local {
		case "path":
			lines, closed = readPath(s.D)
		case "circle":
			lines = []loop{roundLoop(Point{s.X, s.Y}, s.R)}
		default:
			continue
		}
		if s.Fill != "none" && (s.Fill != "" || f.Fill != "none") {
			drawn.shapes = append(drawn.shapes, figure{loops: lines})
		}
		if s.Stroke > 0 {
			drawn.shapes = append(drawn.shapes, figure{lines, s.Stroke, closed})
		}
	}
	return drawn, true
}

func pathNumber(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	assert(err == nil, "a drawing of tickets has a number")
	return v
}

// roundLoop is a circle in short lines.
func roundLoop(at Point, r float64) loop {
	n := max(12, int(2*r))
	o := make(loop, n)
	for i := range o {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		o[i] = Point{at.X + r*cos, at.Y + r*sin}
	}
	return o
}

// pieces are what is to be filled of a figure, one after another: pieces of
// lines in several directions, filled together, would cancel each other out.
func (s figure) pieces() [][]loop {
	if s.line == 0 {
		return [][]loop{s.loops}
	}
	var list [][]loop
	for _, o := range s.loops {
		n := len(o) - 1
		if s.closed {
			n++
		}
		for i := range n {
			a, b := o[i], o[(i+1)%len(o)]
			if d := math.Hypot(b.X-a.X, b.Y-a.Y); d > 0 {
				x, y := (b.Y-a.Y)/d*s.line/2, (a.X-b.X)/d*s.line/2
				list = append(list, []loop{{{a.X + x, a.Y + y}, {b.X + x, b.Y + y}, {b.X - x, b.Y - y}, {a.X - x, a.Y - y}}})
			}
		}
		for _, p := range o {
			list = append(list, []loop{roundLoop(p, s.line/2)})
		}
	}
	return list
}

// readPath reads the path of a drawing: moves, lines and curves, absolute or
// not, one after another. closed tells whether its lines are.
func readPath(d string) (lines []loop, closed bool) {
	var at, start Point
	words := pathWords(d)
	for i := 0; i < len(words); {
		command := words[i]
		i++
		if strings.EqualFold(command, "z") {
			closed, at = true, start
			continue
		}
		for first := true; i < len(words) && !isCommand(words[i]); first = false {
			size := pathArguments[strings.ToLower(command)]
			assert(size > 0 && i+size <= len(words), "the path of a drawing is one that we read")
			to := pathPoints(strings.ToLower(command), words[i:i+size], at, command >= "a")
			i += size
			if strings.EqualFold(command, "m") && first {
				start = to[0]
				lines = append(lines, loop{start})
			} else {
				lines[len(lines)-1] = curveOver(lines[len(lines)-1], at, to)
			}
			at = to[len(to)-1]
		}
	}
	return lines, closed
}

// pathArguments is how many numbers a command of a path takes.
var pathArguments = map[string]int{"m": 2, "l": 2, "h": 1, "v": 1, "q": 4, "c": 6}

func isCommand(word string) bool { return word[0] >= 'A' }

// pathWords cuts a path into commands and numbers.
func pathWords(d string) []string {
	var words []string
	for _, c := range d {
		last := len(words) - 1
		switch {
		case c == ' ' || c == ',' || c == '\n':
			words = append(words, "")
		case c >= 'A':
			words = append(words, string(c), "")
		case c == '-' || c == '.' && strings.Contains(words[last], "."):
			words = append(words, string(c))
		default:
			words[last] += string(c)
		}
	}
	kept := words[:0]
	for _, w := range words {
		if w != "" {
			kept = append(kept, w)
		}
	}
	return kept
}

// pathPoints are those that a command leads over, the last one to where it ends.
func pathPoints(command string, arguments []string, at Point, relative bool) []Point {
	from := Point{}
	if relative {
		from = at
	}
	switch command {
	case "h":
		return []Point{{from.X + pathNumber(arguments[0]), at.Y}}
	case "v":
		return []Point{{at.X, from.Y + pathNumber(arguments[0])}}
	}
	var list []Point
	for i := 0; i < len(arguments); i += 2 {
		list = append(list, Point{from.X + pathNumber(arguments[i]), from.Y + pathNumber(arguments[i+1])})
	}
	return list
}

// curveOver adds to a line what leads over points: a line, or a curve in short lines.
func curveOver(line loop, at Point, over []Point) loop {
	if len(over) == 1 {
		return append(line, over[0])
	}
	if len(over) == 2 { // of two degrees, as one of three
		q, to := over[0], over[1]
		over = []Point{{at.X + 2*(q.X-at.X)/3, at.Y + 2*(q.Y-at.Y)/3}, {to.X + 2*(q.X-to.X)/3, to.Y + 2*(q.Y-to.Y)/3}, to}
	}
	const steps = 8
	for i := 1; i <= steps; i++ {
		t := float64(i) / steps
		u := 1 - t
		a, b, c, d := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
		line = append(line, Point{
			a*at.X + b*over[0].X + c*over[1].X + d*over[2].X,
			a*at.Y + b*over[0].Y + c*over[1].Y + d*over[2].Y,
		})
	}
	return line
}
