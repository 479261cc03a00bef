package verify

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"tirage/money"
	"tirage/rng"
)

// The steps of [Pool], in order, after [StepCheckpoint].
const (
	StepCommitted = "committed" // the log committed to the pool, once
	StepClosed    = "closed"    // and closed it: no unit was sold after that
	StepSecrets   = "secrets"   // two officers committed the published secrets before the value of the beacon was known
	StepTable     = "table"     // the published rule book has its units, and its table adds up to what is printed
	StepRoot      = "root"      // the pool that follows has the committed root
	StepSold      = "sold"      // the units sold are its first ones, in order, each as it follows
	StepLeft      = "left"      // the closing record lists the units after them, and the pool's balance
	StepBoards    = "boards"    // the board of each unit sold, derived again, reads to its prize
	StepShown     = "shown"     // what the players' files show is what follows
)

// PoolSteps lists the steps of [Pool], in order; [StepBeacon] and [StepCheckpoint] are those of a unit too.
// [StepShown] is made when files are given.
var PoolSteps = []string{StepCheckpoint, StepCommitted, StepClosed, StepBeacon, StepSecrets, StepTable, StepRoot, StepSold, StepLeft, StepBoards, StepShown}

// Stage is what a check that takes a while is at.
type Stage int

// The stages of [Pool].
const (
	StageRead   Stage = iota + 1 // records
	StageDerive                  // units
	StageBoards                  // units sold
)

// tellEvery is how many units or records pass between two words of progress.
const tellEvery = 1 << 10

// PoolOptions say which pool is checked, and against what.
type PoolOptions struct {
	Fetch  Fetch
	Key    string // of the log, in the form of signed notes; empty: what the log says of itself
	Game   string
	Price  money.Amount
	Number uint64 // among the pools of the game and price, from 1
	// Files are of units of the pool, as their players downloaded them.
	Files [][]byte
	// Tell is told now and then how far a stage is; nil: nobody is.
	Tell func(stage Stage, done, total uint64)
}

// ParsePrice reads the price of a unit in euros, with a point or a comma: "0.50", "2".
func ParsePrice(text string) (money.Amount, error) {
	price, err := money.Parse(strings.Replace(text, ",", ".", 1))
	if err != nil || price == 0 {
		return 0, fmt.Errorf("%.40q is no price: write 0.50", text)
	}
	return price, nil
}

// ToldPool is a pool as it was derived from what was published.
type ToldPool struct {
	Game    string       `json:"game"`
	Price   money.Amount `json:"price"`
	Number  uint64       `json:"number"`
	ID      uint64       `json:"pool"`
	Record  uint64       `json:"record"` // that committed it
	Units   uint64       `json:"units"`
	Root    hash         `json:"root"`
	Closing uint64       `json:"closing_record,omitempty"`
	Cause   string       `json:"cause,omitempty"`
	Sold    uint64       `json:"sold"`
	Prizes  []Counted    `json:"prizes,omitempty"` // 0, of units that lose, last
	// Read is how many records of the log were public and read, of Size.
	Read uint64 `json:"read"`
	Size uint64 `json:"size"`
}

// Counted is how many units of a derived pool have a prize, and how many of them were sold.
type Counted struct {
	Prize money.Amount `json:"prize"`
	Units uint64       `json:"units"`
	Sold  uint64       `json:"sold"`
}

// unitsMax is the most units that a pool has.
const unitsMax = 2_000_000

// Pool derives a closed pool of an instant game again from what its close
// published (docs/instant.md), and compares it with all that the log said of it
// before. It makes every step that it can.
func Pool(ctx context.Context, o PoolOptions) *Report {
	if o.Tell == nil {
		o.Tell = func(Stage, uint64, uint64) {}
	}
	c := &poolCheck{
		options: o, report: &Report{Key: o.Key, KeyGiven: o.Key != ""}, log: logReader{ctx: ctx, fetch: o.Fetch},
		said: newPoolRecords(o.Game, o.Price, o.Number), done: map[string]bool{},
	}
	c.run()
	return c.report
}

