package central_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/pquerna/otp/totp"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/party"
)

// b64 is how WebAuthn writes bytes in JSON.
var b64 = base64.RawURLEncoding

// device is a virtual authenticator with one passkey, made of the standard
// library and of WebAuthn level 3 (§6.1, §6.5): it shares nothing with what is tested.
type device struct {
	t      testing.TB
	key    *ecdsa.PrivateKey
	id     []byte
	handle []byte // of the player, as it was told at the registration
	count  uint32
	origin string
	rpID   string
	flags  byte
}

const (
	present  = 0x01
	verified = 0x04
	attested = 0x40
)

func newDevice(t testing.TB) *device {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id := make([]byte, 32)
	if _, err := rand.Read(id); err != nil {
		t.Fatal(err)
	}
	return &device{t: t, key: key, id: id, origin: "https://loterie.test", rpID: "loterie.test", flags: present | verified}
}

// asked is what a browser reads of the options of a ceremony.
type asked struct {
	Challenge string `json:"challenge"`
	RPID      string `json:"rpId"`
	RP        struct {
		ID string `json:"id"`
	} `json:"rp"`
	User struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		DisplayName string `json:"displayName"`
	} `json:"user"`
	Verification string `json:"userVerification"`
	Selection    struct {
		Key          string `json:"residentKey"`
		Verification string `json:"userVerification"`
	} `json:"authenticatorSelection"`
	Exclude []struct {
		ID string `json:"id"`
	} `json:"excludeCredentials"`
	Allow []any `json:"allowCredentials"`
}

func (d *device) read(options []byte) (o asked) {
	d.t.Helper()
	if err := json.Unmarshal(options, &o); err != nil {
		d.t.Fatalf("options %s: %v", options, err)
	}
	return o
}

func (d *device) client(ceremony, challenge string) []byte {
	return fmt.Appendf(nil, `{"type":"webauthn.%s","challenge":%q,"origin":%q,"crossOrigin":false}`, ceremony, challenge, d.origin)
}

// data is authenticatorData (§6.1).
func (d *device) data(flags byte) []byte {
	rp := sha256.Sum256([]byte(d.rpID))
	d.count++
	return binary.BigEndian.AppendUint32(append(rp[:], flags), d.count)
}

// answer is an answer as the page sends it.
func (d *device) answer(response map[string]string) []byte {
	d.t.Helper()
	b, err := json.Marshal(struct {
		ID         string            `json:"id"`
		RawID      string            `json:"rawId"`
		Type       string            `json:"type"`
		Response   map[string]string `json:"response"`
		Extensions struct{}          `json:"clientExtensionResults"`
	}{ID: b64.EncodeToString(d.id), RawID: b64.EncodeToString(d.id), Type: "public-key", Response: response})
	if err != nil {
		d.t.Fatal(err)
	}
	return b
}

// create answers navigator.credentials.create.
func (d *device) create(options []byte) []byte {
	d.t.Helper()
	o := d.read(options)
	var err error
	if d.handle, err = b64.DecodeString(o.User.ID); err != nil {
		d.t.Fatal(err)
	}
	point, err := d.key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		d.t.Fatal(err)
	}
	cose, err := cbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: point[1:33], -3: point[33:]}) // RFC 9053, ES256
	if err != nil {
		d.t.Fatal(err)
	}
	data := append(d.data(d.flags|attested), make([]byte, 16)...) // no AAGUID
	data = binary.BigEndian.AppendUint16(data, uint16(len(d.id)))
	data = slices.Concat(data, d.id, cose)
	object, err := cbor.Marshal(map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": data})
	if err != nil {
		d.t.Fatal(err)
	}
	return d.answer(map[string]string{
		"clientDataJSON": b64.EncodeToString(d.client("create", o.Challenge)), "attestationObject": b64.EncodeToString(object),
	})
}

