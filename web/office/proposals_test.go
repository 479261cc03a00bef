package office

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/wager"
	"tirage/web/page"
)

// monday is the draws of the test's day.
func (o *operator) monday() []central.DrawView {
	o.t.Helper()
	views, err := o.sys.Draws(context.Background(), "ile-au-tresor", game.NewDay(2027, 1, 4))
	o.must(err)
	return views
}

// form is a form that proposes something of draws, by their places in the day.
func (o *operator) form(act, minutes string, draws ...int) url.Values {
	o.t.Helper()
	form := url.Values{"key": {page.NewKey()}, "jeu": {"ile-au-tresor"}, "act": {act}, "minutes": {minutes}, "reason": {"Panne du réseau"}}
	views := o.monday()
	for _, i := range draws {
		form.Add("draw", strconv.FormatInt(int64(views[i].ID), 10))
	}
	return form
}

// open is the proposals that wait.
func (o *operator) open() (list []central.Proposal) {
	o.t.Helper()
	all, err := o.sys.Proposals(context.Background())
	o.must(err)
	return slices.DeleteFunc(all, func(p central.Proposal) bool { return !p.DecidedAt.IsZero() })
}

// decision is the form that decides on a proposal.
func (o *operator) decision(id uint64) url.Values {
	o.t.Helper()
	p, err := o.sys.Proposal(context.Background(), id)
	o.must(err)
	views, err := o.sys.DrawsByID(context.Background(), p.Draws)
	o.must(err)
	return url.Values{"key": {page.NewKey()}, "proposal": {strconv.FormatUint(id, 10)}, "seen": {central.Seen(views)}}
}

// F18: draws are postponed when a second officer approves what the first has
// proposed, who can only withdraw it. Each form sent twice does it once (F10).
func TestF18_Postpone(t *testing.T) {
	t.Parallel()
	o, paul := twoOfficers(t, 12)
	before := o.monday()
	form := o.form("postpone", "45", 2, 3, 4)
	for range 2 {
		if status, body := o.post(pathProposals, form); status != http.StatusOK || !strings.Contains(body, "Proposition enregistrée.") {
			t.Fatalf("propose: status %d", status)
		}
	}
	open := o.open()
	if len(open) != 1 || open[0].By != o.officer || open[0].Shift != 45*time.Minute || len(open[0].Draws) != 3 {
		t.Fatalf("proposals: %+v", open)
	}
	shift := before[2].DrawsAt.Add(45 * time.Minute).In(page.ParisZone()).Format("15:04")
	_, mine := o.get(pathProposals)
	_, his := paul.get(pathProposals)
	for _, want := range []string{"<b>Reporter</b>\u00a0: 3 tirages, 45\u00a0min plus tard", "Panne du réseau", "<b>" + shift + "</b>", "lundi 4 janvier 2027"} {
		if !strings.Contains(mine, want) || !strings.Contains(his, want) {
			t.Errorf("no %q in both pages", want)
		}
	}
	if strings.Contains(mine, ">Approuver<") || !strings.Contains(mine, ">Retirer<") || !strings.Contains(mine, "Proposée par vous") {
		t.Error("who proposed can approve, or not withdraw")
	}
	if !strings.Contains(his, ">Approuver<") || !strings.Contains(his, ">Rejeter<") || strings.Contains(his, ">Retirer<") || !strings.Contains(his, "Proposée par marie") {
		t.Error("the other officer cannot approve and reject")
	}
	if _, body := paul.get(pathDraws); !strings.Contains(body, "1 proposition attend") {
		t.Error("the draws page does not tell that a proposal waits")
	}
	if status, body := o.post(pathApprove, o.decision(open[0].ID)); status != http.StatusForbidden || !strings.Contains(body, "approuvée par un autre") {
		t.Errorf("own approval: status %d", status)
	}
	if diff := cmp.Diff(before, o.monday()); diff != "" {
		t.Errorf("draws moved without a second officer: %s", diff)
	}
	decision := o.decision(open[0].ID)
	for range 2 {
		if status, body := paul.post(pathApprove, decision); status != http.StatusOK || !strings.Contains(body, "elle a pris effet") || !strings.Contains(body, ">approuvée<") {
			t.Fatalf("approve: status %d", status)
		}
	}
	for i, v := range o.monday() {
		want := before[i].DrawsAt
		if i >= 2 && i <= 4 {
			want = want.Add(45 * time.Minute)
		}
		if !v.DrawsAt.Equal(want) {
			t.Errorf("draw %d draws at %v, want %v", v.Number, v.DrawsAt, want)
		}
	}
	if status, body := paul.post(pathReject, paul.decision(open[0].ID)); status != http.StatusConflict || !strings.Contains(body, "déjà été approuvée ou rejetée") {
		t.Errorf("a second decision: status %d", status)
	}
	o.must(o.sys.CheckBooks(context.Background()))
}

