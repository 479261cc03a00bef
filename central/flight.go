package central

import (
	"time"

	"tirage/store"
)

// A flight is a turn that is decided before its transaction, on top of the one
// that is being committed. Sales whose keys are fresh need no rows to be
// decided, so where one node writes, deciding them does not wait for the disk.
// At most one flight is in the air. Nobody is answered before his has landed,
// and should the one in the air fail, what was decided on top is decided again.
type flight struct {
	turn     *turn
	jobs     []*job
	refusals []error
	landed   chan error // the outcome of its commit
}

// reads tells that a job needs rows, or its transaction, to be decided.
func (m *memory) reads(j *job) bool { return !j.shares() || j.ticket != 0 || !m.fresh(j.key) }

// aheadFor is how long after its time a turn still takes commands in: a disk
// that stalls must not let sales into a draw that has closed meanwhile.
const aheadFor = 10 * time.Millisecond

// stalled tells that the time of the next turn has gone by while the one before waits for the disk.
func (s *System) stalled() bool {
	return s.ahead != nil && s.clock.Now().Sub(utc(s.ahead.turn.at)) > aheadFor
}

// decideAhead decides jobs into the next turn.
func (s *System) decideAhead(jobs []*job) {
	if s.ahead == nil {
		var before *turn
		room := len(jobs)
		if s.air != nil {
			before, room = s.air.turn, max(room, len(s.air.jobs))
		}
		s.ahead = &flight{
			turn:   newTurn(s.memory, before, s.clock.Now().UnixMicro(), room),
			landed: make(chan error, 1),
		}
	}
	f := s.ahead
	refusals := make([]error, len(jobs))
	err := s.catch(func() error { return f.turn.decide(jobs, refusals) })
	f.jobs, f.refusals = append(f.jobs, jobs...), append(f.refusals, refusals...)
	if err != nil { // a panic: the turn is dropped, and its jobs are run one by one
		s.ahead = nil
		s.settleDown()
		s.runEach(f.jobs, err)
	}
}

// takeOff begins to commit the next turn, unless one is in the air.
func (s *System) takeOff() {
	f := s.ahead
	if f == nil || s.air != nil {
		return
	}
	s.ahead = nil
	if len(f.turn.records) == 0 {
		s.answer(f.jobs, f.refusals, nil)
		return
	}
	s.air = f
	go func() { f.landed <- s.commit(f.turn) }()
}

// commit writes a turn that was decided ahead, if the journal still ends where it begins.
func (s *System) commit(t *turn) error {
	return s.catch(func() error {
		return s.db.Update(s.ctx, func(tx *store.Tx) error {
			t.tx = tx
			return t.write(s.ctx)
		})
	})
}

// land takes in the outcome of the turn in the air: it goes into the memory and
// its callers are answered. If it failed, its jobs are run one by one, and
// those that were decided on top of it once more.
func (s *System) land(err error) {
	f := s.air
	s.air = nil
	if err == nil {
		s.merge(f.turn)
		if s.ahead != nil {
			s.ahead.turn.before = nil // it is in the memory now
		}
		s.answer(f.jobs, f.refusals, nil)
		return
	}
	ahead := s.ahead
	s.ahead = nil
	s.runEach(f.jobs, err)
	if ahead != nil {
		s.run(ahead.jobs)
	}
}

// settleDown lands what is in the air and what was decided on top of it.
func (s *System) settleDown() {
	for s.takeOff(); s.air != nil; s.takeOff() {
		s.land(<-s.air.landed)
	}
}
