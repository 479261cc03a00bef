package terminal

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/paper"
	"tirage/training"
	"tirage/wager"
	"tirage/web/page"
)

// practice is the face for terminals in training.
type practice struct {
	all, each, moves *page.Limiter // of requests of all terminals together; of forms of each; of moves of the time

	mu *sync.Mutex
	at *terminal // on the training system of the last request
}

// Whoever practises takes little of the machine, however many they are.
func newPractice() practice {
	return practice{all: page.NewLimiter(20, 100), each: page.NewLimiter(2, 30), moves: page.NewLimiter(0.1, 6), mu: new(sync.Mutex)}
}

// practise serves a request of a terminal in training.
func (t *terminal) practise(w http.ResponseWriter, r *http.Request, id string, h seatHandler) error {
	if err := t.practiseAt(w, r, id, h); err != nil {
		t.app.Fail(w, r, face, err) // on a page that is marked too
	}
	return nil
}

func (t *terminal) practiseAt(w http.ResponseWriter, r *http.Request, id string, h seatHandler) error {
	if err := t.practice.all.Allow("training"); err != nil {
		return err
	}
	if r.Method == http.MethodPost {
		if err := t.practice.each.Allow(id); err != nil {
			return err
		}
	}
	desk, leave, err := t.app.Training.Enter(r.Context(), id)
	if err != nil {
		return err
	}
	defer leave()
	at := t.on(desk.Sys)
	s, err := at.seat(desk.Terminal)
	if err != nil {
		return err
	}
	return at.serve(w, r, s, func(at *terminal, w http.ResponseWriter, r *http.Request, s seat) error {
		if r.URL.Path == pathTraining && r.Method == http.MethodPost {
			return t.trainOn(w, r, at, desk, s)
		}
		return h(at, w, r, s)
	})
}

// on is the face on a training system: a new one for a new system.
func (t *terminal) on(sys *central.System) *terminal {
	p := &t.practice
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at == nil || p.at.app.Sys != sys {
		p.at = newTerminal(t.app.InTraining(sys))
		p.at.training, p.at.trains, p.at.slips, p.at.printers = true, true, t.slips, t.printers
		p.at.frames, p.at.photos = page.NewLimiter(1, 3), page.NewLimiter(0.2, 6)
	}
	return p.at
}

// forget drops the picture that a session in training has.
func (p *practice) forget(session [32]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at != nil {
		p.at.shots.clear(session)
	}
}

// serve serves a request whose keys are of the terminal's mode. A form that was
// written in the other one is refused: the shopkeeper who sends it believes to be
// in that one. A basket in an address is left behind.
func (t *terminal) serve(w http.ResponseWriter, r *http.Request, s seat, h seatHandler) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	switch {
	case s.wrote(r.Form):
	case r.Method == http.MethodPost:
		return page.ErrOtherMode
	default:
		http.Redirect(w, r, pathDesk, http.StatusSeeOther)
		return nil
	}
	return h(t, w, r, s)
}

// keyMark begins the keys of all commands in training.
const keyMark = "formation-"

// newKey makes the key of a command.
func (s seat) newKey() string {
	if s.training {
		return keyMark + page.NewKey()
	}
	return page.NewKey()
}

// wrote tells whether a form's keys are of the seat's mode.
func (s seat) wrote(form url.Values) bool {
	for _, name := range []string{"key", "command", "slip"} {
		for _, text := range form[name] {
			if strings.HasPrefix(text, keyMark) != s.training {
				return false
			}
		}
	}
	return true
}

// code is the code of a ticket of the seat's mode.
func (s seat) code(number wager.ID, secret [8]byte) string {
	if s.training {
		return wager.TrainingCode(number, secret)
	}
	return wager.Code(number, secret)
}

// parseCode reads the code of a ticket of the seat's mode.
func (s seat) parseCode(text string) (wager.ID, [8]byte, error) {
	if s.training {
		return wager.ParseTrainingCode(text)
	}
	return wager.ParseCode(text)
}

// parseAddress reads what the QR code of a ticket of the seat's mode says.
func (s seat) parseAddress(text string) (wager.ID, [8]byte, error) {
	if s.training {
		return paper.ParseSpecimenAddress(text)
	}
	return paper.ParseTicketAddress(text)
}

// trainingPage is where a terminal enters training, moves its time on, and leaves it.
type trainingPage struct {
	frame
	Action  string // of its forms, with the state of the desk
	Now     time.Time
	Draws   []trainingDraw
	Refusal *page.Refusal
}

