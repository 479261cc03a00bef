package terminal

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"image"
	"image/png"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	"tirage/central"
	"tirage/paper"
	"tirage/party"
	"tirage/wager"
	"tirage/web/page"
)

// printing is what became of the last print of a ticket or deposit voucher.
type printing struct {
	Number   wager.ID // of the ticket or voucher
	Key      string   // of the command
	Copy     int      // 0: the first print; n: the n-th reprint, marked a duplicate
	UnderWay bool     // the printer has not said yet how it ended
	Trouble  string   // what went wrong: a sentence; "": nothing did
	Unknown  bool     // sent, perhaps by another node, or to a printer that says nothing: how it ended is not known here

	ticket  wager.Ticket
	voucher *central.Voucher // nil: of a ticket
}

// over tells whether nothing more is to be said of the print.
func (p printing) over() bool { return !p.UnderWay && p.Trouble == "" }

// A sheet is a ticket or a voucher as it is printed.
type sheet interface {
	Image() *image.Gray
	PDF() ([]byte, error)
	ESCPOS() []byte
}

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
	answer, err := t.app.Sys.CheckAt(r.Context(), number, secret, s.place())
	if err == nil && !answer.CancelledAt.IsZero() {
		t.counters.drop(s.terminal.ID, number)
		err = central.ErrCancelled
	}
	if err != nil {
		return t.refuseTicket(w, r, s, d, err)
	}
	p := printing{Number: number, Key: key + "/" + how, ticket: answer.Ticket}
	if how == byPrinter {
		if err := t.printBeside(r, s, p, func(p *printing) (sheet, error) { return t.toPrint(r.Context(), s, p, secret) }); err != nil {
			return t.refuseTicket(w, r, s, d, err)
		}
		return t.render(w, r, s, http.StatusOK, d, remarks{})
	}
	x, err := t.toPrint(r.Context(), s, &p, secret)
	if err != nil {
		return t.refuseTicket(w, r, s, d, err)
	}
	p.Unknown = false // it is on the screen
	t.counters.note(s.terminal.ID, p)
	return t.hand(w, r, x, how, paperPage{Base: face.Base(r, "paper.title"), Number: number, Copy: p.Copy, Back: d.address(), Name: "recu"})
}

// hand gives a sheet to the browser: as a file, or as a page to be printed.
func (t *terminal) hand(w http.ResponseWriter, r *http.Request, x sheet, how string, p paperPage) error {
	switch how {
	case byPDF:
		return download(w, p, "application/pdf", "pdf", x.PDF)
	case byPNG:
		return download(w, p, "image/png", "png", func() ([]byte, error) { return pngOf(x) })
	}
	return p.show(w, r, x)
}

// printBeside has the printer print a sheet, and does not wait until it has. A double
// click finds the print under way. draw makes the sheet, and says of the print which copy it is.
func (t *terminal) printBeside(r *http.Request, s seat, p printing, draw func(*printing) (sheet, error)) error {
	printer, err := t.app.Sys.Printer(r.Context(), s.terminal.ID)
	if err != nil {
		return err
	}
	before, begun := t.counters.begin(s.terminal.ID, p)
	if !begun {
		return nil
	}
	x, err := draw(&p)
	switch {
	case err != nil:
		before.Number, before.Key = p.Number, p.Key
		t.counters.end(s.terminal.ID, before)
	case p.Unknown:
		t.counters.end(s.terminal.ID, p)
	default:
		t.beside(r, s, []printing{p}, func(ctx context.Context) { t.send(ctx, s, printer, []printing{p}, []sheet{x}) })
	}
	return err
}

// beside does something with prints that are under way, and does not keep the request
// waiting for it. It goes on when the shopkeeper's browser has gone.
func (t *terminal) beside(r *http.Request, s seat, prints []printing, do func(context.Context)) {
	ctx := context.WithoutCancel(r.Context())
	go func() {
		defer func() {
			if v := recover(); v != nil { // as a request's: the others go on
				t.app.Logger.Error("print", "terminal", s.terminal.ID, "panic", v, "stack", string(debug.Stack()))
				for _, p := range prints {
					p.Trouble = "print.fault"
					t.counters.end(s.terminal.ID, p)
				}
			}
		}()
		do(ctx)
	}()
}

// toPrint is a ticket as it is to be printed now, and says of p which copy it is.
func (t *terminal) toPrint(ctx context.Context, s seat, p *printing, secret [8]byte) (paper.Ticket, error) {
	ticket, again, err := t.app.Sys.Print(ctx, central.Print{Key: p.Key, Terminal: s.terminal.ID, Ticket: p.Number, Secret: secret})
	p.Unknown = again
	if errors.Is(err, central.ErrPrinted) {
		ticket, p.Copy, p.Unknown, err = t.app.Sys.Reprint(ctx, central.Reprint{Key: p.Key, Terminal: s.terminal.ID, Ticket: p.Number, Secret: secret})
	}
	if err != nil {
		return paper.Ticket{}, err
	}
	return t.paperOf(s, ticket, p.Copy), nil
}

