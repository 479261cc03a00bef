package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"go.yaml.in/yaml/v3"

	"tirage/game"
	"tirage/instant"
	"tirage/money"
	"tirage/party"
)

type rulesCmd struct {
	Check rulesCheckCmd `cmd:"" help:"Check rule books: silent when they are right, one line a fault otherwise."`
	Print rulesPrintCmd `cmd:"" help:"Print the rule book of a game that comes with tirage."`
}

type rulesPrintCmd struct {
	Game string `arg:"" help:"A game that comes with tirage, such as ile-au-tresor; or accounts, the rules of players' accounts; or outlets, the terms of outlets."`
}

// Help shows how it is used.
func (rulesPrintCmd) Help() string {
	return "The file is what an officer publishes in the office.\n\nExamples:\n  tirage rules print ile-au-tresor > ile-au-tresor.yaml\n" +
		"  tirage rules print ile-au-tresor-instant > ile-au-tresor-instant.yaml\n  tirage rules print accounts > accounts.yaml\n  tirage rules print outlets > outlets.yaml"
}

// Run prints the book.
func (c rulesPrintCmd) Run(e *env) error {
	b, err := embedded(c.Game)
	if err != nil {
		return fmt.Errorf("%w; the games that come with tirage are %v, %q are the rules of players' accounts, and %q the terms of outlets",
			err, slices.Concat(game.Embedded(), instant.Codes()), accountsBook, termsBook)
	}
	_, err = e.stdout.Write(b)
	return err
}

// The books that are of no game.
const (
	accountsBook = "accounts" // rules of players' accounts
	termsBook    = "outlets"  // terms of outlets
)

// embedded is a rule book that comes with the program: of a draw game, of an instant game, of accounts, or of outlets.
func embedded(name string) ([]byte, error) {
	switch name {
	case accountsBook:
		return party.Book(), nil
	case termsBook:
		return party.TermsBook(), nil
	}
	if slices.Contains(instant.Codes(), game.Code(name)) {
		return instant.Book(game.Code(name))
	}
	return game.Book(game.Code(name))
}

type rulesCheckCmd struct {
	Files []string `arg:"" name:"file" help:"Rule books (YAML)."`
}

// Help shows how it is used.
func (rulesCheckCmd) Help() string {
	return "Draw games, instant games, the rules of players' accounts and the terms of outlets, as the kind in the file says.\n\nExamples:\n  tirage rules check game/rules/*.yaml"
}

// Run checks each file: "FILE:LINE: what, expected, got" on standard output, FILE as it was given, and exit code 1.
func (c rulesCheckCmd) Run(e *env) error {
	faulty := false
	for _, file := range c.Files {
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := checkBook(file, b); err != nil {
			faulty = true
			fmt.Fprintln(e.stdout, err)
		}
	}
	if faulty {
		return errFault
	}
	return nil
}

// checkBook parses a rule book by what its kind says that it is.
func checkBook(file string, b []byte) (err error) {
	switch kindOf(b) {
	case instantKind:
		_, err = instant.Parse(file, b)
	case accountsBook:
		_, err = party.ParseRules(b)
		err = eachIn(file, err)
	case termsBook:
		_, err = party.ParseTerms(b)
		err = eachIn(file, err)
	default:
		_, err = game.Parse(file, b)
	}
	return err
}

// eachIn puts the file before each fault.
func eachIn(file string, err error) error {
	if err == nil {
		return nil
	}
	return errors.New(file + ": " + strings.ReplaceAll(err.Error(), "\n", "\n"+file+": "))
}

// instantKind is the kind of rule books of instant games.
const instantKind = "instant"

// kindOf is the kind that a rule book names; "" when it cannot be read.
func kindOf(b []byte) string {
	var head struct {
		Kind string `yaml:"kind"`
	}
	if yaml.Unmarshal(b, &head) != nil {
		return ""
	}
	return head.Kind
}

type oddsCmd struct {
	Game     string `arg:"" help:"A game that comes with tirage, or the file of a rule book."`
	JSON     bool   `name:"json" help:"Print JSON."`
	Once     bool   `name:"without-multiplier" help:"Count every prize once."`
	Jackpot  string `name:"jackpot" placeholder:"EUROS" help:"Count the jackpot at this amount, won by one unit stake. Default: the amounts that the book names."`
	Multiple bool   `name:"multiple" help:"Print the public table of multiple play instead: what each shape wins by where its hits are."`
}

// Help shows how it is used.
func (oddsCmd) Help() string {
	return "Examples:\n  tirage odds ile-au-tresor\n  tirage odds ile-au-tresor-instant\n  tirage odds my-game.yaml --json\n  tirage odds amigo --jackpot 600000\n  tirage odds amigo --multiple"
}

