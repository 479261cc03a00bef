// Package game holds the rule books: what a game of the lottery is, as data.
//
// A rule book (règlement) is a YAML text. [Parse] reads it into [Rules],
// strictly, and refuses it when a figure that it prints, such as odds or the
// return, does not follow from its rules, so that no game is sold whose words
// and arithmetic differ. docs/rulebook.md explains the fields; [Book] gives
// the books that come with the program.
//
// A [Combination] is a number: [Rules.Rank] and [Rules.Picks] go between it and
// the elements that a player picks, [Rules.Mask] gives them as bits, and a
// [Matcher] says which tier it wins against a [Result]. A multiple play stands
// for all the combinations that [Rules.Expand] gives. [Rules.Odds] are exact.
//
// Everything here is a pure function of the book's bytes; [Rules] never change
// once read, so goroutines may share them.
package game

import (
	"math/big"
	"time"

	"tirage/money"
)

// Code names a game in addresses, records and tables: "ile-au-tresor".
type Code string

// Hash is the SHA-256 of a rule book's bytes. It names a version for ever,
// and so fixes the words of every sale made under it (IAT-5.2).
type Hash [32]byte

// Text is a text in French and English.
type Text struct {
	FR string `yaml:"fr"`
	EN string `yaml:"en"`
}

// Kind says where prizes come from.
type Kind uint8

const (
	// FixedPrize is a game whose prizes are fixed sums (jeu de contrepartie, IAT-2).
	FixedPrize Kind = iota + 1
	// Parimutuel is a game with at least one tier shared between winners (jeu de répartition).
	Parimutuel
)

// Rules is one version of a rule book (règlement), checked: its odds, sums and
// return agree with what it prints. Read-only after [Parse].
type Rules struct {
	Hash    Hash
	Bytes   []byte // the YAML, as hashed
	Code    Code
	Version string
	Name    Text
	Kind    Kind
	// Currency is an ISO 4217 code. Central systems run EUR; other books can be checked and computed.
	Currency string
	// FirstDay is the first draw day under this version.
	FirstDay Day

	UnitStake  money.Amount   // mise unitaire
	Stakes     []money.Amount // allowed stakes per draw and combination, ascending multiples of UnitStake
	DrawCounts []int          // allowed numbers of draws, ascending
	BoardsMax  int            // boards (grilles) on a slip
	Multiple   Multiple       // multiple play; without shapes: none
	Limit      Limit          // of what a play may cost

	Matrices []Matrix
	Sets     []Set // all drawn sets, in matrix order
	// Multipliers is the values of the multiplier (coefficient multiplicateur) that each draw
	// draws and every prize but a jackpot is multiplied by (AMI-8.1.2); empty: none.
	Multipliers []Multiplier
	Tables      []PrizeTable
	Promotions  []Promotion // where another table than Tables[0] holds; the first that fits
	Jackpot     *Jackpot    // what feeds the jackpot tiers; nil: none

	Cap       Cap
	QuickPick QuickPick
	OverRun   OverRun
	Between   BetweenSessions
	Calendar  Calendar
	Claims    Claims
	Rounding  Rounding // of printed odds
	Decimals  int      // of printed odds
	// AnyDecimals is the decimals of the printed overall odds.
	AnyDecimals int

	index index // combinatorial tables, made by Parse
}

// Matrix is a set of elements from which the player picks (matrice de jeu).
type Matrix struct {
	Key      string // "places"; also the name of the random stream that draws from it
	Name     Text
	Elements []Element // element n of the regulations is Elements[n-1]
	Pick     int       // how many the player picks
	First    int       // bit of element 1 in a Mask
	// Columns, if not 0, divides the elements into so many columns of equal
	// size, of which the player picks one element each, and the draw draws one
	// each (AMI-3.1.4); then Pick is Columns, and the one set counts Columns.
	Columns int
}

// Column returns the column of element e, from 0, in a matrix with columns.
func (m *Matrix) Column(e int) int { return (e - 1) / (len(m.Elements) / m.Columns) }

// Multiple is multiple play (prise de jeu multiple, AMI-3.1.6): more elements
// are marked than a combination has, and stand for all combinations that they make.
type Multiple struct {
	Matrix int     // index of the matrix with columns that may take extra elements
	Shapes []Shape // those allowed
	// Also is the index of another matrix, of which up to AlsoMax elements may
	// be marked (jackpot numbers); -1: none.
	Also, AlsoMax int
	AlsoAlone     bool // reading jackpot_only_multiple: more of Also with a simple combination
	Scope         ShapeScope
}

// Shape is so many extra elements in each of so many columns: (Extras+1)^Columns
// combinations. The zero Shape is a simple combination.
type Shape struct{ Extras, Columns int }

