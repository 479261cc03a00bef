package office

import (
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"tirage/central"
	"tirage/money"
)

const iban = "FR1420041010050500013M02606"

// withdraw asks for amounts to be paid out to a player who has them.
func (o *operator) withdraw(player string, euros ...int64) (records []string) {
	o.t.Helper()
	for i, n := range euros {
		w, err := o.sys.Withdraw(context.Background(), central.Withdraw{Key: fmt.Sprint("w", i), Player: player, Amount: money.Euros(n), IBAN: iban})
		o.must(err)
		records = append(records, fmt.Sprint(w.Record))
	}
	return records
}

func TestWithdrawals(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.second()
	o.web()
	player := o.player("<b>Zoé</b>", "Martin", "zoe@exemple.test", money.Euros(100))
	o.signOn()
	paul := o.as("paul")
	status, body := o.get(pathWithdrawals)
	o.want("none", status, http.StatusOK, body, "Aucun retrait n’est demandé", "La banque n’a rien à payer")
	records := o.withdraw(player, 10, 20, 30)
	_, body = o.get(pathWithdrawals)
	o.want("asked", 200, 200, body, "&lt;b&gt;Zoé&lt;/b&gt; Martin", "FR14 2004 1010 0505 0001 3M02 606", "60,00\u00a0€")

	for name, bad := range map[string]struct {
		records []string
		status  int
	}{
		"none": {nil, 422}, "words": {[]string{"x"}, 409}, "negative": {[]string{"-1"}, 409}, "twice": {[]string{records[0], records[0]}, 409},
		"no withdrawal": {[]string{"0"}, 409}, "far": {[]string{"99999999999999999999"}, 409}, "one of two": {[]string{records[0], "1"}, 409},
	} {
		status, body := o.post(pathWithdrawals, url.Values{"key": {name}, "record": bad.records})
		o.want("send "+name, status, bad.status, body, `class="refusal"`)
	}
	status, body = o.post(pathSettle, url.Values{"key": {"early"}, "record": records[:1], "outcome": {"paye"}})
	o.want("paid before it is sent", status, http.StatusConflict, body, "rechargez la page", `value="`+records[0]+`" id="r`+records[0]+`" aria-label="n° `+records[0]+` au journal" checked`)

	var file string
	for range 2 { // a double click makes one file
		status, body = o.post(pathWithdrawals, url.Values{"key": {"send"}, "record": records[:2]})
		m := regexp.MustCompile(`/office/retraits/fichier/(\d+)`).FindStringSubmatch(body)
		o.want("send", status, http.StatusOK, body, "Fichier de paiement fait")
		if m == nil || file != "" && m[1] != file {
			t.Fatalf("files %v, before %q", m, file)
		}
		file = m[1]
	}
	status, body = paul.post(pathWithdrawals, url.Values{"key": {"send"}, "record": records[:2]})
	o.want("the same by another officer", status, http.StatusConflict, body, "rechargez la page")
	resp, err := o.client.Get(o.url + pathFile + "/" + file)
	o.must(err)
	var pain struct {
		Sum   string `xml:"CstmrCdtTrfInitn>GrpHdr>CtrlSum"`
		Count int    `xml:"CstmrCdtTrfInitn>GrpHdr>NbOfTxs"`
	}
	o.must(xml.NewDecoder(resp.Body).Decode(&pain))
	o.must(resp.Body.Close())
	if pain.Sum != "30.00" || pain.Count != 2 || resp.Header.Get("Content-Disposition") != `attachment; filename="retraits-`+file+`.xml"` || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("file %+v, %v", pain, resp.Header)
	}
	for _, number := range []string{"0", "1", "x", records[0], "99999999", "99999999999999999999"} {
		if status, _ := o.get(pathFile + "/" + number); status/100 != 4 {
			t.Errorf("payment file %s: status %d", number, status)
		}
	}

	status, body = o.post(pathSettle, url.Values{"key": {"odd"}, "record": records[:1], "outcome": {"<b>"}})
	o.want("an outcome that is none", status, http.StatusBadRequest, body)
	status, body = o.post(pathSettle, url.Values{"key": {"paid"}, "record": records[:1], "outcome": {"paye"}})
	o.want("paid", status, http.StatusOK, body, "Retraits notés payés", ">payé<")
	for range 2 {
		status, body = o.post(pathSettle, url.Values{"key": {"back"}, "record": records[1:2], "outcome": {"retour"}})
		o.want("returned", status, http.StatusOK, body, "Retraits notés rendus", ">rendu<")
	}
	if got := o.sys.PlayerBalance(player); got != money.Euros(60) || o.sys.WithdrawalsOwed() != money.Euros(30) {
		t.Errorf("balance %s, owed %s", got, o.sys.WithdrawalsOwed())
	}
	o.must(o.sys.CheckBooks(context.Background()))
}

