package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tirage/game"
	"tirage/money"
	"tirage/wager"
)

// AMI-5.2: the price that the page shows at each click is the one that is
// booked; what is wrong with a shape is said at once, and what still fits is
// one click away.
func TestBrowserAMI_5_2_PriceAsMarked(t *testing.T) {
	t.Parallel()
	s := newShopOfBoth(t, money.Euros(1500))
	b := s.tab(1280, 800)
	b.signOn(s)
	b.open("/terminal?jeu=amigo&lang=fr")
	b.whole()
	b.touchable()
	b.accessible("Amigo, empty")
	b.picture("amigo-terminal-empty")
	b.load(chromedp.KeyEvent("f"))
	b.says(".boards", "Flash")
	b.whole()
	b.touchable()
	b.picture("amigo-terminal-board")
	b.load(chromedp.Click(chromedp.CSS(".boards .remove")))
	for _, n := range nine {
		b.tick("numbers", n)
	}
	b.tick("jackpot", 3)
	b.says("#quote", "1 combinaison")
	b.tick("stake", 200)
	b.says("#quote", "1 combinaison × 2,00 € = 2,00 € par tirage")
	b.tick("numbers", 2)
	b.tick("numbers", 7)
	b.says("#quote", "4 combinaisons × 2,00 € = 8,00 € par tirage")
	b.tick("numbers", 3) // two more in the first column, one in the second
	b.says("#quote", "autant de numéros en plus dans chaque colonne")
	b.says(".column.off", "6") // the second column is the one that lacks one
	b.accessible("Amigo, uneven")
	b.picture("amigo-terminal-uneven")
	b.tick("numbers", 8)
	b.says("#quote", "9 combinaisons × 2,00 € = 18,00 € par tirage")
	b.tick("jackpot", 5)
	b.tick("draws", 5)
	b.says("#quote", "180,00 €, 100,00 € au plus. Possible : 2 tirages : 72,00 €")
	b.says("#quote", "10 combinaisons au plus")
	b.whole()
	b.touchable()
	b.accessible("Amigo, too dear")
	b.picture("amigo-terminal-limit")
	b.load(chromedp.Click(chromedp.CSS("button[value=add]")))
	b.says("#refusal", "180,00 €, au-dessus des 100,00 € permis. Encore possible : 2 tirages ou 10 combinaisons.")
	b.whole()
	b.touchable()
	b.picture("amigo-terminal-refused")
	b.click(".offer")
	b.says("[data-total]", "72,00 €")
	b.picture("amigo-terminal-marked")
	b.load(chromedp.Click(chromedp.CSS("button[value=sell]")))
	b.says(".strip", "À payer 72,00 €")
	b.says(".ticket", "Jeu multiple : 18 combinaisons")
	b.says(".ticket", "Multiplicateur OUI")
	b.whole()
	b.accessible("Amigo, sold")
	b.picture("amigo-terminal")
	if _, owes := s.sold(); owes != 7200 {
		t.Errorf("the page said 72.00, the ledger says %v", owes)
	}
}