// oddsJSON is the form of --json: probabilities and rates as reduced
// fractions, prizes in cents for a unit stake (or "jackpot", or "share" of the
// stakes), variance in square units of the currency per unit stake.
type oddsJSON struct {
	Game         string            `json:"game"`
	Version      string            `json:"version"`
	Combinations string            `json:"combinations"`
	Tiers        []oddsTierJSON    `json:"tiers"`
	AnyPrize     oddsAnyJSON       `json:"any_prize"`
	PayoutRate   string            `json:"payout_rate"` // of fixed prizes, with the multiplier
	Variance     string            `json:"variance"`
	Shared       string            `json:"shared,omitempty"`
	Multiplier   *multiplierJSON   `json:"multiplier,omitempty"`
	Jackpots     []oddsJackpotJSON `json:"jackpots,omitempty"`
}

type oddsTierJSON struct {
	Tier        string          `json:"tier"`
	Probability string          `json:"probability"`
	OneIn       string          `json:"one_in"`
	Prize       json.RawMessage `json:"prize_cents"`
	Share       string          `json:"share,omitempty"`
}

type oddsAnyJSON struct {
	Probability string `json:"probability"`
	OneIn       string `json:"one_in"`
}

type multiplierJSON struct {
	Mean   string      `json:"mean"`
	Values []timesJSON `json:"values"`
}

type timesJSON struct {
	Times       int    `json:"times"`
	Probability string `json:"probability"`
}

// oddsJackpotJSON is the payout rate with a jackpot that one unit stake wins.
type oddsJackpotJSON struct {
	Amount     money.Amount `json:"amount_cents"`
	PayoutRate string       `json:"payout_rate"`
}

// Run prints the odds, or the table of multiple play.
func (c oddsCmd) Run(e *env) error {
	name, b, err := readBook(c.Game)
	if err != nil {
		return err
	}
	switch kindOf(b) {
	case instantKind:
		return c.instant(e, name, b)
	case accountsBook:
		return fmt.Errorf("%s: rules of accounts have no odds", c.Game)
	case termsBook:
		return fmt.Errorf("%s: terms of outlets have no odds", c.Game)
	}
	r, err := game.Parse(name, b)
	if err != nil {
		return err
	}
	if c.Multiple {
		return c.printMultiple(e, r)
	}
	jackpots, err := c.jackpots(r)
	if err != nil {
		return err
	}
	o := describeOdds(r, c.Once, jackpots)
	if c.JSON {
		return json.NewEncoder(e.stdout).Encode(o)
	}
	return printOdds(e.stdout, r, o)
}

// jackpots are the amounts to count a jackpot at: the one asked for, or those
// at which it starts, may roll down and must.
func (c oddsCmd) jackpots(r *game.Rules) ([]money.Amount, error) {
	if c.Jackpot != "" {
		amount, err := money.Parse(c.Jackpot)
		if err == nil && amount == 0 {
			err = errors.New("more than nothing is expected")
		}
		if err == nil && !slices.ContainsFunc(r.Tables[0].Tiers, func(t game.Tier) bool { return t.Jackpot }) {
			err = errors.New("the game has none")
		}
		if err != nil {
			return nil, fmt.Errorf("jackpot %.40q: %w", c.Jackpot, err)
		}
		return []money.Amount{amount}, nil
	}
	if r.Jackpot == nil {
		return nil, nil
	}
	amounts := []money.Amount{r.Jackpot.Minimum, r.Jackpot.Threshold, r.Jackpot.Ceiling}
	return slices.DeleteFunc(slices.Compact(amounts), func(a money.Amount) bool { return a == 0 }), nil
}

// readBook reads a rule book that comes with the program, or a file.
func readBook(name string) (file string, b []byte, err error) {
	b, err = embedded(name)
	if err == nil || !errors.Is(err, game.ErrBook) {
		return name + ".yaml", b, err
	}
	if b, err = os.ReadFile(name); err != nil {
		return "", nil, fmt.Errorf("%w; the games that come with tirage are %v", err, slices.Concat(game.Embedded(), instant.Codes()))
	}
	return name, b, nil
}

