package office

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"tirage/central"
	"tirage/money"
	"tirage/party"
	"tirage/wager"
	"tirage/web/page"
)

// published publishes the terms of outlets that come with the program.
func (o *operator) published() {
	o.t.Helper()
	_, err := o.sys.PublishTerms(context.Background(), central.PublishRules{Key: "terms", Officer: o.officer, Book: party.TermsBook()})
	o.must(err)
}

// week goes on to the noon of a day after the test's Monday, and does all that is due.
func (o *operator) week(days int) {
	o.t.Helper()
	for range 4 {
		o.tick(time.Date(2027, 1, 4+days, 11, 0, 0, 0, time.UTC))
	}
}

// mandate is the form of a mandate of an outlet.
func mandate(number, key string, change ...string) url.Values {
	form := url.Values{
		"number": {number}, "key": {key}, "iban": {"FR14 2004 1010 0505 0001 3M02 606"}, "bic": {""}, "holder": {"Tabac <b>Émile</b>"}, "rum": {"PDV-" + number}, "signed": {"2027-01-02"},
	}
	for i := 0; i < len(change); i += 2 {
		form[change[i]] = []string{change[i+1]}
	}
	return form
}

// accounts are three outlets that sold in a week of which the statements are made.
func accounts(t testing.TB) *operator {
	t.Helper()
	o := newOperator(t)
	o.published()
	o.trade(3, 20)
	o.week(9) // a Wednesday, on which draws are
	return o
}

// Each number of an outlet's page leads to what it is made of, down to the
// tickets, and they add up; files say the same.
func TestStatementPages(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	o := accounts(t)
	o.signOn()
	outlet := o.sys.Outlets()[0]
	list, err := o.sys.Statements(ctx, outlet.ID, 9)
	o.must(err)
	st := list[0]
	address := fmt.Sprint(pathStatement, "/", st.Record)
	status, body := o.get(pathOutlets)
	o.want("the list", status, 200, body, page.French.Money(st.Closing), "à payer", address)
	status, body = o.get(pathOutlets + "?numero=7")
	o.want("the outlet", status, 200, body, page.French.Money(st.Commission), address+"/csv", address+"/pdf", "Reste du relevé")
	status, body = o.get(address)
	o.want("the statement", status, 200, body, "04/01/2027", "10/01/2027", page.French.Money(st.Closing), "5,00 / 1,00", "prélèvement à partir du 15/01/2027", "22/01/2027")
	days := regexp.MustCompile(`href="(/office/points-de-vente/jour[^"]+)"`).FindAllStringSubmatch(body, -1)
	if len(days) != 7 {
		t.Fatalf("%d days lead on", len(days))
	}
	sold := regexp.MustCompile(`<th scope="row" class="n"><a href="/office/recus/(\d+)">`)
	tickets := 0
	for _, m := range days {
		status, body := o.get(strings.ReplaceAll(m[1], "&amp;", "&"))
		o.want("a day", status, 200, body, "Ventes", "Solde au début du jour", "Solde à la fin du jour")
		tickets += len(sold.FindAllString(body, -1))
	}
	if tickets != 20 {
		t.Errorf("the days have %d tickets, want 20", tickets)
	}

	var sum money.Amount
	resp, err := o.client.Get(o.url + address + "/csv")
	o.must(err)
	rows, err := csv.NewReader(resp.Body).ReadAll()
	o.must(err)
	o.must(resp.Body.Close())
	for _, row := range rows[1:] {
		a, err := money.Parse(strings.TrimPrefix(row[5], "-"))
		o.must(err)
		if strings.HasPrefix(row[5], "-") {
			a = -a
		}
		if row[3] == "closing" {
			a = -a
		}
		sum += a
	}
	if sum != 0 || resp.Header.Get("Content-Disposition") != `attachment; filename="releve-7-2027-01-04.csv"` || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the file adds up to %s; %v", sum, resp.Header)
	}
	status, body = o.get(address + "/pdf")
	o.want("PDF", status, 200, body, "%PDF-")
	if _, again := o.get(address + "/pdf"); again != body {
		t.Error("the same statement prints in other bytes")
	}
	for _, bad := range []string{"0", "1", "x", "-1", "99999999", "99999999999999999999"} {
		for _, file := range []string{"", "/csv", "/pdf"} {
			if status, _ := o.get(pathStatement + "/" + bad + file); status != http.StatusNotFound {
				t.Errorf("statement %s%s: status %d", bad, file, status)
			}
		}
	}
	for query, want := range map[string]int{"numero=99&jour=2027-01-04": 404, "numero=7&jour=x": 422, "numero=7": 422, "": 404} {
		if status, _ := o.get(pathDay + "?" + query); status != want {
			t.Errorf("day %s: status %d, want %d", query, status, want)
		}
	}
}

