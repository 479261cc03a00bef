package paper

import (
	"bytes"
	"errors"
	"flag"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	goqr "github.com/piglig/go-qr"

	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/wager"
)

var update = flag.Bool("update", false, "write the golden files anew")

// ticketCase is a ticket of each kind, and what it says beside what every ticket says.
type ticketCase struct {
	name   string
	ticket Ticket
	says   []string
	not    []string
}

const ticketSite = "https://tirage.example"

func ticketBook(t testing.TB, code string, edits ...string) *game.Rules {
	t.Helper()
	b, err := game.Book(game.Code(code))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(edits); i += 2 {
		if !bytes.Contains(b, []byte(edits[i])) {
			t.Fatalf("%s has no %q", code, edits[i])
		}
		b = bytes.ReplaceAll(b, []byte(edits[i]), []byte(edits[i+1]))
	}
	r, err := game.Parse(code, b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func ticketZone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// sold is a ticket for the draws of a day from a number on.
func soldTicket(t testing.TB, r *game.Rules, day game.Day, first, asked, taken int, stake money.Amount, picks ...game.Picks) Ticket {
	t.Helper()
	w := wager.Ticket{
		Number: 1_234_567, Secret: [8]byte{0x5e, 0xc2, 0xe7, 0x01, 0x9a, 0xbc, 0xde, 0xf0}, Rules: r, Stake: stake, Units: int64(stake / r.UnitStake), Asked: asked,
	}
	for _, d := range draw.Plan(r, day) {
		if d.Number >= first && len(w.Draws) < taken {
			w.Draws = append(w.Draws, d)
		}
	}
	if len(w.Draws) != taken {
		t.Fatalf("the day has %d draws from %d on, want %d", len(w.Draws), first, taken)
	}
	for _, p := range picks {
		combinations, err := r.Expand(p)
		if err != nil {
			t.Fatal(err)
		}
		w.Plays = append(w.Plays, wager.Play{Picks: p, Combinations: combinations})
	}
	w.Price = stake.Times(int64(len(w.Combinations()))).Times(int64(taken))
	w.PlacedAt = w.Draws[0].DrawsAt.Add(-3*time.Minute - 29*time.Second)
	return Ticket{Ticket: w, Outlet: 214, Zone: r.Calendar.Zone, Address: TicketAddress(ticketSite, wager.Code(w.Number, w.Secret))}
}

func ticketCases(t testing.TB) []ticketCase {
	t.Helper()
	island, amigo := ticketBook(t, "ile-au-tresor"), ticketBook(t, "amigo")
	straddled := ticketBook(t, "ile-au-tresor", "draws: [[95, 130], [167, 214]]\n    territories", "draws: [[97, 98]]\n    territories")
	monday, february := game.NewDay(2027, 1, 4), game.NewDay(2018, 2, 4)
	seven := game.Picks{{1, 4, 9, 12, 16, 19, 21}, {2}}
	simple := game.Picks{{1, 6, 11, 16, 21, 26, 31, 36, 41}, {3}}
	multiple := game.Picks{{2, 3, 6, 9, 12, 16, 22, 27, 33, 37, 45}, {1, 5}}
	one := soldTicket(t, island, monday, 95, 1, 1, money.Euros(2), seven)
	both := soldTicket(t, straddled, february, 95, 6, 6, money.Euros(20), seven)
	both.Tables = []int{0, 0, 1, 1, 0, 0}
	training := soldTicket(t, island, monday, 95, 2, 2, money.Euros(4), seven)
	training.Training = true
	copied := soldTicket(t, island, monday, 95, 1, 1, money.Euros(2), seven)
	copied.Copy, copied.PrintedAt = 2, copied.PlacedAt.Add(10*time.Minute)
	overseas := soldTicket(t, island, monday, 100, 1, 1, money.Euros(10), seven)
	overseas.Zone, overseas.Outlet = ticketZone(t, "Pacific/Tahiti"), 987
	overseas.PlacedAt = time.Date(2027, 1, 4, 9, 40, 5, 0, time.UTC)
	sameDay := soldTicket(t, island, monday, 95, 1, 1, money.Euros(10), seven)
	sameDay.Zone, sameDay.Outlet = ticketZone(t, "Indian/Reunion"), 974
	jackpot := soldTicket(t, amigo, monday, 17, 1, 1, money.Euros(2), simple)
	jackpot.Jackpot = 26541284
	blanks := soldTicket(t, amigo, monday, 17, 1, 1, money.Euros(2), simple, multiple)
	blanks.Letters = []int{2, 4}
	return []ticketCase{
		{"single", one, []string{"04/01/2027\u00a011:56:31", "lundi 4 janvier 2027", "2,00\u00a0€", "05/03/2027"}, []string{"Paris", "locale", "coupé", "DUPLICATA", "SPÉCIMEN", "Multiplicateur", "tableau"}},
		{"six", soldTicket(t, island, monday, 95, 6, 6, money.Euros(8), seven), []string{"95 à 100", "48,00\u00a0€", "6"}, []string{"coupé"}},
		{"cut", soldTicket(t, island, monday, 128, 6, 3, money.Euros(2), seven), []string{"128 à 130", "6 tirages demandés, coupé à 3", "6,00\u00a0€"}, nil},
		{"tables", both, []string{
			"95 à 100", "n° 97, 98, autre tableau de lots", "rang 7+1, 400\u00a0000,00\u00a0€ au lieu de 200\u00a0000,00\u00a0€", "n° 95, 96, 99, 100, tableau de lots ordinaire",
		}, nil},
		{"amigo", jackpot, []string{"Jackpot minimum", "265\u00a0412,84\u00a0€", "Multiplicateur OUI", "Numéro Jackpot"}, []string{"dessin", "combinaisons", "Numéros Jackpot"}},
		{"amigo-multiple", soldTicket(t, amigo, monday, 17, 1, 1, money.Euros(2), simple, multiple), []string{"A", "B", "Numéros Jackpot\n1\u00a0 5\n", "Jeu multiple : 8 combinaisons", "Mise par tirage et par combinaison", "18,00\u00a0€"}, []string{"Jackpot minimum"}},
		{"amigo-letters", blanks, []string{"B", "D"}, nil},
		{"amigo-draws", soldTicket(t, amigo, monday, 245, 5, 5, money.Euros(4), simple), []string{"245 à 249", "Multiplicateur OUI", "20,00\u00a0€"}, []string{"Jackpot minimum"}},
		{"training", training, []string{"SPÉCIMEN"}, []string{wager.Code(training.Number, training.Secret)}},
		{"reprint", copied, []string{"DUPLICATA 2", "04/01/2027\u00a012:06"}, nil},
		{"overseas", overseas, []string{"03/01/2027\u00a023:40:05", "Enregistré le (heure locale)", "Heure de Paris", "04/01/2027\u00a010:40:05", "987"}, nil},
		{"same-day", sameDay, []string{"Enregistré le (heure locale)", "04/01/2027\u00a014:56:31", "Heure de Paris", "04/01/2027\u00a011:56:31", "974"}, nil},
	}
}

// words are all texts on a roll, from above to below.
func (r *roll) words() string {
	var b strings.Builder
	for _, m := range r.marks {
		if m.words != "" {
			b.WriteString(m.words + "\n")
		}
	}
	return b.String()
}

// golden compares with a file of testdata, or writes it.
func golden(t *testing.T, name string, got []byte, same func(want []byte) bool) {
	t.Helper()
	file := filepath.Join("testdata", "ticket", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !same(want) {
		t.Errorf("%s differs from what is printed now; look at it, then -update", file)
	}
}

// encode writes a picture of two colours, as small as it goes.
func encode(t testing.TB, img *image.Gray) []byte {
	t.Helper()
	two := image.NewPaletted(img.Bounds(), color.Palette{color.Black, color.White})
	for i, v := range img.Pix {
		if v != 0 && v != 0xff {
			t.Fatalf("a dot is neither black nor white but %d", v)
		}
		two.Pix[i] = v & 1
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, two); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// dotsApart is how many dots may differ between processors, whose floating point rounds in other ways.
const dotsApart = 40

func sameDots(t testing.TB, want []byte, got *image.Gray) bool {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	if img.Bounds() != got.Bounds() {
		return false
	}
	apart := 0
	for i, v := range got.Pix {
		if c := color.GrayModel.Convert(img.At(i%got.Stride, i/got.Stride)).(color.Gray); c.Y != v {
			apart++
		}
	}
	return apart <= dotsApart
}

// IAT-5.1: each kind of ticket says what it must, and looks as it did when somebody last looked at it.
func TestIAT_5_1_Paper(t *testing.T) {
	t.Parallel()
	checkTickets(t, "ile-au-tresor")
}

// AMI-4.2: so do the tickets of Amigo.
func TestAMI_4_2_Paper(t *testing.T) {
	t.Parallel()
	checkTickets(t, "amigo")
}

func checkTickets(t *testing.T, code game.Code) {
	t.Helper()
	for _, c := range ticketCases(t) {
		if c.ticket.Rules.Code != code {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := c.ticket.layOut()
			words := r.words()
			every := []string{
				"Enregistré le", "Point d’enregistrement", "Numéro séquentiel", "1234567", "Date de tirage(s) métropolitaine\n", "Tirage(s) n°",
				"Mise par tirage", "Nombre de tirages", "Total à payer", "18+", "09\u00a074\u00a075\u00a013\u00a013", "Gains payables jusqu’au",
			}
			if code == "ile-au-tresor" {
				every = append(every, "Vos lieux\nTour de guet\nBaie des singes\nNid des perroquets\nCaverne aux mygales\nMine d'or\nPort royal\nPont suspendu\nVotre pirate\nLe Féroce\n",
					"La combinaison en toutes lettres est la seule qui compte, non le dessin.")
			}
			joined := strings.ReplaceAll(words, "\n", " ")
			for _, s := range slices.Concat(every, c.says) {
				if !strings.Contains(words, s) && !strings.Contains(joined, s) {
					t.Errorf("the ticket does not say %q", s)
				}
			}
			for _, s := range c.not {
				if strings.Contains(joined, s) {
					t.Errorf("the ticket says %q", s)
				}
			}
			img := c.ticket.Image()
			golden(t, c.name+".txt", []byte(words), func(want []byte) bool { return string(want) == words })
			golden(t, c.name+".png", encode(t, img), func(want []byte) bool { return sameDots(t, want, img) })
			checkRoll(t, r)
		})
	}
}

// checkRoll: everything stands on the paper, and each font has every letter.
func checkRoll(t *testing.T, r *roll) {
	t.Helper()
	for _, m := range r.marks {
		if m.words == "" {
			continue
		}
		if !covers(m.face, m.words) {
			t.Errorf("no letter of the font for some of %q", m.words)
		}
		if end := m.at.X + dotsWide(m.face, m.size, m.words); m.at.X < 0 || end > rollWidth+0.5 || m.at.Y > r.y || m.at.Y < m.size/2 {
			t.Errorf("%q from %.0f to %.0f at %.0f of %.0f, is not on the paper", m.words, m.at.X, end, m.at.Y, r.y)
		}
	}
}

// IAT-5.1, IAT-5.2: a chosen place is a square with a black cross inside, the
// others are empty squares, and the map stands above the words.
func TestIAT_5_2_PaperMap(t *testing.T) {
	t.Parallel()
	tickets := ticketCases(t)
	x := tickets[0].ticket
	img := x.Image()
	r := &roll{y: 8}
	var top float64
	order := ""
	for _, b := range x.blocks() {
		switch b := b.(type) {
		case chart:
			top = r.y + 6
			order += "map "
		case wording:
			order += b.heading + " "
		}
		b.put(r)
	}
	if order != "map Vos lieux Votre pirate " {
		t.Errorf("order of the ticket: %s", order)
	}
	coast := pictureOf(thermalArt("island"))
	for n, e := range x.Rules.Matrices[0].Elements {
		p, _ := spotOf(e.Key)
		mx := int((rollWidth-coast.view.W*chartScale)/2 + (p.X-coast.view.X)*chartScale)
		my := int(top + (p.Y-coast.view.Y)*chartScale)
		chosen := slices.Contains(x.Plays[0].Picks[0], n+1)
		if black := img.GrayAt(mx, my).Y == 0; black != chosen {
			t.Errorf("%s: a cross %v, chosen %v", e.Key, black, chosen)
		}
		edges := 0 // black met going out in four directions: the square
		for _, d := range [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			for i := 12; i <= squareSide/2+2; i++ {
				if img.GrayAt(mx+i*d[0], my+i*d[1]).Y == 0 {
					edges++
					break
				}
			}
		}
		if edges != 4 {
			t.Errorf("%s: %d sides of a square", e.Key, edges)
		}
	}
}

// rasterOf prints ESC/POS as a printer does, and fails on what none would print.
func rasterOf(t testing.TB, b []byte) *image.Gray {
	t.Helper()
	rest, ok := bytes.CutPrefix(b, []byte{0x1b, '@'})
	if !ok {
		t.Fatal("the printer is not reset")
	}
	var rows [][]byte
	width := 0
	for bytes.HasPrefix(rest, []byte{0x1d, 'v', '0', 0}) {
		w, h := int(rest[4])+int(rest[5])<<8, int(rest[6])+int(rest[7])<<8
		if h > bandHeight || width != 0 && w != width {
			t.Fatalf("a band of %d × %d", w*8, h)
		}
		width, rest = w, rest[8:]
		for range h {
			rows, rest = append(rows, rest[:w]), rest[w:]
		}
	}
	if !bytes.Equal(rest, []byte{0x1d, 'V', 66, 24}) {
		t.Fatalf("after the picture: % x, want the cut", rest)
	}
	img := image.NewGray(image.Rect(0, 0, 8*width, len(rows)))
	for y, row := range rows {
		for x := range 8 * width {
			if row[x/8]>>(7-x%8)&1 == 0 {
				img.Pix[y*img.Stride+x] = 0xff
			}
		}
	}
	return img
}

// A printer prints the picture, dot by dot.
func TestTicketESCPOS(t *testing.T) {
	t.Parallel()
	for _, c := range ticketCases(t) {
		want, got := c.ticket.Image(), rasterOf(t, c.ticket.ESCPOS())
		if want.Bounds() != got.Bounds() || !bytes.Equal(want.Pix, got.Pix) {
			t.Errorf("%s: another picture is printed", c.name)
		}
		if want.Bounds().Dx() != 576 {
			t.Errorf("%s: %d dots wide", c.name, want.Bounds().Dx())
		}
	}
}

// run runs a program that reads paper as others do.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, args, err, &said)
	}
	return string(out)
}

// The code on each kind of paper is read by another program and by ours, and
// leads to the ticket: from the picture, from the PDF, and from what a printer
// prints; the PDF has the ticket's words as text. One made in training leads to
// a ticket for terminals in training alone.
func TestTicketCode(t *testing.T) {
	t.Parallel()
	for _, c := range ticketCases(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			pdf, err := c.ticket.PDF()
			if err != nil {
				t.Fatal(err)
			}
			write := func(name string, b []byte) string {
				name = filepath.Join(dir, name)
				if err := os.WriteFile(name, b, 0o600); err != nil {
					t.Fatal(err)
				}
				return name
			}
			file := write("ticket.pdf", pdf)
			run(t, "pdftoppm", "-r", "150", "-png", "-singlefile", file, filepath.Join(dir, "pdf"))
			pictures := []string{write("png.png", encode(t, c.ticket.Image())), write("escpos.png", encode(t, rasterOf(t, c.ticket.ESCPOS()))), filepath.Join(dir, "pdf.png")}
			want := TicketAddress(ticketSite, wager.Code(c.ticket.Number, c.ticket.Secret))
			if c.ticket.Training {
				want = ticketSite + "/specimen/" + strings.ReplaceAll(wager.TrainingCode(c.ticket.Number, c.ticket.Secret), "-", "")
			}
			for _, name := range pictures {
				if got := strings.TrimSpace(run(t, "zbarimg", "-q", "--raw", name)); got != want {
					t.Errorf("%s says %q, want %q", filepath.Base(name), got, want)
				}
				checkOwnRead(t, name, want)
			}
			number, secret, err := ParseTicketAddress(want)
			if c.ticket.Training != errors.Is(err, wager.ErrTraining) || !c.ticket.Training && (number != c.ticket.Number || secret != c.ticket.Secret) {
				t.Errorf("the code leads to ticket %d, %v", number, err)
			}
			flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
			text := flat(run(t, "pdftotext", "-raw", file, "-"))
			for line := range strings.SplitSeq(strings.TrimSpace(c.ticket.layOut().words()), "\n") {
				if !strings.Contains(text, flat(line)) {
					t.Errorf("the PDF does not say %q", line)
				}
			}
		})
	}
}

