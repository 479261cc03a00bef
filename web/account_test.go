package web

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
)

const password = "un mot de passe"

// visitor is somebody who opens an account, in a browser without script.
type visitor struct {
	*browser
	c     *coast
	email string
	id    string // of the player, once he has signed on
}

// mail sends what waits in the outbox, and returns the messages.
func (c *coast) mail() (list []central.Message) {
	c.t.Helper()
	_, err := c.sys.SendMessages(context.Background(), func(_ context.Context, m central.Message) error {
		list = append(list, m)
		return nil
	})
	check(c.t, err)
	return list
}

// particulars are what a form of sign-up is filled in with.
func particulars(name string) url.Values {
	return url.Values{
		"firstname": {name}, "lastname": {"Martin"}, "birthday": {"1980-05-17"}, "birthplace": {"Nantes"},
		"email": {strings.ToLower(name) + "@exemple.test"}, "password": {password}, "deposits": {"200"}, "stakes": {"100"}, "terms": {"2010"},
	}
}

// visitor opens an account through the pages, and signs on.
func (c *coast) visitor(name string) *visitor {
	c.t.Helper()
	v := &visitor{browser: c.browser(), c: c, email: strings.ToLower(name) + "@exemple.test"}
	p := v.get("/inscription?lang=fr")
	p = v.post("/inscription", join(p.form("/inscription"), particulars(name)))
	if p.path != "/inscription/message" {
		c.t.Fatalf("sign-up: at %s: %s", p.path, p.text())
	}
	v.confirm()
	v.signOn("")
	return v
}

// confirm follows the link of the newest message.
func (v *visitor) confirm() {
	v.t.Helper()
	mail := v.c.mail()
	if len(mail) != 1 || mail[0].To != v.email {
		v.t.Fatalf("messages: %+v", mail)
	}
	p := v.get("/confirmation?jeton=" + jeton.FindStringSubmatch(mail[0].Body)[1])
	if p = v.post("/confirmation", join(p.form("/confirmation"), url.Values{"password": {password}})); p.path != "/connexion" || p.status != http.StatusOK {
		v.t.Fatalf("confirmation: at %s: %s", p.path, p.text())
	}
}

func (v *visitor) signOn(code string) {
	v.t.Helper()
	p := v.post("/connexion", url.Values{"email": {v.email}, "password": {password}, "code": {code}})
	if p.path != "/compte" || p.status != http.StatusOK {
		v.t.Fatalf("sign-on: at %s: %s", p.path, p.text())
	}
	list, err := v.c.sys.FindPlayers(context.Background(), v.email, 1)
	check(v.t, err)
	v.id = list[0].ID
}

// identify checks who the visitor is.
func (v *visitor) identify() {
	v.t.Helper()
	check(v.t, v.c.sys.CheckIdentity(context.Background(), central.CheckIdentity{Key: v.c.key(), Officer: v.c.officer.ID, Player: v.id, Confirmed: true, Reason: "carte vue"}))
}

// fill sends the form of a page with what was typed.
func (v *visitor) fill(path string, typed url.Values) shown {
	v.t.Helper()
	return v.post(path, join(v.get(path).form(path), typed))
}

func (v *visitor) balance(want money.Amount) {
	v.t.Helper()
	if got := v.c.sys.PlayerBalance(v.id); got != want {
		v.t.Errorf("balance %v, want %v", got, want)
	}
	if p := v.get("/compte"); !strings.Contains(p.text(), strings.ReplaceAll(page.French.Money(want), "\u00a0", " ")) {
		v.t.Errorf("the page does not show the balance %v: %s", want, p.text())
	}
}

// till opens an outlet with a terminal that sells vouchers.
func (c *coast) till() {
	c.t.Helper()
	ctx := context.Background()
	book, err := game.Book("ile-au-tresor")
	check(c.t, err)
	_, err = c.sys.PublishRules(ctx, central.PublishRules{Key: c.key(), Officer: c.officer.ID, Book: book}) // outlets open where a game is sold
	check(c.t, err)
	c.outlet, err = c.sys.PutOutlet(ctx, central.PutOutlet{Key: c.key(), Officer: c.officer.ID, Outlet: party.Outlet{
		Number: 214, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: money.Euros(1000),
	}})
	check(c.t, err)
	c.terminal, c.device, err = c.sys.PutTerminal(ctx, central.PutTerminal{Key: c.key(), Officer: c.officer.ID, Outlet: c.outlet.ID})
	check(c.t, err)
}

func (c *coast) voucher(amount money.Amount) string {
	c.t.Helper()
	v, err := c.sys.SellVoucher(context.Background(), central.SellVoucher{Key: c.key(), Terminal: c.terminal.ID, Amount: amount})
	check(c.t, err)
	return v.Code()
}

