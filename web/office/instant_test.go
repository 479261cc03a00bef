package office

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
)

// coveBook is an instant game whose pools have ten units.
const coveBook = `kind: instant
game: cove
version: "1"
name: {fr: La Crique, en: The Cove}
first_day: 2026-11-19
zone: Europe/Paris
units: 10
scene: plain
prize_tables:
  - price: 1
    prizes:
      - {units: 1, amount: 3, total: 3}
      - {units: 2, amount: 1, total: 2}
    printed: {winners: 3, total: 5, payout_rate: 1/2}
  - price: 2
    prizes:
      - {units: 1, amount: 6, total: 6}
      - {units: 2, amount: 2, total: 4}
    printed: {winners: 3, total: 10, payout_rate: 1/2}
policy:
  few_units: 1
  open_next_at: 3
`

const one = money.Amount(100)

// web publishes the rules of accounts and the cove, to be launched.
func (o *operator) web() {
	o.t.Helper()
	ctx := context.Background()
	_, err := o.sys.PublishAccounts(ctx, central.PublishRules{Key: "accounts", Officer: o.officer, Book: party.Book()})
	o.must(err)
	_, err = o.sys.PublishInstant(ctx, central.PublishRules{Key: "cove", Officer: o.officer, Book: []byte(coveBook)})
	o.must(err)
}

// selling commits secrets of both officers for pools at 1 €, and launches the cove.
func (o *operator) selling(second string, pools int) {
	o.t.Helper()
	ctx := context.Background()
	for _, officer := range []string{o.officer, second} {
		_, err := o.sys.CommitSecrets(ctx, central.CommitSecrets{Key: "secrets", Officer: officer, Game: "cove", Price: one, Count: pools})
		o.must(err)
	}
	o.must(o.sys.Launch(ctx, central.GameAct{Key: "launch", Officer: o.officer, Game: "cove"}))
	o.must(o.sys.TendPools(ctx))
}

var tokenForm = regexp.MustCompile(`jeton=([A-Z2-7]+)`)

// player opens the account of a person whose address is confirmed, with a balance.
func (o *operator) player(first, last, email string, balance money.Amount) string {
	o.t.Helper()
	ctx := context.Background()
	o.must(o.sys.SignUp(ctx, central.SignUp{Key: email, Password: password, Terms: o.sys.AccountRules().Version, Person: central.Person{
		Email: email, FirstName: first, LastName: last, BirthDay: game.NewDay(1980, 5, 17), BirthPlace: "Nantes <44>", Lang: "fr",
	}}))
	_, err := o.sys.SendMessages(ctx, func(_ context.Context, m central.Message) error {
		if token := tokenForm.FindStringSubmatch(m.Body); token != nil {
			return o.sys.ConfirmEmail(ctx, token[1], password)
		}
		return nil
	})
	o.must(err)
	found, err := o.sys.FindPlayers(ctx, email, 1)
	o.must(err)
	id := found[0].ID
	if balance > 0 {
		o.must(o.sys.CheckIdentity(ctx, central.CheckIdentity{Key: "check " + id, Officer: o.officer, Player: id, Confirmed: true, Reason: "<i>Passeport</i> vu"}))
		_, err = o.sys.DepositDemo(ctx, "deposit", id, balance)
		o.must(err)
	}
	return id
}

func (o *operator) play(player string, n int) {
	o.t.Helper()
	for i := range n {
		_, err := o.sys.Play(context.Background(), central.PlayUnit{Key: fmt.Sprint("play", i), Player: player, Game: "cove", Price: one})
		o.must(err)
	}
}

// want checks that an answer has a status and says all of the texts.
func (o *operator) want(what string, status, wanted int, body string, texts ...string) {
	o.t.Helper()
	if status != wanted {
		o.t.Errorf("%s: status %d, want %d", what, status, wanted)
	}
	for _, text := range texts {
		if !strings.Contains(body, text) {
			o.t.Errorf("%s: no %q in the page", what, text)
		}
	}
}

