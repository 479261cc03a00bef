package central

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"tirage/game"
	"tirage/instant"
	"tirage/journal"
	"tirage/store"
)

var (
	// ErrNotLaunched is an instant game that is not open to its players (INS-1); the error is a [ClosedGameError].
	ErrNotLaunched = errors.New("the game is not open")
	// ErrGameState is a launch or suspension that changes nothing, or that takes two officers.
	ErrGameState = errors.New("the game is not in a state for this")
	// ErrMessage is a message to players above [ReasonMax] characters, or with
	// characters that hide or turn around what stands beside them.
	ErrMessage = errors.New("a message to players has at most 250 characters")
)

// GameState is whether an instant game is played.
type GameState uint8

const (
	Unlaunched GameState = iota + 1 // published, never launched (INS-1)
	Launched
	Suspended // by an officer
	Stopped   // by the guard (F12): two officers resume it
)

// String returns the name in lower case: "launched".
func (st GameState) String() string {
	switch st {
	case Unlaunched:
		return "unlaunched"
	case Launched:
		return "launched"
	case Suspended:
		return "suspended"
	case Stopped:
		return "stopped"
	}
	return fmt.Sprintf("GameState(%d)", uint8(st))
}

// Who suspends a game, in its record.
const (
	byOfficer = "officer"
	byGuard   = "guard"
)

// ClosedGameError is a refusal by [ErrNotLaunched].
type ClosedGameError struct {
	State   GameState
	Message game.Text // what players are told; empty: the ordinary sentence
}

// Error says in which state the game is.
func (e *ClosedGameError) Error() string { return ErrNotLaunched.Error() + ": " + e.State.String() }

// Is makes the error an [ErrNotLaunched].
func (e *ClosedGameError) Is(target error) bool { return target == ErrNotLaunched }

// GameAct is a launch or suspension by an officer.
type GameAct struct {
	Key     string
	Officer string
	Game    game.Code
	Message game.Text // of a suspension: what players are told; empty: the ordinary sentence
}

// Launch opens an instant game to its players (INS-1), or again after an
// officer suspended it. What the guard stopped, two officers resume
// ([ActResumeGame]). Refusals: [ErrUnknownGame], [ErrGameState], [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) Launch(ctx context.Context, a GameAct) error {
	_, _, err := s.officerCommand(ctx, a.Officer, a.Key, content("launch", a.Game), func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		g, err := t.m.instants.game(a.Game)
		switch {
		case err != nil:
			return 0, err
		case g.state != Unlaunched && g.state != Suspended:
			return 0, fmt.Errorf("%w: %s", ErrGameState, g.state)
		}
		return t.append(&journal.Launch{Command: command, By: by, Game: string(a.Game)})
	})
	return err
}

// Suspend suspends an instant game at once: no unit is played until it is
// launched again. Refusals as of [System.Launch], and [ErrMessage].
func (s *System) Suspend(ctx context.Context, a GameAct) error {
	for _, text := range []string{a.Message.FR, a.Message.EN} {
		if text != "" && checkReason(text) != nil {
			return fmt.Errorf("%w: it has %d", ErrMessage, utf8.RuneCountInString(text))
		}
	}
	sum := content("suspend", []any{a.Game, a.Message.FR, a.Message.EN})
	_, _, err := s.officerCommand(ctx, a.Officer, a.Key, sum, func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		g, err := t.m.instants.game(a.Game)
		switch {
		case err != nil:
			return 0, err
		case g.state != Launched:
			return 0, fmt.Errorf("%w: %s", ErrGameState, g.state)
		}
		return t.append(&journal.Suspend{
			Command: command, By: by, Game: string(a.Game), Cause: byOfficer, FR: a.Message.FR, EN: a.Message.EN,
		})
	})
	return err
}

// GameStep is a launch or suspension of an instant game.
type GameStep struct {
	Record   uint64
	At       time.Time
	State    GameState
	By       string    // officer; "" for the guard
	Decision uint64    // of two officers who resumed it; 0: none
	Message  game.Text // of a suspension, as [GameAct] has it
}

