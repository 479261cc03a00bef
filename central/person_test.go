package central_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"tirage/central"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/party"
)

func TestSignUp(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		u := w.aSignUp("anne")
		u.Deposits, u.Stakes = 10_000, 5_000
		u.Person.Email, u.Person.FirstName = "  Anne@Exemple.TEST ", " Anne   Marie "
		w.check(w.sys.SignUp(w.ctx(), u))
		w.check(w.sys.SignUp(w.ctx(), u)) // the same command
		mail := w.mail()
		if len(mail) != 1 || mail[0].To != "anne@exemple.test" || !strings.Contains(mail[0].Body, "https://loterie.test/confirmation?jeton=") {
			t.Fatalf("got %+v", mail)
		}
		if _, err := w.sys.SignOnPlayer(w.ctx(), "anne@exemple.test", playerPassword, ""); !errors.Is(err, central.ErrSignOn) {
			t.Errorf("signs on before the address is confirmed: %v", err)
		}
		w.restart()
		w.check(w.sys.ConfirmEmail(w.ctx(), tokenOf(mail[0]), playerPassword))
		p, err := w.sys.SignOnPlayer(w.ctx(), "ANNE@exemple.test", playerPassword, "")
		w.check(err)
		v := w.view1(p.ID)
		if v.Person.Email != "anne@exemple.test" || v.Person.FirstName != "Anne Marie" || v.Confirmed || v.Terms != "2010" ||
			v.Deposits.Max != 10_000 || v.Stake.Max != 5_000 || v.Balance != 0 {
			t.Errorf("got %+v", v)
		}
		w.clock.set(w.clock.Now().Add(5 * time.Minute))
		w.check(w.sys.SignUp(w.ctx(), u)) // the same command: done
		if mail := w.mail(); len(mail) != 0 {
			t.Errorf("got %+v", mail)
		}
		w.restart()
		if again := w.view1(p.ID); again.Player != v.Player {
			t.Errorf("after a restart %+v, before it %+v", again, v)
		}
	})
}

