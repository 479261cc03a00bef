package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"html"
	"image"
	"image/jpeg"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	goqr "github.com/piglig/go-qr"

	"tirage/game"
	"tirage/internal/photo"
	"tirage/money"
	"tirage/paper"
	"tirage/wager"
)

// slipOf is the layout of a game's slip, and its boxes marked as a slip asks.
func (s *shop) slipOf(slip wager.Slip) (*paper.Layout, []paper.Mark) {
	s.t.Helper()
	rules, err := s.sys.Rules(slip.Game)
	check(s.t, err)
	l, err := paper.NewLayout(rules)
	check(s.t, err)
	marks := make([]paper.Mark, len(l.Boxes))
	for i, box := range l.Boxes {
		marks[i] = paper.Empty
		f, marked := box.Field, false
		switch f.Kind {
		case paper.Element:
			if f.Board < len(slip.Boards) {
				for _, n := range slip.Boards[f.Board].Picks[f.Matrix] {
					marked = marked || n == f.N
				}
			}
		case paper.QuickPick:
			marked = f.Board < len(slip.Boards) && slip.Boards[f.Board].QuickPick
		case paper.Stake:
			marked = rules.Stakes[f.N] == slip.Stake
		case paper.Draws:
			marked = rules.DrawCounts[f.N] == slip.Draws
		}
		if marked {
			marks[i] = paper.Marked
		}
	}
	return l, marks
}

// jpegOf is a picture as a camera's file.
func jpegOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	check(t, jpeg.Encode(&b, img, &jpeg.Options{Quality: 85}))
	return b.Bytes()
}

// send sends a picture with the form of the page that scans, or of the desk.
func (b *browser) send(path string, file []byte) shown {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("photo", "photo.jpg")
	check(b.t, err)
	_, err = part.Write(file)
	check(b.t, err)
	check(b.t, form.Close())
	return b.do(http.MethodPost, path, body.String(), http.Header{"Content-Type": {form.FormDataContentType()}})
}

// qrOf is a code as a screen shows it.
func qrOf(t testing.TB, text string) image.Image {
	t.Helper()
	qr, err := goqr.EncodeText(text, goqr.Low)
	check(t, err)
	const scale, quiet = 10, 4
	size := (qr.Size() + 2*quiet) * scale
	img := image.NewGray(image.Rect(0, 0, size, size))
	for i := range img.Pix {
		img.Pix[i] = 250
	}
	for y := range qr.Size() * scale {
		for x := range qr.Size() * scale {
			if qr.Module(x/scale, y/scale) {
				img.Pix[img.PixOffset(x+quiet*scale, y+quiet*scale)] = 20
			}
		}
	}
	return img
}

func seed(n byte) [32]byte { return sha256.Sum256([]byte{n}) }

// A slip that was read is to be confirmed until it is in the basket or cleared, whatever is
// done and refused before: what it was read from stands in the address and in the forms.
func TestSlipReadStaysToBeConfirmed(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(1000), "ile-au-tresor", "amigo")
	b := s.signedOn()
	l, ticks := s.slipOf(island)
	good := photo.JPEG(l, ticks, 0.3, seed(1))
	const words = "Bulletin papier : confirmez-le"
	p := b.send("/terminal/lecture", good)
	expect(t, p, http.StatusOK, words)
	state := p.path + "?" + p.query.Encode()
	expect(t, b.send(strings.Replace(state, "/terminal?", "/terminal/lecture?", 1), good), http.StatusBadRequest, "Un bulletin est en cours", words)
	expect(t, b.read(p, wager.Code(999_999, [8]byte{1})), http.StatusNotFound, "Aucun reçu ne porte ce code", words)
	help := b.get("/terminal/aide?" + p.query.Encode())
	_, back, _ := strings.Cut(help.body, `class="back" href="`)
	back, _, _ = strings.Cut(back, `"`)
	expect(t, b.get(html.UnescapeString(back)), http.StatusOK, words)
	few := join(p.form("/terminal/vente"), marks([]int{1}, 2, 400, 3), do("add"))
	expect(t, b.post("/terminal/vente", few), http.StatusUnprocessableEntity, "Il en manque 6", words)
	for _, form := range []url.Values{join(p.form("/terminal/vente"), marks(seven, 2, 400, 3), do("add")), join(p.form("/terminal/vente"), do("clear")), join(p.form("/terminal/vente"), do("game:amigo"))} {
		if next := b.post("/terminal/vente", form); next.status != http.StatusOK || strings.Contains(next.text(), "confirmez-le") {
			t.Errorf("status %d after %s: %s", next.status, form.Get("do"), next.text())
		}
	}
	if blank := b.get("/terminal?lu=paper"); strings.Contains(blank.text(), words) {
		t.Error("a blank slip was read from paper")
	}
}