func TestPublishInstantAndAccounts(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.signOn()
	status, body := o.upload("crique.yaml", []byte(strings.Replace(coveBook, "total: 5,", "total: 6,", 1)), "k1")
	o.want("a wrong total", status, http.StatusUnprocessableEntity, body, `<th scope="row" class="n">14</th>`, "rien n’a été publié")
	status, body = o.upload("comptes.yaml", []byte(strings.Replace(string(party.Book()), `deposit_min: "5"`, `deposit_min: "<b>"`, 1)), "k2")
	o.want("wrong rules of accounts", status, http.StatusUnprocessableEntity, body, "deposit_min", "&lt;b&gt;", "rien n’a été publié")
	if strings.Contains(body, "<b>,") || strings.Contains(body, "<td><b>") {
		t.Error("what a book says is taken for HTML")
	}
	status, body = o.upload("crique.yaml", []byte(coveBook), "k3")
	o.want("an instant game", status, http.StatusOK, body, "Publié", "La Crique", `<a href="/office/blocs">`)
	status, body = o.upload("crique.yaml", []byte(coveBook), "k3")
	o.want("the same again by its key", status, http.StatusOK, body, "Publié")
	status, _ = o.upload("crique.yaml", []byte(coveBook), "k4")
	o.want("the same by another key", status, http.StatusConflict, "")
	status, body = o.upload("comptes.yaml", party.Book(), "k5")
	o.want("rules of accounts", status, http.StatusOK, body, "Comptes des joueurs", "5 novembre 2009")
	status, body = o.upload("points.yaml", []byte(strings.Replace(string(party.TermsBook()), `payment_max: "500"`, `payment_max: "0"`, 1)), "k5")
	o.want("wrong terms of outlets", status, http.StatusUnprocessableEntity, body, "payment_max", "rien n’a été publié")
	status, body = o.upload("points.yaml", party.TermsBook(), "k6")
	o.want("terms of outlets", status, http.StatusOK, body, "Conditions des points de vente", "5 novembre 2009")
	if o.sys.AccountRules() == nil || len(o.sys.InstantGames()) != 1 {
		t.Error("published, but not in force")
	}
}

func TestINS_1_LaunchAndSuspend(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.signOn()
	status, body := o.get(pathPools)
	o.want("no game", status, http.StatusOK, body, "Aucun règlement de jeu instantané")
	o.web()
	status, body = o.get(pathPools)
	o.want("before the launch", status, http.StatusOK, body, "La Crique", "jamais ouvert", "Ouvrir le jeu")
	form := url.Values{"key": {keyOf(t, body)}, "jeu": {"cove"}}
	for range 2 { // a double click
		status, body = o.post(pathLaunch, form)
		o.want("launch", status, http.StatusOK, body, "Jeu ouvert aux joueurs", "Suspendre le jeu")
	}
	status, body = o.post(pathLaunch, url.Values{"key": {"other"}, "jeu": {"cove"}})
	o.want("a second launch", status, http.StatusConflict, body, "n’est pas dans l’état", "Suspendre le jeu")

	for name, message := range map[string][2]string{
		"one language": {"Panne", ""}, "the other": {"", "Failure"}, "too long": {strings.Repeat("é", 251), "x"}, "turned around": {"a\u202eb", "x"},
	} {
		status, body = o.post(pathSuspend, url.Values{"key": {name}, "jeu": {"cove"}, "fr": {message[0]}, "en": {message[1]}})
		o.want(name, status, http.StatusUnprocessableEntity, body, `aria-invalid="true"`, "Message aux joueurs")
	}
	status, body = o.post(pathSuspend, url.Values{"key": {"s"}, "jeu": {"cove"}, "fr": {"<script>Panne</script>"}, "en": {"<b>Down</b>"}})
	o.want("suspend", status, http.StatusOK, body, "Jeu suspendu", "&lt;script&gt;Panne&lt;/script&gt;", "&lt;b&gt;Down&lt;/b&gt;", "Rouvrir le jeu")
	g, err := o.sys.Instant("cove")
	o.must(err)
	if g.State != central.Suspended || g.Message.EN != "<b>Down</b>" {
		t.Errorf("the game is %s, with %q", g.State, g.Message)
	}
	status, body = o.post(pathResume, url.Values{"key": {"r"}, "jeu": {"cove"}, "reason": {"Vu"}})
	o.want("two officers for what takes one", status, http.StatusConflict, body, "n’est pas dans l’état")
	status, body = o.post(pathResume, url.Values{"key": {"r2"}, "jeu": {"cove"}})
	o.want("without a reason", status, http.StatusUnprocessableEntity, body)
	status, body = o.post(pathLaunch, url.Values{"key": {"again"}, "jeu": {"cove"}})
	o.want("launch again", status, http.StatusOK, body, "Jeu ouvert aux joueurs", "marie")
	for _, path := range []string{pathLaunch, pathSuspend, pathResume, pathSecrets} {
		for _, code := range []string{"", "nothing", "<b>", "ile-au-tresor"} {
			if status, _ := o.post(path, url.Values{"key": {"x" + code}, "jeu": {code}, "reason": {"x"}, "count": {"1"}, "price": {"100"}}); status/100 != 4 {
				t.Errorf("%s of game %q: status %d", path, code, status)
			}
		}
		if status, _ := o.post(path, url.Values{"jeu": {"cove"}, "reason": {"x"}, "count": {"1"}, "price": {"100"}}); status/100 != 4 {
			t.Errorf("%s without a key: status %d", path, status)
		}
	}
	if status, _ := o.get(pathPools + "?jeu=nothing"); status != http.StatusNotFound {
		t.Errorf("a game that is none: status %d", status)
	}
}