func TestSignUp_Refusals(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		none := central.SignUp{Key: w.key(), Password: playerPassword, Person: central.Person{
			Email: "a@b.fr", FirstName: "A", LastName: "B", BirthDay: game.NewDay(1980, 1, 1), BirthPlace: "C", Lang: "fr",
		}}
		w.refuses(party.ErrTerms, func() error { return w.sys.SignUp(w.ctx(), none) }) // no rules, no accounts
		w.publishAccounts()
		today := game.DayOf(w.clock.Now(), paris)
		for name, c := range map[string]struct {
			change func(*central.SignUp)
			want   error
			field  string
		}{
			"no address":             {func(u *central.SignUp) { u.Person.Email = "" }, central.ErrPerson, "email"},
			"not an address":         {func(u *central.SignUp) { u.Person.Email = "a@b" }, central.ErrPerson, "email"},
			"two addresses":          {func(u *central.SignUp) { u.Person.Email = "a@b.fr,c@d.fr" }, central.ErrPerson, "email"},
			"a header in an address": {func(u *central.SignUp) { u.Person.Email = "a@b.fr\nBcc: c@d.fr" }, central.ErrPerson, "email"},
			"a long address":         {func(u *central.SignUp) { u.Person.Email = "a@" + strings.Repeat("b.", 130) + "fr" }, central.ErrPerson, "email"},
			"no first name":          {func(u *central.SignUp) { u.Person.FirstName = " " }, central.ErrPerson, "firstname"},
			"a name of dashes":       {func(u *central.SignUp) { u.Person.LastName = "-'-" }, central.ErrPerson, "lastname"},
			"a long name":            {func(u *central.SignUp) { u.Person.LastName = strings.Repeat("é", 101) }, central.ErrPerson, "lastname"},
			"a name turned around":   {func(u *central.SignUp) { u.Person.LastName = "\u202eDupont" }, central.ErrPerson, "lastname"},
			"not UTF-8":              {func(u *central.SignUp) { u.Person.LastName = "Dup\xff" }, central.ErrPerson, "lastname"},
			"NUL":                    {func(u *central.SignUp) { u.Person.LastName = "Dup\x00" }, central.ErrPerson, "lastname"},
			"a Cyrillic о":           {func(u *central.SignUp) { u.Person.LastName = "Dupоnt" }, central.ErrPerson, "lastname"},
			"an ɑ for an a":          {func(u *central.SignUp) { u.Person.FirstName = "Pɑul" }, central.ErrPerson, "firstname"},
			"a Greek place":          {func(u *central.SignUp) { u.Person.BirthPlace = "Νice" }, central.ErrPerson, "birthplace"},
			"an unseen letter":       {func(u *central.SignUp) { u.Person.LastName = "Dupont\u3164" }, central.ErrPerson, "lastname"},
			"no width":               {func(u *central.SignUp) { u.Person.LastName = "Du\u200bpont" }, central.ErrPerson, "lastname"},
			"a second Paul":          {func(u *central.SignUp) { u.Person.FirstName = "Paul2" }, central.ErrPerson, "firstname"},
			"a third Paul":           {func(u *central.SignUp) { u.Person.FirstName = "Paul③" }, central.ErrPerson, "firstname"},
			"born tomorrow":          {func(u *central.SignUp) { u.Person.BirthDay = today + 1 }, central.ErrPerson, "birthday"},
			"born in 1899":           {func(u *central.SignUp) { u.Person.BirthDay = game.NewDay(1899, 12, 31) }, central.ErrPerson, "birthday"},
			"no birth place":         {func(u *central.SignUp) { u.Person.BirthPlace = "" }, central.ErrPerson, "birthplace"},
			"no language":            {func(u *central.SignUp) { u.Person.Lang = "de" }, central.ErrPerson, "lang"},
			"INS-online 17 years":    {func(u *central.SignUp) { u.Person.BirthDay = game.NewDay(2009, 1, 5) }, party.ErrAdult, ""},
			"born today":             {func(u *central.SignUp) { u.Person.BirthDay = today }, party.ErrAdult, ""},
			"other terms":            {func(u *central.SignUp) { u.Terms = "2009" }, party.ErrTerms, ""},
			"no terms":               {func(u *central.SignUp) { u.Terms = "" }, party.ErrTerms, ""},
			"limit below 0":          {func(u *central.SignUp) { u.Deposits = -1 }, party.ErrLimits, ""},
			"stake limit below 0":    {func(u *central.SignUp) { u.Stakes = -1 }, party.ErrLimits, ""},
			"short password":         {func(u *central.SignUp) { u.Password = "neuf cara" }, central.ErrPassword, ""},
			"no key":                 {func(u *central.SignUp) { u.Key = "" }, central.ErrKey, ""},
			"a long key":             {func(u *central.SignUp) { u.Key = strings.Repeat("k", 65) }, central.ErrKey, ""},
		} {
			t.Run(name, func(t *testing.T) {
				u := w.aSignUp("paul")
				c.change(&u)
				var err error
				w.refuses(c.want, func() error { err = w.sys.SignUp(w.ctx(), u); return err })
				var fault *central.PersonError
				if c.field != "" && (!errors.As(err, &fault) || fault.Field != c.field) {
					t.Errorf("got %v, want the field %s", err, c.field)
				}
			})
		}
		if mail := w.mail(); len(mail) != 0 {
			t.Errorf("refused sign-ups sent %+v", mail)
		}
		for i, name := range []string{"Ŋaalɔ", "Łukasz", "Άννα", "Юлия", "محمد", "美咲さくら", "ฟ้า", "Nguyễn Thị Đơ", "İnci ß"} {
			u := w.aSignUp(fmt.Sprint("nom", i))
			u.Person.FirstName, u.Person.BirthPlace = name, "Paris 12e"
			w.check(w.sys.SignUp(w.ctx(), u))
		}
		u := w.aSignUp("juste")
		u.Person.BirthDay = game.NewDay(2009, 1, 4) // 18 today
		w.check(w.sys.SignUp(w.ctx(), u))
	})
}

// The day on which somebody comes of age is the Paris day, which begins before that of UTC.
func TestINS_online_AdultInParis(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		u := w.aSignUp("leo")
		u.Person.BirthDay = game.NewDay(2008, 2, 29)
		w.clock.set(time.Date(2027, 1, 4, 22, 59, 59, 0, time.UTC))
		w.check(w.sys.SignUp(w.ctx(), u))
		v := w.aSignUp("lea")
		v.Person.BirthDay = game.NewDay(2009, 1, 5)
		w.refuses(party.ErrAdult, func() error { return w.sys.SignUp(w.ctx(), v) })
		w.clock.set(time.Date(2027, 1, 4, 23, 0, 0, 0, time.UTC)) // 5 January in Paris
		w.check(w.sys.SignUp(w.ctx(), v))
	})
}

