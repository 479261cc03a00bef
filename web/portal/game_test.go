package portal

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"tirage/art"
	"tirage/central"
	"tirage/game"
	"tirage/instant"
	"tirage/money"
	"tirage/rng"
	"tirage/web/page"
	"tirage/web/page/pagetest"
)

// sampleKey signs the answers of samples.
var sampleKey = ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))

var samplePublic = hex.EncodeToString(sampleKey.Public().(ed25519.PublicKey))

// sampleGame is a game with small pools of the shape of article 3.
func sampleGame() central.InstantGame {
	rules := &instant.Rules{
		Code: "ile-au-tresor-instant", Version: "2009-11-19", Name: game.Text{FR: "L’Île au Trésor", EN: "Treasure Island"},
		Units: 450_000, Scene: instant.Island,
	}
	prizes := []instant.Prize{
		{Amount: 5000_00, Units: 1, Symbol: instant.Candlestick, Of: 3},
		{Amount: 250_00, Units: 3, Symbol: instant.Monkey, Of: 3},
		{Amount: 75_00, Units: 100, Symbol: instant.Sapphire, Of: 3},
		{Amount: 25_00, Units: 1000, Symbol: instant.Skull, Of: 3},
		{Amount: 12_50, Units: 500, Symbol: instant.Candlestick, Of: 2},
		{Amount: 5_00, Units: 2000, Symbol: instant.Monkey, Of: 2},
		{Amount: 1_50, Units: 26_000, Symbol: instant.Sapphire, Of: 2},
		{Amount: 1_00, Units: 38_000, Symbol: instant.Skull, Of: 2},
		{Amount: 50, Units: 52_000, Symbol: instant.Candlestick, Of: 1},
	}
	for _, times := range []int64{1, 2, 4} {
		t := instant.PrizeTable{Price: money.Amount(50).Times(times)}
		for _, p := range prizes {
			p.Amount = p.Amount.Times(times)
			t.Prizes = append(t.Prizes, p)
		}
		rules.Tables = append(rules.Tables, t)
	}
	g := central.InstantGame{Rules: rules, State: central.Launched}
	for i := range rules.Tables {
		p := central.InstantPrice{Table: &rules.Tables[i], Pool: instant.PoolID(i + 1), Number: i + 1, Units: rules.Units, Sold: 12_345 * i, Ahead: 1}
		for _, x := range rules.Tables[i].Prizes {
			p.Left = append(p.Left, x.Units-x.Units*i/37)
		}
		g.Prices = append(g.Prices, p)
	}
	return g
}

// sampleUnit is unit n of a small pool at a price, in which prizes and losing units take turns.
func sampleUnit(t testing.TB, record uint64, price money.Amount, n int) central.PlayedUnit {
	t.Helper()
	g := sampleGame()
	table, err := g.Rules.Table(price)
	must(t, err)
	small := &instant.PrizeTable{Price: price}
	for _, p := range table.Prizes {
		p.Units = 1
		small.Prizes = append(small.Prizes, p)
	}
	pool := instant.Build(small, 12, rng.Seed{1})
	u := central.PlayedUnit{
		Record: record, At: time.Date(2026, 12, 1, 10, 5, 0, 0, time.UTC), Game: g.Rules.Code, Name: g.Rules.Name,
		Pool: 2, Number: 1, Units: 12, Price: price, Leaf: pool.Leaf(n), Root: pool.Root(), Proof: pool.Proof(n),
	}
	u.Prize = u.Leaf.Prize
	board := instant.NewBoard(small, u.Prize, u.Leaf.Seed)
	u.Board = &board
	u.Text = sampleText(t, u)
	u.Signature = ed25519.Sign(sampleKey, u.Text)
	return u
}

