package web

import (
	"net/http"
	"strings"
	"testing"

	"tirage/money"
)

// The page of help puts no French blank before a colon in English.
func TestHelpInEnglish(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(100), "ile-au-tresor", "amigo")
	p := s.signedOn().get("/terminal/aide?lang=en")
	expect(t, p, http.StatusOK, "Amigo · ")
	if strings.Contains(p.text(), " :") {
		t.Error("a blank before a colon")
	}
}