// A photo of a slip fills in the desk; of a ticket has it checked; of a phone
// is read as its code. Each refusal says what is wrong, where the photo was sent from.
func TestPhotoOfSlip(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(1000), "ile-au-tresor", "amigo")
	b := s.signedOn()
	l, marks := s.slipOf(island)
	good := photo.JPEG(l, marks, 0.3, seed(1))
	p := b.send("/terminal/lecture?from=scan", good)
	expect(t, p, http.StatusOK, "Bulletin papier", "Panier 0")
	want := "places=1 places=4 places=9 places=12 places=16 places=19 places=21 pirates=2 stake=400 draws=3"
	if got := p.ticks(); got != want {
		t.Errorf("marked %s, want %s", got, want)
	}
	if p.query.Get("from") != "" {
		t.Errorf("the desk stands at %v", p.query)
	}
	busy := b.send("/terminal/lecture?jeu=ile-au-tresor&places=3", good)
	expect(t, busy, http.StatusBadRequest, "Un bulletin est en cours")
	if got := busy.ticks(); got != "places=3" {
		t.Errorf("marked %s after a slip that was refused", got)
	}

	ticket := s.sell(1)[0]
	address := paper.TicketAddress("https://tirage.test", wager.Code(ticket.Number, ticket.Secret))
	expect(t, b.send("/terminal/lecture", jpegOf(t, qrOf(t, address))), http.StatusOK, "En attente")
	expect(t, b.send("/terminal/lecture?from=scan", jpegOf(t, qrOf(t, s.phone(island, time.Hour)))), http.StatusOK, "Bulletin du téléphone")

	amigo, amigoMarks := s.slipOf(wager.Slip{Game: "amigo", Boards: []wager.Board{{Picks: game.Picks{{1, 6, 11, 16, 21, 26, 31, 36, 41}, {3}}}}, Stake: 200, Draws: 2})
	p = b.send("/terminal/lecture", photo.JPEG(amigo, amigoMarks, 0.3, seed(3)))
	expect(t, p, http.StatusOK, "Bulletin papier", "1 combinaison × 2,00 € = 2,00 € par tirage 4,00 €")
	twice := append([]paper.Mark(nil), marks...)
	for i, box := range l.Boxes {
		if box.Field.Kind == paper.Stake && box.Field.N < 2 {
			twice[i] = paper.Marked
		}
	}
	for _, x := range []struct {
		name   string
		file   []byte
		status int
		says   string
	}{
		{"two slips", jpegOf(t, photo.Pair(l, marks, amigo, amigoMarks, 0.3, seed(4))), http.StatusUnprocessableEntity, "plusieurs bulletins"},
		{"a table", jpegOf(t, photo.Table(0.3, seed(6))), http.StatusUnprocessableEntity, "Ni bulletin entier, ni code lisible"},
		{"another page", jpegOf(t, photo.Page(0.3, seed(7))), http.StatusUnprocessableEntity, "photo"},
		{"two stakes", photo.JPEG(l, twice, 0.3, seed(8)), http.StatusUnprocessableEntity, "Plusieurs mises sont cochées"},
		{"a text", []byte("not a picture"), http.StatusUnprocessableEntity, "JPEG"},
		{"a bomb", bomb(t), http.StatusRequestEntityTooLarge, "trop"},
		{"too many bytes", make([]byte, 21<<20), http.StatusRequestEntityTooLarge, "trop"},
		{"nothing", nil, http.StatusUnprocessableEntity, "JPEG"},
	} {
		p := b.send("/terminal/lecture?from=scan&jeu=amigo", x.file)
		expect(t, p, x.status, x.says)
		if !strings.Contains(p.body, `id="scan-refusal"`) || !strings.Contains(p.body, "from=scan&amp;jeu=amigo") {
			t.Errorf("%s: not refused on the page that scans, with the desk as it was", x.name)
		}
	}
	if n, _ := s.sold(); n != 1 {
		t.Errorf("%d parts sold by reading", n)
	}
}

