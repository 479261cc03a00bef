package portal

import "net/http"

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
	p.handle(mux, "GET /", p.notFound)
	p.handle(mux, "GET /{$}", p.home)
}

type homePage struct {
	shell
}

func (p portal) home(w http.ResponseWriter, r *http.Request) error {
	s, err := p.shell(r, "home.title", pathHome)
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "home", homePage{s})
}
