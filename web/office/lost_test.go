package office

import (
	"net/http"
	"strings"
	"testing"

	"tirage/party"
	"tirage/web/page"
)

// The terms and the form of a lost ticket say from which sum who is paid is recorded, and whom that does not concern.
func TestIdentityTold(t *testing.T) {
	t.Parallel()
	o := accounts(t)
	o.makeCentre()
	o.signOn()
	status, body := o.get(pathConditions)
	o.want("the terms", status, http.StatusOK, body, "personne n’est enregistré en dessous de cette somme", "d’un reçu perdu que deux responsables paient, la personne l’est toujours")
	status, body = o.get(ticketAddress(o.winner().Ticket.Number))
	o.want("the form", status, http.StatusOK, body, "La personne est toujours enregistrée, quelle que soit la somme")
}

// The office says of tickets what is so: that a number is no ticket's, where one is
// paid, what takes two officers, and dates in one way.
func TestWordsOfTickets(t *testing.T) {
	t.Parallel()
	o := accounts(t)
	o.signOn()
	status, body := o.get(pathTickets + "?numero=99999999")
	o.want("an unknown number", status, http.StatusNotFound, body, "Aucun reçu n’a ce numéro.", `aria-invalid="true" aria-describedby="refusal"`)
	status, body = o.get(ticketAddress(o.winner().Ticket.Number))
	o.want("a ticket", status, http.StatusOK, body, "<dt>À payer</dt>")
	if strings.Contains(body, "À payer, en centre") {
		t.Error("a ticket that any outlet pays is said to be paid at a centre")
	}
	status, body = o.get(pathProposals)
	o.want("the proposals", status, http.StatusOK, body, "payer un reçu perdu ou lever un arrêt de paiement")
	p := payeePage{Payee: party.Payee{BirthDate: "1980-05-06"}}
	if p.Lang = page.French; p.Born() != "06/05/1980" {
		t.Errorf("born on %s", p.Born())
	}
}
