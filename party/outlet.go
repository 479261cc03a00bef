// Package party is who acts: outlets, their terminals, and officers.
package party

import "tirage/money"

// Outlet is a point of sale (point de vente).
type Outlet struct {
	ID          string // 8 random bytes in hex: the name in the journal and the ledger
	Number      int    // printed on tickets (numéro du point d'enregistrement)
	Territory   string // key of a game.Territory: its zone, and what it may sell
	Zone        string // IANA zone of the outlet's local dates
	CreditLimit money.Amount
	Blocked     bool
}

// Terminal is a device of an outlet; it signs on with a device key.
type Terminal struct {
	ID     string // 8 random bytes in hex
	Outlet string
}

// Officer is a person of the operator who acts on the system; signs on with a password.
type Officer struct {
	ID    string // 8 random bytes in hex
	Roles []string
}
