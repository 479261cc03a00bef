package paper

import (
	"math"
	"strings"

	goqr "github.com/piglig/go-qr"

	"tirage/art"
)

// Tickets are as wide as thermal printers print on a roll of 80 mm: 576 dots of
// an eighth of a millimetre (203 dpi).
const (
	rollWidth = 576
	dotsPerMM = 8
)

// roll is the paper of a ticket as it is laid out, in dots.
type roll struct {
	y     float64 // where the next block begins
	marks []printed
	clear []float64 // pairs of y: what stands between them is not written over
}

// printed is one thing on it: a text at its base line, or a figure.
type printed struct {
	words  string
	face   face
	size   float64 // of the type, in dots
	at     Point
	white  bool // on black
	figure figure
}

func (t Ticket) layOut() *roll { return layOut(t.blocks(), t.Training) }

// layOut puts blocks on paper, one below the other.
func layOut(blocks []block, training bool) *roll {
	r := &roll{y: 8}
	for _, b := range blocks {
		b.put(r)
	}
	if training {
		r.across("SPÉCIMEN")
	}
	r.y += 16
	return r
}

// dotsWide is how wide a text is.
func dotsWide(f face, size float64, s string) float64 {
	return textWidth(f, size/dotsPerMM/mmPerPoint, s) * dotsPerMM
}

func (r *roll) text(f face, size, x, y float64, words string) {
	r.marks = append(r.marks, printed{words: words, face: f, size: size, at: Point{x, y}})
}

func (r *roll) draw(s figure) { r.marks = append(r.marks, printed{figure: s}) }

// bar fills a rectangle.
func (r *roll) bar(x, y, w, h float64) {
	corners := Rect{x, y, w, h}.corners()
	r.draw(figure{contours: [][]Point{corners[:]}})
}

// frame is the lines around a rectangle, of some width, inside it.
func (r *roll) frame(x, y, w, h, line float64) {
	r.bar(x, y, w, line)
	r.bar(x, y+h-line, w, line)
	r.bar(x, y+line, line, h-2*line)
	r.bar(x+w-line, y+line, line, h-2*line)
}

// lines writes words in lines no wider than width, from the left or in the middle.
func (r *roll) lines(f face, size, x, width float64, middle bool, words string) {
	for _, l := range brokenLines(f, size, width, words) {
		at := x
		if middle {
			at = x + (width-dotsWide(f, size, l))/2
		}
		r.y += math.Round(size * 0.98)
		r.text(f, size, at, r.y, l)
		r.y += math.Round(size * 0.24)
	}
}

// brokenLines breaks a text at its spaces into lines no wider than width; a word that is wider, anywhere.
func brokenLines(f face, size, width float64, words string) []string {
	var list []string
	last := ""
	for w := range strings.SplitSeq(words, " ") {
		joined := w
		if last != "" {
			joined = last + " " + w
		}
		if dotsWide(f, size, joined) <= width {
			last = joined
			continue
		}
		if last != "" {
			list = append(list, last)
		}
		for last = ""; w != ""; w = "" {
			for _, c := range w {
				if dotsWide(f, size, last+string(c)) > width {
					list, last = append(list, last), ""
				}
				last += string(c)
			}
		}
	}
	list = append(list, last)
	for i := range list {
		list[i] = strings.TrimRight(list[i], nbsp)
	}
	return list
}

// place draws a picture in a box, as large as it goes, in the middle.
func (r *roll) place(p picture, x, y, w, h float64) {
	wide := min(w, h*p.aspect())
	at := Point{x + (w-wide)/2, y + (h-wide/p.aspect())/2}
	for _, s := range p.shapes {
		r.draw(figure{contours: moved(s.contours, at, wide, wide)})
	}
}

// thermalArt names a drawing for thermal printers, which know black and white only.
func thermalArt(name string) string { return "ticket-" + name }

func (b emblem) put(r *roll) {
	if logo := thermalArt(b.code); art.Has(logo) {
		r.place(pictureOf(logo), 48, r.y, rollWidth-96, 96)
		r.y += 104
		return
	}
	r.lines(boldFace, 52, 0, rollWidth, true, b.name)
	r.y += 8
}

func (b band) put(r *roll) {
	const height = 68
	r.bar(0, r.y, rollWidth, height)
	r.marks = append(r.marks, printed{words: b.words, face: boldFace, size: 52, at: Point{(rollWidth - dotsWide(boldFace, 52, b.words)) / 2, r.y + 53}, white: true})
	r.y += height
	r.lines(plainFace, 18, 0, rollWidth, true, b.note)
	r.y += 10
}

