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
// [Matcher] says which tier it wins against a [Result]. [Rules.Odds] are exact.
//
// Everything here is a pure function of the book's bytes; [Rules] never change
// once read, so goroutines may share them.
package game

import (
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

	Matrices []Matrix
	Sets     []Set // all drawn sets, in matrix order
	Tables   []PrizeTable

	Cap       Cap
	QuickPick QuickPick
	OverRun   OverRun
	Between   BetweenSessions
	Calendar  Calendar
	Claims    Claims
	Rounding  Rounding // of printed odds
	Decimals  int      // of printed odds

	index index // combinatorial tables, made by Parse
}

// Matrix is a set of elements from which the player picks (matrice de jeu).
type Matrix struct {
	Key      string // "places"; also the name of the random stream that draws from it
	Name     Text
	Elements []Element // element n of the regulations is Elements[n-1]
	Pick     int       // how many the player picks
	First    int       // bit of element 1 in a Mask
}

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
	// Extension of claims (claim_extension) and RefundUntil (refund_until) have one value for now: none, as prizes.
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

// Rounding is how printed odds are rounded.
type Rounding uint8

const (
	HalfUp Rounding = iota + 1
	Up
)