func checkOwnRead(t *testing.T, name, want string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := goqr.Decode(img); got != want {
		t.Errorf("%s: read as %q, %v, want %q", filepath.Base(name), got, err, want)
	}
}

// Printed again, a ticket is the same to the byte on every kind of paper; a
// reprint differs by what marks it only, and is never a second ticket.
func TestTicketReprint(t *testing.T) {
	t.Parallel()
	first := ticketCases(t)[0].ticket
	for range 2 {
		a, err := first.PDF()
		b, again := first.PDF()
		if err != nil || again != nil || !bytes.Equal(a, b) || !bytes.Equal(first.ESCPOS(), first.ESCPOS()) {
			t.Fatalf("printed again it differs: %v, %v", err, again)
		}
	}
	second := first
	second.Copy, second.PrintedAt = 1, first.PlacedAt.Add(time.Hour)
	marked := second.layOut().words()
	if rest := marked[strings.Index(marked, "Enregistré le"):]; rest != first.layOut().words() || !strings.HasPrefix(marked, "DUPLICATA 1\n") {
		t.Errorf("a reprint says:\n%s", marked)
	}
}

// F21: nothing on a ticket of a terminal in training can be taken for a ticket,
// whatever it is given: its code and address are those of none; and the word
// stands across it. A terminal in training takes no other ticket.
func TestF21_Specimen(t *testing.T) {
	t.Parallel()
	x := ticketCases(t)[0].ticket
	code := wager.Code(x.Number, x.Secret)
	for _, address := range []string{x.Address, code, "", "https://[bad", TicketAddress("", code)} {
		x.Address, x.Training = address, true
		r := x.layOut()
		if words := r.words(); strings.Count(words, "SPÉCIMEN") != 2 || strings.Contains(words, code) {
			t.Errorf("address %q: the ticket says\n%s", address, words)
		}
		if n, _, err := ParseTicketAddress(x.says()); !errors.Is(err, wager.ErrTraining) {
			t.Errorf("address %q: its QR says %q, ticket %d, %v", address, x.says(), n, err)
		}
		if n, secret, err := ParseSpecimenAddress(x.says()); err != nil || n != x.Number || secret != x.Secret {
			t.Errorf("address %q: in training its QR says %q, ticket %d, %v", address, x.says(), n, err)
		}
		letters := 0
		for _, m := range r.marks {
			if m.figure.closed && m.figure.line == 3 {
				letters++
			}
		}
		if letters < 8 {
			t.Errorf("address %q: %d letters across", address, letters)
		}
	}
	for _, text := range []string{code, TicketAddress(ticketSite, code), "http://a.example/specimen/" + TicketAddress("", code)} {
		if n, _, err := ParseSpecimenAddress(text); !errors.Is(err, wager.ErrLive) {
			t.Errorf("%q: ticket %d in training, %v", text, n, err)
		}
	}
	for _, text := range []string{"", ticketSite, ticketSite + "/specimen", "http://%zz/specimen/x", x.says() + "?a=b"} {
		if n, _, err := ParseSpecimenAddress(text); !errors.Is(err, wager.ErrCode) {
			t.Errorf("%q: ticket %d in training, %v", text, n, err)
		}
	}
}