// Who decides whether a stopped game resumes is led to what the guard counted.
func TestResumptionLeadsToPools(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 0)
	o.web()
	of := office{app: o.app}
	r := newGet(pathProposals)
	for code, want := range map[game.Code]bool{"cove": true, "ile-au-tresor": false} {
		view, err := of.inGame(proposal{Proposal: central.Proposal{ID: 9, Change: central.Change{Act: central.ActResumeGame, Game: code}}, Code: code})
		o.must(err)
		w := httptest.NewRecorder()
		o.must(face.Render(w, r, http.StatusOK, "proposals", proposalsPage{frame: of.frame(r, "proposals.title", pathProposals), Open: []proposal{view}}))
		if body := w.Body.String(); strings.Contains(body, pathPools+"?jeu="+string(code)) != want || view.Name.FR == "" {
			t.Errorf("%s: the page leads to the pools: %t, want %t; name %q", code, !want, want, view.Name.FR)
		}
	}
}

// F18: one officer proposes to close a pool, on its page; another approves it, and sees how far it is sold.
func TestF18_ClosePool(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	second := o.second()
	o.web()
	o.selling(second.ID, 3)
	player := o.player("Zoé", "Martin", "zoe@exemple.test", money.Euros(50))
	o.play(player, 4)
	o.signOn()
	paul := o.as("paul")
	_, body := o.get(pathPools + "/1")
	o.want("a pool that sells", 200, 200, body, "Clore un bloc avant son terme", `action="/office/blocs/fermeture"`)
	key := keyOf(t, body)
	propose := func(key, pool, reason string) (int, string) {
		return o.post(pathEndPool, url.Values{"key": {key}, "pool": {pool}, "reason": {reason}})
	}
	status, body := propose(key, "1", " ")
	o.want("no reason", status, http.StatusUnprocessableEntity, body, `id="reason"`, `aria-invalid="true"`, "Bloc n° 1")
	for _, pool := range []string{"", "0", "99", "-1", "x", "99999999999999999999"} {
		if status, _ := propose("none "+pool, pool, "x"); status/100 != 4 {
			t.Errorf("pool %q: status %d", pool, status)
		}
	}
	for range 2 { // a double click
		status, body = propose(key, "1", "base <b>restaurée</b>")
		o.want("proposed", status, http.StatusOK, body, "Clore un bloc avant son terme", "La Crique", `<a href="/office/blocs/1">bloc n°`, "&lt;b&gt;restaurée")
	}
	status, body = o.get(pathPools + "/1")
	o.want("it waits", status, http.StatusOK, body, "Une clôture est proposée")
	list, err := o.sys.Proposals(t.Context())
	o.must(err)
	if len(list) != 1 {
		t.Fatalf("%d proposals", len(list))
	}
	decide := url.Values{"key": {"own"}, "proposal": {fmt.Sprint(list[0].ID)}, "seen": {central.Seen(nil)}}
	status, _ = o.post(pathApprove, decide)
	o.want("by who proposed", status, http.StatusForbidden, "")
	status, body = paul.get(pathProposals)
	o.want("as the other sees it", status, http.StatusOK, body, "<b>4</b> / 10", "en vente")
	decide.Set("key", keyOf(t, body))
	status, body = paul.post(pathApprove, decide)
	o.want("approved", status, http.StatusOK, body, "bloc n°")
	o.must(o.sys.TendPools(t.Context()))
	status, body = o.get(pathPools + "/1")
	o.want("closed", status, http.StatusOK, body, "décision de deux responsables", "Inventaire à la clôture", "Secret :")
	if strings.Contains(body, pathEndPool) {
		t.Error("a pool that is closed can be closed again")
	}
	status, body = propose("late", "1", "x")
	o.want("closed already", status, http.StatusConflict, body, "déjà fermé")
	status, body = o.get(pathPools + "?jeu=cove")
	o.want("the next sells", status, http.StatusOK, body, `<a href="/office/blocs/2">`, "0 / 10", "décision de deux responsables")
}

