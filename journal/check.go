package journal

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"tirage/money"
)

// TotalMax bounds the sums of a record that follow from what was sold: stakes and
// prizes of a draw, a jackpot, what is given back or expires. It is far above
// [money.Limit], which bounds a single price, so that whatever was sold can be
// settled: 23 million billion euros.
const TotalMax money.Amount = 1 << 61

// check returns [ErrRecord] for what no record may say, so that Encode and
// Decode refuse the same: a time before 1970, a sum below zero, above
// [money.Limit] where it came from outside and above [TotalMax] where it follows
// from what was sold, text that is not UTF-8, a hash that is none, a ticket of nothing, a settlement
// or jackpot that does not add up, times and days that run backwards, a proposal that is too
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
	if err := checkHashes(r.Body); err != nil {
		return err
	}
	return checkBody(r.Body)
}

// checkHashes checks that what stands for a private text or person is a hash, or left out.
func checkHashes(body Body) error {
	var hashes [][]byte
	switch b := body.(type) {
	case *Payment:
		hashes = [][]byte{b.Payee}
	case *Proposal:
		hashes = [][]byte{b.Payee, b.ReasonHash}
	case *Stop:
		hashes = [][]byte{b.Reason}
	case *Outlet:
		hashes = [][]byte{b.Reason}
	case *Terminal:
		hashes = [][]byte{b.Reason}
	case *PlayerChange:
		hashes = [][]byte{b.Reason}
	}
	for _, hash := range hashes {
		if n := len(hash); n != 0 && n != sha256.Size {
			return fmt.Errorf("%w: %s with a hash of %d bytes", ErrRecord, body.Kind(), n)
		}
	}
	return nil
}

func checkSale(s *Sale) error {
	switch {
	case badAmount(s.Price):
		return amountError(KindSale, s.Price)
	case badTotal(s.Jackpot):
		return amountError(KindSale, s.Jackpot)
	case len(s.Plays) == 0 || len(s.Draws) == 0:
		return fmt.Errorf("%w: sale of nothing", ErrRecord)
	case len(s.Tables) != 0 && len(s.Tables) != len(s.Draws):
		return fmt.Errorf("%w: sale with %d prize tables for %d draws", ErrRecord, len(s.Tables), len(s.Draws))
	}
	return checkLetters(s)
}

// checkLetters checks that letters of boards are one a board, go up to Z at most, and are
// written only where they are not 1, 2, 3 …: then the last is not the number of boards.
func checkLetters(s *Sale) error {
	n := len(s.Letters)
	if n == 0 {
		return nil
	}
	before := uint16(0)
	for _, letter := range s.Letters {
		if letter <= before || letter > LetterMax {
			return fmt.Errorf("%w: sale of boards with the letters %d", ErrRecord, s.Letters)
		}
		before = letter
	}
	if n != len(s.Plays) || int(before) == n {
		return fmt.Errorf("%w: sale of %d boards with the letters %d", ErrRecord, len(s.Plays), s.Letters)
	}
	return nil
}

// checkBody checks the sums, texts and times of the other bodies.
func checkBody(body Body) error {
	var amounts, totals []money.Amount
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
		texts = []string{b.Territory, b.Zone, b.Cause}
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
		totals = []money.Amount{b.Stakes}
	case *Settlement:
		if err := checkSettlement(b); err != nil {
			return err
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
			totals = append(totals, d.Amount)
		}
		for _, d := range b.Back {
			totals = append(totals, d.Amount)
		}
	case *Received:
		amounts = []money.Amount{magnitude(b.Amount)}
	case *Act:
		texts = []string{b.Act, b.Subject}
	case *Terminal, *Open, *Result: // neither sums nor texts
	default:
		return checkChange(body)
	}
	if err := checkTotals(body.Kind(), totals...); err != nil {
		return err
	}
	return checkAll(body.Kind(), amounts, texts, times)
}

// checkChange checks the bodies that change what was planned.
func checkChange(body Body) error {
	var amounts, totals []money.Amount
	var texts []string
	var times []int64
	switch b := body.(type) {
	case *Proposal:
		if err := checkProposal(b); err != nil {
			return err
		}
		amounts = []money.Amount{b.Amount}
		texts = []string{b.Act, b.Game, b.Reason, b.Outlet}
		times = []int64{b.Shift}
	case *Move:
		if b.DrawsAt < b.ClosesAt {
			return fmt.Errorf("%w: draw %d moved to draw at %d µs, before its close at %d µs", ErrRecord, b.Draw, b.DrawsAt, b.ClosesAt)
		}
		times = []int64{b.ClosesAt, b.DrawsAt}
	case *Refund:
		for _, l := range b.Lines {
			totals = append(totals, l.Stakes)
		}
	case *Extension:
		if err := checkDays(KindExtension, b.From, b.To, b.Until); err != nil {
			return err
		}
		texts = []string{b.Game}
	case *Expiry:
		totals = []money.Amount{b.Prizes, b.Back}
	case *Decision, *CancelDraw: // neither sums nor texts
	default:
		return checkPlayers(body)
	}
	if err := checkTotals(body.Kind(), totals...); err != nil {
		return err
	}
	return checkAll(body.Kind(), amounts, texts, times)
}