// What is not paid of a statement is in the next one, and to be paid of that one only.
func TestStatementPages_Older(t *testing.T) {
	t.Parallel()
	o := accounts(t)
	o.week(16)
	o.signOn()
	list, err := o.sys.Statements(context.Background(), o.sys.Outlets()[0].ID, 9)
	o.must(err)
	if len(list) != 2 || list[0].First <= list[1].First || list[1].Closing <= 0 {
		t.Fatalf("statements %+v", list)
	}
	state := regexp.MustCompile(`<span class="state[^"]*">à payer</span>`)
	for i, want := range []bool{true, false} {
		status, body := o.get(fmt.Sprint(pathStatement, "/", list[i].Record))
		if status != http.StatusOK || state.MatchString(body) != want {
			t.Errorf("the statement of the week of %s: status %d, to be paid: %t, want %t", list[i].First, status, !want, want)
		}
	}
	if _, body := o.get(pathOutlets + "?numero=7"); len(state.FindAllString(body, -1)) != 1 {
		t.Errorf("%d statements of the outlet are to be paid, want 1", len(state.FindAllString(body, -1)))
	}
}

// An officer keeps a mandate; no page shows the number of the account whole.
func TestMandate(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 0)
	o.signOn()
	for name, bad := range map[string]url.Values{
		"no IBAN": mandate("7", "a", "iban", ""), "a wrong one": mandate("7", "b", "iban", "FR14 2004 1010 0505 0001 3M02 607"), "no holder": mandate("7", "c", "holder", " "),
		"no reference": mandate("7", "d", "rum", ""), "a strange one": mandate("7", "e", "rum", "a b"), "signed never": mandate("7", "f", "signed", "x"),
		"signed tomorrow": mandate("7", "g", "signed", "2027-01-05"), "a strange BIC": mandate("7", "h", "bic", "X"),
	} {
		status, body := o.post(pathMandate, bad)
		if status != http.StatusUnprocessableEntity || !strings.Contains(body, `id="refusal"`) || !strings.Contains(body, `aria-invalid="true"`) || strings.Contains(body, "<b>É") {
			t.Errorf("%s: status %d", name, status)
		}
	}
	if _, err := o.sys.Mandate(context.Background(), o.outlet.ID); err == nil {
		t.Error("a refused mandate is kept")
	}
	for range 2 {
		status, body := o.post(pathMandate, mandate("7", "good"))
		o.want("a mandate", status, 200, body, "Mandat enregistré.", "FR14 •", "2606", "Tabac &lt;b&gt;Émile&lt;/b&gt;")
		if strings.Contains(body, "20041010") || strings.Contains(body, "2004 1010") {
			t.Error("the page shows the number of the account")
		}
	}
	if status, _ := o.post(pathMandate, mandate("7", "good", "rum", "OTHER")); status != http.StatusConflict {
		t.Errorf("another mandate with the same key: status %d", status)
	}
	if status, _ := o.post(pathMandate, mandate("99", "none")); status != http.StatusNotFound {
		t.Errorf("of no outlet: status %d", status)
	}
}