// AMI-3.1.7, AMI-5.2: the page counts combinations and prices as the rules do,
// for each shape and reading: what it should say is asked of the rules themselves.
func TestBrowserAMI_3_1_7_CountsAsTheRules(t *testing.T) {
	t.Parallel()
	s := newShopOfBoth(t, money.Euros(1500))
	r, err := s.sys.Rules("amigo")
	check(t, err)
	b := s.tab(1280, 800)
	b.signOn(s)
	b.open("/terminal?jeu=amigo&lang=fr")
	for _, v := range []struct {
		name   string
		change func(*game.Rules)
		before game.Picks // of a board that stands on the slip already
	}{
		{"as it is", func(*game.Rules) {}, nil},
		{"also_max 3", func(r *game.Rules) { r.Multiple.AlsoMax = 3 }, nil},
		{"jackpot_only_multiple refused", func(r *game.Rules) { r.Multiple.AlsoAlone = false }, nil},
		{"shape_scope slip", func(r *game.Rules) { r.Multiple.Scope = game.ShapeBySlip }, extended([]int{2, 2}, 1)},
		{"no multiple play", func(r *game.Rules) { r.Multiple = game.Multiple{Also: -1} }, nil},
	} {
		rules := *r
		v.change(&rules)
		rules.Limit.Max = 0
		marks, want := marksOf(t, &rules, v.before)
		text, err := json.Marshal(marks)
		check(t, err)
		wants, err := json.Marshal(want)
		check(t, err)
		got := eval[[]string](b, fmt.Sprintf(`(async () => {
			const {quoteOf} = await import(document.querySelector("script[src*=terminal]").src.replace("terminal.js", "quote.js"));
			const marks = %s, want = %s, wrong = [];
			for (let n = 0; n < 5 ** 5; n++) { // extras of five columns, the others have none
				const extras = [0, 1, 2, 3, 4].map((i) => Math.floor(n / 5 ** i) %% 5);
				for (let also = 0; also <= 5; also++) {
					const [numbers, jackpot] = marks.matrices;
					numbers.columns = [...extras, 0, 0, 0, 0].map((n) => n + 1);
					numbers.ticked = numbers.columns.reduce((sum, n) => sum + n, 0);
					jackpot.ticked = also;
					const q = quoteOf({...marks, left: Infinity}), right = want[6 * n + also];
					if ((right > 0 ? q.total !== right : q.combinations !== marks.boards.reduce((sum, b) => sum + b.combinations, 0)) || right > 0 && q.fault) wrong.push(extras + "+" + also + ": " + q.total + " for " + right);
				}
			}
			return wrong.slice(0, 5);
		})()`, text, wants))
		if len(got) > 0 {
			t.Errorf("%s: priced otherwise than the rules: %q", v.name, got)
		}
	}
}

// extended are marks with so many extra numbers in the first columns, one in
// each of the others, and so many jackpot numbers.
func extended(extras []int, also int) game.Picks {
	p := make(game.Picks, 2)
	for column := range 9 {
		n := 1
		if column < len(extras) {
			n += extras[column]
		}
		for i := range n {
			p[0] = append(p[0], 5*column+1+i)
		}
	}
	for i := range also {
		p[1] = append(p[1], 1+i)
	}
	return p
}

// marksOf are the marks of a page of these rules, without ticks, and the price by the
// rules of each extension of five columns with 0 to 5 jackpot numbers: 0 where they refuse it.
func marksOf(t *testing.T, r *game.Rules, before game.Picks) (marks map[string]json.RawMessage, want []money.Amount) {
	t.Helper()
	type matrix struct {
		Key    string `json:"key"`
		Pick   int    `json:"pick"`
		Most   int    `json:"most"`
		Also   bool   `json:"also"`
		Ticked int    `json:"ticked"`
		Cols   []int  `json:"columns"`
	}
	type board struct {
		Combinations int64  `json:"combinations"`
		Shape        string `json:"shape"`
	}
	shapes, most := []string{}, 9
	for _, s := range r.Multiple.Shapes {
		shapes, most = append(shapes, fmt.Sprintf("%dx%d", s.Extras, s.Columns)), 45
	}
	boards, slip := []board{}, wager.Slip{Game: r.Code, Stake: 200, Draws: 1}
	if before != nil {
		shape, also, err := r.ShapeOf(before)
		check(t, err)
		boards = append(boards, board{shape.Combinations(also), fmt.Sprintf("%dx%d", shape.Extras, shape.Columns)})
		slip.Boards = append(slip.Boards, wager.Board{Picks: before})
	}
	marks = map[string]json.RawMessage{}
	for name, value := range map[string]any{
		"matrices": []matrix{{"numbers", 9, most, false, 0, nil}, {"jackpot", 1, max(1, r.Multiple.AlsoMax), r.Multiple.Also >= 0, 0, []int{}}},
		"shapes":   shapes, "alone": r.Multiple.AlsoAlone, "slip": r.Multiple.Scope == game.ShapeBySlip, "boards": boards,
		"stake": 200, "draws": 1, "stakes": []int{200}, "counts": []int{1}, "limit": 0, "scope": "total", "plays": "all",
	} {
		text, err := json.Marshal(value)
		check(t, err)
		marks[name] = text
	}
	allowed := 0
	for n := range 5 * 5 * 5 * 5 * 5 {
		extras := []int{n % 5, n / 5 % 5, n / 25 % 5, n / 125 % 5, n / 625}
		for also := range 6 {
			asked := slip
			asked.Boards = append(slices.Clip(slip.Boards), wager.Board{Picks: extended(extras, also)})
			price := money.Amount(0)
			if w, err := wager.New(r, asked); err == nil {
				price = w.Price(1)
				allowed++
			}
			want = append(want, price)
		}
	}
	if allowed == 0 {
		t.Fatal("the rules allow nothing")
	}
	return marks, want
}

