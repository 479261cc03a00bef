package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"tirage/central"
	"tirage/wager"
)

// The portal says of a paid ticket when and where it was paid, as the terminal
// does, and of one that was stopped since, nothing that is left to ask for.
func TestPortalPaidWhenAndWhere(t *testing.T) {
	t.Parallel()
	s, code := winner(t, "20000", "20000")
	b := s.signedOn()
	expect(t, b.post("/terminal/paiement", b.post("/terminal/controle", url.Values{"code": {code}}).form("/terminal/paiement")), http.StatusOK, "Gagnant, payé")
	player := s.browser()
	address := "/t/" + strings.ReplaceAll(code, "-", "")
	for range 2 {
		for _, p := range []shown{player.get(address), player.post("/verifier", url.Values{"code": {code}})} {
			expect(t, p, http.StatusOK, "Déjà payé : ", "le 04/01/2027 à 12:01 (heure de Paris), au point de vente 214.")
			if strings.Contains(p.text(), "arrêté") {
				t.Error("the player is sent to a payment centre with a ticket that is paid")
			}
		}
		number, _, err := wager.ParseCode(code)
		check(t, err)
		check(t, s.sys.StopTicket(context.Background(), central.StopTicket{Key: "stop", Officer: s.officer.ID, Ticket: number, Reason: "Vol déclaré."}))
	}
	expect(t, player.get("/verifier"), http.StatusOK, "Il est imprimé au bas du reçu, sous le QR code")
	expect(t, player.get(address+"?lang=en"), http.StatusOK, "Already paid: ", "(Paris time), at outlet 214.")
}
