package game

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones load on machines without a zone database

	"go.yaml.in/yaml/v3"

	"tirage/money"
)

// The mappings of a rule book; docs/rulebook.md and rules/schema.json have the same keys.
var (
	bookSection = Section{
		"book",
		[]string{"game", "version", "name", "kind", "first_day", "unit_stake", "stakes", "draw_counts", "matrices", "prize_tables"},
		[]string{
			"currency", "boards_max", "multiple", "limit", "multiplier", "jackpot", "printed", "cap", "quick_pick",
			"over_run", "between_sessions", "claims", "calendar", "promotions",
		},
	}
	textSection         = Section{"text", []string{"fr", "en"}, nil}
	matrixSection       = Section{"matrix", []string{"key", "name", "pick"}, []string{"elements", "count", "columns", "sets"}}
	elementSection      = Section{"element", []string{"key", "fr", "en"}, nil}
	setSection          = Section{"set", []string{"key", "count"}, []string{"name"}}
	tableSection        = Section{"prize_table", []string{"key", "tiers"}, []string{"printed"}}
	tierSection         = Section{"tier", []string{"name", "hits"}, []string{"prize", "share", "any_order", "payable", "paid_at", "odds", "by_stake"}}
	tablePrintedSection = Section{"table_printed", nil, []string{"winning", "any_prize", "payout_rate", "shared"}}
	printedSection      = Section{"printed", nil, []string{"decimals", "any_decimals", "rounding", "combinations"}}
	multipleSection     = Section{"multiple", []string{"matrix", "shapes"}, []string{"also", "also_max", "jackpot_only_multiple", "shape_scope"}}
	shapesSection       = Section{"shapes", []string{"extras", "columns"}, []string{"combinations"}}
	limitSection        = Section{"limit", []string{"max"}, []string{"scope", "plays"}}
	multiplierSection   = Section{"multiplier", []string{"values"}, []string{"mean"}}
	timesSection        = Section{"times", []string{"times", "chances"}, nil}
	jackpotSection      = Section{"jackpot", []string{"share", "minimum"}, []string{
		"payout_rate", "guarantee_from", "threshold", "one_in", "ceiling", "threshold_basis", "rolldown", "over_cap", "no_lower_winner",
	}}
	capSection       = Section{"cap", []string{"max"}, []string{"counts", "refusal", "quick_pick", "tries"}}
	quickPickSection = Section{"quick_pick", nil, []string{"partial", "by"}}
	claimsSection    = Section{"claims", nil, []string{
		"days", "morning_at", "other_tiers", "early_tiers", "deadline_zone", "claim_day", "top_ranks", "claim_extension", "refund_until",
	}}
	calendarSection = Section{"calendar", nil, []string{
		"zone", "first_at", "every", "open_before", "close_before", "sessions", "territories",
	}}
	sessionSection   = Section{"session", []string{"weekdays", "draws"}, nil}
	territorySection = Section{"territory", []string{"key", "name", "zone"}, []string{"draws"}}
	promotionSection = Section{"promotion", []string{"table", "days"}, []string{"weekdays", "draws", "territories"}}
)

// Bounds that no real game comes near, so that no book takes long to check.
const (
	stakesMax      = 64
	shapesMax      = 64            // of multiple plays
	multipliersMax = 64            // values of the multiplier
	timesMax       = 1_000         // a multiplier
	chancesMax     = 1_000_000     // of a multiplier; and of the extra draw for a jackpot
	shareDenomMax  = 1_000_000_000 // of a share of the stakes: what it leaves below the cent is carried on as a fraction
	promotionsMax  = 64
	partsMax       = 10_000 // combinations times draws of a ticket
	drawCountsMax  = 64
	matricesMax    = 32
	setsMax        = 16 // of one matrix
	tablesMax      = 16
	tiersMax       = 64 // of one table
	sessionsMax    = 32
	territoriesMax = 64
	stakeUnitsMax  = 1_000_000 // unit stakes in a stake
	rangesMax      = 64
	claimDaysMax   = 3650
)

// Bounds of what must fit one journal record of 65,534 bytes: a session's plan
// (27 bytes a draw), and a draw's settlement: a share for each tier of all
// tables, and a line for each draw that can be the last of its tickets. The draws
// of a ticket are of one session, also where some were postponed into another,
// so these are the draws of the longest session. Past them a draw could be
// planned or sold, and then go no further.
const (
	sessionDrawsMax = 2_400
	settlementMax   = 65_200 // bytes of shares and lines
	shareBytes      = 40
	lineBytes       = 15 // with fewer than 2^32 draws planned before
)

