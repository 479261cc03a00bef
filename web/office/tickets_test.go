package office

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tirage/central"
	"tirage/money"
	"tirage/wager"
	"tirage/web/page"
)

// winner is a ticket that wins something which is payable, of those that were sold.
func (o *operator) winner(skip ...wager.ID) central.TicketView {
	o.t.Helper()
	for _, outlet := range o.sys.Outlets() {
		list, err := o.sys.Tickets(context.Background(), outlet.ID, morning.Add(-time.Hour), o.time().Add(time.Minute), central.TicketLinesMax)
		o.must(err)
		for _, line := range list {
			v, err := o.sys.Ticket(context.Background(), line.Number)
			o.must(err)
			if v.Answer.Payable > 0 && !v.Stopped && (len(skip) == 0 || skip[0] != line.Number) {
				return v
			}
		}
	}
	o.t.Fatal("no ticket wins")
	return central.TicketView{}
}

// makeCentre makes the outlet that was opened last a payment centre.
func (o *operator) makeCentre() {
	o.t.Helper()
	o.outlet.Centre = true
	_, err := o.sys.PutOutlet(context.Background(), central.PutOutlet{Key: "centre", Officer: o.officer, Outlet: o.outlet})
	o.must(err)
}

func TestFindTickets(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(2, 205)
	o.signOn()
	list, err := o.sys.Tickets(context.Background(), o.sys.Outlets()[0].ID, morning.Add(-time.Hour), morning.Add(time.Hour), 1000)
	o.must(err)
	number := fmt.Sprint(list[0].Number)
	status, body := o.get(pathTickets + "?numero=n%C2%B0+" + number)
	o.want("by number", status, http.StatusOK, body, "Reçu n° "+number, "en attente", "Les Pirates")
	for typed, want := range map[string]int{"0": 404, "99999999": 404, "-1": 422, "abc": 422, "99999999999999999999": 422, "%3Cb%3E": 422} {
		if status, body := o.get(pathTickets + "?numero=" + typed); status != want || !strings.Contains(body, `id="refusal"`) || strings.Contains(body, "<b>") {
			t.Errorf("number %s: status %d, want %d", typed, status, want)
		}
	}
	for typed, want := range map[string]int{"0": 404, "99999999": 404, "x": 404, "-1": 404} {
		if status, _ := o.get(pathTickets + "/" + typed); status != want {
			t.Errorf("page of ticket %s: status %d", typed, status)
		}
	}
	row := regexp.MustCompile(`<th scope="row" class="n"><a href="/office/recus/(\d+)">`)
	seen := map[string]bool{}
	address := pathTickets + "?pdv=7"
	for pages := 0; address != ""; pages++ {
		status, body := o.get(address)
		o.want("list", status, http.StatusOK, body, "Reçus vendus")
		for _, m := range row.FindAllStringSubmatch(body, -1) {
			if seen[m[1]] {
				t.Errorf("ticket %s is listed twice", m[1])
			}
			seen[m[1]] = true
		}
		next := regexp.MustCompile(`<a href="([^"]+)" rel="next">`).FindStringSubmatch(body)
		if address = ""; next != nil && pages < 9 {
			address = strings.ReplaceAll(next[1], "&amp;", "&")
		}
	}
	if len(seen) == 0 || len(seen) > len(list) {
		t.Errorf("%d tickets are listed of %d", len(seen), len(list))
	}
	for query, want := range map[string]int{
		"pdv=99": 404, "pdv=x": 404, "pdv=7&de=x": 422, "pdv=7&a=x": 422, "pdv=7&de=2027-01-05T00:00&a=2027-01-04T00:00": 422, "pdv=7&avant=x": 404,
	} {
		if status, _ := o.get(pathTickets + "?" + query); status != want && query != "pdv=7&avant=x" {
			t.Errorf("%s: status %d, want %d", query, status, want)
		}
	}
	if status, body := o.get(pathTickets + "?pdv=7&de=2026-01-05T00:00&a=2026-01-06T00:00"); status != 200 || !strings.Contains(body, "Aucun reçu") {
		t.Errorf("a day without sales: status %d", status)
	}
}