// Two officers' secrets make a pool; what one commits waits for the other's.
func TestF14_SecretsOfTwoOfficers(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.second()
	o.web()
	o.signOn()
	paul := o.as("paul")
	commit := func(o *operator, key, price, count string) (int, string) {
		return o.post(pathSecrets, url.Values{"key": {key}, "jeu": {"cove"}, "price": {price}, "count": {count}, "entropy": {"6 2 5 <dice>"}})
	}
	for name, bad := range map[string][2]string{
		"no pool": {"100", "0"}, "too many": {"100", "101"}, "words": {"100", "deux"}, "nothing": {"100", ""},
	} {
		status, body := commit(o, name, bad[0], bad[1])
		o.want(name, status, http.StatusUnprocessableEntity, body, `id="count"`, "Nombre de secrets")
		if strings.Contains(body, "dice&gt;") {
			t.Errorf("%s: the officer's share of chance is sent back", name)
		}
	}
	for _, price := range []string{"", "50", "x", "99999999999999999999"} {
		if status, _ := commit(o, "price "+price, price, "1"); status != http.StatusNotFound {
			t.Errorf("price %q: status %d", price, status)
		}
	}
	for range 2 {
		status, body := commit(o, "c1", "100", "3")
		o.want("secrets", status, http.StatusOK, body, "Secrets déposés", "1–3", "attend un secret", "marie")
	}
	o.must(o.sys.TendPools(context.Background()))
	if pools := o.pools(); pools != "waiting waiting waiting" {
		t.Errorf("with the secrets of one officer: %s", pools)
	}
	status, body := commit(paul, "c1", "100", "2")
	o.want("secrets of the other", status, http.StatusOK, body, "Secrets déposés", "n° 1, 2", "à construire", "marie, paul")
	o.must(o.sys.TendPools(context.Background()))
	if pools := o.pools(); pools != "waiting committed committed" {
		t.Errorf("with the secrets of both: %s", pools)
	}
}

// Where the demo made both secrets of pools, their pages say so; elsewhere two officers made them, and none does.
func TestPoolsOfTheDemo(t *testing.T) {
	t.Parallel()
	says := map[string]string{"fr": "les deux secrets ont été faits par la démonstration", "en": "both secrets were made by the demo"}
	for _, demo := range []bool{true, false} {
		o := newOperatorAs(t, demo)
		second := o.second().ID
		o.signOn()
		o.web()
		for lang, words := range says {
			if _, body := o.get(pathPools + "?lang=" + lang); strings.Contains(body, words) {
				t.Errorf("demo %v, %s: said before there is a secret", demo, lang)
			}
		}
		o.selling(second, 2)
		for _, path := range []string{pathPools, pathPools + "/1"} {
			for lang, words := range says {
				status, body := o.get(path + "?lang=" + lang)
				if status != http.StatusOK || strings.Contains(body, words) != demo {
					t.Errorf("%s in %s, demo %v: status %d, said: %v", path, lang, demo, status, strings.Contains(body, words))
				}
			}
		}
	}
}

// pools are the states of the pools at 1 €, newest first.
func (o *operator) pools() string {
	o.t.Helper()
	list, err := o.sys.Pools(context.Background(), "cove", 100)
	o.must(err)
	var states []string
	for _, p := range list {
		states = append(states, p.State)
	}
	return strings.Join(states, " ")
}