// F08: the page tells what a cancellation gives back before it is approved, and
// afterwards shows the draw cancelled, with its stakes to give back.
func TestF08_CancelDraws(t *testing.T) {
	t.Parallel()
	o, paul := twoOfficers(t, 12)
	before := o.monday()
	if status, _ := o.post(pathProposals, o.form("cancel-draw", "", 0, 1)); status != http.StatusOK {
		t.Fatalf("propose: status %d", status)
	}
	_, body := paul.get(pathProposals)
	for _, want := range []string{"Mises à rendre", page.French.Money(before[0].Stakes), page.French.Money(before[0].Stakes.Add(before[1].Stakes))} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	if status, _ := paul.post(pathApprove, paul.decision(o.open()[0].ID)); status != http.StatusOK {
		t.Errorf("approve: status %d", status)
	}
	if _, body := o.get(pathDraws); !strings.Contains(body, "mises en cours de calcul") {
		t.Error("the draws page does not tell that stakes are being added up")
	}
	o.tick(o.time())
	_, body = o.get(pathDraws)
	if !strings.Contains(body, `"state cancelled">annulé</span> <small>mises à rendre`) || !strings.Contains(body, page.French.Money(before[0].Stakes)) {
		t.Error("the draws page does not show the cancelled draw with its stakes")
	}
	if tickets := `<td class="n">0</td><td class="n">` + page.French.Money(before[0].Stakes); strings.Contains(body, tickets) {
		t.Error("the draws page shows stakes of no ticket")
	}
	if v := o.monday()[1]; v.State != draw.Cancelled || v.Stakes != before[1].Stakes {
		t.Errorf("the draw is %s with %s", v.State, v.Stakes)
	}
	o.must(o.sys.CheckBooks(context.Background()))
}

// Sales close early at the moment of the approval; a proposal is withdrawn by
// who made it, and rejected by another.
func TestCloseEarlyWithdrawReject(t *testing.T) {
	t.Parallel()
	o, paul := twoOfficers(t, 12)
	for _, c := range []struct {
		who          *operator
		path, notice string
	}{{o, pathReject, "Proposition retirée."}, {paul, pathReject, "Proposition rejetée."}, {paul, pathApprove, "elle a pris effet"}} {
		if status, _ := o.post(pathProposals, o.form("close", "", 0)); status != http.StatusOK {
			t.Fatalf("propose: status %d", status)
		}
		if v := o.monday()[0]; !v.ClosesAt.After(o.time()) {
			t.Errorf("draw closes at %v", v.ClosesAt)
		}
		if status, body := c.who.post(c.path, o.decision(o.open()[0].ID)); status != http.StatusOK || !strings.Contains(body, c.notice) {
			t.Errorf("%s: status %d, no %q", c.path, status, c.notice)
		}
	}
	if v := o.monday()[0]; !v.ClosesAt.Equal(o.time()) {
		t.Errorf("draw closes at %v, want %v", v.ClosesAt, o.time())
	}
	_, body := o.get(pathProposals)
	for _, want := range []string{">retirée<", ">rejetée<", ">approuvée<"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q among the decided", want)
		}
	}
}

// A draw that is postponed to another date is shown with it, before and after.
func TestPostponeToAnotherDay(t *testing.T) {
	t.Parallel()
	o, paul := twoOfficers(t, 1)
	if status, body := o.post(pathProposals, o.form("postpone", "1440", 5)); status != http.StatusOK || !strings.Contains(body, "<b>05/01/2027 12:25</b>") {
		t.Errorf("propose: status %d, or no date", status)
	}
	if _, body := o.get(pathDraws); strings.Contains(body, "<small>05/01/2027</small>") {
		t.Error("a draw is shown on another date")
	}
	paul.post(pathApprove, paul.decision(o.open()[0].ID))
	if _, body := o.get(pathDraws); !strings.Contains(body, "12:25 <small>05/01/2027</small>") || !strings.Contains(body, ">reporté<") {
		t.Error("the postponed draw is not shown with its date")
	}
}

// AMI-11.2: claims are extended by two officers.
func TestExtendClaims(t *testing.T) {
	t.Parallel()
	o, paul := twoOfficers(t, 1)
	form := url.Values{"key": {page.NewKey()}, "jeu": {"ile-au-tresor"}, "from": {"2027-03-05"}, "to": {"2027-03-06"}, "until": {"2027-03-31"}, "reason": {"Grève"}}
	for range 2 {
		if status, body := o.post(pathExtend, form); status != http.StatusOK || !strings.Contains(body, "Proposition enregistrée.") {
			t.Fatalf("propose: status %d", status)
		}
	}
	if _, body := paul.get(pathProposals); !strings.Contains(body, "05/03/2027–06/03/2027 → 31/03/2027") {
		t.Error("the page does not tell the days")
	}
	if status, _ := paul.post(pathApprove, paul.decision(o.open()[0].ID)); status != http.StatusOK {
		t.Errorf("approve: status %d", status)
	}
	o.must(o.sys.CheckBooks(context.Background()))
}

