package party

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tirage/money"
)

var (
	// ErrUnknownPlayer is a player that does not exist.
	ErrUnknownPlayer = errors.New("no such player")
	// ErrPlayerClosed is an account that was closed.
	ErrPlayerClosed = errors.New("the account is closed")
	// ErrUnconfirmed is what only a player may do whose identity was checked (INS-online).
	ErrUnconfirmed = errors.New("only for accounts whose identity was checked")
	// ErrTerms is a player who has not accepted the rules in force (INS-online).
	ErrTerms = errors.New("the rules in force must be accepted first")
	// ErrExcluded is a player who excluded himself, or pauses (F22); the error is an [ExcludedError].
	ErrExcluded = errors.New("the player is excluded from play")
	// ErrLimit is a deposit or stake above a limit; the error is a [LimitError].
	ErrLimit = errors.New("limit reached")
	// ErrBalance is a stake or withdrawal above the balance; the error is a [BalanceError].
	ErrBalance = errors.New("balance too low")
	// ErrLimits are limits that cannot be: below 0 or too large.
	ErrLimits = errors.New("not limits that can be set")
	// ErrExclusion is a pause or exclusion shorter or longer than the rules allow, or that would end one earlier.
	ErrExclusion = errors.New("not an exclusion that can be set")
	// ErrDepositMin is a deposit below what the rules ask; the error is a [DepositMinError].
	ErrDepositMin = errors.New("deposit too small")
	// ErrMeans is a means of deposit that the player may not use.
	ErrMeans = errors.New("this means of deposit is not for this account")
	// ErrAdult is a person who is not of age (INS-online).
	ErrAdult = errors.New("players must be of age")
)

// ChangeKind is what a change of a player's account changes.
type ChangeKind uint8

const (
	EmailConfirmed    ChangeKind = iota + 1 // his address was confirmed
	IdentityConfirmed                       // an officer checked who he is
	IdentityWithdrawn                       // an officer found that he is not
	TermsAccepted                           // he accepted a version of the rules
	DepositLimit                            // a limit on 7 days of deposits, from a time on
	StakeLimit                              // a limit on 7 days of stakes, from a time on
	Pause                                   // he pauses until a time
	Exclude                                 // he excluded himself until a time
	CloseAccount                            // the account is closed
)

// changeNames are the words of the journal.
var changeNames = [...]string{
	EmailConfirmed: "email", IdentityConfirmed: "identity", IdentityWithdrawn: "identity-withdrawn", TermsAccepted: "terms",
	DepositLimit: "deposit-limit", StakeLimit: "stake-limit", Pause: "pause", Exclude: "exclude", CloseAccount: "close",
}

// String is the word of the journal.
func (k ChangeKind) String() string {
	if int(k) < len(changeNames) && changeNames[k] != "" {
		return changeNames[k]
	}
	return fmt.Sprintf("ChangeKind(%d)", uint8(k))
}

// ParseChangeKind reads a kind by its word of the journal.
func ParseChangeKind(word string) (ChangeKind, error) {
	for k := EmailConfirmed; int(k) < len(changeNames); k++ {
		if changeNames[k] == word {
			return k, nil
		}
	}
	return 0, fmt.Errorf("party: no change of a player is called %.40q", word)
}

// Player is what the rules need to know of a player (joueur). Who he is stands elsewhere.
type Player struct {
	ID              string // 8 random bytes in hex
	Terms           string // version of the rules of accounts that he accepted last
	Confirmed       bool   // his identity was checked
	Closed          bool
	PausedUntil     time.Time // zero: never
	ExcludedUntil   time.Time
	Deposits, Stake Limit
	MadeAt          time.Time
}

// ExcludedError is a refusal by [ErrExcluded].
type ExcludedError struct{ Until time.Time }

// Error says until when.
func (e *ExcludedError) Error() string {
	return fmt.Sprintf("%v until %s", ErrExcluded, e.Until.Format(time.RFC3339))
}

// Is makes the error an [ErrExcluded].
func (e *ExcludedError) Is(target error) bool { return target == ErrExcluded }

// BalanceError is a refusal by [ErrBalance].
type BalanceError struct{ Balance, Price money.Amount }

// Error says what there is, and what it would take.
func (e *BalanceError) Error() string {
	return fmt.Sprintf("%v: %s of %s", ErrBalance, e.Price, e.Balance)
}

// Is makes the error an [ErrBalance].
func (e *BalanceError) Is(target error) bool { return target == ErrBalance }

// BlockedUntil is when the player may play and deposit again, by his pauses and
// exclusions; it is past when nothing holds him.
func (p Player) BlockedUntil() time.Time {
	if p.PausedUntil.After(p.ExcludedUntil) {
		return p.PausedUntil
	}
	return p.ExcludedUntil
}