// F15: what is left by prize is exact, while a pool sells and in its manifest;
// its secrets are shown once it is closed, and not before.
func TestF15_CountersAndManifest(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	second := o.second()
	o.web()
	o.selling(second.ID, 2)
	player := o.player("Zoé", "Martin", "zoe@exemple.test", money.Euros(50))
	o.signOn()
	o.play(player, 4)
	pool, err := o.sys.PoolByID(context.Background(), 1)
	o.must(err)
	status, body := o.get(pathPools)
	o.want("pools", status, http.StatusOK, body, "4 / 10", page.French.Money(pool.Paid), `<a href="/office/blocs/1">`)
	status, body = o.get(pathPools + "/1")
	o.want("a pool that sells", status, http.StatusOK, body, "Bloc n° 1 à 1,00\u00a0€", "Scellés jusqu’à la clôture", "marie", "paul", fmt.Sprintf("%x", pool.Root),
		fmt.Sprintf(`<a href="/log/proof/%d">`, pool.Record))
	for i, prize := range pool.Table.Prizes {
		o.want("prize", status, 200, body, fmt.Sprintf(`<th scope="row" class="n">%s</th><td class="n">%d</td><td class="n">%d</td><td class="n">%d</td>`,
			page.French.Money(prize.Amount), prize.Units, prize.Units-pool.Left[i], pool.Left[i]))
	}
	if strings.Contains(body, "Secret :") || strings.Contains(body, strings.Repeat("0", 64)) {
		t.Error("a pool that sells shows its secrets")
	}
	for i := range 6 {
		_, err := o.sys.Play(context.Background(), central.PlayUnit{Key: fmt.Sprint("more", i), Player: player, Game: "cove", Price: one})
		o.must(err)
	}
	o.must(o.sys.TendPools(context.Background()))
	pool, err = o.sys.PoolByID(context.Background(), 1)
	o.must(err)
	status, body = o.get(pathPools + "/1")
	o.want("a pool that is closed", status, http.StatusOK, body, "tout vendu", "Inventaire à la clôture", "50,00&nbsp;%",
		fmt.Sprintf("%x", pool.Secrets[0]), fmt.Sprintf("%x", pool.Secrets[1]))
	for i, secret := range pool.Secrets {
		if secret.Hash() != pool.Hashes[i] {
			t.Errorf("secret %d is not the one that was committed", i)
		}
	}
	for _, number := range []string{"0", "-1", "99", "x", "99999999999999999999", "1e3", "%3Cb%3E"} {
		if status, _ := o.get(pathPools + "/" + number); status != http.StatusNotFound {
			t.Errorf("pool %s: status %d", number, status)
		}
	}
	status, body = o.get(pathPools + "?lang=fr")
	o.want("after the close", status, http.StatusOK, body, "tout vendu")
}

func TestFindPlayers(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.web()
	zoe := o.player("<b>Zoé</b>", "d'Arc & Fils", "zoe@exemple.test", money.Euros(20))
	o.player("Anne", "Martin", "anne@exemple.test", 0)
	o.signOn()
	status, body := o.get(pathPlayers)
	o.want("players", status, http.StatusOK, body, "Nom ou adresse électronique")
	if strings.Contains(body, "Martin") {
		t.Error("players are listed whom nobody asked for")
	}
	for _, short := range []string{"", "a", "  é  ", "an"} {
		status, body = o.post(pathPlayers, url.Values{"q": {short}})
		o.want("short "+short, status, http.StatusUnprocessableEntity, body, "écrivez 3 caractères", `aria-invalid="true"`)
	}
	status, body = o.post(pathPlayers, url.Values{"q": {"EXEMPLE.test"}})
	o.want("both", status, http.StatusOK, body, "Martin", "&lt;b&gt;Zoé&lt;/b&gt;", "non vérifiée")
	status, body = o.post(pathPlayers, url.Values{"q": {"<script>"}})
	o.want("nobody", status, http.StatusOK, body, "Aucun joueur", "&lt;script&gt;")
	status, body = o.post(pathPlayers, url.Values{"q": {"zoe@"}})
	o.want("one", status, http.StatusOK, body, "&lt;b&gt;Zoé&lt;/b&gt; d&#39;Arc &amp; Fils", "20,00\u00a0€", "&lt;i&gt;Passeport&lt;/i&gt; vu", "Nantes &lt;44&gt;", "par marie")
	for _, secret := range []string{"argon2", "<b>Zoé", "<i>Passeport", zoe + zoe} {
		if strings.Contains(body, secret) {
			t.Errorf("the page of a player has %q", secret)
		}
	}
	for _, id := range []string{"x", "0011223344556677", "%00", "<b>", "..%2Fretraits", "ffffffffffffffffffffffffffffffffffffffff"} {
		if status, _ := o.get(pathPlayers + "/" + id); status != http.StatusNotFound {
			t.Errorf("player %q: status %d", id, status)
		}
	}
	for _, before := range []string{"x", "-1", "99999999999999999999"} {
		if status, _ := o.get(pathPlayers + "/" + zoe + "?avant=" + before); status != http.StatusNotFound {
			t.Errorf("history before %q: status %d", before, status)
		}
	}
	if status, body := o.get(pathPlayers + "/" + zoe + "?avant=9999999"); status != http.StatusOK || !strings.Contains(body, "Rien de plus ancien") {
		t.Errorf("history before a record to come: status %d", status)
	}
}