// get answers navigator.credentials.get.
func (d *device) get(options []byte) []byte {
	d.t.Helper()
	client, data := d.client("get", d.read(options).Challenge), d.data(d.flags)
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(slices.Clone(data), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, d.key, digest[:])
	if err != nil {
		d.t.Fatal(err)
	}
	return d.answer(map[string]string{
		"clientDataJSON": b64.EncodeToString(client), "authenticatorData": b64.EncodeToString(data),
		"signature": b64.EncodeToString(signature), "userHandle": b64.EncodeToString(d.handle),
	})
}

// addPasskey adds the passkey of a new device to a player's account.
func (w *world) addPasskey(player, name string) *device {
	w.Helper()
	d := newDevice(w)
	options, err := w.sys.BeginPasskey(w.ctx(), player, playerPassword)
	w.check(err)
	w.check(w.sys.FinishPasskey(w.ctx(), player, name, d.create(options)))
	return d
}

// challenge begins a sign-on.
func (w *world) challenge() []byte {
	w.Helper()
	options, err := w.sys.BeginPasskeySignOn(w.ctx())
	w.check(err)
	return options
}

func (w *world) passkeys(player string) []central.Passkey {
	w.Helper()
	list, err := w.sys.Passkeys(w.ctx(), player)
	w.check(err)
	return list
}

func (w *world) refusesPasskey(want error, answer []byte) {
	w.Helper()
	w.refuses(want, func() error { _, err := w.sys.SignOnPasskey(w.ctx(), answer); return err })
}

func TestPasskey(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		p := w.signUp("anne")
		options, err := w.sys.BeginPasskey(w.ctx(), p.ID, playerPassword)
		w.check(err)
		d := newDevice(t)
		o := d.read(options)
		if o.RP.ID != "loterie.test" || o.Selection.Key != "required" || o.Selection.Verification != "required" || len(o.Exclude) != 0 ||
			o.User.Name != "anne@exemple.test" || strings.Contains(string(options), p.ID) {
			t.Errorf("got %s", options)
		}
		w.check(w.sys.FinishPasskey(w.ctx(), p.ID, "  Téléphone  d’Anne ", d.create(options)))
		list := w.passkeys(p.ID)
		if len(list) != 1 || list[0].Name != "Téléphone d’Anne" || !list[0].Added.Equal(w.clock.Now()) || !list[0].Used.IsZero() || list[0].Copied {
			t.Fatalf("got %+v", list)
		}

		// A passkey stands for password and code.
		secret, _, err := w.sys.EnableTOTP(w.ctx(), p.ID)
		w.check(err)
		code, err := totp.GenerateCode(secret, w.clock.Now())
		w.check(err)
		w.check(w.sys.ConfirmTOTP(w.ctx(), p.ID, code))
		w.restart()
		w.clock.set(w.clock.Now().Add(time.Minute))
		get := w.challenge()
		if o := d.read(get); o.RPID != "loterie.test" || o.Verification != "required" || len(o.Allow) != 0 {
			t.Errorf("got %s", get)
		}
		got, err := w.sys.SignOnPasskey(w.ctx(), d.get(get))
		if err != nil || got.ID != p.ID {
			t.Errorf("got %+v, %v", got, err)
		}
		if list = w.passkeys(p.ID); !list[0].Used.Equal(w.clock.Now()) {
			t.Errorf("got %+v", list)
		}

		// The device is not asked to add what it has, and nobody else adds it.
		options, err = w.sys.BeginPasskey(w.ctx(), p.ID, playerPassword)
		w.check(err)
		if o := d.read(options); len(o.Exclude) != 1 || o.Exclude[0].ID != list[0].ID {
			t.Errorf("got %s", options)
		}
		w.refuses(central.ErrPasskey, func() error { return w.sys.FinishPasskey(w.ctx(), p.ID, "encore", d.create(options)) })

		w.check(w.sys.RenamePasskey(w.ctx(), p.ID, list[0].ID, "Vieux téléphone"))
		if list = w.passkeys(p.ID); list[0].Name != "Vieux téléphone" {
			t.Errorf("got %+v", list)
		}
		w.refuses(central.ErrOldPassword, func() error { return w.sys.RemovePasskey(w.ctx(), p.ID, list[0].ID, "faux mot de passe") })
		w.refuses(central.ErrOldPassword, func() error { return w.sys.RemovePasskey(w.ctx(), p.ID, list[0].ID, "") })
		if now := w.passkeys(p.ID); len(now) != 1 {
			t.Errorf("removed without the password: %+v", now)
		}
		w.check(w.sys.RemovePasskey(w.ctx(), p.ID, list[0].ID, playerPassword))
		w.refuses(central.ErrNoPasskey, func() error { return w.sys.RemovePasskey(w.ctx(), p.ID, list[0].ID, playerPassword) })
		w.refusesPasskey(central.ErrPasskey, d.get(w.challenge()))
		if n := w.count("SELECT COUNT(*) FROM token"); n != 0 {
			t.Errorf("%d challenges are left", n)
		}
	})
}

