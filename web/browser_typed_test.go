package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tirage/money"
)

// A number that is not on the slip marks nothing, not even what it begins with,
// and the field says which it was.
func TestBrowserTypedUnknown(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(600), "ile-au-tresor", "amigo")
	b := hand{tab: s.tab(1280, 800)}
	b.signOn(s)
	b.open("/terminal?jeu=amigo")
	b.says("#quote", "colonne")
	ticked := `[...document.querySelectorAll("[data-matrix] input:checked")].map(e => e.value).join(" ")`
	for _, typed := range []string{"61", "99", "46"} {
		b.enters(typed)
		b.says("#quote", fmt.Sprintf("Pas sur le bulletin : %s.", typed))
		if got := eval[string](b.tab, ticked); got != "" {
			t.Errorf("%s marks %s", typed, got)
		}
	}
	b.picture("typed-unknown")
	b.enters("6 1 77 12")
	b.says("#quote", "Pas sur le bulletin : 77.")
	if got := eval[string](b.tab, ticked); got != "1 6 12" {
		t.Errorf("what is on the slip marks %s", got)
	}
}

// enters types into the field for numbers.
func (h hand) enters(text string) {
	h.t.Helper()
	h.press("n")
	h.await(`document.activeElement.id === "typed"`)
	h.do(chromedp.KeyEvent(text))
	h.await(fmt.Sprintf(`document.getElementById("typed").value === %q`, text))
	h.press(kb.Enter)
	h.await(`document.getElementById("typed").value === ""`)
}
