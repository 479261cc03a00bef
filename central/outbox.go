package central

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"tirage/store"
)

// Paths of the portal that messages link to, at [Options.Site]; the token is the parameter "jeton".
const (
	ConfirmPath   = "/confirmation"
	ResetPath     = "/mot-de-passe"
	ForgottenPath = "/mot-de-passe/oubli" // without a token
)

// link is the address of the page that takes a token.
func (s *System) link(purpose, token string) string {
	path := ResetPath
	if purpose == purposeConfirm {
		path = ConfirmPath
	}
	return strings.TrimSuffix(s.site, "/") + path + "?jeton=" + url.QueryEscape(token)
}

// mailText is a message in a language: its subject, and its body, in which %s is the link.
type mailText map[string][2]string

var (
	mailConfirm = mailText{
		"fr": {"Confirmez votre adresse", "Bonjour,\n\nUn compte de joueur a été demandé avec cette adresse. Pour l’ouvrir, confirmez-la dans les 24 heures, avec le mot de passe choisi à l’inscription :\n\n%s\n\nSi ce n’est pas vous, ne faites rien : il ne sera pas ouvert.\n\nJouer comporte des risques : endettement, isolement, dépendance. 09 74 75 13 13 (appel non surtaxé).\n"},
		"en": {"Confirm your address", "Hello,\n\nA player account was asked for with this address. To open it, confirm the address within 24 hours, with the password chosen at the sign-up:\n\n%s\n\nIf it was not you, do nothing: it will not be opened.\n\nGambling carries risks: debt, isolation, addiction. 09 74 75 13 13 (from France, standard rate).\n"},
	}
	mailHasAccount = mailText{
		"fr": {"Vous avez déjà un compte", "Bonjour,\n\nUn compte a été demandé avec votre adresse, ou à votre nom. Vous en avez déjà un, à cette adresse, et chacun n’en a qu’un. Si vous avez oublié votre mot de passe, choisissez-en un autre dans l’heure ; toutes vos sessions se terminent alors, et toutes vos clés d’accès sont retirées :\n\n%s\n\nSi ce n’est pas vous, ne faites rien.\n"},
		"en": {"You already have an account", "Hello,\n\nAn account was asked for with your address, or in your name. You already have one, at this address, and everyone has one only. If you forgot your password, choose another within the hour; that ends all your sessions and removes all your passkeys:\n\n%s\n\nIf it was not you, do nothing.\n"},
	}
	mailReset = mailText{
		"fr": {"Choisissez un nouveau mot de passe", "Bonjour,\n\nUn nouveau mot de passe a été demandé pour votre compte. Choisissez-le dans l’heure ; toutes vos sessions se terminent alors, et toutes vos clés d’accès sont retirées :\n\n%s\n\nSi ce n’est pas vous, ne faites rien : l’ancien reste valable.\n"},
		"en": {"Choose a new password", "Hello,\n\nA new password was asked for your account. Choose it within the hour; that ends all your sessions and removes all your passkeys:\n\n%s\n\nIf it was not you, do nothing: the old one still holds.\n"},
	}
)

// Messages of what may have been done by somebody else; their link is of the
// page that sends a message to choose another password.
var (
	mailPassword = mailText{
		"fr": {"Votre mot de passe a changé", "Bonjour,\n\nLe mot de passe de votre compte vient de changer. Vos clés d’accès, si vous en avez, restent valables.\n\nSi ce n’est pas vous, choisissez-en un autre tout de suite par cette page ; toutes les clés d’accès de votre compte sont alors retirées :\n\n%s\n"},
		"en": {"Your password was changed", "Hello,\n\nThe password of your account was just changed. Your passkeys, if you have any, still hold.\n\nIf it was not you, choose another at once by this page; that removes all passkeys from your account:\n\n%s\n"},
	}
	mailPasswordReset = mailText{
		"fr": {"Votre mot de passe a changé", "Bonjour,\n\nLe mot de passe de votre compte vient d’être remplacé, par le lien d’un message. Toutes vos sessions sont terminées, et toutes vos clés d’accès, si vous en aviez, sont retirées : vous pouvez en créer de nouvelles.\n\nSi ce n’est pas vous, quelqu’un d’autre lit vos messages : changez le mot de passe de votre messagerie, puis choisissez-en un autre ici :\n\n%s\n"},
		"en": {"Your password was changed", "Hello,\n\nThe password of your account was just replaced, by the link of a message. All your sessions have ended, and all your passkeys, if you had any, are removed: you can make new ones.\n\nIf it was not you, somebody else reads your messages: change the password of your mailbox, then choose another here:\n\n%s\n"},
	}
	mailPasskey = mailText{
		"fr": {"Une clé d’accès a été ajoutée", "Bonjour,\n\nUne clé d’accès vient d’être ajoutée à votre compte : qui la détient se connecte sans mot de passe.\n\nSi ce n’est pas vous, choisissez un autre mot de passe tout de suite par cette page ; toutes les clés d’accès de votre compte sont alors retirées :\n\n%s\n"},
		"en": {"A passkey was added", "Hello,\n\nA passkey was just added to your account: whoever has it signs on without a password.\n\nIf it was not you, choose another password at once by this page; that removes all passkeys from your account:\n\n%s\n"},
	}
)

