package web

import (
	"context"
	"fmt"
	"regexp"
	"testing"

	"github.com/chromedp/chromedp"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/party"
)

// An instant game from its rule book to a suspension, by two officers in a
// browser: the secrets of one make no pool, those of both do; it is opened to its
// players, suspended, and the portal says what the officer wrote (INS-1, F14, F18).
func TestBrowserPoolsOfTwoOfficers(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newShopMore(t, money.Euros(3000), func(o *central.Options) { o.Demo = true }, bookOf(t, "ile-au-tresor"))
	s.second()
	_, err := s.sys.PublishAccounts(ctx, central.PublishRules{Key: "accounts", Officer: s.officer.ID, Book: party.Book()})
	check(t, err)
	_, err = s.sys.PublishInstant(ctx, central.PublishRules{Key: "cove", Officer: s.officer.ID, Book: []byte(coveBook)})
	check(t, err)
	b := s.tab(1280, 800)
	b.officer("officer", "correct horse")
	b.open("/office/blocs")
	b.says("main", "jamais ouvert")
	b.commit("3", "6 2 5 1 1 4")
	b.says(".notice", "1–3")
	check(t, s.sys.TendPools(ctx))
	b.open("/office/blocs")
	if got := b.text("table .state"); got != "attend un secret attend un secret attend un secret" {
		t.Errorf("with the secrets of one officer: %q", got)
	}
	b.picture("office-pools-half")
	b.officer("other", "correct horse")
	b.open("/office/blocs")
	b.commit("2", "dés")
	b.says(".notice", "1, 2")
	s.tick()
	check(t, s.sys.TendPools(ctx)) // waits for what the tick began
	b.open("/office/blocs")
	b.says("table", "engagé")
	b.load(chromedp.Click(chromedp.CSS(`form[action="/office/blocs/ouverture"] button`)))
	b.says(".notice", "ouvert aux joueurs")
	check(t, s.sys.TendPools(ctx))
	player := s.plays(4)

	b.fits("/office/blocs", "office-pools")
	b.load(chromedp.Click(chromedp.CSS(".next a")))
	b.says("h1", "Bloc n° 1")
	b.fits("/office/blocs/1", "office-pool")
	b.open("/office/joueurs")
	b.do(chromedp.SendKeys(chromedp.CSS("#q"), "martin"))
	b.load(chromedp.Click(chromedp.CSS("main button")))
	b.says("h1", "Zoé Martin")
	b.fits("/office/joueurs/"+player, "office-player")
	b.fits("/office/joueurs", "office-players")
	b.fits("/office/retraits", "office-withdrawals")

	b.open("/office/blocs")
	b.do(chromedp.SendKeys(chromedp.CSS("#fr"), "Panne de réseau, retour à 14 h."), chromedp.SendKeys(chromedp.CSS("#en"), "Network failure, back at 2 pm."))
	b.load(chromedp.Click(chromedp.CSS(`form[action="/office/blocs/suspension"] button`)))
	b.says(".notice", "Jeu suspendu")
	b.fits("/office/blocs", "office-pools-suspended")
	b.open("/jeu/cove?lang=fr")
	b.says("main", "Panne de réseau, retour à 14 h.")
	b.open("/jeu/cove?lang=en")
	b.says("main", "Network failure, back at 2 pm.")
	b.open("/office/blocs?lang=fr")
	b.load(chromedp.Click(chromedp.CSS(`form[action="/office/blocs/ouverture"] button`)))
	b.says("main", "Jeu ouvert aux joueurs")
}

func bookOf(t testing.TB, code game.Code) []byte {
	t.Helper()
	book, err := game.Book(code)
	check(t, err)
	return book
}

// officer signs the tab on at the office.
func (b *tab) officer(login, password string) {
	b.t.Helper()
	b.open("/office/connexion?lang=fr")
	b.do(chromedp.SendKeys(chromedp.CSS("#login"), login), chromedp.SendKeys(chromedp.CSS("#password"), password))
	b.load(chromedp.Click(chromedp.CSS("main button")))
}

// commit commits secrets on the page of pools.
func (b *tab) commit(count, entropy string) {
	b.t.Helper()
	b.do(chromedp.SetValue(chromedp.CSS("#count"), count), chromedp.SendKeys(chromedp.CSS("#entropy"), entropy))
	b.load(chromedp.Click(chromedp.CSS(`form[action="/office/blocs/secrets"] button`)))
}

// fits checks a page of the office on a phone and on a desk, where its menu and what stands beside it are two lines at most.
func (b *tab) fits(path, name string) {
	b.t.Helper()
	for _, size := range [][2]int64{{390, 844}, {1280, 800}} {
		b.do(chromedp.EmulateViewport(size[0], size[1]))
		b.open(path)
		if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			b.t.Errorf("%s at %d: wider than the screen by %d px", path, size[0], over)
		}
	}
	if high := eval[int](b, `document.querySelector(".bar").offsetHeight`); high > 90 {
		b.t.Errorf("%s: the menu takes %d px", path, high)
	}
	b.accessible(path)
	b.tall(name, 1280)
	b.do(chromedp.EmulateViewport(1280, 800))
}

var mailedToken = regexp.MustCompile(`jeton=([A-Z2-7]+)`)

// plays has a new player play some units of the cove, and ask for a part of the balance.
func (s *shop) plays(n int) (player string) {
	s.t.Helper()
	ctx := context.Background()
	const email = "zoe@exemple.test"
	check(s.t, s.sys.SignUp(ctx, central.SignUp{Key: "up", Password: "correct horse", Terms: s.sys.AccountRules().Version, Person: central.Person{
		Email: email, FirstName: "Zoé", LastName: "Martin", BirthDay: game.NewDay(1980, 5, 17), BirthPlace: "Nantes", Lang: "fr",
	}}))
	_, err := s.sys.SendMessages(ctx, func(_ context.Context, m central.Message) error {
		return s.sys.ConfirmEmail(ctx, mailedToken.FindStringSubmatch(m.Body)[1], "correct horse")
	})
	check(s.t, err)
	found, err := s.sys.FindPlayers(ctx, email, 1)
	check(s.t, err)
	player = found[0].ID
	check(s.t, s.sys.CheckIdentity(ctx, central.CheckIdentity{Key: "id", Officer: s.officer.ID, Player: player, Confirmed: true, Reason: "Passeport vu au guichet"}))
	_, err = s.sys.DepositDemo(ctx, "deposit", player, money.Euros(50))
	check(s.t, err)
	for i := range n {
		_, err := s.sys.Play(ctx, central.PlayUnit{Key: fmt.Sprint("play", i), Player: player, Game: "cove", Price: money.Euros(1)})
		check(s.t, err)
	}
	for i := range 3 {
		w, err := s.sys.Withdraw(ctx, central.Withdraw{Key: fmt.Sprint("w", i), Player: player, Amount: money.Euros(6), IBAN: "FR1420041010050500013M02606"})
		check(s.t, err)
		if i == 0 {
			_, err = s.sys.SendWithdrawals(ctx, "send", s.officer.ID, []uint64{w.Record})
			check(s.t, err)
		}
	}
	return player
}
