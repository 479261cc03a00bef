package web

import (
	"bytes"
	"context"
	"image/png"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"tirage/central"
	"tirage/money"
	"tirage/paper"
	"tirage/party"
)

// roll is a network printer on a listener of its own, and the jobs that it has printed.
type roll struct {
	at      netip.AddrPort
	arrived chan struct{} // a job has

	mu    sync.Mutex
	state byte          // what it says of its paper
	held  chan struct{} // until it is closed the printer does not say that it is done; nil: at once
	jobs  [][]byte
}

// newRoll is a printer with paper.
func newRoll(t testing.TB) *roll {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	check(t, err)
	t.Cleanup(func() { _ = l.Close() })
	p := &roll{at: netip.MustParseAddrPort(l.Addr().String()), arrived: make(chan struct{}, 100)}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.serve(c)
		}
	}()
	return p
}

func (p *roll) serve(c net.Conn) {
	defer func() { _ = c.Close() }()
	ask := []byte{0x1d, 'r', 1}
	var job []byte
	b := make([]byte, 4096)
	for {
		n, err := c.Read(b)
		if err != nil {
			return
		}
		job = append(job, b[:n]...)
		if bytes.Equal(job, []byte{0x10, 0x04, 4}) { // it had paper before the job
			job = nil
			if _, err := c.Write([]byte{0x12}); err != nil {
				return
			}
		}
		if !bytes.HasSuffix(job, ask) {
			continue
		}
		p.mu.Lock()
		p.jobs = append(p.jobs, bytes.TrimSuffix(job, ask))
		state, held := p.state, p.held
		p.mu.Unlock()
		p.arrived <- struct{}{}
		if held != nil {
			<-held
		}
		if _, err := c.Write([]byte{state}); err != nil {
			return
		}
	}
}

func (p *roll) say(state byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = state
}

// hold lets the printer work on its jobs until it is let go.
func (p *roll) hold() (let func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	held := make(chan struct{})
	p.held = held
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		close(held)
		p.held = nil
	}
}

// printed is the jobs so far.
func (p *roll) printed() [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.jobs
}

// printingShop is a shop whose terminal has a network printer.
func printingShop(t testing.TB, auto bool) (*shop, *roll) {
	t.Helper()
	s, p := newShop(t, money.Euros(1000)), newRoll(t)
	s.server.Close()
	s.server = httptest.NewServer(New(s.sys, Options{
		Logger: slog.New(slog.DiscardHandler), Printers: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, PrintTime: time.Minute, // a page looks meanwhile
	}))
	check(t, s.sys.SetPrinter(context.Background(), central.SetPrinter{
		Key: "printer", Officer: s.officer.ID, Terminal: s.terminal.ID, Printer: party.Printer{Address: p.at, Auto: auto},
	}))
	return s, p
}

// printForm is the first form of a page that prints a ticket.
func (p shown) printForm(how string) url.Values {
	v := p.form("/terminal/impression")
	if v != nil {
		v.Set("do", how)
	}
	return v
}

// reprints counts the reprints in the journal of the shop.
func (s *shop) copies(ticket central.Print) int {
	s.t.Helper()
	_, n, _, err := s.sys.Reprint(context.Background(), central.Reprint{Key: "count", Terminal: s.terminal.ID, Ticket: ticket.Ticket, Secret: ticket.Secret})
	check(s.t, err)
	return n - 1
}

// sellOne sells a ticket by the form of the desk, and returns the answer and the form.
func sellOne(t *testing.T, b *browser) (shown, url.Values) {
	t.Helper()
	form := join(b.get("/terminal").form("/terminal/vente"), marks(seven, 2, 400, 1), do("sell"))
	return b.post("/terminal/vente", form), form
}

// ended loads the desk again until no print is under way, as the page's script does.
func ended(b *browser) shown {
	b.t.Helper()
	for b.get("/terminal/impressions").body != "0" {
		if b.t.Context().Err() != nil {
			b.t.Fatal("a print has no end")
		}
	}
	return b.get("/terminal")
}

