package terminal

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"image/png"
	"net/http"
	"slices"
	"strings"

	"tirage/central"
	"tirage/paper"
	"tirage/party"
	"tirage/wager"
	"tirage/web/page"
)

// printing is what became of the last print of a ticket that lies on the counter.
type printing struct {
	ticket  wager.ID
	key     string // of the command
	copy    int    // 0: the first print; n: the n-th reprint
	trouble string // a sentence; "": none
	unknown bool   // sent, perhaps by another node, or to a printer that says nothing: how it ended is not known here
}

// Marked tells whether what was printed is marked a duplicate.
func (p printing) Marked() bool { return p.copy > 0 }

// Copy is which reprint it was.
func (p printing) Copy() int { return p.copy }

// Trouble is what went wrong: a sentence; "": nothing did.
func (p printing) Trouble() string { return p.trouble }

// Unknown tells that the print was sent, and how it ended is not known.
func (p printing) Unknown() bool { return p.unknown }

// The ways to print a ticket. Each has a command of its own: what was printed in
// one way is printed in another as a reprint.
const (
	byPrinter = "printer"
	byPage    = "page" // by the browser
	byPDF     = "pdf"
	byPNG     = "png"
)

// print prints a ticket: the first time as it is, and then as a marked reprint.
func (t *terminal) print(w http.ResponseWriter, r *http.Request, s seat) error {
	d, number, secret, key, err := ticketForm(r, s)
	if err != nil {
		return err
	}
	how := r.PostForm.Get("do")
	if !slices.Contains([]string{byPrinter, byPage, byPDF, byPNG}, how) {
		return fmt.Errorf("%w: print by %.20q", page.ErrForm, how)
	}
	if err := t.app.Checks.Allow("terminal/" + s.terminal.ID); err != nil {
		return t.refuseTicket(w, r, s, d, err)
	}
	// A reprint that is asked for again has its answer whatever came since: a ticket that was cancelled is not printed.
	if answer, err := t.app.Sys.CheckAt(r.Context(), number, secret, s.place()); err != nil || !answer.CancelledAt.IsZero() {
		return t.refuseTicket(w, r, s, d, cmp.Or(err, central.ErrCancelled))
	}
	p := printing{ticket: number, key: key + "/" + how}
	x, err := t.toPrint(r.Context(), s, &p, secret)
	if err != nil {
		return t.refuseTicket(w, r, s, d, err)
	}
	switch how {
	case byPDF:
		return download(w, x, "application/pdf", "pdf", x.PDF)
	case byPNG:
		return download(w, x, "image/png", "png", func() ([]byte, error) { return pngOf(x) })
	case byPage:
		t.counters.note(s.terminal.ID, p)
		return t.paperPage(w, r, d, x)
	}
	printer, err := t.app.Sys.Printer(r.Context(), s.terminal.ID)
	if err != nil {
		return err
	}
	if before, ok := t.counters.get(s.terminal.ID).printing(number); ok && before.key == p.key && !before.unknown {
		p = before // a double click
	} else if !p.unknown || p.copy > 0 {
		p.trouble, p.unknown = t.send(r.Context(), printer, []paper.Ticket{x})
	}
	t.counters.note(s.terminal.ID, p)
	return t.render(w, r, s, http.StatusOK, d, remarks{})
}

// toPrint is a ticket as it is to be printed now, and says of p which copy it is.
func (t *terminal) toPrint(ctx context.Context, s seat, p *printing, secret [8]byte) (paper.Ticket, error) {
	ticket, again, err := t.app.Sys.Print(ctx, central.Print{Key: p.key, Terminal: s.terminal.ID, Ticket: p.ticket, Secret: secret})
	p.unknown = again
	if errors.Is(err, central.ErrPrinted) {
		ticket, p.copy, err = t.app.Sys.Reprint(ctx, central.Reprint{Key: p.key, Terminal: s.terminal.ID, Ticket: p.ticket, Secret: secret})
	}
	if err != nil {
		return paper.Ticket{}, err
	}
	return t.paperOf(s, ticket, p.copy), nil
}

func (t *terminal) paperOf(s seat, ticket wager.Ticket, n int) paper.Ticket {
	return paper.Ticket{
		Ticket: ticket, Outlet: s.outlet.Number, Zone: s.zone, Copy: n, PrintedAt: t.app.Sys.Now(),
		Training: t.training,
		Address:  paper.TicketAddress(t.app.Sys.Site(), s.code(ticket.Number, ticket.Secret)),
	}
}

