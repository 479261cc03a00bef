package central

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tirage/draw"
	"tirage/game"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/store"
)

// approvals is what an auditor knows of proposals and what is to follow from them.
type approvals struct {
	proposals map[uint64]*journal.Proposal // open, by record
	logins    map[uint64][]byte            // what proposals to make officers have of the logins, by record
	made      map[journal.Party]uint64     // officers, by the proposal to make them
	proposal  uint64                       // approved by the last record
	change    Change                       // approved by the last record, and what of it is still to come
	decision  uint64
	by        journal.Party // who decided so
}

// pending tells that records of an approved change are to come.
func (p *approvals) pending() bool {
	return len(p.change.Draws) > 0 || p.change.Game != "" || p.change.Act == ActMakeOfficer || p.change.Ticket != 0 || p.change.Amount != 0 || p.change.Pool != 0
}

// checkDone tells whether all that was approved was done.
func (a *auditor) checkDone() error {
	if p := &a.approvals; p.pending() {
		return fmt.Errorf("%w: what record %d approved is not done: %s of %v", ErrJournal, p.decision, p.change.Act, p.change.Draws)
	}
	return nil
}

// seeChange audits acts of two officers, refunds and expiry: each follows from
// what the journal said before, and from nothing else.
func (a *auditor) seeChange(index uint64, rec journal.Record) error {
	p := &a.approvals
	if p.pending() {
		return a.effect(index, rec)
	}
	switch b := rec.Body.(type) {
	case *journal.Proposal:
		if private := changeOf(b).Act.private(); private != (b.Reason == "") || private != (len(b.ReasonHash) > 0) {
			return fmt.Errorf("%w: record %d: a proposal with a reason that is to be private, or without one", ErrJournal, index)
		}
		if p.proposals[index] = b; b.Act == ActMakeOfficer.String() {
			p.logins[index] = b.ReasonHash
		}
	case *journal.Decision:
		return a.decide(index, b)
	case *journal.Officer:
		return a.lonely(index, b)
	case *journal.Move, *journal.CancelDraw, *journal.Extension:
		return fmt.Errorf("%w: record %d: nobody approved %+v", ErrJournal, index, b)
	case *journal.Payment:
		if b.Decision != 0 {
			return fmt.Errorf("%w: record %d: nobody approved %+v", ErrJournal, index, b)
		}
	case *journal.Stop:
		if b.Decision != 0 || b.Lifted {
			return fmt.Errorf("%w: record %d: nobody approved %+v", ErrJournal, index, b)
		}
	case *journal.Received:
		if b.Decision != 0 || b.Amount < 0 || b.Amount > a.m.balances[ledger.Outlet(b.Outlet.String())] {
			return fmt.Errorf("%w: record %d: nobody approved %+v", ErrJournal, index, b)
		}
	case *journal.Outlet:
		terms := a.m.termsOn(game.DayOf(utc(rec.At), paris))
		if b.Decision != 0 || terms.CheckRaise(a.m.outlets[b.ID.String()].CreditLimit, b.CreditLimit) != nil {
			return fmt.Errorf("%w: record %d: nobody approved %+v", ErrJournal, index, b)
		}
	case *journal.Launch:
		if b.Decision != 0 {
			return fmt.Errorf("%w: record %d: nobody approved %+v", ErrJournal, index, b)
		}
	case *journal.ClosePool:
		if b.Decision != 0 || b.Cause == closedByTwo {
			return fmt.Errorf("%w: record %d: nobody approved %+v", ErrJournal, index, b)
		}
	case *journal.Refund:
		return a.compare(index, rec, a.refund(b))
	case *journal.Expiry:
		return a.expiry(index, rec, b)
	}
	return nil
}

