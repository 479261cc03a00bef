package central

import (
	"context"
	"time"

	"tirage/money"
	"tirage/party"
)

// SetLimits sets limits of a player: lower ones at once, higher ones (0 is none,
// the highest) after the time that the rules say. nil leaves a limit.
type SetLimits struct {
	Key      string
	Player   string
	Deposits *money.Amount
	Stakes   *money.Amount
}

// SetLimits sets limits. Refusals: [party.ErrLimits], [party.ErrUnknownPlayer], [party.ErrPlayerClosed], [ErrKey], [ErrKeyReused].
func (s *System) SetLimits(ctx context.Context, l SetLimits) error { return errToBuild }

// Exclude excludes a player from play and deposits for a time; nobody can end it earlier.
type Exclude struct {
	Key    string
	Player string
	For    time.Duration
	Pause  bool // a pause: messages still reach him
}

// Exclude excludes a player. Refusals: [party.ErrExclusion], [party.ErrUnknownPlayer], [ErrKey], [ErrKeyReused].
func (s *System) Exclude(ctx context.Context, e Exclude) error { return errToBuild }

// AcceptTerms accepts a version of the rules of accounts: the one in force. Refusals: [party.ErrTerms], [party.ErrUnknownPlayer], [ErrKey], [ErrKeyReused].
func (s *System) AcceptTerms(ctx context.Context, key, player, version string) error {
	return errToBuild
}

// AccountRules are the rules of accounts in force on the day of now; nil: none is published, and nobody can sign up.
func (s *System) AccountRules() *party.Rules { return nil }

// PublishAccounts publishes a version of the rules of accounts. Refusals: the
// faults of [party.ParseRules], [ErrPublished], [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) PublishAccounts(ctx context.Context, p PublishRules) (*party.Rules, error) {
	return nil, errToBuild
}

// CheckIdentity sets whether a player's identity was checked, by an officer with a reason.
type CheckIdentity struct {
	Key       string
	Officer   string
	Player    string
	Confirmed bool
	Reason    string
}

// CheckIdentity confirms an account, or takes that back. Refusals: [ErrReason], [party.ErrUnknownPlayer], [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) CheckIdentity(ctx context.Context, c CheckIdentity) error { return errToBuild }

// CloseAccount closes a player's account; its balance is paid out to iban, which may be empty when there is none.
// Refusals: [ErrIBAN], [party.ErrUnconfirmed] (a balance is paid to a person who was checked only), [party.ErrUnknownPlayer], [party.ErrPlayerClosed], [ErrKey], [ErrKeyReused].
func (s *System) CloseAccount(ctx context.Context, key, player, iban string) error { return errToBuild }