// The history is whole over its pages, each line once.
func TestPlayerHistoryPages(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	second := o.second()
	o.web()
	o.selling(second.ID, 10)
	player := o.player("Zoé", "Martin", "zoe@exemple.test", money.Euros(80))
	for i := range 60 {
		_, err := o.sys.Play(context.Background(), central.PlayUnit{Key: fmt.Sprint(i), Player: player, Game: "cove", Price: one})
		o.must(err)
		if i%5 == 0 {
			o.must(o.sys.TendPools(context.Background()))
		}
	}
	o.signOn()
	records := regexp.MustCompile(`<a href="/log/proof/(\d+)">`)
	seen := map[string]bool{}
	path := pathPlayers + "/" + player
	for path != "" {
		status, body := o.get(path)
		o.want(path, status, http.StatusOK, body)
		for _, m := range records.FindAllStringSubmatch(body, -1) {
			if seen[m[1]] {
				t.Errorf("record %s is there twice", m[1])
			}
			seen[m[1]] = true
		}
		path = ""
		if next := regexp.MustCompile(`href="\?avant=(\d+)" rel="next"`).FindStringSubmatch(body); next != nil {
			path = pathPlayers + "/" + player + "?avant=" + next[1]
		}
	}
	whole, err := o.sys.History(context.Background(), player, 0, 1000)
	o.must(err)
	if len(seen) != len(whole) || len(whole) < 62 {
		t.Errorf("the pages have %d lines, the history %d", len(seen), len(whole))
	}
}

func TestCheckIdentity(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.web()
	player := o.player("Anne", "Martin", "anne@exemple.test", 0)
	o.signOn()
	_, body := o.get(pathPlayers + "/" + player)
	form := url.Values{"key": {keyOf(t, body)}, "player": {player}, "confirmed": {"1"}, "reason": {"Carte vue\r\nau guichet"}}
	for name, reason := range map[string]string{"no": "", "blank": " \n ", "long": strings.Repeat("x", 251), "hidden": "a\u202eb"} {
		status, body := o.post(pathIdentity, url.Values{"key": {name}, "player": {player}, "confirmed": {"1"}, "reason": {reason}})
		o.want(name+" reason", status, http.StatusUnprocessableEntity, body, `aria-invalid="true"`, "Anne Martin")
	}
	for range 2 {
		status, body := o.post(pathIdentity, form)
		o.want("confirm", status, http.StatusOK, body, "le compte est confirmé", "Carte vue", "Revenir sur la vérification")
	}
	form.Set("reason", "another")
	status, _ := o.post(pathIdentity, form)
	o.want("the key again with another reason", status, http.StatusConflict, "")
	status, body = o.post(pathIdentity, url.Values{"key": {"b"}, "player": {player}, "confirmed": {"0"}, "reason": {"<u>Fausse</u> pièce"}})
	o.want("take back", status, http.StatusOK, body, "Vérification retirée", "&lt;u&gt;Fausse&lt;/u&gt; pièce")
	if v, err := o.sys.Player(context.Background(), player); err != nil || v.Confirmed {
		t.Errorf("confirmed %t, %v", v.Confirmed, err)
	}
	for _, id := range []string{"", "x", "0011223344556677", "<b>"} {
		if status, _ := o.post(pathIdentity, url.Values{"key": {"z" + id}, "player": {id}, "confirmed": {"1"}, "reason": {"x"}}); status != http.StatusNotFound {
			t.Errorf("player %q: status %d", id, status)
		}
	}
}