// INS-online: one account a person, adults only, rules accepted by version,
// limits chosen; the field that is wrong is named, and nothing is opened.
func TestINS_online_SignUpForm(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	b := c.browser()
	form := b.get("/inscription?lang=fr").form("/inscription")
	for _, x := range []struct {
		field, value, says string
		status             int
	}{
		{"firstname", "", "Prénom : manque", http.StatusUnprocessableEntity},
		{"lastname", "\u202e", "Nom : manque", http.StatusUnprocessableEntity},
		{"birthday", "", "Cette date n’est pas lisible", http.StatusUnprocessableEntity},
		{"birthday", "2015-01-01", "interdits aux moins de 18 ans", http.StatusForbidden},
		{"birthplace", "", "Lieu de naissance : manque", http.StatusUnprocessableEntity},
		{"email", "jeanne", "Adresse électronique : manque", http.StatusUnprocessableEntity},
		{"password", "court", "de 10 à 200 caractères", http.StatusUnprocessableEntity},
		{"terms", "", "Les règles en vigueur doivent", http.StatusConflict},
		{"terms", "1999", "Les règles en vigueur doivent", http.StatusConflict},
		{"deposits", "", "Ce montant n’est pas lisible", http.StatusUnprocessableEntity},
		{"stakes", "-5", "Ce montant n’est pas lisible", http.StatusUnprocessableEntity},
	} {
		typed := join(form, particulars("Jeanne"))
		typed.Set(x.field, x.value)
		p := b.post("/inscription", typed)
		expect(t, p, x.status, x.says)
		if !strings.Contains(p.body, `id="`+x.field+`-refusal"`) {
			t.Errorf("%s: the refusal does not stand beside it", x.field)
		}
		if strings.Contains(p.body, password) {
			t.Error("a page says the password")
		}
	}
	if mail := c.mail(); len(mail) != 0 {
		t.Errorf("messages after refusals: %+v", mail)
	}
}

// Enumeration: whoever asks whether an address has an account learns nothing
// from sign-up, sign-on and forgotten passwords. F10: a form sent again is one sign-up.
func TestAccountsNotEnumerable(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	c.visitor("Jeanne")
	answer := func(path string, typed url.Values) string {
		p := c.browser()
		s := p.post(path, join(p.get(path).form(path), typed))
		return fmt.Sprint(s.status, s.path, s.query, strings.ReplaceAll(s.text(), typed.Get("email"), ""))
	}
	for _, x := range []struct {
		name         string
		path         string
		known, other url.Values
	}{
		{"sign-up by address", "/inscription", particulars("Jeanne"), particulars("Pauline")},
		{"sign-up by person", "/inscription", join(url.Values{"email": {"autre@exemple.test"}}, without(particulars("Jeanne"), "email")), particulars("Louise")},
		{"sign-on", "/connexion", url.Values{"email": {"jeanne@exemple.test"}, "password": {"un autre mot"}}, url.Values{"email": {"personne@exemple.test"}, "password": {"un autre mot"}}},
		{"sign-on, not confirmed", "/connexion", url.Values{"email": {"pauline@exemple.test"}, "password": {password}}, url.Values{"email": {"personne@exemple.test"}, "password": {password}}},
		{"forgotten", "/mot-de-passe/oubli", url.Values{"email": {"jeanne@exemple.test"}}, url.Values{"email": {"personne@exemple.test"}}},
		{"forgotten, no address", "/mot-de-passe/oubli", url.Values{"email": {"jeanne@exemple.test"}}, url.Values{"email": {"?"}}},
	} {
		if known, other := answer(x.path, x.known), answer(x.path, x.other); known != other {
			t.Errorf("%s: of an account\n%s\nof none\n%s", x.name, known, other)
		}
	}
	for _, m := range c.mail() {
		if !strings.Contains(m.To, "jeanne@") && !strings.Contains(m.To, "pauline@") && !strings.Contains(m.To, "louise@") {
			t.Errorf("a message to %s, who has no account", m.To)
		}
	}
}

func without(v url.Values, name string) url.Values { v.Del(name); return v }

// The link of a sign-up's message opens nothing by itself: the page asks for the
// password of the sign-up, tells wrong ones from right ones only, and takes so many tries of a client.
func TestConfirmPage_Password(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	b := c.browser()
	b.post("/inscription?lang=fr", join(b.get("/inscription?lang=fr").form("/inscription"), particulars("Jeanne")))
	link := "/confirmation?jeton=" + jeton.FindStringSubmatch(c.mail()[0].Body)[1]
	victim := c.browser()
	page := victim.get(link + "&lang=fr")
	expect(t, page, http.StatusOK, "le mot de passe que vous avez choisi", "ce compte ne sera pas ouvert", "Mot de passe")
	form := page.form("/confirmation")
	statuses, began := map[int]int{}, time.Now()
	for statuses[http.StatusTooManyRequests] < 2 && statuses[http.StatusUnauthorized] < 100 {
		p := victim.post("/confirmation", join(form, url.Values{"password": {"le mien, pas le sien"}}))
		statuses[p.status]++
		if strings.Contains(p.body, "le mien") {
			t.Error("a page says the password")
		}
		if p.status == http.StatusUnauthorized && !strings.Contains(p.body, `id="password-refusal"`) {
			t.Error("the refusal does not stand beside the password")
		}
	}
	tenTries(t, statuses, began)
	if list, err := c.sys.FindPlayers(context.Background(), "jeanne@exemple.test", 1); err != nil || len(list) != 0 {
		t.Errorf("accounts %+v, %v", list, err)
	}
}

