package web

import (
	"bytes"
	"context"
	"encoding/hex"
	"image"
	"image/jpeg"
	"image/png"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	goqr "github.com/piglig/go-qr"

	"tirage/central"
	"tirage/money"
	"tirage/paper"
	"tirage/party"
	"tirage/settle"
	"tirage/wager"
	"tirage/web/page"
)

// inPortal is a ticket sold now, over so many draws.
func (s *shop) inPortal(key string, draws int) wager.Ticket {
	s.t.Helper()
	x, err := s.sys.Place(context.Background(), central.Place{
		Key: key, Terminal: s.terminal.ID, Slip: wager.Slip{Game: "ile-au-tresor", Boards: []wager.Board{{QuickPick: true}}, Stake: 200, Draws: draws},
	})
	check(s.t, err)
	return x
}

// at is the path of a ticket's address.
func at(x wager.Ticket) string {
	return strings.TrimPrefix(paper.TicketAddress("http://x", wager.Code(x.Number, x.Secret)), "http://x")
}

// F24, IAT-5.2: the QR code of a ticket leads to its answer and to the proof that its
// sale is in the journal: the hash at once, what was sold once the draws have closed.
// The address is told to nobody and kept nowhere.
func TestF24_TicketPage(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(100), "ile-au-tresor")
	x := s.inPortal("one", 2)
	b := s.browser()
	p := b.get(at(x))
	expect(t, p, http.StatusOK, "En attente", "2 tirages restent à certifier", "Ce reçu dans le journal public", "une fois clos tous leurs tirages", "4,00 €")
	for name, want := range map[string]string{"Referrer-Policy": "strict-origin", "Cache-Control": "no-store", "X-Robots-Tag": "noindex"} {
		if got := p.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for i, m := range x.Rules.Matrices {
		for _, e := range x.Plays[0].Picks[i] {
			if want := m.Elements[e-1].Name.FR; !strings.Contains(strings.ReplaceAll(p.body, "&#39;", "'"), want) {
				t.Errorf("the page does not say %s", want)
			}
		}
	}
	proof, err := s.sys.SaleProof(context.Background(), x.Number, x.Secret)
	check(t, err)
	leaf := `data-leaf="` + hex.EncodeToString(proof.Leaf[:]) + `"`
	if !strings.Contains(p.body, leaf) || !strings.Contains(p.body, `data-record=""`) {
		t.Error("before the close the page has another leaf, or the record")
	}
	s.pass(30 * time.Minute) // drawn at 12:00 and 12:05
	for range 10 {
		s.pass(5 * time.Minute)
	}
	p = b.get(strings.ToLower(at(x)))
	expect(t, p, http.StatusOK, "Ce reçu dans le journal public")
	proof, err = s.sys.SaleProof(context.Background(), x.Number, x.Secret)
	check(t, err)
	if !strings.Contains(p.body, leaf) || !strings.Contains(p.body, `data-record="`+hex.EncodeToString(proof.Record)+`"`) || len(proof.Record) == 0 {
		t.Error("after the close the page has another leaf, or not the record")
	}
	if p.body != b.get(at(x)).body {
		t.Error("asked for again the page is another")
	}
	english := b.do(http.MethodGet, at(x), "", http.Header{"Accept-Language": {"en"}})
	expect(t, english, http.StatusOK, "This ticket in the public journal")
}

// F24: a wrong number, a wrong secret and a record that is no sale are one answer;
// what is no code is refused; tries are limited together with those of the form.
func TestF24_TicketPageWrong(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(100), "ile-au-tresor")
	x := s.inPortal("one", 1)
	b := s.browser()
	code := regexp.MustCompile(`[0-9A-Z]{4}-?[0-9A-Z]{4}-?[0-9A-Z-]+|value="[^"]*"`)
	var first shown
	for i, id := range []wager.ID{x.Number, x.Number + 1, x.Number + 100_000, 0} {
		wrong := x
		wrong.Number, wrong.Secret = id, [8]byte{1, 2, 3}
		p := b.get(at(wrong))
		p.body = code.ReplaceAllString(p.body, "")
		if i == 0 {
			first = p
		}
		if p.status != http.StatusNotFound || p.body != first.body || p.header.Get("Referrer-Policy") != "strict-origin" {
			t.Errorf("ticket %d with a wrong secret is told apart from a wrong number", id)
		}
	}
	for path, want := range map[string]int{"/t/": 404, "/t/x": 422, "/t/" + strings.Repeat("0", 9999): 422, at(x) + "/x": 404, "/t/%3Cscript%3E": 422} {
		if p := b.get(path); p.status != want || strings.Contains(p.body, "<script>") {
			t.Errorf("%.40s: status %d, want %d", path, p.status, want)
		}
	}
	if p := b.post(at(x), nil); p.status != http.StatusMethodNotAllowed && p.status != http.StatusNotFound {
		t.Errorf("posted: %d", p.status)
	}
	for range 1000 { // a slow machine gives tries back meanwhile
		if p := b.get(at(x)); p.status == http.StatusTooManyRequests {
			expect(t, b.post("/verifier", map[string][]string{"code": {wager.Code(x.Number, x.Secret)}}), http.StatusTooManyRequests, "Trop d’essais")
			return
		}
	}
	t.Error("1,000 checks are all answered")
}

