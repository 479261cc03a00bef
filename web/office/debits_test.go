package office

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"tirage/journal"
)

// Whatever the number of files, each is found and noted paid or returned: banks
// send debits back for weeks.
func TestDebitFilePages(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	o := newOperator(t)
	o.published()
	const count = filesLength + 2
	o.trade(count, 1)
	o.week(9)
	o.signOn()
	var files []string
	due, err := o.sys.DebitsDue(ctx)
	o.must(err)
	for i, d := range due {
		status, body := o.post(pathMandate, mandate(fmt.Sprint(d.Outlet.Number), fmt.Sprint("m", i)))
		o.want("mandate", status, http.StatusOK, body, "Mandat enregistré.")
		_, file, err := o.sys.SendDebits(ctx, fmt.Sprint("send", i), o.officer, []uint64{d.Statement})
		o.must(err)
		files = append(files, fmt.Sprint(file))
	}
	row := regexp.MustCompile(`<th scope="row" class="n"><a href="/office/prelevements/(\d+)">`)
	var seen []string
	for address := pathDebits; address != ""; {
		status, body := o.get(address)
		o.want("a page of files", status, http.StatusOK, body, fmt.Sprintf("sur %d", count))
		for _, m := range row.FindAllStringSubmatch(body, -1) {
			seen = append([]string{m[1]}, seen...)
		}
		next := regexp.MustCompile(`<a href="([^"]+)" rel="next">`).FindStringSubmatch(body)
		if address = ""; next != nil && len(seen) < 2*count {
			address = strings.ReplaceAll(next[1], "&amp;", "&")
		}
	}
	if fmt.Sprint(seen) != fmt.Sprint(files) {
		t.Fatalf("files %v are listed, want %v", seen, files)
	}
	settle := func(key, file, outcome string, record uint64) (int, string) {
		return o.post(pathSettleDebits, url.Values{"key": {key}, "file": {file}, "outcome": {outcome}, "record": {fmt.Sprint(record)}})
	}
	status, body := settle("a", files[0], "paye", due[0].Statement)
	o.want("the oldest paid", status, http.StatusOK, body, "Fichier "+files[0], "Prélèvements notés payés", "prélevé")
	status, body = settle("b", files[0], "retour", due[0].Statement)
	o.want("the oldest returned", status, http.StatusOK, body, "notés rejetés", "suspendu")
	status, body = settle("c", files[1], "retour", due[0].Statement)
	o.want("again, from another page", status, http.StatusConflict, body, `id="refusal"`, "Fichier "+files[1])
	for _, file := range []string{"", "x", "-1", "<b>"} {
		if status, _ := settle("d"+file, file, "paye", due[1].Statement); status != http.StatusBadRequest {
			t.Errorf("settle in file %q: status %d", file, status)
		}
	}
	o.must(o.sys.CheckBooks(ctx))
}

// More statements than a file has room for are on several pages, and what is
// refused goes back to the page that it was sent from.
func TestDuePages(t *testing.T) {
	t.Parallel()
	q := url.Values{"releves": {"2"}, "fait": {"envoi"}, "fichier": {"9"}, "lang": {"en"}, "page": {"3"}}
	p := pagesOf(pathDebits, q, "releves", journal.DebitLinesMax*2+1, journal.DebitLinesMax)
	want := pages{journal.DebitLinesMax + 1, 2 * journal.DebitLinesMax, 2*journal.DebitLinesMax + 1, pathDebits + "?page=3&releves=1", pathDebits + "?page=3&releves=3"}
	if p != want || !p.Parted() {
		t.Errorf("page %+v, want %+v", p, want)
	}
	for _, none := range []string{"", "0", "-5", "x", "99999999999999999999"} {
		if p := pagesOf(pathDebits, url.Values{"releves": {none}}, "releves", 0, 5); p != (pages{}) || p.Parted() {
			t.Errorf("no line, page %q: %+v", none, p)
		}
	}
	o := accounts(t)
	o.signOn()
	status, body := o.post(pathDebits+"?releves=1", url.Values{"key": {"k"}})
	o.want("nothing ticked", status, http.StatusUnprocessableEntity, body, `action="/office/prelevements?releves=1"`, "cochez-en")
	status, body = o.post(pathDebits+"?releves=%3Cb%3E", url.Values{"key": {"k"}, "record": {"1"}})
	o.want("a page that is none", status, http.StatusConflict, body, `action="/office/prelevements?releves=%3Cb%3E"`)
}
