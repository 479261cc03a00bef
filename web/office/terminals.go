package office

import (
	"net/http"
	"net/url"

	"tirage/central"
	"tirage/party"
	"tirage/web/page"
)

// terminalStep is a new key of a terminal, or its withdrawal.
type terminalStep struct {
	central.TerminalStep
	Who string // login
}

// renewTerminal gives a terminal of the outlet a new key and shows it, this once.
func (o office) renewTerminal(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	return o.changeTerminal(w, r, officer, func(c central.ChangeTerminal) (err error) {
		_, key, err := o.app.Sys.RenewTerminal(r.Context(), c)
		if err != nil {
			return err
		}
		p, err := o.outlets(r, r.PostForm.Get("number"))
		if err != nil {
			return err
		}
		p.Device = key
		return p.render(w, r, http.StatusOK)
	})
}

// withdrawTerminal withdraws a terminal of the outlet for good.
func (o office) withdrawTerminal(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	return o.changeTerminal(w, r, officer, func(c central.ChangeTerminal) error {
		if _, err := o.app.Sys.WithdrawTerminal(r.Context(), c); err != nil {
			return err
		}
		http.Redirect(w, r, pathOutlets+"?"+url.Values{"numero": {r.PostForm.Get("number")}, "fait": {"retrait"}}.Encode(), http.StatusSeeOther)
		return nil
	})
}

// changeTerminal changes the terminal that a form names, if it is of the form's outlet, or says why not.
func (o office) changeTerminal(w http.ResponseWriter, r *http.Request, officer party.Officer, change func(central.ChangeTerminal) error) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	form := r.PostForm
	p, err := o.outlets(r, form.Get("number"))
	if err != nil {
		return err
	}
	if p.Open == nil {
		return party.ErrUnknownOutlet
	}
	terminal, at, err := o.app.Sys.Terminal(form.Get("terminal"))
	if err == nil && at.ID != p.Open.ID {
		err = party.ErrUnknownTerminal
	}
	if err == nil {
		err = change(central.ChangeTerminal{Key: form.Get("key"), Officer: officer.ID, Terminal: terminal.ID, Reason: reasonOf(form)})
	}
	if err == nil {
		return nil
	}
	if p, pageErr := o.outlets(r, form.Get("number")); pageErr == nil { // as it stands now
		return o.refuse(w, r, p, err)
	}
	return err
}