func (a *auditor) decide(index uint64, b *journal.Decision) error {
	p := &a.approvals
	proposal := p.proposals[b.Proposal]
	delete(p.proposals, b.Proposal)
	_, known := a.m.officers[b.By.String()]
	switch {
	case proposal == nil:
		return fmt.Errorf("%w: record %d decides on %d, which is no open proposal", ErrJournal, index, b.Proposal)
	case !known || b.Approved && b.By == proposal.By:
		return fmt.Errorf("%w: record %d: %s may not decide so on a proposal of %s", ErrJournal, index, b.By, proposal.By)
	case !b.Approved && len(proposal.Payee) > 0:
		delete(a.tickets.payees, [32]byte(proposal.Payee))
	case b.Approved:
		p.change, p.decision, p.by, p.proposal = changeOf(proposal), index, b.By, b.Proposal
		if err := a.m.instants.ofThisStop(p.change, b.Proposal); err != nil {
			return fmt.Errorf("%w: record %d: %w", ErrJournal, index, err)
		}
	}
	return nil
}

// effect audits a record that must be the next of an approved change.
func (a *auditor) effect(index uint64, rec journal.Record) error {
	p := &a.approvals
	if p.change.Act == ActExtendClaims {
		c := p.change
		p.change = Change{}
		return a.compare(index, rec, extensionBody(c, p.decision))
	}
	if p.change.Act == ActMakeOfficer {
		p.change = Change{}
		var id journal.Party // is random
		if b, ok := rec.Body.(*journal.Officer); ok {
			id = b.ID
		}
		if _, known := a.m.officers[id.String()]; known {
			return fmt.Errorf("%w: record %d makes an officer of one", ErrJournal, index)
		}
		p.made[id] = p.proposal
		return a.compare(index, rec, officerBody(p.by, id))
	}
	if p.change.Act == ActResumeGame {
		c := p.change
		p.change = Change{}
		return a.compare(index, rec, resumeBody(c, p.decision, p.by))
	}
	if p.change.Act == ActClosePool {
		c := p.change
		p.change = Change{}
		if b, ok := rec.Body.(*journal.ClosePool); !ok || b.Pool != uint64(c.Pool) || b.Cause != closedByTwo || b.Decision != p.decision {
			return fmt.Errorf("%w: record %d is not the close of pool %d that record %d approved", ErrJournal, index, c.Pool, p.decision)
		}
		return nil // what else it says, seeClosePool compares
	}
	if p.change.Act == ActLiftStop {
		c := p.change
		p.change = Change{}
		return a.compare(index, rec, liftBody(c.Ticket, p.decision, p.by))
	}
	if p.change.Act == ActPayOutlet || p.change.Act == ActReceive {
		c := p.change
		p.change = Change{}
		return a.compare(index, rec, outletMoneyBody(c, p.decision, p.by))
	}
	if p.change.Act == ActRaiseLimit {
		c := p.change
		p.change = Change{}
		return a.compare(index, rec, raiseBody(a.m.outlets[c.Outlet], c, p.decision, p.by))
	}
	if p.change.Act == ActPayTicket {
		c := p.change
		p.change = Change{}
		if b, ok := rec.Body.(*journal.Payment); !ok || !payTicketOf(c, p.decision, b) {
			return fmt.Errorf("%w: record %d is not the payment of ticket %d that record %d approved", ErrJournal, index, c.Ticket, p.decision)
		}
		return nil
	}
	d := a.m.draws[p.change.Draws[0]]
	p.change.Draws = p.change.Draws[1:]
	if d == nil {
		return fmt.Errorf("%w: record %d: the draw of the approval is unknown", ErrJournal, index)
	}
	want, err := (&turn{m: a.m, at: rec.At}).changeBody(p.change, d, p.decision)
	if err != nil {
		return fmt.Errorf("%w: record %d: %w", ErrJournal, index, err)
	}
	return a.compare(index, rec, want)
}

// lonely audits an officer whom no two others made: the first, or the second, whom the first makes.
func (a *auditor) lonely(index uint64, b *journal.Officer) error {
	_, byFirst := a.m.officers[b.By.String()]
	switch n := len(a.m.officers); {
	case n == 0 && b.By == journal.Party{}, n == 1 && byFirst:
		return nil
	}
	return fmt.Errorf("%w: record %d: nobody approved officer %s", ErrJournal, index, b.ID)
}