// Statements are put into a file once, which is the same each time; what the
// bank returns blocks the outlet, and an officer lets it sell again for a reason.
func TestDirectDebits(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	o := accounts(t)
	o.signOn()
	due, err := o.sys.DebitsDue(ctx)
	o.must(err)
	if len(due) != 3 {
		t.Fatalf("%d statements are due", len(due))
	}
	record := func(i int) string { return fmt.Sprint(due[i].Statement) }
	status, body := o.get(pathDebits)
	o.want("due", status, 200, body, "sans mandat", page.French.Money(due[0].Amount), "Aucun fichier")
	send := func(key string, records ...string) (int, string) {
		return o.post(pathDebits, url.Values{"key": {key}, "record": records})
	}
	for name, bad := range map[string]struct {
		records []string
		status  int
	}{
		"none": {nil, 422}, "words": {[]string{"x"}, 409}, "negative": {[]string{"-1"}, 409}, "no statement": {[]string{"0"}, 409}, "twice": {[]string{record(0), record(0)}, 409},
		"no mandate": {[]string{record(0)}, 409}, "far": {[]string{"99999999999999999999"}, 409},
	} {
		status, body := send(name, bad.records...)
		o.want("send "+name, status, bad.status, body, `id="refusal"`)
	}
	for _, number := range []string{"7", "8"} {
		status, body := o.post(pathMandate, mandate(number, "m"+number))
		o.want("mandate", status, 200, body, "Mandat enregistré.")
	}
	var file string
	for range 2 {
		status, body = send("send", record(0), record(1))
		m := regexp.MustCompile(pathDebitFile + `/(\d+)`).FindStringSubmatch(body)
		o.want("send", status, 200, body, "Fichier de prélèvement fait", "Sans réponse de la banque")
		if m == nil || file != "" && file != m[1] {
			t.Fatalf("files %v, before %s", m, file)
		}
		file = m[1]
	}
	status, body = send("again", record(0))
	o.want("sent before", status, http.StatusConflict, body, `id="refusal"`)
	first := o.debitXML(file, due[0].Amount.Add(due[1].Amount))
	status, body = o.post(pathMandate, mandate("7", "new", "rum", "PDV-NEXT"))
	o.want("a new mandate", status, 200, body)
	if again := o.debitXML(file, due[0].Amount.Add(due[1].Amount)); !bytes.Equal(first, again) {
		t.Error("the file is another one")
	}
	for _, number := range []string{"0", "1", "x", record(0), "99999999", "99999999999999999999"} {
		if status, _ := o.get(pathDebitFile + "/" + number); status != http.StatusNotFound {
			t.Errorf("file %s: status %d", number, status)
		}
	}
	status, body = o.get(pathDebits + "/" + file)
	o.want("its page", status, 200, body, "envoyé", page.French.Money(due[0].Amount), "2 prélèvements")
	for _, number := range []string{"0", "1", "x", record(0), "99999999", "99999999999999999999"} {
		if status, _ := o.get(pathDebits + "/" + number); status != http.StatusNotFound {
			t.Errorf("page of file %s: status %d", number, status)
		}
	}
	settle := func(key, outcome string, records ...string) (int, string) {
		return o.post(pathSettleDebits, url.Values{"key": {key}, "file": {file}, "outcome": {outcome}, "record": records})
	}
	status, body = settle("odd", "<b>", record(0))
	o.want("an outcome that is none", status, http.StatusBadRequest, body)
	status, body = settle("early", "paye", record(2))
	o.want("what was not sent", status, http.StatusConflict, body, `id="refusal"`)
	for range 2 {
		status, body = settle("paid", "paye", record(0), record(1))
		o.want("paid", status, 200, body, "Prélèvements notés payés", "prélevé")
		status, body = settle("back", "retour", record(1))
		o.want("returned", status, 200, body, "notés rejetés", "rejeté", "suspendu", "impayé")
	}
	o.letSell()
	o.must(o.sys.CheckBooks(ctx))
}

// debitXML is a file of direct debits, which must come to a sum.
func (o *operator) debitXML(number string, want money.Amount) []byte {
	o.t.Helper()
	resp, err := o.client.Get(o.url + pathDebitFile + "/" + number)
	o.must(err)
	file, err := io.ReadAll(resp.Body)
	o.must(err)
	o.must(resp.Body.Close())
	var pain struct {
		Sum   string `xml:"CstmrDrctDbtInitn>GrpHdr>CtrlSum"`
		Count int    `xml:"CstmrDrctDbtInitn>GrpHdr>NbOfTxs"`
	}
	o.must(xml.Unmarshal(file, &pain))
	if pain.Sum != want.String() || pain.Count != 2 || resp.Header.Get("Content-Disposition") != `attachment; filename="prelevements-`+number+`.xml"` || resp.Header.Get("Cache-Control") != "no-store" {
		o.t.Errorf("file %+v, %v; want %s", pain, resp.Header, want)
	}
	return file
}

