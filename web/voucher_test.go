package web

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"tirage/central"
	"tirage/party"
)

// bankingShop is a shop with a printer that sells vouchers.
func bankingShop(t testing.TB, auto bool) (*shop, *roll) {
	t.Helper()
	s, p := printingShop(t, auto)
	_, err := s.sys.PublishAccounts(context.Background(), central.PublishRules{Key: "accounts", Officer: s.officer.ID, Book: party.Book()})
	check(t, err)
	return s, p
}

// A voucher is printed as it is sold, once; printed again it is marked; and the last one is
// found again on its page until the terminal signs off.
func TestVoucherPrinted(t *testing.T) {
	t.Parallel()
	s, p := bankingShop(t, true)
	b := s.signedOn()
	form := b.get("/terminal/bon").form("/terminal/bon")
	form.Set("amount", "2000")
	let := p.hold()
	sold := b.post("/terminal/bon", form)
	expect(t, sold, http.StatusOK, "20,00 €", "Impression en cours")
	code := voucherCode.FindStringSubmatch(sold.body)[1]
	let()
	ended(b)
	expect(t, b.post("/terminal/bon", form), http.StatusOK, "✓ Imprimé", code)
	if n := len(p.printed()); n != 1 {
		t.Fatalf("%d jobs, want 1", n)
	}
	last := b.get("/terminal/bon")
	expect(t, last, http.StatusOK, "Dernier bon vendu : 20,00 €, à 11:30", code)
	reprint := last.form("/terminal/bon/impression")
	for range 2 { // a double click
		b.post("/terminal/bon/impression", join(reprint, do("printer")))
	}
	ended(b)
	expect(t, b.get("/terminal/bon"), http.StatusOK, "DUPLICATA 1 imprimé")
	if jobs := p.printed(); len(jobs) != 2 || bytes.Equal(jobs[0], jobs[1]) {
		t.Errorf("%d jobs, the reprint like the first: %t", len(jobs), len(jobs) == 2)
	}
	expect(t, b.post("/terminal/bon/impression", join(reprint, do("fax"))), http.StatusBadRequest)
	expect(t, b.post("/terminal/bon/impression", join(do("pdf"), url.Values{"code": {"1234"}, "command": {"c"}})), http.StatusUnprocessableEntity)
	b.post("/terminal/deconnexion", nil)
	b.post("/terminal/connexion", url.Values{"device": {s.device}})
	if strings.Contains(b.get("/terminal/bon").body, code) {
		t.Error("who signs on next sees the voucher")
	}
}

// A voucher whose printer fails says so, beside the next one too; without a printer it is a page, a PDF or a picture.
func TestVoucherNotPrinted(t *testing.T) {
	t.Parallel()
	s, p := bankingShop(t, true)
	b := s.signedOn()
	sell := func() shown {
		form := b.get("/terminal/bon").form("/terminal/bon")
		form.Set("amount", "2000")
		return b.post("/terminal/bon", form)
	}
	p.say(0x0c)
	sell()
	ended(b)
	expect(t, b.get("/terminal/bon"), http.StatusOK, "l’imprimante n’a plus de papier", "Réimprimez (le bon sera marqué DUPLICATA).")
	p.say(0)
	sell()
	ended(b)
	desk := b.get("/terminal/bon")
	expect(t, desk, http.StatusOK, "Vendus avant, pas imprimés", "l’imprimante n’a plus de papier")
	form := desk.form("/terminal/bon/impression")
	expect(t, b.post("/terminal/bon/impression", join(form, do("page"))), http.StatusOK, "DUPLICATA 1 : ce n’est pas un second bon.")
	for how, begins := range map[string]string{"pdf": "%PDF-", "png": "\x89PNG"} {
		file := b.post("/terminal/bon/impression", join(form, do(how)))
		if file.status != http.StatusOK || !strings.HasPrefix(file.body, begins) || !strings.Contains(file.header.Get("Content-Disposition"), `"bon-`) {
			t.Errorf("%s: status %d, %v", how, file.status, file.header)
		}
	}
	if strings.Contains(b.get("/terminal/bon").text(), "pas imprimés") {
		t.Error("a voucher that was printed waits to be")
	}
	if strings.Contains(b.get("/terminal").text(), "pas imprimés") {
		t.Error("a voucher stands among the tickets")
	}
}

// A voucher at the printer, as the shopkeeper sees it: sold, printed by itself, found again, printed again.
func TestBrowserVoucher(t *testing.T) {
	t.Parallel()
	s, p := bankingShop(t, true)
	b := s.tab(1280, 800)
	b.signOn(s)
	b.open("/terminal/bon")
	p.say(0x0c)
	b.load(chromedp.Click(chromedp.CSS(".amounts button:nth-of-type(2)")))
	b.says(".printing .refusal", "Vendu, pas imprimé : l’imprimante n’a plus de papier.")
	b.whole()
	b.touchable()
	b.accessible("voucher not printed")
	b.picture("desk-voucher-not-printed")
	p.say(0)
	b.load(chromedp.KeyEvent("i", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.says(".printing .said", "DUPLICATA 1 imprimé")
	b.whole()
	b.picture("desk-voucher-reprinted")
	b.open("/terminal/bon")
	b.says(".lastvoucher", "Dernier bon vendu : 20,00 €")
	b.whole()
	b.touchable()
	b.accessible("last voucher")
	b.picture("desk-voucher-last")
	b.click(".lastvoucher summary")
	b.says(".lastvoucher .voucher", "20,00 €")
	b.picture("desk-voucher-last-open")
}

// F21: a voucher of training is printed with SPÉCIMEN and a code that nothing live takes; a live one is not printed there.
func TestF21_TrainingVoucherPrinted(t *testing.T) {
	t.Parallel()
	s := newSchool(t)
	live, err := s.sys.SellVoucher(context.Background(), central.SellVoucher{Key: "live", Terminal: s.terminal.ID, Amount: 2000})
	check(t, err)
	before := s.journal()
	b := s.trains()
	form := b.get("/terminal/bon").form("/terminal/bon")
	form.Set("amount", "2000")
	sold := b.post("/terminal/bon", form)
	expect(t, sold, http.StatusOK, "SPÉCIMEN", "UUUU-")
	reprint := sold.form("/terminal/bon/impression")
	file := b.post("/terminal/bon/impression", join(reprint, do("pdf")))
	words := exec.CommandContext(t.Context(), "pdftotext", "-", "-")
	words.Stdin = strings.NewReader(file.body)
	said, err := words.Output()
	check(t, err)
	if !strings.Contains(string(said), "SPÉCIMEN") || !strings.Contains(string(said), "UUUU-") || strings.Contains(string(said), "DUPLICATA") {
		t.Errorf("a voucher printed in training says\n%s", said)
	}
	expect(t, b.post("/terminal/bon/impression", join(reprint, do("page"))), http.StatusOK, "DUPLICATA 1 :")
	reprint.Set("code", live.Code())
	if p := b.post("/terminal/bon/impression", join(reprint, do("pdf"))); p.status < 400 || strings.HasPrefix(p.body, "%PDF") {
		t.Errorf("a live voucher is printed in training: status %d", p.status)
	}
	if after := s.journal(); after != before {
		t.Error("the live journal has changed")
	}
}