// bomb is a small PNG whose header promises far more pixels than there is memory for.
func bomb(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	check(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))))
	file := b.Bytes()
	binary.BigEndian.PutUint32(file[16:], 60_000)
	binary.BigEndian.PutUint32(file[20:], 60_000)
	binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(file[12:29]))
	return file
}

var pictureAddress = regexp.MustCompile(`href="(/terminal/lecture/photo/[^"]+)"`)

// What is unsure is asked box by box, and not guessed; the picture is its
// session's alone and stands in no cache.
func TestPhotoUnsure(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	b := s.signedOn()
	l, marks := s.slipOf(island)
	asked := s.unsure(l, marks)
	p := b.send("/terminal/lecture", photo.JPEG(l, marks, 0.3, seed(1)))
	expect(t, p, http.StatusOK, "Case à confirmer", "Le joueur a-t-il coché cette case")
	m := pictureAddress.FindStringSubmatch(p.body)
	if m == nil {
		t.Fatalf("no picture at %s: %s", p.path, p.text())
	}
	picture := b.get(m[1])
	if picture.status != http.StatusOK || picture.header.Get("Content-Type") != "image/jpeg" || picture.header.Get("Cache-Control") != "no-store" {
		t.Errorf("picture: %d, %v", picture.status, picture.header)
	}
	if _, err := jpeg.Decode(strings.NewReader(picture.body)); err != nil {
		t.Error(err)
	}
	stranger := s.signedOn() // the same terminal, another session
	if got := stranger.get(m[1]); got.status != http.StatusNotFound {
		t.Errorf("another session is shown the picture: %d", got.status)
	}
	if got := s.browser().get(m[1]); got.path != "/terminal/connexion" {
		t.Errorf("without a session: at %s", got.path)
	}
	n := 0
	for ; strings.Contains(p.body, "Case à confirmer"); n++ {
		if n > asked+8 {
			t.Fatal("the questions do not end")
		}
		yes := regexp.MustCompile(`name="r" value="(\d+\.\d)"`).FindAllStringSubmatch(p.body, -1)
		form := p.form("/terminal/lecture/cases")
		form.Add("r", yes[len(yes)-2][1])
		p = b.get("/terminal/lecture/cases?" + form.Encode())
	}
	if n < asked {
		t.Errorf("%d questions, want at least %d", n, asked)
	}
	expect(t, p, http.StatusOK, "Bulletin papier")
	want := "places=1 places=4 places=9 places=12 places=16 places=19 places=21 pirates=2 stake=400 draws=3"
	if got := p.ticks(); got != want {
		t.Errorf("marked %s, want %s", got, want)
	}
	b.post("/terminal/deconnexion", nil)
	b = s.signedOn()
	if got := b.get(m[1]); got.status != http.StatusNotFound {
		t.Errorf("the next session is shown the picture: %d", got.status)
	}
	expect(t, b.get("/terminal/lecture/cases?photo=x&r=1.2"), http.StatusNotFound, "n’est plus gardée")
}

