package paper

import (
	_ "embed"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// The display face, Almendra, for the names of games without a logo.
//
//go:embed font/almendra-700.ttf
var displayTTF []byte

// A face is one of the typefaces that slips are set in.
type face uint8

const (
	plainFace face = iota
	boldFace
	displayFace
)

// faces are the files, what a PDF calls them, and the same read.
var faces = [...]struct {
	name string
	ttf  []byte
	font *sfnt.Font
}{
	plainFace:   {"plain", regularTTF, regular},
	boldFace:    {"bold", boldTTF, bold},
	displayFace: {"display", displayTTF, mustFont(displayTTF)},
}

const mmPerPoint = 25.4 / 72

// textWidth is how wide a text is set in size points, in mm. Kerning is left
// out, here and wherever text is drawn, so that every renderer sets it alike.
func textWidth(f face, size float64, s string) float64 {
	var buf sfnt.Buffer
	total := 0
	em := faces[f].font.UnitsPerEm()
	for _, r := range s {
		i, err := faces[f].font.GlyphIndex(&buf, r)
		if err != nil {
			continue
		}
		advance, err := faces[f].font.GlyphAdvance(&buf, i, fixed.Int26_6(em)<<6, font.HintingNone)
		if err == nil {
			total += int(advance)
		}
	}
	return float64(total) / 64 / float64(em) * size * mmPerPoint
}

// covers says whether the face has every character of a text.
func covers(f face, s string) bool {
	var buf sfnt.Buffer
	for _, r := range s {
		if i, err := faces[f].font.GlyphIndex(&buf, r); err != nil || i == 0 {
			return false
		}
	}
	return true
}

func assert(ok bool, what string) {
	if !ok {
		panic("paper: " + what)
	}
}
