package sim

import (
	"slices"
	"sync"

	"tirage/central"
	"tirage/money"
	"tirage/wager"
)

// doneCommand is a command of a terminal that was done, and what became of it.
type doneCommand struct {
	terminal, key string
	kind          central.OutcomeKind
	paid          money.Amount
}

// givenUp is a sale that was given up.
type givenUp struct {
	place  central.Place
	record uint64
}

// givenUpMax is how many of them are kept.
const givenUpMax = 200

// giveUp makes ready a sale that its terminal gives up: while it is on its way,
// before it, or once more.
func (s *simulation) giveUp(g *modelGame, at *shop) act {
	n := s.IntN(3)
	if n == 0 && len(s.givenUp) > 0 {
		return s.giveUpAgain(s.givenUp[s.IntN(len(s.givenUp))])
	}
	late, first := n == 1, s.IntN(2) == 0 // the sale comes after it was given up, or never; or is on its way first
	place := central.Place{Key: s.key(), Terminal: at.terminal, Slip: s.slip(g)}
	var sold wager.Ticket
	var o central.Outcome
	var err, lost error
	return act{
		run: func() {
			sell := func() { sold, err = s.sys.Place(s.ctx(), place) }
			give := func() { o, lost = s.sys.GiveUp(s.ctx(), at.terminal, place.Key) }
			var wait sync.WaitGroup
			switch {
			case late:
				give()
			case first:
				wait.Go(give)
				sell()
			default:
				wait.Go(sell)
				give()
			}
			wait.Wait()
		},
		after: func() {
			s.agree("give-up", lost, nil)
			switch {
			case o.Kind == central.OutcomeSold && !late && o.Ticket.Number == sold.Number && o.Ticket.Price == sold.Price:
				s.done["give-up of what was sold meanwhile"]++
				s.sold(g, at, place, sold, err)
				return
			case o.Kind != central.OutcomeGivenUp:
				s.Fatalf("%s: given up: %v, record %d; sold %d: %v", s.now, o.Kind, o.Record, sold.Number, err)
			case !late:
				want := []error{central.ErrGivenUp}
				for _, refusal := range s.ask(g, at, place.Slip).want {
					if refusal != nil {
						want = append(want, refusal) // it came before it was given up
					}
				}
				s.agree("sale given up meanwhile", err, want...)
			}
			s.givenUp = append(s.givenUp[max(0, len(s.givenUp)-givenUpMax):], givenUp{place, o.Record})
		},
	}
}

// giveUpAgain makes ready that a sale which was given up is given up once more,
// and asked for at last: it answers the same, and is never done.
func (s *simulation) giveUpAgain(x givenUp) act {
	var o central.Outcome
	var err, lost error
	return act{
		run: func() {
			_, err = s.sys.Place(s.ctx(), x.place)
			o, lost = s.sys.GiveUp(s.ctx(), x.place.Terminal, x.place.Key)
		},
		after: func() {
			if s.agree("give-up once more", lost, nil); o.Kind != central.OutcomeGivenUp || o.Record != x.record {
				s.Fatalf("%s: given up again: %v, record %d, first %d", s.now, o.Kind, o.Record, x.record)
			}
			s.agree("sale given up before", err, central.ErrGivenUp)
		},
	}
}

// giveUpDone makes ready that a terminal gives up a command which was done: it is told so.
func (s *simulation) giveUpDone(t *modelTicket) act {
	c := t.commands[s.IntN(len(t.commands))]
	var o central.Outcome
	var err error
	return act{
		run: func() { o, err = s.sys.GiveUp(s.ctx(), c.terminal, c.key) },
		after: func() {
			s.agree("give-up of what was done", err, nil)
			if o.Kind != c.kind || o.Paid.Amount != c.paid || c.kind != central.OutcomeOther && o.Ticket.Number != t.Number {
				s.Fatalf("%s: ticket %d: %v of ticket %d, paid %s; the model has %v, %s", s.now, t.Number, o.Kind, o.Ticket.Number, o.Paid.Amount, c.kind, c.paid)
			}
		},
	}
}

// reprintAgain makes ready that a terminal sends a reprint again: it is the same copy, whatever has become of the ticket.
func (s *simulation) reprintAgain(t *modelTicket) act {
	var prints []doneCommand
	for _, c := range t.commands {
		if c.kind == central.OutcomeOther {
			prints = append(prints, c)
		}
	}
	if len(prints) == 0 {
		return act{}
	}
	n := s.IntN(len(prints))
	r := central.Reprint{Key: prints[n].key, Terminal: prints[n].terminal, Ticket: t.Number, Secret: t.Secret}
	var got int
	var err error
	return act{
		run: func() { _, got, _, err = s.sys.Reprint(s.ctx(), r) },
		after: func() {
			if s.agree("reprint sent again", err, nil); got != n+1 {
				s.Fatalf("%s: ticket %d: copy %d again, the model has printed it as %d", s.now, t.Number, got, n+1)
			}
		},
	}
}

// afterRestart sends again what terminals asked of the node that ended.
func (s *simulation) afterRestart() {
	printed := slices.DeleteFunc(slices.Clone(s.tickets), func(t *modelTicket) bool { return t.copies == 0 })
	for _, t := range printed[max(0, len(printed)-3):] {
		s.alone(s.reprintAgain(t))
		s.alone(s.reprint(t))
		s.alone(s.giveUpDone(t))
	}
	for _, x := range s.givenUp[max(0, len(s.givenUp)-2):] {
		s.alone(s.giveUpAgain(x))
	}
}
