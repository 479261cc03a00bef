package central

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tirage/game"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/store"
)

var (
	// ErrNotice is a notice of a card payment that is not authentic, or of none that was begun.
	ErrNotice = errors.New("not a notice of a payment of ours")
	// ErrOwed is more money received from a provider of card payments than it owes.
	ErrOwed = errors.New("more than the provider owes")
)

// CardProvider is a provider of card payments. It takes the card on pages of
// its own, and calls back when the payment is made, perhaps several times.
type CardProvider interface {
	// Begin begins a payment under our reference, and returns the address of
	// the provider's page, which takes no payment later than [CardLife] after;
	// from there the player comes back to returnTo.
	Begin(ctx context.Context, reference string, amount money.Amount, returnTo string) (address string, err error)
	// Notice reads what the provider called back with, or returns [ErrNotice] when it is not the provider's.
	Notice(header map[string][]string, body []byte) (CardNotice, error)
	// Payments are the payments that the provider made on a Paris day, for reconciliation.
	Payments(ctx context.Context, day game.Day) ([]CardNotice, error)
}

// CardLife is how long a payment that was begun can be made. So long it counts
// as deposited: payments begun side by side pass no limit together.
const CardLife = 30 * time.Minute

// CardNotice is a payment that a provider has made.
type CardNotice struct {
	Reference string // ours
	Amount    money.Amount
	At        time.Time
}

// cardMeans is the means of deposits through a provider, and the first part of the account of what it owes.
func cardMeans(provider string) string { return "card/" + provider }

// referenceDigits are the hexadecimal digits of our references.
const referenceDigits = 32

// cardKeys begins the keys of deposits by card, so that they lie below those in
// order of time: references are random, and would lie among those to come (see [memory.loadKeys]).
const cardKeys = "00"

// cardReference is what a deposit by card refers to.
func cardReference(reference string) [32]byte { return sha256.Sum256([]byte(reference)) }

// paidFrom is the account of what a deposit was paid with.
func paidFrom(means string) ledger.Account {
	switch provider, card := strings.CutPrefix(means, cardMeans("")); {
	case card:
		return ledger.Card(provider)
	case means == party.DemoMeans:
		return ledger.Demo
	default:
		return ledger.Vouchers
	}
}

// BeginCard begins a deposit by card and returns the address of the provider's
// page. Refusals: [party.ErrMeans] (also of a provider that there is not),
// [party.ErrDepositMin], [party.ErrLimit], [party.ErrExcluded], [party.ErrTerms], [party.ErrUnknownPlayer], [party.ErrPlayerClosed], [ErrClock].
func (s *System) BeginCard(ctx context.Context, player, provider string, amount money.Amount, returnTo string) (address string, err error) {
	p, ok := s.cards[provider]
	switch {
	case s.clockOff():
		return "", ErrClock
	case !ok:
		return "", fmt.Errorf("%w: %.40q", party.ErrMeans, provider)
	case amount > money.Limit:
		return "", money.ErrLimit
	}
	var id [referenceDigits / 2]byte
	random(id[:])
	reference := hex.EncodeToString(id[:])
	err = s.do(ctx, &job{alone: true, private: true, decide: func(t *turn) error {
		if err := t.mayDepositNow(s.ctx, player, amount, cardMeans(provider)); err != nil {
			return err
		}
		return t.tx.AddCardPayment(s.ctx, store.CardPayment{Reference: reference, Provider: provider, Player: player, Amount: amount, At: t.at})
	}})
	if err != nil {
		return "", err
	}
	if address, err = p.Begin(ctx, reference, amount, returnTo); err != nil {
		// Nobody has its address, so nobody pays it.
		drop := s.private(context.WithoutCancel(ctx), func(t *turn) error { return t.tx.DeleteCardPayment(s.ctx, reference) })
		return "", fmt.Errorf("begin card payment at %s: %w", provider, errors.Join(err, drop))
	}
	return address, nil
}

// CardPaid takes a provider's notice: the deposit is made once, however often
// the provider calls. A payment that was made is credited even if a limit was
// reached or the player excluded himself meanwhile: he has paid. Refusals: [ErrNotice].
func (s *System) CardPaid(ctx context.Context, provider string, header map[string][]string, body []byte) (Deposited, error) {
	p, ok := s.cards[provider]
	if !ok {
		return Deposited{}, fmt.Errorf("%w: provider %.40q", ErrNotice, provider)
	}
	n, err := p.Notice(header, body)
	if err != nil {
		return Deposited{}, err
	}
	return s.cardPaid(ctx, provider, n)
}

