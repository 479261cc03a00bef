package web

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"tirage/central"
	"tirage/money"
	"tirage/party"
)

// What the pages of accounts say is what was done: sales, cancellations and
// commission of the day and of the shift, on the page, as CSV and as PDF.
func TestDeskAccounts(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	s.agreed("500", "5000")
	b := s.signedOn()
	var last shown
	for range 3 {
		last, _ = sellOne(t, b)
	}
	expect(t, b.post("/terminal/annulation", last.form("/terminal/annulation")), http.StatusOK, "annulé")
	for _, path := range []string{"/terminal/comptes", "/terminal/comptes/service", "/terminal/comptes/semaine"} {
		expect(t, b.get(path), http.StatusOK, "12,00 € 3", "4,00 € 1", "−0,40 €", "7,60 €",
			"Dû à l’opérateur à présent 8,00 €, dont sera déduite la commission de 0,40 €, portée avec le relevé de la semaine : il restera 7,60 €")
	}
	if before := b.get("/terminal/comptes/2027-01-03").text(); strings.Contains(before, "sera déduite") {
		t.Error("an account of another day speaks of now")
	}
	expect(t, b.get("/terminal/comptes"), http.StatusOK, "Solde d’ouverture 0,00 €", "Solde de clôture, avant la commission de la semaine 8,00 €")
	expect(t, b.get("/terminal/comptes/2027-01-03"), http.StatusOK, "dimanche 3 janvier 2027", "Jour suivant")
	expect(t, b.get("/terminal/comptes/releves"), http.StatusOK, "Aucun relevé")
	if p := b.get("/terminal/comptes/2027-13-01"); p.status/100 != 4 {
		t.Errorf("a day that is none: status %d", p.status)
	}
	expect(t, b.get("/terminal/comptes/releve-1"), http.StatusNotFound)
	csv := b.get("/terminal/comptes/2027-01-04/compte.csv")
	if !strings.HasPrefix(csv.body, "outlet,first_day,last_day,item,game,amount,zone\n") || !strings.Contains(csv.body, "214,2027-01-04,2027-01-04,sold,L'Ile au Trésor,12.00,Europe/Paris\n") || !strings.Contains(csv.body, "214,2027-01-04,2027-01-04,due,,7.60,Europe/Paris\n") {
		t.Errorf("CSV: %s", csv.body)
	}
	for path, days := range map[string]string{"service": "214,2027-01-04,2027-01-04,due,", "semaine": "214,2027-01-04,2027-01-10,closing,"} {
		if csv := b.get("/terminal/comptes/" + path + "/compte.csv").body; !strings.Contains(csv, days) {
			t.Errorf("CSV of %s: %s", path, csv)
		}
	}
	for _, file := range []string{"a4.pdf", "80mm.pdf"} {
		if p := b.get("/terminal/comptes/service/" + file); p.status != http.StatusOK || !strings.HasPrefix(p.body, "%PDF-") {
			t.Errorf("%s: status %d", file, p.status)
		}
	}
	expect(t, b.get("/terminal/comptes/service/x.doc"), http.StatusNotFound)
	b.post("/terminal/deconnexion", nil)
	if fresh := s.signedOn().get("/terminal/comptes/service").text(); strings.Contains(fresh, "12,00 €") {
		t.Error("the next shift has what the one before sold")
	}
}

// The statement of a week is listed and shown to its outlet, and to no other.
func TestDeskStatement(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	s.agreed("500", "5000")
	sellOne(t, s.signedOn())
	s.clock.set(opening.AddDate(0, 0, 8))
	s.tick()
	s.tick()
	list, err := s.sys.Statements(context.Background(), s.outlet.ID, 10)
	check(t, err)
	if len(list) != 1 {
		t.Fatalf("%d statements, want 1", len(list))
	}
	b := s.signedOn()
	p := b.get("/terminal/comptes/releves")
	expect(t, p, http.StatusOK, "04/01/2027 – 10/01/2027", "3,80 €")
	_, rest, _ := strings.Cut(p.body, `class="row" href="`)
	path, _, _ := strings.Cut(rest, `"`)
	expect(t, b.get(path), http.StatusOK, "Solde de clôture 3,80 €", "−0,20 €")
	for _, file := range []string{"a4.pdf", "80mm.pdf"} {
		if p := b.get(path + "/" + file); p.status != http.StatusOK || p.header.Get("Content-Type") != "application/pdf" || !strings.HasPrefix(p.body, "%PDF-") {
			t.Errorf("%s: status %d, %s", file, p.status, p.header.Get("Content-Type"))
		}
	}
	s.sameStatement(list[0], b, path)
	other := s.neighbour()
	for _, file := range []string{"", "/a4.pdf", "/80mm.pdf", "/compte.csv"} {
		if p := b.get(path + file); p.status != http.StatusOK {
			t.Errorf("its outlet asks for %q: status %d", file, p.status)
		}
		p := other.get(path + file)
		if text := p.text(); p.status != http.StatusNotFound || strings.Contains(text, "3,80") || strings.Contains(text, "3.80") {
			t.Errorf("another outlet asks for %q: status %d\n%s", file, p.status, text)
		}
	}
	expect(t, other.get("/terminal/comptes/releves"), http.StatusOK, "Aucun relevé")
}