func TestCards(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.web()
	player := o.player("Zoé", "Martin", "zoe@exemple.test", 0)
	o.signOn()
	ctx := context.Background()
	pay := func(euros int64) string {
		t.Helper()
		address, err := o.sys.BeginCard(ctx, player, "essai", money.Euros(euros), "/")
		o.must(err)
		u, err := url.Parse(address)
		o.must(err)
		return u.Query().Get("reference")
	}
	_, err := o.cards.Pay(pay(10)) // its notice never comes
	o.must(err)
	compare := func(provider, day string) (int, string) {
		return o.post(pathReconcile, url.Values{"provider": {provider}, "day": {day}})
	}
	status, body := compare("essai", "2027-01-04")
	o.want("a payment without a notice", status, http.StatusOK, body, "Aucune différence")
	if got := o.sys.PlayerBalance(player); got != money.Euros(10) {
		t.Errorf("balance %s after reconciliation", got)
	}
	forgotten := pay(20)
	notice, err := o.cards.Pay(forgotten)
	o.must(err)
	_, err = o.sys.CardPaid(ctx, "essai", notice.Header, notice.Body)
	o.must(err)
	o.cards.Forget(forgotten)
	status, body = compare("essai", "2027-01-04")
	o.want("a payment that the provider does not know", status, http.StatusOK, body, "1 paiement diffère", forgotten, "absent", "20,00\u00a0€")
	for _, bad := range [][2]string{{"", "2027-01-04"}, {"<b>", "2027-01-04"}, {"essai", ""}, {"essai", "<b>"}, {"essai", "2027-01-05"}, {"essai", "1900-01-01"}, {"essai", "2027-02-31"}} {
		if status, body := compare(bad[0], bad[1]); status/100 != 4 || strings.Contains(body, "<b>,") {
			t.Errorf("reconcile %q on %q: status %d", bad[0], bad[1], status)
		}
	}
	collect := func(key, provider, amount string) (int, string) {
		return o.post(pathCollect, url.Values{"key": {key}, "provider": {provider}, "amount": {amount}})
	}
	for _, bad := range [][2]string{{"essai", ""}, {"essai", "0"}, {"essai", "-5"}, {"essai", "30,01"}, {"essai", "<b>"}, {"essai", "1e3"}} {
		status, body := collect("bad "+bad[1], bad[0], bad[1])
		if status/100 != 4 || !strings.Contains(body, `id="amount" name="amount" inputmode="decimal" autocomplete="off" value="`+strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(bad[1])+`" required aria-invalid="true"`) {
			t.Errorf("collect %q: status %d", bad[1], status)
		}
	}
	if status, _ := collect("k", "nobody", "5"); status/100 != 4 {
		t.Errorf("collect of a provider that is none: status %d", status)
	}
	for range 2 {
		status, body = collect("c", "essai", "25,50")
		o.want("collect", status, http.StatusOK, body, "Encaissement enregistré", "4,50\u00a0€")
	}
	o.must(o.sys.CheckBooks(ctx))
}
