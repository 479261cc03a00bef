package central

import (
	"bytes"
	"fmt"

	"tirage/journal"
	"tirage/store"
)

// seeAct audits who acts: a terminal gives a command of its own up, and whatever
// else is an act is an officer's.
func (a *auditor) seeAct(index uint64, b *journal.Act) error {
	by := b.By.String()
	_, terminal := a.m.terminals[by]
	_, officer := a.m.officers[by]
	switch {
	case b.Act == actGiveUp && (!terminal || b.Subject != ""), b.Act != actGiveUp && !officer:
		return fmt.Errorf("%w: record %d: %s may not do so: %q", ErrJournal, index, by, b.Act)
	case b.Act == actGiveUp:
		a.givenUp[index] = by
	}
	return nil
}

// checkGivenUp tells whether exactly those commands are given up that the
// journal says so of, each by its own terminal.
func (a *auditor) checkGivenUp(commands []store.Command) error {
	for _, c := range commands {
		by, ok := a.givenUp[c.Record]
		if ok != bytes.Equal(c.Content, givenUp[:]) || ok && c.Scope != "terminal/"+by {
			return fmt.Errorf("%w: a command of %s is given up in its row or in record %d, not in both", ErrJournal, c.Scope, c.Record)
		}
	}
	return nil
}