// Every refusal stands in its form, names the field and the rule, marks the
// field, keeps what was typed, and does nothing.
func TestProposalRefused(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 1)
	o.tick(time.Date(2027, 1, 4, 11, 6, 0, 0, time.UTC)) // draws 0 and 1 are certified
	o.signOn()
	long := strings.Repeat("é", 251)
	claims := func(from, to, until string) url.Values {
		return url.Values{"key": {page.NewKey()}, "jeu": {"ile-au-tresor"}, "from": {from}, "to": {to}, "until": {until}, "reason": {"Grève"}}
	}
	with := func(form url.Values, name, value string) url.Values {
		form.Set(name, value)
		return form
	}
	for name, c := range map[string]struct {
		path   string
		form   url.Values
		status int
		want   []string
	}{
		"no act":       {pathProposals, o.form("", "", 5), 422, []string{"Acte\u00a0: choisissez"}},
		"another act":  {pathProposals, o.form("extend-claims", "", 5), 422, []string{"Acte\u00a0: choisissez"}},
		"no draw":      {pathProposals, o.form("postpone", "5"), 422, []string{"Tirages concernés\u00a0: cochez-en un", `value="5"`, `aria-describedby="refusal"`}},
		"no such draw": {pathProposals, with(o.form("cancel-draw", "", 5), "draw", "999999"), 404, []string{"Ce tirage n’existe pas."}},
		"not a draw":   {pathProposals, with(o.form("cancel-draw", "", 5), "draw", "x"), 404, []string{"Ce tirage n’existe pas."}},
		"no minutes":   {pathProposals, o.form("postpone", "", 5), 422, []string{"De combien de minutes", `aria-invalid="true"`, " checked"}},
		"half minutes": {pathProposals, o.form("postpone", "1,5", 5), 422, []string{"De combien de minutes", `value="1,5" aria-invalid="true"`}},
		"no time":      {pathProposals, o.form("postpone", "0", 5), 422, []string{"nombre entier"}},
		"back in time": {pathProposals, o.form("postpone", "-5", 5), 422, []string{"nombre entier"}},
		"two months":   {pathProposals, o.form("postpone", "99999", 5), 422, []string{"44\u202f640"}},
		"no reason":    {pathProposals, with(o.form("close", "", 5), "reason", "  "), 422, []string{"Motif\u00a0: écrivez pourquoi", `required aria-invalid="true"`, `value="close" checked`}},
		"long reason":  {pathProposals, with(o.form("close", "", 5), "reason", long), 422, []string{"Motif\u00a0: écrivez pourquoi", long}},
		"drawn":        {pathProposals, o.form("postpone", "5", 1, 5), 409, []string{"Tirages concernés, n° " + strconv.Itoa(o.monday()[1].Number) + "\u00a0: leurs ventes sont closes"}},
		"twice":        {pathProposals, o.form("postpone", "5", 5, 5), 422, []string{"Vérifiez les tirages"}},
		"not open":     {pathProposals, with(o.form("close", "", 4, 80), "tout", "1"), 409, []string{"Tirages concernés, n° " + strconv.Itoa(o.monday()[80].Number) + "\u00a0: leurs ventes ne sont pas ouvertes"}},
		"hidden":       {pathProposals, with(o.form("close", "", 5), "reason", "Panne \u202eduesér ud"), 422, []string{"sans caractères invisibles"}},
		"control":      {pathProposals, with(o.form("close", "", 5), "reason", "Panne\x1b[2J"), 422, []string{"sans caractères invisibles"}},
		"no key":       {pathProposals, with(o.form("close", "", 5), "key", ""), 400, []string{"clé valable"}},
		"no first day": {pathExtend, claims("", "2027-03-05", "2027-03-31"), 422, []string{"Premier jour\u00a0: cette date", `value="2027-03-31"`}},
		"no last day":  {pathExtend, claims("2027-03-05", "5 mars", "2027-03-31"), 422, []string{"Dernier jour\u00a0: cette date", `aria-invalid="true"`}},
		"no end":       {pathExtend, claims("2027-03-05", "2027-03-05", ""), 422, []string{"Finissent le\u00a0: cette date"}},
		"days reverse": {pathExtend, claims("2027-03-05", "2027-03-04", "2027-03-31"), 422, []string{"ne peut pas venir avant le premier"}},
		"no extension": {pathExtend, claims("2027-03-05", "2027-03-06", "2027-03-06"), 422, []string{"doit venir après le dernier"}},
		"for years":    {pathExtend, claims("2027-03-05", "2027-03-06", "2029-03-06"), 422, []string{"366 jours"}},
		"over":         {pathExtend, claims("2026-01-05", "2026-01-06", "2026-12-06"), 409, []string{"délai de paiement du premier de ces jours"}},
		"other game":   {pathExtend, with(claims("2027-03-05", "2027-03-06", "2027-03-31"), "jeu", "loto"), 404, []string{"Ce jeu n’existe pas"}},
		"why":          {pathExtend, with(claims("2027-03-05", "2027-03-06", "2027-03-31"), "reason", ""), 422, []string{"Motif\u00a0: écrivez pourquoi"}},
		"none":         {pathApprove, url.Values{"key": {"k"}, "proposal": {"99"}}, 404, []string{"Cette proposition n’existe pas."}},
		"nothing":      {pathReject, url.Values{"key": {"k"}, "proposal": {"x"}}, 404, []string{"Cette proposition n’existe pas."}},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := o.post(c.path, c.form)
			if status != c.status || !strings.Contains(body, `role="alert"`) {
				t.Errorf("status %d, want %d and the reason", status, c.status)
			}
			for _, want := range c.want {
				if !strings.Contains(body, want) {
					t.Errorf("no %q in the page", want)
				}
			}
		})
	}
	if open := o.open(); len(open) != 0 {
		t.Errorf("refusals left proposals: %+v", open)
	}
}