func TestPasskey_AddRefusals(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		anne, paul := w.signUp("anne"), w.signUp("paul")
		for name, c := range map[string]struct {
			want   error
			player string
			as     string
			change func(*device)
			after  time.Duration
			cut    bool
		}{
			"a page of another site":    {want: central.ErrPasskey, change: func(d *device) { d.origin = "https://loterie.test.evil.example" }},
			"another port":              {want: central.ErrPasskey, change: func(d *device) { d.origin = "https://loterie.test:8443" }},
			"no TLS":                    {want: central.ErrPasskey, change: func(d *device) { d.origin = "http://loterie.test" }},
			"a passkey of another site": {want: central.ErrPasskey, change: func(d *device) { d.rpID = "evil.example" }},
			"nobody there":              {want: central.ErrPasskey, change: func(d *device) { d.flags = verified }},
			"anybody there":             {want: central.ErrPasskey, change: func(d *device) { d.flags = present }},
			"no id":                     {want: central.ErrPasskey, change: func(d *device) { d.id = nil }},
			"a long id":                 {want: central.ErrPasskey, change: func(d *device) { d.id = make([]byte, 1024) }},
			"another player's":          {want: central.ErrPasskey, player: paul.ID},
			"too late":                  {want: central.ErrPasskey, after: 5 * time.Minute},
			"cut short":                 {want: central.ErrPasskey, cut: true},
			"no name":                   {want: central.ErrPasskeyName, as: " "},
			"a long name":               {want: central.ErrPasskeyName, as: strings.Repeat("é", 41)},
			"a name turned around":      {want: central.ErrPasskeyName, as: "\u202ecle"},
		} {
			t.Run(name, func(t *testing.T) {
				options, err := w.sys.BeginPasskey(w.ctx(), anne.ID, playerPassword)
				w.check(err)
				d, player, as := newDevice(t), anne.ID, "clé"
				if c.change != nil {
					c.change(d)
				}
				if c.player != "" {
					player = c.player
				}
				if c.as != "" {
					as = c.as
				}
				answer := d.create(options)
				if c.cut {
					answer = answer[:len(answer)/2]
				}
				w.clock.set(w.clock.Now().Add(c.after))
				w.refuses(c.want, func() error { return w.sys.FinishPasskey(w.ctx(), player, as, answer) })
				if list := append(w.passkeys(anne.ID), w.passkeys(paul.ID)...); len(list) != 0 {
					t.Errorf("got %+v", list)
				}
			})
		}
		w.refuses(central.ErrPasskey, func() error { return w.sys.FinishPasskey(w.ctx(), anne.ID, "clé", make([]byte, 17<<10)) })
		w.refuses(central.ErrPasskey, func() error { // of a sign-on
			return w.sys.FinishPasskey(w.ctx(), anne.ID, "clé", newDevice(t).create(w.challenge()))
		})
		w.refuses(party.ErrUnknownPlayer, func() error {
			_, err := w.sys.BeginPasskey(w.ctx(), "0000000000000000", playerPassword)
			return err
		})

		options, err := w.sys.BeginPasskey(w.ctx(), anne.ID, playerPassword)
		w.check(err)
		w.check(w.sys.FinishPasskey(w.ctx(), anne.ID, "clé", newDevice(t).create(options)))
		w.refuses(central.ErrPasskey, func() error { return w.sys.FinishPasskey(w.ctx(), anne.ID, "clé", newDevice(t).create(options)) }) // used
		id := w.passkeys(anne.ID)[0].ID
		for _, wrong := range []string{"", "x", "=", id + "AA", strings.Repeat("A", 5_000)} {
			w.refuses(central.ErrNoPasskey, func() error { return w.sys.RemovePasskey(w.ctx(), anne.ID, wrong, playerPassword) })
		}
		w.refuses(central.ErrNoPasskey, func() error { return w.sys.RemovePasskey(w.ctx(), paul.ID, id, playerPassword) })
		w.refuses(central.ErrNoPasskey, func() error { return w.sys.RenamePasskey(w.ctx(), paul.ID, id, "à moi") })
		w.refuses(central.ErrPasskeyName, func() error { return w.sys.RenamePasskey(w.ctx(), anne.ID, id, "") })
	})
}