// The terminal prints each ticket as it is sold, once, however often the sale is asked for (F10).
func TestF10_AutoPrintOnce(t *testing.T) {
	t.Parallel()
	s, p := printingShop(t, true)
	b := s.signedOn()
	sold, form := sellOne(t, b)
	expect(t, sold, http.StatusOK, "Numéro séquentiel")
	expect(t, ended(b), http.StatusOK, "✓ Imprimé", "Réimprimer")
	for range 3 {
		again := b.post("/terminal/vente", form)
		expect(t, again, http.StatusOK, "Numéro séquentiel")
		if strings.Contains(again.text(), "pas imprimé") {
			t.Error("asked for again, the sale says that it was not printed")
		}
	}
	jobs := p.printed()
	if len(jobs) != 1 {
		t.Fatalf("%d jobs, want 1", len(jobs))
	}
	if n, owes := s.sold(); n != 1 || owes != 400 {
		t.Errorf("%d tickets, owes %v", n, owes)
	}
	code := ticketCode.FindStringSubmatch(sold.body)[1]
	checked := b.post("/terminal/controle", url.Values{"code": {code}})
	expect(t, checked, http.StatusOK, "Réimprimer", "Déjà imprimé")
	b.post("/terminal/impression", checked.printForm("printer"))
	expect(t, ended(b), http.StatusOK, "DUPLICATA 1 imprimé")
	if jobs := p.printed(); len(jobs) != 2 || bytes.Equal(jobs[0], jobs[1]) {
		t.Errorf("%d jobs, the reprint like the first: %t", len(jobs), len(jobs) == 2)
	}
}

// A printer that fails after the sale: the terminal says sold, not printed; what
// is printed then is marked, and no second ticket is sold; or it is cancelled.
func TestPrinterFailsAfterSale(t *testing.T) {
	t.Parallel()
	s, p := printingShop(t, true)
	p.say(0x0c)
	b := s.signedOn()
	_, form := sellOne(t, b)
	words := []string{"Vendu, pas imprimé : l’imprimante n’a plus de papier.", "Réimprimez (le reçu sera marqué DUPLICATA) ou annulez.", "Confirmer l’annulation"}
	sold := ended(b)
	expect(t, sold, http.StatusOK, words...)
	expect(t, b.post("/terminal/vente", form), http.StatusOK, words...) // no other ticket, and none printed twice
	expect(t, b.get("/terminal"), http.StatusOK, words...)
	if n, owes := s.sold(); n != 1 || owes != 400 {
		t.Fatalf("%d tickets, owes %v; want 1 and 4.00", n, owes)
	}
	p.say(0)
	reprint := sold.printForm("printer")
	for range 2 { // a double click
		expect(t, b.post("/terminal/impression", reprint), http.StatusOK)
		expect(t, ended(b), http.StatusOK, "DUPLICATA 1 imprimé")
	}
	if n := len(p.printed()); n != 2 {
		t.Errorf("%d jobs, want 2: the one that failed, and its reprint", n)
	}
	gone := b.post("/terminal/annulation", sold.form("/terminal/annulation"))
	expect(t, gone, http.StatusOK, "annulé : rendez")
	expect(t, b.post("/terminal/impression", reprint), http.StatusConflict, "annulé")
	if n, owes := s.sold(); n != 0 || owes != 0 {
		t.Errorf("%d tickets, owes %v after the cancellation", n, owes)
	}
}