// What can no longer be done is refused at the approval, naming the draws, and stays open.
func TestApproveTooLate(t *testing.T) {
	t.Parallel()
	o, paul := twoOfficers(t, 1)
	if status, _ := o.post(pathProposals, o.form("postpone", "5", 0, 5)); status != http.StatusOK {
		t.Fatalf("propose: status %d", status)
	}
	number := o.monday()[0].Number
	o.tick(time.Date(2027, 1, 4, 11, 1, 0, 0, time.UTC))
	if _, body := paul.get(pathProposals); !strings.Contains(body, "n’est plus possible") {
		t.Error("the page does not tell that it is too late for a draw")
	}
	status, body := paul.post(pathApprove, paul.decision(o.open()[0].ID))
	if want := fmt.Sprintf("Tirages concernés, n° %d\u00a0: leurs ventes sont closes", number); status != http.StatusConflict || !strings.Contains(body, want) {
		t.Errorf("approve: status %d, no %q", status, want)
	}
	if len(o.open()) != 1 || o.monday()[5].State == draw.Postponed {
		t.Error("a refused approval did something")
	}
}

// An officer makes another, and each changes his own password; refusals say
// which field is wrong, and no page sends a password back.
func TestOfficers(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.signOn()
	if _, body := o.get(pathOfficers); !strings.Contains(body, "Il en faut deux") || !strings.Contains(body, "marie <small>(vous)") {
		t.Error("an officer alone is not told so")
	}
	made := url.Values{"key": {page.NewKey()}, "login": {"paul"}, "password": {"a first password"}}
	for range 2 {
		if status, body := o.post(pathOfficers, made); status != http.StatusOK || !strings.Contains(body, " ajouté.") || strings.Contains(body, "Il en faut deux") {
			t.Fatalf("make an officer: status %d", status)
		}
	}
	o.owns("paul", "a first password")
	paul, old := o.as("paul"), o.as("paul")
	const next = "another long one"
	change := func(old, fresh, again string) url.Values {
		return url.Values{"key": {page.NewKey()}, "old": {old}, "new": {fresh}, "again": {again}}
	}
	for name, c := range map[string]struct {
		path   string
		form   url.Values
		status int
		want   []string
	}{
		"alone":  {pathOfficers, url.Values{"key": {"d"}, "login": {"anne"}, "password": {"secret secret"}}, 403, []string{"proposé par un responsable et approuvé par un autre"}},
		"same":   {pathPassword, change(password, password, password), 422, []string{"différent de l’ancien", `aria-invalid="true"`}},
		"reason": {pathOfficers, url.Values{"key": {"e"}, "login": {"anne"}, "reason": {" "}}, 422, []string{`value="anne"`, `aria-invalid="true"`}},
		"login":  {pathOfficers, url.Values{"key": {"a"}, "login": {"P"}, "password": {"secret secret"}}, 422, []string{"Identifiant\u00a0: 3 à 32", `value="P"`, `aria-invalid="true"`}},
		"taken":  {pathOfficers, url.Values{"key": {"b"}, "login": {"marie"}, "reason": {"x"}}, 422, []string{"pas déjà pris"}},
		"short":  {pathOfficers, url.Values{"key": {"c"}, "login": {"anne"}, "password": {"secret"}}, 422, []string{"Mot de passe\u00a0: de 10 à 200", `value="anne"`}},
		"no key": {pathOfficers, url.Values{"login": {"anne"}, "password": {"secret secret"}}, 400, []string{"clé valable"}},
		"old":    {pathPassword, change("secret", "secret secret", "secret secret"), 403, []string{"Mot de passe actuel\u00a0: ce n’est pas le bon", `aria-invalid="true"`}},
		"new":    {pathPassword, change(password, "secret", "secret"), 422, []string{"Mot de passe\u00a0: de 10 à 200"}},
		"again":  {pathPassword, change(password, "secret secret", "secret"), 422, []string{"les deux nouveaux mots de passe diffèrent"}},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := paul.post(c.path, c.form)
			if status != c.status || strings.Contains(body, "secret") {
				t.Errorf("status %d, want %d and no password", status, c.status)
			}
			for _, want := range c.want {
				if !strings.Contains(body, want) {
					t.Errorf("no %q in the page", want)
				}
			}
		})
	}
	if status, body := paul.post(pathPassword, change(password, next, next)); status != http.StatusOK || !strings.Contains(body, "Mot de passe changé.") {
		t.Errorf("change: status %d", status)
	}
	if _, body := old.get(pathDraws); !strings.Contains(body, "identification") {
		t.Error("another session of the officer outlives the change")
	}
	if _, err := o.sys.SignOnOfficer(context.Background(), "paul", next); err != nil {
		t.Errorf("sign on with the new password: %v", err)
	}
	for range 10 { // F24: who has taken a session cannot try passwords without end
		paul.post(pathPassword, change("wrong", next, next))
	}
	if status, body := paul.post(pathPassword, change(next, next, next)); status != http.StatusTooManyRequests || !strings.Contains(body, "Trop d’essais") {
		t.Errorf("eleven tries: status %d", status)
	}
}

