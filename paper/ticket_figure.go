package paper

// A figure is contours together: filled, by the non-zero rule, so that their
// directions say which are holes; or drawn as lines with round ends and joints.
type figure struct {
	contours [][]Point
	line     float64 // how wide its lines are; 0: it is filled
	closed   bool    // its lines are
}

// pieces are what is to be filled of a figure, one after another: pieces of
// lines in several directions, filled together, would cancel each other out.
func (s figure) pieces() [][][]Point {
	if s.line == 0 {
		return [][][]Point{s.contours}
	}
	var list [][][]Point
	for _, contour := range s.contours {
		n := len(contour) - 1
		if s.closed {
			n++
		}
		for i := range n {
			if a, b := contour[i], contour[(i+1)%len(contour)]; a != b {
				list = append(list, [][]Point{bar(s.line, a, b)})
			}
		}
		for _, p := range contour {
			list = append(list, [][]Point{circle(p, s.line/2, max(12, int(s.line)))})
		}
	}
	return list
}