// The address of a ticket is read back, from any site, and so is a code alone.
func TestTicketAddress(t *testing.T) {
	t.Parallel()
	secret := [8]byte{1, 2, 3, 4, 5, 6, 7, 8}
	for _, number := range []wager.ID{0, 1, 1 << 30, 1<<64 - 1} {
		code := wager.Code(number, secret)
		for _, text := range []string{
			TicketAddress("https://tirage.example", code), TicketAddress("http://127.0.0.1:8080/", code), TicketAddress("", code), code, strings.ToLower(code) + "\n",
			"HTTPS://TIRAGE.EXAMPLE/t/" + code,
		} {
			n, s, err := ParseTicketAddress(text)
			if err != nil || n != number || s != secret {
				t.Errorf("%q: ticket %d, %v", text, n, err)
			}
		}
	}
	code := TicketAddress("", wager.Code(1, secret))
	for _, text := range []string{
		"", "https://tirage.example/specimen", "https://tirage.example/" + code, "https://tirage.example/t/", "https://tirage.example/t/" + code + "/x",
		"https://tirage.example/t/" + code + "?a=b", "ftp://tirage.example/t/" + code, "https://%zz/t/" + code, "TIRAGE2~amigo", code[1:],
	} {
		if n, _, err := ParseTicketAddress(text); !errors.Is(err, wager.ErrCode) {
			t.Errorf("%q: ticket %d, %v", text, n, err)
		}
	}
}

