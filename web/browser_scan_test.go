package web

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tirage/money"
	"tirage/wager"
)

// types is what a hand scanner does: keys faster than any hand, then Enter,
// wherever the focus is.
func (b *tab) types(text string) {
	b.t.Helper()
	b.load(chromedp.Evaluate[chromedp.Void](`(text => {
		for (const key of [...text, "Enter"]) {
			const at = document.activeElement ?? document.body;
			at.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
		}
	})(` + fmt.Sprintf("%q", text) + `)`))
}

// A hand scanner types over whatever has the focus: the keys of the desk do
// nothing by it, and what it read is on the desk, to be confirmed. Then the
// same ticket is played again by keys alone.
func TestBrowserScanByHand(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(1500), "ile-au-tresor", "amigo")
	b := s.tab(1280, 800)
	b.signOn(s)
	b.open("/terminal?jeu=amigo")
	b.types(s.phone(island, time.Hour))
	b.says(".read", "Bulletin du téléphone")
	b.says(".island .count", "7/7")
	b.says(".basket h2", "0")
	b.whole()
	b.accessible("slip from a phone")
	b.picture("scan-phone")
	b.types(s.phone(island, time.Hour))
	b.says("#check-refusal", "Un bulletin est en cours")
	b.whole()
	b.accessible("busy")
	b.picture("scan-busy")
	b.load(chromedp.KeyEvent(kb.Enter))
	b.says(".slips", "12,00 €")
	b.types(strings.Replace(s.phone(island, time.Hour), "~400~3~", "~400~6~", 1))
	b.says("#check-refusal", "a été modifié")
	b.whole()
	b.picture("scan-altered")
	b.types(s.phone(island, -time.Minute))
	b.says("#check-refusal", "n’est plus valable")
	b.load(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.says(".strip", "À payer 12,00 €")
	code, _, _ := strings.Cut(b.text(".ticket code"), " ")
	b.whole()
	b.picture("scan-sold")

	b.load(chromedp.KeyEvent("z"))
	b.says(".read", "demandez le nombre de tirages")
	b.whole()
	b.accessible("again")
	b.picture("scan-again")
	b.press("2")
	b.load(chromedp.KeyEvent(kb.Enter))
	b.says(".slips", "8,00 €")
	b.types("https://tirage.test/t/" + strings.ReplaceAll(code, "-", ""))
	b.says("#verdict", "En attente")
	b.load(chromedp.KeyEvent("z"))
	b.says(".island .count", "7/7")
	if small := eval[[]string](b, `[...document.querySelectorAll(".again button, .checkform button")].filter(e => e.getBoundingClientRect().height < 44).map(e => e.textContent)`); len(small) > 0 {
		t.Errorf("too small for a finger: %q", small)
	}
}

// A slip of several boards, one of them to be drawn at the sale, stands in
// words on the desk; a quick pick of its only board is confirmed by its key.
func TestBrowserScanBoards(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(1500), "ile-au-tresor", "amigo")
	b := s.tab(1280, 800)
	b.signOn(s)
	b.types(s.phone(wager.Slip{Game: "amigo", Boards: []wager.Board{
		{Picks: [][]int{{1, 6, 11, 16, 21, 26, 31, 36, 41}, {3}}}, {QuickPick: true},
	}, Stake: 200, Draws: 2}, time.Hour))
	b.says(".boards", "Flash × 9")
	b.whole()
	b.picture("scan-boards")
	b.load(chromedp.KeyEvent(kb.Enter))
	b.says(".slips", "8,00 €")
	b.types(s.phone(wager.Slip{Game: "ile-au-tresor", Boards: []wager.Board{{Picks: [][]int{{2, 8}, nil}, QuickPick: true}}, Stake: 200, Draws: 1}, time.Hour))
	b.says(".read", "Flash demandé")
	b.says(".island .count", "2/7")
	b.whole()
	b.accessible("quick pick from a phone")
	b.picture("scan-flash")
	b.load(chromedp.KeyEvent("y"))
	b.says(".slips", "Flash × 5")
	b.says(".till", "10,00 €")
	if n, _ := s.sold(); n != 0 {
		t.Errorf("%d parts sold", n)
	}
}