// F24: whatever goes wrong with a ticket's page, no log has its code.
func TestF24_TicketNotLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	app := page.New(nil, slog.New(slog.NewTextHandler(&log, nil)))
	for _, h := range []http.HandlerFunc{
		func(http.ResponseWriter, *http.Request) { panic("on purpose") },
		func(w http.ResponseWriter, r *http.Request) { app.Fail(w, r, nil, http.ErrNotSupported) },
	} {
		log.Reset()
		guard(app, h).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/t/015NM75XGQ706DBSQQGQ", nil))
		if !strings.Contains(log.String(), "path=/t/…") || strings.Contains(log.String(), "015N") {
			t.Errorf("logged: %s", log.String())
		}
	}
}

// photo sends a file to the form for photos.
func (b *browser) photo(file []byte) shown {
	b.t.Helper()
	return b.photoTo("/verifier/photo", file)
}

// photoTo sends a photo to an address.
func (b *browser) photoTo(path string, file []byte) shown {
	b.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	part, err := w.CreateFormFile("photo", "photo.jpg")
	check(b.t, err)
	_, err = part.Write(file)
	check(b.t, err)
	check(b.t, w.Close())
	return b.do(http.MethodPost, path, body.String(), http.Header{"Content-Type": {w.FormDataContentType()}})
}

func pngOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	check(t, png.Encode(&b, img))
	return b.Bytes()
}

// codeOf is a picture of a QR code.
func codeOf(t testing.TB, text string) []byte {
	t.Helper()
	qr, err := goqr.EncodeText(text, goqr.Medium)
	check(t, err)
	b, err := qr.ToPNGBytes(goqr.NewQrCodeImgConfig(6, 4))
	check(t, err)
	return b
}

// A photo of a ticket is checked like its code; what is on it instead, or wrong with it, is said.
func TestTicketPhoto(t *testing.T) {
	t.Parallel()
	s, tickets := newPortal(t)
	b := s.browser()
	won := s.standing(tickets, settle.Won)
	number, secret, err := wager.ParseCode(won)
	check(t, err)
	c, err := s.sys.Check(context.Background(), number, secret, page.ParisZone())
	check(t, err)
	printed := paper.Ticket{Ticket: c.Ticket, Outlet: 214, Zone: page.ParisZone(), Address: paper.TicketAddress("https://tirage.example", won)}
	expect(t, b.photo(pngOf(t, printed.Image())), http.StatusOK, "Gagnant", "Ce reçu dans le journal public")
	var small bytes.Buffer
	check(t, jpeg.Encode(&small, printed.Image(), &jpeg.Options{Quality: 60}))
	expect(t, b.photo(small.Bytes()), http.StatusOK, "Gagnant")
	printed.Training = true
	expect(t, b.photo(pngOf(t, printed.Image())), http.StatusUnprocessableEntity, "SPÉCIMEN : ce reçu n’a jamais été vendu")
	for _, x := range []struct {
		file   []byte
		status int
		says   string
	}{
		{codeOf(t, "TIRAGE2~amigo~x"), 422, "celui d’un bulletin"},
		{codeOf(t, "https://elsewhere.example/"), 422, "pas celui d’un reçu"},
		{codeOf(t, wager.Code(number, [8]byte{9})), 404, "Aucun reçu"},
		{pngOf(t, image.NewGray(image.Rect(0, 0, 300, 300))), 422, "Aucun code QR"},
		{[]byte("GIF89a"), 422, "JPEG ou PNG"},
		{nil, 422, "JPEG ou PNG"},
		{make([]byte, page.PictureMax), 413, "20 Mo"},
	} {
		p := b.photo(x.file)
		expect(t, p, x.status, x.says, "09 74 75 13 13", "Code du reçu")
	}
	expect(t, b.post("/verifier/photo", map[string][]string{"photo": {"x"}}), http.StatusBadRequest)
	expect(t, b.get("/verifier/photo"), http.StatusOK, "Code du reçu")
	expect(t, b.get("/specimen/UUUU"), http.StatusOK, "Spécimen", "sans valeur", "09 74 75 13 13")
}

// The portal says of a ticket what outlets say: where it is paid, above the sum
// that outlets pay too, and that its payment is stopped (F09).
func TestF09_PortalStoppedAndCentre(t *testing.T) {
	t.Parallel()
	s, tickets := newPortal(t)
	b := s.browser()
	won := s.standing(tickets, settle.Won)
	number, _, err := wager.ParseCode(won)
	check(t, err)
	ask := func() shown { return b.post("/verifier", map[string][]string{"code": {won}}) }
	expect(t, ask(), http.StatusOK, "Payable dans tout point de vente")
	low := bytes.Replace(party.TermsBook(), []byte(`payment_max: "500"`), []byte(`payment_max: "1"`), 1)
	_, err = s.sys.PublishTerms(context.Background(), central.PublishRules{Key: "terms", Officer: s.officer.ID, Book: low})
	check(t, err)
	expect(t, ask(), http.StatusOK, "Payable dans un centre de paiement")
	check(t, s.sys.StopTicket(context.Background(), central.StopTicket{Key: "stop", Officer: s.officer.ID, Ticket: number, Reason: "lost"}))
	p := ask()
	expect(t, p, http.StatusOK, "Gagnant", "Le paiement de ce reçu est arrêté")
	if strings.Contains(p.body, "Payable dans") {
		t.Error("a stopped ticket is said to be payable")
	}
}
