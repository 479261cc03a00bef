package game

// Combination is the rank of a combination in its game's space: 0 ≤ c < Rules.Size().
type Combination int64

// Picks are elements by matrix, each 1-based and ascending: the words of a combination.
type Picks [][]int

// Result is what a draw drew (résultat): elements by drawn set, 1-based, in the order drawn.
type Result [][]int

// Mask has a bit for each element, matrix after matrix.
type Mask [2]uint64
