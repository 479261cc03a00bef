// Package script runs scenarios: business days in a language that a lottery
// officer can read. testdata/README.md explains it; testdata/*.txt are the
// scenarios.
//
// A scenario runs on a real central system and a real database, on a clock
// that it owns. [Run] gives it back with what the system answered under each
// command, so a scenario that holds comes back as it was.
package script

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/instant"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/store"
	"tirage/wager"
)

// Run runs a scenario on an empty database. Rule books that do not come with
// the program are looked for in folder. It returns the scenario with the answers as they were given;
// an error is a command that could not be carried out, never a refusal by the rules.
func Run(ctx context.Context, dsn, folder string, scenario []byte) ([]byte, error) {
	blocks := parse(string(scenario))
	r, err := newRunner(ctx, dsn, folder, start(blocks[0].command))
	if err != nil {
		return nil, err
	}
	defer r.close()
	var out bytes.Buffer
	for _, b := range blocks {
		out.WriteString(b.before)
		if b.command == "" {
			continue
		}
		r.typed = b.typed
		answer, err := r.run(b.command)
		if err != nil {
			return out.Bytes(), fmt.Errorf("line %d: %s: %w", b.line, b.command, err)
		}
		fmt.Fprintln(&out, b.command)
		for line := range strings.Lines(answer) {
			out.WriteString("  " + strings.TrimRight(line, " \n") + "\n")
		}
	}
	if _, err := r.books(nil); err != nil { // whatever the scenario was about
		return out.Bytes(), fmt.Errorf("books at the end: %w", err)
	}
	return out.Bytes(), nil
}

// block is a command with the comment before it and the answer typed under it.
type block struct {
	line    int
	before  string // blank lines and comments
	command string // empty at the end of the text
	typed   []string
}

// parse reads a scenario: a line that begins with a space belongs to the command above it.
func parse(text string) []block {
	var blocks []block
	var b block
	n := 0
	for line := range strings.Lines(text) {
		n++
		switch {
		case b.command != "" && strings.HasPrefix(line, " "):
			b.typed = append(b.typed, strings.TrimSpace(line))
			continue
		case b.command != "":
			blocks = append(blocks, b)
			b = block{}
		}
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			b.before += line
			continue
		}
		b.line, b.command = n, strings.TrimRight(line, " \n")
	}
	return append(blocks, b)
}

// runner is a lottery in the middle of a scenario.
type runner struct {
	ctx         context.Context
	dsn, folder string
	keys        central.Keys
	db          *store.DB
	sys         *central.System
	officer     string
	typed       []string // the answer typed under the command that runs

	mu  sync.Mutex
	now time.Time // guarded by mu: the system reads it from its own goroutines

	rules   *game.Rules // of the last rule book published
	outlets []*outlet
	tickets []*ticket
	prizes  map[int]prizes               // as typed in the scenario, by prize table
	acts    int                          // keys given out
	over    map[draw.ID]central.DrawView // certified draws, as read
	found   map[string]draw.Draw         // draws by the names that find gave

	officers  map[string]string // ids, by name
	second    string            // id of the first of them
	proposals map[string]uint64 // ids, by name

	instant *instant.Rules    // of the last instant game published
	players map[string]string // ids, by name
}

// outlet is an outlet with one terminal, and what it owes by plain addition.
type outlet struct {
	name string
	party.Outlet
	terminal string
	owes     money.Amount
}

// ticket is a ticket sold, under the names that the scenario gives it.
type ticket struct {
	names []string
	wager.Ticket
	place     central.Place
	seller    *outlet
	cancelled bool
}

func (t *ticket) named(name string) bool { return slices.Contains(t.names, name) }

// paris is where the clocks of a scenario hang.
var paris = func() *time.Location {
	zone, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		panic("script: " + err.Error()) // package game embeds the zones
	}
	return zone
}()

