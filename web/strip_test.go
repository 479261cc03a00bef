package web

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"tirage/money"
)

var stripped = regexp.MustCompile(`(?s)<section class="strip.*?</section>`)

// strip is what the player reads.
func (p shown) strip() string {
	return strings.TrimSpace(spaces.ReplaceAllString(tag.ReplaceAllString(stripped.FindString(p.body), " "), " "))
}

// A code that is refused while slips wait in the basket leaves their total before
// the player: what was sold before was for somebody else.
func TestStripAfterARefusedCode(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	b := s.signedOn()
	p := b.post("/terminal/vente", join(b.get("/terminal").form("/terminal/vente"), marks(seven, 1, 200, 2), do("sell")))
	expect(t, p, http.StatusOK, "À payer 4,00 €")
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), marks(seven, 2, 1000, 1), do("add")))
	for _, text := range []string{"1234", "https://example.org/menu", strings.Replace(s.phone(island, time.Hour), "~400~3~", "~400~6~", 1)} {
		if got := b.read(p, text).strip(); !strings.Contains(got, "1 bulletin Total 10,00 €") || strings.Contains(got, "À payer") {
			t.Errorf("after %.9s the player reads %q", text, got)
		}
	}
}
