package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tirage/money"
)

func TestPortalPages(t *testing.T) {
	t.Parallel()
	s, _ := newPortal(t)
	b := s.browser()
	for _, x := range []struct {
		path   string
		status int
		says   []string
	}{
		{"/", http.StatusOK, []string{"Prochain tirage"}},
		{"/resultats", http.StatusOK, []string{"Résultats"}},
		{fmt.Sprintf("/tirage?id=%d", s.last("ile-au-tresor").ID), http.StatusOK, []string{"Vérifiez vous-même"}},
		{fmt.Sprintf("/tirage?id=%d", s.last("amigo").ID), http.StatusOK, []string{"Coefficient"}},
		{"/preparer?jeu=ile-au-tresor&board=1.6.11.16.17.20.21-3&stake=200&draws=2&do=show", http.StatusOK, []string{"bulletin"}},
		{"/chances", http.StatusOK, []string{"1 sur"}},
		{"/jeu-responsable", http.StatusOK, nil},
	} {
		p := b.get(x.path)
		t.Log(x.path)
		expect(t, p, x.status, x.says...)
	}
	_ = strings.ToLower
	_ = money.Euros
}