func (b pairs) put(r *roll) {
	for _, p := range b {
		size := p.size
		if size == 0 {
			size = 24
		}
		r.y += math.Round(size * 1.04)
		r.text(plainFace, 22, 0, r.y, p.name)
		room := rollWidth - dotsWide(plainFace, 22, p.name) - 16
		if w := dotsWide(boldFace, size, p.value); w <= room {
			r.text(boldFace, size, rollWidth-w, r.y, p.value)
			r.y += math.Round(size * 0.28)
			continue
		}
		r.y += 6
		for _, l := range brokenLines(boldFace, size, rollWidth, p.value) {
			r.y += size
			r.text(boldFace, size, rollWidth-dotsWide(boldFace, size, l), r.y, l)
			r.y += math.Round(size * 0.24)
		}
	}
}

func (b sentence) put(r *roll) { r.lines(b.face, b.size, 0, rollWidth, false, b.words) }

func (divider) put(r *roll) {
	r.y += 8
	r.bar(0, r.y, rollWidth, 2)
	r.y += 8
}

func (b wording) put(r *roll) {
	x := 0.0
	if b.inset {
		x = 48
	}
	if b.letter != "" {
		r.y += 6
		r.text(boldFace, 40, 0, r.y+40, b.letter)
	}
	r.lines(plainFace, 20, x, rollWidth-x, false, b.heading)
	if len(b.names) == 0 {
		r.y += 4
		return
	}
	if b.short {
		r.lines(boldFace, 32, x, rollWidth-x, false, strings.Join(b.names, nbsp+" "))
		r.y += 4
		return
	}
	r.columns(boldFace, 26, x, b.names)
	r.y += 4
}

// columns writes names in two columns, read across, or in one where a name needs it.
func (r *roll) columns(f face, size, x float64, names []string) {
	half := (rollWidth - x) / 2
	for _, n := range names {
		if dotsWide(f, size, n) > half-12 {
			half = rollWidth
		}
	}
	for i := 0; i < len(names); i++ {
		top := r.y
		r.lines(f, size, x, rollWidth-x, false, names[i])
		if half < rollWidth && i+1 < len(names) {
			i++
			r.y = top
			r.lines(f, size, x+half, rollWidth-x-half, false, names[i])
		}
	}
}

// The map is the island's drawing, made smaller.
const (
	chartScale = 0.5
	squareSide = 40
)

func (b chart) put(r *roll) {
	coast := pictureOf(thermalArt("island"))
	width, height := coast.view.W*chartScale, coast.view.H*chartScale
	r.y += 6
	r.place(coast, (rollWidth-width)/2, r.y, width, height)
	for _, key := range b.places {
		p, _ := spotOf(key)
		x := (rollWidth-width)/2 + (p.X-coast.view.X)*chartScale - squareSide/2
		y := r.y + (p.Y-coast.view.Y)*chartScale - squareSide/2
		chosen := false
		for _, c := range b.chosen {
			chosen = chosen || c == key
		}
		if !chosen {
			r.frame(x+4, y+4, squareSide-8, squareSide-8, 1)
			continue
		}
		r.frame(x, y, squareSide, squareSide, 4)
		r.draw(figure{[][]Point{
			{{x + 10, y + 10}, {x + squareSide - 10, y + squareSide - 10}},
			{{x + squareSide - 10, y + 10}, {x + 10, y + squareSide - 10}},
		}, 6, false})
	}
	r.y += height + 6
}

const (
	quietModules = 4
	sealMax      = 320 // dots of the QR code, its quiet zone besides
)

func (b seal) put(r *roll) {
	from := r.y
	if qr, err := goqr.EncodeText(b.says, goqr.Medium); err == nil && b.says != "" {
		r.code(qr)
	}
	r.lines(boldFace, 30, 0, rollWidth, true, b.code)
	if b.site != "" {
		r.lines(plainFace, 18, 0, rollWidth, true, "Pour vérifier ce reçu : "+b.site)
	}
	r.y += 6
	r.clear = append(r.clear, from, r.y)
}

// code draws a QR code in the middle, each module a whole number of dots.
func (r *roll) code(qr *goqr.QrCode) {
	side := float64(max(3, min(8, sealMax/qr.Size())))
	r.y += quietModules * side
	x := math.Floor((rollWidth - side*float64(qr.Size())) / 2)
	for row := range qr.Size() {
		for col := 0; col < qr.Size(); col++ {
			first := col
			for col < qr.Size() && qr.Module(col, row) {
				col++
			}
			if col > first {
				r.bar(x+side*float64(first), r.y+side*float64(row), side*float64(col-first), side)
			}
		}
	}
	r.y += side*float64(qr.Size()) + (quietModules-1)*side
}

func (help) put(r *roll) {
	divider{}.put(r)
	r.text(boldFace, 40, 0, r.y+42, "18+")
	r.lines(plainFace, 18, 84, rollWidth-84, false, "Jeux interdits aux mineurs. Jouer comporte des risques : endettement, isolement, dépendance. Pour être aidé :")
	r.lines(boldFace, 20, 84, rollWidth-84, false, "09"+nbsp+"74"+nbsp+"75"+nbsp+"13"+nbsp+"13 (appel non surtaxé)")
}
