package central

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tirage/game"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/store"
)

var (
	// ErrSignOn is a device key, or a login and password, that are not right: the same answer for all causes.
	ErrSignOn = errors.New("sign-on refused")
	// ErrNotAllowed is an act by someone who is not an officer.
	ErrNotAllowed = errors.New("only an officer may do this")
	// ErrLogin is a login that is not 3 to 32 lower-case letters, digits, dots or dashes, or that is taken.
	ErrLogin = errors.New("login must be 3 to 32 of a–z, 0–9, dot, dash, and free")
	// ErrRole is a role that is not 1 to 32 lower-case letters or dashes.
	ErrRole = errors.New("role must be 1 to 32 of a–z, dash")
	// ErrByProposal is a third officer, or a later one, made by one alone: one proposes, another approves.
	ErrByProposal = errors.New("an officer must propose another one, and a second officer approve it")
	// ErrPlanned is a rule book that would be in force on days that are planned already.
	ErrPlanned = errors.New("draws are already planned under the rules before")
	// ErrPublished is a rule book that is published already.
	ErrPublished = errors.New("this rule book is published already")
	// ErrTerritory is an outlet in a territory that no game is sold in.
	ErrTerritory = errors.New("no game is sold in this territory")
	// ErrCurrency is a rule book in another currency than the euro.
	ErrCurrency = errors.New("this system runs games in euros")
	// ErrKind is a rule book of a kind of game that this system does not run: one
	// with prizes that are shares of the stakes, or a jackpot that nothing feeds,
	// or a share of it that cannot be carried from its versions before, or a
	// version without it while it holds money, or is still played for.
	ErrKind = errors.New("this system does not run this kind of game")
	// ErrAmount is an amount that must be more than nothing.
	ErrAmount = errors.New("the amount must be more than 0 €")
	// ErrNotOwed is money paid to an outlet beyond what the lottery owes it.
	ErrNotOwed = errors.New("the lottery does not owe the outlet so much")
	// ErrOverpaid is money received from an outlet beyond what it owes, booked by one officer: it takes two ([ActReceive]).
	ErrOverpaid = errors.New("the outlet does not owe so much: two officers book it")
	// ErrNoRaise is a credit limit proposed for an outlet that has it, or a higher one.
	ErrNoRaise = errors.New("the credit limit of the outlet is as high already")
	// ErrOutletNumber is an outlet number that another outlet has.
	ErrOutletNumber = errors.New("another outlet has this number")
	// ErrChanged is a change of what is not any more as whoever asked for it had seen it.
	ErrChanged = errors.New("it has changed meanwhile")
)

// officerAct appends the records of an officer's act and gives the index of the first.
type officerAct func(t *turn, command journal.Command, by journal.Party) (uint64, error)

// officerCommand runs one act of an officer in a turn of its own, once by key;
// again tells that it was done before. An officer whose password somebody else
// chose may not act ([ErrIssued]): who did choose it could act as him.
func (s *System) officerCommand(ctx context.Context, officer, key string, hash [32]byte, act officerAct) (record uint64, again bool, err error) {
	return s.officerTurn(ctx, officer, key, hash, func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		if err := mayAct(s.ctx, t.tx, officer); err != nil {
			return 0, err
		}
		return act(t, command, by)
	})
}