// tenTries shows that ten tries of a client were let through, and one more every six
// seconds that they took: the limit goes by the time of day.
func tenTries(t *testing.T, statuses map[int]int, began time.Time) {
	t.Helper()
	most := 10 + int(time.Since(began)/(6*time.Second))
	if n := statuses[http.StatusUnauthorized]; n < 10 || n > most || statuses[http.StatusTooManyRequests] == 0 || len(statuses) != 2 {
		t.Errorf("statuses %v, want %d wrong ones at most", statuses, most)
	}
}

// The page of a new password says what it ends, before and after; and it does.
func TestResetPage(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	v := c.visitor("Jeanne")
	b := c.browser()
	b.post("/mot-de-passe/oubli?lang=fr", url.Values{"email": {v.email}})
	link := "/mot-de-passe?jeton=" + jeton.FindStringSubmatch(c.mail()[0].Body)[1]
	expect(t, b.get(link+"&lang=en"), http.StatusOK, "all your sessions end, and all your passkeys are removed")
	p := b.get(link + "&lang=fr")
	expect(t, p, http.StatusOK, "toutes vos sessions se terminent, et toutes vos clés d’accès sont retirées")
	p = b.post("/mot-de-passe", join(p.form("/mot-de-passe"), url.Values{"password": {"une autre longue phrase"}}))
	expect(t, p, http.StatusOK, "toutes vos sessions sont terminées, et vos clés d’accès, si vous en aviez, sont retirées")
	if p := v.get("/compte"); p.path != "/connexion" {
		t.Errorf("a session goes on: at %s", p.path)
	}
}

// Brute force: the tries of a client are limited, and those at an address, from
// wherever they come: also of an address that nobody has.
func TestSignOnTriesLimited_Players(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	v := c.visitor("Jeanne")
	statuses, began := map[int]int{}, time.Now()
	for statuses[http.StatusTooManyRequests] < 4 && statuses[http.StatusUnauthorized] < 100 {
		p := c.browser().post("/connexion", url.Values{"email": {"x@exemple.test"}, "password": {"un autre mot"}})
		statuses[p.status]++
	}
	tenTries(t, statuses, began)
	for range 12 { // from elsewhere
		_, _ = c.sys.SignOnPlayer(context.Background(), v.email, "un autre mot", "")
	}
	if _, err := c.sys.SignOnPlayer(context.Background(), v.email, password, ""); err == nil {
		t.Error("the account is not locked")
	}
}

// Nobody floods somebody else's letter box through us; whose address it is, or whether anybody's, makes no difference.
func TestMessagesLimited(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	c.visitor("Jeanne")
	c.mail()
	for _, email := range []string{"jeanne@exemple.test", "personne@exemple.test"} {
		var statuses []int
		for i := range 4 {
			typed := []string{email, strings.ToUpper(email), " " + email}[i%3]
			statuses = append(statuses, c.browser().post("/mot-de-passe/oubli", url.Values{"email": {typed}}).status)
		}
		b := c.browser()
		form := join(b.get("/inscription").form("/inscription"), without(particulars("Pauline"), "email"), url.Values{"email": {email}})
		statuses = append(statuses, b.post("/inscription", form).status)
		if last := statuses[len(statuses)-1]; statuses[2] != http.StatusOK || last != http.StatusTooManyRequests {
			t.Errorf("%s: statuses %v", email, statuses)
		}
	}
	if got := len(c.mail()); got > 4 {
		t.Errorf("%d messages", got)
	}
}

// Fixation: a session planted before the sign-on is ended by it, and so are those
// of a password that was changed. A session of another kind opens nothing.
func TestPlayerSessions(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	v := c.visitor("Jeanne")
	ctx := context.Background()
	at, err := url.Parse(c.server.URL)
	check(t, err)
	b := c.browser()
	planted, err := c.sys.NewSession(ctx, page.PlayerSession, c.player, time.Hour)
	check(t, err)
	b.client.Jar.SetCookies(at, []*http.Cookie{{Name: "player", Value: planted, Path: "/"}})
	b.post("/connexion", url.Values{"email": {v.email}, "password": {password}})
	if _, _, err := c.sys.Session(ctx, planted); err == nil {
		t.Error("the planted session still holds")
	}
	if who := b.get("/compte?lang=fr"); !strings.Contains(who.text(), "Bonjour Jeanne") {
		t.Errorf("signed on as somebody else: %s", who.text())
	}
	officer := c.browser()
	token, err := c.sys.NewSession(ctx, page.OfficerSession, c.officer.ID, time.Hour)
	check(t, err)
	officer.client.Jar.SetCookies(at, []*http.Cookie{{Name: "player", Value: token, Path: "/"}})
	if p := officer.get("/compte"); p.path != "/connexion" {
		t.Errorf("an officer's session opens %s", p.path)
	}

	c.mail()
	expect(t, c.browser().post("/mot-de-passe/oubli", url.Values{"email": {v.email}}), http.StatusOK, "Si cette adresse a un compte")
	link := jeton.FindStringSubmatch(c.mail()[0].Body)[1]
	fresh := c.browser()
	form := fresh.get("/mot-de-passe?lang=fr&jeton=" + link).form("/mot-de-passe")
	expect(t, fresh.post("/mot-de-passe", join(form, url.Values{"password": {"court"}})), http.StatusUnprocessableEntity, "de 10 à 200")
	expect(t, fresh.post("/mot-de-passe", join(form, url.Values{"password": {"tout nouveau mot"}})), http.StatusOK, "Votre mot de passe est changé")
	expect(t, fresh.post("/mot-de-passe", join(form, url.Values{"password": {"encore un autre"}})), http.StatusGone, "a déjà servi")
	if p := v.get("/compte"); p.path != "/connexion" {
		t.Error("a session outlives the password")
	}
}

