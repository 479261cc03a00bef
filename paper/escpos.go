package paper

import "image"

// Commands of ESC/POS, which thermal printers speak. Only pictures are sent:
// what a printer's own type looks like, and which letters it has, differs.
var (
	escReset  = []byte{0x1b, '@'}
	escRaster = []byte{0x1d, 'v', '0', 0} // GS v 0: one dot a dot; then the size, then bits, 1 is black
	escCut    = []byte{0x1d, 'V', 66, 24} // GS V: feed to the knife and 3 mm more, then cut
)

// bandHeight is how many rows are sent at once: printers hold little.
const bandHeight = 128

// ESCPOS is the ticket for a thermal printer: the dots of [Ticket.Image] in
// bands, and the cut.
func (t Ticket) ESCPOS() []byte { return escpos(t.Image()) }

// escpos prints a picture and cuts: what is darker than half is black.
func escpos(img *image.Gray) []byte {
	b := append([]byte(nil), escReset...)
	size := img.Bounds().Size()
	width := (size.X + 7) / 8
	for top := 0; top < size.Y; top += bandHeight {
		height := min(bandHeight, size.Y-top)
		b = append(b, escRaster...)
		b = append(b, byte(width), byte(width>>8), byte(height), byte(height>>8))
		for y := top; y < top+height; y++ {
			row := make([]byte, width)
			for x := range size.X {
				if img.Pix[y*img.Stride+x] < 0x80 {
					row[x/8] |= 0x80 >> (x % 8)
				}
			}
			b = append(b, row...)
		}
	}
	return append(b, escCut...)
}