// Bounds of what can be won, far below [money.Limit], which bounds a price, and
// further below what a settlement may sum up to (journal.TotalMax): millions of
// tickets can win the most at once, and the draw is still settled.
const (
	prizeMax = money.Limit / 10_000 // a prize for a unit stake, multiplied; a sum of a jackpot: a billion euros
	winMax   = money.Limit / 1_000  // prizes of a slip in a draw, or of a combination under the cap
)

// book is a rule book being read: its rules, and where it prints what the rules must agree with.
type book struct {
	*Reader
	rules *Rules

	stakes       []*yaml.Node // by stake
	drawCounts   []*yaml.Node // by number of draws
	sessions     []*yaml.Node // draws, by session
	matrices     []*yaml.Node // by matrix
	multiple     *yaml.Node   // the section; nil: none
	shapes       []printedShapes
	mean         *yaml.Node // of the multiplier
	jackpot      map[string]*yaml.Node
	combinations *yaml.Node     // printed
	tables       []printedTable // by table
}

type printedTable struct {
	table                                 *yaml.Node
	winning, anyPrize, payoutRate, shared *yaml.Node
	tiers                                 []printedTier
}

// printedTier has what a tier prints; prize is its share where it is one.
type printedTier struct {
	tier, prize, odds, byStake *yaml.Node
}

func (b *book) readBook(root *yaml.Node) {
	r := b.rules
	f := b.Fields(root, bookSection)
	r.Code = Code(b.Slug(f["game"], "game"))
	r.Version = b.Text(f["version"], "version", 40)
	r.Name = b.Words(f["name"], "name")
	r.Kind = Choice(b.Reader, f["kind"], "kind", FixedPrize, Parimutuel)
	r.Currency = b.currency(f["currency"])
	r.FirstDay = b.Day(f["first_day"], "first_day")
	b.readStakes(f)
	r.BoardsMax = b.Whole(f["boards_max"], "boards_max", 1, 100, 1)
	b.readMatrices(f["matrices"])
	b.readMultiple(f["multiple"])
	b.readLimit(f["limit"])
	b.readMultiplier(f["multiplier"])
	b.readJackpot(f["jackpot"])
	b.readPrinted(f["printed"])
	b.readTables(f["prize_tables"])
	b.readCap(f["cap"])
	b.readQuickPick(f["quick_pick"])
	r.OverRun = Choice(b.Reader, f["over_run"], "over_run", CutOverRun, RefuseOverRun)
	r.Between = Choice(b.Reader, f["between_sessions"], "between_sessions", RefusedBetween, NextSession)
	b.readClaims(f["claims"])
	b.readCalendar(f["calendar"])
	b.readPromotions(f["promotions"])
}

var currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)

func (b *book) currency(n *yaml.Node) string {
	const expected = "an ISO 4217 code such as EUR"
	s, ok := b.Scalar(n, "currency", expected)
	if !ok {
		return "EUR"
	}
	if !currencyForm.MatchString(s) {
		b.Wrong(n, "currency", expected)
	}
	return s
}

func (b *book) readStakes(f map[string]*yaml.Node) {
	r := b.rules
	r.UnitStake = b.Amount(f["unit_stake"], "unit_stake")
	for _, n := range b.List(f["stakes"], "stakes", 1, stakesMax) {
		stake := b.Amount(n, "stakes")
		if r.UnitStake > 0 && stake > 0 && stake%r.UnitStake != 0 {
			b.Wrong(n, "stakes", "a multiple of the unit stake "+r.UnitStake.String())
		}
		if k := len(r.Stakes); k > 0 && stake > 0 && stake <= r.Stakes[k-1] {
			b.Wrong(n, "stakes", "more than the stake before")
		}
		r.Stakes = append(r.Stakes, stake)
		b.stakes = append(b.stakes, n)
	}
	for _, n := range b.List(f["draw_counts"], "draw_counts", 1, drawCountsMax) {
		count := b.Whole(n, "draw_counts", 1, 1000, 0)
		if k := len(r.DrawCounts); k > 0 && count > 0 && count <= r.DrawCounts[k-1] {
			b.Wrong(n, "draw_counts", "more than the number before")
		}
		r.DrawCounts = append(r.DrawCounts, count)
		b.drawCounts = append(b.drawCounts, n)
	}
}

