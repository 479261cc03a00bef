package central

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"tirage/game"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/store"
)

var (
	// ErrPerson is a sign-up with particulars that are missing or cannot be; the error is a [PersonError].
	ErrPerson = errors.New("particulars are missing or not valid")
	// ErrToken is a link of a message that is not right, or too old, or was used.
	ErrToken = errors.New("the link is not right, or too old")
)

// Person is who a player is, in no record.
type Person struct {
	Email      string
	FirstName  string
	LastName   string
	BirthDay   game.Day
	BirthPlace string
	Lang       string // "fr", "en": of his messages
}

// PersonError is a refusal by [ErrPerson]: the field, by its name in Person in lower case.
type PersonError struct{ Field string }

// Error names the field.
func (e *PersonError) Error() string { return ErrPerson.Error() + ": " + e.Field }

// Is makes the error an [ErrPerson].
func (e *PersonError) Is(target error) bool { return target == ErrPerson }

// emailForm is what addresses of messages look like, in lower case.
var emailForm = regexp.MustCompile(`^[!#-'*+\-/-9=?^-~.]{1,64}@[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$`)

const emailMax = 254

// normalEmail writes an address as it is kept: "" when it is none.
func normalEmail(email string) string {
	email = strings.ToLower(strings.TrimSpace(email))
	if len(email) > emailMax || !emailForm.MatchString(email) {
		return ""
	}
	return email
}

// firstBirthDay is before the birth of anybody alive.
var firstBirthDay = game.NewDay(1900, 1, 1)

// normal returns the particulars as they are kept, or a [PersonError].
func (p Person) normal(today game.Day) (Person, error) {
	p.Email = normalEmail(p.Email)
	p.FirstName, p.LastName, p.BirthPlace = normalName(p.FirstName), normalName(p.LastName), normalPlace(p.BirthPlace)
	var field string
	switch {
	case p.Email == "":
		field = "email"
	case p.FirstName == "":
		field = "firstname"
	case p.LastName == "":
		field = "lastname"
	case p.BirthDay < firstBirthDay || p.BirthDay > today:
		field = "birthday"
	case p.BirthPlace == "":
		field = "birthplace"
	case p.Lang != "fr" && p.Lang != "en":
		field = "lang"
	default:
		return p, nil
	}
	return Person{}, &PersonError{field}
}

// SignUp asks for a player's account (INS-online).
type SignUp struct {
	Key      string
	Person   Person
	Password string
	Terms    string       // version of the rules of accounts that he has accepted
	Deposits money.Amount // limits over 7 days, chosen by the player; 0: none
	Stakes   money.Amount
}

// SignUp asks for an account, and sends a message to confirm the address:
// [System.ConfirmEmail] then opens it. Until then no record, which anybody may
// read, tells of it, and it keeps neither the address nor the person from anybody. It
// answers the same when the address, or the person, has an account already:
// then the message says so, to that account's address, and nothing else is done
// (nobody finds out who has one); at most one message an address in five minutes.
// Refusals: [ErrPerson], [party.ErrAdult], [party.ErrTerms], [party.ErrLimits], [ErrPassword], [ErrKey].
func (s *System) SignUp(ctx context.Context, u SignUp) (err error) {
	if u.Person, err = u.Person.normal(game.DayOf(s.Now(), paris)); err != nil {
		return err
	}
	if err := cmp.Or(party.CheckLimit(u.Deposits), party.CheckLimit(u.Stakes), checkPassword(u.Password)); err != nil {
		return err
	}
	if err := signUpRules(s.AccountRules(), u, game.DayOf(s.Now(), paris)); err != nil {
		return err
	}
	n, err := s.newAccount(u)
	if err != nil {
		return err
	}
	// Before anything is looked up: it takes its time for all alike.
	if n.Password, err = s.hashPassword(ctx, u.Password); err != nil {
		return err
	}
	token := newToken()
	waits, err := n.seal(s.keys, token)
	if err != nil {
		return err
	}
	return s.do(ctx, &job{key: n.key, alone: true, private: true, decide: func(t *turn) error { return n.ask(s, t, token, waits) }})
}

