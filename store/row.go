package store

import "tirage/money"

// Head is the one row that changes: the end of the journal. A turn locks it first.
type Head struct {
	Size     uint64 // records in the journal
	At       int64  // time of the last turn, µs UTC
	Frontier []byte // journal.Frontier in bytes
	Root     []byte // 32 bytes
}

// Turn is the stored fact: the records of one turn, as a tlog-tiles bundle (each with its length before it).
type Turn struct {
	First   uint64
	Count   uint64
	At      int64
	Records []byte
}

// Rows are what the records of a turn imply, table by table. Tx.Write inserts
// them set-wise, in one order, so a turn is a handful of statements.
type Rows struct {
	Tiles           []Tile
	Commands        []Command
	Rules           []Rules
	Outlets         []Outlet
	Terminals       []Terminal
	Officers        []Officer
	Draws           []Draw
	Steps           []Step
	Moves           []Move
	Closes          []Close
	Results         []Result
	Shares          []Share
	Jackpots        []JackpotMove
	Refunds         []Refund
	Expiries        []Expiry
	Extensions      []Extension
	Proposals       []Proposal
	Decisions       []Decision
	Tickets         []Ticket
	Parts           []Part
	Cancellations   []Cancellation
	Payments        []Payment
	Stops           []Stop
	Reprints        []Reprint
	Books           []Book
	PoolSecrets     []PoolSecret
	Pools           []Pool
	PoolSteps       []PoolStep
	Units           []Unit
	GameSteps       []GameStep
	Players         []Player
	PlayerChanges   []PlayerChange
	Vouchers        []Voucher
	Deposits        []Deposit
	Withdrawals     []Withdrawal
	WithdrawalSteps []WithdrawalStep
	Postings        []Posting
	TallyMarks      []TallyMark
	Statements      []Statement
	StatementLines  []StatementLine
	DebitSteps      []DebitStep
	Notices         []Notice
	Retractions     []Retraction
	Chain           []Link           // derived: the last of a player in the turn holds
	OpenWithdrawals []OpenWithdrawal // derived, by Tx.Write itself: see [OpenWithdrawals]
	Tallies         []Tally          // derived: they are added up, by key
}

// Tile is a full hash tile: 256 hashes.
type Tile struct {
	Level  int
	N      uint64
	Hashes []byte
}

// Command is a command done: the key its caller made, and the record that it gave.
type Command struct {
	Key     []byte // at most 64 bytes, as the caller sent it
	Scope   string // who may use the key: "terminal/…", "officer/…"
	Content []byte // SHA-256 of the request as sent
	Record  uint64 // journal index of its (first) record
}

// Rules is a rule book.
type Rules struct {
	Hash     []byte
	Game     string
	Version  string
	FirstDay int32
	Record   uint64
	Book     []byte
}

// Outlet is an outlet as from a record on; the newest row holds.
type Outlet struct {
	Record      uint64
	ID          string
	Number      int
	Territory   string
	Zone        string
	CreditLimit money.Amount
	Blocked     bool
	Centre      bool   // a payment centre
	Cause       string // why the system blocked it; empty: it did not
	At          int64  // µs UTC
}

// Terminal is a terminal as from a record on; the newest row holds.
type Terminal struct {
	Record    uint64
	ID        string
	Outlet    string
	Renewed   int // how often it was given a new key
	Withdrawn bool
}

// Officer is an officer as from a record on; the newest row holds. Roles is a space-separated list.
type Officer struct {
	Record uint64
	ID     string
	Roles  string
}

// Draw is a planned draw. Times are µs UTC, Day days since 1970.
type Draw struct {
	ID       int64
	Game     string
	Rules    []byte
	Day      int32
	Number   int
	Session  int
	OpensAt  int64
	ClosesAt int64
	DrawsAt  int64
	Record   uint64
}

// Step is a draw's entry into a state.
type Step struct {
	Draw   int64
	State  string
	At     int64
	Record uint64
}

// Move is new times of a draw, in µs UTC; the newest row holds. Early: its
// sales close early, and DrawsAt stays.
type Move struct {
	Draw     int64
	Record   uint64
	ClosesAt int64
	DrawsAt  int64
	Early    bool
}

// Close is what a draw's close record says.
type Close struct {
	Draw      int64
	Wagers    int64
	Parts     int64
	Stakes    money.Amount
	Cancelled int64
	Root      []byte
}

// Result is what a draw drew: Elements is text, sets separated by "/", elements by ",": "3,17,9/2". Times is the multiplier, 1 in a game without.
type Result struct {
	Draw     int64
	Elements string
	Times    int
}

// Share is a line of a settlement.
type Share struct {
	Draw      int64
	Table     int
	Tier      int
	Winners   int64
	Units     int64
	UnitValue money.Amount
	Total     money.Amount
}