// reservedKeys are no matrix's: two name random streams of a draw beside those
// of the matrices (docs/rng.md), the others fields of a form beside its elements.
var reservedKeys = []string{
	"multiplier", "roll-down",
	"jeu", "board", "slip", "stake", "draws", "shape", "also", "letter", "key", "do", "code", "command", "lang", "device",
}

func (b *book) readMatrices(n *yaml.Node) {
	r := b.rules
	first := 0
	for _, n := range b.List(n, "matrices", 1, matricesMax) {
		f := b.Fields(n, matrixSection)
		m := Matrix{Key: b.Slug(f["key"], "matrix: key"), Name: b.Words(f["name"], "matrix: name"), First: first}
		if slices.ContainsFunc(r.Matrices, func(o Matrix) bool { return o.Key == m.Key && m.Key != "" }) {
			b.Wrong(f["key"], "matrix: key", "each key once")
		}
		if slices.Contains(reservedKeys, m.Key) {
			b.Wrong(f["key"], "matrix: key", "none of "+strings.Join(reservedKeys, ", "))
		}
		m.Elements = b.readElements(n, f)
		m.Pick = b.Whole(f["pick"], "matrix: pick", 1, max(1, len(m.Elements)), 1)
		m.Columns = b.readColumns(f, m)
		b.readSets(n, f["sets"], m)
		first += len(m.Elements)
		if first > ElementsMax && first-len(m.Elements) <= ElementsMax {
			b.Fault(n.Line, "matrices", fmt.Sprintf("at most %d elements in all", ElementsMax), strconv.Itoa(first))
		}
		r.Matrices = append(r.Matrices, m)
		b.matrices = append(b.matrices, n)
	}
}

// readColumns reads into how many columns of equal size the elements of a
// matrix stand: one of each is picked, and one drawn (AMI-3.1.4).
func (b *book) readColumns(f map[string]*yaml.Node, m Matrix) int {
	n := f["columns"]
	columns := b.Whole(n, "matrix: columns", 1, max(1, len(m.Elements)), 0)
	switch {
	case columns == 0 || len(m.Elements) == 0 || f["pick"] == nil:
		return 0 // none, or at fault already
	case len(m.Elements)%columns != 0:
		b.Wrong(n, "matrix: columns", fmt.Sprintf("columns of equal size of the %d elements", len(m.Elements)))
		return 0
	case m.Pick != columns:
		b.Wrong(f["pick"], "matrix: pick", fmt.Sprintf("%d, one of each column", columns))
		return 0
	}
	return columns
}

// readElements reads the named elements, or makes the numbers 1 to count.
func (b *book) readElements(matrix *yaml.Node, f map[string]*yaml.Node) []Element {
	if (f["elements"] == nil) == (f["count"] == nil) {
		b.Fault(matrix.Line, "matrix", "either elements or count", "both or none")
		return nil
	}
	if f["count"] != nil {
		elements := make([]Element, b.Whole(f["count"], "matrix: count", 1, ElementsMax, 0))
		for i := range elements {
			n := strconv.Itoa(i + 1)
			elements[i] = Element{Key: n, Name: Text{FR: n, EN: n}}
		}
		return elements
	}
	var elements []Element
	seen := map[string]bool{} // a word that meant two elements would make a ticket ambiguous (IAT-5.2)
	for _, n := range b.List(f["elements"], "matrix: elements", 1, ElementsMax) {
		f := b.Fields(n, elementSection)
		e := Element{Key: b.Slug(f["key"], "element: key")}
		e.Name = Text{FR: b.Text(f["fr"], "element: fr", 60), EN: b.Text(f["en"], "element: en", 60)}
		for _, field := range elementSection.Required {
			if n := f[field]; n != nil && seen[field+":"+n.Value] {
				b.Wrong(n, "element: "+field, "each one once")
			} else if n != nil {
				seen[field+":"+n.Value] = true
			}
		}
		elements = append(elements, e)
	}
	return elements
}