// owns has an officer change the password that another gave him, in his browser.
func (o *operator) owns(login, first string) {
	o.t.Helper()
	jar, err := cookiejar.New(nil)
	o.must(err)
	other := &operator{t: o.t, sys: o.sys, app: o.app, url: o.url, client: &http.Client{Jar: jar}}
	const only = "choisi par un autre"
	if status, body := other.post(pathSignOn, url.Values{"login": {login}, "password": {first}}); status != http.StatusOK || !strings.Contains(body, only) {
		o.t.Fatalf("sign on as %s with the first password: status %d", login, status)
	}
	for _, path := range []string{pathDraws, pathOutlets, pathRules, pathProposals, pathOfficers} {
		if _, body := other.get(path); !strings.Contains(body, only) || strings.Contains(body, "Tirages du jour") {
			o.t.Errorf("%s shows %s more than the form of a password", path, login)
		}
	}
	for _, path := range []string{pathOfficers, pathProposals, pathApprove, pathReject, pathReceive, pathPayOut, pathRetract} {
		if _, body := other.post(path, url.Values{"key": {page.NewKey()}, "login": {"sock"}, "password": {password}, "reason": {"x"}}); !strings.Contains(body, only) {
			o.t.Errorf("%s serves %s, who has a password to change", path, login)
		}
	}
	form := url.Values{"key": {page.NewKey()}, "old": {first}, "new": {first}, "again": {first}}
	if status, body := other.post(pathPassword, form); status != http.StatusUnprocessableEntity || !strings.Contains(body, only) || !strings.Contains(body, "différent de l’ancien") {
		o.t.Errorf("the first password again: status %d", status)
	}
	form = url.Values{"key": {page.NewKey()}, "old": {first}, "new": {password}, "again": {password}}
	if status, body := other.post(pathPassword, form); status != http.StatusOK || !strings.Contains(body, "Mot de passe changé.") {
		o.t.Fatalf("change the first password: status %d", status)
	}
}

// F18: from two officers on it takes both to make another: one cannot approve
// his own proposal through an officer whom he made.
func TestF18_OfficersMadeByTwo(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.second()
	o.signOn()
	paul := o.as("paul")
	if _, body := o.get(pathOfficers); strings.Contains(body, `name="password"`) || !strings.Contains(body, "Un autre responsable l’approuve") {
		t.Error("two officers are there, and the page would have one make a third")
	}
	if status, body := o.post(pathOfficers, url.Values{"key": {page.NewKey()}, "login": {"anne"}, "reason": {"départ"}}); status != http.StatusOK || !strings.Contains(body, "Proposition enregistrée") || !strings.Contains(body, "anne") {
		t.Fatalf("propose an officer: status %d", status)
	}
	id := o.open()[0].ID
	decision := func(password string) url.Values {
		return url.Values{"key": {page.NewKey()}, "proposal": {fmt.Sprint(id)}, "seen": {central.Seen(nil)}, "password": {password}}
	}
	if status, _ := o.post(pathApprove, decision("secret secret")); status != http.StatusForbidden {
		t.Errorf("his own proposal: status %d", status)
	}
	if status, body := paul.post(pathApprove, decision("secret")); status != http.StatusUnprocessableEntity || !strings.Contains(body, "de 10 à 200") || !strings.Contains(body, `aria-invalid="true"`) {
		t.Errorf("a short first password: status %d", status)
	}
	form := decision("a first password")
	for range 2 {
		if status, body := paul.post(pathApprove, form); status != http.StatusOK || strings.Contains(body, "a first password") {
			t.Errorf("approve: status %d", status)
		}
	}
	form.Set("password", "another password")
	if status, _ := paul.post(pathApprove, form); status != http.StatusConflict {
		t.Errorf("the same key, another password: status %d", status)
	}
	o.owns("anne", "a first password")
	o.as("anne")
}