// JackpotMove is the movement of a game's jackpot in the settlement of a draw:
// Before + TopUp + Contribution = Paid + Rest + After. Carried is a fraction of
// a cent below 1. End, Extra and Tier are as in the settlement's record.
type JackpotMove struct {
	Draw         int64
	Game         string
	Record       uint64
	Before       money.Amount
	TopUp        money.Amount
	Contribution money.Amount
	CarriedNum   uint64
	CarriedDen   uint64
	End          string
	Extra        string
	Tier         int
	Paid         money.Amount
	Rest         money.Amount
	After        money.Amount
}

// Refund is a cancelled draw of which the stakes are booked as money to give back.
type Refund struct {
	Draw   int64
	Record uint64
}

// Expiry is the end of the claims on tickets whose last draw is LastDraw.
type Expiry struct {
	LastDraw int64
	Record   uint64
	Prizes   money.Amount
	Back     money.Amount
}

// Extension moves the end of claims of a game: those that would end on the
// days From to To (since 1970, inclusive) end on Until.
type Extension struct {
	Record uint64
	Game   string
	From   int32
	To     int32
	Until  int32
}

// Proposal is an act proposed. What it is, its record says.
type Proposal struct {
	Record uint64
}

// Decision is the one decision on a proposal.
type Decision struct {
	Proposal uint64 // its record
	Record   uint64
	Approved bool
}

// Ticket is a sale. What else there is to say of it is in its record, so that a
// sale writes no more than it must.
type Ticket struct {
	Number   uint64
	Outlet   string
	LastDraw int64
	Price    money.Amount
}

// Part is one combination of one ticket in one draw.
type Part struct {
	Draw        int64
	Ticket      uint64
	N           int
	Combination int64
	Units       int64
	Table       int
	LastDraw    int64
}

// Cancellation is a ticket taken back.
type Cancellation struct {
	Ticket uint64
	At     int64
	Record uint64
}

// Payment is a ticket's prize in a draw, paid.
type Payment struct {
	Ticket uint64
	Draw   int64
	At     int64
	Outlet string
	Amount money.Amount
	Record uint64
}

// Stop is a stop of the payment of a ticket, or the end of one; the newest of a ticket holds.
type Stop struct {
	Ticket uint64
	Record uint64
	At     int64 // µs UTC
	Lifted bool
}

// Reprint is a ticket printed once more.
type Reprint struct {
	Ticket uint64
	Record uint64
	At     int64 // µs UTC
}

// Posting is a ledger posting; Entry is the journal index of its record, N its
// place among the postings of the entry, below 65536.
type Posting struct {
	Entry   uint64
	N       int
	Account string
	Amount  money.Amount
}

// Book is a rule book that is not of a draw game.
type Book struct {
	Record   uint64
	Hash     []byte
	Sort     string // "instant", "accounts"
	Code     string
	Version  string
	FirstDay int32
	Book     []byte
}

// PoolSecret is an officer's secret committed for a pool to come.
type PoolSecret struct {
	Hash    []byte
	Game    string
	Price   money.Amount
	Number  int
	Officer string
	Record  uint64
}

// Pool is a pool that was committed. What else there is to say of it is in its record.
type Pool struct {
	ID     int64
	Game   string
	Price  money.Amount
	Number int
	Record uint64
}

// PoolStep is a pool's entry into a state.
type PoolStep struct {
	Pool   int64
	State  string
	At     int64 // µs UTC
	Record uint64
}

// Unit is a unit played. N is its place in the pool.
type Unit struct {
	Record uint64
	Player string
	Pool   int64
	N      int
	Price  money.Amount
	Prize  money.Amount
	At     int64 // µs UTC
}

// GameStep is the launch or suspension of an instant game; the newest of a game holds.
type GameStep struct {
	Record uint64
	Game   string
	State  string
	Cause  string
	FR     string
	EN     string
}

// Player is a player's account.
type Player struct {
	Record uint64
	ID     string
	Terms  string
	At     int64 // µs UTC
}

// PlayerChange is a change of what a player may do.
type PlayerChange struct {
	Record uint64
	Player string
	What   string
	Amount money.Amount
	Until  int64 // µs UTC
	Terms  string
	At     int64 // µs UTC
}

// Voucher is a deposit voucher sold.
type Voucher struct {
	Number uint64
	Outlet string
	Amount money.Amount
}

// Deposit is money on a player's account.
type Deposit struct {
	Record    uint64
	Player    string
	Means     string
	Reference []byte // what was paid with, once for each means
	Amount    money.Amount
	At        int64 // µs UTC
}

// Withdrawal is money that a player asked to have paid out.
type Withdrawal struct {
	Record uint64
	Player string
	Amount money.Amount
	At     int64 // µs UTC
}

// WithdrawalStep is what became of a withdrawal.
type WithdrawalStep struct {
	Withdrawal uint64
	State      string
	At         int64 // µs UTC
	Record     uint64
}

// OpenWithdrawal is a withdrawal that is neither paid nor returned: in state "asked" or "sent".
type OpenWithdrawal struct {
	State      string
	Withdrawal uint64
}

// Link is the last record that tells of a player.
type Link struct {
	Player string
	Last   uint64
}