// Tickets of one instant stand on one page, so that those before it leave none out;
// the clock of the test makes all that are sold between two ticks so.
func TestFindTickets_OneInstant(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 0)
	o.signOn()
	var want []string
	for i, count := range []int{linesMax - 2, 5, linesMax - 4, 3} { // of each of the first instants some are beyond a page
		o.tick(morning.Add(time.Duration(i) * time.Minute))
		for n := range count {
			want = append(want, fmt.Sprint(o.sells(7, fmt.Sprint(i, "-", n), 1).Number))
		}
	}
	row := regexp.MustCompile(`<th scope="row" class="n"><a href="/office/recus/(\d+)">`)
	var seen []string
	for address := pathTickets + "?pdv=7"; address != ""; {
		status, body := o.get(address)
		o.want("a page", status, http.StatusOK, body, "Reçus vendus")
		lines := row.FindAllStringSubmatch(body, -1)
		for _, m := range lines {
			seen = append(seen, m[1])
		}
		o.want("its total", status, http.StatusOK, body, fmt.Sprintf("Total des %d reçus affichés", len(lines)), page.French.Money(money.Amount(200*len(lines))))
		next := regexp.MustCompile(`<a href="([^"]+)" rel="next">`).FindStringSubmatch(body)
		if address = ""; next != nil && len(seen) < 2*len(want) {
			address = strings.ReplaceAll(next[1], "&amp;", "&")
		}
	}
	slices.Sort(seen)
	slices.Sort(want)
	if !slices.Equal(seen, want) {
		t.Errorf("%d tickets are listed of %d", len(seen), len(want))
	}
}

// F24, F18: an officer stops a ticket at once; to lift the stop, or to pay it
// without its secret, takes two, who find all in words; no page has the secret,
// and who is paid is read only by an act that is journalled.
func TestF24_TicketsOfOfficers(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	o := newOperator(t)
	o.trade(2, 60)
	o.second()
	o.signOn()
	paul := o.as("paul")
	o.makeCentre()
	o.tick(time.Date(2027, 1, 4, 14, 6, 0, 0, time.UTC))
	v := o.winner()
	number := fmt.Sprint(v.Ticket.Number)
	address := pathTickets + "/" + number
	status, body := o.get(address)
	o.want("a winner", status, http.StatusOK, body, "gagnant", page.French.Money(v.Answer.Payable), "Arrêter le paiement")

	act := func(who *operator, path, key string, more url.Values) (int, string) {
		form := url.Values{"key": {key}, "ticket": {number}, "reason": {"Sac volé <b>à Lyon</b>."}}
		maps.Copy(form, more)
		return who.post(path, form)
	}
	for name, bad := range map[string]url.Values{
		"no reason": {"reason": {" "}}, "a hidden one": {"reason": {"a\u202eb"}}, "long": {"reason": {strings.Repeat("é", central.ReasonMax+1)}},
	} {
		status, body := act(o, pathStop, name, bad)
		o.want("stop, "+name, status, http.StatusUnprocessableEntity, body, `id="refusal"`, "Motif")
	}
	for _, none := range []string{"", "x", "-1", "0", "99999999", "99999999999999999999"} {
		if status, _ := act(o, pathStop, "none"+none, url.Values{"ticket": {none}}); status != http.StatusNotFound {
			t.Errorf("stop ticket %q: status %d", none, status)
		}
	}
	if status, _ := act(o, pathStop, "", nil); status != http.StatusBadRequest {
		t.Errorf("stop without a key: status %d", status)
	}
	status, body = act(o, pathLift, "early", nil)
	o.want("lift a stop that is none", status, http.StatusConflict, body, "n’est pas arrêté")
	for range 2 {
		status, body = act(o, pathStop, "stop", nil)
		o.want("stop", status, http.StatusOK, body, "Paiement arrêté.", "Sac volé &lt;b&gt;à Lyon&lt;/b&gt;.", "paiement arrêté")
	}
	status, body = act(o, pathStop, "again", nil)
	o.want("stop again", status, http.StatusConflict, body, "est arrêté")
	status, body = act(o, pathStop, "stop", url.Values{"reason": {"Autre."}})
	o.want("the key of another", status, http.StatusConflict, body)

	o.liftByTwo(paul, act)
	o.payByTwo(paul, act, v)
	status, body = o.get(address)
	o.want("paid", status, http.StatusOK, body, "par deux responsables", "Voir à qui")
	if v, err := o.sys.Ticket(ctx, v.Ticket.Number); err != nil || len(v.Payments) != 1 || v.Answer.Payable != 0 {
		t.Errorf("payments %+v, %v", v.Payments, err)
	}
	o.must(o.sys.CheckBooks(ctx))
}

type ticketAct func(who *operator, path, key string, more url.Values) (int, string)

func (o *operator) liftByTwo(paul *operator, act ticketAct) {
	o.t.Helper()
	status, body := act(o, pathLift, "lift", nil)
	o.want("propose to lift", status, http.StatusOK, body, "Proposition enregistrée", "attend un second responsable")
	id := o.open()[0].ID
	status, body = o.post(pathApprove, o.decision(id))
	o.want("lift alone", status, http.StatusForbidden, body)
	status, body = paul.get(pathProposals)
	o.want("the proposal", status, http.StatusOK, body, "Lever l’arrêt d’un paiement", "Reçu n°", "Sac volé &lt;b&gt;")
	status, body = paul.post(pathApprove, o.decision(id))
	o.want("lift", status, http.StatusOK, body, "Proposition approuvée")
}

