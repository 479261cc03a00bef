package page

import (
	"strings"
	"testing"

	"tirage/game"
	"tirage/money"
	"tirage/wager"
)

// What is wrong with a multiple play or its price is said with what would fit.
func TestDescribe_MultiplePlay(t *testing.T) {
	t.Parallel()
	name := game.Text{FR: "Numéros", EN: "Numbers"}
	allowed := []game.Shape{{Extras: 1, Columns: 1}, {Extras: 4, Columns: 2}}
	plain := strings.NewReplacer("\u00a0", " ", "\u202f", " ")
	for _, c := range []struct {
		err         error
		french, eng string
	}{
		{
			&game.ShapeError{Name: name, Extras: []int{2, 0, 1}, Allowed: allowed},
			"« Numéros » : 2 et 1 en plus, ce n’est pas un jeu multiple admis. Il faut 1×1, 4×2 (numéros en plus × colonnes).",
			"“Numbers”: 2 and 1 extra make no multiple play. There are 1×1, 4×2 (extra numbers × columns).",
		},
		{
			&game.ShapeError{Name: name, Extras: []int{0, 0}, Also: 2},
			"« Numéros » : plusieurs numéros seulement avec un jeu multiple.", "“Numbers”: several numbers with a multiple play only.",
		},
		{
			&game.PicksError{Err: game.ErrTooFew, Matrix: "numbers", Name: name, Want: 9, Got: 8, Column: 3},
			"« Numéros » : 8 colonnes sur 9 ; la colonne 3 est vide.", "“Numbers”: 8 columns of 9; column 3 is empty.",
		},
		{
			&game.PicksError{Err: game.ErrTooMany, Matrix: "numbers", Name: name, Want: 1, Got: 2, Column: 3},
			"« Numéros », colonne 3 : 2 cochés pour 1 demandé. Retirez-en 1.", "“Numbers”, column 3: 2 ticked where 1 is asked. Remove 1.",
		},
		{
			&wager.ShapesError{Board: 2, Shape: allowed[0], Before: allowed[1]},
			"Un seul jeu multiple par bulletin : 1×1 ne va pas avec 4×2.", "One multiple play a slip: 1×1 does not go with 4×2.",
		},
		{
			&wager.LimitError{Price: money.Euros(120), Limit: money.Euros(100), Stake: 400, Draws: 2, Combinations: 3},
			"120,00 €, au-dessus des 100,00 € permis. Encore possible : 2 tirages, une mise de 4,00 € ou 3 combinaisons.",
			"€120.00, above the €100.00 allowed. Still possible: 2 draws, a stake of €4.00 or 3 combinations.",
		},
		{
			&wager.LimitError{Price: money.Euros(120), Limit: money.Euros(100), Draws: 1, Combinations: 1},
			"120,00 €, au-dessus des 100,00 € permis. Encore possible : 1 tirage ou 1 combinaison.",
			"€120.00, above the €100.00 allowed. Still possible: 1 draw or 1 combination.",
		},
		{
			&wager.LimitError{Price: money.Euros(120), Limit: money.Euros(100)},
			"120,00 €, au-dessus des 100,00 € permis. Retirez des numéros ou des grilles.",
			"€120.00, above the €100.00 allowed. Remove numbers or boards.",
		},
	} {
		for lang, want := range map[Lang]string{French: c.french, English: c.eng} {
			r := Describe(lang, c.err)
			if got := plain.Replace(r.Sentence); got != want || r.Status != 422 {
				t.Errorf("%v in %v: %d %q, want %q", c.err, lang, r.Status, got, want)
			}
		}
	}
}
