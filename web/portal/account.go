package portal

import "net/http"

// The addresses of a player's account.
const (
	pathAccount = "/compte"
	pathSignUp  = "/inscription"
	pathSignOn  = "/connexion"
	pathSignOff = "/deconnexion"
	pathHistory = "/compte/historique"
	pathDeposit = "/compte/depot"
)

func (p portal) accountRoutes(mux *http.ServeMux) {}