// cardPaid credits a payment that a provider says it has made, once. It must be
// one that was begun with the provider, and of the amount begun.
func (s *System) cardPaid(ctx context.Context, provider string, n CardNotice) (Deposited, error) {
	begun, err := s.cardPayment(ctx, provider, n)
	if err != nil {
		return Deposited{}, err
	}
	key, err := commandKey(cardMeans(provider), cardKeys+n.Reference)
	if err != nil {
		return Deposited{}, err
	}
	hash := content("card", begun.Amount)
	var d Deposited
	err = s.do(ctx, &job{key: key, alone: true, decide: func(t *turn) (err error) {
		d = Deposited{Amount: begun.Amount}
		p, err := t.player(begun.Player)
		if err != nil {
			return err
		}
		if d.Record, d.Again, err = t.done(key, hash); err == nil && !d.Again {
			d.Record, err = t.deposit(p, commandHash(key), journal.Deposit{
				Means: cardMeans(provider), Reference: cardReference(n.Reference), Amount: begun.Amount,
			})
			if err != nil {
				return err
			}
			t.keep(key, hash, d.Record)
			begun.Paid = true
			err = t.tx.SetCardPayment(s.ctx, begun)
		}
		d.Balance = -t.balance(p.account)
		return err
	}})
	if err != nil {
		return Deposited{}, err // the turn may still be at it, so d is not read
	}
	return d, nil
}

// cardPayment is the payment that a notice is of, as it was begun.
func (s *System) cardPayment(ctx context.Context, provider string, n CardNotice) (begun store.CardPayment, err error) {
	if _, err := hex.DecodeString(n.Reference); err != nil || len(n.Reference) != referenceDigits {
		return begun, fmt.Errorf("%w: %s knows reference %.64q, ours are others", ErrNotice, provider, n.Reference)
	}
	err = s.db.View(ctx, func(tx *store.Snapshot) (err error) {
		begun, err = tx.CardPayment(ctx, n.Reference)
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return begun, fmt.Errorf("%w: %s knows reference %.64q, nobody began it", ErrNotice, provider, n.Reference)
	case err != nil:
		return begun, err
	case begun.Provider != provider || begun.Amount != n.Amount:
		return begun, fmt.Errorf("%w: %s says that %s was paid by %.64q, %s was begun with %s",
			ErrNotice, provider, n.Amount, n.Reference, begun.Amount, begun.Provider)
	}
	return begun, nil
}

// CardDifference is a payment that a provider and the ledger do not agree on: nil is what one of them has not.
type CardDifference struct {
	Reference string
	Theirs    *money.Amount
	Ours      *money.Amount
}

// ReconcileCards compares a provider's payments of a Paris day with the deposits
// of the ledger, and returns what differs: nothing, on a good day. Payments that
// the provider has and we have not are credited first, as their notice would
// have. A notice may come days after its payment: what is missing on the day is
// looked for since it was begun. Refusal: [party.ErrMeans] of a provider that there is not.
func (s *System) ReconcileCards(ctx context.Context, provider string, day game.Day) ([]CardDifference, error) {
	p, ok := s.cards[provider]
	if !ok {
		return nil, fmt.Errorf("%w: %.40q", party.ErrMeans, provider)
	}
	payments, err := p.Payments(ctx, day)
	if err != nil {
		return nil, fmt.Errorf("payments of %s on %s: %w", provider, day, err)
	}
	var different []CardDifference
	theirs := make(map[[32]byte]bool, len(payments))
	for _, n := range payments {
		theirs[cardReference(n.Reference)] = true
		differs, err := s.reconcile(ctx, provider, n)
		if err != nil {
			return nil, err
		}
		different = append(different, differs...)
	}
	missing, err := s.missingPayments(ctx, provider, day, theirs)
	if err != nil {
		return nil, err
	}
	different = append(different, missing...)
	slices.SortStableFunc(different, func(a, b CardDifference) int { return strings.Compare(a.Reference, b.Reference) })
	return different, nil
}

// reconcile compares a payment that a provider has made with the ledger. One
// that was not credited is, unless it is none of ours.
func (s *System) reconcile(ctx context.Context, provider string, n CardNotice) ([]CardDifference, error) {
	ours, err := s.cardDeposit(ctx, provider, cardReference(n.Reference))
	switch {
	case err == nil && ours.Amount == n.Amount:
		return nil, nil
	case err == nil:
		return []CardDifference{{Reference: n.Reference, Theirs: &n.Amount, Ours: &ours.Amount}}, nil
	case !errors.Is(err, store.ErrNotFound):
		return nil, err
	}
	switch _, err := s.cardPaid(ctx, provider, n); {
	case errors.Is(err, ErrNotice):
		return []CardDifference{{Reference: n.Reference, Theirs: &n.Amount}}, nil
	case err != nil:
		return nil, err
	}
	s.log.Warn("card payment without a notice, credited by reconciliation", "provider", provider, "reference", n.Reference)
	return nil, nil
}

func (s *System) cardDeposit(ctx context.Context, provider string, reference [32]byte) (d store.Deposit, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) (err error) {
		d, err = tx.Deposit(ctx, cardMeans(provider), reference[:])
		return err
	})
	return d, err
}