// readSets reads the drawn sets of a matrix, which is the next one; a matrix
// that names none has one with its own key, as many as the player picks.
func (b *book) readSets(matrix, n *yaml.Node, m Matrix) {
	if n == nil {
		b.addSet(matrix, Set{Key: m.Key, Name: m.Name, Matrix: len(b.rules.Matrices), Count: m.Pick})
		return
	}
	if m.Columns > 0 && len(n.Content) > 1 {
		b.Wrong(n, "matrix: sets", "one set of a matrix with columns")
	}
	drawn := 0
	for _, n := range b.List(n, "matrix: sets", 1, setsMax) {
		f := b.Fields(n, setSection)
		s := Set{Key: b.Slug(f["key"], "set: key"), Name: m.Name, Matrix: len(b.rules.Matrices)}
		if f["name"] != nil {
			s.Name = b.Words(f["name"], "set: name")
		}
		s.Count = b.Whole(f["count"], "set: count", 1, ElementsMax, 0)
		drawn += s.Count
		if len(m.Elements) > 0 && drawn > len(m.Elements) {
			b.Fault(n.Line, "set: count", fmt.Sprintf("at most %d drawn from the matrix", len(m.Elements)), strconv.Itoa(drawn))
		}
		if m.Columns > 0 && s.Count != m.Columns {
			b.Fault(n.Line, "set: count", fmt.Sprintf("%d, one of each column", m.Columns), strconv.Itoa(s.Count))
		}
		b.addSet(n, s)
	}
}

func (b *book) addSet(n *yaml.Node, s Set) {
	if s.Key != "" && slices.ContainsFunc(b.rules.Sets, func(o Set) bool { return o.Key == s.Key }) {
		b.Fault(n.Line, "set: key", "each key once", s.Key)
	}
	b.rules.Sets = append(b.rules.Sets, s)
}

func (b *book) readPrinted(n *yaml.Node) {
	f := b.Fields(n, printedSection)
	b.rules.Decimals = b.Whole(f["decimals"], "printed: decimals", 0, 9, 2)
	b.rules.AnyDecimals = b.Whole(f["any_decimals"], "printed: any_decimals", 0, 9, b.rules.Decimals)
	b.rules.Rounding = Choice(b.Reader, f["rounding"], "printed: rounding", HalfUp, Up)
	b.combinations = f["combinations"]
}

func (b *book) readTables(n *yaml.Node) {
	for _, n := range b.List(n, "prize_tables", 1, tablesMax) {
		f := b.Fields(n, tableSection)
		t := PrizeTable{Key: b.Slug(f["key"], "prize_table: key")}
		if t.Key != "" && slices.ContainsFunc(b.rules.Tables, func(o PrizeTable) bool { return o.Key == t.Key }) {
			b.Wrong(f["key"], "prize_table: key", "each key once")
		}
		figures := b.Fields(f["printed"], tablePrintedSection)
		printed := printedTable{
			table: n, winning: figures["winning"], anyPrize: figures["any_prize"], payoutRate: figures["payout_rate"], shared: figures["shared"],
		}
		for _, n := range b.List(f["tiers"], "prize_table: tiers", 1, tiersMax) {
			tier, nodes := b.readTier(n)
			if tier.Name != "" && slices.ContainsFunc(t.Tiers, func(o Tier) bool { return o.Name == tier.Name }) {
				b.Fault(n.Line, "tier: name", "each name once", tier.Name)
			}
			t.Tiers = append(t.Tiers, tier)
			printed.tiers = append(printed.tiers, nodes)
		}
		b.rules.Tables = append(b.rules.Tables, t)
		b.tables = append(b.tables, printed)
	}
}

func (b *book) readTier(n *yaml.Node) (Tier, printedTier) {
	f := b.Fields(n, tierSection)
	t := Tier{Name: b.Text(f["name"], "tier: name", 40), Hits: b.readHits(f["hits"])}
	nodes := printedTier{tier: n, prize: f["prize"], odds: f["odds"], byStake: f["by_stake"]}
	switch prize := f["prize"]; {
	case (prize == nil) == (f["share"] == nil):
		b.Fault(n.Line, "tier", "either prize or share", "both or none")
	case prize == nil:
		nodes.prize = f["share"]
		t.Share = b.share(f["share"], "tier: share")
	case prize.Kind == yaml.ScalarNode && prize.Value == "jackpot":
		t.Jackpot = true
	default:
		t.Prize = b.Amount(prize, "tier: prize")
	}
	t.AnyOrder = b.flag(f["any_order"], "tier: any_order", "allowed")
	t.NextMorning = b.flag(f["payable"], "tier: payable", "next_morning")
	t.Centre = b.flag(f["paid_at"], "tier: paid_at", "payment_centre")
	return t, nodes
}