// signUpRules tells whether somebody may sign up on a day, whoever has an account.
func signUpRules(r *party.Rules, u SignUp, today game.Day) error {
	switch {
	case r == nil || u.Terms != r.Version:
		return party.ErrTerms
	case !party.Adult(int32(u.Person.BirthDay), int32(today), r.AdultAge):
		return party.ErrAdult
	}
	return nil
}

// newAccount is an account on its way: a sign-up whose password is hashed.
type newAccount struct {
	SignUp
	identity [32]byte
	key      store.CommandKey
}

// newAccount is the account that a sign-up, of normal particulars, asks for.
func (s *System) newAccount(u SignUp) (n newAccount, err error) {
	n = newAccount{SignUp: u, identity: s.keys.identity(u.Person)}
	// The key holds for this address and person: one that comes again with
	// others is another command, so that nobody learns whether the first made an account.
	who := s.keys.mac(s.keys.Sealing, []byte("sign-up\x00"), []byte(u.Person.Email), []byte{0}, n.identity[:])
	n.key, err = commandKey("sign-up/"+hex.EncodeToString(who[:16]), u.Key)
	return n, err
}

// sealSignUp is the purpose of sealing sign-ups, which wait with the token of their message.
const sealSignUp = "sign-up"

func (n *newAccount) seal(keys Keys, token string) ([]byte, error) {
	plain, err := json.Marshal(n.SignUp)
	if err != nil {
		return nil, fmt.Errorf("sign-up that waits: %w", err)
	}
	return keys.seal(sealSignUp, token, plain), nil
}

// unsealAccount opens a sign-up that waits with a token.
func (s *System) unsealAccount(row store.Token, token string) (newAccount, error) {
	plain, err := s.keys.unseal(sealSignUp, token, row.Data)
	if err != nil {
		return newAccount{}, err
	}
	var u SignUp
	if err := json.Unmarshal(plain, &u); err != nil {
		return newAccount{}, fmt.Errorf("sign-up that waits: %w", err)
	}
	return s.newAccount(u)
}

// ask has the sign-up wait for its token, or tells who has an account that he has one.
func (n *newAccount) ask(s *System, t *turn, token string, waits []byte) error {
	if _, done, err := t.done(n.key, n.content()); err != nil || done {
		return err
	}
	if err := signUpRules(t.accountRules(), n.SignUp, t.day()); err != nil {
		return err
	}
	has, err := n.holder(s, t)
	if err != nil {
		return err
	}
	may, err := s.mayMail(t, cmp.Or(has.Email, n.Person.Email))
	if err != nil || !may {
		return err
	}
	if has.Player != "" {
		return s.sendToken(t, has, purposeReset, token, mailHasAccount)
	}
	if err := s.addToken(t, purposeConfirm, "", token, waits); err != nil {
		return err
	}
	return s.addMail(t, store.Person{Email: n.Person.Email, Lang: n.Person.Lang}, mailConfirm, s.link(purposeConfirm, token))
}

// open opens the account, unless the address or the person got one meanwhile.
// The terms are those accepted at the sign-up; newer ones he accepts as other players do.
func (n *newAccount) open(s *System, t *turn, id journal.Party) error {
	if _, done, err := t.done(n.key, n.content()); err != nil || done {
		return err
	}
	has, err := n.holder(s, t)
	switch {
	case err != nil:
		return err
	case has.Player != "":
		return ErrToken
	}
	r := t.accountRules()
	if r == nil {
		return party.ErrTerms
	}
	player := id.String()
	if err := t.tx.AddPerson(s.ctx, store.Person{
		Player: player, Email: n.Person.Email, Identity: n.identity[:], FirstName: n.Person.FirstName, LastName: n.Person.LastName, NameFolded: n.Person.folded(),
		BirthDay: int32(n.Person.BirthDay), BirthPlace: n.Person.BirthPlace, Lang: n.Person.Lang, Password: n.Password,
	}); err != nil {
		return err
	}
	first, err := t.append(&journal.Player{Command: commandHash(n.key), ID: id, Terms: n.Terms})
	if err != nil {
		return err
	}
	t.tells(player, first)
	none := journal.Command{} // the first record has it
	if n.Deposits > 0 {
		if err := t.setLimit(player, party.DepositLimit, party.Limit{}, n.Deposits, r, &none); err != nil {
			return err
		}
	}
	if n.Stakes > 0 {
		if err := t.setLimit(player, party.StakeLimit, party.Limit{}, n.Stakes, r, &none); err != nil {
			return err
		}
	}
	if _, err := t.changePlayer(player, journal.PlayerChange{What: party.EmailConfirmed.String()}); err != nil {
		return err
	}
	t.keep(n.key, n.content(), first)
	return s.mailRead(t, n.Person.Email)
}