// letSell lets the outlet that the bank returned sell again.
func (o *operator) letSell() {
	o.t.Helper()
	_, body := o.get(pathOutlets + "?numero=8")
	form := url.Values{"number": {"8"}, "limit": {"3000"}, "key": {"sell"}, "was": {hidden(o.t, body, "was")}}
	status, body := o.post(pathTerms, form)
	o.want("for no reason", status, http.StatusUnprocessableEntity, body, "Motif", `id="refusal"`)
	form.Set("reason", "Virement <b>reçu</b>.")
	for range 2 {
		status, body = o.post(pathTerms, form)
		o.want("sell again", status, 200, body, "Conditions modifiées.", "Virement &lt;b&gt;reçu&lt;/b&gt;.", "le système")
	}
}

// F16, F20, F24: cancels, wins of the outlets' own and the pace of terminals, in any order, on the page and as a file.
func TestReports(t *testing.T) {
	t.Parallel()
	o := accounts(t)
	o.signOn()
	number := regexp.MustCompile(`<tr><th scope="row" class="n"><a href="/office/points-de-vente\?numero=(\d+)">`)
	order := func(body string) (s string) {
		for _, m := range number.FindAllStringSubmatch(body, -1) {
			s += m[1] + " "
		}
		return s
	}
	const days = "&de=2027-01-04&a=2027-01-10"
	for _, name := range []string{"annulations", "gains", "cadence"} {
		status, body := o.get(pathReports + "?rapport=" + name + days + "&tri=sold")
		o.want(name, status, 200, body, `aria-sort="descending"`, "rapport="+name, "csv?")
		if got := order(body); got != "9 8 7 " {
			t.Errorf("%s by sales: %s", name, got)
		}
		_, body = o.get(pathReports + "?rapport=" + name + days + "&tri=sold&sens=montant")
		if got := order(body); got != "7 8 9 " || !strings.Contains(body, `aria-sort="ascending"`) {
			t.Errorf("%s by sales, upwards: %s", name, got)
		}
		status, body = o.get(pathReportCSV + "?rapport=" + name + days + "&tri=outlet")
		rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
		o.must(err)
		if status != 200 || len(rows) != 4 || rows[1][0] != "7" {
			t.Errorf("%s as a file: status %d, %v", name, status, rows)
		}
	}
	lines, err := o.sys.TerminalReport(context.Background(), 20822, 20828)
	o.must(err)
	_, body := o.get(pathReports + "?rapport=cadence" + days)
	o.want("the pace", 200, 200, body, page.French.Money(lines[0].Pace), lines[0].Terminal[:4])
	for query, want := range map[string]int{
		"de=x": 422, "a=x": 422, "de=2027-01-04&a=2027-01-03": 422, "de=2020-01-01&a=2027-01-03": 422, "rapport=%3Cb%3E": 200, "tri=%3Cb%3E": 200, "de=2020-01-01&a=2020-01-02": 200,
	} {
		if status, body := o.get(pathReports + "?" + query); status != want || strings.Contains(body, "<b>") {
			t.Errorf("%s: status %d, want %d", query, status, want)
		}
	}
	if status, _ := o.get(pathReportCSV + "?de=x"); status != 422 {
		t.Errorf("a file of no days: status %d", status)
	}
}

func TestNotices(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(2, 0)
	o.signOn()
	send := func(key string, change ...string) (int, string) {
		form := url.Values{"key": {key}, "outlet": {""}, "fr": {"Fermeture <b>à</b> 20 h."}, "en": {"We close at 8."}, "until": {"2027-01-05T12:00"}}
		for i := 0; i < len(change); i += 2 {
			form[change[i]] = []string{change[i+1]}
		}
		return o.post(pathNotices, form)
	}
	for name, bad := range map[string][]string{
		"no French": {"fr", " "}, "no English": {"en", ""}, "too long": {"fr", strings.Repeat("é", 251)}, "no end": {"until", "x"}, "over": {"until", "2027-01-04T10:00"}, "no outlet": {"outlet", "99"}, "words": {"outlet", "<b>"},
	} {
		status, body := send(name, bad...)
		if status/100 != 4 || !strings.Contains(body, `id="refusal"`) || !strings.Contains(body, `aria-invalid="true"`) || strings.Contains(body, "<b>") {
			t.Errorf("%s: status %d", name, status)
		}
	}
	for range 2 {
		status, body := send("all")
		o.want("to all", status, 200, body, "Message envoyé.", "Fermeture &lt;b&gt;à&lt;/b&gt; 20 h.")
		status, body = send("one", "outlet", "7", "fr", "Bonjour.")
		o.want("to one", status, 200, body, "Message envoyé.", "PDV 7")
	}
	outlets := o.sys.Outlets()
	if a, b := o.sys.Notices(outlets[0].ID), o.sys.Notices(outlets[1].ID); len(a) != 2 || len(b) != 1 || a[0].FR != "Bonjour." {
		t.Errorf("notices %+v, %+v", a, b)
	}
}

