package screen

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"tirage/web/page"
	"tirage/web/page/pagetest"
)

func TestGallery(t *testing.T) {
	t.Parallel()
	l := newLottery(t)
	s := l.streams()
	sample := func(name string) pagetest.Sample {
		p, err := newWall(l.app, httptest.NewRequest(http.MethodGet, "/ecran", nil), s)
		l.must(err)
		return pagetest.Sample{Name: name, Page: "wall", Data: func(b page.Base) any {
			p.Base = b
			return p
		}}
	}
	before := sample("before the first draw")
	l.tick("12:31:00")
	results := sample("with results")
	none := pagetest.Sample{Name: "no game yet", Page: "soon", Data: func(b page.Base) any { return soon{b} }}
	pagetest.Gallery(t, face, "title", []pagetest.Sample{none, before, results})
}
