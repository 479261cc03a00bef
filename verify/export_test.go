package verify

import (
	"encoding/json"

	"tirage/money"
)

// BoardReader reads boards, as the text of a unit has them, by a rule book.
func BoardReader(book []byte) (func(price money.Amount, text []byte) (money.Amount, error), error) {
	r, err := parseBook(book)
	return func(price money.Amount, text []byte) (money.Amount, error) {
		var b board
		if err := json.Unmarshal(text, &b); err != nil {
			return 0, err
		}
		prizes, err := r.prizes(price)
		if err != nil {
			return 0, err
		}
		return b.prize(prizes)
	}, err
}