// officerTurn is officerCommand for any officer.
func (s *System) officerTurn(ctx context.Context, officer, key string, hash [32]byte, act officerAct) (record uint64, again bool, err error) {
	k, err := commandKey("officer/"+officer, key)
	if err != nil {
		return 0, false, err
	}
	by, err := partyID(officer)
	if err != nil {
		return 0, false, ErrNotAllowed
	}
	var first uint64
	var done bool
	err = s.do(ctx, &job{key: k, alone: true, decide: func(t *turn) (err error) {
		if first, done, err = t.done(k, hash); err != nil || done {
			return err
		}
		if _, ok := t.m.officers[officer]; !ok {
			return ErrNotAllowed
		}
		if first, err = act(t, commandHash(k), by); err != nil {
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

// PublishRules puts a version of a rule book in force from its first draw day.
type PublishRules struct {
	Key     string
	Officer string
	Book    []byte
}

// PublishRules checks and publishes a rule book. Refusals: the faults of
// [game.Parse], [ErrPublished], [ErrPlanned], [ErrCurrency], [ErrKind], [ErrNotAllowed], [ErrKey], [ErrKeyReused].
func (s *System) PublishRules(ctx context.Context, p PublishRules) (*game.Rules, error) {
	r, err := game.Parse("rules.yaml", p.Book)
	if err != nil {
		return nil, err
	}
	if r.Currency != "EUR" {
		return nil, fmt.Errorf("%w: %s", ErrCurrency, r.Currency)
	}
	for _, table := range r.Tables {
		for _, tier := range table.Tiers {
			if tier.Share != nil || tier.Jackpot && r.Jackpot == nil {
				return nil, fmt.Errorf("%w: tier %s", ErrKind, tier.Name)
			}
		}
	}
	_, _, err = s.officerCommand(ctx, p.Officer, p.Key, content("publish", p.Book), func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		if t.m.books[r.Hash] != nil {
			return 0, ErrPublished
		}
		if t.m.instants.games[r.Code] != nil {
			return 0, fmt.Errorf("%w: %s is an instant game", ErrPublished, r.Code)
		}
		if err := t.m.checkShare(r); err != nil {
			return 0, err
		}
		if err := t.m.checkPot(r, utc(t.at)); err != nil {
			return 0, err
		}
		for _, d := range t.m.byGame[r.Code] {
			if d.Day >= r.FirstDay {
				return 0, fmt.Errorf("%w: %s on %s", ErrPlanned, r.Code, d.Day)
			}
		}
		return t.append(&journal.Rules{
			Command: command, By: by, Game: string(r.Code), Version: r.Version, FirstDay: int32(r.FirstDay), Hash: r.Hash, Book: p.Book,
		})
	})
	return r, err
}

// PutOutlet opens an outlet (no ID) or changes it.
type PutOutlet struct {
	Key     string
	Officer string
	Outlet  party.Outlet
	Was     *party.Outlet // the outlet as the officer saw it, which it must still be; nil: whatever it is
	Reason  string        // private: the record has a salted hash of it; empty: none
}

// PutOutlet opens or changes an outlet and returns it as it stands. A credit limit
// above what the terms in force let one officer give takes two ([ActRaiseLimit]). Refusals:
// those of [party.Outlet.Check] and [party.Terms.CheckRaise], [ErrReason], [ErrTerritory], [ErrOutletNumber], [ErrChanged], [party.ErrUnknownOutlet], [ErrNotAllowed], [ErrKey], [ErrKeyReused].
func (s *System) PutOutlet(ctx context.Context, p PutOutlet) (party.Outlet, error) {
	o, id := p.Outlet, newParty()
	if o.ID == "" {
		o.ID = id.String()
	}
	if o.Cause = ""; o.Check() != nil {
		return party.Outlet{}, o.Check()
	}
	reason := strings.TrimSpace(p.Reason)
	request := any(p.Outlet)
	if reason != "" {
		if err := checkReason(reason); err != nil {
			return party.Outlet{}, err
		}
		request = []any{p.Outlet, p.Reason}
	}
	var salt [16]byte
	random(salt[:])
	hash := noteHash(salt, reason)
	record, again, err := s.officerCommand(ctx, p.Officer, p.Key, content("outlet", request), func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		if p.Outlet.ID != "" {
			id = mustParty(o.ID)
		}
		if err := t.mayPutOutlet(&o, p); err != nil {
			return 0, err
		}
		body := &journal.Outlet{
			Command: command, By: by, ID: id, Number: uint64(o.Number), Territory: o.Territory, Zone: o.Zone,
			CreditLimit: o.CreditLimit, Blocked: o.Blocked, Centre: o.Centre, Cause: o.Cause,
		}
		if reason == "" {
			return t.append(body)
		}
		body.Reason = hash[:]
		index, err := t.append(body)
		if err != nil {
			return 0, err
		}
		return index, t.tx.AddNote(s.ctx, store.Note{Record: index, Salt: salt[:], Text: reason})
	})
	if err != nil {
		return party.Outlet{}, err
	}
	if again {
		return s.outletRecord(ctx, record)
	}
	return o, nil
}

// mayPutOutlet tells whether an outlet can be opened or changed so, and completes why it is blocked.
func (t *turn) mayPutOutlet(o *party.Outlet, p PutOutlet) error {
	if p.Outlet.ID != "" {
		stands, ok := t.m.outlets[o.ID]
		switch {
		case !ok:
			return party.ErrUnknownOutlet
		case p.Was != nil && stands != *p.Was:
			return ErrChanged
		}
		if stands.Zone != o.Zone { // what was counted so far was counted by the days of the zone before
			if err := t.tallyRecord(); err != nil {
				return err
			}
		}
		if o.Cause = ""; stands.Blocked && o.Blocked {
			o.Cause = stands.Cause
		}
	}
	if err := t.terms().CheckRaise(t.m.outlets[o.ID].CreditLimit, o.CreditLimit); err != nil {
		return err
	}
	if !t.m.sellsIn(o.Territory) {
		return fmt.Errorf("%w: %.40q", ErrTerritory, o.Territory)
	}
	if other, ok := t.m.numbers[o.Number]; ok && other != o.ID {
		return ErrOutletNumber
	}
	return nil
}

// sellsIn tells whether a rule book names the territory.
func (m *memory) sellsIn(territory string) bool {
	for _, r := range m.books {
		for _, t := range r.Calendar.Territories {
			if t.Key == territory {
				return true
			}
		}
	}
	return false
}

func (s *System) outletRecord(ctx context.Context, index uint64) (party.Outlet, error) {
	rec, err := s.record(ctx, index)
	if err != nil {
		return party.Outlet{}, err
	}
	b, ok := rec.Body.(*journal.Outlet)
	assert(ok, "the record of an outlet is one")
	return outletOf(b), nil
}

func officerOfRow(o store.Officer) party.Officer {
	return party.Officer{ID: o.ID, Roles: strings.Fields(o.Roles)}
}

// Officer returns an officer, or [ErrNotAllowed].
func (s *System) Officer(id string) (party.Officer, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	o, ok := s.memory.officers[id]
	if !ok {
		return o, ErrNotAllowed
	}
	return o, nil
}

// Receive is money received from an outlet.
type Receive struct {
	Key     string
	Officer string
	Outlet  string
	Amount  money.Amount
}

// Receive books money received from an outlet, at most what it owes, and returns its
// account. More raises what it may sell, so it takes two officers ([ActReceive]).
// Refusals: [ErrAmount], [money.ErrLimit], [ErrOverpaid], [party.ErrUnknownOutlet], [ErrNotAllowed], [ErrKey], [ErrKeyReused].
func (s *System) Receive(ctx context.Context, r Receive) (Account, error) {
	if r.Amount <= 0 {
		return Account{}, ErrAmount
	}
	if r.Amount > money.Limit {
		return Account{}, money.ErrLimit
	}
	_, _, err := s.officerCommand(ctx, r.Officer, r.Key, content("receive", []any{r.Outlet, r.Amount}), func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		if _, ok := t.m.outlets[r.Outlet]; !ok {
			return 0, party.ErrUnknownOutlet
		}
		if owes := t.balance(ledger.Outlet(r.Outlet)); r.Amount > owes {
			return 0, fmt.Errorf("%w: %s of %s", ErrOverpaid, r.Amount, max(0, owes))
		}
		return t.append(&journal.Received{Command: command, By: by, Outlet: mustParty(r.Outlet), Amount: r.Amount})
	})
	if err != nil {
		return Account{}, err
	}
	return s.OutletAccount(r.Outlet)
}

// owesOutlet tells whether the lottery owes an outlet what is to be paid to it
// ([ActPayOutlet]): nil, [party.ErrUnknownOutlet] or [ErrNotOwed].
func (t *turn) owesOutlet(c Change) error {
	if _, ok := t.m.outlets[c.Outlet]; !ok {
		return fmt.Errorf("%w: %.20q", party.ErrUnknownOutlet, c.Outlet)
	}
	if owed := -t.balance(ledger.Outlet(c.Outlet)); c.Amount > owed {
		return fmt.Errorf("%w: %s of %s", ErrNotOwed, c.Amount, max(0, owed))
	}
	return nil
}

// mayReceive tells whether two officers may book money received from an outlet
// ([ActReceive]): nil, [party.ErrUnknownOutlet], or [money.ErrLimit] when the lottery would owe it more than there is.
func (t *turn) mayReceive(c Change) error {
	if _, ok := t.m.outlets[c.Outlet]; !ok {
		return fmt.Errorf("%w: %.20q", party.ErrUnknownOutlet, c.Outlet)
	}
	if t.balance(ledger.Outlet(c.Outlet))-c.Amount < -money.Limit {
		return money.ErrLimit
	}
	return nil
}

// mayRaise tells whether two officers may raise the credit limit of an outlet so
// ([ActRaiseLimit]): nil, [party.ErrUnknownOutlet] or [ErrNoRaise].
func (t *turn) mayRaise(c Change) error {
	o, ok := t.m.outlets[c.Outlet]
	if !ok {
		return fmt.Errorf("%w: %.20q", party.ErrUnknownOutlet, c.Outlet)
	}
	if c.Amount <= o.CreditLimit {
		return fmt.Errorf("%w: %s", ErrNoRaise, o.CreditLimit)
	}
	return nil
}

// raiseBody is the record of a decision that raises the credit limit of an outlet, which else is as it stands.
func raiseBody(o party.Outlet, c Change, decision uint64, by journal.Party) *journal.Outlet {
	return &journal.Outlet{
		By: by, ID: mustParty(c.Outlet), Number: uint64(o.Number), Territory: o.Territory, Zone: o.Zone, CreditLimit: c.Amount,
		Blocked: o.Blocked, Centre: o.Centre, Cause: o.Cause, Decision: decision,
	}
}

// outletMoneyBody is the record of what a decision pays to an outlet, or receives from it.
func outletMoneyBody(c Change, decision uint64, by journal.Party) *journal.Received {
	amount := -c.Amount
	if c.Act == ActReceive {
		amount = c.Amount
	}
	return &journal.Received{By: by, Outlet: mustParty(c.Outlet), Amount: amount, Decision: decision}
}

// OutletAccount returns what an outlet owes, from memory. It returns [party.ErrUnknownOutlet].
func (s *System) OutletAccount(id string) (Account, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	o, ok := s.memory.outlets[id]
	if !ok {
		return Account{}, party.ErrUnknownOutlet
	}
	owes := s.memory.balances[ledger.Outlet(id)]
	return Account{Owes: owes, CreditLimit: o.CreditLimit, Left: max(0, o.CreditLimit.Sub(owes))}, nil
}