// addNotice puts a message into the outbox that tells a player what was done with his account.
func (s *System) addNotice(t *turn, to store.Person, text mailText) error {
	return s.addMail(t, to, text, s.Site()+ForgottenPath)
}

// addMail puts a message into the outbox, in the turn that it tells of. Its link
// signs on whoever has it, so it is sealed: a reader of the database cannot take an account over.
func (s *System) addMail(t *turn, to store.Person, text mailText, link string) error {
	words, ok := text[to.Lang]
	assert(ok, "message in a language of ours")
	_, err := t.tx.AddMail(s.ctx, store.Mail{
		Player: to.Player, Address: to.Email, Subject: words[0], At: t.at, NextAt: t.at,
		Body: s.keys.seal("mail", to.Player+" "+to.Email, fmt.Appendf(nil, words[1], link)),
	})
	return err
}

// Message is a message to be sent.
type Message struct {
	ID      uint64
	To      string
	Subject string
	Body    string
}

const (
	mailTries = 5           // of a message, before it is dropped
	mailPause = time.Minute // before the second try; twice as long before each further one
	mailSlice = 100         // messages read at a time
)

// SendMessages sends what waits in the outbox, each message once if send says
// that it went; none to a player who has excluded himself, which is looked at when
// it is sent (F22). A message that does not go is tried again later, a few
// times. It returns how many went.
func (s *System) SendMessages(ctx context.Context, send func(context.Context, Message) error) (sent int, err error) {
	s.sending.Lock()
	defer s.sending.Unlock()
	var after int64
	for {
		var waiting []store.Mail
		err := s.db.View(ctx, func(tx *store.Snapshot) (err error) {
			waiting, err = tx.WaitingMail(ctx, after, mailSlice)
			return err
		})
		if err != nil || len(waiting) == 0 {
			return sent, err
		}
		for _, m := range waiting {
			after = m.ID
			went, err := s.sendMail(ctx, m, send)
			if err != nil {
				return sent, err
			}
			if went {
				sent++
			}
		}
	}
}

// sendMail sends a message if its time has come. It is noted as tried before it
// is sent: should the node stop meanwhile, or another node send too, it waits.
func (s *System) sendMail(ctx context.Context, m store.Mail, send func(context.Context, Message) error) (went bool, err error) {
	if m.NextAt > s.Now().UnixMicro() {
		return false, nil
	}
	body, err := s.keys.unseal("mail", m.Player+" "+m.Address, m.Body)
	if err != nil { // somebody changed it; those after it go
		s.log.Error("message does not open", "message", m.ID, "error", err)
		return false, nil
	}
	tried := m
	err = s.private(ctx, func(t *turn) error {
		tried = m
		now, err := t.tx.Mail(s.ctx, m.ID)
		if err != nil {
			return err
		}
		if now.State != mailWaiting || now.Tries != m.Tries {
			return errTaken
		}
		if p := t.m.players.byID[m.Player]; p != nil && p.Excluded(utc(t.at)) || m.Tries >= mailTries {
			tried.State, tried.Body = mailDropped, nil
		} else {
			tried.NextAt = t.at + mailPause.Microseconds()<<m.Tries
			tried.Tries++
		}
		return t.tx.SetMail(s.ctx, tried)
	})
	switch {
	case errors.Is(err, errTaken):
		return false, nil
	case err != nil || tried.State == mailDropped:
		return false, err
	}
	if err := send(ctx, Message{ID: uint64(m.ID), To: m.Address, Subject: m.Subject, Body: string(body)}); err != nil {
		why := strings.ReplaceAll(err.Error(), m.Address, "the address") // servers repeat it; a log has no persons
		s.log.Warn("message not sent", "message", m.ID, "tries", tried.Tries, "error", why)
		return false, ctx.Err()
	}
	tried.State, tried.Body = mailSent, nil
	return true, s.private(context.WithoutCancel(ctx), func(t *turn) error { return t.tx.SetMail(s.ctx, tried) })
}

// errTaken is a message that another node has taken meanwhile.
var errTaken = errors.New("taken by another node")

// The states of a message in the outbox.
const (
	mailWaiting = "waiting"
	mailSent    = "sent"
	mailDropped = "dropped"
)