// A sale is answered before its ticket is printed, in full and in brief, and tells then how
// that goes. What is sold meanwhile hides no ticket that is not printed.
func TestSaleWaitsForNoPrinter(t *testing.T) {
	t.Parallel()
	s, p := printingShop(t, true)
	b := s.signedOn()
	let := p.hold()
	p.say(0x0c)
	sold, form := sellOne(t, b)
	expect(t, sold, http.StatusOK, "Impression en cours", "Numéro séquentiel")
	if sold.form("/terminal/impression") != nil {
		t.Error("a ticket whose print is under way may be printed")
	}
	brief := b.do(http.MethodPost, "/terminal/vente", form.Encode(), http.Header{"Prefer": {"return=minimal"}})
	if brief.status != http.StatusOK || brief.body != "" {
		t.Errorf("in brief: status %d, %q", brief.status, brief.body)
	}
	first := ticketCode.FindStringSubmatch(sold.body)[1]
	<-p.arrived
	next, _ := sellOne(t, b)
	expect(t, next, http.StatusOK, "Impression en cours", "Vendus avant, pas imprimés")
	p.say(0)
	let()
	desk := ended(b)
	expect(t, desk, http.StatusOK, "✓ Imprimé", "Vendus avant, pas imprimés", "l’imprimante n’a plus de papier")
	if n := len(p.printed()); n != 2 {
		t.Errorf("%d jobs, want 2", n)
	}
	reprint := desk.printForm("printer")
	if reprint.Get("code") != first {
		t.Fatalf("the first to print is %s, want %s", reprint.Get("code"), first)
	}
	b.post("/terminal/impression", reprint)
	desk = ended(b)
	expect(t, desk, http.StatusOK, "✓ Imprimé")
	if strings.Contains(desk.text(), "plus de papier") || len(p.printed()) != 3 {
		t.Errorf("%d jobs, and the ticket waits to be printed", len(p.printed()))
	}
}

// A double click on the key that reprints prints one copy: at the desk that is at it, and by way of another node.
func TestReprintOnce(t *testing.T) {
	t.Parallel()
	s, p := printingShop(t, true)
	b := s.signedOn()
	sellOne(t, b)
	desk := ended(b)
	other := *b
	node := httptest.NewServer(New(s.sys, Options{Logger: slog.New(slog.DiscardHandler), Printers: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}))
	t.Cleanup(node.Close)
	other.server = node // the same cookies: a host, not a port, has them
	let := p.hold()
	reprint := desk.printForm("printer")
	for range 2 {
		expect(t, b.post("/terminal/impression", reprint), http.StatusOK, "Impression en cours")
	}
	expect(t, other.post("/terminal/impression", reprint), http.StatusOK)
	let()
	expect(t, ended(b), http.StatusOK, "DUPLICATA 1 imprimé")
	ended(&other)
	checked := other.post("/terminal/controle", url.Values{"code": reprint["code"]})
	expect(t, checked, http.StatusOK, "Envoyé à l’imprimante. Si rien n’est sorti, réimprimez.")
	if n := len(p.printed()); n != 2 {
		t.Errorf("%d jobs, want 2: the ticket, and one copy", n)
	}
}

// A ticket that is cancelled, at this desk or at another, waits no more to be printed.
func TestCancelledIsNotPrinted(t *testing.T) {
	t.Parallel()
	s, p := printingShop(t, true)
	b := s.signedOn()
	p.say(0x0c)
	sellOne(t, b)
	sellOne(t, b)
	desk := ended(b)
	expect(t, desk, http.StatusOK, "Vendus avant, pas imprimés")
	reprint := desk.printForm("printer")
	b.post("/terminal/annulation", desk.form("/terminal/annulation"))
	for range 2 {
		if desk = ended(b); strings.Contains(strings.Split(desk.text(), "Vendus avant")[1], reprint.Get("code")) {
			t.Error("a ticket that was cancelled waits to be printed")
		}
		expect(t, b.post("/terminal/impression", reprint), http.StatusConflict, "annulé")
	}
}

