package journal

import (
	"fmt"
	"unicode/utf8"

	"tirage/money"
)

// check returns [ErrRecord] for what no record may say, so that Encode and
// Decode refuse the same: a time before 1970, a sum below zero or above
// [money.Limit], text that is not UTF-8, a ticket of nothing. What a rule book
// forbids is not checked here.
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
	case *Certification:
		texts = []string{b.Control}
	case *Payment:
		for _, d := range b.Draws {
			amounts = append(amounts, d.Amount)
		}
	case *Received:
		amounts = []money.Amount{b.Amount}
	case *Act:
		texts = []string{b.Act, b.Subject}
	case *Terminal, *Open, *Result: // neither sums nor texts
	default:
		return fmt.Errorf("%w: body %T", ErrRecord, body)
	}
	return checkAll(body.Kind(), amounts, texts, times)
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