// A message is taken back by a button of its line; the list then shows by whom and when.
func TestRetractNotice(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 0)
	o.second()
	o.signOn()
	n, err := o.sys.SetNotice(context.Background(), central.SetNotice{Key: "n", Officer: o.officer, Outlet: o.outlet.ID, FR: "Fermé <b>.", EN: "Closed <b>.", Until: o.time().Add(time.Hour)})
	o.must(err)
	paul := o.as("paul")
	status, body := paul.get(pathNotices)
	o.want("shown", status, 200, body, pathRetract, fmt.Sprintf(`aria-label="Retirer le message n° %d au journal"`, n.Record))
	if strings.Contains(body, "Retirés") {
		t.Error("taken back before it is")
	}
	retract := func(key, record string) (int, string) {
		return paul.post(pathRetract, url.Values{"key": {key}, "record": {record}})
	}
	for range 2 {
		status, body = retract("a", fmt.Sprint(n.Record))
		o.want("taken back", status, 200, body, "Message retiré", "Aucun message n’est affiché.", "Retirés", "Retiré le (Paris)", "paul", "PDV 7", "Fermé &lt;b&gt;.")
	}
	_, english := paul.get(pathNotices + "?lang=en")
	o.want("in English", 200, 200, english, "Taken back (Paris)", "No message is shown.")
	paul.get(pathNotices + "?lang=fr")
	for key, record := range map[string]string{"b": fmt.Sprint(n.Record), "c": "1", "d": "", "e": "<b>", "f": "-1"} {
		status, body = retract(key, record)
		o.want("not shown: "+record, status, http.StatusConflict, body, "Ce message n’est plus affiché.", `id="refusal"`)
	}
	if list := o.sys.Notices(o.outlet.ID); len(list) != 0 {
		t.Errorf("terminals show %+v", list)
	}
}