// INS-online: one account a person, however he writes himself, and one an
// address. Whoever tries again is told the same as at first, and the message goes
// to the account that there is: nobody finds out who has one.
func TestINS_online_OneAccount(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		u := w.aSignUp("francois")
		u.Person.FirstName, u.Person.LastName, u.Person.BirthPlace = "François-Régis", "Lœuillet d’Été", "Saint-Étienne"
		w.check(w.sys.SignUp(w.ctx(), u))
		mail := w.mail()
		if len(mail) != 1 || mail[0].To != u.Person.Email {
			t.Fatalf("got %+v", mail)
		}
		w.check(w.sys.ConfirmEmail(w.ctx(), tokenOf(mail[0]), playerPassword))
		size := w.sys.Size()
		for name, change := range map[string]func(*central.Person){
			"the same person":      func(*central.Person) {},
			"capitals":             func(p *central.Person) { p.FirstName, p.LastName = "FRANÇOIS-RÉGIS", "LŒUILLET D’ÉTÉ" },
			"no accents":           func(p *central.Person) { p.FirstName, p.LastName = "Francois-Regis", "Loeuillet d'Ete" },
			"decomposed":           func(p *central.Person) { p.FirstName = "Franc\u0327ois-Re\u0301gis" },
			"no hyphen":            func(p *central.Person) { p.FirstName, p.BirthPlace = "François Régis", "saint etienne" },
			"no space":             func(p *central.Person) { p.LastName = "Lœuillet dÉté" },
			"another message lang": func(p *central.Person) { p.Lang = "en" },
			"swapped":              func(p *central.Person) { p.FirstName, p.LastName = p.LastName, p.FirstName },
			"another apostrophe":   func(p *central.Person) { p.LastName = "Lœuillet d\u02bcÉté" },
			"more spaces":          func(p *central.Person) { p.LastName = "  Lœuillet \u00a0 d’ Été\u2009" },
			"wide letters":         func(p *central.Person) { p.FirstName = "ＦＲＡＮＣＯＩＳ－ＲＥＧＩＳ" },
			"symbols":              func(p *central.Person) { p.FirstName = "François☆Régis" },
			"St":                   func(p *central.Person) { p.BirthPlace = "St-Etienne" },
		} {
			again := w.aSignUp("autre")
			person := u.Person
			person.Email = again.Person.Email
			change(&person)
			again.Person = person
			w.clock.set(w.clock.Now().Add(5 * time.Minute)) // before it, no other message
			w.check(w.sys.SignUp(w.ctx(), again))
			mail := w.mail()
			if len(mail) != 1 || mail[0].To != u.Person.Email || strings.Contains(mail[0].Body, "confirmation") {
				t.Errorf("%s: got %+v", name, mail)
			}
		}
		byAddress := w.aSignUp("xavier")
		byAddress.Person.Email = strings.ToUpper(u.Person.Email)
		w.clock.set(w.clock.Now().Add(5 * time.Minute))
		w.check(w.sys.SignUp(w.ctx(), byAddress))
		if mail := w.mail(); len(mail) != 1 || mail[0].To != u.Person.Email {
			t.Errorf("the same address: got %+v", mail)
		}
		for name, change := range map[string]func(*central.Person){
			"another first name": func(p *central.Person) { p.FirstName = "François" },
			"another birth day":  func(p *central.Person) { p.BirthDay++ },
			"another place":      func(p *central.Person) { p.BirthPlace = "Saint-Étienne-du-Bois" },
		} {
			other := w.aSignUp(strings.ReplaceAll(name, " ", "."))
			person := u.Person
			person.Email = other.Person.Email
			change(&person)
			other.Person = person
			w.check(w.sys.SignUp(w.ctx(), other))
			if mail := w.mail(); len(mail) != 1 || mail[0].To != other.Person.Email {
				t.Errorf("%s: got %+v", name, mail)
			}
		}
		if w.sys.Size() != size {
			t.Errorf("the journal, which anybody reads, has %d records of sign-ups", w.sys.Size()-size)
		}
	})
}