// ShapeScope is the reading of where one shape holds (AMI-3.1.7).
type ShapeScope uint8

const (
	ShapeByBoard ShapeScope = iota + 1
	ShapeBySlip
)

// Limit is the most that a play may cost (AMI-5.2).
type Limit struct {
	Max   money.Amount // 0: none
	Scope LimitScope
	Plays LimitPlays
}

// LimitScope is the reading of what the limit is compared with.
type LimitScope uint8

const (
	LimitTotal   LimitScope = iota + 1 // the total to pay
	LimitPerDraw                       // the stakes of one draw
)

// LimitPlays is the reading of which boards are summed up for the limit.
type LimitPlays uint8

const (
	LimitAll LimitPlays = iota + 1
	LimitMultipleOnly
)

// Multiplier is a value of the multiplier, and its chances among all of them.
type Multiplier struct{ Times, Chances int }

// Promotion says for which draws and territories Tables[Table] stands in for Tables[0].
type Promotion struct {
	Table       int
	First, Last Day            // draw days, inclusive
	Weekdays    []time.Weekday // of the draw day; empty: all
	Draws       [][2]int       // ranges of draw numbers; empty: all
	Territories []string       // keys; empty: all
}

// Jackpot is how the jackpot is fed, and what becomes of it without a winner (AMI-8.2).
type Jackpot struct {
	Share         *big.Rat     // of the stakes of each draw
	Minimum       money.Amount // what the jackpot starts at, at least
	GuaranteeFrom Guarantee    // who makes up what is missing to Minimum
	// Without a top winner, a jackpot that has reached Threshold goes to the
	// nearest lower tier with a winner with 1 chance in OneIn, and one that has
	// reached Ceiling always (AMI-8.2.5). Zero: never.
	Threshold, Ceiling money.Amount
	OneIn              int
	Basis              ThresholdBasis
	RollDown           RollDownMoney
	OverCeiling        OverCeiling
	NoLowerWinner      NoLowerWinner
}

// Guarantee is the reading guarantee_from.
type Guarantee uint8

const (
	FromReserve Guarantee = iota + 1
	FromOperator
)

// ThresholdBasis is the reading threshold_basis: what is compared with threshold and ceiling.
type ThresholdBasis uint8

const (
	IncludingShare ThresholdBasis = iota + 1 // with this draw's share
	BeforeShare
)

// RollDownMoney is the reading rolldown: what a unit stake of the lower tier wins.
type RollDownMoney uint8

const (
	AddedToPrize RollDownMoney = iota + 1
	ReplacesPrize
)

// OverCeiling is the reading over_cap: where what is above the ceiling goes in a roll-down.
type OverCeiling uint8

const (
	OverRolledDown OverCeiling = iota + 1
	OverToReserve
)

// NoLowerWinner is the reading no_lower_winner: where a jackpot goes that
// should roll down when no tier has a winner.
type NoLowerWinner uint8

const (
	ToNextDraw NoLowerWinner = iota + 1
	ToReserve
)

// Element is one box of a matrix: a place, a pirate, a number.
type Element struct {
	Key  string // "tour-de-guet", or the number: names its drawing
	Name Text
}

// Set is a drawn set: Count elements drawn from a matrix, after those of the
// sets before it of the same matrix, without replacement (so a bonus number
// from the same pool is a second set).
type Set struct {
	Key    string // "places", "bonus": what tiers match on
	Name   Text
	Matrix int // index in Rules.Matrices
	Count  int
}

// PrizeTable is a prize table (tableau de lots). Tables[0] is the ordinary
// one; the others are promotions. Which holds for a wager and draw is fixed at the sale.
type PrizeTable struct {
	Key   string
	Tiers []Tier // the top tier first
}

// Tier is a prize tier (rang). It is won by matching exactly Hits[set]
// elements of each set, or any number where Hits[set] is [Any] (IAT-6.1: never
// "at least"). A combination wins its first tier only (IAT-6.2).
type Tier struct {
	Name        string       // "7+1"
	Hits        []int        // by index in Rules.Sets
	Prize       money.Amount // for a unit stake; 0 when Jackpot
	Jackpot     bool
	NextMorning bool // payable from the next morning (IAT-7)
	Centre      bool // payable at payment centres only (AMI-11.2, top_ranks)
	// Share, if not nil, is a prize that is this share of the stakes, divided
	// among its winners. Such books can be checked and computed; central systems do not run them.
	Share *big.Rat
	// AnyOrder is a tier won, beside its Hits, only by the elements drawn in any
	// order over the matrices, which are then alike and drawn one element each:
	// the digits of a Pick 3. A tier before it may take those in the order drawn.
	AnyOrder bool
}

// Any is a number of hits that does not matter.
const Any = -1