// poolCheck is a check of a pool in progress.
type poolCheck struct {
	options PoolOptions
	report  *Report
	done    map[string]bool // steps that are right
	log     logReader
	origin  string
	keys    keys
	keysErr error
	said    poolRecords
	readErr error // why not all was read
	book    ruleBook
	table   prizeTable
	derived *derivedPool
	told    ToldPool
}

func (c *poolCheck) run() {
	c.step(StepCheckpoint, c.checkpoint)
	c.step(StepCommitted, c.committed, StepCheckpoint)
	c.step(StepClosed, c.closed, StepCommitted)
	c.step(StepBeacon, c.beacon, StepCommitted)
	c.step(StepSecrets, c.secrets, StepCommitted)
	c.step(StepTable, c.tables, StepCommitted)
	c.step(StepRoot, c.root, StepSecrets, StepTable)
	c.step(StepSold, c.sold, StepRoot)
	c.step(StepLeft, c.left, StepSold)
	c.step(StepBoards, c.boards, StepSold)
	if len(c.options.Files) > 0 {
		c.step(StepShown, c.shown, StepSold)
	}
}

// step makes a step, if those that it needs were right.
func (c *poolCheck) step(name string, check func() error, after ...string) {
	c.done[name] = c.report.step(name, func() error {
		for _, before := range after {
			if !c.done[before] {
				return needs(before)
			}
		}
		return check()
	})
}

// checkpoint opens the log.
func (c *poolCheck) checkpoint() error {
	if c.options.Fetch == nil {
		return fmt.Errorf("%w: no address of a log", ErrAbsent)
	}
	if c.report.Key != "" {
		c.origin, _, _ = strings.Cut(c.report.Key, "+")
		return c.log.open(c.origin, c.report.Key)
	}
	text, err := c.options.Fetch(c.log.ctx, "checkpoint")
	if err != nil {
		return err
	}
	c.origin, _, _ = strings.Cut(string(text), "\n")
	if c.report.Key, err = ownKey(c.log.ctx, c.options.Fetch, c.origin); err != nil {
		return err
	}
	return c.log.open(c.origin, c.report.Key)
}

// committed reads the log, and finds the pool in it.
func (c *poolCheck) committed() error {
	if c.keys, c.keysErr = c.log.keys(); c.keysErr != nil {
		return c.keysErr
	}
	c.told.Size = c.log.checkpoint.Size
	c.told.Read, c.readErr = c.log.scan(func(done, total uint64) { c.options.Tell(StageRead, done, total) }, c.said.see)
	p := c.said.pool
	switch {
	case c.readErr != nil && (p == nil || !errors.Is(c.readErr, ErrAbsent)):
		return c.readErr
	case p == nil:
		return fmt.Errorf("%w: the log has no pool %d of %s at %s", ErrAbsent, c.options.Number, c.options.Game, c.options.Price)
	}
	c.report.Pool = &c.told
	c.told.Game, c.told.Price, c.told.Number, c.told.ID = p.Game, p.Price, p.Number, p.ID
	c.told.Record, c.told.Units, c.told.Root = c.said.at, p.Units, p.Root
	return c.said.lies[StepCommitted]
}

// closed tells whether the pool was closed, for good.
func (c *poolCheck) closed() error {
	c.told.Sold = uint64(len(c.said.sold))
	switch {
	case c.said.closing == nil && c.readErr != nil:
		return c.readErr
	case c.said.closing == nil:
		return fmt.Errorf("%w: the pool is not closed: its secrets are published then", ErrAbsent)
	}
	c.told.Closing, c.told.Cause = c.said.closedAt, c.said.closing.Cause
	if err := c.said.lies[StepClosed]; err != nil {
		return err
	}
	return c.said.approved()
}

func (c *poolCheck) beacon() error {
	if len(c.keys.beacon) != 32 {
		return errors.New("the log names no end of a beacon")
	}
	return rng.VerifyBeacon([32]byte(c.keys.beacon), c.said.pool.Round, c.said.pool.Beacon)
}

