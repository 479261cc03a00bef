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

// BEGIN CASH
// playerAct appends the records of a player's act and gives the index of the first.
type playerAct func(t *turn, p *playerState, command journal.Command, by journal.Party) (uint64, error)

// playerCommand runs one act of a player in a turn of its own, once by key;
// again tells that it was done before.
func (s *System) playerCommand(ctx context.Context, player, key string, hash [32]byte, act playerAct) (record uint64, again bool, err error) {
	by, err := partyID(player)
	if err != nil {
		return 0, false, fmt.Errorf("%w: %.20q", party.ErrUnknownPlayer, player)
	}
	k, err := commandKey("player/"+player, key)
	if err != nil {
		return 0, false, err
	}
	var first uint64
	var done bool
	err = s.do(ctx, &job{key: k, alone: true, decide: func(t *turn) (err error) {
		if first, done, err = t.done(k, hash); err != nil || done {
			return err
		}
		p, err := t.player(player)
		if err != nil {
			return err
		}
		if first, err = act(t, p, commandHash(k), by); err != nil {
			return err
		}
		t.keep(k, hash, first)
		return nil
	}})
	if err != nil {
		return 0, false, err // the turn may still be at it, so nothing of it is read
	}
	return first, done, nil
}

// END CASH

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
// Refusals: [ErrIBAN], [party.ErrUnconfirmed] (a balance is paid to a person who was checked only), [party.ErrUnknownPlayer], [party.ErrPlayerClosed], [ErrKey], [ErrKeyReused].
func (s *System) CloseAccount(ctx context.Context, key, player, iban string) error {
	_, _, err := s.playerCommand(ctx, player, key, content("close", iban), func(t *turn, p *playerState, command journal.Command, _ journal.Party) (uint64, error) {
		if p.Closed {
			return 0, party.ErrPlayerClosed
		}
		first := t.next()
		if balance := -t.balance(p.account); balance > 0 {
			return 0, errToBuild
		}
		_, err := t.changePlayer(player, journal.PlayerChange{Command: command, What: party.CloseAccount.String()})
		return first, err
	})
	return err
}