// Any ticket of any rule book has room for all that it says.
func TestTicketOfEveryBook(t *testing.T) {
	t.Parallel()
	for name, r := range books(t) {
		rnd := rand.New(rand.NewPCG(1, 2))
		plans := draw.Plan(r, r.FirstDay+7)
		for i := 0; len(plans) == 0 && i < 7; i++ {
			plans = draw.Plan(r, r.FirstDay+game.Day(8+i))
		}
		for range 20 {
			w := wager.Ticket{Number: wager.ID(rnd.Uint64()), Rules: r, Stake: r.Stakes[len(r.Stakes)-1], Units: int64(r.Stakes[len(r.Stakes)-1] / r.UnitStake), Jackpot: money.Amount(rnd.Int64N(1e12))}
			for i := range plans[:min(len(plans), r.DrawCounts[len(r.DrawCounts)-1])] {
				w.Draws = append(w.Draws, plans[(i*(1+rnd.IntN(2)))%len(plans)])
				w.Tables = append(w.Tables, rnd.IntN(len(r.Tables)))
			}
			w.Asked = len(w.Draws) + 1
			for range 1 + rnd.IntN(r.BoardsMax) {
				c := game.Combination(rnd.Int64N(r.Size()))
				w.Plays = append(w.Plays, wager.Play{Picks: r.Picks(c), Combinations: []game.Combination{c, c}})
			}
			w.PlacedAt = time.Unix(1_800_000_000+rnd.Int64N(1e7), 0)
			w.Price = 123_456_789_012
			x := Ticket{Ticket: w, Outlet: rnd.IntN(1e9), Copy: rnd.IntN(1000), Training: rnd.IntN(2) == 0, PrintedAt: w.PlacedAt, Address: TicketAddress("https://a-long-name-of-a-site.of-a-lottery.example", wager.Code(w.Number, w.Secret))}
			r := x.layOut()
			checkRoll(t, r)
			if t.Failed() {
				t.Fatalf("%s: %s", name, r.words())
			}
		}
	}
}