// A key tells nobody whether its first use made an account.
func TestSignUp_KeyTellsNothing(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		w.signUp("anne")
		for _, name := range []string{"anne", "paul"} { // one has an account, one has not
			u := w.aSignUp(name)
			u.Key = "key of the page for " + name
			w.check(w.sys.SignUp(w.ctx(), u))
			u.Password += "!"
			w.check(w.sys.SignUp(w.ctx(), u))
			u.Person = w.aSignUp(name + ".bis").Person
			w.check(w.sys.SignUp(w.ctx(), u))
		}
	})
}

// However many sign-ups of a person are confirmed at a time, one makes an account.
func TestSignUp_Parallel(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		all := func(n int, do func(int) error) (refused int) {
			var group sync.WaitGroup
			errs := make([]error, n)
			for i := range n {
				group.Go(func() { errs[i] = do(i) })
			}
			group.Wait()
			for _, err := range errs {
				if err != nil {
					refused++
				}
			}
			return refused
		}
		ups := make([]central.SignUp, 12)
		for i := range ups {
			ups[i] = w.aSignUp("anne")
			ups[i].Person.Email = fmt.Sprintf("autre%d@exemple.test", i%6)
		}
		if refused := all(12, func(i int) error { return w.sys.SignUp(w.ctx(), ups[i]) }); refused != 0 {
			t.Errorf("%d sign-ups refused", refused)
		}
		mail := w.mail()
		if len(mail) != 6 { // one an address
			t.Fatalf("%d messages", len(mail))
		}
		if refused := all(12, func(i int) error { return w.sys.ConfirmEmail(w.ctx(), tokenOf(mail[i/2]), playerPassword) }); refused != 11 {
			t.Errorf("%d confirmations refused, want 11", refused)
		}
		if found, err := w.sys.FindPlayers(w.ctx(), "", 100); err != nil || len(found) != 1 {
			t.Errorf("%d accounts, %v", len(found), err)
		}
	})
}

// Whoever asks again and again sends an address one message in five minutes, and is told the same.
func TestMessages_OnePerAddress(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		w.signUp("anne")
		w.signUp("paul")
		ask := func() {
			for range 3 {
				w.check(w.sys.ForgotPassword(w.ctx(), "anne@exemple.test"))
				w.check(w.sys.SignUp(w.ctx(), w.aSignUp("anne")))
				w.check(w.sys.ForgotPassword(w.ctx(), "personne@exemple.test"))
			}
		}
		start := w.clock.Now()
		for _, at := range []time.Duration{0, 5 * time.Minute} {
			w.clock.set(start.Add(at))
			ask()
			if mail := w.mail(); len(mail) != 1 || mail[0].To != "anne@exemple.test" {
				t.Errorf("after %s: got %+v", at, mail)
			}
			w.clock.set(start.Add(at + 5*time.Minute - time.Microsecond))
			ask()
			if mail := w.mail(); len(mail) != 0 {
				t.Errorf("within five minutes: got %+v", mail)
			}
		}
		w.check(w.sys.SignUp(w.ctx(), w.aSignUp("paul"))) // another address
		if mail := w.mail(); len(mail) != 1 {
			t.Errorf("got %+v", mail)
		}
	})
}

