package portal

import "net/http"

// The addresses of the instant games.
const (
	pathGame = "/jeu" // /jeu/CODE: the scene; POST /jeu/CODE/unite plays a unit; GET /jeu/CODE/unite/N shows one again
)

func (p portal) gameRoutes(mux *http.ServeMux) {}