// F20: the page shows how the draws sell, to which terminals, and what a stake is worth.
func TestF20_Figures(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 6)
	book, err := game.Book("amigo")
	o.must(err)
	ctx := context.Background()
	_, err = o.sys.PublishRules(ctx, central.PublishRules{Key: "amigo", Officer: o.officer, Book: book})
	o.must(err)
	o.tick(morning)
	_, err = o.sys.Place(ctx, central.Place{Key: "amigo", Terminal: o.terminal, Slip: wager.Slip{
		Game: "amigo", Boards: []wager.Board{{QuickPick: true}}, Stake: money.Euros(2), Draws: 2,
	}})
	o.must(err)
	o.signOn()
	figures, err := o.sys.Figures("amigo")
	o.must(err)
	_, body := o.get(pathDraws + "?jeu=amigo")
	for _, want := range []string{
		"Ventes en cours", "Espérance d’une mise de " + page.French.Money(money.Euros(2)), "PDV 7 <code>" + o.terminal[:4] + "</code> 2,00\u00a0€",
		euros(figures[0].Value, page.French), page.French.Money(figures[0].LastMinute), "Fonds de jackpot", "67,82&nbsp;%", "Fonds de réserve",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	if strings.Contains(body, "dépasse le prix") != figures[0].Alarm {
		t.Errorf("the page's alarm is not %t", figures[0].Alarm)
	}
	o.tick(morning.Add(2 * time.Hour))
	_, body = o.get(pathDraws + "?jeu=amigo&tout=1")
	views, err := o.sys.Draws(ctx, "amigo", game.NewDay(2027, 1, 4))
	o.must(err)
	i := slices.IndexFunc(views, func(v central.DrawView) bool { return v.Stakes > 0 && v.Settlement != nil })
	j := views[i].Settlement.Jackpot
	for _, want := range []string{
		"Jackpot, tirage par tirage", fmt.Sprintf("×&nbsp;%d", views[i].Times), page.French.Money(j.TopUp), page.French.Money(j.Contribution),
		page.French.Money(j.After), "remis en jeu au tirage suivant", page.French.Money(views[i].Pot),
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in the page, after draws", want)
		}
	}
}

// A form of anything is answered with a page, never with a fault of ours, and
// never moves a draw: that takes two.
func FuzzPropose(f *testing.F) {
	f.Add("act=postpone&minutes=5&draw=3&reason=x&key=k", "from=2027-03-05&to=2027-03-06&until=2027-03-31&jeu=ile-au-tresor&reason=x&key=l")
	f.Add("act=cancel-draw&draw=-1&draw=9223372036854775807&reason=%ff&key=m&jour=2027-01-05", "from=0000-01-01&to=9999-12-31&until=9999-12-31&key=n")
	f.Add("act=close&draw=1&draw=1&reason=%00&key=%00&jeu=%2e", "jeu=&from=2027-02-31")
	f.Add("proposal=0&key=o&login=%00&password=0123456789", "proposal=18446744073709551615&key=p")
	o := newOperator(f)
	o.trade(1, 6)
	o.signOn()
	before := o.monday()
	f.Fuzz(func(t *testing.T, draws, claims string) {
		at := &operator{t: t, sys: o.sys, url: o.url, client: o.client}
		for path, text := range map[string]string{pathProposals: draws, pathExtend: claims, pathApprove: draws, pathReject: claims, pathOfficers: draws} {
			form, err := url.ParseQuery(text)
			if err != nil {
				continue
			}
			if status, _ := at.post(path, form); status >= 500 || status == http.StatusOK && path == pathApprove {
				t.Errorf("%s of %q: status %d", path, text, status)
			}
		}
		if diff := cmp.Diff(before, at.monday()); diff != "" {
			t.Errorf("%q moves draws: %s", draws, diff)
		}
	})
}

// Numbers are written in runs, in the order of the draws.
func TestJoin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		numbers []int
		want    string
	}{{nil, ""}, {[]int{95}, "95"}, {[]int{95, 96}, "95, 96"}, {[]int{95, 96, 97, 99, 101, 102, 103, 104}, "95–97, 99, 101–104"}, {[]int{260, 1, 2}, "260, 1, 2"}} {
		if got := join(c.numbers); got != c.want {
			t.Errorf("%v is written %q, want %q", c.numbers, got, c.want)
		}
	}
	for d, want := range map[time.Duration][2]string{
		time.Minute:                {"1\u00a0min", "1\u00a0min"},
		90 * time.Minute:           {"1\u00a0h\u00a030\u00a0min", "1\u00a0h\u00a030\u00a0min"},
		24 * time.Hour:             {"1\u00a0jour", "1\u00a0day"},
		48*time.Hour + time.Second: {"2\u00a0jours\u00a01\u00a0s", "2\u00a0days\u00a01\u00a0s"},
		central.ShiftMax:           {"31\u00a0jours", "31\u00a0days"},
	} {
		fr, errFR := later(page.French, d)
		en, errEN := later(page.English, d)
		if got := [2]string{fr, en}; got != want || errors.Join(errFR, errEN) != nil {
			t.Errorf("%v is written %q, want %q", d, got, want)
		}
	}
}

