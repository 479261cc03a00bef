package central

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/store"
)

// changePlayer appends a change of a player. Of several by one command only the first says so.
func (t *turn) changePlayer(player string, c journal.PlayerChange) (uint64, error) {
	c.Player, c.Previous = mustParty(player), t.previous(player)
	index, err := t.append(&c)
	if err == nil {
		t.tells(player, index)
	}
	return index, err
}

// SetLimits sets limits of a player: lower ones at once, higher ones (0 is none,
// the highest) after the time that the rules say. nil leaves a limit.
type SetLimits struct {
	Key      string
	Player   string
	Deposits *money.Amount
	Stakes   *money.Amount
}

// SetLimits sets limits. Refusals: [party.ErrLimits], [party.ErrUnknownPlayer], [party.ErrPlayerClosed], [ErrKey], [ErrKeyReused].
func (s *System) SetLimits(ctx context.Context, l SetLimits) error {
	if l.Deposits == nil && l.Stakes == nil {
		return fmt.Errorf("%w: none is given", party.ErrLimits)
	}
	for _, limit := range []*money.Amount{l.Deposits, l.Stakes} {
		if limit == nil {
			continue
		}
		if err := party.CheckLimit(*limit); err != nil {
			return err
		}
	}
	_, _, err := s.playerCommand(ctx, l.Player, l.Key, content("limits", []any{l.Deposits, l.Stakes}), func(t *turn, p *playerState, command journal.Command, _ journal.Party) (uint64, error) {
		r := t.accountRules()
		switch {
		case p.Closed:
			return 0, party.ErrPlayerClosed
		case r == nil:
			return 0, party.ErrTerms
		}
		first := t.next()
		if l.Deposits != nil {
			if err := t.setLimit(p.ID, party.DepositLimit, p.Deposits, *l.Deposits, r, &command); err != nil {
				return 0, err
			}
		}
		if l.Stakes != nil {
			if err := t.setLimit(p.ID, party.StakeLimit, p.Stake, *l.Stakes, r, &command); err != nil {
				return 0, err
			}
		}
		return first, nil
	})
	return err
}

// setLimit appends a limit that was asked for, with the command if no record before had it.
func (t *turn) setLimit(player string, kind party.ChangeKind, was party.Limit, limit money.Amount, r *party.Rules, command *journal.Command) error {
	_, from := was.Set(limit, utc(t.at), r.RaiseAfter)
	_, err := t.changePlayer(player, journal.PlayerChange{Command: *command, What: kind.String(), Amount: limit, Until: from.UnixMicro()})
	*command = journal.Command{}
	return err
}

// Exclude excludes a player from play and deposits for a time; nobody can end it earlier.
type Exclude struct {
	Key    string
	Player string
	For    time.Duration
	Pause  bool // a pause: messages still reach him
}

// Exclude excludes a player. Refusals: [party.ErrExclusion], [party.ErrUnknownPlayer], [ErrKey], [ErrKeyReused].
func (s *System) Exclude(ctx context.Context, e Exclude) error {
	_, _, err := s.playerCommand(ctx, e.Player, e.Key, content("exclude", []any{e.For, e.Pause}), func(t *turn, p *playerState, command journal.Command, _ journal.Party) (uint64, error) {
		r := t.accountRules()
		if r == nil {
			return 0, party.ErrTerms
		}
		until, err := p.Exclude(r, utc(t.at), e.For, e.Pause)
		if err != nil {
			return 0, err
		}
		kind := party.Exclude
		if e.Pause {
			kind = party.Pause
		}
		return t.changePlayer(p.ID, journal.PlayerChange{Command: command, What: kind.String(), Until: until.UnixMicro()})
	})
	return err
}

// AcceptTerms accepts a version of the rules of accounts: the one in force.
// Refusals: [party.ErrTerms], [party.ErrUnknownPlayer], [party.ErrPlayerClosed], [ErrKey], [ErrKeyReused].
func (s *System) AcceptTerms(ctx context.Context, key, player, version string) error {
	_, _, err := s.playerCommand(ctx, player, key, content("terms", version), func(t *turn, p *playerState, command journal.Command, _ journal.Party) (uint64, error) {
		switch r := t.accountRules(); {
		case p.Closed:
			return 0, party.ErrPlayerClosed
		case r == nil || r.Version != version:
			return 0, party.ErrTerms
		}
		return t.changePlayer(player, journal.PlayerChange{Command: command, What: party.TermsAccepted.String(), Terms: version})
	})
	return err
}

// CheckIdentity sets whether a player's identity was checked, by an officer with a reason.
type CheckIdentity struct {
	Key       string
	Officer   string
	Player    string
	Confirmed bool
	Reason    string
}

// CheckIdentity confirms an account, or takes that back. The record has a
// salted hash of the reason, whose text is private. Refusals: [ErrReason],
// [party.ErrUnknownPlayer], [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) CheckIdentity(ctx context.Context, c CheckIdentity) error {
	if err := checkReason(c.Reason); err != nil {
		return err
	}
	var salt [16]byte
	random(salt[:])
	hash := noteHash(salt, c.Reason)
	_, _, err := s.officerCommand(ctx, c.Officer, c.Key, content("identity", []any{c.Player, c.Confirmed, c.Reason}), func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		p, err := t.player(c.Player)
		if err != nil {
			return 0, err
		}
		kind := party.IdentityWithdrawn
		if c.Confirmed {
			kind = party.IdentityConfirmed
		}
		index, err := t.changePlayer(p.ID, journal.PlayerChange{Command: command, By: by, What: kind.String(), Reason: hash[:]})
		if err != nil {
			return 0, err
		}
		return index, t.tx.AddNote(s.ctx, store.Note{Record: index, Salt: salt[:], Text: c.Reason})
	})
	return err
}

// noteHash is what a record holds of a private text.
func noteHash(salt [16]byte, text string) [32]byte {
	return sha256.Sum256(append(salt[:], text...))
}

// CloseAccount closes a player's account; its balance is paid out to iban, which may be empty when there is none.
// Refusals: [party.ErrIBAN], [party.ErrUnconfirmed] (a balance is paid to a person who was checked only), [party.ErrUnknownPlayer], [party.ErrPlayerClosed], [ErrKey], [ErrKeyReused].
func (s *System) CloseAccount(ctx context.Context, key, player, iban string) error {
	var to payee
	if iban != "" {
		read, err := party.ParseIBAN(iban)
		if err != nil {
			return err
		}
		to = newPayee(read)
	}
	_, _, err := s.playerCommand(ctx, player, key, content("close", to.iban), func(t *turn, p *playerState, command journal.Command, _ journal.Party) (uint64, error) {
		balance, first := -t.balance(p.account), t.next()
		switch {
		case p.Closed:
			return 0, party.ErrPlayerClosed
		case balance > 0 && !p.Confirmed:
			return 0, party.ErrUnconfirmed
		case balance > 0 && to.iban == "":
			return 0, party.ErrIBAN
		case balance > 0:
			if _, err := t.payOut(s.ctx, p, command, balance, to); err != nil {
				return 0, err
			}
			command = journal.Command{} // the withdrawal has it
		}
		_, err := t.changePlayer(player, journal.PlayerChange{Command: command, What: party.CloseAccount.String()})
		return first, err
	})
	return err
}
