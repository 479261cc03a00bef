package paper

// Mark is what a box of a slip holds. Its zero value is no answer.
type Mark uint8

const (
	Empty  Mark = iota + 1
	Marked      // by a cross, a tick, a stroke or a scribble
	Unsure      // it may be either, and a person is asked
)

// String returns the name in readings.
func (m Mark) String() string {
	switch m {
	case Empty:
		return "empty"
	case Marked:
		return "marked"
	case Unsure:
		return "unsure"
	}
	return "invalid"
}