// cardsOpen is how long before its deposit a payment may have been begun.
const cardsOpen = 30

// missingPayments are the deposits of a Paris day that the provider has no
// payment of: neither among those of the day nor, since a notice may be late or
// early by a clock, from when it was begun to the day after.
func (s *System) missingPayments(ctx context.Context, provider string, day game.Day, theirs map[[32]byte]bool) ([]CardDifference, error) {
	missing, since, err := s.depositsWithout(ctx, provider, day, theirs)
	if err != nil || len(missing) == 0 {
		return nil, err
	}
	for d := since; d <= day+1; d++ {
		payments, err := s.cards[provider].Payments(ctx, d)
		if err != nil {
			return nil, fmt.Errorf("payments of %s on %s: %w", provider, d, err)
		}
		for _, n := range payments {
			delete(missing, cardReference(n.Reference))
		}
	}
	return slices.Collect(maps.Values(missing)), nil
}

// depositsWithout are the deposits of a Paris day without those that are known
// to be paid, by reference, and the day on which the first of them was begun.
func (s *System) depositsWithout(ctx context.Context, provider string, day game.Day, paid map[[32]byte]bool) (missing map[[32]byte]CardDifference, since game.Day, err error) {
	since = day
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		deposits, err := tx.DepositsByMeans(ctx, cardMeans(provider), day.At(0, paris).UnixMicro(), (day+1).At(0, paris).UnixMicro())
		if err != nil {
			return err
		}
		missing = map[[32]byte]CardDifference{}
		for _, d := range deposits {
			if reference := [32]byte(d.Reference); !paid[reference] {
				missing[reference] = CardDifference{Reference: "sha256:" + hex.EncodeToString(d.Reference), Ours: &d.Amount}
			}
		}
		if len(missing) == 0 {
			return nil
		}
		begun, err := tx.CardPaymentsSince(ctx, provider, (day-cardsOpen).At(0, paris).UnixMicro())
		if err != nil {
			return err
		}
		for _, b := range begun {
			if d, ok := missing[cardReference(b.Reference)]; ok {
				d.Reference = b.Reference
				missing[cardReference(b.Reference)] = d
				since = min(since, game.DayOf(utc(b.At), paris))
			}
		}
		return nil
	})
	return missing, since, err
}

// CardProviders are the names of the providers of card payments, sorted.
func (s *System) CardProviders() []string { return slices.Sorted(maps.Keys(s.cards)) }

// CardAccount is what a provider of card payments owes.
type CardAccount struct {
	Provider string
	Owes     money.Amount
}

// CardAccounts lists the providers that there are, and those that still owe something, by name.
func (s *System) CardAccounts() []CardAccount {
	s.mu.RLock()
	defer s.mu.RUnlock()
	names := map[string]bool{}
	for name := range s.cards {
		names[name] = true
	}
	for name := range s.memory.providers {
		if s.memory.balances[ledger.Card(name)] != 0 {
			names[name] = true
		}
	}
	list := make([]CardAccount, 0, len(names))
	for name := range names {
		list = append(list, CardAccount{Provider: name, Owes: s.memory.balances[ledger.Card(name)]})
	}
	slices.SortFunc(list, func(a, b CardAccount) int { return strings.Compare(a.Provider, b.Provider) })
	return list
}

// Collect is money received from a provider of card payments.
type Collect struct {
	Key      string
	Officer  string
	Provider string
	Amount   money.Amount
}

// Collect books money received from a provider, at most what it owes, and
// returns what it owes then. Refusals: [ErrAmount], [money.ErrLimit], [ErrOwed], [party.ErrMeans]
// of a provider that there is not, [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) Collect(ctx context.Context, c Collect) (CardAccount, error) {
	if c.Amount <= 0 {
		return CardAccount{}, ErrAmount
	}
	if c.Amount > money.Limit {
		return CardAccount{}, money.ErrLimit
	}
	known := func(a CardAccount) bool { return a.Provider == c.Provider }
	if !slices.ContainsFunc(s.CardAccounts(), known) {
		return CardAccount{}, fmt.Errorf("%w: %.40q", party.ErrMeans, c.Provider)
	}
	_, _, err := s.officerCommand(ctx, c.Officer, c.Key, content("collect", []any{c.Provider, c.Amount}), func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		if owes := t.balance(ledger.Card(c.Provider)); c.Amount > owes {
			return 0, fmt.Errorf("%w: %s of %s", ErrOwed, c.Amount, owes)
		}
		return t.append(&journal.Collected{Command: command, By: by, Provider: c.Provider, Amount: c.Amount})
	})
	if err != nil {
		return CardAccount{}, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return CardAccount{Provider: c.Provider, Owes: s.memory.balances[ledger.Card(c.Provider)]}, nil
}