// flag reads a field that has one value, or is not there.
func (b *book) flag(n *yaml.Node, what, value string) bool {
	s, ok := b.Scalar(n, what, value)
	if ok && s != value {
		b.Wrong(n, what, value)
	}
	return ok
}

// readHits reads exact numbers of hits by set; a set that is not named does not matter.
func (b *book) readHits(n *yaml.Node) []int {
	r := b.rules
	keys := make([]string, len(r.Sets))
	for i, s := range r.Sets {
		keys[i] = s.Key
	}
	hits := make([]int, len(keys))
	if len(keys) == 0 {
		return hits // the matrices are at fault already
	}
	f := b.Fields(n, Section{"hits", nil, keys})
	for i, key := range keys {
		hits[i] = b.Whole(f[key], "hits: "+key, 0, r.hitsMax(i), Any)
	}
	return hits
}

func (b *book) readCap(n *yaml.Node) {
	f := b.Fields(n, capSection)
	b.rules.Cap = Cap{
		Max:       b.Whole(f["max"], "cap: max", 1, 1_000_000, 0),
		Counts:    Choice(b.Reader, f["counts"], "cap: counts", CountUnitStakes, CountWagers),
		Refusal:   Choice(b.Reader, f["refusal"], "cap: refusal", RefuseWhole, RefusePartial),
		QuickPick: Choice(b.Reader, f["quick_pick"], "cap: quick_pick", RedrawQuickPick, RefuseQuickPick),
		Tries:     b.Whole(f["tries"], "cap: tries", 1, 10_000, 100),
	}
}

// permission is the value of a field that allows or refuses something.
type permission bool

func (p permission) String() string {
	if p {
		return "allowed"
	}
	return "refused"
}

func (b *book) readQuickPick(n *yaml.Node) {
	f := b.Fields(n, quickPickSection)
	b.rules.QuickPick = QuickPick{
		Partial: bool(Choice[permission](b.Reader, f["partial"], "quick_pick: partial", true, false)),
		By:      Choice(b.Reader, f["by"], "quick_pick: by", ByCentral, ByTerminal),
	}
}

func (b *book) readClaims(n *yaml.Node) {
	f := b.Fields(n, claimsSection)
	b.rules.Claims = Claims{
		Days:         b.Whole(f["days"], "claims: days", 1, claimDaysMax, 60),
		MorningAt:    b.clock(f["morning_at"], "claims: morning_at", 6*time.Hour),
		OtherTiers:   Choice(b.Reader, f["other_tiers"], "claims: other_tiers", AfterLastDraw, EachDraw),
		EarlyTiers:   Choice(b.Reader, f["early_tiers"], "claims: early_tiers", WholeTicketNextMorning, SmallFirst),
		DeadlineZone: Choice(b.Reader, f["deadline_zone"], "claims: deadline_zone", PlaceOfPayment, ParisDeadline),
		ClaimDay:     Choice(b.Reader, f["claim_day"], "claims: claim_day", ClaimDrawDay, ClaimCalendarDate),
		TopRanks:     Choice(b.Reader, f["top_ranks"], "claims: top_ranks", TopNextMorning, TopAsTheOthers),
		Extension:    Choice(b.Reader, f["claim_extension"], "claims: claim_extension", NoExtension, NextWorkingDay),
		RefundDays:   b.refundDays(f["refund_until"]),
	}
}

// refundDays reads how long stakes of cancelled draws are given back: as long
// as prizes are paid, which is 0, or so many days.
func (b *book) refundDays(n *yaml.Node) int {
	const what, prizes = "claims: refund_until", "as_prizes"
	if n == nil || n.Kind == yaml.ScalarNode && n.Value == prizes {
		return 0
	}
	if n.ShortTag() != "!!int" {
		b.Wrong(n, what, prizes+" or a number of days")
		return 0
	}
	return b.Whole(n, what, 1, claimDaysMax, 0)
}

