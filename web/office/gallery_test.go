package office

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"tirage/game"
	"tirage/web/page"
	"tirage/web/page/pagetest"
)

func TestGallery(t *testing.T) {
	t.Parallel()
	op := newOperator(t)
	op.trade(3, 20)
	op.tick(time.Date(2027, 1, 4, 11, 6, 0, 0, time.UTC))
	o := office{op.app}
	r := httptest.NewRequest(http.MethodGet, pathDraws, nil)
	framed := func(b page.Base, here string) frame {
		f := o.frame(r, "draws.title", here)
		f.Base = b
		return f
	}
	day, err := o.gameDay(r, "ile-au-tresor", game.NewDay(2027, 1, 4), true)
	op.must(err)
	outlets, err := o.outlets(r, "")
	op.must(err)
	open, err := o.outlets(r, "8")
	op.must(err)
	open.Open.Blocked, open.Refusal, open.Notice, open.Device = true, "Non.", "Oui.", "0123-ABCD"
	rules, err := o.rules(r)
	op.must(err)
	pagetest.Gallery(t, face, "draws.title", []pagetest.Sample{
		{Name: "sign on", Page: "signon", Data: func(b page.Base) any { return signOnPage{Base: b} }},
		{Name: "sign-on refused", Page: "signon", Data: func(b page.Base) any { return signOnPage{b, "marie", "Non."} }},
		{Name: "draws", Page: "draws", Data: func(b page.Base) any {
			return drawsPage{frame: framed(b, pathDraws), Day: 20_000, Before: 19_999, After: 20_001, Games: []gameDay{day}}
		}},
		{Name: "no game, clock off", Page: "draws", Data: func(b page.Base) any {
			return drawsPage{frame: framed(b, pathDraws), Today: true, Stopped: true, Key: "k"}
		}},
		{Name: "outlets", Page: "outlets", Data: func(b page.Base) any {
			p := outlets
			p.frame = framed(b, pathOutlets)
			return p
		}},
		{Name: "no territory", Page: "outlets", Data: func(b page.Base) any {
			return outletsPage{frame: framed(b, pathOutlets), Key: "k"}
		}},
		{Name: "one outlet", Page: "outlets", Data: func(b page.Base) any {
			p := open
			p.frame = framed(b, pathOutlets)
			return p
		}},
		{Name: "rule books", Page: "rules", Data: func(b page.Base) any {
			p := rules
			p.frame, p.Published = framed(b, pathRules), rules.Games[0]
			return p
		}},
		{Name: "faults", Page: "rules", Data: func(b page.Base) any {
			return rulesPage{
				frame: framed(b, pathRules), Key: "k", File: "ile.yaml", Refusal: "Non.",
				Faults: []game.Fault{{File: "ile.yaml", Line: 12, What: "odds", Expected: "3559.59", Got: "<3559.60>"}},
			}
		}},
	})
}
