package central

import (
	"crypto/sha256"
	"fmt"

	"tirage/journal"
	"tirage/party"
)

// seePlayer audits records that tell of players: each names the one before it,
// and is one that the rules in force, the player's limits and those who may decide it allow.
func (a *auditor) seePlayer(index uint64, rec journal.Record) error {
	if err := a.seeMoney(index, rec); err != nil {
		return err
	}
	id, previous, ok := tellsOf(rec.Body)
	if !ok {
		return nil
	}
	if err := a.tells(rec, id, previous); err != nil {
		return fmt.Errorf("%w: record %d, of player %s: %w", ErrJournal, index, id, err)
	}
	return nil
}

func (a *auditor) tells(rec journal.Record, id journal.Party, previous uint64) error {
	p := a.m.players.byID[id.String()]
	t := &turn{m: a.m, at: rec.At}
	if b, ok := rec.Body.(*journal.Player); ok {
		switch {
		case p != nil:
			return fmt.Errorf("the account is there already")
		case !a.m.players.were(b.Terms, t.day()): // accepted at the sign-up, perhaps the day before
			return party.ErrTerms
		}
		return nil
	}
	switch {
	case p == nil:
		return party.ErrUnknownPlayer
	case p.last != previous:
		return fmt.Errorf("the record before it is said to be %d, it is %d", previous, p.last)
	}
	switch b := rec.Body.(type) {
	case *journal.Unit:
		return t.mayPlay(p.ID, b.Price)
	case *journal.PlayerChange:
		return a.changes(t, p, b)
	}
	return nil
}

// changes tells whether a change of a player is one that may be.
func (a *auditor) changes(t *turn, p *playerState, b *journal.PlayerChange) error {
	kind, err := party.ParseChangeKind(b.What)
	if err != nil {
		return err
	}
	_, officer := a.m.officers[b.By.String()]
	ofOfficer := kind == party.IdentityConfirmed || kind == party.IdentityWithdrawn
	switch {
	case ofOfficer && (!officer || len(b.Reason) != sha256.Size):
		return fmt.Errorf("%s by %s without a reason, or no officer: %w", kind, b.By, ErrNotAllowed)
	case !ofOfficer && (b.By != journal.Party{} || len(b.Reason) > 0):
		return fmt.Errorf("%s by %s, it is for the player himself: %w", kind, b.By, ErrNotAllowed)
	}
	at, until, r := utc(t.at), utc(b.Until), t.accountRules()
	if r == nil {
		return party.ErrTerms
	}
	want := until
	switch kind {
	case party.EmailConfirmed, party.IdentityConfirmed, party.IdentityWithdrawn:
	case party.TermsAccepted:
		if b.Terms != r.Version {
			return party.ErrTerms
		}
	case party.DepositLimit:
		_, want = p.Deposits.Set(b.Amount, at, r.RaiseAfter)
	case party.StakeLimit:
		_, want = p.Stake.Set(b.Amount, at, r.RaiseAfter)
	case party.Pause, party.Exclude:
		if want, err = p.Exclude(r, at, until.Sub(at), kind == party.Pause); err != nil {
			return err
		}
	case party.CloseAccount:
		if p.Closed || a.m.balances[p.account] != 0 {
			return fmt.Errorf("closed before, or with a balance: %w", party.ErrPlayerClosed)
		}
	}
	if !want.Equal(until) {
		return fmt.Errorf("%s of %s from or until %s, it must be %s", kind, b.Amount, until, want)
	}
	return nil
}