func (c *poolCheck) secrets() error {
	if c.said.closing == nil {
		return needs(StepClosed)
	}
	return c.said.twoSecrets()
}

// secretHash commits to a secret.
func secretHash(secret [32]byte) [32]byte {
	return sha256.Sum256(append([]byte("tirage pool secret\x00"), secret[:]...))
}

// tables reads the rule book, and adds its table up.
func (c *poolCheck) tables() (err error) {
	p := c.said.pool
	b := c.said.books[p.Book]
	if b == nil {
		return fmt.Errorf("the log has no rule book %s before the pool", hex.EncodeToString(p.Book[:]))
	}
	if c.book, err = readBook(b, p.Game, p.Units); err != nil {
		return err
	}
	if p.Units == 0 || p.Units > unitsMax || p.Price <= 0 || p.Price > money.Limit/unitsMax {
		return fmt.Errorf("a pool of %d units at %s, at most %d", p.Units, p.Price, unitsMax)
	}
	if c.table, err = c.book.table(p.Price); err != nil {
		return err
	}
	winners, total, err := c.table.add(int(p.Units))
	if err != nil {
		return err
	}
	if winners != c.table.Printed.Winners {
		return differ("winners of the table", winners, c.table.Printed.Winners)
	}
	if printed, err := money.Parse(c.table.Printed.Total); err != nil || printed != total {
		return differ("prizes of the table", total, c.table.Printed.Total)
	}
	return nil
}

// add is how many units win, of so many, and all that they do.
func (t prizeTable) add(units int) (winners int, total money.Amount, err error) {
	for _, p := range t.Prizes {
		amount, err := money.Parse(p.Amount)
		if err != nil {
			return 0, 0, err
		}
		if p.Units < 1 || p.Units > units-winners || amount > (money.Limit-total)/money.Amount(p.Units) {
			return 0, 0, fmt.Errorf("%d units with %s do not fit in a pool of %d", p.Units, p.Amount, units)
		}
		winners, total = winners+p.Units, total.Add(amount.Times(int64(p.Units)))
	}
	return winners, total, nil
}

// root derives the pool.
func (c *poolCheck) root() (err error) {
	p := c.said.pool
	seed := poolSeed(c.said.closing.Secrets, p.Beacon, p.Game, p.Price, p.Number)
	if c.derived, err = derivePool(c.table.Prizes, int(p.Units), seed); err != nil {
		return err
	}
	if root := c.derived.root(func(done, total uint64) { c.options.Tell(StageDerive, done, total) }); root != p.Root {
		return differ("root of the pool that follows from its secrets", hex.EncodeToString(root[:]), hex.EncodeToString(p.Root[:]))
	}
	return nil
}

// sold compares every unit sold with the one that follows, and counts them.
func (c *poolCheck) sold() error {
	sold := c.said.sold
	c.told.Prizes = c.counted(len(sold))
	if err := c.said.lies[StepSold]; err != nil {
		return err
	}
	if uint64(len(sold)) != c.said.closing.Sold {
		return differ("units sold", len(sold), c.said.closing.Sold)
	}
	for n, u := range sold {
		if n >= len(c.derived.prizes) {
			return fmt.Errorf("record %d sold a unit that the pool does not have", u.record)
		}
		if place := binary.BigEndian.Uint64(u.leaf[:]); place != uint64(n) {
			return fmt.Errorf("record %d sold unit %d, the next was %d", u.record, place, n)
		}
		if want := c.derived.leaf(n); u.leaf != want {
			return fmt.Errorf("record %d sold unit %d with %s, seed and salt %x; it follows %s, %x", u.record, n, prizeIn(u.leaf), u.leaf[16:], prizeIn(want), want[16:])
		}
	}
	return nil
}

// prizeIn is the prize in a leaf.
func prizeIn(leaf [64]byte) money.Amount { return money.Amount(binary.BigEndian.Uint64(leaf[8:])) }