// A sign-up keeps neither its address nor the person it names from anybody: the first that is confirmed has them.
func TestSignUp_KeepsNobodyOut(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		size := w.sys.Size()
		squat := w.aSignUp("anne") // by somebody else, in Anne's name
		squat.Person.Email = "autre@exemple.test"
		w.check(w.sys.SignUp(w.ctx(), squat))
		address := w.aSignUp("paul") // and one at her address
		address.Person.Email = "anne@exemple.test"
		w.check(w.sys.SignUp(w.ctx(), address))
		first := w.mail()
		w.clock.set(w.clock.Now().Add(5 * time.Minute))
		u := w.aSignUp("anne")
		for range 2 { // the first message was lost
			w.check(w.sys.SignUp(w.ctx(), u))
			w.clock.set(w.clock.Now().Add(5 * time.Minute))
		}
		mail := w.mail()
		if len(first) != 2 || len(mail) != 2 || mail[1].To != "anne@exemple.test" || !strings.Contains(mail[1].Body, "confirmation") {
			t.Fatalf("got %+v, then %+v", first, mail)
		}
		if found, err := w.sys.FindPlayers(w.ctx(), "", 10); err != nil || len(found) != 0 || w.sys.Size() != size {
			t.Errorf("%d accounts and %d records before any is confirmed, %v", len(found), w.sys.Size()-size, err)
		}
		w.restart()
		w.check(w.sys.ConfirmEmail(w.ctx(), tokenOf(mail[1]), playerPassword))
		made := w.sys.Size()
		w.check(w.sys.ConfirmEmail(w.ctx(), tokenOf(mail[0]), playerPassword)) // the same command
		if w.sys.Size() != made {
			t.Errorf("%d records of a command that was done", w.sys.Size()-made)
		}
		for _, m := range first {
			w.refuses(central.ErrToken, func() error { return w.sys.ConfirmEmail(w.ctx(), tokenOf(m), playerPassword) })
		}
		p, err := w.sys.SignOnPlayer(w.ctx(), "anne@exemple.test", playerPassword, "")
		w.check(err)
		if found, err := w.sys.FindPlayers(w.ctx(), "", 10); err != nil || len(found) != 1 || found[0].ID != p.ID {
			t.Errorf("%d accounts, %v", len(found), err)
		}
	})
}

// Somebody signs up with Anne's address and a password of his: she follows the link, and no account opens
// that he has the password of. Tries of passwords are limited, and the link holds for who signed up.
func TestConfirmEmail_Password(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		size := w.sys.Size()
		squat := w.aSignUp("anne")
		squat.Password = "celui de l’autre"
		w.check(w.sys.SignUp(w.ctx(), squat))
		token := tokenOf(w.mail()[0])
		confirm := func(password string) error { return w.sys.ConfirmEmail(w.ctx(), token, password) }
		for _, password := range []string{"", playerPassword, squat.Password + " ", strings.Repeat("x", 1_000), "\xff"} {
			w.refuses(central.ErrSignUpPassword, func() error { return confirm(password) })
		}
		w.restart()
		for range 5 {
			w.refuses(central.ErrSignUpPassword, func() error { return confirm(playerPassword) })
		}
		for _, password := range []string{playerPassword, squat.Password} {
			w.refuses(central.ErrLocked, func() error { return confirm(password) })
			if _, err := w.sys.SignOnPlayer(w.ctx(), "anne@exemple.test", password, ""); !errors.Is(err, central.ErrLocked) {
				t.Errorf("signs on: %v", err)
			}
		}
		if found, err := w.sys.FindPlayers(w.ctx(), "", 10); err != nil || len(found) != 0 || w.sys.Size() != size {
			t.Fatalf("%d accounts and %d records, %v", len(found), w.sys.Size()-size, err)
		}
		w.clock.set(w.clock.Now().Add(15 * time.Minute))
		w.refuses(central.ErrSignUpPassword, func() error { return confirm(playerPassword) })
		w.check(w.sys.SignUp(w.ctx(), w.aSignUp("anne"))) // her own
		w.check(w.sys.ConfirmEmail(w.ctx(), tokenOf(w.mail()[0]), playerPassword))
		w.refuses(central.ErrToken, func() error { return confirm(squat.Password) })
		if _, err := w.sys.SignOnPlayer(w.ctx(), "anne@exemple.test", playerPassword, ""); err != nil {
			t.Error(err)
		}
	})
}

// Who a sign-up names stands nowhere in clear while it waits.
func TestSignUp_Sealed(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		w.check(w.sys.SignUp(w.ctx(), w.aSignUp("anne")))
		var data []byte
		w.check(w.raw().QueryRow(`SELECT data FROM token WHERE purpose = 'confirm'`).Scan(&data))
		if len(data) == 0 || bytes.Contains(data, []byte("anne")) || bytes.Contains(data, []byte("argon2")) {
			t.Errorf("waits in clear: %q", data)
		}
	})
}

