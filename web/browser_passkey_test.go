package web

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"tirage/central"
	"tirage/game"
	"tirage/party"
)

// newHarbour is a portal at a name: browsers keep no passkeys for numbers.
func newHarbour(t testing.TB) (c *coast, base string) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	check(t, err)
	base = fmt.Sprint("http://localhost:", listener.Addr().(*net.TCPAddr).Port)
	book, err := game.Book("ile-au-tresor")
	check(t, err)
	c = &coast{shop: newShopMore(t, 0, func(o *central.Options) { o.Site, o.Demo = base, true }, book)}
	server := httptest.NewUnstartedServer(New(c.sys, Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}))
	check(t, server.Listener.Close())
	server.Listener = listener
	server.Start()
	c.server.Close()
	c.server = server
	_, err = c.sys.PublishAccounts(context.Background(), central.PublishRules{Key: c.key(), Officer: c.officer.ID, Book: party.Book()})
	check(t, err)
	return c, base
}

// authenticator gives the browser one that keeps passkeys and knows its owner.
// The function that it returns sets whether it does.
func (b *tab) authenticator() (knows func(bool)) {
	b.t.Helper()
	var id webauthn.AuthenticatorID
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if _, err := cdp.Call(ctx, t, webauthn.Enable, webauthn.EnableParams{}); err != nil {
			return err
		}
		made, err := cdp.Call(ctx, t, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		}})
		id = made.AuthenticatorID
		return err
	}))
	return func(owner bool) {
		b.t.Helper()
		b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: id, IsUserVerified: owner})
			return err
		}))
	}
}

// A passkey that was removed in another tab is not there to be removed or named, and the page says so.
func TestPasskeyGone(t *testing.T) {
	t.Parallel()
	c, _ := newHarbour(t)
	v := c.visitor("Jeanne")
	for _, do := range []string{"remove", "rename"} {
		expect(t, v.post("/compte/cles", url.Values{"do": {do}, "id": {"AAAA"}, "name": {"Clé"}, "password": {password}}), http.StatusNotFound, "Cette clé d’accès n’existe pas")
	}
}

// In a real browser with an authenticator of its own: a player adds a passkey,
// signs on with it, is refused one that he has removed, and changes his password.
func TestBrowserPasskey(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int64{{390, 844}, {1280, 800}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			t.Parallel()
			c, base := newHarbour(t)
			v := c.visitor("Jeanne")
			b := c.tab(size[0], size[1])
			b.base = base
			knows := b.authenticator()
			look := func(name string) { t.Helper(); b.look(name, size[0], size[1]) }
			signOff := func() { t.Helper(); b.send(`form[action="/deconnexion"] button`) }
			const ask = `form[action="/connexion/cle"] button`

			b.open("/connexion?lang=fr")
			b.typed("email", v.email)
			b.typed("password", password)
			b.send("main form .main")
			b.open("/compte/securite")
			b.send(`main a[href="/compte/cles"]`)
			b.typed("name", "Mon téléphone")
			b.typed("password", "faux mot de passe")
			b.send("main form .main")
			b.says("#password-refusal", "ce n’est pas le vôtre")
			look("passkeys-refused")

			knows(false)
			b.typed("password", password)
			b.send("main form .main")
			b.says("#passkey-said", "n’a pas donné de clé")
			look("passkeys-asked")
			knows(true)
			b.click("form[data-passkey] .main")
			b.says(".notice", "La clé d’accès est enregistrée")
			b.says("h2", "Mon téléphone")
			look("passkeys")

			signOff()
			b.click(ask)
			b.says("h1", "Bonjour Jeanne")
			signOff()
			knows(false)
			b.send(ask)
			b.says("#passkey-said", "n’a pas donné de clé")
			look("signon-passkey")
			knows(true)
			b.click("form[data-passkey] .main")
			b.says("h1", "Bonjour Jeanne")

			b.open("/compte/mot-de-passe")
			b.typed("old", password)
			b.typed("password", "une autre longue phrase")
			look("password")
			b.send("main form .main")
			b.says(".notice", "Votre mot de passe est changé")
			if p := v.get("/compte"); p.path != "/connexion" {
				t.Errorf("another session goes on: at %s", p.path)
			}

			b.open("/compte/cles")
			removing := func(word string) {
				t.Helper()
				b.do(chromedp.SetValue(chromedp.CSS("form:has([value=remove]) [name=password]"), word))
				b.send("form:has([value=remove]) button")
			}
			removing(password) // the one before
			b.says(".refusal", "ce n’est pas le vôtre")
			look("passkeys-not-removed")
			removing("une autre longue phrase")
			b.says(".notice", "La clé d’accès est supprimée")
			signOff()
			b.click(ask)
			b.says(".refusal", "n’est pas acceptée")
			if !eval[bool](b, `document.querySelector("#passkey-said").textContent === "" && !document.querySelector("form[data-passkey] .main").disabled`) {
				t.Error("a passkey that was refused is asked for again at once")
			}
		})
	}
}