// sampleText writes what is signed of a unit, as docs/instant.md says.
func sampleText(t testing.TB, u central.PlayedUnit) []byte {
	t.Helper()
	type board struct {
		Start  int      `json:"start"`
		Chests [][2]int `json:"chests"`
		Throws [][2]int `json:"throws"`
	}
	b := board{Start: int(u.Board.Start)}
	for _, c := range u.Board.Chests {
		b.Chests = append(b.Chests, [2]int{int(c.At), int(c.Symbol)})
	}
	for _, x := range u.Board.Throws {
		b.Throws = append(b.Throws, [2]int{int(x.Direction), x.Squares})
	}
	var proof []string
	for _, h := range u.Proof {
		proof = append(proof, hex.EncodeToString(h[:]))
	}
	text, err := json.Marshal(struct {
		V      int      `json:"v"`
		Log    string   `json:"log"`
		Record uint64   `json:"record"`
		At     int64    `json:"at"`
		Game   string   `json:"game"`
		Pool   int      `json:"pool"`
		Number int      `json:"number"`
		Units  int      `json:"units"`
		Unit   uint64   `json:"unit"`
		Price  int64    `json:"price"`
		Prize  int64    `json:"prize"`
		Seed   string   `json:"seed"`
		Salt   string   `json:"salt"`
		Root   string   `json:"root"`
		Proof  []string `json:"proof"`
		Board  board    `json:"board"`
	}{
		1, "tirage.test/log", u.Record, u.At.UnixMicro(), string(u.Game), int(u.Pool), u.Number, u.Units, u.Leaf.N, int64(u.Price), int64(u.Prize),
		hex.EncodeToString(u.Leaf.Seed[:]), hex.EncodeToString(u.Leaf.Salt[:]), hex.EncodeToString(u.Root[:]), proof, b,
	})
	must(t, err)
	return text
}

// sampleShell is the frame around a sample, for a player who has signed on or for nobody.
func sampleShell(b page.Base, balance money.Amount) shell {
	s := shell{Base: b, Paths: thePaths}
	if balance > 0 {
		s.Player = &signedOn{ID: "5ee5c7a1d2b3f4e6", Name: "Jeanne", Balance: balance}
	}
	return s
}

// gameSamples are the pages of the game as viewers may meet them.
func gameSamples(t testing.TB) []pagetest.Sample {
	scene := func(name string, balance money.Amount, change func(*central.InstantGame)) pagetest.Sample {
		return pagetest.Sample{Name: "game " + name, Page: "game", Data: func(b page.Base) any {
			g := sampleGame()
			change(&g)
			v, err := newGamePage(sampleShell(b, balance), g, samplePublic)
			must(t, err)
			if balance > 0 {
				v.Isle.Tally, v.Isle.Pace = &tally{Minutes: 24, Units: 9, Staked: 9_00, Won: 5_00}, 1800
			}
			return v
		}}
	}
	unit := func(n int) pagetest.Sample {
		return pagetest.Sample{Name: fmt.Sprint("unit ", n), Page: "game_unit", Data: func(b page.Base) any {
			v, err := newUnitPage(sampleShell(b, 24_50), sampleGame(), sampleUnit(t, 4711, 1_00, n), samplePublic)
			must(t, err)
			return v
		}}
	}
	return []pagetest.Sample{
		scene("signed on", 24_50, func(*central.InstantGame) {}),
		{Name: "game during a pause", Page: "game", Data: func(b page.Base) any {
			v, err := newGamePage(sampleShell(b, 24_50), sampleGame(), samplePublic)
			must(t, err)
			v.Isle.Paused = noon
			return v
		}},
		scene("signed out", 0, func(*central.InstantGame) {}),
		scene("a price sold out", 24_50, func(g *central.InstantGame) { g.Prices[0].Stopped, g.Prices[1].Warn = true, true }),
		scene("without a scene", 24_50, func(g *central.InstantGame) { g.Rules.Scene = instant.Plain }),
		scene("not launched", 0, func(g *central.InstantGame) { g.State = central.Unlaunched }),
		scene("launched for a day to come", 24_50, func(g *central.InstantGame) { g.Coming = 20_000 }),
		scene("suspended", 24_50, func(g *central.InstantGame) {
			g.State, g.Message = central.Suspended, game.Text{FR: "Retour à midi.", EN: "Back at noon."}
		}),
		unit(0), unit(5),
		{Name: "unit without a scene", Page: "game_unit", Data: func(b page.Base) any {
			u := sampleUnit(t, 4711, 1_00, 0)
			u.Board = nil
			v, err := newUnitPage(sampleShell(b, 24_50), sampleGame(), u, samplePublic)
			must(t, err)
			return v
		}},
		{Name: "proof", Page: "game_proof", Data: func(b page.Base) any {
			return newProofPage(sampleShell(b, 0), sampleUnit(t, 4711, 1_00, 3), samplePublic, "http://localhost:8080/log/")
		}},
		{Name: "proof of a closed pool", Page: "game_proof", Data: func(b page.Base) any {
			u := sampleUnit(t, 4711, 1_00, 3)
			u.Proof = nil
			return newProofPage(sampleShell(b, 24_50), u, samplePublic, "")
		}},
	}
}