// Who accepted the terms of the day on which he signed up, and confirms on the first of newer ones, has those to accept.
func TestSignUp_NewTermsMeanwhile(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		w.publishAccounts(`version: "2010"`, `version: "2027"`, "2009-11-05", "2027-01-05")
		w.clock.set(time.Date(2027, 1, 4, 22, 0, 0, 0, time.UTC))
		u := w.aSignUp("anne")
		u.Deposits = 10_000
		w.check(w.sys.SignUp(w.ctx(), u))
		w.clock.set(time.Date(2027, 1, 4, 23, 0, 0, 0, time.UTC)) // 5 January in Paris
		w.check(w.sys.ConfirmEmail(w.ctx(), tokenOf(w.mail()[0]), playerPassword))
		p, err := w.sys.SignOnPlayer(w.ctx(), "anne@exemple.test", playerPassword, "")
		w.check(err)
		if p.Terms != "2010" || p.Deposits.Max != 10_000 {
			t.Errorf("got %+v", p)
		}
		deposit := func() error { _, err := w.sys.DepositDemo(w.ctx(), w.key(), p.ID, 1000); return err }
		w.refuses(party.ErrTerms, deposit)
		w.check(w.sys.AcceptTerms(w.ctx(), w.key(), p.ID, "2027"))
		w.check(deposit())
	})
}

func TestTokens(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		w.check(w.sys.SignUp(w.ctx(), w.aSignUp("anne")))
		confirm := tokenOf(w.mail()[0])
		for _, wrong := range []string{"", "x", confirm[1:], strings.ToLower(confirm)} {
			w.refuses(central.ErrToken, func() error { return w.sys.ConfirmEmail(w.ctx(), wrong, playerPassword) })
		}
		w.refuses(central.ErrToken, func() error { return w.sys.ResetPassword(w.ctx(), confirm, "un autre mot") }) // for another purpose
		w.check(w.sys.ConfirmEmail(w.ctx(), confirm, playerPassword))
		w.refuses(central.ErrToken, func() error { return w.sys.ConfirmEmail(w.ctx(), confirm, playerPassword) })

		w.check(w.sys.SignUp(w.ctx(), w.aSignUp("paul")))
		late := tokenOf(w.mail()[0])
		w.clock.set(w.clock.Now().Add(24 * time.Hour))
		w.refuses(central.ErrToken, func() error { return w.sys.ConfirmEmail(w.ctx(), late, playerPassword) })

		w.check(w.sys.ForgotPassword(w.ctx(), "Anne@exemple.test"))
		w.check(w.sys.ForgotPassword(w.ctx(), "personne@exemple.test"))
		w.check(w.sys.ForgotPassword(w.ctx(), "not an address"))
		mail := w.mail()
		if len(mail) != 1 || mail[0].To != "anne@exemple.test" || !strings.Contains(mail[0].Body, "https://loterie.test/mot-de-passe?jeton=") {
			t.Fatalf("got %+v", mail)
		}
		reset := tokenOf(mail[0])
		w.refuses(central.ErrPassword, func() error { return w.sys.ResetPassword(w.ctx(), reset, "court") })
		w.clock.set(w.clock.Now().Add(time.Hour))
		w.refuses(central.ErrToken, func() error { return w.sys.ResetPassword(w.ctx(), reset, "un autre mot") })
	})
}

// A new password ends all sessions, and lifts a lock.
func TestResetPassword(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		id := w.signUp("anne").ID
		w.check(w.sys.SignUp(w.ctx(), w.aSignUp("anne"))) // he does not remember that he has an account
		session, err := w.sys.NewSession(w.ctx(), "player", id, time.Hour)
		w.check(err)
		w.fail("anne@exemple.test", 10)
		reset := tokenOf(w.mail()[0])
		w.check(w.sys.ResetPassword(w.ctx(), reset, "un autre mot"))
		w.refuses(central.ErrToken, func() error { return w.sys.ResetPassword(w.ctx(), reset, "encore un mot") })
		if _, _, err := w.sys.Session(w.ctx(), session); !errors.Is(err, central.ErrSession) {
			t.Errorf("the session goes on: %v", err)
		}
		p, err := w.sys.SignOnPlayer(w.ctx(), "anne@exemple.test", "un autre mot", "")
		if err != nil || p.ID != id {
			t.Errorf("got %+v, %v", p, err)
		}
		if _, err := w.sys.SignOnPlayer(w.ctx(), "anne@exemple.test", playerPassword, ""); !errors.Is(err, central.ErrSignOn) {
			t.Errorf("the old password: %v", err)
		}
	})
}