// refund adds the stakes of a cancelled draw up again.
func (a *auditor) refund(b *journal.Refund) *journal.Refund {
	id := draw.ID(b.Draw)
	again := &journal.Refund{Draw: b.Draw}
	byLast := map[int64]money.Amount{}
	for _, p := range a.parts[id] {
		if !a.cancelled[p.Ticket] {
			again.Parts++
			byLast[p.LastDraw] = byLast[p.LastDraw].Add(a.m.draws[id].rules.UnitStake.Times(p.Units))
		}
	}
	for _, last := range slices.Sorted(maps.Keys(byLast)) {
		again.Lines = append(again.Lines, journal.RefundLine{LastDraw: uint64(last), Stakes: byLast[last]})
	}
	delete(a.parts, id)
	delete(a.closes, id)
	return again
}

// expiry tells whether claims had ended, and takes all that was left.
func (a *auditor) expiry(index uint64, rec journal.Record, b *journal.Expiry) error {
	last := int64(b.LastDraw)
	c, ok := a.m.claims.draws[draw.ID(last)]
	if !ok || c.over > rec.At || a.m.unfinished(c.last) {
		return fmt.Errorf("%w: record %d ends the claims of draw %d before their time", ErrJournal, index, last)
	}
	return a.compare(index, rec, &journal.Expiry{
		LastDraw: b.LastDraw, Prizes: -a.m.balances[ledger.Prize(last)], Back: -a.m.balances[ledger.Back(last)],
	})
}

// overdrawn tells whether a record pays more than there is to pay.
func (a *auditor) overdrawn(index uint64, in implied) error {
	for _, p := range in.entry {
		kind := p.Account.Kind()
		holds := kind == ledger.Prize(0).Kind() || kind == ledger.Back(0).Kind() || kind == ledger.Player("").Kind()
		if holds && a.m.balances[p.Account].Add(p.Amount) > 0 {
			return fmt.Errorf("%w: record %d pays more from %s than it holds", ErrJournal, index, p.Account)
		}
	}
	return nil
}

// checkLogins tells whether each officer has a login, whoever two made the one that
// was proposed, and nobody else has one; and whether the logins that were proposed
// are kept as their records say.
func (a *auditor) checkLogins(ctx context.Context, tx *store.Snapshot) error {
	notes, err := tx.Notes(ctx, slices.Sorted(maps.Keys(a.approvals.logins)))
	if err != nil {
		return err
	}
	proposed := map[uint64]string{}
	for _, n := range notes {
		hash := noteHash([16]byte(n.Salt), n.Text)
		if !bytes.Equal(hash[:], a.approvals.logins[n.Record]) {
			return fmt.Errorf("%w: proposal %d was not of the login that is kept", ErrJournal, n.Record)
		}
		proposed[n.Record], _, _ = strings.Cut(n.Text, "\n")
	}
	if kept := len(proposed); kept != len(a.approvals.logins) {
		return fmt.Errorf("%w: %d logins were proposed, %d are kept", ErrJournal, len(a.approvals.logins), kept)
	}
	rows, err := tx.Passwords(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		id, err := partyID(row.Officer)
		_, known := a.m.officers[row.Officer]
		switch proposal, made := a.approvals.made[id]; {
		case err != nil || !known:
			return fmt.Errorf("%w: a login is of %.20q, who is no officer", ErrJournal, row.Officer)
		case made && proposed[proposal] != row.Login:
			return fmt.Errorf("%w: officer %s signs on with another login than proposal %d", ErrJournal, row.Officer, proposal)
		}
	}
	if len(rows) != len(a.m.officers) {
		return fmt.Errorf("%w: %d officers, %d logins", ErrJournal, len(a.m.officers), len(rows))
	}
	return nil
}