func TestDrawRanges(t *testing.T) {
	t.Parallel()
	for want, list := range map[string][]int{
		"": nil, "95": {95}, "95, 96": {95, 96}, "95 à 97": {95, 96, 97}, "1, 3 à 5, 7, 8": {1, 3, 4, 5, 7, 8}, "249, 250, 1": {249, 250, 1},
	} {
		if got := ranges(list); got != want {
			t.Errorf("%v: %q, want %q", list, got, want)
		}
	}
}

// Whatever a QR code says, it is a ticket's code or is refused; and what is one is written back the same.
func FuzzParseTicketAddress(f *testing.F) {
	for _, s := range []string{"", "https://tirage.example/t/015NM75XGQ706DBSQQGQ", "015N-M75X-GQ70-6DBS-QQGQ", "https://tirage.example/specimen", "TIRAGE2~amigo~x", "http://[::1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		number, secret, err := ParseTicketAddress(s)
		if err != nil {
			if !errors.Is(err, wager.ErrCode) {
				t.Fatal(err)
			}
			return
		}
		again, same, err := ParseTicketAddress(TicketAddress(ticketSite, wager.Code(number, secret)))
		if err != nil || again != number || same != secret {
			t.Fatalf("%q: ticket %d, and then %d, %v", s, number, again, err)
		}
	})
}