func TestPasskey_SignOnRefusals(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		anne, paul := w.signUp("anne"), w.signUp("paul")
		hers, his := w.addPasskey(anne.ID, "clé"), w.addPasskey(paul.ID, "clé")
		for name, change := range map[string]func(*device){
			"a page of another site":    func(d *device) { d.origin = "https://evil.example" },
			"a passkey of another site": func(d *device) { d.rpID = "evil.example" },
			"nobody there":              func(d *device) { d.flags = verified },
			"anybody there":             func(d *device) { d.flags = present },
			"another key":               func(d *device) { d.key = newDevice(t).key },
			"another player's passkey":  func(d *device) { d.id = his.id },
			"another player's handle":   func(d *device) { d.handle = his.handle },
			"no handle":                 func(d *device) { d.handle = nil },
			"a passkey of nobody":       func(d *device) { d.id = newDevice(t).id },
		} {
			t.Run(name, func(t *testing.T) {
				d := *hers
				change(&d)
				get := w.challenge()
				w.refusesPasskey(central.ErrPasskey, d.get(get))
				w.refusesPasskey(central.ErrPasskey, hers.get(get)) // the challenge was used
			})
		}
		get := w.challenge()
		answer := hers.get(get)
		if p, err := w.sys.SignOnPasskey(w.ctx(), answer); err != nil || p.ID != anne.ID {
			t.Fatalf("got %+v, %v", p, err)
		}
		w.refusesPasskey(central.ErrPasskey, answer)        // again
		w.refusesPasskey(central.ErrPasskey, hers.get(get)) // another answer to it
		late := hers.get(w.challenge())
		w.clock.set(w.clock.Now().Add(5 * time.Minute))
		w.refusesPasskey(central.ErrPasskey, late)
		adding, err := w.sys.BeginPasskey(w.ctx(), anne.ID, playerPassword)
		w.check(err)
		w.refusesPasskey(central.ErrPasskey, hers.get(adding)) // a challenge for something else
		w.refusesPasskey(central.ErrPasskey, hers.get([]byte(`{"challenge":"`+b64.EncodeToString(make([]byte, 32))+`"}`)))
		for _, wrong := range []string{"", "null", "{}", "[]", string(answer[:100]), strings.Repeat("[", 10_000), strings.Repeat("x", 17<<10)} {
			w.refusesPasskey(central.ErrPasskey, []byte(wrong))
		}
	})
}

// A signature is the answer to one challenge, and the challenge to one sign-on, however many come at a time.
func TestPasskey_Parallel(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		d := w.addPasskey(w.signUp("anne").ID, "clé")
		answer := d.get(w.challenge())
		var wg sync.WaitGroup
		errs := make(chan error, 20)
		for range cap(errs) {
			wg.Go(func() { _, err := w.sys.SignOnPasskey(w.ctx(), answer); errs <- err })
		}
		wg.Wait()
		close(errs)
		on := 0
		for err := range errs {
			switch {
			case err == nil:
				on++
			case !errors.Is(err, central.ErrPasskey):
				t.Error(err)
			}
		}
		if on != 1 {
			t.Errorf("%d sign-ons", on)
		}
	})
}