// Excluded tells whether the player has excluded himself at a time: then no message reaches him (F22).
func (p Player) Excluded(at time.Time) bool { return at.Before(p.ExcludedUntil) }

// active tells whether a player may play or deposit at a time: nil, or
// [ErrPlayerClosed], [ErrTerms] or [ErrExcluded] (INS-online, F22).
func (p Player) active(r *Rules, at time.Time) error {
	switch {
	case p.Closed:
		return ErrPlayerClosed
	case r == nil || p.Terms != r.Version:
		return ErrTerms
	}
	if until := p.BlockedUntil(); at.Before(until) {
		return &ExcludedError{Until: until}
	}
	return nil
}

// MayPlay tells whether a player may put a price on a unit at a time, by the
// rules in force, who has staked so much within their window and has so much
// on his account: nil, or [ErrPlayerClosed], [ErrTerms], [ErrExcluded] (F22), [ErrLimit], [ErrBalance].
func (p Player) MayPlay(r *Rules, at time.Time, price, staked, balance money.Amount) error {
	if err := p.active(r, at); err != nil {
		return err
	}
	if most := p.Stake.Now(at); most > 0 && staked.Add(price) > most {
		return &LimitError{Kind: StakeLimit, Max: most, Used: staked, Left: max(0, most.Sub(staked))}
	}
	if price > balance {
		return &BalanceError{Balance: balance, Price: price}
	}
	return nil
}

// DemoMeans is the means of demo deposits: a demo takes them from every account.
const DemoMeans = "demo"

// MayDeposit tells whether a player may deposit an amount at a time, by a means
// ("voucher", "demo", "card/PROVIDER"), by the rules in force, who has deposited
// so much within their window and so much in all: nil, or [ErrPlayerClosed],
// [ErrTerms], [ErrExcluded] (F22), [ErrMeans], [ErrDepositMin], [ErrLimit].
func (p Player) MayDeposit(r *Rules, at time.Time, amount money.Amount, means string, deposited, ever money.Amount) error {
	if err := p.active(r, at); err != nil {
		return err
	}
	kind, _, _ := strings.Cut(means, "/")
	if !p.Confirmed && kind != DemoMeans && !slices.Contains(r.UnconfirmedMeans, kind) {
		return ErrMeans
	}
	if amount < r.DepositMin {
		return &DepositMinError{Min: r.DepositMin}
	}
	if !p.Confirmed && ever.Add(amount) > r.UnconfirmedMax {
		return &LimitError{Max: r.UnconfirmedMax, Used: ever, Left: max(0, r.UnconfirmedMax.Sub(ever))}
	}
	if most := p.Deposits.Now(at); most > 0 && deposited.Add(amount) > most {
		return &LimitError{Kind: DepositLimit, Max: most, Used: deposited, Left: max(0, most.Sub(deposited))}
	}
	return nil
}

// Exclude returns until when a player is excluded, or pauses, who asks for it at
// a time for so long: [ErrExclusion] when that is shorter or longer than the
// rules allow, or would end before one that he has asked for (INS-online: nobody shortens it).
func (p Player) Exclude(r *Rules, at time.Time, long time.Duration, pause bool) (until time.Time, err error) {
	least, most, stands := r.ExclusionMin, r.ExclusionMax, p.ExcludedUntil
	if pause {
		least, most, stands = r.PauseMin, r.PauseMax, p.PausedUntil
	}
	until = at.Add(long)
	switch {
	case long < least || long > most:
		return time.Time{}, fmt.Errorf("%w: %s, from %s to %s can be asked for", ErrExclusion, long, least, most)
	case until.Before(stands):
		return time.Time{}, fmt.Errorf("%w: one holds until %s", ErrExclusion, stands.Format(time.RFC3339))
	}
	return until, nil
}

// DepositMinError is a refusal by [ErrDepositMin].
type DepositMinError struct{ Min money.Amount }

// Error says what the least is.
func (e *DepositMinError) Error() string { return fmt.Sprintf("%v: at least %s", ErrDepositMin, e.Min) }

// Is makes the error an [ErrDepositMin].
func (e *DepositMinError) Is(target error) bool { return target == ErrDepositMin }

// Adult tells whether a person born on a day is so many years old on another
// (days since 1970). Who was born on 29 February comes of age on 1 March in
// years without one: not before his birthday has gone by.
func Adult(born, today int32, years int) bool {
	year, month, day := date(born)
	return today >= int32(time.Date(year+years, month, day, 0, 0, 0, 0, time.UTC).Unix()/86_400)
}

func date(day int32) (int, time.Month, int) { return time.Unix(int64(day)*86_400, 0).UTC().Date() }