func (t *terminal) paperOf(s seat, ticket wager.Ticket, n int) paper.Ticket {
	return paper.Ticket{
		Ticket: ticket, Outlet: s.outlet.Number, Zone: s.zone, Copy: n, PrintedAt: t.app.Sys.Now(),
		Training: t.training,
		Address:  paper.TicketAddress(t.app.Sys.Site(), s.code(ticket.Number, ticket.Secret)),
	}
}

// autoPrint has what was just sold printed, if the terminal is set so, and does not wait for
// it. keys are those of the sales: a sale asked for again is printed no second time.
func (t *terminal) autoPrint(r *http.Request, s seat, keys []string, sold []wager.Ticket) {
	printer, err := t.app.Sys.Printer(r.Context(), s.terminal.ID)
	if err != nil { // the sale is made, whoever still listens
		t.app.Logger.Error("printer of a terminal", "terminal", s.terminal.ID, "err", err)
		return
	}
	if !printer.Auto {
		return
	}
	var list []printing
	for i, ticket := range sold {
		p := printing{Number: ticket.Number, Key: keys[i], ticket: ticket}
		if _, begun := t.counters.begin(s.terminal.ID, p); begun {
			list = append(list, p)
		}
	}
	if len(list) > 0 {
		t.beside(r, s, list, func(ctx context.Context) { t.printSold(ctx, s, printer, list) })
	}
}

// printSold prints tickets that were sold, those that no other node has sent.
func (t *terminal) printSold(ctx context.Context, s seat, printer party.Printer, list []printing) {
	var fresh []printing
	var jobs []sheet
	for _, p := range list {
		_, again, err := t.app.Sys.Print(ctx, central.Print{Key: p.Key, Terminal: s.terminal.ID, Ticket: p.Number, Secret: p.ticket.Secret})
		switch {
		case again || errors.Is(err, central.ErrPrinted):
			p.Unknown = true
		case err != nil:
			t.app.Logger.Warn("not printed", "terminal", s.terminal.ID, "ticket", p.Number, "err", err)
			p.Trouble = troubleOf(err)
		default:
			fresh, jobs = append(fresh, p), append(jobs, t.paperOf(s, p.ticket, 0))
			continue
		}
		t.counters.end(s.terminal.ID, p)
	}
	if len(jobs) > 0 {
		t.send(ctx, s, printer, fresh, jobs)
	}
}

// send sends sheets to the terminal's printer as one job, and notes how that ended.
func (t *terminal) send(ctx context.Context, s seat, printer party.Printer, list []printing, sheets []sheet) {
	trouble, unknown := t.sendJob(ctx, printer, sheets)
	for _, p := range list {
		p.Trouble, p.Unknown = trouble, unknown
		t.counters.end(s.terminal.ID, p)
	}
}

// sendJob returns what went wrong, as a sentence, or that the printer does not say.
func (t *terminal) sendJob(ctx context.Context, printer party.Printer, sheets []sheet) (trouble string, unknown bool) {
	if !printer.Address.IsValid() {
		return "print.none", false
	}
	var job []byte
	for _, x := range sheets {
		job = append(job, x.ESCPOS()...)
	}
	err := t.printers.print(ctx, printer.Address, job, len(sheets))
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

// download answers with a sheet as a file. Its name has the number, not the secret.
func download(w http.ResponseWriter, p paperPage, kind, extension string, file func() ([]byte, error)) error {
	b, err := file()
	if err != nil {
		return fmt.Errorf("%s %d as %s: %w", p.Name, p.Number, extension, err)
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s-%d.%s"`, p.Name, p.Number, extension))
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(b) // the viewer may have gone
	return nil
}

func pngOf(x sheet) ([]byte, error) {
	var b bytes.Buffer
	err := png.Encode(&b, x.Image())
	return b.Bytes(), err
}

// paperPage is a ticket or voucher alone, to be printed by the browser.
type paperPage struct {
	page.Base
	Name    string // "recu" or "bon"
	Number  wager.ID
	Copy    int
	Picture template.URL
	Width   int // dots of the picture
	Height  int
	Back    string
}

// show shows the sheet that the printers print, as a picture within the
// page: an address of it would have its code (F24).
func (p paperPage) show(w http.ResponseWriter, r *http.Request, x sheet) error {
	picture, err := pngOf(x)
	if err != nil {
		return err
	}
	size := x.Image().Bounds().Size()
	p.Width, p.Height, p.Switch = size.X, size.Y, p.Back
	p.Picture = template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(picture)) // #nosec G203 -- a picture of ours
	h := w.Header()
	h.Set("Content-Security-Policy", strings.Replace(h.Get("Content-Security-Policy"), "img-src 'self'", "img-src 'self' data:", 1))
	return face.Render(w, r, http.StatusOK, "paper", p)
}

// printsUnderWay says how many prints of the terminal are under way: its page asks so
// until they are over, and then for itself.
func (t *terminal) printsUnderWay(w http.ResponseWriter, _ *http.Request, s seat) error {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	_, err := fmt.Fprint(w, t.counters.get(s.terminal.ID).underWay())
	return err
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
	for _, x := range c.late() {
		numbers = append(numbers, x.Number)
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
