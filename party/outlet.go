// Package party is who acts: outlets, their terminals, and officers.
package party

import (
	"fmt"
	"regexp"
	"time"

	"tirage/money"
)

// Outlet is a point of sale (point de vente).
type Outlet struct {
	ID          string // 8 random bytes in hex: the name in the journal and the ledger
	Number      int    // printed on tickets (numéro du point d'enregistrement)
	Territory   string // key of a game.Territory: its zone, and what it may sell
	Zone        string // IANA zone of the outlet's local dates
	CreditLimit money.Amount
	Blocked     bool   // it neither sells nor pays
	Centre      bool   // a payment centre (centre de paiement, AMI-11.2)
	Cause       string // why the system blocked it: [Unpaid]; empty: it did not
}

// Unpaid is the cause for which the system blocks an outlet: a direct debit came
// back, or a statement was not paid in time.
const Unpaid = "unpaid"

// Terminal is a device of an outlet; it signs on with a device key.
type Terminal struct {
	ID        string // 8 random bytes in hex
	Outlet    string
	Renewed   int  // how often it was given a new key
	Withdrawn bool // it signs on no more, for good
}

// Officer is a person of the operator who acts on the system; signs on with a password.
type Officer struct {
	ID    string // 8 random bytes in hex
	Roles []string
}

var (
	idPattern        = regexp.MustCompile(`^[0-9a-f]{16}$`)
	territoryPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
)

// Check tells whether the particulars of an outlet are valid: nil, or [ErrOutlet]
// with the first that is not. Which territories there are is for the rule books.
func (o Outlet) Check() error {
	switch _, err := o.Location(); {
	case !idPattern.MatchString(o.ID):
		return fmt.Errorf("%w: id %.40q is not 8 bytes in hex", ErrOutlet, o.ID)
	case o.Number <= 0:
		return fmt.Errorf("%w: number %d is not positive", ErrOutlet, o.Number)
	case len(o.Territory) > 40 || !territoryPattern.MatchString(o.Territory):
		return fmt.Errorf("%w: territory %.40q is not a key", ErrOutlet, o.Territory)
	case err != nil:
		return err
	case o.CreditLimit < 0 || o.CreditLimit > money.Limit:
		return fmt.Errorf("%w: credit limit %s", ErrOutlet, o.CreditLimit)
	}
	return nil
}

// Location returns the outlet's zone, or [ErrOutlet]. "" and "Local", which Go
// reads as zones, are not: the first names none, the second depends on the machine.
func (o Outlet) Location() (*time.Location, error) {
	zone, err := time.LoadLocation(o.Zone)
	if err != nil || o.Zone == "" || o.Zone == "Local" {
		return nil, fmt.Errorf("%w: zone %.40q is not known", ErrOutlet, o.Zone)
	}
	return zone, nil
}