func (n *newAccount) content() [32]byte { return content("sign-up", n.key.Scope) }

// holder is the account that the address has, or the person, or nobody's.
func (n *newAccount) holder(s *System, t *turn) (store.Person, error) {
	has, err := found(t.tx.PersonByEmail(s.ctx, n.Person.Email))
	if err != nil || has.Player != "" {
		return has, err
	}
	return found(t.tx.PersonByIdentity(s.ctx, n.identity[:]))
}

// found makes of a row that is not there an empty one.
func found[R any](row R, err error) (R, error) {
	if errors.Is(err, store.ErrNotFound) {
		return row, nil
	}
	return row, err
}

// ErrSignUpPassword is a confirmation of an address by who does not know the password of the sign-up.
var ErrSignUpPassword = errors.New("not the password of the sign-up")

// ConfirmEmail opens the account of a sign-up by the token of its message, which
// shows that the address is his, and the password that he chose, which shows that
// he signed up: else somebody could have the owner of an address open an account
// with a password that is not his. Of several sign-ups of an address, or a person,
// the first that is confirmed holds. Refusals: [ErrToken], [ErrSignUpPassword],
// [ErrLocked] (failures count as those of sign-ons at the address).
func (s *System) ConfirmEmail(ctx context.Context, token, password string) error {
	var row store.Token
	err := s.db.View(ctx, func(tx *store.Snapshot) (err error) {
		row, err = tx.Token(ctx, purposeConfirm, deviceHash(token))
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return ErrToken
	case err != nil:
		return err
	}
	n, err := s.unsealAccount(row, token)
	if err != nil {
		return err
	}
	right, err := s.passwordIs(ctx, n.Password, password)
	if err != nil {
		return err
	}
	id := newParty()
	var refusal error // the turn counts a failure, so it is not dropped for it
	err = s.do(ctx, &job{key: n.key, alone: true, private: true, decide: func(t *turn) (err error) {
		refusal, err = n.confirm(s, t, token, right, id)
		return err
	}})
	return cmp.Or(err, refusal)
}

// confirm decides a confirmation by a token that holds or not, with a password
// that was right or not. Who failed may try the token again.
func (n *newAccount) confirm(s *System, t *turn, token string, right bool, id journal.Party) (refusal, err error) {
	if err := t.hasToken(s.ctx, purposeConfirm, token); err != nil {
		return nil, err
	}
	tries, err := s.readTries(t, n.Person.Email)
	switch {
	case err != nil:
		return nil, err
	case tries.locked():
		return nil, ErrLocked
	case !right:
		return ErrSignUpPassword, tries.fail(s.ctx, t)
	}
	if err := tries.forget(s.ctx, t); err != nil {
		return nil, err
	}
	if _, err := t.takeToken(s.ctx, purposeConfirm, token); err != nil {
		return nil, err
	}
	return nil, n.open(s, t, id)
}

// ForgotPassword sends a link to set a new password, if the address has an
// account; it answers the same if not, after as much work, and if a message was
// asked for to the address in the last five minutes.
func (s *System) ForgotPassword(ctx context.Context, email string) error {
	address, token := normalEmail(email), newToken()
	return s.private(ctx, func(t *turn) error {
		may, err := s.mayMail(t, address)
		if err != nil || !may {
			return err
		}
		person, err := found(t.tx.PersonByEmail(s.ctx, address))
		if err != nil {
			return err
		}
		if person.Player == "" {
			return s.addToken(t, purposeNothing, "", token, nil)
		}
		return s.sendToken(t, person, purposeReset, token, mailReset)
	})
}

// ResetPassword sets a new password by the token of a message, ends all sessions
// and removes all passkeys: whoever had got into the account is out of it. A message tells of it. Failed sign-ons are forgotten, unless an authenticator is in force: its codes are not to be
// guessed by who reads the messages. Refusals: [ErrToken], [ErrPassword].
func (s *System) ResetPassword(ctx context.Context, token, password string) error {
	if err := checkPassword(password); err != nil {
		return err
	}
	err := s.db.View(ctx, func(tx *store.Snapshot) error { // hashing costs much, and is not for everyone
		_, err := tx.Token(ctx, purposeReset, deviceHash(token))
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return ErrToken
	case err != nil:
		return err
	}
	hash, err := s.hashPassword(ctx, password)
	if err != nil {
		return err
	}
	return s.private(ctx, func(t *turn) error {
		player, err := t.takeToken(s.ctx, purposeReset, token)
		if err != nil {
			return err
		}
		person, err := t.tx.Person(s.ctx, player)
		if err != nil {
			return err
		}
		person.Password = hash
		if err := t.tx.SetPerson(s.ctx, person); err != nil {
			return err
		}
		if !hasTOTP(person) { // else who reads his messages would try codes without end
			tries, err := s.readTries(t, person.Email)
			if err != nil {
				return err
			}
			if err := tries.forget(s.ctx, t); err != nil {
				return err
			}
		}
		if err := s.lockOut(t, player); err != nil {
			return err
		}
		return s.addNotice(t, person, mailPasswordReset)
	})
}

// lockOut ends a player's sessions and all that opens his account, but for password and authenticator.
func (s *System) lockOut(t *turn, player string) error {
	for _, purpose := range []string{purposeReset, purposePasskey} {
		if err := t.tx.EndTokensOf(s.ctx, purpose, player); err != nil {
			return err
		}
	}
	if err := t.tx.DeletePasskeysOf(s.ctx, player); err != nil {
		return err
	}
	return t.tx.EndSessionsOf(s.ctx, "player", player)
}

// PlayerView is a player's account, for himself and for officers.
type PlayerView struct {
	party.Player
	Person        Person
	Balance       money.Amount
	Staked        money.Amount // in the window of the limits
	Deposited     money.Amount
	DepositedEver money.Amount
	TOTP          bool
	Passkeys      int
}

// Player returns a player's account, or [party.ErrUnknownPlayer].
func (s *System) Player(ctx context.Context, id string) (v PlayerView, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		row, err := tx.Person(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("%w: %.20q", party.ErrUnknownPlayer, id)
		}
		if err != nil {
			return err
		}
		v, err = s.playerView(ctx, tx, row)
		return err
	})
	return v, err
}

