package web

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tirage/internal/photo"
	"tirage/money"
	"tirage/wager"
)

// types is what a hand scanner does: keys faster than any hand, then Enter,
// wherever the focus is.
func (b *tab) types(text string) {
	b.t.Helper()
	b.load(chromedp.Evaluate[chromedp.Void](`(text => {
		let when = performance.now();
		for (const key of [...text, "Enter"]) {
			const at = document.activeElement ?? document.body, event = new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true});
			Object.defineProperty(event, "timeStamp", {value: when += 5}); // of the scanner, however long this takes
			const typed = at.dispatchEvent(event);
			if (typed && key.length === 1 && at.matches("input[type=text]")) {
				at.value = (at.value + key).slice(0, at.maxLength);
				at.dispatchEvent(new InputEvent("input", {bubbles: true}));
			}
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
	b.do(chromedp.Focus(chromedp.CSS("#typed"))) // where digits tick boxes
	b.types(s.phone(island, time.Hour))
	b.says("#check-refusal", "Un bulletin est en cours")
	b.says(".boards", "Flash × 9")
	if n := eval[int](b, `document.querySelectorAll("[data-matrix] input:checked").length`); n != 0 {
		t.Errorf("a scanner ticked %d boxes", n)
	}
	b.load(chromedp.KeyEvent(kb.Enter))
	b.says(".slips", "8,00 €")
	b.types(s.phone(wager.Slip{Game: "ile-au-tresor", Boards: []wager.Board{{Picks: [][]int{{2, 8}, nil}, QuickPick: true}}, Stake: 200, Draws: 1}, time.Hour))
	b.says(".read", "Bulletin du téléphone avec Flash")
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

// gives hands a file to the page: "drop", "paste", or "choose" for the field of photos.
func (b *tab) gives(how string, file []byte) {
	b.t.Helper()
	b.load(given(how, file))
}

// chooses is gives where the page stays.
func (b *tab) chooses(how string, file []byte) {
	b.t.Helper()
	b.do(given(how, file))
}

// given hands a file to the page.
func given(how string, file []byte) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](`(text => {
		const list = new DataTransfer();
		list.items.add(new File([Uint8Array.from(atob(text), c => c.charCodeAt(0))], "photo.jpg", {type: "image/jpeg"}));
		const how = "` + how + `", photo = document.getElementById("photo");
		if (how === "drop") document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: list, bubbles: true, cancelable: true}));
		if (how === "paste") document.dispatchEvent(new ClipboardEvent("paste", {clipboardData: list, bubbles: true, cancelable: true}));
		if (how === "choose") {
			photo.files = list.files;
			photo.dispatchEvent(new Event("change", {bubbles: true}));
		}
	})(` + fmt.Sprintf("%q", base64.StdEncoding.EncodeToString(file)) + `)`)
}

// A photo of a slip is dropped on the desk, pasted, or chosen on the page that
// scans; a good one fills in the desk, and one that is not is refused where it was given.
func TestBrowserScanPhoto(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(1500), "ile-au-tresor", "amigo")
	l, marks := s.slipOf(island)
	good := photo.JPEG(l, marks, 0.3, seed(1))
	b := s.tab(1280, 800)
	b.signOn(s)
	b.open("/terminal?jeu=amigo")
	b.whole()
	b.gives("drop", good)
	b.says(".read", "Bulletin papier")
	b.says(".island .count", "7/7")
	b.says(".basket h2", "0")
	b.whole()
	b.accessible("slip on paper")
	b.picture("scan-paper")
	b.gives("drop", good)
	b.says("#check-refusal", "Un bulletin est en cours")
	b.says(".read", "Bulletin papier")
	b.whole()
	b.picture("scan-paper-again")
	b.tick("stake", 600) // the address is the script's from here on
	b.do(chromedp.Reload())
	b.says(".read", "Bulletin papier")
	b.tick("stake", 400)
	b.load(chromedp.KeyEvent(kb.Enter))
	b.says(".slips", "12,00 €")
	b.gives("paste", jpegOf(t, photo.Table(0.3, seed(6))))
	b.says("#check-refusal", "Ni bulletin entier, ni code lisible")
	b.says(".slips", "12,00 €")
	b.whole()
	b.picture("scan-nothing")

	b.load(chromedp.KeyEvent(kb.F4))
	b.says("h1", "Lire un bulletin ou un reçu")
	b.whole()
	b.touchable()
	b.accessible("scan")
	b.picture("scan")
	b.gives("choose", jpegOf(t, photo.Pair(l, marks, l, marks, 0.3, seed(4))))
	b.says("#scan-refusal", "plusieurs bulletins")
	b.whole()
	b.accessible("two slips")
	b.picture("scan-two")
	b.gives("choose", jpegOf(t, qrOf(t, s.phone(island, -time.Minute))))
	b.says("#check-refusal", "n’est plus valable")
	b.load(chromedp.KeyEvent(kb.F4))
	b.says("h1", "Lire un bulletin ou un reçu")
	b.gives("paste", jpegOf(t, qrOf(t, s.phone(island, time.Hour))))
	b.says(".read", "Bulletin du téléphone")
	b.load(chromedp.KeyEvent(kb.Enter))
	b.says(".till", "24,00 €")
	if n, _ := s.sold(); n != 0 {
		t.Errorf("%d parts sold by reading", n)
	}
}

// Unsure boxes are shown on the picture and asked about, by keyboard and by
// touch; none is guessed, and what was answered is on the desk.
func TestBrowserScanUnsure(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1500))
	l, marks := s.slipOf(island)
	s.unsure(l, marks)
	file := photo.JPEG(l, marks, 0.3, seed(1))
	b := s.tab(1280, 800)
	b.signOn(s)
	b.load(chromedp.KeyEvent(kb.F4))
	b.says("h1", "Lire un bulletin ou un reçu")
	b.gives("choose", file)
	b.says(".progress", "1/2")
	b.says(".asking", "Le joueur a-t-il coché cette case")
	b.whole()
	b.touchable()
	b.accessible("unsure")
	b.picture("scan-unsure")
	drawn := eval[bool](b, `new Promise((resolve) => { const i = new Image(); i.onload = () => resolve(i.naturalWidth > 1000); i.onerror = () => resolve(false); i.src = document.querySelector(".shot image").getAttribute("href"); })`)
	if !drawn {
		t.Error("the picture is not shown")
	}
	first := b.text("#question")
	b.load(chromedp.KeyEvent("o"))
	b.says(".progress", "2/2")
	if again := b.text("#question"); again == first {
		t.Errorf("asked twice about %s", again)
	}
	b.picture("scan-unsure-last")
	b.load(chromedp.Click(chromedp.CSS(".answers button:last-child"))) // the stake is not marked
	b.says(".read", "Bulletin papier")
	b.says(".island .count", "7/7")
	b.load(chromedp.KeyEvent(kb.Enter))
	b.says("#refusal", "Mise par tirage : aucune n’est cochée")
	b.says(".read", "Bulletin papier")
	b.whole()
	b.picture("scan-paper-refused")
	b.do(pressDigit("2", chromedp.ModifierShift))
	b.load(chromedp.KeyEvent(kb.Enter))
	b.says(".slips", "12,00 €")
}

// The camera shows a slip: it is read by itself, and no more than two pictures
// a second are sent. A camera that is not allowed is said.
func TestBrowserScanCamera(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1500))
	b := s.tab(1280, 800)
	b.signOn(s)
	b.open("/terminal/lecture?lang=fr")
	eval[bool](b, `navigator.mediaDevices.getUserMedia = () => Promise.reject(new Error("denied")), true`)
	b.press(kb.F9)
	b.says("#hint", "photo n’est pas permis")
	code := jpegOf(t, qrOf(t, s.phone(island, time.Hour)))
	eval[bool](b, `(text => new Promise((resolve) => createImageBitmap(new Blob([Uint8Array.from(atob(text), c => c.charCodeAt(0))], {type: "image/jpeg"})).then((code) => {
		const canvas = document.createElement("canvas"), draw = canvas.getContext("2d");
		canvas.width = 1280;
		canvas.height = 720;
		window.shown = false;
		setInterval(() => {
			draw.fillStyle = "#886";
			draw.fillRect(0, 0, 1280, 720);
			if (window.shown) draw.drawImage(code, 380, 100, 480, 480);
			draw.fillRect(0, 0, 1 + Math.random(), 1);
		}, 50);
		navigator.mediaDevices.getUserMedia = () => Promise.resolve(canvas.captureStream(20));
		window.sent = [];
		const ask = fetch;
		window.fetch = (...what) => { window.sent.push(performance.now()); return ask(...what); };
		resolve(true);
	})))(`+fmt.Sprintf("%q", base64.StdEncoding.EncodeToString(code))+`)`)
	b.press(kb.F9)
	b.says("#hint", "Montrez le bulletin ou le code")
	eval[bool](b, `new Promise((resolve) => { const id = setInterval(() => { if (window.sent.length > 2) { clearInterval(id); resolve(true); } }, 50); })`)
	b.whole()
	b.accessible("camera")
	b.picture("scan-camera")
	if gap := eval[float64](b, `Math.min(...window.sent.slice(1).map((at, i) => at - window.sent[i]))`); gap < 495 {
		t.Errorf("pictures are sent %g ms after each other", gap)
	}
	b.load(chromedp.Evaluate[chromedp.Void](`window.shown = true`))
	b.says(".read", "Bulletin du téléphone")
	b.says(".island .count", "7/7")
}