// Without a network printer the browser prints: the page has the picture that
// printers print, and the code stands in no address (F24). Each other way is a reprint.
func TestPrintByBrowser(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	b := s.signedOn()
	sold, _ := sellOne(t, b)
	expect(t, sold, http.StatusOK, "Imprimer")
	if strings.Contains(sold.text(), "Réimprimer") {
		t.Error("a ticket that nobody printed is said to be printed")
	}
	form := sold.printForm("page")
	first := b.post("/terminal/impression", form)
	expect(t, first, http.StatusOK, "Premier exemplaire")
	if policy := first.header.Get("Content-Security-Policy"); !strings.Contains(policy, "img-src 'self' data:") || strings.Contains(policy, "script-src 'self' data:") {
		t.Errorf("policy %q", policy)
	}
	if policy := b.get("/terminal").header.Get("Content-Security-Policy"); strings.Contains(policy, "data:") {
		t.Errorf("the policy of other pages: %q", policy)
	}
	if again := b.post("/terminal/impression", form); !strings.Contains(again.text(), "Premier exemplaire") || again.body != first.body {
		t.Error("loaded again, the page shows another copy")
	}
	form.Set("do", "pdf")
	for range 2 {
		file := b.post("/terminal/impression", form)
		if file.status != http.StatusOK || !strings.HasPrefix(file.body, "%PDF-") || !strings.Contains(file.header.Get("Content-Disposition"), "attachment") || file.header.Get("Cache-Control") != "no-store" {
			t.Errorf("PDF: status %d, %v", file.status, file.header)
		}
		if code := ticketCode.FindStringSubmatch(sold.body)[1]; strings.Contains(file.header.Get("Content-Disposition"), code[5:9]) {
			t.Errorf("the name of the file has the code: %s", file.header.Get("Content-Disposition"))
		}
	}
	form.Set("do", "png")
	file := b.post("/terminal/impression", form)
	picture, err := png.Decode(strings.NewReader(file.body))
	check(t, err)
	code, err := paper.ReadCode(picture)
	check(t, err)
	number, secret, err := paper.ParseTicketAddress(code)
	check(t, err)
	expect(t, b.post("/terminal/controle", url.Values{"code": {ticketCode.FindStringSubmatch(sold.body)[1]}}), http.StatusOK, "Réimprimer")
	if n := s.copies(central.Print{Ticket: number, Secret: secret}); n != 2 { // as PDF and as PNG
		t.Errorf("%d copies, want 2", n)
	}
}

// Whoever sold a ticket prints it, and nobody else; what cannot be read is refused.
func TestPrintRefused(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	b := s.signedOn()
	sold, _ := sellOne(t, b)
	ctx := context.Background()
	outlet, err := s.sys.PutOutlet(ctx, central.PutOutlet{Key: "other", Officer: s.officer.ID, Outlet: party.Outlet{Number: 7, Territory: "metropole", Zone: "Europe/Paris"}})
	check(t, err)
	_, device, err := s.sys.PutTerminal(ctx, central.PutTerminal{Key: "other terminal", Officer: s.officer.ID, Outlet: outlet.ID})
	check(t, err)
	other := s.browser()
	other.post("/terminal/connexion", url.Values{"device": {device}})
	code := ticketCode.FindStringSubmatch(sold.body)[1]
	if p := other.post("/terminal/controle", url.Values{"code": {code}}); p.form("/terminal/impression") != nil {
		t.Error("another outlet may print the ticket")
	}
	form := url.Values{"code": {code}, "command": {"c"}, "do": {"pdf"}}
	expect(t, other.post("/terminal/impression", form), http.StatusForbidden)
	form.Set("do", "fax")
	expect(t, b.post("/terminal/impression", form), http.StatusBadRequest)
	form.Set("do", "printer")
	form.Set("command", "")
	expect(t, b.post("/terminal/impression", url.Values{"code": {"1234"}, "command": {"c"}, "do": {"pdf"}}), http.StatusUnprocessableEntity)
	expect(t, b.get("/terminal/impression"), http.StatusOK, "Panier")
}