// A count of signatures that goes back is that of a copy: neither signs on any more.
func TestPasskey_Copied(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		p := w.signUp("anne")
		d := w.addPasskey(p.ID, "clé")
		copied := *d
		_, err := w.sys.SignOnPasskey(w.ctx(), d.get(w.challenge()))
		w.check(err)
		w.refusesPasskey(central.ErrPasskeyCopied, copied.get(w.challenge()))
		w.restart()
		w.refusesPasskey(central.ErrPasskeyCopied, d.get(w.challenge()))
		if list := w.passkeys(p.ID); len(list) != 1 || !list[0].Copied {
			t.Errorf("got %+v", list)
		}

		// Authenticators that do not count say 0 each time.
		still := newDevice(t)
		options, err := w.sys.BeginPasskey(w.ctx(), p.ID, playerPassword)
		w.check(err)
		still.count = ^uint32(0)
		w.check(w.sys.FinishPasskey(w.ctx(), p.ID, "sans compte", still.create(options)))
		for range 3 {
			still.count = ^uint32(0)
			_, err := w.sys.SignOnPasskey(w.ctx(), still.get(w.challenge()))
			w.check(err)
		}
	})
}

// Wrong passwords lock the account for its passkeys too, and one of those lifts no lock.
func TestPasskey_Lock(t *testing.T) {
	t.Parallel()
	w := newPlayers(t, dbtest.SQLite(t))
	p := w.signUp("anne")
	d := w.addPasskey(p.ID, "clé")
	for range 10 {
		w.refuses(central.ErrOldPassword, func() error { _, err := w.sys.BeginPasskey(w.ctx(), p.ID, "faux mot de passe"); return err })
	}
	w.refuses(central.ErrLocked, func() error { _, err := w.sys.BeginPasskey(w.ctx(), p.ID, playerPassword); return err })
	w.refusesPasskey(central.ErrLocked, d.get(w.challenge()))
	forged := *d
	forged.key = newDevice(t).key
	w.refusesPasskey(central.ErrPasskey, forged.get(w.challenge())) // tells nobody else of the lock
	w.clock.set(w.clock.Now().Add(15 * time.Minute))
	_, err := w.sys.SignOnPasskey(w.ctx(), d.get(w.challenge()))
	w.check(err)
}

func TestPasskey_Ten(t *testing.T) {
	t.Parallel()
	w := newPlayers(t, dbtest.SQLite(t))
	p := w.signUp("anne")
	last, err := w.sys.BeginPasskey(w.ctx(), p.ID, playerPassword)
	w.check(err)
	for i := range 10 {
		w.addPasskey(p.ID, fmt.Sprintf("clé %d", i))
		w.clock.set(w.clock.Now().Add(time.Second))
	}
	w.refuses(central.ErrPasskeys, func() error { _, err := w.sys.BeginPasskey(w.ctx(), p.ID, playerPassword); return err })
	w.refuses(central.ErrPasskeys, func() error { return w.sys.FinishPasskey(w.ctx(), p.ID, "onze", newDevice(t).create(last)) })
	if list := w.passkeys(p.ID); len(list) != 10 || list[0].Name != "clé 0" || list[9].Name != "clé 9" || w.view1(p.ID).Passkeys != 10 {
		t.Errorf("got %+v", list)
	}
}

