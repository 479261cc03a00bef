package office

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// What a form about outlets is refused for stands in the form, before its field,
// which is marked, and on the screen.
func TestRefusalBesideItsField(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 3)
	o.signOn()
	ctx := o.browse()
	o.signOnIn(ctx, "marie")
	for _, x := range []struct {
		name, page, field, typed, before, want string
		marked                                 bool
	}{
		{"limit of a new outlet", pathOutlets, "#new-limit", "abc", `q("#new-number").value = "99"`, "montant", true},
		{"number of a new outlet", pathOutlets, "#new-number", "abc", `q("#new-limit").value = "100"`, "numéro", true},
		{"territory", pathOutlets, "#new-territory", "", `q("#new-number").value = "99"; q("#new-limit").value = "100"; q("#new-territory").innerHTML = "<option value=lune>"`, "", true},
		{"unknown number", pathOutlets + "?numero=999999", "", "", "", "", true},
		{"money", pathOutlets + "?numero=7", "#amount", "abc", "", "montant", true},
		{"limit", pathOutlets + "?numero=7", "#limit", "abc", "", "montant", true},
		{"block", pathOutlets + "?numero=7", "#reason", "", `q("[name=blocked]").checked = true`, "", true},
		{"iban", pathOutlets + "?numero=7", "#iban", "FR00", `q("#holder").value = "Tabac"; q("#rum").value = "M"; q("#signed").value = "2027-01-02"`, "IBAN", true},
		{"mandate", pathOutlets + "?numero=7", "#rum", "é€", `q("#iban").value = "FR1420041010050500013M02606"; q("#holder").value = "Tabac"; q("#signed").value = "2027-01-02"`, "", true},
		{"printer", pathOutlets + "?numero=7", "#printer-1", "abc", "", "", true},
		{"terminal", pathOutlets + "?numero=7", "#terminal-1", " ", "", "", true},
		{"key used", pathOutlets + "?numero=7", "#limit", "100", `q("#limit").form.was.value = "x"`, "", false},
	} {
		t.Run(x.name, func(t *testing.T) {
			o.must(chromedp.Do(ctx, chromedp.Navigate(o.url+x.page), chromedp.WaitReady(chromedp.CSS("main"))))
			if x.field != "" {
				_, err := chromedp.RunResponse(ctx, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => { const q = s => document.querySelector(s), e = q(%q);
					if (e.matches("input, textarea")) e.value = %q; %s; e.form.noValidate = true; e.form.requestSubmit(); })()`, x.field, x.typed, x.before)))
				o.must(err)
				o.must(chromedp.Do(ctx, shows("#refusal")))
			}
			got := eval[string](ctx, o, `(() => {
				const e = document.querySelector("#refusal"), box = e.getBoundingClientRect(), marked = [...e.closest("form")?.querySelectorAll("[aria-invalid][aria-describedby~=refusal]") ?? []]
					.filter(field => getComputedStyle(field).borderColor !== getComputedStyle(document.querySelector("input[type=text]:not([aria-invalid])") ?? document.body).borderColor).length;
				return [box.top >= 0 && box.bottom <= innerHeight ? "" : "off the screen", document.activeElement === e ? "" : "without the focus", e.closest("form") ? "" : "in no form", marked ? "marked" : "", e.textContent].join("|");
			})()`)
			want := "|||" + map[bool]string{true: "marked"}[x.marked] + "|"
			if !strings.HasPrefix(got, want) || !strings.Contains(got, x.want) {
				t.Errorf("the refusal is %q, want %q and %q", got, want, x.want)
			}
			o.shoot(ctx, "refusal-"+strings.ReplaceAll(x.name, " ", "-"))
		})
	}
}
