package portal

import (
	"net/http"

	"tirage/web/page"
)

// The addresses of the pages that everybody may see.
const (
	pathHome    = "/"
	pathResults = "/resultats"
	pathDraw    = "/tirage"   // ?id=N
	pathCheck   = "/verifier" // a ticket
	pathPrepare = "/preparer" // a slip
	pathOdds    = "/chances"  // of every game
	pathHelp    = "/jeu-responsable"
)

func (p portal) publicRoutes(mux *http.ServeMux) {
	p.app.Handle(mux, "GET /{$}", face, p.home)
}

type homePage struct {
	page.Base
}

func (p portal) home(w http.ResponseWriter, r *http.Request) error {
	return face.Render(w, r, http.StatusOK, "home", homePage{Base: face.Base(r, "home.title")})
}