// start is when a scenario begins: on 4 January 2027, or on the day of its
// first command when that sets the clock.
func start(command string) time.Time {
	words := strings.Fields(command)
	if len(words) > 1 && words[0] == "clock" {
		if day, err := time.ParseInLocation(time.DateOnly, words[1], paris); err == nil {
			return day
		}
	}
	return time.Date(2027, 1, 4, 0, 0, 0, 0, paris)
}

func newRunner(ctx context.Context, dsn, folder string, start time.Time) (*runner, error) {
	keys, err := central.NewKeys("scenario.tirage.example/log")
	if err != nil {
		return nil, err
	}
	r := &runner{
		ctx: ctx, dsn: dsn, folder: folder, keys: keys,
		now: start, prizes: map[int]prizes{},
		over: map[draw.ID]central.DrawView{}, found: map[string]draw.Draw{}, officers: map[string]string{}, proposals: map[string]uint64{}, players: map[string]string{},
	}
	if err := r.open(); err != nil {
		return nil, err
	}
	officer, err := r.sys.PutOfficer(ctx, central.PutOfficer{Key: "first", Login: "scenario", Password: "scenario-scenario", Roles: []string{"all"}})
	if err != nil {
		r.close()
		return nil, err
	}
	r.officer = officer.ID
	return r, nil
}

// open starts the node on its database.
func (r *runner) open() (err error) {
	if r.db, err = store.Open(r.ctx, r.dsn); err != nil {
		return err
	}
	r.sys, err = central.Open(r.ctx, central.Options{
		DB: r.db, Keys: r.keys, Control: "none", Demo: true, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Clock: central.Clock{Now: r.clockTime, Wall: r.clockTime, Simulated: true},
	})
	if err != nil {
		return errors.Join(err, r.db.Close())
	}
	return nil
}

func (r *runner) close() {
	r.sys.Close()
	_ = r.db.Close()
}

func (r *runner) clockTime() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

func (r *runner) setClock(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = at
}

func (r *runner) actKey() string {
	r.acts++
	return "act/" + strconv.Itoa(r.acts)
}

// commands are the words that a line may begin with.
var commands = map[string]func(*runner, []string) (string, error){
	"account":    (*runner).account,
	"again":      (*runner).again,
	"approve":    (*runner).approve,
	"audit":      (*runner).audit,
	"books":      (*runner).books,
	"call":       (*runner).call,
	"cancel":     (*runner).cancel,
	"check":      (*runner).check,
	"clock":      (*runner).clock,
	"day":        (*runner).day,
	"debit":      (*runner).debit,
	"deposit":    (*runner).deposit,
	"draws":      (*runner).draws,
	"exclude":    (*runner).exclude,
	"find":       (*runner).find,
	"instant":    (*runner).publishInstant,
	"jackpot":    (*runner).jackpot,
	"launch":     (*runner).launch,
	"limit":      (*runner).limits,
	"mandate":    (*runner).mandate,
	"officer":    (*runner).newOfficer,
	"outlet":     (*runner).outlet,
	"owes":       (*runner).owes,
	"pay":        (*runner).pay,
	"play":       (*runner).play,
	"player":     (*runner).player,
	"prizes":     (*runner).prizeTable,
	"propose":    (*runner).propose,
	"receive":    (*runner).receive,
	"reject":     (*runner).reject,
	"reprint":    (*runner).reprint,
	"restart":    (*runner).restart,
	"rules":      (*runner).publish,
	"sale":       (*runner).onSale,
	"secrets":    (*runner).secrets,
	"sell":       (*runner).sell,
	"settlement": (*runner).settlement,
	"statement":  (*runner).statement,
	"status":     (*runner).status,
	"stop":       (*runner).stop,
	"suspend":    (*runner).suspend,
	"terms":      (*runner).publishTerms,
	"tick":       (*runner).tick,
	"ticket":     (*runner).show,
	"unblock":    (*runner).unblock,
}

var errUsage = errors.New("not understood; see testdata/README.md")

