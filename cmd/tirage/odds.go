package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"

	"tirage/game"
)

type rulesCmd struct {
	Check rulesCheckCmd `cmd:"" help:"Check rule books: silent when they are right, one line a fault otherwise."`
	Print rulesPrintCmd `cmd:"" help:"Print the rule book of a game that comes with tirage."`
}

type rulesPrintCmd struct {
	Game string `arg:"" help:"A game that comes with tirage, such as ile-au-tresor."`
}

// Help shows how it is used.
func (rulesPrintCmd) Help() string {
	return "The file is what an officer publishes in the office.\n\nExamples:\n  tirage rules print ile-au-tresor > ile-au-tresor.yaml"
}

// Run prints the book.
func (c rulesPrintCmd) Run(e *env) error {
	b, err := game.Book(game.Code(c.Game))
	if err != nil {
		return fmt.Errorf("%w; the games that come with tirage are %v", err, game.Embedded())
	}
	_, err = e.stdout.Write(b)
	return err
}

type rulesCheckCmd struct {
	Files []string `arg:"" name:"file" help:"Rule books (YAML)."`
}

// Help shows how it is used.
func (rulesCheckCmd) Help() string {
	return "Examples:\n  tirage rules check game/rules/*.yaml"
}

// Run checks each file: "FILE:LINE: what, expected, got" on standard output, FILE as it was given, and exit code 1.
func (c rulesCheckCmd) Run(e *env) error {
	faulty := false
	for _, file := range c.Files {
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if _, err := game.Parse(file, b); err != nil {
			faulty = true
			fmt.Fprintln(e.stdout, err)
		}
	}
	if faulty {
		return errFault
	}
	return nil
}

type oddsCmd struct {
	Game string `arg:"" help:"A game that comes with tirage, or the file of a rule book."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// Help shows how it is used.
func (oddsCmd) Help() string {
	return "Examples:\n  tirage odds ile-au-tresor\n  tirage odds my-game.yaml --json"
}

// oddsJSON is the form of --json: probabilities and rates as reduced
// fractions, prizes in cents for a unit stake (or "jackpot"), variance in
// square units of the currency per unit stake.
type oddsJSON struct {
	Game         string         `json:"game"`
	Version      string         `json:"version"`
	Combinations string         `json:"combinations"`
	Tiers        []oddsTierJSON `json:"tiers"`
	AnyPrize     oddsAnyJSON    `json:"any_prize"`
	PayoutRate   string         `json:"payout_rate"`
	Variance     string         `json:"variance"`
}

type oddsTierJSON struct {
	Tier        string          `json:"tier"`
	Probability string          `json:"probability"`
	OneIn       string          `json:"one_in"`
	Prize       json.RawMessage `json:"prize_cents"`
}

type oddsAnyJSON struct {
	Probability string `json:"probability"`
	OneIn       string `json:"one_in"`
}

// Run prints the odds.
func (c oddsCmd) Run(e *env) error {
	r, err := loadRules(c.Game)
	if err != nil {
		return err
	}
	o := describeOdds(r)
	if c.JSON {
		return json.NewEncoder(e.stdout).Encode(o)
	}
	return printOdds(e.stdout, r, o)
}

// loadRules reads a game that is shipped, or a file.
func loadRules(name string) (*game.Rules, error) {
	if slices.Contains(game.Embedded(), game.Code(name)) {
		b, err := game.Book(game.Code(name))
		if err != nil {
			return nil, err
		}
		return game.Parse(name+".yaml", b)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%w; the games that come with tirage are %v", err, game.Embedded())
	}
	return game.Parse(name, b)
}

func describeOdds(r *game.Rules) oddsJSON {
	odds := r.Odds(0)
	o := oddsJSON{
		Game: string(r.Code), Version: r.Version, Combinations: odds.Combinations.String(),
		AnyPrize:   oddsAnyJSON{odds.Any.RatString(), r.OneIn(odds.Any)},
		PayoutRate: odds.Payout.RatString(), Variance: odds.Variance.RatString(),
	}
	for i, t := range odds.Tiers {
		tier := r.Tables[0].Tiers[i]
		prize := json.RawMessage(fmt.Sprint(int64(tier.Prize)))
		if tier.Jackpot {
			prize = json.RawMessage(`"jackpot"`)
		}
		o.Tiers = append(o.Tiers, oddsTierJSON{tier.Name, t.Probability.RatString(), r.OneIn(t.Probability), prize})
	}
	return o
}

func printOdds(w io.Writer, r *game.Rules, o oddsJSON) error {
	fmt.Fprintf(w, "%s (%s), %s combinations\n\n", r.Name.EN, o.Version, o.Combinations)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "tier\tprobability\t1 in\tprize\t")
	for i, tier := range o.Tiers {
		prize := r.Tables[0].Tiers[i].Prize.String()
		if r.Tables[0].Tiers[i].Jackpot {
			prize = "jackpot"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t\n", tier.Tier, tier.Probability, tier.OneIn, prize)
	}
	fmt.Fprintf(t, "any\t%s\t%s\t\n", o.AnyPrize.Probability, o.AnyPrize.OneIn)
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nPrizes in %s for a stake of %s. Payout rate %s, variance %s.\n", r.Currency, r.UnitStake, o.PayoutRate, o.Variance)
	return err
}