// trainingDraw is the draw of a game that would be drawn next.
type trainingDraw struct {
	Rules  *game.Rules
	Number int       // 0: none is on sale
	At     time.Time // it is drawn
	Last   int       // the last one drawn; 0: none was
}

// trainingPage is not there where nobody can practise.
func (t *terminal) trainingPage(w http.ResponseWriter, r *http.Request, s seat) error {
	return t.renderTraining(w, r, s, http.StatusOK, nil)
}

func (t *terminal) renderTraining(w http.ResponseWriter, r *http.Request, s seat, status int, refusal *page.Refusal) error {
	if !t.trains {
		return page.ErrNotFound
	}
	f, err := t.frame(r, s, "training.title", pathTraining)
	if err != nil {
		return err
	}
	p := trainingPage{frame: f, Action: withState(pathTraining, r.URL.Query()), Now: t.app.Sys.Now(), Refusal: refusal}
	for _, g := range s.games {
		status, err := t.app.Sys.Status(g.Code)
		if err != nil {
			return err
		}
		x := trainingDraw{Rules: g}
		if len(status.Open) > 0 {
			x.Number, x.At = status.Open[0].Number, status.Open[0].DrawsAt
		}
		if len(status.Last) > 0 {
			x.Last = status.Last[0].Number
		}
		p.Draws = append(p.Draws, x)
	}
	return face.Render(w, r, status, "training", p)
}

// errBasket is a terminal that would change its mode with a slip on its desk.
var errBasket = errors.Join(page.ErrForm, errors.New("the desk is not empty"))

// idle tells whether nothing lies on the desk that a form comes from.
func idle(r *http.Request, s seat) error {
	d, err := readDesk(r.URL.Query(), s.games)
	if err == nil && (len(d.slips) > 0 || !d.blank()) {
		err = errBasket
	}
	return err
}

// refuseTraining says on its page why something is not done.
func (t *terminal) refuseTraining(w http.ResponseWriter, r *http.Request, s seat, err error) error {
	refusal := t.app.Explain(r, err)
	if errors.Is(err, errBasket) {
		var failed error
		if refusal.Sentence, failed = face.T(page.LangOf(r), "training.basket"); failed != nil {
			return failed
		}
	}
	return t.renderTraining(w, r, s, refusal.Status, &refusal)
}

// train has a live terminal enter training.
func (t *terminal) train(w http.ResponseWriter, r *http.Request, s seat) error {
	if !t.trains {
		return page.ErrNotFound
	}
	if r.PostForm.Get("do") != "enter" {
		return page.ErrForm
	}
	if err := idle(r, s); err != nil {
		return t.refuseTraining(w, r, s, err)
	}
	if err := t.practice.each.Allow(s.terminal.ID); err != nil {
		return t.refuseTraining(w, r, s, err)
	}
	desk, leave, err := t.app.Training.Enter(r.Context(), s.terminal.ID) // there is one, before the mode changes
	if err != nil {
		return t.refuseTraining(w, r, s, err)
	}
	defer leave()
	t.on(desk.Sys).counters.clear(desk.Terminal)
	if err := t.app.ChangeSession(w, r, page.TerminalSession, page.TrainingSession); err != nil {
		return err
	}
	http.Redirect(w, r, pathDesk, http.StatusSeeOther)
	return nil
}

// trainOn does what a key of the page asks in training: leave it, or move its time on.
func (t *terminal) trainOn(w http.ResponseWriter, r *http.Request, at *terminal, desk training.Desk, s seat) error {
	do, arg, _ := strings.Cut(r.PostForm.Get("do"), ":")
	if do == "leave" {
		if err := idle(r, s); err != nil {
			return at.refuseTraining(w, r, s, err)
		}
		if err := t.app.ChangeSession(w, r, page.TrainingSession, page.TerminalSession); err != nil {
			return err
		}
		http.Redirect(w, r, pathDesk, http.StatusSeeOther)
		return nil
	}
	err := t.practice.moves.Allow("training")
	switch {
	case err != nil:
	case do == "draw":
		err = desk.Draw(r.Context(), game.Code(arg))
	case do == "morning":
		err = desk.Morning(r.Context())
	default:
		return page.ErrForm
	}
	if err != nil {
		return at.refuseTraining(w, r, s, err)
	}
	http.Redirect(w, r, withState(pathTraining, r.URL.Query()), http.StatusSeeOther)
	return nil
}
