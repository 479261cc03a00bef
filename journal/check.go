package journal

import (
	"fmt"
	"unicode/utf8"

	"tirage/money"
)

// check returns [ErrRecord] for what no record may say, so that Encode and
// Decode refuse the same: a time before 1970, a sum below zero or above
// [money.Limit], text that is not UTF-8, a ticket of nothing, a jackpot that
// does not add up, times and days that run backwards, a proposal that is too
// long ([ErrTooLarge] too). What a rule book forbids is not checked here.
func check(r Record) error {
	if isNil(r.Body) {
		return fmt.Errorf("%w: no body", ErrRecord)
	}
	if r.At < 0 {
		return fmt.Errorf("%w: %s at %d µs", ErrRecord, r.Body.Kind(), r.At)
	}
	if s, ok := r.Body.(*Sale); ok { // the hot one: nothing is collected
		return checkSale(s)
	}
	return checkBody(r.Body)
}

func checkSale(s *Sale) error {
	switch {
	case badAmount(s.Price):
		return amountError(KindSale, s.Price)
	case badAmount(s.Jackpot):
		return amountError(KindSale, s.Jackpot)
	case len(s.Plays) == 0 || len(s.Draws) == 0:
		return fmt.Errorf("%w: sale of nothing", ErrRecord)
	case len(s.Tables) != 0 && len(s.Tables) != len(s.Draws):
		return fmt.Errorf("%w: sale with %d prize tables for %d draws", ErrRecord, len(s.Tables), len(s.Draws))
	}
	return nil
}

// checkBody checks the sums, texts and times of the other bodies.
func checkBody(body Body) error {
	var amounts []money.Amount
	var texts []string
	var times []int64
	switch b := body.(type) {
	case *Key:
		texts = []string{b.Use}
	case *Officer:
		texts = b.Roles
	case *Rules:
		texts = []string{b.Game, b.Version}
	case *Outlet:
		texts = []string{b.Territory, b.Zone}
		amounts = []money.Amount{b.CreditLimit}
	case *Plan:
		texts = []string{b.Game}
		times = []int64{b.OpensAt}
		for _, d := range b.Draws {
			times = append(times, d.ClosesAt, d.DrawsAt)
		}
	case *Cancellation:
		if len(b.Plays) == 0 || len(b.Draws) == 0 {
			return fmt.Errorf("%w: cancellation of nothing", ErrRecord)
		}
		amounts = []money.Amount{b.Price}
	case *Close:
		amounts = []money.Amount{b.Stakes}
	case *Settlement:
		amounts = []money.Amount{b.Stakes}
		for _, s := range b.Shares {
			amounts = append(amounts, s.UnitValue, s.Total)
		}
		if b.Jackpot != nil {
			if err := checkJackpot(b.Jackpot); err != nil {
				return err
			}
			texts = []string{b.Jackpot.End, b.Jackpot.Extra}
		}
	case *Certification:
		texts = []string{b.Control}
	case *Payment:
		for _, d := range b.Draws {
			amounts = append(amounts, d.Amount)
		}
		for _, d := range b.Back {
			amounts = append(amounts, d.Amount)
		}
	case *Received:
		amounts = []money.Amount{b.Amount}
	case *Act:
		texts = []string{b.Act, b.Subject}
	case *Terminal, *Open, *Result: // neither sums nor texts
	default:
		return checkChange(body)
	}
	return checkAll(body.Kind(), amounts, texts, times)
}

// checkChange checks the bodies that change what was planned.
func checkChange(body Body) error {
	var amounts []money.Amount
	var texts []string
	var times []int64
	switch b := body.(type) {
	case *Proposal:
		if err := checkProposal(b); err != nil {
			return err
		}
		texts = []string{b.Act, b.Game, b.Reason}
		times = []int64{b.Shift}
	case *Move:
		if b.DrawsAt < b.ClosesAt {
			return fmt.Errorf("%w: draw %d moved to draw at %d µs, before its close at %d µs", ErrRecord, b.Draw, b.DrawsAt, b.ClosesAt)
		}
		times = []int64{b.ClosesAt, b.DrawsAt}
	case *Refund:
		for _, l := range b.Lines {
			amounts = append(amounts, l.Stakes)
		}
	case *Extension:
		if err := checkDays(KindExtension, b.From, b.To, b.Until); err != nil {
			return err
		}
		texts = []string{b.Game}
	case *Expiry:
		amounts = []money.Amount{b.Prizes, b.Back}
	case *Decision, *CancelDraw: // neither sums nor texts
	default:
		return fmt.Errorf("%w: body %T", ErrRecord, body)
	}
	return checkAll(body.Kind(), amounts, texts, times)
}

// checkProposal keeps a proposal, and the turn that carries it out, small.
func checkProposal(p *Proposal) error {
	if n := len(p.Draws); n > ProposalDrawsMax {
		return fmt.Errorf("%w: %w: a proposal for %d draws, at most %d", ErrRecord, ErrTooLarge, n, ProposalDrawsMax)
	}
	if n := len(p.Reason); n > ProposalReasonMax {
		return fmt.Errorf("%w: %w: a proposal with a reason of %d bytes, at most %d", ErrRecord, ErrTooLarge, n, ProposalReasonMax)
	}
	return checkDays(KindProposal, p.From, p.To, p.Until)
}

// checkDays checks that claims that end from a day to a day end later, not earlier.
func checkDays(kind Kind, from, to, until int32) error {
	if from > to || to > until {
		return fmt.Errorf("%w: %s of claims from day %d to %d until %d", ErrRecord, kind, from, to, until)
	}
	return nil
}

// checkJackpot checks that no cent comes or goes, and that less than one is
// carried beside them.
func checkJackpot(j *Jackpot) error {
	for _, a := range []money.Amount{j.Before, j.TopUp, j.Contribution, j.Paid, j.Rest, j.After} {
		if badAmount(a) {
			return amountError(KindSettlement, a)
		}
	}
	// Three sums of at most money.Limit, 10¹⁵, are far from overflow.
	if came, went := j.Before+j.TopUp+j.Contribution, j.Paid+j.Rest+j.After; came != went {
		return fmt.Errorf("%w: jackpot of %s € that becomes %s €", ErrRecord, came, went)
	}
	if num, den := j.Carried[0], j.Carried[1]; num >= den { // so the denominator is not 0
		return fmt.Errorf("%w: jackpot that carries %d/%d of a cent", ErrRecord, num, den)
	}
	return nil
}

func checkAll(kind Kind, amounts []money.Amount, texts []string, times []int64) error {
	for _, a := range amounts {
		if badAmount(a) {
			return amountError(kind, a)
		}
	}
	for _, s := range texts {
		if !utf8.ValidString(s) {
			return fmt.Errorf("%w: %s has text that is not UTF-8: %.40q", ErrRecord, kind, s)
		}
	}
	for _, t := range times {
		if t < 0 {
			return fmt.Errorf("%w: %s at %d µs", ErrRecord, kind, t)
		}
	}
	return nil
}

func badAmount(a money.Amount) bool { return a < 0 || a > money.Limit }

func amountError(k Kind, a money.Amount) error {
	return fmt.Errorf("%w: %s of %s €", ErrRecord, k, a)
}
