package office

import (
	"net/http"
	"testing"
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
