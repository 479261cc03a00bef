package office

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/party"
	"tirage/web/page"
)

type decision func(context.Context, central.Decide) (central.Proposal, error)

// drawsForm proposes to postpone, close or cancel draws; its fields are as typed.
type drawsForm struct {
	Key, Act, Minutes, Reason string
}

// claimsForm proposes to extend claims; its fields are as typed.
type claimsForm struct {
	Key, From, To, Until, Reason string
	Game                         game.Code
}

// refusal is why a form was not done: it stands in the form that sent it.
type refusal struct {
	Form     string // "draws", "claims", the number of a proposal, or "decided"
	Field    string // that it is about; "" for all
	Sentence string
}

// fieldError is a field of a form that cannot be read, and the sentence that says so.
type fieldError struct {
	Status    int // of HTTP
	Field, ID string
	Data      any // of the sentence
}

// Error names the sentence.
func (e *fieldError) Error() string { return "form refused: " + e.ID }

// The forms of the page.
const (
	formDraws  = "draws"
	formClaims = "claims"
)

// propose proposes a change of the draws that are ticked.
func (o office) propose(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	form := r.PostForm
	change, err := readDraws(form)
	if err == nil {
		err = o.submit(r, officer, change)
	}
	if err == nil {
		return o.proposed(w, r, form)
	}
	p, pageErr := o.proposals(r, officer, form)
	if pageErr != nil {
		return pageErr
	}
	p.Draws.Act, p.Draws.Minutes, p.Draws.Reason = form.Get("act"), form.Get("minutes"), form.Get("reason")
	for i, l := range p.Lines {
		p.Lines[i].Ticked = slices.Contains(form["draw"], strconv.FormatInt(int64(l.ID), 10))
	}
	would, readErr := o.proposal(r, central.Proposal{Change: change}, p.Now)
	if readErr != nil {
		return readErr
	}
	return o.refuseProposal(w, r, p, formDraws, barred(err, change.Act, would.Barred))
}

// extend proposes to extend claims.
func (o office) extend(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	form := r.PostForm
	change, err := readClaims(form)
	if err == nil {
		err = o.submit(r, officer, change)
	}
	if err == nil {
		return o.proposed(w, r, form)
	}
	p, pageErr := o.proposals(r, officer, here(form))
	if pageErr != nil {
		return pageErr
	}
	p.Claims = claimsForm{p.Claims.Key, form.Get("from"), form.Get("to"), form.Get("until"), form.Get("reason"), game.Code(form.Get("jeu"))}
	return o.refuseProposal(w, r, p, formClaims, err)
}

func (o office) submit(r *http.Request, officer party.Officer, change central.Change) error {
	_, err := o.app.Sys.Propose(r.Context(), central.Propose{Key: r.PostForm.Get("key"), Officer: officer.ID, Change: change})
	return err
}

// proposed goes back to the game and day that the form was for.
func (o office) proposed(w http.ResponseWriter, r *http.Request, form url.Values) error {
	q := here(form)
	q.Set("fait", "proposition")
	http.Redirect(w, r, pathProposals+"?"+q.Encode(), http.StatusSeeOther)
	return nil
}

// minutesMax is how far draws are postponed at once.
const minutesMax = int(central.ShiftMax / time.Minute)

func readDraws(form url.Values) (central.Change, error) {
	c := central.Change{Reason: reasonOf(form)}
	var err error
	if c.Act, err = central.ParseChangeAct(form.Get("act")); err != nil || !slices.Contains([]central.ChangeAct{central.ActPostpone, central.ActClose, central.ActCancelDraw}, c.Act) {
		return c, &fieldError{http.StatusUnprocessableEntity, "act", "proposals.fault.act", nil}
	}
	for _, text := range form["draw"] {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return c, draw.ErrUnknown
		}
		c.Draws = append(c.Draws, draw.ID(id))
	}
	if len(c.Draws) == 0 {
		return c, &fieldError{http.StatusUnprocessableEntity, "draws", "proposals.fault.draws", nil}
	}
	if c.Act == central.ActPostpone {
		minutes, err := strconv.Atoi(strings.TrimSpace(form.Get("minutes")))
		if err != nil || minutes < 1 || minutes > minutesMax {
			return c, &fieldError{http.StatusUnprocessableEntity, "minutes", "proposals.fault.minutes", nil}
		}
		c.Shift = time.Duration(minutes) * time.Minute
	}
	return c, nil
}

