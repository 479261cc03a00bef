package web

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"tirage/central"
	"tirage/money"
	"tirage/web/page"
)

// typed types into a field.
func (b *tab) typed(name, value string) {
	b.t.Helper()
	b.do(chromedp.SetValue(chromedp.CSS(fmt.Sprintf("main form [name=%q]", name)), value))
}

// send sends the form that a button is in, and waits for the answer.
func (b *tab) send(css string) {
	b.t.Helper()
	b.load(chromedp.Click(chromedp.CSS(css)))
}

// look checks the page with axe-core and for its width, and keeps its picture.
func (b *tab) look(name string, width, height int64) {
	b.t.Helper()
	b.await(`document.fonts.status === "loaded"`) // another face is wider
	if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		b.t.Errorf("%s at %d: %d px wider than the screen", name, width, over)
	}
	b.accessible(fmt.Sprint(name, " at ", width))
	b.tall("account-"+name, width)
	b.do(chromedp.EmulateViewport(width, height))
}

// INS-online in a real browser: sign up, confirm by the message, be identified,
// deposit a voucher, set limits, pause. What the page shows is what the ledger has.
func TestINS_online_BrowserAccount(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int64{{390, 844}, {1280, 800}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			t.Parallel()
			c := newCoast(t)
			c.till()
			c.launch(1)
			b := c.tab(size[0], size[1])
			look := func(name string) { t.Helper(); b.look(name, size[0], size[1]) }
			b.open("/connexion?lang=fr")
			look("signon")
			b.send(`main a[href="/inscription"]`)
			for name, list := range particulars("Jeanne") {
				if name != "terms" {
					b.typed(name, list[0])
				}
			}
			b.typed("deposits", "beaucoup")
			b.click("#terms")
			look("signup")
			b.send("main form .main")
			b.says("#deposits-refusal", "Ce montant n’est pas lisible")
			look("signup-refused")
			b.typed("deposits", "200")
			b.typed("password", password)
			b.send("main form .main")
			b.says("h1", "Un message est en route")
			look("sent")

			mail := c.mail()
			if len(mail) != 1 {
				t.Fatalf("messages: %+v", mail)
			}
			b.open("/confirmation?jeton=" + jeton.FindStringSubmatch(mail[0].Body)[1])
			look("confirm")
			b.typed("password", "celui d’un autre")
			b.send("main form .main")
			b.says("#password-refusal", "ce n’est pas celui de cette inscription")
			look("confirm-refused")
			b.typed("password", password)
			b.send("main form .main")
			b.says(".notice", "Votre adresse est confirmée")
			b.typed("email", "jeanne@exemple.test")
			b.typed("password", password)
			b.send("main form .main")
			b.says("h1", "Bonjour Jeanne")
			look("home-unconfirmed")
			list, err := c.sys.FindPlayers(context.Background(), "jeanne@exemple.test", 1)
			check(t, err)
			v := &visitor{c: c, id: list[0].ID, browser: c.browser()}
			b.open("/compte/depot")
			look("deposit-unconfirmed")
			v.identify()

			b.open("/compte/depot")
			b.typed("code", c.voucher(money.Euros(50)))
			look("deposit")
			b.send(`#voucher-code ~ button, form:has(#voucher-code) .main`)
			b.says(".notice", "Le versement est sur votre compte")
			c.shows(b, v.id, money.Euros(50))
			for range 4 {
				_, err := c.sys.Play(context.Background(), central.PlayUnit{Key: c.key(), Player: v.id, Game: "cove", Price: 100})
				check(t, err)
			}

			b.open("/compte/limites")
			b.typed("deposits", "80")
			b.typed("stakes", "150")
			b.send("main form .main")
			b.says(".notice", "Vos limites sont enregistrées")
			b.says(".coming", "Passera à 150,00 €")
			look("limits")
			b.open("/compte/retrait")
			b.typed("amount", "10")
			b.typed("iban", "FR76 3000 6000 0112 3456 7890 189")
			b.send("main form .main")
			b.says(".notice", "Le retrait est enregistré")
			look("withdraw")
			b.open("/compte/historique")
			b.says(".moves", "Unité de jeu")
			look("history")
			b.open("/compte/securite")
			b.send(`form:has([value=begin]) button`)
			look("security")
			b.open("/compte/cloture")
			look("close")
			b.open("/regles-des-comptes")
			look("terms")

			b.open("/compte/pause")
			look("pause")
			b.click(`form:has([value=pause]) input[value="24"]`)
			b.send(`form:has([value=pause]) button`)
			look("pause-sure")
			b.click("[name=sure]")
			b.send("main form .main")
			b.says(".stop", "Vous faites une pause")
			c.shows(b, v.id, c.sys.PlayerBalance(v.id))
			look("home-paused")
			view, err := c.sys.Player(context.Background(), v.id)
			check(t, err)
			if !c.clock.Now().Before(view.PausedUntil) || view.Deposits.Max != money.Euros(80) || view.Balance >= money.Euros(50) {
				t.Errorf("got %+v", view)
			}
		})
	}
}

// shows checks that the page shows the balance that the ledger has.
func (c *coast) shows(b *tab, player string, want money.Amount) {
	c.t.Helper()
	if got := c.sys.PlayerBalance(player); got != want {
		c.t.Errorf("balance %v, want %v", got, want)
	}
	if got := b.text("#balance"); got != strings.ReplaceAll(page.French.Money(want), "\u00a0", " ") {
		c.t.Errorf("the page shows %q, the ledger has %v", got, want)
	}
}
