package instant

import (
	"strings"
	"testing"
)

// The map as a player sees it; # is land.
const picture = `
..#####..
.#######.
#########
#########
#########
.#######.
.######..
`

func TestINS_4_1_Island(t *testing.T) {
	t.Parallel()
	rows := strings.Fields(picture)
	if len(rows) != Rows {
		t.Fatalf("%d rows, want %d", len(rows), Rows)
	}
	for s := range Square(255) {
		want := s.Row() < Rows && rows[s.Row()][s.Column()] == '#'
		if got := s.Land(); got != want {
			t.Errorf("square %d, row %d, column %d: land %t, want %t", s, s.Row(), s.Column(), got, want)
		}
	}
	if Square(255).Land() {
		t.Error("square 255 is land")
	}
	if got, want := len(land), strings.Count(picture, "#"); got != want {
		t.Errorf("%d squares of land, want %d", got, want)
	}
}

// Each throw of reach squares stays on the island, and one more does not, or is
// longer than the counter shows; both walked on the picture.
func TestINS_4_2_Reach(t *testing.T) {
	t.Parallel()
	rows := strings.Fields(picture)
	south := map[Direction]int{North: -1, NorthEast: -1, SouthEast: 1, South: 1, SouthWest: 1, NorthWest: -1}
	east := map[Direction]int{NorthEast: 1, East: 1, SouthEast: 1, SouthWest: -1, West: -1, NorthWest: -1}
	for s := range Square(Rows * Columns) {
		for d := North; d <= NorthWest; d++ {
			far, row, column := 0, s.Row(), s.Column()
			for s.Land() && far < ThrowMax {
				row, column = row+south[d], column+east[d]
				if row < 0 || row >= Rows || column < 0 || column >= Columns || rows[row][column] != '#' {
					break
				}
				far++
			}
			if got := reach[s][d]; got != far {
				t.Errorf("from %d to the %s: %d squares, want %d", s, d, got, far)
			}
		}
	}
}

func TestDirection_String(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for d := range NorthWest + 2 {
		names[d.String()] = true
	}
	if len(names) != int(NorthWest)+1 || !names["no direction"] {
		t.Errorf("directions are called %v", names)
	}
}
