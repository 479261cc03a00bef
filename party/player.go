package party

import (
	"errors"
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
	// ErrDepositMin is a deposit below what the rules ask.
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

// Player is what the rules need to know of a player (joueur). Who he is stands elsewhere.
type Player struct {
	ID              string // 8 random bytes in hex
	Terms           string // version of the rules of accounts that he accepted last
	EmailConfirmed  bool
	Confirmed       bool // his identity was checked
	Closed          bool
	PausedUntil     time.Time // zero: never
	ExcludedUntil   time.Time
	Deposits, Stake Limit
	MadeAt          time.Time
}

// Limit is a limit on an amount over a window of days, and one that holds from
// a time on: a lower one holds at once, a higher one later (INS-online).
type Limit struct {
	Max  money.Amount // 0: none
	Next money.Amount // holds from NextAt on; 0: none
	At   time.Time    // of Next; zero: nothing is to come
}

// LimitError is a refusal by [ErrLimit].
type LimitError struct {
	Kind ChangeKind   // [DepositLimit] or [StakeLimit]; 0: that of accounts whose identity was not checked
	Max  money.Amount // in the window
	Used money.Amount
	Left money.Amount
}

// ExcludedError is a refusal by [ErrExcluded].
type ExcludedError struct{ Until time.Time }

// BalanceError is a refusal by [ErrBalance].
type BalanceError struct{ Balance, Price money.Amount }

// Rules are the rules of players' accounts (INS-online): what the general
// rules of online play ask, as dated data. A version holds from its first day.
type Rules struct {
	Version          string
	FirstDay         int32 // days since 1970
	Hash             [32]byte
	Bytes            []byte
	AdultAge         int          // years
	UnconfirmedMax   money.Amount // of all deposits of an account whose identity was not checked
	UnconfirmedMeans []string     // that such an account may use: "card"
	DepositMin       money.Amount // a deposit
	VoucherAmounts   []money.Amount
	WindowDays       int           // of limits, Paris days, the present one included
	RaiseAfter       time.Duration // until a higher limit holds
	PauseMin         time.Duration
	PauseMax         time.Duration
	ExclusionMin     time.Duration
	ExclusionMax     time.Duration
	RealityEvery     time.Duration // between two reality checks
	WithdrawalMin    money.Amount
}