// fail fails to sign on so many times.
func (w *world) fail(email string, times int) {
	w.Helper()
	for i := range times {
		if _, err := w.sys.SignOnPlayer(w.ctx(), email, "faux mot de passe", ""); !errors.Is(err, central.ErrSignOn) {
			w.Errorf("try %d at %s: %v", i+1, email, err)
		}
	}
}

// Ten failures lock an address for a quarter of an hour, whether or not it has an account.
func TestSignOnPlayer_Lock(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		w.signUp("anne")
		u := w.aSignUp("paul")
		w.check(w.sys.SignUp(w.ctx(), u)) // not confirmed
		for _, email := range []string{"anne@exemple.test", "paul@exemple.test", "personne@exemple.test"} {
			start := w.clock.Now()
			on := func(password string) error {
				_, err := w.sys.SignOnPlayer(w.ctx(), email, password, "")
				return err
			}
			w.fail(email, 10)
			w.refuses(central.ErrLocked, func() error { return on(playerPassword) })
			w.clock.set(start.Add(15*time.Minute - 1))
			w.refuses(central.ErrLocked, func() error { return on("faux mot de passe") })
			w.clock.set(start.Add(15 * time.Minute))
			w.fail(email, 9) // counted anew
			want := central.ErrSignOn
			if email == "anne@exemple.test" {
				want = nil
			}
			if err := on(playerPassword); !errors.Is(err, want) {
				t.Errorf("%s: got %v, want %v", email, err, want)
			}
		}
		w.fail("anne@exemple.test", 9) // a sign-on that succeeds ends the count
		if _, err := w.sys.SignOnPlayer(w.ctx(), "anne@exemple.test", playerPassword, ""); err != nil {
			t.Error(err)
		}
	})
}

// Failures are counted for a day, whether or not the address has an account:
// nobody learns from when it is locked that it has one.
func TestSignOnPlayer_FailuresForgotten(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		w.signUp("anne")
		emails := []string{"anne@exemple.test", "personne@exemple.test"}
		for _, email := range emails {
			w.fail(email, 9)
		}
		w.clock.set(w.clock.Now().Add(hours(24)))
		for _, email := range emails {
			w.fail(email, 10)
			w.refuses(central.ErrLocked, func() error {
				_, err := w.sys.SignOnPlayer(w.ctx(), email, playerPassword, "")
				return err
			})
		}
	})
}

// However many try at a time, no more than ten passwords are tried.
func TestSignOnPlayer_ParallelTries(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		w.signUp("anne")
		var mu sync.Mutex
		said := map[error]int{}
		var group sync.WaitGroup
		for range 24 {
			group.Go(func() {
				_, err := w.sys.SignOnPlayer(w.ctx(), "anne@exemple.test", "faux mot de passe", "")
				mu.Lock()
				defer mu.Unlock()
				said[err]++
			})
		}
		group.Wait()
		if said[central.ErrSignOn] != 10 || said[central.ErrLocked] != 14 {
			t.Errorf("got %v", said)
		}
	})
}

