package central_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"tirage/central"
	"tirage/game"
	"tirage/party"
)

// playerPassword is the password of the players of tests.
const playerPassword = "mot de passe"

// newPlayers is a world with rules of accounts, whose texts can be replaced in pairs.
func newPlayers(t testing.TB, dsn string, replace ...string) *world {
	t.Helper()
	w := newWorld(t, dsn, islet(t))
	w.publishAccounts(replace...)
	return w
}

// publishAccounts publishes rules of accounts, with texts replaced in pairs.
func (w *world) publishAccounts(replace ...string) *party.Rules {
	w.Helper()
	r, err := w.sys.PublishAccounts(w.ctx(), central.PublishRules{
		Key: w.key(), Officer: w.officer.ID, Book: replaced(w, string(party.Book()), replace),
	})
	w.check(err)
	return r
}

// aSignUp is a sign-up of a person of whom only the name is given. No name has
// digits, so letters stand for them.
func (w *world) aSignUp(name string) central.SignUp {
	first := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return 'a' + r - '0'
		}
		return r
	}, name)
	return central.SignUp{
		Key: w.key(), Password: playerPassword, Terms: w.sys.AccountRules().Version,
		Person: central.Person{
			Email: name + "@exemple.test", FirstName: first, LastName: "Dupont", BirthDay: game.NewDay(1980, 5, 17), BirthPlace: "Nantes", Lang: "fr",
		},
	}
}

// mail takes the messages that are in the outbox.
func (w *world) mail() (list []central.Message) {
	w.Helper()
	_, err := w.sys.SendMessages(w.ctx(), func(_ context.Context, m central.Message) error {
		list = append(list, m)
		return nil
	})
	w.check(err)
	return list
}

var tokenForm = regexp.MustCompile(`(\S*)\?jeton=([A-Z2-7]+)`)

// tokenOf is the token of a message.
func tokenOf(m central.Message) string {
	found := tokenForm.FindStringSubmatch(m.Body)
	if found == nil {
		return ""
	}
	return found[2]
}

// signUp opens an account for a person of whom only the name is given, and confirms his address.
func (w *world) signUp(name string) party.Player {
	w.Helper()
	w.mail()
	w.check(w.sys.SignUp(w.ctx(), w.aSignUp(name)))
	mail := w.mail()
	if len(mail) != 1 {
		w.Fatalf("%d messages after a sign-up", len(mail))
	}
	w.check(w.sys.ConfirmEmail(w.ctx(), tokenOf(mail[0]), playerPassword))
	p, err := w.sys.SignOnPlayer(w.ctx(), name+"@exemple.test", playerPassword, "")
	w.check(err)
	return p
}

// identify confirms the identity of a player.
func (w *world) identify(player string) {
	w.Helper()
	w.check(w.sys.CheckIdentity(w.ctx(), central.CheckIdentity{Key: w.key(), Officer: w.officer.ID, Player: player, Confirmed: true, Reason: "carte vue"}))
}

func (w *world) view1(player string) central.PlayerView {
	w.Helper()
	v, err := w.sys.Player(w.ctx(), player)
	w.check(err)
	return v
}
