package central

import (
	"context"
	"errors"
	"time"

	"tirage/game"
	"tirage/instant"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/store"
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
	// ErrNoVoucher is a voucher that does not exist: its number or code is wrong. The same answer for both (F24).
	ErrNoVoucher = errors.New("no such voucher")
	// ErrVoucherUsed is a voucher that was used before (F11).
	ErrVoucherUsed = errors.New("the voucher was used before")
	// ErrVoucherAmount is an amount that vouchers are not sold for.
	ErrVoucherAmount = errors.New("vouchers are not sold for this amount")
	// ErrIBAN is not an IBAN.
	ErrIBAN = errors.New("not a valid IBAN")
	// ErrWithdrawalMin is a withdrawal below what the rules ask.
	ErrWithdrawalMin = errors.New("withdrawal too small")
	// ErrWithdrawal is a withdrawal that is not in a state for this.
	ErrWithdrawal = errors.New("the withdrawal is not in a state for this")
	// ErrNotice is a notice of a card payment that is not authentic, or of none that was begun.
	ErrNotice = errors.New("not a notice of a payment of ours")
	// ErrDemo is a demo deposit outside a demo.
	ErrDemo = errors.New("demo deposits are for the demo only")
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

// PlayerView is a player's account, for himself and for officers.
type PlayerView struct {
	party.Player
	Person        Person
	Balance       money.Amount
	Staked        money.Amount // in the window of the limits
	Deposited     money.Amount
	DepositedEver money.Amount
	TOTP          bool
	Passkeys      int
}

// Player returns a player's account, or [party.ErrUnknownPlayer].
func (s *System) Player(ctx context.Context, id string) (PlayerView, error) {
	return PlayerView{}, errToBuild
}

// PlayerBalance is a player's balance now (disponibilités).
func (s *System) PlayerBalance(id string) money.Amount { return 0 }

// FindPlayers finds players by a part of their name or address, or lists the newest: for officers.
func (s *System) FindPlayers(ctx context.Context, text string, limit int) ([]PlayerView, error) {
	return nil, errToBuild
}

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

// SellVoucher sells a deposit voucher at a terminal.
type SellVoucher struct {
	Key      string
	Terminal string
	Amount   money.Amount
}

// Voucher is a deposit voucher. Its code is derived, as a ticket's is, and not stored.
type Voucher struct {
	Number uint64 // journal index of its sale
	Secret [8]byte
	Amount money.Amount
	Outlet string
	SoldAt time.Time
}

// SellVoucher sells a voucher; the outlet owes its amount. Refusals:
// [ErrVoucherAmount], [party.ErrCredit], [party.ErrBlocked], [party.ErrUnknownTerminal], [ErrKey], [ErrKeyReused], [ErrClock].
func (s *System) SellVoucher(ctx context.Context, v SellVoucher) (Voucher, error) {
	return Voucher{}, errToBuild
}

// Deposited is a deposit made.
type Deposited struct {
	Record  uint64
	Amount  money.Amount
	Balance money.Amount
	Again   bool
}

// DepositVoucher puts a voucher on a player's account, once. Refusals:
// [ErrNoVoucher], [ErrVoucherUsed], [party.ErrMeans], [party.ErrLimit],
// [party.ErrExcluded], [party.ErrTerms], [party.ErrUnknownPlayer], [party.ErrPlayerClosed], [ErrKey], [ErrKeyReused].
func (s *System) DepositVoucher(ctx context.Context, key, player string, number uint64, secret [8]byte) (Deposited, error) {
	return Deposited{}, errToBuild
}

// DepositDemo puts demo money on a player's account, where the system was opened
// with [Options.Demo]. Refusals: [ErrDemo], and those of [System.DepositVoucher].
func (s *System) DepositDemo(ctx context.Context, key, player string, amount money.Amount) (Deposited, error) {
	return Deposited{}, errToBuild
}

// Withdraw asks for money to be paid out (retrait).
type Withdraw struct {
	Key    string
	Player string
	Amount money.Amount
	IBAN   string
}

// Withdrawal is a withdrawal and what became of it.
type Withdrawal struct {
	Record uint64
	Player string
	Name   string // of the person: the account to pay to is his
	Amount money.Amount
	IBAN   string
	At     time.Time
	State  string // "asked", "sent", "paid", "returned"
}

// Withdraw takes money off a player's balance, to be paid to an account in his
// name. Refusals: [ErrIBAN], [ErrWithdrawalMin], [party.ErrBalance],
// [party.ErrUnconfirmed], [party.ErrUnknownPlayer], [party.ErrPlayerClosed], [ErrKey], [ErrKeyReused].
func (s *System) Withdraw(ctx context.Context, w Withdraw) (Withdrawal, error) {
	return Withdrawal{}, errToBuild
}

// Withdrawals lists withdrawals in a state, oldest first ("": all, newest first), at most limit.
func (s *System) Withdrawals(ctx context.Context, state string, limit int) ([]Withdrawal, error) {
	return nil, errToBuild
}

// SendWithdrawals puts withdrawals into a payment file (ISO 20022 pain.001),
// which the same key gives again. Refusals: [ErrWithdrawal], [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) SendWithdrawals(ctx context.Context, key, officer string, records []uint64) (file []byte, err error) {
	return nil, errToBuild
}

// SettleWithdrawals notes what the bank did with withdrawals that were sent:
// paid, or returned, when the player has his money back. Refusals: [ErrWithdrawal], [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) SettleWithdrawals(ctx context.Context, key, officer string, records []uint64, returned bool) error {
	return errToBuild
}

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

// Message is a message to be sent.
type Message struct {
	ID      uint64
	To      string
	Subject string
	Body    string
}

// SendMessages sends what waits in the outbox, each message once if send
// says that it went; none to a player who excluded himself (F22). It returns how many went.
func (s *System) SendMessages(ctx context.Context, send func(context.Context, Message) error) (sent int, err error) {
	return 0, errToBuild
}

// playerState is a player as decisions need him.
type playerState struct {
	party.Player
	last      uint64       // newest record that tells of him
	deposited money.Amount // ever
	stakes    window
	deposits  window
}

// window sums amounts by Paris day, over the days that limits count.
type window struct {
	day  game.Day // of the newest sum
	sums []money.Amount
}

// mayPlay tells whether a player may put a price on a unit at the time of the
// turn: nil, or a refusal of [System.Play]. It counts what the turns that are not
// in the memory yet have taken from him.
func (t *turn) mayPlay(player string, price money.Amount) error { return errToBuild }

// previous is the newest record that tells of a player, this turn's included.
func (t *turn) previous(player string) uint64 { return 0 }

// played notes a unit of this turn: record index at a price.
func (t *turn) played(player string, price money.Amount, index uint64) {}

func (m *memory) implyPlayer(rows *store.Rows, index uint64, rec journal.Record) implied {
	assert(false, "to be built")
	return implied{}
}

// foldPlayer takes the memory over a record that tells of a player; a unit too.
func (m *memory) foldPlayer(index uint64, rec journal.Record) {
	assert(false, "to be built")
}

func (m *memory) loadPlayers(ctx context.Context, tx *store.Snapshot) error { return nil }

func (a *auditor) seePlayer(index uint64, rec journal.Record) error { return nil }

func (s *System) comparePlayers(fold *memory) error { return nil }