// Browsers keep passkeys for names, over TLS; and for this machine, for who tries a demo.
func TestPasskey_Site(t *testing.T) {
	t.Parallel()
	w := newPlayers(t, dbtest.SQLite(t))
	for site, want := range map[string]bool{
		"https://loterie.test": true, "https://jeux.loterie.test:8443": true, "http://localhost:8080": true,
		"": false, "http://loterie.test": false, "https://192.0.2.1": false, "http://127.0.0.1:8080": false, "https://[::1]": false, "loterie.test": false, "https://%": false,
	} {
		o := w.options(w.db)
		o.Site = site
		sys, err := central.Open(w.ctx(), o)
		w.check(err)
		if got := sys.HasPasskeys(); got != want {
			t.Errorf("%q: %v, want %v", site, got, want)
		}
		if _, err := sys.BeginPasskeySignOn(w.ctx()); (err == nil) != want || err != nil && !errors.Is(err, central.ErrPasskeySite) {
			t.Errorf("%q: %v", site, err)
		}
		sys.Close()
	}
}

// A player hears of a passkey that was added and of a password that was changed,
// by himself or by a link; a password that he changes himself takes no passkey away.
func TestMessages_Notices(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		p := w.signUp("anne")
		told := func(subject string) {
			t.Helper()
			mail := w.mail()
			if len(mail) != 1 || mail[0].To != "anne@exemple.test" || mail[0].Subject != subject || tokenOf(mail[0]) != "" ||
				!strings.Contains(mail[0].Body, "\nhttps://loterie.test/mot-de-passe/oubli\n") {
				t.Errorf("got %+v, want %q", mail, subject)
			}
		}
		options, err := w.sys.BeginPasskey(w.ctx(), p.ID, playerPassword)
		w.check(err)
		if mail := w.mail(); len(mail) != 0 {
			t.Errorf("before it is added: %+v", mail)
		}
		w.check(w.sys.FinishPasskey(w.ctx(), p.ID, "clé", newDevice(t).create(options)))
		told("Une clé d’accès a été ajoutée")
		w.check(w.sys.ChangePlayerPassword(w.ctx(), p.ID, playerPassword, "un autre mot"))
		told("Votre mot de passe a changé")
		if keys := w.passkeys(p.ID); len(keys) != 1 {
			t.Errorf("passkeys %+v", keys)
		}
		w.check(w.sys.ForgotPassword(w.ctx(), "anne@exemple.test"))
		w.check(w.sys.ResetPassword(w.ctx(), tokenOf(w.mail()[0]), "encore un mot"))
		told("Votre mot de passe a changé")
	})
}

// A password that is set by the link of a message locks out whoever had got into
// the account: no passkey of it holds, none that was begun is added, no session goes on. The messages say so.
func TestResetPassword_LocksOut(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		anne, paul := w.signUp("anne"), w.signUp("paul")
		hers, another, his := w.addPasskey(anne.ID, "clé"), w.addPasskey(anne.ID, "autre"), w.addPasskey(paul.ID, "clé")
		begun, err := w.sys.BeginPasskey(w.ctx(), anne.ID, playerPassword)
		w.check(err)
		var sessions []string
		for range 2 {
			session, err := w.sys.NewSession(w.ctx(), "player", anne.ID, time.Hour)
			w.check(err)
			sessions = append(sessions, session)
		}
		others, err := w.sys.NewSession(w.ctx(), "player", paul.ID, time.Hour)
		w.check(err)
		w.mail()
		w.check(w.sys.ForgotPassword(w.ctx(), "anne@exemple.test"))
		asked := w.mail()[0]
		w.check(w.sys.ResetPassword(w.ctx(), tokenOf(asked), "un autre mot"))
		done := w.mail()
		if !strings.Contains(asked.Body, "toutes vos clés d’accès sont retirées") || len(done) != 1 || !strings.Contains(done[0].Body, "toutes vos clés d’accès, si vous en aviez, sont retirées") ||
			!strings.Contains(done[0].Body, "Toutes vos sessions sont terminées") {
			t.Errorf("got %+v, then %+v", asked, done)
		}
		if keys := w.passkeys(anne.ID); len(keys) != 0 {
			t.Errorf("passkeys %+v", keys)
		}
		for _, d := range []*device{hers, another} {
			w.refusesPasskey(central.ErrPasskey, d.get(w.challenge()))
		}
		w.refuses(central.ErrPasskey, func() error { return w.sys.FinishPasskey(w.ctx(), anne.ID, "clé", newDevice(t).create(begun)) })
		for _, session := range sessions {
			if _, _, err := w.sys.Session(w.ctx(), session); !errors.Is(err, central.ErrSession) {
				t.Errorf("a session goes on: %v", err)
			}
		}
		if _, _, err := w.sys.Session(w.ctx(), others); err != nil {
			t.Errorf("another player's session: %v", err)
		}
		if p, err := w.sys.SignOnPasskey(w.ctx(), his.get(w.challenge())); err != nil || p.ID != paul.ID {
			t.Errorf("another player's passkey: %+v, %v", p, err)
		}
	})
}