func describeOdds(r *game.Rules, once bool, jackpots []money.Amount) oddsJSON {
	odds := r.OddsOn(0, game.Terms{Once: once})
	o := oddsJSON{
		Game: string(r.Code), Version: r.Version, Combinations: odds.Combinations.String(),
		AnyPrize:   oddsAnyJSON{odds.Any.RatString(), r.OneInAny(odds.Any)},
		PayoutRate: odds.Payout.RatString(), Variance: odds.Variance.RatString(),
	}
	for i, t := range odds.Tiers {
		tier := r.Tables[0].Tiers[i]
		line := oddsTierJSON{Tier: tier.Name, Probability: t.Probability.RatString(), OneIn: r.OneIn(t.Probability)}
		switch {
		case tier.Jackpot:
			line.Prize = json.RawMessage(`"jackpot"`)
		case tier.Share != nil:
			line.Prize, line.Share = json.RawMessage(`"share"`), tier.Share.RatString()
		default:
			line.Prize = json.RawMessage(fmt.Sprint(int64(tier.Prize)))
		}
		o.Tiers = append(o.Tiers, line)
	}
	if odds.Shared.Sign() > 0 {
		o.Shared = odds.Shared.RatString()
	}
	if len(r.Multipliers) > 0 && !once {
		o.Multiplier = &multiplierJSON{Mean: r.MeanTimes().RatString()}
		for _, m := range r.Multipliers {
			o.Multiplier.Values = append(o.Multiplier.Values, timesJSON{m.Times, r.Chance(m).RatString()})
		}
	}
	for _, amount := range jackpots {
		payout := r.OddsOn(0, game.Terms{Once: once, Jackpot: amount}).Payout
		o.Jackpots = append(o.Jackpots, oddsJackpotJSON{amount, payout.RatString()})
	}
	return o
}

func printOdds(w io.Writer, r *game.Rules, o oddsJSON) error {
	fmt.Fprintf(w, "%s (%s), %s combinations\n\n", r.Name.EN, o.Version, o.Combinations)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "tier\tprobability\t1 in\tprize\t")
	for i, line := range o.Tiers {
		tier := r.Tables[0].Tiers[i]
		prize := tier.Prize.String()
		switch {
		case tier.Jackpot:
			prize = "jackpot"
		case tier.Share != nil:
			prize = line.Share + " of stakes"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t\n", line.Tier, line.Probability, line.OneIn, prize)
	}
	fmt.Fprintf(t, "any\t%s\t%s\t\n", o.AnyPrize.Probability, o.AnyPrize.OneIn)
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nPrizes in %s for a stake of %s. Payout rate %s, variance %s.\n", r.Currency, r.UnitStake, o.PayoutRate, o.Variance)
	if m := o.Multiplier; m != nil {
		values := make([]string, len(m.Values))
		for i, v := range m.Values {
			values[i] = fmt.Sprintf("%d (%s)", v.Times, v.Probability)
		}
		_, err = fmt.Fprintf(w, "Both with the multiplier, of mean %s: %s.\n", m.Mean, strings.Join(values, ", "))
	}
	for _, j := range o.Jackpots {
		_, err = fmt.Fprintf(w, "With a jackpot of %s: payout rate %s.\n", j.Amount, j.PayoutRate)
	}
	return err
}

// multipleJSON is the form of --multiple --json: lines of the public table of
// multiple play, with the winning combinations by tier.
type multipleJSON struct {
	Game    string             `json:"game"`
	Version string             `json:"version"`
	Tiers   []string           `json:"tiers"`
	Lines   []multipleLineJSON `json:"lines"`
}

type multipleLineJSON struct {
	Extras       int     `json:"extras"`
	Columns      int     `json:"columns"`
	Combinations int64   `json:"combinations"`
	Also         int     `json:"also"`     // jackpot numbers played
	AlsoHit      bool    `json:"also_hit"` // one of them was drawn
	Extended     int     `json:"extended_hits"`
	Single       int     `json:"single_hits"`
	Winners      []int64 `json:"winners"`
}

// printMultiple prints the public table of multiple play (AMI-8.1.1); for people, only the lines that win.
func (c oddsCmd) printMultiple(e *env, r *game.Rules) error {
	lines := r.MultipleLines(0)
	if len(lines) == 0 {
		return fmt.Errorf("%s has no multiple play", r.Code)
	}
	table := multipleJSON{Game: string(r.Code), Version: r.Version}
	for _, tier := range r.Tables[0].Tiers {
		table.Tiers = append(table.Tiers, tier.Name)
	}
	for _, l := range lines {
		table.Lines = append(table.Lines, multipleLineJSON{
			l.Shape.Extras, l.Shape.Columns, l.Shape.Combinations(l.Also), l.Also, l.AlsoHit, l.Extended, l.Single, l.Winners,
		})
	}
	if c.JSON {
		return json.NewEncoder(e.stdout).Encode(table)
	}
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "extras\tcolumns\tcombinations\thits in them\tin the others\t"
	if r.Multiple.Also >= 0 {
		head += r.Matrices[r.Multiple.Also].Name.EN + "\thit\t"
	}
	fmt.Fprintln(w, head+strings.Join(table.Tiers, "\t")+"\t")
	for i, l := range table.Lines {
		if !lines[i].Wins() {
			continue
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t", l.Extras, l.Columns, l.Combinations, l.Extended, l.Single)
		if r.Multiple.Also >= 0 {
			hit := map[bool]string{true: "yes", false: "no"}[l.AlsoHit]
			fmt.Fprintf(w, "%d\t%s\t", l.Also, hit)
		}
		for _, n := range l.Winners {
			fmt.Fprintf(w, "%d\t", n)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
