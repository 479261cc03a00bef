package central

import (
	"context"
	"errors"
	"time"

	"tirage/game"
	"tirage/money"
)

// ErrNotice is a notice of a card payment that is not authentic, or of none that was begun.
var ErrNotice = errors.New("not a notice of a payment of ours")

// CardProvider is a provider of card payments. It takes the card on pages of
// its own, and calls back when the payment is made, perhaps several times.
type CardProvider interface {
	// Begin begins a payment under our reference, and returns the address of
	// the provider's page; from there the player comes back to returnTo.
	Begin(ctx context.Context, reference string, amount money.Amount, returnTo string) (address string, err error)
	// Notice reads what the provider called back with, or returns [ErrNotice] when it is not the provider's.
	Notice(header map[string][]string, body []byte) (CardNotice, error)
	// Payments are the payments that the provider made on a Paris day, for reconciliation.
	Payments(ctx context.Context, day game.Day) ([]CardNotice, error)
}

// CardNotice is a payment that a provider has made.
type CardNotice struct {
	Reference string // ours
	Amount    money.Amount
	At        time.Time
}

// BeginCard begins a deposit by card and returns the address of the provider's
// page. Refusals: [party.ErrMeans] (also of a provider that there is not),
// [party.ErrDepositMin], [party.ErrLimit], [party.ErrExcluded], [party.ErrTerms], [party.ErrUnknownPlayer], [party.ErrPlayerClosed].
func (s *System) BeginCard(ctx context.Context, player, provider string, amount money.Amount, returnTo string) (address string, err error) {
	return "", errToBuild
}

// CardPaid takes a provider's notice: the deposit is made once, however often
// the provider calls. A payment that was made is credited even if a limit was
// reached meanwhile: the player has paid. Refusals: [ErrNotice].
func (s *System) CardPaid(ctx context.Context, provider string, header map[string][]string, body []byte) (Deposited, error) {
	return Deposited{}, errToBuild
}

// CardDifference is a payment that a provider and the ledger do not agree on: nil is what one of them has not.
type CardDifference struct {
	Reference string
	Theirs    *money.Amount
	Ours      *money.Amount
}

// ReconcileCards compares a provider's payments of a Paris day with the deposits
// of the ledger, and returns what differs: nothing, on a good day. Payments that
// the provider has and we have not are credited first, as their notice would have.
func (s *System) ReconcileCards(ctx context.Context, provider string, day game.Day) ([]CardDifference, error) {
	return nil, errToBuild
}
