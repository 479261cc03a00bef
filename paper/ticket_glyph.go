package paper

import "math"

// across writes a word in large hollow letters over all the ticket, again and
// again, but not over its code: what stands under it can still be read.
func (r *roll) across(word string) {
	const size, angle, every = 130, -0.9, 640
	width := dotsWide(boldFace, size, word)
	high := width * math.Sin(-angle)
	for y := 90.0; y+high/2 < r.y; y += every {
		bottom := min(y+high+80, r.y)
		if r.covered(bottom-high-60, bottom+30) {
			continue
		}
		at := Point{(rollWidth-width*math.Cos(angle))/2 + size*0.25, bottom}
		sin, cos := math.Sincos(angle)
		for _, letter := range letters(boldFace, word) {
			for _, contour := range letter {
				for i, p := range contour {
					contour[i] = Point{at.X + size*(p.X*cos-p.Y*sin), at.Y + size*(p.X*sin+p.Y*cos)}
				}
			}
			r.draw(figure{letter, 3, true})
		}
	}
}

// covered tells whether something stands between two lines that is not to be written over.
func (r *roll) covered(top, bottom float64) bool {
	for i := 0; i < len(r.clear); i += 2 {
		if top < r.clear[i+1] && bottom > r.clear[i] {
			return true
		}
	}
	return false
}