// sameStatement tells whether the terminal gives an outlet the statement that the
// office gives of it, to the byte and whatever the hour: with the outlet, the week and
// the zone, the commission by game, each amount with its sign, and made when its record was.
func (s *shop) sameStatement(st central.Statement, b *browser, path string) {
	s.t.Helper()
	office := s.browser()
	if p := office.post("/office/connexion", url.Values{"login": {"officer"}, "password": {"correct horse"}}); p.status != http.StatusOK {
		s.t.Fatalf("sign-on of the officer: status %d\n%s", p.status, p.text())
	}
	of := fmt.Sprint("/office/releves/", st.Record)
	for terminal, file := range map[string]string{"/a4.pdf": "/pdf", "/compte.csv": "/csv"} {
		mine, theirs := b.get(path+terminal), office.get(of+file)
		if mine.status != http.StatusOK || theirs.status != http.StatusOK || mine.body != theirs.body {
			s.t.Errorf("%s says %d bytes (status %d), the office %d (status %d)", terminal, len(mine.body), mine.status, len(theirs.body), theirs.status)
		}
	}
	for _, file := range []string{"/a4.pdf", "/80mm.pdf"} {
		before := b.get(path + file).body
		said := pdfText(s.t, before)
		for _, want := range []string{
			"Relevé", "Point de vente 214", "Semaine 04/01/2027 – 10/01/2027", "Fuseau horaire Europe/Paris", "Établi le 12/01/2027 à 11:30", "L'Ile au Trésor", "4,00 €", "−0,20 €", "Solde de clôture 3,80 €",
		} {
			if !strings.Contains(said, want) {
				s.t.Errorf("%s does not say %q:\n%s", file, want, said)
			}
		}
		if total := map[string]string{"/a4.pdf": "Total 4,00 € 0,00 € 0,00 € 0,00 € −0,20 €", "/80mm.pdf": "Total Ventes 4,00 €"}[file]; !strings.Contains(said, total) {
			s.t.Errorf("%s has no total %q:\n%s", file, total, said)
		}
		s.clock.set(s.clock.Now().Add(time.Minute))
		if again := b.get(path + file).body; again != before {
			s.t.Errorf("%s: other bytes a minute later", file)
		}
	}
	if csv := b.get(path + "/compte.csv").body; !strings.Contains(csv, "214,2027-01-04,2027-01-10,commission,ile-au-tresor,-0.20,Europe/Paris,"+fmt.Sprint(st.Record)) {
		s.t.Errorf("CSV: %s", csv)
	}
}

// pdfText is the text of a PDF, a space for each gap.
func pdfText(t testing.TB, file string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "pdftotext", "-layout", "-", "-")
	command.Stdin = strings.NewReader(file)
	text, err := command.Output()
	check(t, err)
	return strings.Join(strings.Fields(string(text)), " ")
}

// neighbour is a browser with a session of a terminal of another outlet.
func (s *shop) neighbour() *browser {
	s.t.Helper()
	ctx := context.Background()
	outlet, err := s.sys.PutOutlet(ctx, central.PutOutlet{Key: "neighbour", Officer: s.officer.ID, Outlet: party.Outlet{
		Number: 215, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: money.Euros(100),
	}})
	check(s.t, err)
	_, device, err := s.sys.PutTerminal(ctx, central.PutTerminal{Key: "neighbour terminal", Officer: s.officer.ID, Outlet: outlet.ID})
	check(s.t, err)
	b := s.browser()
	if p := b.post("/terminal/connexion", url.Values{"device": {device}}); p.path != "/terminal" {
		s.t.Fatalf("sign-on of the neighbour: at %s, status %d\n%s", p.path, p.status, p.text())
	}
	return b
}

