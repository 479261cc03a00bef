package web

import (
	"fmt"
	"testing"
	"time"

	"tirage/money"
)

// What is left of a session, and its draws, are seen whole at 1280 × 800 before the
// end of the day, in both languages, in training too.
func TestBrowserEndOfTheSession(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(600), "ile-au-tresor", "amigo")
	b := s.tab(1280, 800)
	for _, left := range []int{11, 8, 7, 6, 1} {
		s.clock.set(time.Date(2027, 1, 4, 23, 57, 0, 0, time.UTC).Add(-5 * time.Minute * time.Duration(left))) // Amigo ends at 1:00 in Paris
		s.tick()
		if left == 11 {
			b.signOn(s)
		}
		for _, lang := range []string{"fr", "en"} {
			b.open("/terminal?jeu=amigo&lang=" + lang)
			b.says("#upcoming", ":")
			for _, training := range []bool{false, true} {
				if training { // its frame and its bar take room
					eval[bool](b, `(() => { const bar = document.createElement("p"); bar.className = "training-mark"; bar.innerHTML = "<strong>FORMATION</strong>"; document.body.classList.add("training"); document.querySelector("#bar").before(bar); return true; })()`)
				}
				got := eval[string](b, `(() => {
					const slip = document.querySelector(".slip").getBoundingClientRect(), keys = document.querySelector(".actions").getBoundingClientRect(), list = document.getElementById("upcoming");
					const over = [...list.querySelectorAll("li, span")].filter(e => e.getBoundingClientRect().height > 0 && (e.getBoundingClientRect().bottom > keys.top + 1 || e.getBoundingClientRect().right > slip.right + 1));
					return over.length ? "covered: " + over.map(e => e.textContent).join("; ") : document.getElementById("cut") ? "" : "nothing is said";
				})()`)
				if got != "" && (got != "nothing is said" || left <= 10) {
					t.Errorf("%d left, %s, training %v: %s", left, lang, training, got)
				}
				b.picture(fmt.Sprintf("session-%d-%s-%v", left, lang, training))
			}
		}
	}
}
