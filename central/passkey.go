package central

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
	"github.com/go-webauthn/webauthn/webauthn"

	"tirage/party"
	"tirage/store"
)

var (
	// ErrPasskey is an answer of an authenticator that is not accepted: the same for all causes.
	ErrPasskey = errors.New("passkey not accepted")
	// ErrPasskeyCopied is a passkey whose count of signatures went back: somebody has a copy of it.
	ErrPasskeyCopied = errors.New("passkey seems to have been copied: it is refused from now on")
	// ErrPasskeys is a passkey more than an account may have.
	ErrPasskeys = errors.New("too many passkeys: remove one first")
	// ErrPasskeyName is a name of a passkey that is not 1 to 40 characters, one of them a letter or digit.
	ErrPasskeyName = errors.New("name of a passkey must be 1 to 40 characters")
	// ErrNoPasskey is a passkey that the player does not have.
	ErrNoPasskey = errors.New("no such passkey")
	// ErrPasskeySite is a portal at an address that browsers keep no passkeys for:
	// one without a name, or without TLS.
	ErrPasskeySite = errors.New("the portal's address is not one for passkeys")
)

// What the challenge of a ceremony is for, and how long it holds.
const (
	purposePasskey       = "passkey"         // to add one; the subject is the player
	purposePasskeySignOn = "passkey sign-on" // the subject is nobody: who signs on is in the answer
	passkeyLife          = 5 * time.Minute
)

const (
	passkeysMax    = 10 // of a player
	passkeyNameMax = 40 // characters
	passkeyIDMax   = 1023
	passkeyBytes   = 16 << 10 // of an answer
)

// passkeyAlgorithms are those that authenticators have; RSA is that of older ones of Windows.
var passkeyAlgorithms = []protocol.CredentialParameter{
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgES256},
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgEdDSA},
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgRS256},
}

// Passkey is a passkey of a player, as he sees it.
type Passkey struct {
	ID     string // base64url
	Name   string
	Added  time.Time
	Used   time.Time // zero: never
	Copied bool      // refused from now on
}

// passkeyData is what the database holds of a passkey, as JSON.
type passkeyData struct {
	Added      int64               `json:"added"` // µs UTC
	Used       int64               `json:"used"`  // µs UTC; 0: never
	Credential webauthn.Credential `json:"credential"`
}

// HasPasskeys tells whether the portal has an address that browsers keep passkeys for.
func (s *System) HasPasskeys() bool {
	_, err := s.relyingParty()
	return err == nil
}