// A message of the operator is counted on the desk until it was read.
func TestDeskNotices(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	b := s.signedOn()
	_, err := s.sys.SetNotice(context.Background(), central.SetNotice{Key: "n", Officer: s.officer.ID, FR: "Fermeture à midi.", EN: "Closed at noon.", Until: opening.Add(time.Hour)})
	check(t, err)
	if p := b.get("/terminal"); !strings.Contains(p.text(), "Messages 1 F6") {
		t.Errorf("the desk does not tell of the message: %s", p.text())
	}
	expect(t, b.get("/terminal/messages"), http.StatusOK, "Nouveau", "Fermeture à midi.")
	expect(t, b.get("/terminal/messages?lang=en"), http.StatusOK, "Closed at noon.")
	if p := b.get("/terminal"); strings.Contains(p.text(), "Messages 1") {
		t.Error("the message is new although it was read")
	}
	s.pass(2 * time.Hour)
	expect(t, b.get("/terminal/messages?lang=fr"), http.StatusOK, "Aucun message.")
}

var anyLink = regexp.MustCompile(`href="(/terminal[^"]*)"`)

// Whatever page is gone to, and from it to another one, the slip, the basket and
// the game are there again at the desk. Files alone take nothing along.
func TestPagesKeepTheDesk(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(1000), "ile-au-tresor", "amigo")
	s.agreed("500", "5000")
	s.signedOn().sells()
	s.clock.set(opening.AddDate(0, 0, 8))
	s.tick()
	s.tick()
	b := s.signedOn()
	basket := b.post("/terminal/vente", join(b.get("/terminal?jeu=ile-au-tresor").form("/terminal/vente"), marks(seven, 3, 200, 1), do("add")))
	state := basket.query
	state.Set("jeu", "amigo")
	state.Add("numbers", "5")
	seen, statements := map[string]bool{}, 0
	for queue := []string{"/terminal?" + state.Encode()}; len(queue) > 0; queue = queue[1:] {
		p := b.get(queue[0])
		if p.status != http.StatusOK {
			t.Errorf("%s: status %d", queue[0], p.status)
		}
		for _, m := range anyLink.FindAllStringSubmatch(p.body, -1) {
			to, err := url.Parse(html.UnescapeString(m[1]))
			check(t, err)
			if seen[to.Path] || strings.HasSuffix(to.Path, ".pdf") || strings.HasSuffix(to.Path, ".csv") {
				continue
			}
			seen[to.Path] = true
			if !strings.HasPrefix(to.Path, "/terminal/comptes/20") { // a day leads to the one before, without an end
				queue = append(queue, to.String())
			}
			if strings.Contains(to.Path, "/releve-") {
				statements++
			}
			if to.Path == "/terminal" && p.path == "/terminal" { // the other game
				continue
			}
			if got := to.Query(); got.Get("slip") != state.Get("slip") || got.Get("numbers") != "5" || got.Get("jeu") != "amigo" {
				t.Errorf("%s leads to %s", p.path, to)
			}
		}
	}
	if statements == 0 {
		t.Error("no statement was opened")
	}
}

// A message that an officer takes back is on no terminal any more.
func TestDeskNotices_TakenBack(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	b := s.signedOn()
	n, err := s.sys.SetNotice(context.Background(), central.SetNotice{Key: "n", Officer: s.officer.ID, FR: "Fermeture à midi.", EN: "Closed at noon.", Until: opening.Add(time.Hour)})
	check(t, err)
	expect(t, b.get("/terminal"), http.StatusOK, "Messages 1 F6")
	check(t, s.sys.RetractNotice(context.Background(), central.RetractNotice{Key: "r", Officer: s.officer.ID, Notice: n.Record}))
	if p := b.get("/terminal"); strings.Contains(p.text(), "Messages 1") {
		t.Error("the desk tells of a message that was taken back")
	}
	expect(t, b.get("/terminal/messages"), http.StatusOK, "Aucun message.")
}