// A reason may have as many characters as the field takes, lines included, whatever they are.
func TestLongReason(t *testing.T) {
	t.Parallel()
	o, paul := twoOfficers(t, 1)
	reason := strings.Repeat("é", central.ReasonMax-8) + "\nFin. 🎲"
	form := o.form("close", "", 5)
	form.Set("reason", strings.ReplaceAll(reason, "\n", "\r\n")) // as browsers send it
	if status, _ := o.post(pathProposals, form); status != http.StatusOK {
		t.Errorf("propose: status %d", status)
	}
	if open := o.open(); len(open) != 1 || open[0].Reason != reason {
		t.Errorf("proposals: %+v", open)
	}
	if _, body := paul.get(pathProposals); !strings.Contains(body, "<q><bdi>"+reason+"</bdi></q>") || !strings.Contains(body, fmt.Sprintf(`maxlength="%d"`, central.ReasonMax)) {
		t.Error("the page does not set the reason apart, or takes another length")
	}
}

// F18: the pages say of each act that takes two officers that it does.
func TestF18_WhatTakesTwo(t *testing.T) {
	t.Parallel()
	words := map[page.Lang]map[central.ChangeAct]string{
		page.French:  {central.ActPostpone: "eporter", central.ActClose: "clore plus tôt", central.ActCancelDraw: "annuler des tirages", central.ActExtendClaims: "prolonger des délais de paiement"},
		page.English: {central.ActPostpone: "postpone", central.ActClose: "close early", central.ActCancelDraw: "cancel draws", central.ActExtendClaims: "extend claims"},
	}
	for lang, of := range words {
		for _, id := range []string{"proposals.hint", "officers.alone"} {
			text, err := face.T(lang, id)
			if err != nil {
				t.Fatal(err)
			}
			for act, word := range of {
				if !strings.Contains(text, word) {
					t.Errorf("%s in %v does not tell of %s: %q", id, lang, act, text)
				}
			}
		}
	}
}

// F18: what is approved is what was read. A draw that has moved since shows the
// page anew, on the game and day that it was on, and nothing is done.
func TestF18_ApproveWhatWasRead(t *testing.T) {
	t.Parallel()
	o, paul := twoOfficers(t, 6)
	for _, form := range []url.Values{o.form("postpone", "45", 2, 3), o.form("postpone", "30", 3, 4)} {
		if status, _ := o.post(pathProposals, form); status != http.StatusOK {
			t.Fatalf("propose: status %d", status)
		}
	}
	open := o.open()
	_, body := paul.get(pathProposals)
	read := url.Values{"key": {page.NewKey()}, "proposal": {strconv.FormatUint(open[0].ID, 10)}, "seen": {hidden(t, body, "seen")}, "ici": {"ile-au-tresor"}, "jour": {"2027-01-05"}}
	if !strings.Contains(body, fmt.Sprintf(`aria-describedby="p%d">Approuver<`, open[0].ID)) {
		t.Error("a button does not tell what it approves")
	}
	if status, _ := paul.post(pathApprove, paul.decision(open[1].ID)); status != http.StatusOK {
		t.Fatalf("approve: status %d", status)
	}
	status, body := paul.post(pathApprove, read)
	if status != http.StatusConflict || !strings.Contains(body, "a changé depuis") || !strings.Contains(body, "mardi 5 janvier 2027") {
		t.Errorf("what was read no longer stands: status %d, or another page", status)
	}
	if len(o.open()) != 1 {
		t.Error("what was not read is approved")
	}
	for _, seen := range []string{"", "nothing"} {
		blind := paul.decision(open[0].ID)
		blind.Set("seen", seen)
		if status, _ := paul.post(pathApprove, blind); status != http.StatusConflict {
			t.Errorf("approval of what was not read: status %d", status)
		}
	}
	read.Set("seen", hidden(t, body, "seen"))
	if status, body := paul.post(pathApprove, read); status != http.StatusOK || !strings.Contains(body, "mardi 5 janvier 2027") {
		t.Errorf("read again: status %d, or another day", status)
	}
	read.Del("seen")
	if status, body := paul.post(pathReject, read); status != http.StatusConflict || !strings.Contains(body, "déjà été approuvée") {
		t.Errorf("the other button of a form that was sent: status %d", status)
	}
	numbers := fmt.Sprintf("(n° %d, %d)", o.monday()[2].Number, o.monday()[3].Number)
	if _, body := o.get(pathProposals); !strings.Contains(body, numbers) {
		t.Errorf("no %q among the decided", numbers)
	}
}