// run runs one command. A refusal by the rules is an answer.
func (r *runner) run(line string) (string, error) {
	words, err := split(line)
	if err != nil {
		return "", err
	}
	command, ok := commands[words[0]]
	if !ok {
		return "", errUsage
	}
	answer, err := command(r, words[1:])
	if isRefusal(err) {
		return answer + refused(err), nil
	}
	return answer, err
}

var word = regexp.MustCompile(`(?:[^\s']+|'[^']*')+`)

// split splits a line into words; what is between apostrophes is one word.
func split(line string) ([]string, error) {
	if strings.Count(line, "'")%2 != 0 {
		return nil, errors.New("an apostrophe without its other")
	}
	words := word.FindAllString(line, -1)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "'", "")
	}
	return words, nil
}

// refusals are what the rules may answer to a command of a scenario.
var refusals = []error{
	wager.ErrGame, wager.ErrStakeNotMarked, wager.ErrStake, wager.ErrDrawsNotMarked, wager.ErrDraws, wager.ErrBoards,
	wager.ErrPartialQuickPick, wager.ErrNoSession, wager.ErrOverRun, wager.ErrCapped, wager.ErrLimit, wager.ErrShapes, wager.ErrLetter,
	game.ErrTooFew, game.ErrTooMany, game.ErrElement, game.ErrShape, draw.ErrClosed, draw.ErrTransition, draw.ErrMove,
	party.ErrCredit, party.ErrBlocked,
	central.ErrNotYours, central.ErrTooLate, central.ErrCancelled, central.ErrNoTicket, central.ErrKeyReused, central.ErrUnknownGame,
	central.ErrDrawCancelled, central.ErrSameOfficer, central.ErrDecided, central.ErrClaimsOver, central.ErrReason, central.ErrChange,
	settle.ErrNothingToPay, settle.ErrNotYet, settle.ErrExpired, settle.ErrPaid, settle.ErrCentre,
	central.ErrNotLaunched, central.ErrSoldOut, central.ErrGameState, instant.ErrPrice,
	central.ErrStopped, central.ErrNotStopped, central.ErrIdentity, party.ErrPayee,
	party.ErrBalance, party.ErrLimit, party.ErrExcluded, party.ErrExclusion, party.ErrDepositMin,
	central.ErrDebit, central.ErrNoMandate,
}

func isRefusal(err error) bool {
	for _, refusal := range refusals {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}

var instantForm = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// refused is a refusal in the words of the system, its instants on the clocks of Paris.
func refused(err error) string {
	text := instantForm.ReplaceAllStringFunc(err.Error(), func(s string) string {
		at, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return s
		}
		return wall(at)
	})
	return "refused: " + text + "\n"
}

// wall is an instant as the clocks of Paris show it.
func wall(at time.Time) string { return at.In(paris).Format("2006-01-02 15:04:05 MST") }

// hand gives a command's words one after another.
type hand []string

// next takes the next word, or "" when there is none.
func (h *hand) next() string {
	if len(*h) == 0 {
		return ""
	}
	w := (*h)[0]
	*h = (*h)[1:]
	return w
}

// take takes the next word if it is w.
func (h *hand) take(w string) bool {
	if len(*h) == 0 || (*h)[0] != w {
		return false
	}
	*h = (*h)[1:]
	return true
}

// numbers takes the numbers that come next.
func (h *hand) numbers() (list []int) {
	for len(*h) > 0 {
		n, err := strconv.Atoi((*h)[0])
		if err != nil {
			break
		}
		list = append(list, n)
		*h = (*h)[1:]
	}
	return list
}

// span is "T1" or "T1..T9".
var span = regexp.MustCompile(`^([A-Za-z]*)(\d+)\.\.([A-Za-z]*)(\d+)$`)

// expand lists the names of a word such as T1..T9.
func expand(w string) []string {
	m := span.FindStringSubmatch(w)
	if m == nil || m[1] != m[3] {
		return []string{w}
	}
	first, _ := strconv.Atoi(m[2])
	last, _ := strconv.Atoi(m[4])
	var list []string
	for i := first; i <= last; i++ {
		list = append(list, m[1]+strconv.Itoa(i))
	}
	return list
}