// What the lottery owes an outlet one officer proposes to pay to it, once, at most
// that, and another approves; only when it owes something has the page the form.
func TestPayOutlet(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 20)
	o.second()
	o.signOn()
	account := func() central.Account {
		a, err := o.sys.OutletAccount(o.outlet.ID)
		o.must(err)
		return a
	}
	pay := func(amount, reason, key string) (int, string) {
		return o.post(pathPayOut, url.Values{"number": {"7"}, "paidout": {amount}, "reason": {reason}, "key": {key}})
	}
	status, body := pay("5", "trop versé", "a")
	o.want("nothing is owed", status, http.StatusConflict, body, "La loterie ne doit pas autant", `value="5" required aria-invalid="true"`, ">trop versé</textarea>")
	if _, body := o.get(pathOutlets + "?numero=7"); strings.Contains(body, pathPayOut) {
		t.Error("the form is there, though nothing is owed")
	}
	o.overpay(o.outlet.ID, account().Owes+3000)
	_, body = o.get(pathOutlets + "?numero=7")
	o.want("received", 200, 200, body, pathPayOut, "La loterie doit à ce point de vente")
	for name, c := range map[string]struct {
		amount, reason string
		status         int
		said           []string
	}{
		"no reason":    {"5", " ", 422, []string{"motif", `value="5" required>`, `aria-describedby="payreason-hint refusal" aria-invalid="true"`}},
		"too much":     {"30,01", "x", 409, []string{"La loterie ne doit pas autant", `value="30,01" required aria-invalid="true"`, ">x</textarea>"}},
		"no amount":    {"x", "y", 422, []string{`value="x" required aria-invalid="true"`, ">y</textarea>"}},
		"nothing":      {"0", "y", 422, []string{`value="0" required aria-invalid="true"`}},
		"below 0":      {"-5", "y", 422, []string{`value="-5" required aria-invalid="true"`}},
		"a fine lie":   {"5", "a\u202eb", 422, []string{`aria-describedby="payreason-hint refusal"`}},
		"hidden marks": {"5", "<b>gras</b>\x00", 422, []string{"&lt;b&gt;gras&lt;/b&gt;"}},
	} {
		status, body = pay(c.amount, c.reason, name)
		o.want(name, status, c.status, body, c.said...)
	}
	if list, err := o.sys.Proposals(context.Background()); err != nil || len(list) != 1 || account().Owes != -3000 {
		t.Errorf("refused, and yet proposed: %+v, %v", list, err)
	}
	for range 2 {
		status, body = pay("20,50", "<b>trop</b> versé", "c")
		o.want("proposed", status, http.StatusOK, body, "Proposition enregistrée.", "Un reversement de 20,50\u00a0€ attend un second responsable")
	}
	_, english := o.get(pathOutlets + "?numero=7&lang=en")
	o.want("in English", 200, 200, english, "A payment of €20.50 to this outlet waits", "Another officer approves it", "To be paid to the outlet")
	o.get(pathOutlets + "?lang=fr")
	if account().Owes != -3000 {
		t.Errorf("one officer paid: the outlet owes %s", account().Owes)
	}
	list, err := o.sys.Proposals(context.Background())
	o.must(err)
	if len(list) != 2 || list[0].Amount != 2050 {
		t.Fatalf("proposals %+v", list)
	}
	decide := func(who *operator, path string) (int, string) {
		return who.post(path, url.Values{"proposal": {fmt.Sprint(list[0].ID)}, "seen": {central.Seen(nil)}, "key": {page.NewKey()}})
	}
	_, mine := o.get(pathProposals)
	o.want("mine", 200, 200, mine, "Reverser à un point de vente ce qui lui est dû", "20,50\u00a0€", "Point de vente n° 7", pathOutlets+"?numero=7", "La loterie lui doit maintenant", "30,00\u00a0€", "&lt;b&gt;trop&lt;/b&gt; versé", "Retirer")
	status, body = decide(o, pathApprove)
	o.want("by the one who proposed", status, http.StatusForbidden, body, "autre responsable")
	paul := o.as("paul")
	_, err = o.sys.Place(context.Background(), central.Place{Key: "late", Terminal: o.terminal, Slip: wager.Slip{
		Game: "ile-au-tresor", Boards: []wager.Board{{QuickPick: true}}, Stake: money.Euros(10), Draws: 1,
	}})
	o.must(err)
	_, late := paul.get(pathProposals)
	o.want("too late", 200, 200, late, "n’est plus possible")
	status, body = decide(paul, pathApprove)
	o.want("too late", status, http.StatusConflict, body, "La loterie ne doit pas autant")
	o.overpay(o.outlet.ID, 500)
	before := account().Owes
	status, body = decide(paul, pathApprove)
	o.want("approved", status, http.StatusOK, body, "Reverser à un point de vente ce qui lui est dû", "20,50\u00a0€")
	if got := account().Owes; got != before+2050 {
		t.Errorf("the outlet owes %s, before it %s", got, before)
	}
	if _, body := o.get(pathOutlets + "?numero=7"); strings.Contains(body, "attend un second responsable") {
		t.Error("the payment still waits")
	}
}

func TestPublishTermsOfOutlets(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.signOn()
	status, body := o.get(pathConditions)
	o.want("none", status, 200, body, "ni seuil, ni commission")
	upload := func(key, book string) (int, string) {
		return o.uploadTo(pathConditions, "outlets.yaml", []byte(book), key)
	}
	book := string(party.TermsBook())
	status, body = upload("a", strings.Replace(book, `payment_max: "500"`, `payment_max: "<b>"`, 1))
	o.want("a wrong amount", status, 422, body, "1 ligne à corriger", "payment_max", "&lt;b&gt;")
	status, body = upload("games", strings.Replace(book, "games: {}", `games:
  keno: {sales: "5", payments: "1"}
  amigo:
    sales: "x"
    payments: "101"`, 1))
	line := strings.Count(book[:strings.Index(book, "games: {}")], "\n") + 1
	o.want("wrong rates of a game", status, 422, body, "2 lignes à corriger", "games.amigo.sales", "games.amigo.payments", fmt.Sprint(">", line+3, "<"), fmt.Sprint(">", line+4, "<"))
	if o.sys.Terms() != nil {
		t.Fatal("a wrong book is published")
	}
	for range 2 {
		status, body = upload("b", book)
		o.want("publish", status, 200, body, "Version 2010 publiée", "500,00\u00a0€", "5\u202f000,00\u00a0€", "5,00\u00a0%", "en vigueur", "12 jours après", "1826 jours après le paiement")
	}
	status, body = upload("c", strings.Replace(strings.Replace(book, `version: "2010"`, `version: "2028"`, 1), "first_day: 2009-11-05", "first_day: 2028-01-01", 1))
	o.want("for later", status, 200, body, "Version 2028 publiée", "à venir")
	status, body = upload("d", book)
	o.want("the same again", status, 409, body, `id="refusal"`)
	status, body = upload("e", "kind: accounts\n")
	o.want("another kind", status, 422, body)
	if status, _ := o.post(pathConditions, url.Values{"key": {"f"}}); status != http.StatusBadRequest {
		t.Errorf("without a file: status %d", status)
	}
}

