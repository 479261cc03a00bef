// Package portal is the players' face, at /: results and draws, odds, checking a
// ticket, preparing a slip, a player's account, and the instant game. Draw games
// are not sold here: the regulations sell them at outlets.
package portal

import (
	"embed"
	"net/http"

	"tirage/web/page"
)

//go:embed templates/*.html static active.*.yaml
var files embed.FS

var face = page.MustFace("portal", files)

type portal struct{ app *page.App }

// Routes serves the face.
func Routes(mux *http.ServeMux, app *page.App) {
	p := portal{app}
	app.Mount(mux, face)
	p.publicRoutes(mux)
	p.ticketRoutes(mux)
	p.accountRoutes(mux)
	p.passkeyRoutes(mux)
	p.gameRoutes(mux)
}