// A refused extension of claims keeps the game and the day of its page.
func TestRefusalKeepsThePlace(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 1)
	o.publish("amigo")
	o.signOn()
	form := url.Values{"key": {page.NewKey()}, "ici": {"ile-au-tresor"}, "jour": {"2027-01-05"}, "jeu": {"amigo"}, "reason": {"Grève"}}
	if _, body := o.post(pathExtend, form); !strings.Contains(body, "mardi 5 janvier 2027") || !strings.Contains(body, `name="ici" value="ile-au-tresor"`) || !strings.Contains(body, `value="amigo" selected`) {
		t.Error("a refusal forgets where it was")
	}
}

// publish publishes the rule book of a game, with replacements.
func (o *operator) publish(code game.Code, replace ...string) {
	o.t.Helper()
	book, err := game.Book(code)
	o.must(err)
	text := string(book)
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(text, replace[i]) {
			o.t.Fatalf("no %q in the rule book", replace[i])
		}
		text = strings.Replace(text, replace[i], replace[i+1], 1)
	}
	_, err = o.sys.PublishRules(context.Background(), central.PublishRules{Key: "book " + string(code), Officer: o.officer, Book: []byte(text)})
	o.must(err)
	o.tick(o.time())
}

// F20: after midnight the draws of the day before still sell: they are those of
// the present day on both pages, and an alarm on one of them is told above all.
func TestF20_AlarmAfterMidnight(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	o := newOperator(t)
	o.trade(1, 0)
	o.publish("amigo", "draws: [1, 250]}", "draws: [230, 250]}", "minimum: 250000 ", "minimum: 1500000 ")
	sell := func() {
		_, err := o.sys.Place(ctx, central.Place{Key: o.time().String(), Terminal: o.terminal, Slip: wager.Slip{
			Game: "amigo", Boards: []wager.Board{{QuickPick: true}}, Stake: money.Euros(2), Draws: 2,
		}})
		o.must(err)
	}
	for _, c := range []struct {
		at         time.Time
		day, first string
		sells      bool
	}{
		{time.Date(2027, 1, 4, 22, 50, 0, 0, time.UTC), "lundi 4 janvier 2027", "238", true},
		{time.Date(2027, 1, 4, 23, 6, 0, 0, time.UTC), "lundi 4 janvier 2027", "241", true}, // 00:06 in Paris
		{time.Date(2027, 1, 5, 0, 1, 0, 0, time.UTC), "lundi 4 janvier 2027", "", false},
		{time.Date(2027, 1, 5, 22, 5, 0, 0, time.UTC), "mardi 5 janvier 2027", "230", true},
	} {
		o.tick(c.at)
		o.signOn()
		if c.sells {
			sell()
		}
		for _, path := range []string{pathDraws, pathProposals} {
			_, body := o.get(path + "?jeu=amigo")
			if !strings.Contains(body, "<b>"+c.day+"</b>") || strings.Contains(body, ">aujourd’hui<") {
				t.Errorf("%s at %v is not of %s", path, c.at, c.day)
			}
			if path == pathProposals && strings.Contains(body, `</span>`+c.first+`</label>`) != c.sells {
				t.Errorf("at %v draw %s can be proposed: %t", c.at, c.first, !c.sells)
			}
			if path == pathDraws && (strings.Contains(body, `<th scope="row" class="n">`+c.first+`</th><td class="n">1</td>`) && strings.Contains(body, "dépasse le prix") && strings.Contains(body, "tirages rendent en moyenne plus que le prix")) != c.sells {
				t.Errorf("at %v an alarm on draw %s is told: %t", c.at, c.first, !c.sells)
			}
		}
	}
	if _, body := o.get(pathDraws + "?jeu=amigo&jour=2027-01-04"); strings.Contains(body, "live.js") || strings.Contains(body, "dépasse le prix") {
		t.Error("a day that is over asks for news, or has those of another")
	}
	if _, body := o.get(pathDraws + "?jeu=amigo"); !strings.Contains(body, "live.js") {
		t.Error("the present day does not ask for news")
	}
}

// Amounts and rates are written with their thousands apart.
func TestDecimals(t *testing.T) {
	t.Parallel()
	value := big.NewRat(12_345_678, 10)
	for lang, want := range map[page.Lang][2]string{
		page.French: {"1\u202f234\u202f567,8000\u00a0€", "123\u202f456\u202f780,00"}, page.English: {"€1,234,567.8000", "123,456,780.00"},
	} {
		if got := [2]string{euros(value, lang), percent(value, lang)}; got != want {
			t.Errorf("in %v: %q, want %q", lang, got, want)
		}
	}
}
