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

// change has two officers change draws of the day, found by their numbers.
func (l *lottery) change(key string, act central.ChangeAct, shift time.Duration, draws ...int) {
	l.t.Helper()
	ctx := context.Background()
	other, err := l.sys.PutOfficer(ctx, central.PutOfficer{Key: "other", By: l.officer, Login: "other", Password: "battery staple"})
	l.must(err)
	l.must(l.sys.ChangePassword(ctx, central.ChangePassword{Key: "own", Officer: other.ID, Old: "battery staple", New: "correct horse"}))
	c := central.Change{Act: act, Shift: shift, Reason: "panne"}
	for _, n := range draws {
		v, err := l.sys.Draw(ctx, l.game, game.NewDay(2027, 1, 4), n)
		l.must(err)
		c.Draws = append(c.Draws, v.ID)
	}
	p, err := l.sys.Propose(ctx, central.Propose{Key: key, Officer: l.officer, Change: c})
	l.must(err)
	_, err = l.sys.Approve(ctx, central.Decide{Key: key, Officer: other.ID, Proposal: p.ID})
	l.must(err)
}

// movedTexts is what the wall says of moved draws.
func (l *lottery) movedTexts(lang page.Lang) (texts []string) {
	l.t.Helper()
	st, err := l.sys.Status(l.game)
	l.must(err)
	r, err := l.sys.Rules(l.game)
	l.must(err)
	state, err := newState(l.sys, r, st, lang, "")
	l.must(err)
	for _, m := range state.Moved {
		texts = append(texts, spaces.Replace(m.Text))
	}
	return texts
}

// F18: draws that are postponed or cancelled are told as such from the approval
// on until they are drawn: with the day when it is another, several as one.
func TestF18_MovedDraws(t *testing.T) {
	t.Parallel()
	l := newLotteryOf(t, "amigo")
	l.tick("11:31:00")
	says := func(when string, want ...string) {
		t.Helper()
		if got := l.movedTexts(page.French); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	says("as planned")
	l.change("postpone", central.ActPostpone, 12*time.Minute, 90)
	says("approved", "Tirage n° 90 reporté à 11:47")
	l.tick("11:32:00")
	says("on sale again", "Tirage n° 90 reporté à 11:47")
	l.change("run", central.ActPostpone, 30*time.Minute, 96, 97, 98)
	l.change("away", central.ActPostpone, 24*time.Hour, 100, 101)
	l.change("one away", central.ActPostpone, 25*time.Hour, 110)
	l.change("cancel", central.ActCancelDraw, 0, 92, 93)
	l.change("cancel one", central.ActCancelDraw, 0, 95)
	l.tick("11:33:00")
	want := []string{
		"Tirages n° 92 à 93 annulés : mises à rendre", "Tirage n° 90 reporté à 11:47", "Tirage n° 95 annulé : mises à rendre",
		"Tirages n° 96 à 98 reportés, de 12:35 à 12:45", "Tirages n° 100 à 101 reportés au 05/01/2027, de 12:25 à 12:30", "Tirage n° 110 reporté au 05/01/2027 à 14:15",
	}
	says("several", want...)
	english := []string{
		"Draws no. 92 to 93 cancelled, stakes to be given back", "Draw no. 90 postponed to 11:47", "Draw no. 95 cancelled, stakes to be given back",
		"Draws no. 96 to 98 postponed, from 12:35 to 12:45", "Draws no. 100 to 101 postponed to 05/01/2027, from 12:25 to 12:30", "Draw no. 110 postponed to 05/01/2027 at 14:15",
	}
	if got := l.movedTexts(page.English); !slices.Equal(got, english) {
		t.Errorf("in English: %q, want %q", got, english)
	}
	l.tick("11:46:50")
	says("closed", want...)
	l.tick("11:47:01")
	says("drawn", slices.Concat(want[:1], want[2:])...)
}

// Results of a version of a game without multiplier have none, not ×0.
func TestWallWithoutTimes(t *testing.T) {
	t.Parallel()
	l := newLotteryOf(t, "amigo")
	r := httptest.NewRequest(http.MethodGet, "/ecran/amigo?jeu=amigo", nil)
	w, err := newWall(l.app, r, l.streams())
	l.must(err)
	w.State.Last = []result{{ID: 1, Number: 95, Time: "12:00", Sets: [][]string{{"numbers/1"}}}}
	out := httptest.NewRecorder()
	l.must(face.Render(out, r, http.StatusOK, "wall", w))
	if body := out.Body.String(); !strings.Contains(body, `id="times"`) || strings.Contains(body, "×0") {
		t.Error("the wall says ×0, or has no place for a multiplier")
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
			if err != nil || s.Look != page.LookGrid || len(s.Lamps()) != len(m.Elements) {
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
	l := newLotteryOf(t, "amigo")
	l.tick("11:06:00")
	srv := httptest.NewServer(l.handler(l.streams()))
	t.Cleanup(srv.Close)
	v := openWall(t, l, srv.URL+"/ecran/amigo?lang=fr", 1280, 720)
	l.set("11:08:00")
	v.phase("selling")
	v.await(`document.querySelector("#moved").children.length === 0`)
	l.change("run", central.ActPostpone, 24*time.Hour, 86, 87, 88)
	l.change("cancel", central.ActCancelDraw, 0, 85)
	v.await(`document.querySelectorAll("#moved li").length === 2`)
	for _, want := range []string{"Tirage n° 85 annulé : mises à rendre 1/2", "Tirages n° 86 à 88 reportés au 05/01/2027, de 11:15 à 11:25 2/2"} {
		v.await(fmt.Sprintf(`[...document.querySelectorAll("#moved li")].filter((li) => li.checkVisibility()).map((li) => li.textContent.replaceAll(/\s/g, " ")).join() === %q`, want))
		v.await(`[...document.querySelectorAll("#moved li")].every((li) => li.scrollWidth <= li.clientWidth + 1 && li.scrollHeight <= li.clientHeight + 1)`)
		v.await(`document.querySelector(".clock").offsetHeight <= document.querySelector(".head").offsetHeight`) // its words stay on a line
		over, err := chromedp.Run(v.ctx, chromedp.Evaluate[[]string](overflow(1280, 720)))
		l.must(err)
		if len(over) > 0 {
			t.Errorf("outside of the screen: %v", over)
		}
	}
	v.says(".ringed h2", "Tirage n° 89")
	v.accessible()
	v.picture("amigo-moved")
}
