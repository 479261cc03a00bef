package central

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"tirage/store"
	"tirage/wager"
)

// job is a command on its way through a turn. decide runs in the turn, perhaps
// more than once (a batch that fails is run again command by command): it has
// no effect outside the turn but on its own outcome. The error that it returns
// is a refusal, made before it appended anything.
type job struct {
	ctx     context.Context
	key     store.CommandKey
	ticket  wager.ID // whose cancellation and payments it decides on; 0: none
	alone   bool     // wants a turn of its own; its refusal drops the turn, whatever was appended
	private bool     // changes private tables, perhaps nothing else
	follow  bool     // takes no turn: only catches up with other nodes
	decide  func(*turn) error
	done    chan error
}

func (j *job) shares() bool { return !j.alone && !j.follow }

// errIdle leaves a turn without writing.
var errIdle = errors.New("nothing to write")

// do runs a job and waits until its record is durable. When ctx ends first
// the command may still be done: its key tells.
func (s *System) do(ctx context.Context, j *job) error {
	if s.gone.Load() {
		return ErrGone
	}
	j.ctx, j.done = ctx, make(chan error, 1)
	select {
	case s.queue <- j:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closing:
		return ErrShutdown
	}
	select {
	case err := <-j.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-s.stopped:
	}
	select {
	case err := <-j.done: // in the last turn
		return err
	default:
		return ErrShutdown
	}
}

// write is the writer loop: callers queue while a turn commits, and the next
// turn takes all of them. There is no timer.
func (s *System) write() {
	defer func() {
		s.settleDown()
		s.answering.Wait() // who is told that the system has stopped was not served
		close(s.stopped)
	}()
	for {
		var landed <-chan error
		if s.air != nil {
			landed = s.air.landed
		}
		queue := s.queue
		if s.ahead != nil && len(s.ahead.jobs) >= batchMax {
			queue = nil // the next turn is full
		}
		select {
		case j := <-queue:
			s.run(s.take(j))
		case err := <-landed:
			s.land(err)
		case <-s.closing:
			return
		}
		s.takeOff()
	}
}

// batchMax bounds the commands of a turn, so that a turn stays short.
const batchMax = 1024

func (s *System) take(first *job) []*job {
	jobs := make([]*job, 1, len(s.queue)+1)
	jobs[0] = first
	for len(jobs) < batchMax {
		select {
		case j := <-s.queue:
			jobs = append(jobs, j)
			continue
		default:
		}
		break
	}
	return jobs
}

// run runs jobs in order: neighbours share a turn, but those that want to be alone.
func (s *System) run(jobs []*job) {
	for len(jobs) > 0 {
		n := 1
		for jobs[0].shares() && n < len(jobs) && jobs[n].shares() {
			n++
		}
		if s.stalled() {
			s.settleDown() // before anybody asks what is fresh
		}
		if s.memory.sole && !slices.ContainsFunc(jobs[:n], s.memory.reads) {
			s.decideAhead(jobs[:n])
		} else {
			s.settleDown()
			s.runTurn(jobs[:n])
		}
		jobs = jobs[n:]
	}
}

// runTurn runs jobs in one turn, decided within its transaction.
func (s *System) runTurn(jobs []*job) {
	refusals := make([]error, len(jobs))
	err := s.turn(jobs, refusals)
	if err != nil && len(jobs) > 1 {
		s.runEach(jobs, err)
		return
	}
	s.answer(jobs, refusals, err)
}

// runEach runs the jobs of a turn that failed each in a turn of its own, so
// that one bad command harms no other. A commit whose answer was lost may have
// been done: the second run finds the keys.
func (s *System) runEach(jobs []*job, failure error) {
	s.log.Warn("turn failed, running its commands one by one", "commands", len(jobs), "error", failure)
	for i := range jobs {
		s.runTurn(jobs[i : i+1])
	}
}

// answer tells the callers. Waking many takes a while, and the next turn waits for no one.
func (s *System) answer(jobs []*job, refusals []error, err error) {
	if len(jobs) == 1 {
		answer(jobs, refusals, err)
	} else {
		s.answering.Go(func() { answer(jobs, refusals, err) })
	}
}

// answer tells the callers; it does not block, since each has room for its answer.
func answer(jobs []*job, refusals []error, err error) {
	for i, j := range jobs {
		if err == nil {
			j.done <- refusals[i]
		} else {
			j.done <- err
		}
	}
}

// turn takes one turn for the jobs. It returns an error when nothing of it was
// written (or the commit's answer was lost), and else fills in the refusals.
func (s *System) turn(jobs []*job, refusals []error) error {
	if jobs[0].follow {
		return s.followTurn(s.ctx)
	}
	t, err := s.decideAndWrite(jobs, refusals)
	if err != nil || len(t.records) == 0 {
		return err
	}
	s.merge(t)
	return nil
}

// merge takes the memory over a committed turn. What is committed must go into
// the memory: a panic here ends the process, and the next one loads it anew.
func (s *System) merge(t *turn) {
	s.mu.Lock()
	t.merge()
	s.mu.Unlock()
	if t.moved() {
		s.watchers.notify()
	}
}

// catch turns a panic into an error: the turn is dropped.
func (s *System) catch(run func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("turn panicked", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("turn: %v", p)
		}
	}()
	return run()
}

// decideAndWrite decides the jobs one after another and commits the turn.
func (s *System) decideAndWrite(jobs []*job, refusals []error) (t *turn, err error) {
	// A turn serves many callers, so it does not end with the context of one of them.
	ctx := s.ctx
	err = s.catch(func() error {
		return s.db.Update(ctx, func(tx *store.Tx) error {
			head, err := tx.Head(ctx)
			if err != nil {
				return err
			}
			if err := s.catchUp(ctx, tx, head); err != nil {
				return err
			}
			t = newTurn(s.memory, nil, s.clock.Now().UnixMicro(), len(jobs))
			t.tx = tx
			if err := t.prefetch(ctx, jobs); err != nil {
				return err
			}
			if err := t.decide(jobs, refusals); err != nil {
				return err
			}
			switch {
			case len(t.records) > 0:
				return t.write(ctx)
			case jobs[0].private:
				return nil
			}
			return errIdle
		})
	})
	if errors.Is(err, errIdle) {
		return t, nil
	}
	return t, err
}

// decide decides the jobs in order. The refusal of one that is alone is
// returned, to drop the turn.
func (t *turn) decide(jobs []*job, refusals []error) error {
	for i, j := range jobs {
		if refusals[i] = j.ctx.Err(); refusals[i] != nil {
			continue
		}
		before := len(t.records)
		refusals[i] = j.decide(t)
		if refusals[i] != nil && j.alone {
			return refusals[i]
		}
		assert(refusals[i] == nil || len(t.records) == before, "a refused command appended a record")
	}
	return nil
}

// followTurn takes the memory over the turns of other nodes. It is a job of
// the writer loop, since only that changes the memory.
func (s *System) followTurn(ctx context.Context) error {
	return s.db.View(ctx, func(tx *store.Snapshot) error {
		head, err := tx.Head(ctx)
		if err != nil {
			return err
		}
		return s.catchUp(ctx, tx, head)
	})
}
