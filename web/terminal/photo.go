package terminal

import (
	"encoding/json"
	"errors"
	"image"
	"net/http"

	"tirage/game"
	"tirage/paper"
	"tirage/web/page"
)

// scanPage is the camera, the place to drop a photo on, and the field that
// takes what a hand scanner types.
type scanPage struct {
	frame
	Action  string  // of a photo, with the state of the desk
	State   []field // the same, for the form of a text
	Refusal *page.Refusal
}

// maxFrame bounds a picture that the camera's script sends, in bytes.
const maxFrame = 4 << 20

// scanPage is the one page that may ask for the camera.
func (t *terminal) scanPage(w http.ResponseWriter, r *http.Request, s seat) error {
	d, err := readDesk(r.URL.Query(), s.games)
	if err != nil {
		return err
	}
	return t.renderScan(w, r, s, d, http.StatusOK, nil)
}

func (t *terminal) renderScan(w http.ResponseWriter, r *http.Request, s seat, d desk, status int, refusal *page.Refusal) error {
	f, err := t.frame(r, s, "scan.title", pathScan)
	if err != nil {
		return err
	}
	state := d.values()
	p := scanPage{frame: f, State: fieldsOf(state), Refusal: refusal}
	state.Set("from", "scan")
	p.Action = pathScan + "?" + state.Encode()
	w.Header().Set("Permissions-Policy", "camera=(self), microphone=(), geolocation=()")
	return face.Render(w, r, status, "scan", p)
}

// photo takes a picture of a slip, of a phone's screen or of a ticket. The
// state of the desk stands in the address of its form: it is there whatever
// comes of the picture.
func (t *terminal) photo(w http.ResponseWriter, r *http.Request, s seat) error {
	d, err := readDesk(r.URL.Query(), s.games)
	if err != nil {
		return err
	}
	if err = t.photos.Allow(s.terminal.ID); err != nil {
		return t.refusePhoto(w, r, s, d, err)
	}
	var seen paper.Sight
	if err = t.app.Pictures.Picture(w, r, s.terminal.ID, "photo", func(img image.Image) (err error) {
		seen, err = paper.Look(img, t.slipBooks(s.games))
		return err
	}); err != nil {
		return t.refusePhoto(w, r, s, d, err)
	}
	if seen.Reading == nil {
		return t.readText(w, r, s, d, seen.Text)
	}
	if !d.blank() {
		return t.refusePhoto(w, r, s, d, errBusy)
	}
	slip, ask, err := seen.Reading.Slip(nil)
	switch {
	case err != nil:
		return t.refusePhoto(w, r, s, d, err)
	case len(ask) > 0:
		id, err := t.shots.put(t.app.SessionMark(r, page.TerminalSession), seen.Reading)
		if err != nil {
			return t.refusePhoto(w, r, s, d, err)
		}
		v := d.values()
		v.Set("photo", id)
		http.Redirect(w, r, pathAsk+"?"+v.Encode(), http.StatusSeeOther)
		return nil
	}
	if err := d.lay(slip, "paper"); err != nil {
		return t.refusePhoto(w, r, s, d, err)
	}
	http.Redirect(w, r, d.address(), http.StatusSeeOther)
	return nil
}

// refusePhoto says why a picture is refused, on the page that it came from.
func (t *terminal) refusePhoto(w http.ResponseWriter, r *http.Request, s seat, d desk, err error) error {
	if r.URL.Query().Get("from") != "scan" {
		return t.refuseScan(w, r, s, d, "", err)
	}
	refusal, err := t.explainScan(r, err)
	if err != nil {
		return err
	}
	return t.renderScan(w, r, s, d, refusal.Status, &refusal)
}

// frameSeen is what a picture of the camera shows.
type frameSeen struct {
	Found  bool   `json:"found"`  // something that can be read: it is to be sent as a photo
	Unsure int    `json:"unsure"` // boxes; the next picture may show them better
	Say    string `json:"say"`    // why nothing is found, where that helps
}

// frameSeen tells the script of the camera whether one of its pictures shows
// something. It does nothing else with it.
func (t *terminal) frameSeen(w http.ResponseWriter, r *http.Request, s seat) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxFrame)
	err := t.frames.Allow(s.terminal.ID)
	var seen paper.Sight
	var x frameSeen
	if err == nil {
		err = t.app.Pictures.Picture(w, r, s.terminal.ID, "photo", func(img image.Image) (err error) {
			seen, err = paper.Look(img, t.slipBooks(s.games))
			return err
		})
	}
	if err == nil {
		x.Found = true
		if seen.Reading != nil {
			_, ask, _ := seen.Reading.Slip(nil) // the photo says what is wrong with it
			x.Unsure = len(ask)
		}
	}
	status := http.StatusOK
	switch {
	case err == nil, errors.Is(err, paper.ErrNoSlip), errors.Is(err, paper.ErrNoCode): // nothing there yet
	default:
		refusal, err := t.explainScan(r, err)
		if err != nil {
			return err
		}
		x.Say = refusal.Sentence
		if refusal.Status == http.StatusTooManyRequests || refusal.Status >= http.StatusInternalServerError {
			status = refusal.Status
		}
	}
	body, err := json.Marshal(x)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body)
	return nil
}

// slipBooks are the rule books that slips on paper are read by: all that were
// published and mean the same by each box as the one that is sold now. A slip
// that lay in a drawer while a prize changed is still good.
func (t *terminal) slipBooks(games []*game.Rules) func(game.Code, [8]byte) *game.Rules {
	return func(code game.Code, version [8]byte) *game.Rules {
		sold := bookOf(games, string(code))
		printed := t.app.Sys.RulesOfSlip(code, version)
		if sold == nil || printed == nil || !paper.SameSlip(printed, sold) {
			return nil
		}
		return printed
	}
}
