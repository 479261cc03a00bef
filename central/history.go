package central

import (
	"context"
	"time"

	"tirage/game"
	"tirage/instant"
	"tirage/money"
)

// Movement is a line of a player's history.
type Movement struct {
	Record uint64
	At     time.Time
	Kind   string       // "sign-up", "unit", "deposit", "withdrawal", "returned", or a [party.ChangeKind]
	Amount money.Amount // added to the balance, or taken off (negative); of limits, the limit
	Means  string       // of a deposit
	Until  time.Time    // of a pause, exclusion or limit

	// Of a unit:
	Game  game.Code
	Pool  instant.PoolID
	Price money.Amount
	Prize money.Amount
}

// History is what happened on a player's account, newest first, from before a
// record (0: from the newest), at most limit. It follows a chain of records, of which none can be left out.
func (s *System) History(ctx context.Context, player string, before uint64, limit int) ([]Movement, error) {
	return nil, errToBuild
}

// Export is all that the system holds of a player, as JSON: his data and history.
func (s *System) Export(ctx context.Context, player string) ([]byte, error) { return nil, errToBuild }