// AMI-5.2: what a quick pick above the limit may be instead stays on the page,
// though no tick shows it, and is taken.
func TestBrowserAMI_5_2_OffersOfAQuickPick(t *testing.T) {
	t.Parallel()
	s := newShopOfBoth(t, money.Euros(1500))
	b := s.tab(1280, 800)
	b.signOn(s)
	b.open("/terminal?jeu=amigo&lang=fr")
	b.click(`input[name=shape][value="2x3"]`)
	b.tick("stake", 200)
	b.tick("draws", 2)
	b.load(chromedp.Click(chromedp.CSS("button[value=flash]"))) // 27 × 2 € × 2
	b.says("#refusal", "108,00 €, au-dessus des 100,00 € permis")
	b.says("#quote .offer", "1 tirage : 54,00 €")
	b.picture("amigo-terminal-flash-limit")
	b.click("#quote .offer")
	b.load(chromedp.Click(chromedp.CSS("button[value=flash]")))
	b.says(".till", "54,00 €")
}

// Script says the same words as the server, in both languages: one draw is no "1 draws".
func TestBrowserOneWording(t *testing.T) {
	t.Parallel()
	s := newShopOfBoth(t, money.Euros(1500))
	plain := s.signedOn()
	b := s.tab(1280, 800)
	b.signOn(s)
	// 16 combinations × 4 € × 2 draws = 128 €: one draw, or 2 €
	dear := amigoMarks([]int{1, 2, 6, 7, 11, 12, 16, 17, 21, 26, 31, 36, 41}, []int{1}, 400, 2)
	for _, lang := range []string{"fr", "en"} {
		p := plain.get(amigoDesk + "&lang=" + lang)
		p = plain.post("/terminal/vente", join(p.sale(), dear, do("add")))
		_, quote, _ := strings.Cut(p.body, `data-fits>`)
		quote, _, _ = strings.Cut(quote, "</p>")
		want := strings.TrimSpace(shown{body: quote}.text())
		b.open("/terminal?" + dear.Encode() + "&lang=" + lang)
		got := eval[string](b, `[...document.querySelectorAll("#quote .offer")].map((e) => e.textContent).join(" ").replaceAll(/\s+/g, " ")`)
		sentence := map[string]string{"fr": "1 tirage : 64,00 € mise 2,00 € : 64,00 €", "en": "1 draw: €64.00 stake €2.00: €64.00"}[lang]
		if strings.Join(strings.Fields(want), " ") != sentence || got != sentence {
			t.Errorf("%s: the server says %q, the page %q, want %q", lang, want, got, sentence)
		}
	}
}

// AMI-3.2: quick picks of several boards, of the shape and the number of
// jackpot numbers that the player asked for, beside a slip of the other game.
func TestBrowserAMI_3_2_QuickPicks(t *testing.T) {
	t.Parallel()
	s := newShopOfBoth(t, money.Euros(1500))
	b := s.tab(1280, 800)
	b.signOn(s)
	b.open("/terminal?jeu=amigo&lang=fr")
	b.tick("stake", 200)
	b.tick("draws", 1)
	b.click(`input[name=shape][value="1x3"]`)
	b.tick("also", 2)
	b.load(chromedp.Click(chromedp.CSS("button[value=flashboard]")))
	b.says(".boards", "B en cours")
	b.whole()
	b.picture("amigo-terminal-boards")
	b.click(`input[name=shape][value="2x2"]`)
	b.load(chromedp.Click(chromedp.CSS("button[value=flash]")))
	b.says(".till", "50,00 €") // (8 × 2 + 9) × 2 €
	b.load(chromedp.KeyEvent(kb.F2))
	b.says(".matrix", "La Carte")
	b.tick("stake", 400)
	b.tick("draws", 2)
	b.load(chromedp.Click(chromedp.CSS("button[value=flash]")))
	b.says(".till", "58,00 €")
	b.whole()
	b.accessible("two games in the basket")
	b.picture("amigo-terminal-basket")
	b.load(chromedp.Click(chromedp.CSS("button[value=sell]")))
	b.says(".strip", "À payer 58,00 €")
	numbers := eval[[]int](b, `[...document.querySelectorAll(".ticket .words.numbers p")].map((p) => p.querySelectorAll("span").length)`)
	if want := "[12 2 13 1]"; fmt.Sprint(numbers) != want {
		t.Errorf("numbers on the ticket: %v, want %s", numbers, want)
	}
	if _, owes := s.sold(); owes != 5800 {
		t.Errorf("the outlet owes %v, want 58.00", owes)
	}
}