// autoPrint prints what was just sold, if the terminal is set so. keys are those
// of the sales: a sale asked for again has been printed. It goes on when the
// shopkeeper's browser has gone, for the sale is made.
func (t *terminal) autoPrint(r *http.Request, s seat, keys []string, sold []wager.Ticket) []printing {
	ctx := context.WithoutCancel(r.Context())
	printer, err := t.app.Sys.Printer(ctx, s.terminal.ID)
	if err != nil {
		t.app.Logger.Error("printer of a terminal", "terminal", s.terminal.ID, "err", err)
		return nil
	}
	if !printer.Auto || len(sold) == 0 {
		return nil
	}
	before := t.counters.get(s.terminal.ID)
	var list []printing
	var jobs []paper.Ticket
	var fresh []int // of list, those sent now
	for i, ticket := range sold {
		p := printing{ticket: ticket.Number, key: keys[i]}
		_, again, err := t.app.Sys.Print(ctx, central.Print{Key: p.key, Terminal: s.terminal.ID, Ticket: ticket.Number, Secret: ticket.Secret})
		known, ok := before.printing(ticket.Number)
		switch {
		case ok && (again || err != nil):
			p = known
		case again || errors.Is(err, central.ErrPrinted):
			p.unknown = true
		case err != nil:
			p.trouble = troubleOf(err)
		default:
			fresh, jobs = append(fresh, len(list)), append(jobs, t.paperOf(s, ticket, 0))
		}
		list = append(list, p)
	}
	if len(jobs) > 0 {
		trouble, unknown := t.send(ctx, printer, jobs)
		for _, i := range fresh {
			list[i].trouble, list[i].unknown = trouble, unknown
		}
	}
	return list
}

// send sends tickets to the terminal's printer as one job, and returns what went
// wrong, as a sentence, or that the printer does not say.
func (t *terminal) send(ctx context.Context, printer party.Printer, tickets []paper.Ticket) (trouble string, unknown bool) {
	if !printer.Address.IsValid() {
		return "print.none", false
	}
	var job []byte
	for _, x := range tickets {
		job = append(job, x.ESCPOS()...)
	}
	err := t.printers.print(context.WithoutCancel(ctx), printer.Address, job, len(tickets))
	switch {
	case err == nil:
		return "", false
	case errors.Is(err, errMute):
		return "", true
	}
	t.app.Logger.Warn("not printed", "printer", printer.Address, "err", err)
	return troubleOf(err), false
}

// troubleOf is the sentence that says why a ticket was not printed.
func troubleOf(err error) string {
	switch {
	case errors.Is(err, errPaper):
		return "print.paper"
	case errors.Is(err, page.ErrPrinterNetwork):
		return "print.network"
	case errors.Is(err, errPrinter):
		return "print.silent"
	}
	return "print.fault"
}

// download answers with a ticket as a file. Its name has the number, not the secret.
func download(w http.ResponseWriter, x paper.Ticket, kind, extension string, file func() ([]byte, error)) error {
	b, err := file()
	if err != nil {
		return fmt.Errorf("ticket %d as %s: %w", x.Number, extension, err)
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="recu-%d.%s"`, x.Number, extension))
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(b) // the viewer may have gone
	return nil
}

func pngOf(x paper.Ticket) ([]byte, error) {
	var b bytes.Buffer
	err := png.Encode(&b, x.Image())
	return b.Bytes(), err
}

// paperPage is a ticket alone, to be printed by the browser.
type paperPage struct {
	page.Base
	Number  wager.ID
	Copy    int
	Picture template.URL
	Width   int // dots of the picture
	Height  int
	Back    string
}

// paperPage shows the ticket that the printers print, as a picture within the
// page: an address of it would have the code of the ticket (F24).
func (t *terminal) paperPage(w http.ResponseWriter, r *http.Request, d desk, x paper.Ticket) error {
	picture, err := pngOf(x)
	if err != nil {
		return err
	}
	size := x.Image().Bounds().Size()
	p := paperPage{
		Base: face.Base(r, "paper.title"), Number: x.Number, Copy: x.Copy, Back: d.address(), Width: size.X, Height: size.Y,
		Picture: template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(picture)), // #nosec G203 -- a picture of ours
	}
	p.Switch = d.address()
	h := w.Header()
	h.Set("Content-Security-Policy", strings.Replace(h.Get("Content-Security-Policy"), "img-src 'self'", "img-src 'self' data:", 1))
	return face.Render(w, r, http.StatusOK, "paper", p)
}

// prints is what the keys that print need to know.
type prints struct {
	outlet  string
	network bool // the terminal has a printer
	printed map[wager.ID]bool
}

// printsOf asks it for all that lies on the counter.
func (t *terminal) printsOf(r *http.Request, s seat, c counter) (prints, error) {
	p := prints{outlet: s.outlet.ID}
	var numbers []wager.ID
	for _, ticket := range c.sold {
		numbers = append(numbers, ticket.Number)
	}
	if c.checked != nil {
		numbers = append(numbers, c.checked.number)
	}
	if len(numbers) == 0 {
		return p, nil
	}
	printer, err := t.app.Sys.Printer(r.Context(), s.terminal.ID)
	if err != nil {
		return p, err
	}
	p.network = printer.Address.IsValid()
	p.printed, err = t.app.Sys.Prints(r.Context(), numbers)
	return p, err
}

// add says of a ticket how it may be printed.
func (p prints) add(x ticket, c counter) ticket {
	x.Prints, x.Network, x.Printed = x.Ticket.Outlet == p.outlet, p.network, p.printed[x.Number]
	x.Print, _ = c.printing(x.Number)
	return x
}
