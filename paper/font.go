package paper

import (
	_ "embed"

	"golang.org/x/image/font/opentype"
)

// The fonts of what is printed, Atkinson Hyperlegible, with the characters of
// French and English only. They have no narrow no-break space (U+202F).
var (
	//go:embed font/atkinson-hyperlegible-400.ttf
	regularTTF []byte
	//go:embed font/atkinson-hyperlegible-700.ttf
	boldTTF []byte
)

var regular, bold = mustFont(regularTTF), mustFont(boldTTF)

// mustFont reads a font of ours.
func mustFont(ttf []byte) *opentype.Font {
	f, err := opentype.Parse(ttf)
	assert(err == nil, "a font of ours can be read")
	return f
}
