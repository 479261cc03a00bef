package web

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tirage/money"
	"tirage/wager"
)

var stripped = regexp.MustCompile(`(?s)<section class="strip.*?</section>`)

// strip is what the player reads.
func (p shown) strip() string {
	return strings.TrimSpace(spaces.ReplaceAllString(tag.ReplaceAllString(stripped.FindString(p.body), " "), " "))
}

// A code that is refused while slips wait in the basket leaves their total before
// the player: what was sold before was for somebody else.
func TestStripAfterARefusedCode(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	b := s.signedOn()
	p := b.post("/terminal/vente", join(b.get("/terminal").form("/terminal/vente"), marks(seven, 1, 200, 2), do("sell")))
	expect(t, p, http.StatusOK, "À payer 4,00 €")
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), marks(seven, 2, 1000, 1), do("add")))
	for _, text := range []string{"1234", "https://example.org/menu", strings.Replace(s.phone(island, time.Hour), "~400~3~", "~400~6~", 1)} {
		if got := b.read(p, text).strip(); !strings.Contains(got, "1 bulletin Total 10,00 €") || strings.Contains(got, "À payer") {
			t.Errorf("after %.9s the player reads %q", text, got)
		}
	}
}

// Clearing an empty desk takes the ticket under check off the counter, and tickets
// that are printed; one that is not printed stays, and the player reads of neither.
func TestClearedCounter(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	b := s.signedOn()
	ticket := s.sell(1)[0]
	p := b.read(b.get("/terminal"), wager.Code(ticket.Number, ticket.Secret))
	expect(t, p, http.StatusOK, "En attente")
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), marks(seven, 2, 200, 1), do("clear")))
	if got := p.strip(); !strings.HasPrefix(got, "Bonjour") || !strings.Contains(p.body, `class="answer`) {
		t.Errorf("once a slip is begun and cleared, the player reads %q", got)
	}
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), do("clear")))
	if got := p.strip(); !strings.HasPrefix(got, "Bonjour") || strings.Contains(p.body, `class="answer`) {
		t.Errorf("once an empty desk is cleared, the player reads %q and the ticket under check is there", got)
	}
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), marks(seven, 2, 200, 1), do("sell")))
	expect(t, p, http.StatusOK, "À payer 2,00 €")
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), do("clear")))
	if got := p.strip(); !strings.HasPrefix(got, "Bonjour") || len(codes(p)) == 0 {
		t.Errorf("a ticket that is not printed: the player reads %q, %d codes", got, len(codes(p)))
	}
	b.post("/terminal/impression", join(p.form("/terminal/impression"), do("png")))
	p = b.post("/terminal/vente", join(b.get("/terminal").form("/terminal/vente"), do("clear")))
	if n := len(codes(p)); n != 0 {
		t.Errorf("a ticket that is printed: %d codes are on the counter", n)
	}
}

// The first mark for the next player takes from the strip what the one before was told.
func TestBrowserStripOfTheNextPlayer(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	b := s.tab(1280, 800)
	b.signOn(s)
	b.sells(200, 1)
	b.says(".strip", "À payer")
	eval[bool](b, `document.getElementById("sale").dispatchEvent(new Event("change"))`) // as after a print
	b.says(".strip", "À payer")
	b.tick("places", 3)
	b.says(".strip", "Bonjour")
	b.picture("strip-next")
	b.load(chromedp.KeyEvent(kb.Escape))
	b.says(".strip", "Bonjour")
	b.open("/terminal?lang=en")
	b.says(".strip", "Hello")
}

// The key for printing goes to the first ticket that is not printed, then to the
// next: pressed once a ticket, it prints each once, and no duplicate.
func TestPrintKeyOfTheNextTicket(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	b := s.signedOn()
	p := b.get("/terminal")
	for pirate := range 3 {
		p = b.post("/terminal/vente", join(p.form("/terminal/vente"), marks(seven, pirate+1, 200, 1), do("add")))
	}
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), do("sell")))
	keyed := func(p shown) (ticket, keys int) {
		for i, box := range strings.Split(p.body, `<div id="print-`)[1:] {
			if strings.Contains(box, `data-key="Ctrl+I"`) {
				ticket, keys = i+1, keys+1
			}
		}
		return ticket, keys
	}
	for n := range 3 {
		if ticket, keys := keyed(p); ticket != n+1 || keys != 1 {
			t.Fatalf("with %d tickets printed the key is ticket %d's, of %d keys", n, ticket, keys)
		}
		box := strings.Split(p.body, `<div id="print-`)[n+1]
		b.post("/terminal/impression", join(shown{body: box}.form("/terminal/impression"), do("png")))
		p = b.get("/terminal")
	}
	if ticket, keys := keyed(p); keys != 0 {
		t.Errorf("with all printed the key makes a duplicate of ticket %d", ticket)
	}
}