func TestTOTP(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		p := w.signUp("anne")
		code := func(secret string, at time.Time) string {
			c, err := totp.GenerateCode(secret, at)
			w.check(err)
			return c
		}
		on := func(code string) error {
			_, err := w.sys.SignOnPlayer(w.ctx(), "anne@exemple.test", playerPassword, code)
			return err
		}
		w.refuses(central.ErrCode, func() error { return w.sys.ConfirmTOTP(w.ctx(), p.ID, "000000") }) // none is enabled
		secret, address, err := w.sys.EnableTOTP(w.ctx(), p.ID)
		w.check(err)
		if u, err := url.Parse(address); err != nil || u.Query().Get("secret") != secret || !regexp.MustCompile(`^[A-Z2-7]{32}$`).MatchString(secret) {
			t.Errorf("got %s, %v", address, err)
		}
		w.check(on("")) // not in force yet
		now := w.clock.Now()
		w.refuses(central.ErrCode, func() error { return w.sys.ConfirmTOTP(w.ctx(), p.ID, code(secret, now.Add(-2*time.Minute))) })
		w.check(w.sys.ConfirmTOTP(w.ctx(), p.ID, code(secret, now)))
		if !w.view1(p.ID).TOTP {
			t.Error("the account does not show the authenticator")
		}
		w.refuses(central.ErrCode, func() error { return on("") })
		w.refuses(central.ErrCode, func() error { return on(code(secret, now)) }) // used
		w.clock.set(now.Add(30 * time.Second))
		w.refuses(central.ErrSignOn, func() error {
			_, err := w.sys.SignOnPlayer(w.ctx(), "anne@exemple.test", "faux mot de passe", code(secret, w.clock.Now()))
			return err
		})
		w.check(on(code(secret, w.clock.Now())))
		w.refuses(central.ErrCode, func() error { return on(code(secret, w.clock.Now())) })
		w.refuses(central.ErrCode, func() error { _, _, err := w.sys.EnableTOTP(w.ctx(), p.ID); return err })
		w.restart()
		w.clock.set(now.Add(time.Minute))
		w.check(w.sys.DisableTOTP(w.ctx(), p.ID, code(secret, w.clock.Now())))
		w.check(on(""))
		w.refuses(party.ErrUnknownPlayer, func() error { _, _, err := w.sys.EnableTOTP(w.ctx(), "0000000000000000"); return err })
		dump := w.count(`SELECT COUNT(*) FROM person WHERE CAST(totp AS TEXT) LIKE '%` + secret + `%'`)
		if dump != 0 {
			t.Error("the secret stands in clear")
		}
	})
}

// Wrong codes lock an address as wrong passwords do.
func TestTOTP_Lock(t *testing.T) {
	t.Parallel()
	w := newPlayers(t, dbtest.SQLite(t))
	p := w.signUp("anne")
	secret, _, err := w.sys.EnableTOTP(w.ctx(), p.ID)
	w.check(err)
	c, err := totp.GenerateCode(secret, w.clock.Now())
	w.check(err)
	w.check(w.sys.ConfirmTOTP(w.ctx(), p.ID, c))
	for range 10 {
		w.refuses(central.ErrCode, func() error { return w.sys.DisableTOTP(w.ctx(), p.ID, "12345") })
	}
	w.refuses(central.ErrLocked, func() error { return w.sys.DisableTOTP(w.ctx(), p.ID, "12345") })
	w.refuses(central.ErrLocked, func() error {
		_, err := w.sys.SignOnPlayer(w.ctx(), "anne@exemple.test", playerPassword, "12345")
		return err
	})
	w.mail()
	w.check(w.sys.ForgotPassword(w.ctx(), "anne@exemple.test"))
	w.check(w.sys.ResetPassword(w.ctx(), tokenOf(w.mail()[0]), "un autre mot"))
	w.refuses(central.ErrLocked, func() error { // a new password gives no more tries of codes
		_, err := w.sys.SignOnPlayer(w.ctx(), "anne@exemple.test", "un autre mot", "12345")
		return err
	})
}

func TestFindPlayers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		w.signUp("anne")
		w.signUp("paul")
		accented := w.aSignUp("zoe")
		accented.Person.FirstName, accented.Person.LastName = "Zoé", "Lefèvre-Œhm"
		w.check(w.sys.SignUp(w.ctx(), accented))
		w.check(w.sys.ConfirmEmail(w.ctx(), tokenOf(w.mail()[0]), playerPassword))
		for text, want := range map[string]int{
			"": 3, "ANNE": 1, "anne dup": 1, "exemple": 3, "pierre": 0, "%": 0, "'": 0,
			"lefevre": 1, "Lefèvre": 1, "LEFÈVRE ŒHM": 1, "oehm zoe": 1, "zoe lefevre": 1, "lefêvre": 1,
		} {
			if found, err := w.sys.FindPlayers(w.ctx(), text, 10); err != nil || len(found) != want {
				t.Errorf("%q finds %d, %v", text, len(found), err)
			}
		}
		if found, err := w.sys.FindPlayers(w.ctx(), "", 1); err != nil || len(found) != 1 || found[0].Person.FirstName != "Zoé" {
			t.Errorf("the newest: %+v, %v", found, err)
		}
		if _, err := w.sys.Player(w.ctx(), "0000000000000000"); !errors.Is(err, party.ErrUnknownPlayer) {
			t.Errorf("got %v", err)
		}
	})
}