// unsure makes two of the marks of a slip so light that they must be asked
// about, one of them the stake's, and returns how many.
func (s *shop) unsure(l *paper.Layout, marks []paper.Mark) int {
	n := 0
	for i, box := range l.Boxes {
		if marks[i] == paper.Marked && (box.Field.Kind == paper.Stake || box.Field.Kind == paper.Element && box.Field.Matrix == 0 && n == 0) {
			marks[i] = paper.Unsure
			n++
		}
	}
	return n
}

// Only the page that scans may ask for the camera; and a terminal may send so
// many pictures, whatever it does with them.
func TestScanLimits(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	b := s.signedOn()
	for path, want := range map[string]string{"/terminal": "camera=()", "/": "camera=()", "/terminal/lecture": "camera=(self)"} {
		p := b.get(path)
		if got := p.header.Get("Permissions-Policy"); !strings.HasPrefix(got, want) {
			t.Errorf("%s: Permissions-Policy %q, want %s", path, got, want)
		}
		if csp := p.header.Get("Content-Security-Policy"); csp != policy {
			t.Errorf("%s: %s", path, csp)
		}
	}
	table := jpegOf(t, image.NewGray(image.Rect(0, 0, 64, 64)))
	if p := b.send("/terminal/lecture/image", table); p.status != http.StatusOK || strings.TrimSpace(p.body) != `{"found":false,"unsure":0,"say":""}` {
		t.Errorf("%d %s", p.status, p.body)
	}
	if p := b.send("/terminal/lecture/image", jpegOf(t, qrOf(t, s.phone(island, time.Hour)))); !strings.Contains(p.body, `"found":true`) {
		t.Errorf("%d %s", p.status, p.body)
	}
	if p := b.send("/terminal/lecture/image", make([]byte, 5<<20)); !strings.Contains(p.body, `"found":false`) {
		t.Errorf("%d %s", p.status, p.body)
	}
	for range 400 { // a slow machine gives tries back meanwhile
		if p := b.send("/terminal/lecture/image", table); p.status == http.StatusTooManyRequests {
			for range 400 {
				if p := b.send("/terminal/lecture?from=scan", table); p.status == http.StatusTooManyRequests {
					expect(t, b.get("/terminal"), http.StatusOK)
					return
				}
			}
			t.Fatal("photos are not limited")
		}
	}
	t.Error("pictures of the camera are not limited")
}

// A slip printed for a version of the rules that is no longer sold is read where
// its boxes mean the same, and refused where one could mean something else.
func TestPhotoOfOlderSlip(t *testing.T) {
	t.Parallel()
	old, err := game.Book("ile-au-tresor")
	check(t, err)
	slip := wager.Slip{Game: island.Game, Boards: island.Boards, Stake: island.Stake, Draws: island.Draws}
	for name, x := range map[string]struct {
		from, to string
		status   int
		says     string
	}{
		"a comment":       {"", "", http.StatusOK, "Bulletin papier"},
		"another pirate":  {"La Sauvage", "La Rebelle", http.StatusUnprocessableEntity, "règlement qui n’a plus cours"},
		"number of draws": {"[1, 2, 3, 4, 5, 6]", "[1, 2, 3, 4, 5, 7]", http.StatusUnprocessableEntity, "règlement qui n’a plus cours"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			book := strings.Replace(string(old), x.from, x.to, 1) + "# printed again\n"
			s := newShopWith(t, money.Euros(100), old, []byte(book))
			_, marks := s.slipOf(slip) // as many boxes as on the older one
			before, err := game.Parse("old", old)
			check(t, err)
			if now, err := s.sys.Rules(slip.Game); err != nil || now.Hash == before.Hash {
				t.Fatalf("the first version is still sold, %v", err)
			}
			l, err := paper.NewLayout(before)
			check(t, err)
			p := s.signedOn().send("/terminal/lecture?from=scan", photo.JPEG(l, marks, 0.3, seed(1)))
			expect(t, p, x.status, x.says)
		})
	}
}