// GameSteps lists the launches and suspensions of a game, newest first, at
// most limit. Refusal: [ErrUnknownGame].
func (s *System) GameSteps(ctx context.Context, code game.Code, limit int) (list []GameStep, err error) {
	s.mu.RLock()
	_, err = s.memory.instants.game(code)
	s.mu.RUnlock()
	if err != nil {
		return nil, err
	}
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		rows, err := tx.GameSteps(ctx)
		if err != nil {
			return err
		}
		for _, row := range slices.Backward(rows) {
			if row.Game != string(code) || len(list) == limit {
				continue
			}
			rec, err := readRecord(ctx, tx, row.Record)
			if err != nil {
				return err
			}
			list = append(list, stepOf(row.Record, rec))
		}
		return nil
	})
	return list, err
}

// stepOf is what the record of a launch or suspension says.
func stepOf(index uint64, rec journal.Record) GameStep {
	step := GameStep{Record: index, At: utc(rec.At)}
	switch b := rec.Body.(type) {
	case *journal.Launch:
		step.State, step.By, step.Decision = Launched, b.By.String(), b.Decision
	case *journal.Suspend:
		step.State, step.Message = Stopped, game.Text{FR: b.FR, EN: b.EN}
		if b.Cause == byOfficer {
			step.State, step.By = Suspended, b.By.String()
		}
	default:
		assert(false, "the record is of no launch or suspension")
	}
	return step
}

// canResume tells whether two officers can launch a game again: the guard must have stopped it.
func (t *turn) canResume(code game.Code) error {
	g, err := t.m.instants.game(code)
	if err == nil && g.state != Stopped {
		err = fmt.Errorf("%w: %s", ErrGameState, g.state)
	}
	return err
}

// ofThisStop tells whether a proposal to resume a game was made since the guard
// stopped it: who proposed before has not looked into this stop.
func (in *instants) ofThisStop(c Change, proposal uint64) error {
	if g := in.games[c.Game]; c.Act == ActResumeGame && g != nil && proposal < g.step {
		return fmt.Errorf("%w: the game was stopped after it was proposed to resume it", ErrChanged)
	}
	return nil
}

// resumeBody is the record of a game that two officers launch again; by is the one who decided.
func resumeBody(c Change, decision uint64, by journal.Party) *journal.Launch {
	return &journal.Launch{By: by, Game: string(c.Game), Decision: decision}
}

// launch opens a game. When two officers resume it, its guard counts from there
// on: what they have looked into does not stop the game again.
func (in *instants) launch(index uint64, b *journal.Launch) {
	g := in.games[game.Code(b.Game)]
	g.state, g.step, g.message = Launched, index, game.Text{}
	if b.Decision == 0 {
		return
	}
	for _, o := range g.offers {
		for _, p := range o.pools {
			p.base = cloneLeft(p.sold)
		}
	}
}

func (g *instantGame) suspend(index uint64, cause string, message game.Text) {
	g.state, g.step, g.message = Suspended, index, message
	if cause == byGuard {
		g.state = Stopped
	}
}

// gameState is the state of a game, this turn included.
func (t *turn) gameState(g *instantGame) GameState {
	if t.stopped[g.code] || t.before != nil && t.before.stopped[g.code] {
		return Stopped
	}
	return g.state
}

// watch stops the game of a pool when more was won of it than can be (F12): no
// unit is sold after the one that shows it. It returns what the guard found.
func (t *turn) watch(p *pool) (fault, err error) {
	if fault = p.guard(t.tally(p)); fault == nil {
		return nil, nil
	}
	code := p.rules.Code
	if _, err := t.append(&journal.Suspend{Game: string(code), Cause: byGuard}); err != nil {
		return nil, err
	}
	if t.stopped == nil {
		t.stopped = map[game.Code]bool{}
	}
	t.stopped[code] = true
	return fault, nil
}

// guard tells whether what was sold of a pool can be, counted from its base.
func (p *pool) guard(sold instant.Left) error {
	table, units := p.table, p.units
	if p.base.Sold > 0 {
		rest := instant.PrizeTable{Price: table.Price, Prizes: append([]instant.Prize(nil), table.Prizes...)}
		since := cloneLeft(sold)
		since.Sold -= p.base.Sold
		since.Paid = since.Paid.Sub(p.base.Paid)
		for i, n := range p.base.Counts {
			rest.Prizes[i].Units = max(0, rest.Prizes[i].Units-n)
			since.Counts[i] -= n
		}
		table, units, sold = &rest, units-p.base.Sold, since
	}
	return instant.Guard(table, units, sold, p.rules.Policy.GuardOneIn)
}

func cloneLeft(l instant.Left) instant.Left {
	l.Counts = append([]int(nil), l.Counts...)
	return l
}