// INS-4.1: the squares that are drawn are those of the island, each in its place.
func TestINS_4_1_SquaresDrawn(t *testing.T) {
	t.Parallel()
	f, err := art.Files.Open("island-game.svg")
	must(t, err)
	defer func() { _ = f.Close() }()
	drawn := map[instant.Square]bool{}
	for x := xml.NewDecoder(f); ; {
		token, err := x.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local != "rect" {
			continue
		}
		a := map[string]string{}
		for _, x := range e.Attr {
			a[x.Name.Local] = x.Value
		}
		n, err := strconv.Atoi(a["id"][1:])
		must(t, err)
		s := instant.Square(n)
		drawn[s] = true
		if a["x"] != strconv.Itoa(105+100*s.Column()) || a["y"] != strconv.Itoa(95+100*s.Row()) {
			t.Errorf("square %s is drawn at %s, %s", squareName(s), a["x"], a["y"])
		}
	}
	for s := range instant.Square(instant.Rows * instant.Columns) {
		if s.Land() != drawn[s] {
			t.Errorf("square %s: land %t, drawn %t", squareName(s), s.Land(), drawn[s])
		}
	}
	if !resting.Land() {
		t.Error("the totem rests in the sea")
	}
}

// During a pause or an exclusion the game says so before anything can be sent.
func TestINS_online_BarredBeforePlay(t *testing.T) {
	t.Parallel()
	for _, until := range []struct{ paused, excluded time.Time }{{paused: noon}, {excluded: noon}} {
		got := pageText(t, "game", func(b page.Base) any {
			v, err := newGamePage(sampleShell(b, 24_50), sampleGame(), samplePublic)
			must(t, err)
			v.Isle.Paused, v.Isle.Excluded = until.paused, until.excluded
			return v
		})
		if strings.Contains(got, `id="play"`) || !strings.Contains(got, "04/01/2027") {
			t.Errorf("%v: the page offers to play, or does not say until when not", until)
		}
	}
}

// A unit that is shown again is said to be played already, and when.
func TestReplaySaid(t *testing.T) {
	t.Parallel()
	got := pageText(t, "game_unit", func(b page.Base) any {
		v, err := newUnitPage(sampleShell(b, 24_50), sampleGame(), sampleUnit(t, 4711, 1_00, 0), samplePublic)
		must(t, err)
		return v
	})
	if !strings.Contains(got, "Rediffusion") || !strings.Contains(got, "01/12/2026") {
		t.Error("the page does not say that it is a replay, or of when")
	}
}

// What is written of chances is the table's, rounded to the hundredth.
func TestUnitsIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		units, winners int
		fr, en         string
	}{
		{450_000, 119_604, "3,76", "3.76"},
		{450_000, 1, "450\u202f000", "450,000"},
		{450_000, 1000, "450", "450"},
		{450_000, 52_000, "8,65", "8.65"},
		{3, 2, "1,5", "1.5"},
		{10, 0, "", ""},
	} {
		if got := unitsIn(page.French, c.units, c.winners); got != c.fr {
			t.Errorf("%d in %d: %q, want %q", c.winners, c.units, got, c.fr)
		}
		if got := unitsIn(page.English, c.units, c.winners); got != c.en {
			t.Errorf("%d in %d: %q, want %q", c.winners, c.units, got, c.en)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