// overpay books money received beyond what an outlet owes, which two officers do.
func (o *operator) overpay(outlet string, amount money.Amount) {
	o.t.Helper()
	second, key := o.second(), page.NewKey()
	p, err := o.sys.Propose(context.Background(), central.Propose{Key: key, Officer: o.officer, Change: central.Change{
		Act: central.ActReceive, Outlet: outlet, Amount: amount, Reason: "trop versé",
	}})
	o.must(err)
	_, err = o.sys.Approve(context.Background(), central.Decide{Key: key, Officer: second.ID, Proposal: p.ID})
	o.must(err)
}

// Money received up to what an outlet owes one officer books; of more the page asks for a reason, and another approves it.
func TestReceiveBeyondOwed(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 20)
	o.second()
	o.signOn()
	owes := func() money.Amount {
		a, err := o.sys.OutletAccount(o.outlet.ID)
		o.must(err)
		return a.Owes
	}
	before := owes()
	form := url.Values{"number": {"7"}, "amount": {"9999,00"}, "key": {"a"}}
	if _, body := o.get(pathOutlets + "?numero=7"); strings.Contains(body, "overreason") {
		t.Error("a reason is asked for before it is needed")
	}
	status, body := o.post(pathReceive, form)
	o.want("one officer", status, http.StatusConflict, body, "Ce point de vente ne doit pas autant", `value="9999,00" required aria-invalid="true"`, `id="overreason"`, "Un autre responsable l’approuve")
	form.Set("reason", "a\u202eb")
	status, body = o.post(pathReceive, form)
	o.want("a reason that reads odd", status, http.StatusUnprocessableEntity, body, `value="9999,00"`, `aria-describedby="overreason-hint refusal" aria-invalid="true"`)
	form.Set("reason", "<b>deux</b> virements")
	for range 2 {
		status, body = o.post(pathReceive, form)
		o.want("proposed", status, http.StatusOK, body, "Proposition enregistrée.", "Un versement de 9\u202f999,00\u00a0€, au-delà de ce qui est dû, attend un second responsable")
	}
	_, english := o.get(pathOutlets + "?numero=7&lang=en")
	o.want("in English", 200, 200, english, "€9,999.00 received beyond what is owed waits for a second officer")
	o.get(pathOutlets + "?lang=fr")
	if owes() != before {
		t.Errorf("one officer booked it: the outlet owes %s", owes())
	}
	paul := o.as("paul")
	_, seen := paul.get(pathProposals)
	o.want("to decide", 200, 200, seen, "Enregistrer un versement au-delà de ce qui est dû", "Point de vente n° 7", "Il doit maintenant", "&lt;b&gt;deux&lt;/b&gt; virements")
	list, err := o.sys.Proposals(context.Background())
	o.must(err)
	status, body = paul.post(pathApprove, url.Values{"proposal": {fmt.Sprint(list[0].ID)}, "seen": {central.Seen(nil)}, "key": {page.NewKey()}})
	o.want("approved", status, http.StatusOK, body, "Proposition approuvée")
	if owes() != before-999_900 {
		t.Errorf("the outlet owes %s, before it %s", owes(), before)
	}
	o.must(o.sys.CheckBooks(context.Background()))
}