// All of it by the keyboard: numbers are typed, or reached by the arrows.
func TestBrowserAmigoKeyboard(t *testing.T) {
	t.Parallel()
	s := newShopOfBoth(t, money.Euros(1500))
	b := s.tab(1280, 800)
	b.signOn(s)
	b.open("/terminal?jeu=amigo&lang=en")
	b.press("n")
	for _, c := range "1 6 11 16 21 26 31 36 41 2 + 3 5" {
		b.press(string(c))
	}
	b.press(kb.Enter)
	b.says(".columns .count", "10/9")
	b.says("#quote", "4 combinations")
	if got := eval[string](b, `[...document.querySelectorAll("[name=numbers]:checked, [name=jackpot]:checked")].map((box) => box.value).join(" ")`); got != "1 2 6 11 16 21 26 31 36 41 3 5" {
		t.Errorf("typed, %s is ticked", got)
	}
	b.do(chromedp.Focus(chromedp.CSS(`input[name=numbers][value="6"]`)))
	b.press(kb.ArrowDown)
	b.press(" ")
	b.says(".columns .count", "11/9")
	b.press(kb.ArrowRight)
	if got := eval[string](b, `document.activeElement.value`); got != "12" {
		t.Errorf("the arrows lead to %s, want 12", got)
	}
	b.do(pressDigit("1", chromedp.ModifierShift))
	b.press("2")
	b.says("[data-total]", "€32.00") // 2 × 2 × 2 combinations, 2 draws
	b.load(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.says(".strip", "€32.00")
	b.accessible("Amigo in English")
	b.picture("amigo-terminal-en")
	if _, owes := s.sold(); owes != 3200 {
		t.Errorf("owes %v, want 32.00", owes)
	}
}

// The desk of Amigo fits screens of the usual sizes without scrolling, and a phone without being too wide.
func TestBrowserAmigoSizes(t *testing.T) {
	t.Parallel()
	s := newShopOfBoth(t, money.Euros(100))
	b := s.tab(1280, 800)
	b.signOn(s)
	b.open("/terminal?jeu=amigo&lang=fr&stake=600&draws=5&numbers=1&numbers=2&numbers=6&numbers=7&numbers=11&numbers=16&numbers=21&numbers=26&numbers=31&numbers=36&numbers=41&jackpot=1")
	b.says("#quote", "100,00 € au plus")
	for _, size := range [][2]int64{{1024, 768}, {1280, 800}, {1440, 900}, {1920, 1080}, {2560, 1440}} {
		b.do(chromedp.EmulateViewport(size[0], size[1]))
		b.whole()
		if size[1] >= 800 {
			b.touchable()
		}
		if over := eval[float64](b, `document.querySelector(".actions").getBoundingClientRect().bottom - document.querySelector(".strip").getBoundingClientRect().top`); over > 0 {
			t.Errorf("at %d × %d the keys lie %g px under the strip", size[0], size[1], over)
		}
		cut := eval[[]string](b, `[...document.querySelectorAll(".key span, .box .name, .actions button, .boards button, .quote .said")].filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline").map((e) => e.textContent.trim())`)
		if len(cut) > 0 {
			t.Errorf("at %d × %d cut: %q", size[0], size[1], cut)
		}
		b.picture(fmt.Sprintf("amigo-terminal-%d", size[0]))
	}
	b.do(chromedp.EmulateViewport(390, 844))
	if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		wide := eval[[]string](b, `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth).map(e => e.tagName + "." + e.className)`)
		t.Errorf("the page is %d px too wide: %q", over, wide)
	}
	b.accessible("Amigo on a phone")
	b.picture("amigo-terminal-phone")
}
