package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"text/tabwriter"

	"tirage/instant"
	"tirage/money"
)

// instantOddsJSON is the form of --json for an instant game: probabilities and
// rates of whole pools as reduced fractions, amounts in cents.
type instantOddsJSON struct {
	Game    string             `json:"game"`
	Version string             `json:"version"`
	Units   int                `json:"units"` // of a pool
	Tables  []instantTableJSON `json:"tables"`
}

type instantTableJSON struct {
	Price      money.Amount       `json:"price_cents"`
	Prizes     []instantPrizeJSON `json:"prizes"`
	AnyPrize   oddsAnyJSON        `json:"any_prize"`
	PayoutRate string             `json:"payout_rate"`
}

type instantPrizeJSON struct {
	Prize       money.Amount `json:"prize_cents"`
	Units       int          `json:"units"` // of a pool that win it
	Probability string       `json:"probability"`
	OneIn       string       `json:"one_in"`
}

// instant prints the odds of an instant game.
func (c oddsCmd) instant(e *env, file string, book []byte) error {
	if c.Multiple || c.Once || c.Jackpot != "" {
		return errors.New("an instant game has no multiple play, no multiplier and no jackpot")
	}
	r, err := instant.Parse(file, book)
	if err != nil {
		return err
	}
	o := describeInstant(r)
	if c.JSON {
		return json.NewEncoder(e.stdout).Encode(o)
	}
	return printInstant(e.stdout, r, o)
}

func describeInstant(r *instant.Rules) instantOddsJSON {
	o := instantOddsJSON{Game: string(r.Code), Version: r.Version, Units: r.Units}
	for i := range r.Tables {
		t := &r.Tables[i]
		wins := r.WinOdds(t)
		table := instantTableJSON{Price: t.Price, AnyPrize: oddsAnyJSON{wins.RatString(), oneIn(wins)}, PayoutRate: r.PayoutRate(t).RatString()}
		for k, prize := range t.Prizes {
			p := r.PrizeOdds(t, k)
			table.Prizes = append(table.Prizes, instantPrizeJSON{prize.Amount, prize.Units, p.RatString(), oneIn(p)})
		}
		o.Tables = append(o.Tables, table)
	}
	return o
}

// oneIn writes a probability, which is not zero, as N of "1 in N", to two decimals: the books of instant games print none to follow.
func oneIn(p *big.Rat) string { return new(big.Rat).Inv(p).FloatString(2) }

func printInstant(w io.Writer, r *instant.Rules, o instantOddsJSON) error {
	fmt.Fprintf(w, "%s (%s), pools of %d units\n", r.Name.EN, o.Version, o.Units)
	for _, table := range o.Tables {
		fmt.Fprintf(w, "\nUnits at %s\n\n", table.Price)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "prize\tunits\tprobability\t1 in\t")
		for _, p := range table.Prizes {
			fmt.Fprintf(t, "%s\t%d\t%s\t%s\t\n", p.Prize, p.Units, p.Probability, p.OneIn)
		}
		fmt.Fprintf(t, "any\t\t%s\t%s\t\n", table.AnyPrize.Probability, table.AnyPrize.OneIn)
		if err := t.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(w, "\nPayout rate %s.\n", table.PayoutRate)
	}
	return nil
}