// LIM-credit_alone: above what one officer may give, the page of the outlet asks for a reason and proposes the limit.
func TestRaiseCreditLimit(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.published()
	o.trade(1, 20)
	o.second()
	o.signOn()
	was := termsOf(o.outlet)
	limit := func() money.Amount {
		a, err := o.sys.OutletAccount(o.outlet.ID)
		o.must(err)
		return a.CreditLimit
	}
	status, body := o.get(pathConditions)
	o.want("terms", status, 200, body, "Crédit accordé seul jusqu’à", "10\u202f000,00\u00a0€")
	status, body = o.post(pathOpen, url.Values{"number": {"99"}, "territory": {"metropole"}, "limit": {"10000,01"}, "key": {"new"}})
	o.want("a new outlet", status, http.StatusConflict, body, "Un responsable seul accorde au plus 10\u202f000,00\u00a0€ de crédit", `value="10000,01" required aria-invalid="true"`)
	if _, body := o.get(pathOutlets + "?numero=7"); strings.Contains(body, pathRaise) || !strings.Contains(body, "Un responsable seul : jusqu’à 10\u202f000,00\u00a0€") {
		t.Error("the page proposes a limit before that is needed, or does not tell the bound")
	}
	status, body = o.post(pathTerms, url.Values{"number": {"7"}, "was": {was}, "limit": {"10000,01"}, "key": {"a"}})
	o.want("by one", status, http.StatusConflict, body, "Un responsable seul accorde au plus", `value="10000,01" required aria-invalid="true" aria-describedby="refusal"`, `id="raised"`, pathRaise)
	form := url.Values{"number": {"7"}, "raised": {"12000,00"}, "reason": {"a\u202eb"}, "key": {"b"}}
	status, body = o.post(pathRaise, form)
	o.want("a reason that reads odd", status, http.StatusUnprocessableEntity, body, `value="12000,00"`, `aria-describedby="raisereason-hint refusal" aria-invalid="true"`)
	form.Set("reason", "<b>fêtes</b>")
	low := url.Values{"number": {"7"}, "raised": {"3000"}, "reason": {"fêtes"}, "key": {"c"}}
	status, body = o.post(pathRaise, low)
	o.want("no higher", status, http.StatusConflict, body, "déjà au moins aussi haut", `id="raised" name="raised"`, `value="3000" required aria-invalid="true"`)
	for range 2 {
		status, body = o.post(pathRaise, form)
		o.want("proposed", status, 200, body, "Proposition enregistrée.", "Un plafond de crédit de 12\u202f000,00\u00a0€ attend un second responsable")
	}
	if limit() != money.Euros(3000) {
		t.Errorf("one officer raised the limit to %s", limit())
	}
	paul := o.as("paul")
	_, seen := paul.get(pathProposals)
	o.want("to decide", 200, 200, seen, "Relever le plafond de crédit d’un point de vente", "Point de vente n° 7", "Son plafond est maintenant de", "3\u202f000,00\u00a0€", "&lt;b&gt;fêtes&lt;/b&gt;")
	list, err := o.sys.Proposals(context.Background())
	o.must(err)
	status, body = paul.post(pathApprove, url.Values{"proposal": {fmt.Sprint(list[0].ID)}, "seen": {central.Seen(nil)}, "key": {page.NewKey()}})
	o.want("approved", status, 200, body, "Proposition approuvée")
	if limit() != money.Euros(12_000) {
		t.Errorf("the limit is %s", limit())
	}
	_, body = o.get(pathOutlets + "?numero=7")
	o.want("the outlet", 200, 200, body, "12\u202f000,00\u00a0€", "&lt;b&gt;fêtes&lt;/b&gt;")
	o.must(o.sys.CheckBooks(context.Background()))
}

// What is wrong in a mandate is said at its field, in both languages.
func TestMandateFields(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 20)
	o.signOn()
	for field, c := range map[string]struct{ value, fr, en string }{
		"rum":    {"é€", "La référence a de 1 à 35", "The reference takes 1 to 35"},
		"holder": {" ", "Indiquez le titulaire", "Enter the holder"},
		"signed": {"2090-01-01", "au plus tard aujourd’hui", "today at the latest"},
		"bic":    {"X", "Ce n’est pas un BIC", "This is no BIC"},
	} {
		for lang, sentence := range map[string]string{"fr": c.fr, "en": c.en} {
			o.get(pathOutlets + "?lang=" + lang)
			status, body := o.post(pathMandate, mandate("7", field+lang, field, c.value))
			o.want(field, status, http.StatusUnprocessableEntity, body, sentence)
			_, at, _ := strings.Cut(body, `id="`+field+`"`)
			if input, _, _ := strings.Cut(at, ">"); !strings.Contains(input, `aria-invalid="true" aria-describedby="refusal"`) || strings.Count(body, `aria-invalid="true"`) != 1 {
				t.Errorf("%s is not the one field that is marked: %s", field, input)
			}
		}
	}
}