func readClaims(form url.Values) (central.Change, error) {
	c := central.Change{Act: central.ActExtendClaims, Game: game.Code(form.Get("jeu")), Reason: reasonOf(form)}
	for _, f := range []struct {
		name string
		day  *game.Day
	}{{"from", &c.From}, {"to", &c.To}, {"until", &c.Until}} {
		var err error
		if *f.day, err = game.ParseDay(form.Get(f.name)); err != nil {
			return c, &fieldError{http.StatusUnprocessableEntity, f.name, "proposals.fault.day", f.name}
		}
	}
	switch {
	case c.To < c.From:
		return c, &fieldError{http.StatusUnprocessableEntity, "to", "proposals.fault.to", nil}
	case c.Until <= c.To:
		return c, &fieldError{http.StatusUnprocessableEntity, "until", "proposals.fault.until", nil}
	case int64(c.Until)-int64(c.From) > central.UntilMax:
		return c, &fieldError{http.StatusUnprocessableEntity, "until", "proposals.fault.long", central.UntilMax}
	}
	return c, nil
}

// reasonOf is the reason that a form gives. A browser ends the lines of a field
// with two characters (HTML, form submission), which count as the one that was typed.
func reasonOf(form url.Values) string {
	return strings.ReplaceAll(form.Get("reason"), "\r\n", "\n")
}

// barred names the draws whose state does not allow an act, when that is why it was refused.
func barred(err error, act central.ChangeAct, numbers []int) error {
	moved := errors.Is(err, draw.ErrTransition) || errors.Is(err, draw.ErrClosed) || errors.Is(err, draw.ErrMove)
	if !moved || len(numbers) == 0 {
		return err
	}
	return &fieldError{http.StatusConflict, formDraws, "proposals.barred." + act.String(), join(numbers)}
}

// fieldOf is the field of a form that a refusal of the central system is about.
func fieldOf(code string) string {
	switch code {
	case "reason", "login":
		return code
	case "password", "same_password":
		return "new"
	case "draw", "transition", "draw_closed", "draw_move":
		return formDraws
	case "claims_over":
		return "from"
	case "unknown_game":
		return "game"
	case "secrets":
		return "count"
	case "amount", "amount_limit", "amount_positive", "owed":
		return "amount"
	case "day":
		return code
	case "unknown_outlet":
		return "outlet"
	case "message", "notice_text":
		return "fr"
	}
	return ""
}

// refuseProposal shows the page again with the reason, in the form that sent it.
func (o office) refuseProposal(w http.ResponseWriter, r *http.Request, p proposalsPage, form string, err error) error {
	p.Refusal.Form = form
	status, err := o.explain(r, &p.Refusal, err)
	if err != nil {
		return err
	}
	return face.Render(w, r, status, "proposals", p)
}

// explain fills in why a form was not done, and gives the status of the answer.
func (o office) explain(r *http.Request, into *refusal, err error) (status int, _ error) {
	if fault, ok := errors.AsType[*fieldError](err); ok {
		into.Field = fault.Field
		into.Sentence, err = face.T(page.LangOf(r), fault.ID, fault.Data)
		return fault.Status, err
	}
	why := o.app.Explain(r, err)
	into.Sentence, into.Field = why.Sentence, fieldOf(why.Code)
	return why.Status, nil
}

// later writes a span as people do: "30 min", "1 h 30 min", "31 jours".
func later(lang page.Lang, d time.Duration) (string, error) {
	const nbsp, day = "\u00a0", 24 * time.Hour
	id := "span.day"
	if d >= 2*day {
		id = "span.days"
	}
	days, err := face.T(lang, id)
	if err != nil {
		return "", err
	}
	var words []string
	for _, u := range []struct {
		size time.Duration
		name string
	}{{day, days}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if n := d / u.size; n > 0 {
			words = append(words, fmt.Sprint(int64(n))+nbsp+u.name)
			d -= n * u.size
		}
	}
	return strings.Join(words, nbsp), nil
}