// Cap limits equal combinations in one draw (combinaison plafonnée, IAT-3).
type Cap struct {
	Max       int // 0: none
	Counts    CapCounts
	Refusal   CapRefusal
	QuickPick CapQuickPick
	Tries     int // of a redrawn quick pick
}

// CapCounts is the reading of what the cap counts.
type CapCounts uint8

const (
	CountUnitStakes CapCounts = iota + 1
	CountWagers
)

// CapRefusal is the reading of what the cap refuses.
type CapRefusal uint8

const (
	// RefuseWhole refuses the wager over all its draws.
	RefuseWhole CapRefusal = iota + 1
	// RefusePartial sells the wager in the draws that have room, and only in them.
	RefusePartial
)

// CapQuickPick is the reading of what the cap does to a combination that was wholly random.
type CapQuickPick uint8

const (
	RedrawQuickPick CapQuickPick = iota + 1
	RefuseQuickPick
)

// QuickPick is the Système Flash (IAT-2.4).
type QuickPick struct {
	Partial bool // a partly ticked slip may be completed
	By      QuickPickBy
}

// QuickPickBy is the reading of who draws a quick pick.
type QuickPickBy uint8

const (
	ByCentral QuickPickBy = iota + 1
	ByTerminal
)

// OverRun is the reading of what happens to a wager over more draws than its session has left.
type OverRun uint8

const (
	CutOverRun OverRun = iota + 1 // the wager is cut to what is left (IAT-2.3.5)
	RefuseOverRun
)

// BetweenSessions is the reading of a wager when no session has draws left (IAT-2.3.5).
type BetweenSessions uint8

const (
	RefusedBetween BetweenSessions = iota + 1
	NextSession
)

// Calendar says when the draws of a game are (readings of "Sessions and clock").
// Draw n of a draw day is at FirstAt + (n−1) × Every: FirstAt on the wall clock
// of Zone, and from there in elapsed time, so a clock change neither skips nor
// doubles a draw. A draw that would fall on or after the next day's FirstAt is not planned.
type Calendar struct {
	Zone        *time.Location
	FirstAt     time.Duration // time of day of draw 1
	Every       time.Duration
	Sessions    []Session
	OpenBefore  time.Duration // sales of a session open so long before its first draw
	CloseBefore time.Duration // sales of a draw close so long before it (IAT-2.3.5: 20 s)
	Territories []Territory
}

// Session is a draw session (session de tirages): draws First to Last of the days in Weekdays.
type Session struct {
	Weekdays    []time.Weekday
	First, Last int
}

// Territory is a place where the game is sold.
type Territory struct {
	Key   string // "metropole", "reunion"
	Name  Text
	Zone  *time.Location
	Draws [][2]int // ranges of draw numbers sold there; empty: all
}

// Claims says from when to when prizes are paid (IAT-7).
type Claims struct {
	Days         int           // the last day of claims is so many days after the draw day, inclusive
	MorningAt    time.Duration // "next morning", in Calendar.Zone
	OtherTiers   OtherTiers
	EarlyTiers   EarlyTiers
	DeadlineZone DeadlineZone
	ClaimDay     ClaimDay
	TopRanks     TopRanks
	Extension    ClaimExtension
	RefundDays   int // reading refund_until: stakes given back are paid so many days from the draw; 0: as_prizes
}

// OtherTiers is the reading of when tiers that are not NextMorning become payable.
type OtherTiers uint8

const (
	AfterLastDraw OtherTiers = iota + 1
	EachDraw
)

// EarlyTiers is the reading of a ticket that holds a NextMorning prize and others.
type EarlyTiers uint8

const (
	WholeTicketNextMorning EarlyTiers = iota + 1
	SmallFirst
)

// DeadlineZone is the reading of whose midnight ends the claims.
type DeadlineZone uint8

const (
	PlaceOfPayment DeadlineZone = iota + 1
	ParisDeadline
)

// ClaimDay is the reading claim_day (AMI-11.2): from which day of a draw the days of claims count.
type ClaimDay uint8

const (
	ClaimDrawDay      ClaimDay = iota + 1 // the draw day
	ClaimCalendarDate                     // the date in Calendar.Zone: draws after midnight count from the new day
)

// TopRanks is the reading top_ranks (AMI-11.2): whether tiers with NextMorning and Centre keep to them.
type TopRanks uint8

const (
	TopNextMorning TopRanks = iota + 1
	TopAsTheOthers
)

// ClaimExtension is the reading claim_extension (IAT-7).
type ClaimExtension uint8

const (
	NoExtension    ClaimExtension = iota + 1
	NextWorkingDay                // claims that would end on a Sunday or a French public holiday end on the next working day
)

// Rounding is how printed odds are rounded.
type Rounding uint8

const (
	HalfUp Rounding = iota + 1
	Up
)
