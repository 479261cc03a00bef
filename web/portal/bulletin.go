package portal

import (
	"fmt"
	"net/http"
	"strings"

	"tirage/game"
	"tirage/paper"
	"tirage/web/page"
)

// pathBulletin gives, by GAME.pdf, the paper slip of a game that is sold, to
// print at true size: of the rules that are in force, so that terminals read it.
const pathBulletin = "/bulletin/"

// bulletinOf is the address of the slip, or "" if no page has room for one.
func bulletinOf(r *game.Rules) string {
	if _, err := paper.NewLayout(r); err != nil {
		return ""
	}
	return pathBulletin + string(r.Code) + ".pdf"
}

func (p portal) bulletin(w http.ResponseWriter, r *http.Request) error {
	code, ok := strings.CutSuffix(r.PathValue("file"), ".pdf")
	if !ok {
		return page.ErrNotFound
	}
	if err := p.app.Checks.Allow("slip/" + p.app.ClientOf(r)); err != nil {
		return err
	}
	rules, err := p.app.Sys.Rules(game.Code(code))
	if err != nil {
		return page.ErrNotFound
	}
	l, err := paper.NewLayout(rules)
	if err != nil { // no page has room for it
		return page.ErrNotFound
	}
	pdf, err := l.PDF()
	if err != nil {
		return fmt.Errorf("slip of %s: %w", code, err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/pdf")
	h.Set("Content-Disposition", fmt.Sprintf(`inline; filename="bulletin-%s.pdf"`, rules.Code))
	_, _ = w.Write(pdf) // the viewer may have gone
	return nil
}