func (b *book) readCalendar(n *yaml.Node) {
	f := b.Fields(n, calendarSection)
	c := Calendar{
		Zone:        b.Zone(f["zone"], "calendar: zone", "Europe/Paris"),
		FirstAt:     b.clock(f["first_at"], "calendar: first_at", 4*time.Hour+10*time.Minute),
		Every:       b.duration(f["every"], "calendar: every", 5*time.Minute),
		OpenBefore:  b.duration(f["open_before"], "calendar: open_before", time.Hour),
		CloseBefore: b.duration(f["close_before"], "calendar: close_before", 20*time.Second),
	}
	if line := f["close_before"]; line != nil && c.CloseBefore >= min(c.Every, c.OpenBefore) {
		b.Wrong(line, "calendar: close_before", "less than every and open_before")
	} else if line == nil && n != nil && c.CloseBefore >= min(c.Every, c.OpenBefore) {
		b.Fault(n.Line, "calendar", "every and open_before above the default close_before", "20s")
	}
	last := c.lastNumber()
	for _, n := range b.List(f["sessions"], "calendar: sessions", 0, sessionsMax) {
		s := b.readSession(n, last)
		b.sessions = append(b.sessions, n)
		for _, day := range s.Weekdays {
			if slices.ContainsFunc(c.Sessions, func(o Session) bool {
				return s.First > 0 && o.First > 0 && slices.Contains(o.Weekdays, day) && s.First <= o.Last && o.First <= s.Last
			}) {
				b.Fault(n.Line, "session: draws", "draws of no other session", fmt.Sprintf("%d to %d on %v", s.First, s.Last, day))
			}
		}
		c.Sessions = append(c.Sessions, s)
	}
	for _, n := range b.List(f["territories"], "calendar: territories", 0, territoriesMax) {
		t := b.readTerritory(n, last)
		if t.Key != "" && slices.ContainsFunc(c.Territories, func(o Territory) bool { return o.Key == t.Key }) {
			b.Fault(n.Line, "territory: key", "each key once", t.Key)
		}
		c.Territories = append(c.Territories, t)
	}
	b.rules.Calendar = c
}

// lastNumber is the number of the last draw that a day has room for.
func (c *Calendar) lastNumber() int { return int(24 * time.Hour / c.Every) }

var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

func (b *book) readSession(n *yaml.Node, last int) Session {
	f := b.Fields(n, sessionSection)
	s := Session{Weekdays: b.weekdays(f["weekdays"], "session: weekdays")}
	s.First, s.Last = b.draws(f["draws"], "session: draws", last)
	if s.First > 0 && s.Last-s.First >= sessionDrawsMax {
		b.Fault(f["draws"].Line, "session: draws", fmt.Sprintf("at most %d draws", sessionDrawsMax), strconv.Itoa(s.Last-s.First+1))
	}
	return s
}

// weekdays reads days of the week.
func (b *book) weekdays(n *yaml.Node, what string) []time.Weekday {
	var days []time.Weekday
	expected := "one of " + strings.Join(weekdays, ", ") + ", each once"
	for _, n := range b.List(n, what, 1, 7) {
		if name, ok := b.Scalar(n, what, expected); ok {
			day := time.Weekday(slices.Index(weekdays, name))
			if day < 0 || slices.Contains(days, day) {
				b.Wrong(n, what, expected)
				continue
			}
			days = append(days, day)
		}
	}
	return days
}

// draws reads a range of draw numbers, [95, 130]. Draw numbers end with the day.
func (b *book) draws(n *yaml.Node, what string, last int) (from, to int) {
	items := b.List(n, what, 2, 2)
	if items == nil {
		return 0, 0
	}
	from = b.Whole(items[0], what, 1, last, 0)
	to = b.Whole(items[1], what, 1, last, 0)
	if from > 0 && to > 0 && from > to {
		b.Wrong(items[1], what, fmt.Sprintf("at least %d", from))
	}
	return from, to
}

func (b *book) readTerritory(n *yaml.Node, last int) Territory {
	f := b.Fields(n, territorySection)
	t := Territory{
		Key:  b.Slug(f["key"], "territory: key"),
		Name: b.Words(f["name"], "territory: name"),
		Zone: b.Zone(f["zone"], "territory: zone", "UTC"),
	}
	t.Draws = b.ranges(f["draws"], "territory: draws", last)
	return t
}

// ranges reads ranges of draw numbers.
func (b *book) ranges(n *yaml.Node, what string, last int) [][2]int {
	var ranges [][2]int
	for _, n := range b.List(n, what, 1, rangesMax) {
		from, to := b.draws(n, what, last)
		ranges = append(ranges, [2]int{from, to})
	}
	return ranges
}
