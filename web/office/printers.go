package office

import (
	"net/http"
	"strings"

	"tirage/central"
	"tirage/party"
	"tirage/web/page"
)

// printerLine is a terminal of the outlet that is open, and its printer.
type printerLine struct {
	Terminal string // id
	N        int    // from 1, among the outlet's
	Address  string // as typed, or as it stands; "": none
	Auto     bool
	Fault    bool   // the refusal is about it
	Key      string // of the command that its form sends

	Withdrawn bool
	Steps     []terminalStep // its changes, the newest first
	ChangeKey string         // of the command that changes it
	Reason    string         // as typed
	Odd       bool           // the refusal is about the reason
}

// printers lists the terminals of an outlet with their printers.
func (o office) printers(r *http.Request, outlet string) ([]printerLine, error) {
	logins, err := o.app.Sys.Logins(r.Context())
	if err != nil {
		return nil, err
	}
	var list []printerLine
	for i, t := range o.app.Sys.Terminals(outlet) {
		printer, err := o.app.Sys.Printer(r.Context(), t.ID)
		if err != nil {
			return nil, err
		}
		line := printerLine{Terminal: t.ID, N: i + 1, Auto: printer.Auto, Key: page.NewKey(), Withdrawn: t.Withdrawn, ChangeKey: page.NewKey()}
		if printer.Address.IsValid() {
			line.Address = printer.Address.String()
		}
		steps, err := o.app.Sys.TerminalSteps(r.Context(), t.ID)
		if err != nil {
			return nil, err
		}
		for _, s := range steps {
			if s.Reason != "" {
				line.Steps = append(line.Steps, terminalStep{s, logins[s.By]})
			}
		}
		list = append(list, line)
	}
	return list, nil
}

// setPrinter gives a terminal of the outlet a printer, in a network in which
// printers may stand, or takes it away.
func (o office) setPrinter(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	return o.act(w, r, "imprimante", func(outlet party.Outlet) error {
		form := r.PostForm
		terminal, at, err := o.app.Sys.Terminal(form.Get("terminal"))
		if err != nil {
			return err
		}
		if at.ID != outlet.ID {
			return party.ErrUnknownTerminal
		}
		var printer party.Printer
		if strings.TrimSpace(form.Get("printer")) != "" {
			if printer.Address, err = party.ParsePrinter(form.Get("printer")); err != nil {
				return err
			}
			if err := o.app.AllowPrinter(printer.Address); err != nil {
				return err
			}
			printer.Auto = form.Get("auto") == "1"
		}
		return o.app.Sys.SetPrinter(r.Context(), central.SetPrinter{
			Key: form.Get("key"), Officer: officer.ID, Terminal: terminal.ID, Printer: printer,
		})
	})
}