func (s *System) playerView(ctx context.Context, tx *store.Snapshot, row store.Person) (PlayerView, error) {
	keys, err := tx.Passkeys(ctx, row.Player)
	if err != nil {
		return PlayerView{}, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	p := s.memory.players.byID[row.Player]
	if p == nil { // another node has just opened it
		return PlayerView{}, fmt.Errorf("%w: %.20q", party.ErrUnknownPlayer, row.Player)
	}
	v := PlayerView{
		Player: p.Player, Person: personOfRow(row), Balance: -s.memory.balances[p.account], DepositedEver: p.deposited,
		TOTP: hasTOTP(row), Passkeys: len(keys),
	}
	today := game.DayOf(s.clock.Now(), paris)
	if r := s.memory.players.rulesOn(today); r != nil {
		v.Staked, v.Deposited = p.stakes.sum(today, r.WindowDays), p.deposits.sum(today, r.WindowDays)
	}
	return v, nil
}

func personOfRow(row store.Person) Person {
	return Person{
		Email: row.Email, FirstName: row.FirstName, LastName: row.LastName, BirthDay: game.Day(row.BirthDay), BirthPlace: row.BirthPlace, Lang: row.Lang,
	}
}

// PlayerBalance is a player's balance now (disponibilités).
func (s *System) PlayerBalance(id string) money.Amount {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return -s.memory.balances[ledger.Player(id)]
}

// FindPlayers finds players by a part of their name or address, or lists the newest: for officers.
func (s *System) FindPlayers(ctx context.Context, text string, limit int) ([]PlayerView, error) {
	var list []PlayerView
	err := s.db.View(ctx, func(tx *store.Snapshot) error {
		text := strings.TrimSpace(text)
		rows, err := tx.FindPersons(ctx, text, folded(text), limit)
		if err != nil {
			return err
		}
		for _, row := range rows {
			v, err := s.playerView(ctx, tx, row)
			if err != nil {
				return err
			}
			list = append(list, v)
		}
		return nil
	})
	return list, err
}
