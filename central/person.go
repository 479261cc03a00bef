package central

import (
	"context"
	"errors"

	"tirage/game"
	"tirage/money"
	"tirage/party"
)

var (
	// ErrPerson is a sign-up with particulars that are missing or cannot be; the error is a [PersonError].
	ErrPerson = errors.New("particulars are missing or not valid")
	// ErrToken is a link of a message that is not right, or too old.
	ErrToken = errors.New("the link is not right, or too old")
	// ErrLocked is a sign-on after too many that failed: it is tried again later.
	ErrLocked = errors.New("too many failed sign-ons: locked for a while")
	// ErrCode is a code of an authenticator that is not right, or was used before.
	ErrCode = errors.New("code not right")
)

// Person is who a player is, in no record.
type Person struct {
	Email      string
	FirstName  string
	LastName   string
	BirthDay   game.Day
	BirthPlace string
	Lang       string // "fr", "en": of his messages
}

// PersonError is a refusal by [ErrPerson]: the field, by its name in Person in lower case.
type PersonError struct{ Field string }

// SignUp opens a player's account (INS-online).
type SignUp struct {
	Key      string
	Person   Person
	Password string
	Terms    string       // version of the rules of accounts that he has accepted
	Deposits money.Amount // limits over 7 days, chosen by the player; 0: none
	Stakes   money.Amount
}

// SignUp opens an account and sends a message to confirm the address. It
// answers the same when the address, or the person, has an account already:
// then the message says so, to that account's address, and nothing else is done
// (nobody finds out who has one). Refusals: [ErrPerson], [party.ErrAdult],
// [party.ErrTerms], [party.ErrLimits], [ErrPassword], [ErrKey], [ErrKeyReused].
func (s *System) SignUp(ctx context.Context, u SignUp) error { return errToBuild }

// ConfirmEmail confirms an address by the token of its message. Refusal: [ErrToken].
func (s *System) ConfirmEmail(ctx context.Context, token string) error { return errToBuild }

// ForgotPassword sends a link to set a new password, if the address has an account; it answers the same if not.
func (s *System) ForgotPassword(ctx context.Context, email string) error { return errToBuild }

// ResetPassword sets a new password by the token of a message, and ends all sessions. Refusals: [ErrToken], [ErrPassword].
func (s *System) ResetPassword(ctx context.Context, token, password string) error { return errToBuild }

// SignOnPlayer returns the player of an address and password, and a code of his
// authenticator if he has one. Refusals: [ErrSignOn] (the same, after the same
// time, for an address without account, or not confirmed), [ErrCode] (the
// password is right), [ErrLocked] (after too many failures; said for any address).
func (s *System) SignOnPlayer(ctx context.Context, email, password, code string) (party.Player, error) {
	return party.Player{}, errToBuild
}