func TestChangePlayerPassword(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		p := w.signUp("anne")
		session, err := w.sys.NewSession(w.ctx(), "player", p.ID, time.Hour)
		w.check(err)
		w.check(w.sys.ForgotPassword(w.ctx(), "anne@exemple.test"))
		reset := tokenOf(w.mail()[0])
		change := func(old, password string) error { return w.sys.ChangePlayerPassword(w.ctx(), p.ID, old, password) }
		w.refuses(central.ErrPassword, func() error { return change(playerPassword, "court") })
		w.refuses(central.ErrPassword, func() error { return change(playerPassword, strings.Repeat("x", 201)) })
		w.refuses(central.ErrSamePassword, func() error { return change(playerPassword, playerPassword) })
		w.refuses(central.ErrOldPassword, func() error { return change("faux mot de passe", "un autre mot") })
		w.refuses(party.ErrUnknownPlayer, func() error {
			return w.sys.ChangePlayerPassword(w.ctx(), "0000000000000000", playerPassword, "un autre mot")
		})
		if _, _, err := w.sys.Session(w.ctx(), session); err != nil {
			t.Errorf("the session has ended: %v", err)
		}
		w.check(change(playerPassword, "un autre mot"))
		if _, _, err := w.sys.Session(w.ctx(), session); !errors.Is(err, central.ErrSession) {
			t.Errorf("the session goes on: %v", err)
		}
		w.refuses(central.ErrToken, func() error { return w.sys.ResetPassword(w.ctx(), reset, "encore un mot") })
		w.fail("anne@exemple.test", 1) // not locked
		if _, err := w.sys.SignOnPlayer(w.ctx(), "anne@exemple.test", "un autre mot", ""); err != nil {
			t.Error(err)
		}
		for range 10 {
			w.refuses(central.ErrOldPassword, func() error { return change(playerPassword, "encore un mot") })
		}
		w.refuses(central.ErrLocked, func() error { return change("un autre mot", "encore un mot") })
	})
}

// FuzzPasskey gives what a page sends to both ends of a ceremony: nothing but a
// refusal comes of what no authenticator has signed.
func FuzzPasskey(f *testing.F) {
	w := newPlayers(f, dbtest.SQLite(f))
	p := w.signUp("anne")
	options, err := w.sys.BeginPasskey(w.ctx(), p.ID, playerPassword)
	w.check(err)
	d := newDevice(f)
	f.Add(d.create(options))
	f.Add(d.get(w.challenge()))
	f.Add([]byte(`{}`))
	w.check(w.sys.FinishPasskey(w.ctx(), p.ID, "clé", newDevice(f).create(options))) // the seeds' challenge is used
	w.clock.set(w.clock.Now().Add(time.Hour))
	f.Fuzz(func(t *testing.T, answer []byte) {
		if err := w.sys.FinishPasskey(t.Context(), p.ID, "clé", answer); !errors.Is(err, central.ErrPasskey) {
			t.Errorf("add: %v", err)
		}
		if _, err := w.sys.SignOnPasskey(t.Context(), answer); !errors.Is(err, central.ErrPasskey) {
			t.Errorf("sign on: %v", err)
		}
	})
}