// relyingParty is the portal as authenticators know it (WebAuthn level 3, §4),
// or [ErrPasskeySite]. Whoever signs on has to be there, and to show the
// authenticator that he is himself: so one signature replaces password and code.
func (s *System) relyingParty() (*webauthn.WebAuthn, error) {
	site, err := url.Parse(s.site)
	if err != nil || site.Host == "" || site.Scheme != "https" && site.Hostname() != "localhost" || protocol.ValidateRPID(site.Hostname()) != nil {
		return nil, ErrPasskeySite
	}
	w, err := webauthn.New(&webauthn.Config{
		RPID: site.Hostname(), RPDisplayName: "Tirage", RPOrigins: []string{site.Scheme + "://" + site.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification: protocol.VerificationRequired,
		},
		Timeouts: webauthn.TimeoutsConfig{
			Login: webauthn.TimeoutConfig{Timeout: passkeyLife}, Registration: webauthn.TimeoutConfig{Timeout: passkeyLife},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPasskeySite, err)
	}
	return w, nil
}

// passkeyUser is a player as authenticators know him: by a handle that no record has.
type passkeyUser struct {
	handle      []byte
	person      store.Person
	credentials []webauthn.Credential
}

// WebAuthnID is the handle of the player.
func (u *passkeyUser) WebAuthnID() []byte { return u.handle }

// WebAuthnName is what the authenticator lists the passkey by.
func (u *passkeyUser) WebAuthnName() string { return u.person.Email }

// WebAuthnDisplayName is the player's name.
func (u *passkeyUser) WebAuthnDisplayName() string {
	return u.person.FirstName + " " + u.person.LastName
}

// WebAuthnCredentials are the player's passkeys, or the one that is asked about.
func (u *passkeyUser) WebAuthnCredentials() []webauthn.Credential { return u.credentials }

func (s *System) passkeyUser(person store.Person, rows ...store.Passkey) (*passkeyUser, error) {
	handle := s.keys.mac(s.keys.Sealing, []byte("passkey\x00"), []byte(person.Player))
	u := &passkeyUser{handle: handle[:], person: person}
	for _, row := range rows {
		d, err := readPasskey(row)
		if err != nil {
			return nil, err
		}
		u.credentials = append(u.credentials, d.Credential)
	}
	return u, nil
}

func readPasskey(row store.Passkey) (d passkeyData, err error) {
	if err := json.Unmarshal(row.Data, &d); err != nil {
		return d, fmt.Errorf("passkey %x: %w", row.ID, err)
	}
	return d, nil
}

// challenge makes the challenge of a ceremony, which is a token: it holds once.
func (s *System) challenge(t *turn, purpose, player, token string) error {
	if err := t.tx.ExpireTokens(s.ctx, t.at); err != nil {
		return err
	}
	return t.tx.AddToken(s.ctx, store.Token{Hash: deviceHash(token), Purpose: purpose, Subject: player, ExpiresAt: t.at + passkeyLife.Microseconds()})
}

// takeChallenge uses the challenge that an answer has signed, which must be one of ours, or returns [ErrToken].
func (t *turn) takeChallenge(ctx context.Context, purpose string, signed protocol.CollectedClientData) (player string, err error) {
	token, err := base64.RawURLEncoding.DecodeString(signed.Challenge)
	if err != nil {
		return "", ErrToken
	}
	return t.takeToken(ctx, purpose, string(token))
}

// ceremony is what the library compares an answer with. That the challenge is
// ours is what takeChallenge has shown.
func ceremony(w *webauthn.WebAuthn, signed protocol.CollectedClientData) webauthn.SessionData {
	return webauthn.SessionData{
		Challenge: signed.Challenge, RelyingPartyID: w.Config.RPID, UserVerification: protocol.VerificationRequired, CredParams: passkeyAlgorithms,
	}
}

// BeginPasskey begins to add a passkey to the account of a player who signs on
// with his password once more. It returns what navigator.credentials.create is
// given (PublicKeyCredentialCreationOptions, as JSON), which holds for five
// minutes. Refusals: [ErrOldPassword], [ErrLocked], [ErrPasskeys],
// [ErrPasskeySite], [party.ErrUnknownPlayer].
func (s *System) BeginPasskey(ctx context.Context, player, password string) (options []byte, err error) {
	w, err := s.relyingParty()
	if err != nil {
		return nil, err
	}
	token := newToken()
	err = s.withPassword(ctx, player, password, func(t *turn, person store.Person) error {
		rows, err := t.tx.Passkeys(s.ctx, player)
		if err != nil {
			return err
		}
		if len(rows) >= passkeysMax {
			return ErrPasskeys
		}
		user, err := s.passkeyUser(person, rows...)
		if err != nil {
			return err
		}
		creation, _, err := w.BeginRegistration(user, webauthn.WithCredentialParameters(passkeyAlgorithms),
			webauthn.WithExclusions(webauthn.Credentials(user.credentials).CredentialDescriptors()),
			func(o *protocol.PublicKeyCredentialCreationOptions) error { o.Challenge = []byte(token); return nil })
		if err != nil {
			return fmt.Errorf("begin passkey: %w", err)
		}
		if options, err = json.Marshal(creation.Response); err != nil {
			return err
		}
		return s.challenge(t, purposePasskey, player, token)
	})
	if err != nil {
		return nil, err
	}
	return options, nil
}

// FinishPasskey adds a passkey, which the authenticator's answer shows to be
// there (a RegistrationResponseJSON, without extensions). A message tells the player. Refusals:
// [ErrPasskeyName], [ErrPasskey], [ErrPasskeys], [ErrPasskeySite],
// [party.ErrUnknownPlayer].
func (s *System) FinishPasskey(ctx context.Context, player, name string, answer []byte) error {
	w, err := s.relyingParty()
	if err != nil {
		return err
	}
	if name, err = passkeyName(name); err != nil {
		return err
	}
	if len(answer) > passkeyBytes {
		return ErrPasskey
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return ErrPasskey
	}
	var refusal error // the turn uses the challenge, so it is not dropped for it
	err = s.private(ctx, func(t *turn) (err error) {
		refusal, err = s.addPasskey(t, w, player, name, parsed)
		return err
	})
	return cmp.Or(err, refusal)
}

func (s *System) addPasskey(t *turn, w *webauthn.WebAuthn, player, name string, parsed *protocol.ParsedCredentialCreationData) (refusal, err error) {
	signed := parsed.Response.CollectedClientData
	switch of, err := t.takeChallenge(s.ctx, purposePasskey, signed); {
	case errors.Is(err, ErrToken):
		return ErrPasskey, nil
	case err != nil:
		return nil, err
	case of != player:
		return ErrPasskey, nil
	}
	person, err := personOf(s.ctx, t, player)
	if err != nil {
		return nil, err
	}
	rows, err := t.tx.Passkeys(s.ctx, player)
	if err != nil {
		return nil, err
	}
	if len(rows) >= passkeysMax {
		return ErrPasskeys, nil
	}
	user, err := s.passkeyUser(person)
	if err != nil {
		return nil, err
	}
	credential, ok := created(w, user, parsed)
	if !ok {
		return ErrPasskey, nil
	}
	if has, err := found(t.tx.Passkey(s.ctx, credential.ID)); err != nil || has.Player != "" {
		return ErrPasskey, err
	}
	data, err := json.Marshal(passkeyData{Added: t.at, Credential: *credential})
	if err != nil {
		return nil, err
	}
	if err := t.tx.AddPasskey(s.ctx, store.Passkey{ID: credential.ID, Player: player, Name: name, Data: data}); err != nil {
		return nil, err
	}
	return nil, s.addNotice(t, person, mailPasskey)
}

// created is the credential of an answer, if it is one. Nothing is asked of
// whoever made the authenticator: an attestation that browsers pass on all the
// same is that of the passkey by itself, and the rest is not looked at.
func created(w *webauthn.WebAuthn, user *passkeyUser, parsed *protocol.ParsedCredentialCreationData) (*webauthn.Credential, bool) {
	attestation := parsed.Response.AttestationObject
	if f := protocol.AttestationFormat(attestation.Format); f != protocol.AttestationFormatNone && f != protocol.AttestationFormatPacked {
		return nil, false
	}
	if _, chain := attestation.AttStatement["x5c"]; chain {
		return nil, false
	}
	session := ceremony(w, parsed.Response.CollectedClientData)
	session.UserID = user.handle
	credential, err := w.CreateCredential(user, session, parsed)
	if err != nil || len(credential.ID) == 0 || len(credential.ID) > passkeyIDMax {
		return nil, false
	}
	credential.Attestation = webauthn.CredentialAttestation{} // nothing that is looked at again
	return credential, true
}

// BeginPasskeySignOn begins a sign-on with a passkey, whosever it is. It returns
// what navigator.credentials.get is given (PublicKeyCredentialRequestOptions, as
// JSON), which holds for five minutes. Refusal: [ErrPasskeySite].
func (s *System) BeginPasskeySignOn(ctx context.Context) (options []byte, err error) {
	w, err := s.relyingParty()
	if err != nil {
		return nil, err
	}
	token := newToken()
	assertion, _, err := w.BeginDiscoverableLogin(webauthn.WithChallenge([]byte(token)))
	if err != nil {
		return nil, fmt.Errorf("begin sign-on: %w", err)
	}
	if options, err = json.Marshal(assertion.Response); err != nil {
		return nil, err
	}
	if err := s.private(ctx, func(t *turn) error { return s.challenge(t, purposePasskeySignOn, "", token) }); err != nil {
		return nil, err
	}
	return options, nil
}

// SignOnPasskey returns the player whose passkey has signed a challenge (an
// AuthenticationResponseJSON, without extensions). It stands for password and
// code; what locks an account for those locks it for passkeys. Refusals:
// [ErrPasskey], and of a signature that is right [ErrPasskeyCopied],
// [ErrLocked]; [ErrPasskeySite].
func (s *System) SignOnPasskey(ctx context.Context, answer []byte) (player party.Player, err error) {
	w, err := s.relyingParty()
	if err != nil {
		return player, err
	}
	if len(answer) > passkeyBytes {
		return player, ErrPasskey
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return player, ErrPasskey
	}
	var refusal error // the turn uses the challenge, so it is not dropped for it
	err = s.private(ctx, func(t *turn) (err error) {
		player, refusal, err = s.signOnPasskey(t, w, parsed)
		return err
	})
	if err := cmp.Or(err, refusal); err != nil {
		return party.Player{}, err
	}
	return player, nil
}

func (s *System) signOnPasskey(t *turn, w *webauthn.WebAuthn, parsed *protocol.ParsedCredentialAssertionData) (player party.Player, refusal, err error) {
	signed := parsed.Response.CollectedClientData
	if _, err := t.takeChallenge(s.ctx, purposePasskeySignOn, signed); errors.Is(err, ErrToken) {
		return player, ErrPasskey, nil
	} else if err != nil {
		return player, nil, err
	}
	row, err := found(t.tx.Passkey(s.ctx, parsed.RawID))
	if err != nil || row.Player == "" {
		return player, ErrPasskey, err
	}
	person, err := personOf(s.ctx, t, row.Player)
	if err != nil {
		return player, nil, err
	}
	user, err := s.passkeyUser(person, row)
	if err != nil {
		return player, nil, err
	}
	credential, err := w.ValidateDiscoverableLogin(func([]byte, []byte) (webauthn.User, error) { return user, nil }, ceremony(w, signed), parsed)
	p := t.m.players.byID[row.Player]
	if err != nil || p == nil {
		return player, ErrPasskey, nil
	}
	switch tries, err := s.readTries(t, person.Email); {
	case err != nil:
		return player, nil, err
	case tries.locked():
		return player, ErrLocked, nil
	}
	return p.Player, copied(credential), t.usePasskey(s.ctx, row, *credential)
}

// copied refuses a passkey whose count of signatures has gone back, once or ever:
// the right one and its copy cannot be told apart.
func copied(c *webauthn.Credential) error {
	if c.Authenticator.CloneWarning {
		return ErrPasskeyCopied
	}
	return nil
}

// usePasskey keeps what a passkey is after a sign-on.
func (t *turn) usePasskey(ctx context.Context, row store.Passkey, credential webauthn.Credential) error {
	d, err := readPasskey(row)
	if err != nil {
		return err
	}
	if d.Credential = credential; copied(&credential) == nil {
		d.Used = t.at
	}
	if row.Data, err = json.Marshal(d); err != nil {
		return err
	}
	return t.tx.SetPasskey(ctx, row)
}

// Passkeys are the passkeys of a player, the oldest first.
func (s *System) Passkeys(ctx context.Context, player string) ([]Passkey, error) {
	var rows []store.Passkey
	err := s.db.View(ctx, func(tx *store.Snapshot) (err error) {
		rows, err = tx.Passkeys(ctx, player)
		return err
	})
	if err != nil {
		return nil, err
	}
	list := make([]Passkey, len(rows))
	for i, row := range rows {
		d, err := readPasskey(row)
		if err != nil {
			return nil, err
		}
		list[i] = Passkey{ID: base64.RawURLEncoding.EncodeToString(row.ID), Name: row.Name, Added: utc(d.Added), Copied: copied(&d.Credential) != nil}
		if d.Used != 0 {
			list[i].Used = utc(d.Used)
		}
	}
	slices.SortStableFunc(list, func(a, b Passkey) int { return a.Added.Compare(b.Added) })
	return list, nil
}

// RenamePasskey gives a passkey of a player another name. Refusals: [ErrPasskeyName], [ErrNoPasskey].
func (s *System) RenamePasskey(ctx context.Context, player, id, name string) error {
	name, err := passkeyName(name)
	if err != nil {
		return err
	}
	raw, err := passkeyID(id)
	if err != nil {
		return err
	}
	return s.private(ctx, func(t *turn) error {
		row, err := t.passkeyOf(s.ctx, player, raw)
		if err != nil {
			return err
		}
		row.Name = name
		return t.tx.SetPasskey(s.ctx, row)
	})
}

// RemovePasskey removes a passkey of a player who knows his password; it signs
// nobody on any more. Refusals: [ErrNoPasskey], [ErrOldPassword], [ErrLocked],
// [party.ErrUnknownPlayer].
func (s *System) RemovePasskey(ctx context.Context, player, id, password string) error {
	raw, err := passkeyID(id)
	if err != nil {
		return err
	}
	return s.withPassword(ctx, player, password, func(t *turn, _ store.Person) error {
		if _, err := t.passkeyOf(s.ctx, player, raw); err != nil {
			return err
		}
		return t.tx.DeletePasskey(s.ctx, player, raw)
	})
}

// passkeyID is the id that a page has sent, or [ErrNoPasskey].
func passkeyID(id string) ([]byte, error) {
	raw, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil || len(raw) > passkeyIDMax {
		return nil, ErrNoPasskey
	}
	return raw, nil
}

// passkeyOf reads a passkey that a player has, or returns [ErrNoPasskey].
func (t *turn) passkeyOf(ctx context.Context, player string, id []byte) (store.Passkey, error) {
	row, err := found(t.tx.Passkey(ctx, id))
	if err == nil && (row.Player != player || player == "") {
		err = ErrNoPasskey
	}
	return row, err
}

func passkeyName(name string) (string, error) {
	if name = normalPlace(name); name == "" || utf8.RuneCountInString(name) > passkeyNameMax {
		return "", ErrPasskeyName
	}
	return name, nil
}