func (o *operator) payByTwo(paul *operator, act ticketAct, v central.TicketView) {
	o.t.Helper()
	centre := fmt.Sprint(o.outlet.Number)
	payee := func(change ...string) url.Values {
		form := url.Values{"centre": {centre}, "name": {"Zoé <i>Martin</i>"}, "born": {"1980-02-29"}, "address": {"Lyon"}, "document": {"Passeport"}}
		for i := 0; i < len(change); i += 2 {
			form[change[i]] = []string{change[i+1]}
		}
		return form
	}
	for name, bad := range map[string]struct {
		form   url.Values
		status int
	}{
		"no centre": {payee("centre", ""), 404}, "another": {payee("centre", "99"), 404}, "an outlet": {payee("centre", "7"), 409}, "no name": {payee("name", " "), 422},
		"not born": {payee("born", ""), 422}, "born tomorrow": {payee("born", "2027-01-05"), 422}, "born never": {payee("born", "1980-02-30"), 422},
		"no address": {payee("address", ""), 422}, "no document": {payee("document", ""), 422}, "no reason": {payee("reason", ""), 422},
	} {
		status, body := act(o, pathPay, name, bad.form)
		if status != bad.status || !strings.Contains(body, `id="refusal"`) || strings.Contains(body, "<i>") {
			o.t.Errorf("pay, %s: status %d, want %d", name, status, bad.status)
		}
		if field, ok := map[string]string{"no name": "name", "not born": "born", "born tomorrow": "born", "born never": "born", "no address": "address", "no document": "document"}[name]; ok {
			marked := regexp.MustCompile(`name="(\w+)"[^>]*aria-invalid="true" aria-describedby="fault-(\w+)"><small class="fault" id="fault-\w+">[^<]+</small>`).FindAllStringSubmatch(body, -1)
			if len(marked) != 1 || marked[0][1] != field || marked[0][2] != field {
				o.t.Errorf("pay, %s: the fields %q are marked", name, marked)
			}
		}
		if !strings.Contains(body, `value="Passeport"`) && name != "no document" {
			o.t.Errorf("pay, %s: what was typed is lost", name)
		}
	}
	for range 2 {
		status, body := act(o, pathPay, "pay", payee())
		o.want("propose to pay", status, http.StatusOK, body, "Proposition enregistrée")
		if strings.Contains(body, "Passeport") || strings.Contains(body, "Zoé") {
			o.t.Error("the page tells who is to be paid")
		}
	}
	if n := len(o.open()); n != 1 {
		o.t.Fatalf("%d proposals wait, want 1", n)
	}
	id := o.open()[0].ID
	status, body := paul.get(pathProposals)
	o.want("the proposal", status, http.StatusOK, body, "Payer un reçu perdu ou abîmé", "centre de paiement n° "+centre, "Somme à payer", page.French.Money(v.Answer.Payable))
	if strings.Contains(body, "Passeport") {
		o.t.Error("the proposal tells who is to be paid")
	}
	before := len(o.acts())
	for range 2 {
		status, body = paul.post(pathPayee, url.Values{"key": {"read"}, "record": {fmt.Sprint(id)}})
		o.want("who is to be paid", status, http.StatusOK, body, "Zoé &lt;i&gt;Martin&lt;/i&gt;", "Passeport", "inscrite au journal")
	}
	if acts := o.acts(); len(acts) != before+1 || acts[len(acts)-1] != "read-payee" {
		o.t.Errorf("acts in the journal: %q", acts)
	}
	for _, record := range []string{"", "x", "0", "99999999"} {
		if status, _ := paul.post(pathPayee, url.Values{"key": {"read " + record}, "record": {record}}); status != http.StatusNotFound {
			o.t.Errorf("payee of record %q: status %d", record, status)
		}
	}
	form := o.decision(id)
	status, body = paul.post(pathApprove, form)
	o.want("pay", status, http.StatusOK, body, "Proposition approuvée")
	status, body = paul.post(pathApprove, form)
	o.want("pay again", status, http.StatusOK, body)
}

// Nobody without an officer's session finds, stops or pays a ticket.
func TestTicketsNeedAnOfficer(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 1)
	token, err := o.sys.NewSession(context.Background(), page.TerminalSession, o.terminal, time.Hour)
	o.must(err)
	for _, path := range []string{pathStop, pathLift, pathPay, pathPayee} {
		r, err := http.NewRequest(http.MethodPost, o.url+path, strings.NewReader(url.Values{"key": {"k"}, "ticket": {"9"}, "record": {"9"}, "reason": {"Perdu."}}.Encode()))
		o.must(err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.AddCookie(&http.Cookie{Name: page.OfficerSession, Value: token})
		if _, body := o.do(r); !strings.Contains(body, "identification") {
			t.Errorf("%s: a terminal acts as an officer", path)
		}
	}
	if status, body := o.get(pathTickets + "/9"); status != 200 || !strings.Contains(body, "identification") {
		t.Errorf("a ticket without a session: status %d", status)
	}
}