// checkPlayers checks the bodies of instant games and players.
func checkPlayers(body Body) error {
	var amounts []money.Amount
	var texts []string
	var times []int64
	switch b := body.(type) {
	case *Book:
		texts = []string{b.Sort, b.Code, b.Version}
	case *Secrets:
		if len(b.Hashes) == 0 || len(b.Hashes) > SecretsMax {
			return fmt.Errorf("%w: %d secrets, 1 to %d go into a record", ErrRecord, len(b.Hashes), SecretsMax)
		}
		amounts, texts = []money.Amount{b.Price}, []string{b.Game}
	case *Pool:
		amounts, texts = []money.Amount{b.Price}, []string{b.Game}
	case *Unit:
		amounts = []money.Amount{b.Price, b.Prize}
	case *ClosePool:
		for _, l := range b.Left {
			amounts = append(amounts, l.Prize)
		}
		if -TotalMax > money.Amount(b.Balance) || money.Amount(b.Balance) > TotalMax {
			return amountError(KindClosePool, money.Amount(b.Balance))
		}
		texts = []string{b.Cause}
	case *Launch:
		texts = []string{b.Game}
	case *Suspend:
		texts = []string{b.Game, b.Cause, b.FR, b.EN}
	case *Player:
		texts = []string{b.Terms}
	case *PlayerChange:
		amounts, texts, times = []money.Amount{b.Amount}, []string{b.What, b.Terms}, []int64{b.Until}
	case *Voucher:
		amounts = []money.Amount{b.Amount}
	case *Deposit:
		amounts, texts = []money.Amount{b.Amount}, []string{b.Means}
	case *Withdrawal:
		amounts = []money.Amount{b.Amount}
	case *Transfer:
		if len(b.Withdrawals) == 0 || len(b.Withdrawals) > TransfersMax {
			return fmt.Errorf("%w: %d withdrawals, 1 to %d go into a record", ErrRecord, len(b.Withdrawals), TransfersMax)
		}
		if b.State != TransferSent && b.State != TransferPaid {
			return fmt.Errorf("%w: transfer in the state %.20q", ErrRecord, b.State)
		}
		if n := len(slices.Compact(slices.Sorted(slices.Values(b.Withdrawals)))); n < len(b.Withdrawals) {
			return fmt.Errorf("%w: transfer with a withdrawal twice", ErrRecord)
		}
		if err := checkTotals(KindTransfer, b.Amount); err != nil {
			return err
		}
	case *Returned:
		amounts = []money.Amount{b.Amount}
	case *Collected:
		amounts, texts = []money.Amount{b.Amount}, []string{b.Provider}
	case *OpenPool: // neither sums nor texts
	default:
		return checkOutlets(body)
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

// checkSettlement checks that the prizes by table and tier and those by last draw are as much.
func checkSettlement(b *Settlement) error {
	if err := checkTotals(KindSettlement, b.Stakes); err != nil {
		return err
	}
	var shares, prizes money.Amount // a sum of two that are at most TotalMax cannot overflow
	for _, s := range b.Shares {
		if err := checkTotals(KindSettlement, s.UnitValue, s.Total, shares+max(s.Total, 0)); err != nil {
			return err
		}
		shares += s.Total
	}
	for _, l := range b.Prizes {
		if err := checkTotals(KindSettlement, l.Prizes, prizes+max(l.Prizes, 0)); err != nil {
			return err
		}
		prizes += l.Prizes
	}
	if shares != prizes {
		return fmt.Errorf("%w: settlement with prizes of %s € by tier and of %s € by last draw", ErrRecord, shares, prizes)
	}
	return nil
}

// checkJackpot checks that no cent comes or goes, and that less than one is
// carried beside them.
func checkJackpot(j *Jackpot) error {
	if err := checkTotals(KindSettlement, j.Before, j.TopUp, j.Contribution, j.Paid, j.Rest, j.After); err != nil {
		return err
	}
	// Three sums of at most TotalMax cannot overflow.
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
		if strings.ContainsRune(s, 0) { // not every database has it: each journal must be one of each
			return fmt.Errorf("%w: %s has text with U+0000: %.40q", ErrRecord, kind, s)
		}
	}
	for _, t := range times {
		if t < 0 {
			return fmt.Errorf("%w: %s at %d µs", ErrRecord, kind, t)
		}
	}
	return nil
}

// checkTotals checks sums that follow from what was sold.
func checkTotals(kind Kind, totals ...money.Amount) error {
	for _, a := range totals {
		if badTotal(a) {
			return amountError(kind, a)
		}
	}
	return nil
}

func badTotal(a money.Amount) bool { return a < 0 || a > TotalMax }

func badAmount(a money.Amount) bool { return a < 0 || a > money.Limit }

func amountError(k Kind, a money.Amount) error {
	return fmt.Errorf("%w: %s of %s €", ErrRecord, k, a)
}
