package screen

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/settle"
	"tirage/web/page"
)

func amigo(t *testing.T) *game.Rules {
	t.Helper()
	book, err := game.Book("amigo")
	if err != nil {
		t.Fatal(err)
	}
	r, err := game.Parse("amigo.yaml", book)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// AMI-8.1.2: the wall shows prizes with the multiplier in them, but the jackpot's.
func TestAMI_8_1_2_MultipliedPrizesInWords(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	s := settle.Settlement{Shares: []settle.Share{
		{Tier: 0, Winners: 1, Units: 2, UnitValue: 15_432_098}, {Tier: 7, Winners: 3, Units: 3, UnitValue: 300},
	}}
	list, err := tiers(r, s, 3, page.French)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range list {
		got = append(got, spaces.Replace(strings.Join(line.Hits, "+")+" "+line.Prize+" "+line.Winners))
	}
	want := []string{"9+1 154 320,98 € 1", "9+– 60 000 € 0", "8+– 3 000 € 0", "7+– 300 € 0", "6+– 90 € 0", "5+– 15 € 0", "4+– 6 € 0", "3+– 3 € 3"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if list, err = tiers(r, settle.Settlement{}, 10, page.English); err != nil || list[0].Prize != "jackpot" || list[1].Prize != "€200,000" {
		t.Errorf("without a winner: %+v, %v", list[:2], err)
	}
}

var spaces = strings.NewReplacer("\u00a0", " ", "\u202f", " ")

// F19, AMI-8.2: what became of the jackpot is said by the settlement, for each of its ends, and by nothing before it.
func TestF19_OutcomeOfTheJackpot(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	for _, c := range []struct {
		jackpot settle.Jackpot
		want    string
	}{
		{settle.Jackpot{End: settle.JackpotWon, Paid: 123_456_784}, "Jackpot gagné : 1 234 567,84 € !"},
		{settle.Jackpot{End: settle.JackpotCarried}, "Pas de gagnant du jackpot : il est remis en jeu."},
		{settle.Jackpot{End: settle.JackpotCarried, Extra: settle.ExtraKept}, "Pas de gagnant du jackpot. Tirage supplémentaire (1 chance sur 500) : il est remis en jeu."},
		{settle.Jackpot{End: settle.JackpotRolledDown, Extra: settle.ExtraRolled, Tier: 2, Paid: 100_000_000}, "Tirage supplémentaire (1 chance sur 500) : le jackpot, 1 000 000,00 €, est réparti au rang 8 !"},
		{settle.Jackpot{End: settle.JackpotRolledDown, Extra: settle.CeilingRolled, Tier: 7, Paid: 150_000_000}, "Le jackpot, 1 500 000,00 €, est réparti au rang 3."},
		{settle.Jackpot{End: settle.JackpotReserved, Extra: settle.CeilingRolled}, "Pas de gagnant du jackpot ni aux rangs suivants."},
	} {
		o, err := outcomeOf(r, c.jackpot, page.French)
		if err != nil || spaces.Replace(o.Text) != c.want {
			t.Errorf("%+v: got %q, %v, want %q", c.jackpot, o.Text, err, c.want)
		}
		if _, err := outcomeOf(r, c.jackpot, page.English); err != nil {
			t.Error(err)
		}
	}
	d := central.DrawView{Draw: draw.Draw{ID: 1, Number: 95}, State: draw.Drawn, Result: game.Result{{1, 6, 11, 16, 21, 26, 31, 36, 41}, {3}}, Times: 5}
	res, err := newResult(r, d, page.French)
	if err != nil || res.Outcome != nil || res.Tiers != nil || res.Times != 5 {
		t.Errorf("before the settlement: %+v, %v", res, err)
	}
}

// A draw that is postponed or cancelled is told as such.
func TestMovedDraws(t *testing.T) {
	t.Parallel()
	at := paris("12:40:00")
	for _, c := range []struct {
		state draw.State
		lang  page.Lang
		want  string
	}{
		{draw.Postponed, page.French, "Tirage n° 97 reporté à 12:40"},
		{draw.Cancelled, page.French, "Tirage n° 97 annulé : mises rendues"},
		{draw.Postponed, page.English, "Draw no. 97 postponed to 12:40"},
		{draw.Cancelled, page.English, "Draw no. 97 cancelled, stakes given back"},
	} {
		got, err := movedText(central.DrawView{Draw: draw.Draw{Number: 97, DrawsAt: at}, State: c.state}, c.lang)
		if err != nil || spaces.Replace(got) != c.want {
			t.Errorf("%v in %v: %q, %v", c.state, c.lang, got, err)
		}
	}
}

// A jackpot is written in whole euros, never more than it is; unknown, not at all.
func TestPot(t *testing.T) {
	t.Parallel()
	for amount, want := range map[money.Amount]string{0: "", 25_000_000: "250 000 €", 104_512_399: "1 045 123 €"} {
		if got := spaces.Replace(pot(amount, page.French)); got != want {
			t.Errorf("%v: %q, want %q", amount, got, want)
		}
	}
}

// Each game has its wall, by path or by query; an unknown one has none.
func TestWallOfEachGame(t *testing.T) {
	t.Parallel()
	l := newLotteryOf(t, "amigo")
	for path, want := range map[string]int{"/amigo": http.StatusOK, "?jeu=amigo": http.StatusOK, "/loto-perdu": http.StatusNotFound, "": http.StatusOK} {
		status, body := l.page(path, "fr")
		if status != want || want == http.StatusOK && path != "" && !strings.Contains(body, "<title>Amigo, l’écran") {
			t.Errorf("/ecran%s: status %d\n%.300s", path, status, body)
		}
	}
	_, body := l.page("/amigo", "fr")
	if n := strings.Count(body, "data-lamp="); n != 50 {
		t.Errorf("%d lamps, want 45 numbers and 5 jackpot numbers", n)
	}
}

// Any book that can be published has a wall: what is no map and no column is drawn as balls.
func TestWallOfPlainBooks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"keno-10", "lotto-59", "powerball"} {
		b, err := os.ReadFile("../../game/testdata/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		r, err := game.Parse(name, b)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range r.Matrices {
			s, err := newScene(m, page.French, state{})
			if err != nil || s.Look != balls || len(s.Lamps()) != len(m.Elements) {
				t.Errorf("%s, %s: %s, %v", name, m.Key, s.Look, err)
			}
		}
	}
}

