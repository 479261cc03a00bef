package instant

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"tirage/game"
	"tirage/money"
)

// The mappings of a rule book; docs/instant.md and rules/schema.json have the same keys.
var (
	bookSection = game.Section{
		Name:     "book",
		Required: []string{"kind", "game", "version", "name", "first_day", "units", "scene", "prize_tables"},
		Optional: []string{"zone", "policy"},
	}
	tableSection   = game.Section{Name: "prize_table", Required: []string{"price", "prizes", "printed"}}
	prizeSection   = game.Section{Name: "prize", Required: []string{"units", "amount", "total"}, Optional: []string{"symbol", "of"}}
	printedSection = game.Section{Name: "printed", Required: []string{"winners", "total", "payout_rate"}}
	policySection  = game.Section{Name: "policy", Optional: []string{
		"top_prize_gone", "few_units", "few_units_then", "open_next_at", "ahead_pools", "guard_one_in",
	}}
)

// Bounds that no real game comes near: a pool is held in memory, a byte and a
// node of its tree a unit, and its sums are far below [money.Limit].
const (
	unitsMax  = 2_000_000
	tablesMax = 16
	prizesMax = 64            // of a table
	amountMax = 1_000_000_000 // a prize or a price: ten million euros
	aheadMax  = 16
	oneInMin  = 1_000
	oneInMax  = 1_000_000_000
)

// Parse reads a rule book of an instant game, strictly, and checks its printed
// counts, totals and payout (INS-3.1 to 3.3), as [game.Parse] does: the error
// joins one [game.Fault] a wrong value, in the order of lines.
func Parse(name string, text []byte) (*Rules, error) {
	reader, root := game.Read(name, text)
	if root == nil {
		return nil, reader.Err()
	}
	b := &book{Reader: reader, rules: &Rules{Hash: sha256.Sum256(text), Bytes: bytes.Clone(text)}}
	b.readBook(root)
	if err := b.Err(); err != nil {
		return nil, err
	}
	return b.rules, nil
}

// book is a rule book being read.
type book struct {
	*game.Reader
	rules *Rules
}

func (b *book) readBook(root *yaml.Node) {
	r := b.rules
	f := b.Fields(root, bookSection)
	b.Agrees(f["kind"], "kind", "instant")
	r.Code = game.Code(b.Slug(f["game"], "game"))
	r.Version = b.Text(f["version"], "version", 40)
	r.Name = b.Words(f["name"], "name")
	r.FirstDay = b.Day(f["first_day"], "first_day")
	r.Zone = b.Zone(f["zone"], "zone", "Europe/Paris")
	r.Units = b.Whole(f["units"], "units", 1, unitsMax, unitsMax)
	r.Scene = game.Choice(b.Reader, f["scene"], "scene", Plain, Island)
	for _, n := range b.List(f["prize_tables"], "prize_tables", 1, tablesMax) {
		t := b.readTable(n)
		if k := len(r.Tables); k > 0 && t.Price > 0 && t.Price <= r.Tables[k-1].Price {
			b.Fault(n.Line, "prize_table: price", "more than the price before", t.Price.String())
		}
		r.Tables = append(r.Tables, t)
	}
	b.readPolicy(f["policy"])
}

// readTable reads the prize table of a price and what it prints: counts, sums
// and payout follow from the prizes, to the digit.
func (b *book) readTable(n *yaml.Node) PrizeTable {
	f := b.Fields(n, tableSection)
	t := PrizeTable{Price: b.amount(f["price"], "prize_table: price")}
	for _, n := range b.List(f["prizes"], "prize_table: prizes", 1, prizesMax) {
		p := b.readPrize(n)
		if k := len(t.Prizes); k > 0 && p.Amount > 0 && p.Amount >= t.Prizes[k-1].Amount {
			b.Fault(n.Line, "prize: amount", "less than the amount before", p.Amount.String())
		}
		if p.Of > 0 && slices.ContainsFunc(t.Prizes, func(o Prize) bool { return o.Symbol == p.Symbol && o.Of == p.Of }) {
			b.Fault(n.Line, "prize: symbol", "each combination once", fmt.Sprintf("%d %s", p.Of, p.Symbol))
		}
		t.Prizes = append(t.Prizes, p)
	}
	winners := t.Winners()
	if winners > b.rules.Units {
		b.Fault(n.Line, "prize_table: prizes", fmt.Sprintf("at most %d units that win", b.rules.Units), strconv.Itoa(winners))
	}
	printed := b.Fields(f["printed"], printedSection)
	b.Agrees(printed["winners"], "printed: winners", strconv.Itoa(winners))
	b.agrees(printed["total"], "printed: total", t.Total())
	if b.Err() == nil { // else price or units may be wrong
		b.Agrees(printed["payout_rate"], "printed: payout_rate", b.rules.PayoutRate(&t).RatString())
	}
	return t
}

func (b *book) readPrize(n *yaml.Node) Prize {
	f := b.Fields(n, prizeSection)
	p := Prize{
		Units:  b.Whole(f["units"], "prize: units", 1, b.rules.Units, 0),
		Amount: b.amount(f["amount"], "prize: amount"),
	}
	b.agrees(f["total"], "prize: total", p.Total())
	if b.rules.Scene == Plain {
		for _, key := range prizeSection.Optional {
			if f[key] != nil {
				b.Wrong(f[key], "prize: "+key, "nothing in a plain game")
			}
		}
		return p
	}
	if f["symbol"] == nil || f["of"] == nil {
		b.Fault(n.Line, "prize", "a symbol and of how many, which the island shows", "nothing")
		return p
	}
	p.Symbol = game.Choice(b.Reader, f["symbol"], "prize: symbol", Candlestick, Monkey, Sapphire, Skull)
	p.Of = b.Whole(f["of"], "prize: of", 1, 3, 0)
	if p.Of == 1 && p.Symbol != Candlestick { // INS-4.4-board: each other symbol may stand alone on a losing board
		b.Wrong(f["of"], "prize: of", "2 or 3, but for candlesticks")
	}
	return p
}

func (b *book) readPolicy(n *yaml.Node) {
	f := b.Fields(n, policySection)
	units := b.rules.Units
	b.rules.Policy = Policy{
		TopPrizeGone: game.Choice(b.Reader, f["top_prize_gone"], "policy: top_prize_gone", Warn, GoOn, Stop),
		FewUnits:     b.Whole(f["few_units"], "policy: few_units", 0, units, units/100),
		FewUnitsThen: game.Choice(b.Reader, f["few_units_then"], "policy: few_units_then", Warn, GoOn, Stop),
		OpenNextAt:   b.Whole(f["open_next_at"], "policy: open_next_at", 0, units, units/10),
		AheadPools:   b.Whole(f["ahead_pools"], "policy: ahead_pools", 1, aheadMax, 1),
		GuardOneIn:   uint64(b.Whole(f["guard_one_in"], "policy: guard_one_in", oneInMin, oneInMax, 1_000_000)),
	}
}

// amount reads a prize or a price.
func (b *book) amount(n *yaml.Node, what string) money.Amount {
	a := b.Amount(n, what)
	if a > amountMax {
		b.Wrong(n, what, "at most "+money.Amount(amountMax).String())
		return 0
	}
	return a
}

// agrees compares a printed sum with the one that follows from the prizes,
// where these could be read.
func (b *book) agrees(n *yaml.Node, what string, want money.Amount) {
	if got := b.Amount(n, what); got != 0 && want != 0 && got != want {
		b.Wrong(n, what, want.String())
	}
}