// The cookie of a session keeps to this host and path, and away from scripts and other sites; over TLS browsers see to it by its name.
func TestPlayerCookie(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	v := c.visitor("Jeanne")
	faces := New(c.sys, Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	for target, name := range map[string]string{"https://tirage.test/connexion": "__Host-player", "http://127.0.0.1/connexion": "player"} {
		r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, target, strings.NewReader(url.Values{"email": {v.email}, "password": {password}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.RemoteAddr = "127.0.0.1:5000"
		w := httptest.NewRecorder()
		faces.ServeHTTP(w, r)
		i := slices.IndexFunc(w.Result().Cookies(), func(k *http.Cookie) bool { return k.Name == name })
		if i < 0 {
			t.Errorf("%s: no cookie %s in %v", target, name, w.Header())
			continue
		}
		if k := w.Result().Cookies()[i]; !k.HttpOnly || k.SameSite != http.SameSiteStrictMode || k.Path != "/" || k.Domain != "" || k.Secure != (r.TLS != nil) {
			t.Errorf("%s: %+v", target, k)
		}
	}
}

// The key of a command is its player's: another who learns it does nothing with it but his own.
func TestKeysAreOnesOwn(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	jeanne, louise := c.visitor("Jeanne"), c.visitor("Louise")
	typed := url.Values{"means": {"demo"}, "key": {"one key"}, "amount": {"10"}}
	for _, v := range []*visitor{jeanne, louise, jeanne, louise} {
		expect(t, v.post("/compte/depot", typed), http.StatusOK, "sur votre compte")
	}
	jeanne.balance(money.Euros(10))
	louise.balance(money.Euros(10))
	typed.Set("amount", "20")
	expect(t, jeanne.post("/compte/depot", typed), http.StatusConflict, "Cette demande a déjà servi")
	jeanne.balance(money.Euros(10))
}

// A link of a message is followed by programs that look for harm: only its button acts.
func TestConfirmByButton(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	b := c.browser()
	b.post("/inscription", join(b.get("/inscription?lang=fr").form("/inscription"), particulars("Jeanne")))
	token := jeton.FindStringSubmatch(c.mail()[0].Body)[1]
	for range 3 {
		expect(t, b.get("/confirmation?jeton="+token), http.StatusOK, "Confirmer mon adresse")
	}
	expect(t, b.post("/confirmation", url.Values{"jeton": {"AAAA"}, "password": particulars("Jeanne")["password"]}), http.StatusGone, "Ce lien n’est pas valable")
	form := url.Values{"jeton": {token}, "password": particulars("Jeanne")["password"]}
	expect(t, b.post("/confirmation", form), http.StatusOK, "Votre adresse est confirmée")
	expect(t, b.post("/confirmation", form), http.StatusGone, "a déjà servi")
}

// F10, F11: a voucher is deposited once, however often its form is sent; limits
// and refusals stand beside the field; a key that served for something else is refused.
func TestF11_DepositForm(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	c.till()
	v := c.visitor("Jeanne")
	p := v.get("/compte/depot")
	expect(t, p, http.StatusOK, "Les bons s’ouvriront", "argent fictif")
	if p := v.post("/compte/depot", url.Values{"means": {"voucher"}, "key": {"k"}, "code": {c.voucher(money.Euros(20))}}); p.status != http.StatusForbidden {
		t.Errorf("an account that was not checked deposits a voucher: status %d", p.status)
	}
	v.identify()
	code := c.voucher(money.Euros(20))
	form := join(v.get("/compte/depot").form("/compte/depot"), url.Values{"code": {strings.ToLower(code)}})
	expect(t, v.post("/compte/depot", form), http.StatusOK, "Le versement est sur votre compte")
	expect(t, v.post("/compte/depot", form), http.StatusOK, "était déjà sur votre compte")
	v.balance(money.Euros(20))
	form.Set("code", c.voucher(money.Euros(50)))
	expect(t, v.post("/compte/depot", form), http.StatusConflict, "Cette demande a déjà servi")
	form.Set("code", code)
	form.Set("key", "another")
	p = v.post("/compte/depot", form)
	expect(t, p, http.StatusConflict, "Ce bon a déjà été utilisé")
	if !strings.Contains(p.body, `id="voucher-code-refusal"`) {
		t.Error("the refusal does not stand beside the code")
	}
	expect(t, v.post("/compte/depot", url.Values{"means": {"demo"}, "key": {"d"}, "amount": {"4,99"}}), http.StatusUnprocessableEntity, "5,00 € au moins")
	expect(t, v.post("/compte/depot", url.Values{"means": {"demo"}, "key": {"d"}, "amount": {"-100"}}), http.StatusUnprocessableEntity, "n’est pas lisible")
	expect(t, v.post("/compte/depot", url.Values{"means": {"demo"}, "key": {"d"}, "amount": {"500"}}), http.StatusConflict, "200,00 €")
	expect(t, v.post("/compte/depot", url.Values{"means": {"card/none"}, "key": {"d"}, "amount": {"10"}}), http.StatusBadRequest)
	v.balance(money.Euros(20))
}

// Mass assignment: what a form has beside its fields changes nothing.
func TestExtraFieldsChangeNothing(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	extra := url.Values{
		"player": {c.player}, "Player": {c.player}, "id": {c.player}, "confirmed": {"true"}, "Confirmed": {"true"}, "officer": {c.officer.ID},
		"balance": {"100000"}, "emailconfirmed": {"1"}, "closed": {"1"}, "Person.Email": {"x@exemple.test"}, "DepositLimit": {"0"}, "reason": {"x"}, "state": {"paid"},
	}
	v := &visitor{browser: c.browser(), c: c, email: "jeanne@exemple.test"}
	form := v.get("/inscription?lang=fr").form("/inscription")
	v.post("/inscription", join(form, particulars("Jeanne"), extra))
	if p := v.post("/connexion", url.Values{"email": {v.email}, "password": {password}}); p.status != http.StatusUnauthorized {
		t.Error("an address that was not confirmed signs on")
	}
	v.confirm()
	v.signOn("")
	other := c.sys.PlayerBalance(c.player)
	for _, x := range []struct {
		path  string
		typed url.Values
	}{
		{"/compte/depot", url.Values{"means": {"demo"}, "amount": {"10"}, "key": {"e"}}},
		{"/compte/limites", url.Values{"deposits": {"150"}, "stakes": {"100"}}},
		{"/compte/retrait", url.Values{"amount": {"5"}, "iban": {"FR7630006000011234567890189"}, "key": {"w"}}},
		{"/compte/cloture", url.Values{"sure": {"1"}, "iban": {"FR7630006000011234567890189"}, "key": {"c"}}},
	} {
		v.post(x.path, join(v.get(x.path).form(x.path), x.typed, extra))
	}
	view, err := c.sys.Player(context.Background(), v.id)
	check(t, err)
	if view.Confirmed || view.Closed || view.Balance != money.Euros(10) || view.Person.Email != v.email || view.Deposits.Max != money.Euros(150) {
		t.Errorf("got %+v", view)
	}
	if got := c.sys.PlayerBalance(c.player); got != other {
		t.Errorf("another player's balance is %v, was %v", got, other)
	}
}

// Another player's units, records and pages are not there for him; a page of the
// account without a session leads to the sign-on, and back.
func TestOthersRecordsNotFound(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	c.launch(1)
	v := c.visitor("Jeanne")
	u, err := c.sys.Play(context.Background(), central.PlayUnit{Key: c.key(), Player: c.player, Game: "cove", Price: 100})
	check(t, err)
	expect(t, v.get(fmt.Sprintf("/jeu/cove/unite/%d", u.Record)), http.StatusNotFound)
	p := v.get(fmt.Sprintf("/compte/historique?avant=%d", u.Record))
	if strings.Contains(p.text(), "Unité de jeu") || p.status != http.StatusOK {
		t.Errorf("status %d: %s", p.status, p.text())
	}
	expect(t, v.get("/compte/historique?avant=x"), http.StatusNotFound)
	b := c.browser()
	for _, path := range []string{"/compte", "/compte/depot", "/compte/retrait", "/compte/limites", "/compte/pause", "/compte/historique", "/compte/historique.csv", "/compte/securite", "/compte/donnees.json", "/compte/cloture"} {
		if p := b.get(path); p.path != "/connexion" || p.query.Get("suite") != path {
			t.Errorf("%s without a session: at %s?%s", path, p.path, p.query.Encode())
		}
		if p := b.post(path, url.Values{"key": {"k"}, "amount": {"5"}, "sure": {"1"}}); p.path != "/connexion" && p.status != http.StatusNotFound {
			t.Errorf("POST %s without a session: at %s, status %d", path, p.path, p.status)
		}
	}
}

// Every page of an account is the player's alone: no cache keeps it, and other
// sites send no form to it.
func TestAccountPagesPrivate(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	v := c.visitor("Jeanne")
	for _, path := range []string{
		"/compte", "/compte/depot", "/compte/retrait", "/compte/limites", "/compte/pause", "/compte/pause/confirmation?sorte=pause&heures=24", "/compte/historique",
		"/compte/historique.csv", "/compte/securite", "/compte/donnees.json", "/compte/cloture", "/inscription", "/inscription/message", "/connexion",
		"/mot-de-passe/oubli", "/mot-de-passe?jeton=x", "/confirmation?jeton=x", "/regles-des-comptes", "/regles-des-comptes/texte",
	} {
		p := v.get(path)
		if p.status != http.StatusOK || p.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: status %d, Cache-Control %q", path, p.status, p.header.Get("Cache-Control"))
		}
	}
	for _, path := range []string{
		"/inscription", "/confirmation", "/connexion", "/deconnexion", "/mot-de-passe", "/mot-de-passe/oubli", "/regles-des-comptes", "/compte/depot",
		"/compte/retrait", "/compte/limites", "/compte/pause/confirmation", "/compte/securite", "/compte/cloture",
	} {
		for _, header := range []http.Header{{"Sec-Fetch-Site": {"cross-site"}}, {"Origin": {"https://mal.example"}}} {
			form := url.Values{"key": {"x"}, "means": {"demo"}, "amount": {"10"}, "sorte": {"exclusion"}, "heures": {"24"}, "sure": {"1"}, "deposits": {"1"}, "stakes": {"1"}}
			expect(t, v.do(http.MethodPost, path, form.Encode(), header), http.StatusForbidden, "vient d’un autre site")
		}
	}
	view, err := c.sys.Player(context.Background(), v.id)
	check(t, err)
	if view.Closed || view.Balance != 0 || !view.ExcludedUntil.IsZero() || view.Deposits.Max != money.Euros(200) {
		t.Errorf("another site did something: %+v", view)
	}
	v.balance(0)
}

// Names are shown as they were typed, and are no markup.
func TestNamesAreNoMarkup(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	v := &visitor{browser: c.browser(), c: c, email: "jeanne@exemple.test"}
	typed := particulars("Jeanne")
	const name = `<img src=x onerror=alert(document.domain)>`
	typed.Set("firstname", name)
	typed.Set("birthplace", `"><script>alert(1)</script>`)
	v.post("/inscription", join(v.get("/inscription?lang=fr").form("/inscription"), typed))
	v.confirm()
	v.signOn("")
	v.identify()
	for _, path := range []string{"/compte", "/compte/securite", "/compte/cloture", "/compte/retrait", "/"} {
		p := v.get(path)
		if strings.Contains(p.body, "<img src=x") || strings.Contains(p.body, "<script>alert") {
			t.Errorf("%s: a name is markup", path)
		}
	}
	if p := v.get("/compte"); !strings.Contains(p.body, "&lt;img src=x onerror=alert(document.domain)&gt;") {
		t.Error("the name is not shown")
	}
}

// INS-online: limits lower at once and higher after 48 hours; what waits is said.
func TestINS_online_LimitsForm(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	v := c.visitor("Jeanne")
	expect(t, v.fill("/compte/limites", url.Values{"deposits": {"50"}, "stakes": {"100"}}), http.StatusOK, "Vos limites sont enregistrées", "0,00 € sur 50,00 €")
	p := v.fill("/compte/limites", url.Values{"deposits": {"80"}, "stakes": {"40"}})
	expect(t, p, http.StatusOK, "Passera à 80,00 € le 06/01/2027 à 11:30", "0,00 € sur 50,00 €", "0,00 € sur 40,00 €")
	expect(t, v.fill("/compte/limites", url.Values{"deposits": {"50"}, "stakes": {"40"}}), http.StatusUnprocessableEntity, "Aucune limite n’a été changée")
	expect(t, v.fill("/compte/limites", url.Values{"deposits": {"beaucoup"}, "stakes": {"40"}}), http.StatusUnprocessableEntity, "n’est pas lisible")
	// Changing the other limit leaves alone what waits to hold.
	expect(t, v.fill("/compte/limites", url.Values{"deposits": {"50"}, "stakes": {"30"}}), http.StatusOK, "Passera à 80,00 €")
	c.clock.set(c.clock.Now().Add(49 * time.Hour))
	v.browser = c.browser()
	v.signOn("")
	expect(t, v.get("/compte/limites"), http.StatusOK, "0,00 € sur 80,00 €")
}

// INS-online, F22: the step before says that nothing undoes it, and asks; then
// nothing is deposited, money can be withdrawn, and no message is sent.
func TestINS_online_ExclusionForm(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	v := c.visitor("Jeanne")
	expect(t, v.get("/compte/pause"), http.StatusOK, "12 mois (366 jours)", "09 74 75 13 13")
	sure := v.get("/compte/pause/confirmation?sorte=exclusion&heures=24")
	expect(t, sure, http.StatusOK, "ne peut être ni annulé ni écourté", "05/01/2027 à 11:30", "09 74 75 13 13")
	form := sure.form("/compte/pause/confirmation")
	expect(t, v.post("/compte/pause/confirmation", form), http.StatusUnprocessableEntity, "Cochez cette case")
	for _, hours := range []string{"1", "9000", "-5", "x", ""} {
		short := join(form, url.Values{"sure": {"1"}})
		short.Set("heures", hours)
		if p := v.post("/compte/pause/confirmation", short); p.status != http.StatusUnprocessableEntity && p.status != http.StatusBadRequest {
			t.Errorf("%q hours: status %d", hours, p.status)
		}
	}
	expect(t, v.post("/compte/pause/confirmation", join(form, url.Values{"sure": {"1"}})), http.StatusOK, "Votre exclusion a commencé", "ni mise ni versement")
	expect(t, v.get("/compte/depot"), http.StatusOK, "Vous avez demandé à ne pas jouer")
	expect(t, v.post("/compte/depot", url.Values{"means": {"demo"}, "key": {"d"}, "amount": {"10"}}), http.StatusForbidden)
	c.browser().post("/mot-de-passe/oubli", url.Values{"email": {v.email}})
	if mail := c.mail(); len(mail) != 0 {
		t.Errorf("messages to the excluded: %+v", mail)
	}
	v.balance(0)
}

// INS-online: changed rules are asked for at the next sign-on, before play and deposits.
func TestINS_online_TermsAtSignOn(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	v := c.visitor("Jeanne")
	book := strings.NewReplacer(`version: "2010"`, `version: "2027"`, "first_day: 2009-11-05", "first_day: 2027-01-04").Replace(string(party.Book()))
	_, err := c.sys.PublishAccounts(context.Background(), central.PublishRules{Key: c.key(), Officer: c.officer.ID, Book: []byte(book)})
	check(t, err)
	expect(t, v.get("/compte/depot"), http.StatusOK, "Les règles en vigueur doivent d’abord être acceptées")
	p := v.post("/connexion", url.Values{"email": {v.email}, "password": {password}})
	expect(t, p, http.StatusOK, "Version 2027", "Acceptez ces règles")
	if p.path != "/regles-des-comptes" {
		t.Errorf("at %s", p.path)
	}
	form := p.form("/regles-des-comptes")
	expect(t, v.post("/regles-des-comptes", join(form, url.Values{"terms": {"2010"}})), http.StatusConflict)
	expect(t, v.post("/regles-des-comptes", join(form, url.Values{"terms": {"2027"}})), http.StatusOK, "Les règles sont acceptées")
	expect(t, v.post("/compte/depot", url.Values{"means": {"demo"}, "key": {"d"}, "amount": {"10"}}), http.StatusOK, "Le versement est sur votre compte")
	expect(t, v.get("/regles-des-comptes/texte"), http.StatusOK, `version: "2027"`)
}

// An authenticator holds once a code of it was seen; then a password alone opens nothing.
func TestAuthenticatorForm(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	v := c.visitor("Jeanne")
	p := v.post("/compte/securite", url.Values{"do": {"begin"}})
	expect(t, p, http.StatusOK, "Scannez")
	_, rest, _ := strings.Cut(p.body, `class="secret">`)
	secret, _, _ := strings.Cut(rest, "<")
	code := func() string {
		k, err := totp.GenerateCode(secret, c.clock.Now())
		check(t, err)
		return k
	}
	expect(t, v.post("/compte/securite", url.Values{"do": {"confirm"}, "code": {"000000"}}), http.StatusUnauthorized, "ce n’est pas celui")
	form := url.Values{"do": {"confirm"}, "code": {code()}}
	expect(t, v.post("/compte/securite", form), http.StatusOK, "est en service")
	expect(t, v.post("/compte/securite", form), http.StatusOK, "est en service") // a double click
	expect(t, v.post("/compte/securite", url.Values{"do": {"begin"}}), http.StatusOK, "est en service")
	c.clock.set(c.clock.Now().Add(time.Minute))
	b := c.browser()
	expect(t, b.post("/connexion?lang=fr", url.Values{"email": {v.email}, "password": {password}}), http.StatusUnauthorized, "Code à 6 chiffres")
	v.browser = c.browser()
	v.signOn(code())
	c.clock.set(c.clock.Now().Add(time.Minute))
	form = url.Values{"do": {"remove"}, "code": {code()}}
	expect(t, v.post("/compte/securite", form), http.StatusOK, "n’est plus demandée")
	expect(t, v.post("/compte/securite", form), http.StatusOK, "n’est plus demandée")
	v.browser = c.browser()
	v.signOn("")
}

// INS-online, F13: the history has every record once, as the ledger has it, on
// pages, by kind, as CSV and in the export; units lead to where they are shown again.
func TestHistoryPages(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	c.launch(9)
	v := c.visitor("Jeanne")
	v.post("/compte/depot", url.Values{"means": {"demo"}, "key": {"d"}, "amount": {"90"}})
	for range 70 {
		_, err := c.sys.Play(context.Background(), central.PlayUnit{Key: c.key(), Player: v.id, Game: "cove", Price: 100})
		check(t, err)
		check(t, c.sys.TendPools(context.Background()))
	}
	count := func(path string) (lines, pages int) {
		for path != "" {
			p := v.get(path)
			if p.status != http.StatusOK {
				t.Fatalf("%s: status %d", path, p.status)
			}
			lines, pages = lines+strings.Count(p.body, `<div class="what">`), pages+1
			_, rest, _ := strings.Cut(p.body, `href="/compte/historique?avant=`)
			at, _, more := strings.Cut(rest, `"`)
			path = ""
			if more {
				path = "/compte/historique?avant=" + strings.ReplaceAll(at, "&amp;", "&")
			}
		}
		return lines, pages
	}
	for path, want := range map[string][2]int{ // sign-up, two limits and the address, the deposit, the units
		"/compte/historique": {75, 2}, "/compte/historique?genre=unites": {70, 2}, "/compte/historique?genre=versements": {1, 1},
		"/compte/historique?genre=retraits": {0, 1}, "/compte/historique?genre=compte": {4, 1},
	} {
		if lines, pages := count(path); lines != want[0] || pages != want[1] {
			t.Errorf("%s: %d lines on %d pages, want %d on %d", path, lines, pages, want[0], want[1])
		}
	}
	p := v.get("/compte/historique?genre=unites")
	_, rest, _ := strings.Cut(p.body, `href="/jeu/cove/unite/`)
	record, _, _ := strings.Cut(rest, `"`)
	expect(t, v.get("/jeu/cove/unite/"+record), http.StatusOK)

	table := csv.NewReader(strings.NewReader(strings.TrimPrefix(v.get("/compte/historique.csv").body, "\ufeff")))
	table.Comma = ';'
	rows, err := table.ReadAll()
	check(t, err)
	var sum money.Amount
	for _, row := range rows[1:] {
		for at, word := range map[int]string{3: map[string]string{"Unité de jeu": "La Crique"}[row[2]], 8: map[string]string{"Versement": "Démonstration"}[row[2]]} {
			if row[at] != word {
				t.Errorf("column %d of a row %q says %q, want %q", at, row[2], row[at], word)
			}
		}
		if text := strings.Replace(row[6], ",", ".", 1); text != "" {
			a, err := money.Parse(strings.TrimPrefix(text, "-"))
			check(t, err)
			if strings.HasPrefix(text, "-") {
				a = -a
			}
			sum = sum.Add(a)
		}
	}
	if len(rows) != 76 || sum != c.sys.PlayerBalance(v.id) {
		t.Errorf("the table has %d rows that sum to %v, the ledger has %v", len(rows), sum, c.sys.PlayerBalance(v.id))
	}
	var data struct {
		Unit    string
		Person  struct{ Email string }
		History []struct{ Record uint64 }
	}
	check(t, json.Unmarshal([]byte(v.get("/compte/donnees.json").body), &data))
	if data.Unit != "cents" || data.Person.Email != v.email || len(data.History) != 75 {
		t.Errorf("the export has %d movements of %s", len(data.History), data.Person.Email)
	}
	expect(t, v.get("/compte"), http.StatusOK, "70 unités jouées : 70,00 € misés")
	v.balance(sum)
}

// Withdrawals and the closing of an account go to an IBAN in the player's name, once his identity was checked.
func TestWithdrawAndCloseForms(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	v := c.visitor("Jeanne")
	v.post("/compte/depot", url.Values{"means": {"demo"}, "key": {"d"}, "amount": {"40"}})
	const iban = "FR76 3000 6000 0112 3456 7890 189"
	expect(t, v.get("/compte/retrait"), http.StatusOK, "quand un responsable aura vérifié")
	expect(t, v.post("/compte/retrait", url.Values{"key": {"w"}, "amount": {"10"}, "iban": {iban}}), http.StatusForbidden, "dont l’identité a été vérifiée")
	v.identify()
	form := v.get("/compte/retrait").form("/compte/retrait")
	for _, x := range []struct{ amount, iban, says, field string }{
		{"10", "FR76 3000 6000 0112 3456 7890 188", "IBAN : ce n’est pas", "iban"},
		{"1", iban, "au-dessous du plus petit retrait", "amount"},
		{"50", iban, "Disponibilités : 40,00 €", "amount"},
		{"-10", iban, "n’est pas lisible", "amount"},
	} {
		p := v.post("/compte/retrait", join(form, url.Values{"amount": {x.amount}, "iban": {x.iban}}))
		if p.status < 400 || !strings.Contains(p.text(), x.says) || !strings.Contains(p.body, `id="`+x.field+`-refusal"`) {
			t.Errorf("%v: status %d: %s", x, p.status, p.text())
		}
	}
	typed := join(form, url.Values{"amount": {"10"}, "iban": {iban}})
	for range 2 { // sent again, it is one
		expect(t, v.post("/compte/retrait", typed), http.StatusOK, "Le retrait est enregistré", "Demandé", "10,00 €")
	}
	v.balance(money.Euros(30))
	form = v.get("/compte/cloture").form("/compte/cloture")
	expect(t, v.post("/compte/cloture", join(form, url.Values{"iban": {iban}})), http.StatusUnprocessableEntity, "Cochez cette case")
	expect(t, v.post("/compte/cloture", join(form, url.Values{"sure": {"1"}})), http.StatusUnprocessableEntity, "IBAN")
	expect(t, v.post("/compte/cloture", join(form, url.Values{"sure": {"1"}, "iban": {iban}})), http.StatusOK, "Votre compte est clos")
	v.balance(0)
	expect(t, v.get("/compte/historique"), http.StatusOK, "Clôture", "−30,00 €")
	expect(t, v.post("/compte/depot", url.Values{"means": {"demo"}, "key": {"x"}, "amount": {"10"}}), http.StatusConflict, "Ce compte est clos")
	expect(t, v.post("/deconnexion", nil), http.StatusOK, "Vous êtes déconnecté")
	if p := v.get("/compte"); p.path != "/connexion" {
		t.Error("still signed on")
	}
}