// F17: a draw of Amigo on the screen. Columns spin and stop one after the other
// on what was drawn; the jackpot number and the multiplier come last, each from
// the result's record; what became of the jackpot from the settlement (F19).
func TestF17_AmigoOnTheScreen(t *testing.T) {
	t.Parallel()
	l := newLotteryOf(t, "amigo")
	l.sell(300)
	srv := httptest.NewServer(l.handler(l.streams()))
	t.Cleanup(srv.Close)
	v := openWall(t, l, srv.URL+"/ecran/amigo?lang=fr", 1920, 1080)

	l.tick("11:56:00") // the draws of the last hour, late
	v.phase("draw")
	l.set("11:58:00")
	v.phase("selling")
	before, err := l.sys.Status("amigo")
	l.must(err)
	if !before.JackpotKnown {
		t.Fatal("the jackpot of the next draw is not known")
	}
	v.says("#pot", pot(before.Jackpot, page.French))
	v.says(".ringed h2", "Tirage n° 95")
	v.accessible()
	l.tick("11:59:42")
	v.phase("closed")
	if lit := v.lit(); len(lit) > 0 {
		t.Fatalf("lit after the close: %v", lit)
	}
	l.set("12:00:02") // the draw's time has come, but nothing has drawn
	v.phase("drawing")
	v.says("#times", "×?")
	if lit := v.lit(); len(lit) > 0 {
		t.Fatalf("lit before the record: %v", lit)
	}

	l.tick("12:00:03")
	v.phase("draw")
	want := l.result(95)
	l.set("12:00:14")
	v.await(`document.querySelectorAll(".reel .lit").length >= 5`)
	if lit := v.lit(); len(lit) > 6 || !slices.Equal(sorted(lit), sorted(want[:len(lit)])) {
		t.Errorf("in the middle of the show %v is lit, of %v", lit, want)
	}
	v.says("#times", "×?")
	if v.text("#last") == "" || strings.HasPrefix(v.text("#last h3"), "n° 95") {
		t.Error("the last results give the draw away while it is shown")
	}
	v.accessible()
	v.picture("amigo-draw")
	view, err := l.sys.Draw(context.Background(), "amigo", game.NewDay(2027, 1, 4), 95)
	l.must(err)
	l.set("12:00:27")
	v.says("#times", fmt.Sprintf("×%d", view.Times))
	if lit := v.lit(); !slices.Equal(sorted(lit), sorted(want)) {
		t.Errorf("at the end of the show %v is lit, want %v", lit, want)
	}
	v.picture("amigo-multiplier")
	l.set("12:00:30")
	v.phase("prizes")
	v.await(`document.querySelectorAll("#tiers tbody tr").length === 8`)
	v.says("#outcome", "Pas de gagnant du jackpot\u00a0: il est remis en jeu.")
	v.await(fmt.Sprintf(`document.querySelector("#tiers tr:nth-child(2)").innerText.includes(%q)`, page.French.Euros(money.Euros(20_000).Times(int64(view.Times)))))
	v.accessible()
	v.picture("amigo-prizes")
	l.set("12:01:40")
	v.phase("selling")
	v.says(".ringed h2", "Tirage n° 96")
	v.says("#last li .times", fmt.Sprintf("×%d", view.Times))
	v.picture("amigo")
	over, err := chromedp.Run(v.ctx, chromedp.Evaluate[[]string](overflow(1920, 1080)))
	l.must(err)
	if len(over) > 0 {
		t.Errorf("outside of the screen: %v", over)
	}
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// overflow lists what is seen outside of a screen of a size.
func overflow(width, height int) string {
	return fmt.Sprintf(`[...document.querySelectorAll(".wall *")].filter((el) => {
		const box = el.getBoundingClientRect(), shown = el.checkVisibility({visibilityProperty: true, opacityProperty: true});
		return shown && box.width > 1 && (box.right > %d || box.bottom > %d || box.left < -1 || box.top < -1) && !el.closest("defs, .halo, .light, .island");
	}).map((el) => el.outerHTML.slice(0, 80))`, width+1, height+1)
}

// The wall says that a draw is cancelled or postponed, from the record on.
func TestMovedDrawsOnTheScreen(t *testing.T) {
	t.Parallel()
	l, ctx := newLotteryOf(t, "amigo"), context.Background()
	l.tick("11:06:00")
	srv := httptest.NewServer(l.handler(l.streams()))
	t.Cleanup(srv.Close)
	v := openWall(t, l, srv.URL+"/ecran/amigo?lang=fr", 1280, 720)
	l.set("11:08:00")
	v.phase("selling")
	v.await(`document.querySelector("#moved").children.length === 0`)
	status, err := l.sys.Status("amigo")
	l.must(err)
	other, err := l.sys.PutOfficer(ctx, central.PutOfficer{Key: "other", By: l.officer, Login: "other", Password: "correct horse"})
	l.must(err)
	for i, c := range []central.Change{
		{Act: central.ActPostpone, Draws: []draw.ID{status.Upcoming[1].ID}, Shift: 30 * time.Minute},
		{Act: central.ActCancelDraw, Draws: []draw.ID{status.Upcoming[0].ID}},
	} {
		c.Reason = "panne"
		p, err := l.sys.Propose(ctx, central.Propose{Key: fmt.Sprint(i), Officer: l.officer, Change: c})
		l.must(err)
		_, err = l.sys.Approve(ctx, central.Decide{Key: fmt.Sprint(i), Officer: other.ID, Proposal: p.ID})
		l.must(err)
	}
	v.await(`document.querySelector("#moved").innerText.includes("annulé")`)
	texts, err := chromedp.Run(v.ctx, chromedp.Evaluate[[]string](`[...document.querySelectorAll("#moved li")].map((li) => li.textContent)`))
	l.must(err)
	want := []string{fmt.Sprintf("Tirage n° %d annulé : mises rendues", status.Upcoming[0].Number)}
	for i := range texts {
		texts[i] = spaces.Replace(texts[i])
	}
	if !slices.Contains(texts, want[0]) {
		t.Errorf("the wall says %q, want %q", texts, want)
	}
	v.says(".ringed h2", fmt.Sprintf("Tirage n° %d", status.Upcoming[2].Number))
	over, err := chromedp.Run(v.ctx, chromedp.Evaluate[[]string](overflow(1280, 720)))
	l.must(err)
	if len(over) > 0 {
		t.Errorf("outside of the screen: %v", over)
	}
	v.accessible()
	v.picture("amigo-moved")
}