// counted counts the units of the pool by prize, and those of the first ones.
func (c *poolCheck) counted(first int) (lines []Counted) {
	at := map[money.Amount]int{}
	for _, p := range c.table.Prizes {
		amount, _ := money.Parse(p.Amount) // the table was read with it
		at[amount], lines = len(lines), append(lines, Counted{Prize: amount})
	}
	at[0], lines = len(lines), append(lines, Counted{})
	for n, prize := range c.derived.prizes {
		lines[at[prize]].Units++
		if n < first {
			lines[at[prize]].Sold++
		}
	}
	return lines
}

// left compares what the closing record lists with the units after those sold.
func (c *poolCheck) left() error {
	closing := c.said.closing
	if len(closing.Left) != len(c.told.Prizes) {
		return differ("prizes in the list of units not sold", len(closing.Left), len(c.told.Prizes))
	}
	balance := c.said.pool.Price.Times(int64(c.told.Sold))
	for i, line := range c.told.Prizes {
		if got, want := closing.Left[i], line.Units-line.Sold; got.Prize != line.Prize || got.Units != want {
			return fmt.Errorf("%d units with %s are listed as not sold, expected %d with %s", got.Units, got.Prize, want, line.Prize)
		}
		balance = balance.Sub(line.Prize.Times(int64(line.Sold)))
	}
	if got := money.Amount(closing.Balance); got != balance {
		return differ("balance of the pool", got, balance)
	}
	return nil
}

// boards derives the board of every unit sold, and reads it.
func (c *poolCheck) boards() error {
	if c.book.Scene != "island" {
		return nil
	}
	for n, u := range c.said.sold {
		if n%tellEvery == 0 {
			c.options.Tell(StageBoards, uint64(n), uint64(len(c.said.sold)))
		}
		prize := c.derived.prizes[n]
		b, err := deriveBoard(c.table.Prizes, prize, seedOf(u.leaf))
		if err != nil {
			return fmt.Errorf("unit %d: %w", n, err)
		}
		shown, err := b.prize(c.table.Prizes)
		if err != nil {
			return fmt.Errorf("unit %d: %w", n, err)
		}
		if shown != prize {
			return differ(fmt.Sprintf("the board of unit %d reads to", n), shown, prize)
		}
	}
	return nil
}

// shown compares what players were shown with what follows.
func (c *poolCheck) shown() error {
	for i, file := range c.options.Files {
		if err := c.shownIn(file); err != nil {
			return fmt.Errorf("file %d: %w", i+1, err)
		}
	}
	return nil
}

func (c *poolCheck) shownIn(file []byte) error {
	u := unitCheck{}
	if err := u.read(file); err != nil {
		return err
	}
	t, p := u.told, c.said.pool
	switch {
	case t.Log != c.origin:
		return differ("log that the unit names", t.Log, c.origin)
	case t.Game != p.Game || t.Price != p.Price || t.Number != p.Number || t.Pool != p.ID || t.Units != p.Units || t.Root != p.Root:
		return fmt.Errorf("unit %d is of another pool", t.Unit)
	case t.Unit >= uint64(len(c.said.sold)):
		return fmt.Errorf("unit %d was not sold", t.Unit)
	case t.Record != c.said.sold[t.Unit].record:
		return differ("record of the unit", t.Record, c.said.sold[t.Unit].record)
	case [64]byte(t.leaf()) != c.derived.leaf(int(t.Unit)):
		return fmt.Errorf("unit %d with %s, seed and salt %x%x is not the one that follows", t.Unit, t.Prize, t.Seed, t.Salt)
	case len(c.keys.answers) != ed25519.PublicKeySize || !ed25519.Verify(c.keys.answers, []byte(u.file.Text), u.file.Signature):
		return errors.New("its signature is not that of the text by the key that the log names")
	case c.book.Scene != "island" && t.Board != nil:
		return errors.New("a board in a game without one")
	}
	return checkDerived(c.book, t)
}
