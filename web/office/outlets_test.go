package office

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"tirage/central"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
)

// moreOutlets opens outlets with the numbers after the last.
func (o *operator) moreOutlets(count int) {
	o.t.Helper()
	list := o.sys.Outlets()
	for n := range count {
		_, err := o.sys.PutOutlet(context.Background(), central.PutOutlet{Key: fmt.Sprint("more", n), Officer: o.officer, Outlet: party.Outlet{
			Number: list[len(list)-1].Number + 1 + n, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: money.Euros(3000),
		}})
		o.must(err)
	}
}

// Of many outlets a page lists a hundred, each page the next, with the sum of
// all; any of them is found by its number, on whichever page it is.
func TestOutletPages(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 3)
	account, err := o.sys.OutletAccount(o.outlet.ID)
	o.must(err)
	const count = 205
	o.moreOutlets(count - 1)
	o.signOn()
	row := regexp.MustCompile(`<tr><th scope="row" class="n"><a href="\?numero=(\d+)">`)
	owes := page.French.Money(account.Owes)
	var seen []string
	address := pathOutlets + "?lang=fr&page=0"
	for pages := 1; address != ""; pages++ {
		status, body := o.get(address)
		o.want("a page", status, http.StatusOK, body, fmt.Sprintf("%d à %d sur %d", 100*pages-99, min(100*pages, count), count), "Total des 205 points de vente", `<td class="n">`+owes+`</td><td colspan="7">`)
		for _, m := range row.FindAllStringSubmatch(body, -1) {
			seen = append(seen, m[1])
		}
		next := regexp.MustCompile(`<a href="([^"]+)" rel="next">`).FindStringSubmatch(body)
		if address = ""; next != nil {
			address = strings.ReplaceAll(next[1], "&amp;", "&")
		}
	}
	if len(seen) != count || seen[0] != "7" || seen[count-1] != "211" {
		t.Errorf("%d outlets are listed of %d: %v", len(seen), count, seen)
	}
	for query, want := range map[string]string{"page=2": "101 à 200", "page=3": "201 à 205", "page=99": "201 à 205", "page=-1": "1 à 100", "page=x": "1 à 100"} {
		status, body := o.get(pathOutlets + "?" + query)
		o.want(query, status, http.StatusOK, body, want+" sur 205")
	}
	status, body := o.get(pathOutlets + "?numero=+211+")
	o.want("by number", status, http.StatusOK, body, "Point de vente n° 211", "Conditions")
	for _, typed := range []string{"999", "x", "-1", "<b>", "99999999999999999999"} {
		status, body := o.get(pathOutlets + "?" + url.Values{"numero": {typed}}.Encode())
		o.want(typed, status, http.StatusNotFound, body, `id="refusal"`, `required aria-invalid="true" aria-describedby="refusal"`, "1 à 100 sur 205")
		if strings.Contains(body, "<b>211") || strings.Contains(body, `value="<b>"`) {
			t.Errorf("%s: what was typed is not escaped", typed)
		}
	}
}
