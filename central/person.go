package central

import (
	"cmp"
	"context"
	"encoding/hex"
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

// SignUp opens a player's account (INS-online).
type SignUp struct {
	Key      string
	Person   Person
	Password string
	Terms    string       // version of the rules of accounts that he has accepted
	Deposits money.Amount // limits over 7 days, chosen by the player; 0: none
	Stakes   money.Amount
}

// SignUp opens an account and sends a message to confirm the address. It
// answers the same when the address, or the person, has an account already:
// then the message says so, to that account's address, and nothing else is done
// (nobody finds out who has one); at most one message an address in five minutes.
// An account whose address was not confirmed in time is none. Refusals: [ErrPerson], [party.ErrAdult],
// [party.ErrTerms], [party.ErrLimits], [ErrPassword], [ErrKey].
func (s *System) SignUp(ctx context.Context, u SignUp) error {
	person, err := u.Person.normal(game.DayOf(s.Now(), paris))
	if err != nil {
		return err
	}
	if err := cmp.Or(party.CheckLimit(u.Deposits), party.CheckLimit(u.Stakes), checkPassword(u.Password)); err != nil {
		return err
	}
	if err := signUpRules(s.AccountRules(), u, game.DayOf(s.Now(), paris)); err != nil {
		return err
	}
	n := newAccount{signUp: u, person: person, identity: s.keys.identity(person), id: newParty(), token: newToken()}
	// The key holds for this address and person: one that comes again with
	// others is another command, so that nobody learns whether the first made an account.
	who := s.keys.mac(s.keys.Sealing, []byte("sign-up\x00"), []byte(person.Email), []byte{0}, n.identity[:])
	if n.key, err = commandKey("sign-up/"+hex.EncodeToString(who[:16]), u.Key); err != nil {
		return err
	}
	if n.password, err = s.hashPassword(ctx, u.Password); err != nil { // before anything is looked up: it takes its time for all alike
		return err
	}
	return s.do(ctx, &job{key: n.key, alone: true, private: true, decide: func(t *turn) error { return n.decide(s, t) }})
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

// newAccount is a sign-up on its way through its turn.
type newAccount struct {
	signUp   SignUp
	person   Person // as it is kept
	identity [32]byte
	password string // hashed
	id       journal.Party
	token    string
	key      store.CommandKey
}

func (n *newAccount) decide(s *System, t *turn) error {
	hash := content("sign-up", n.key.Scope)
	if _, done, err := t.done(n.key, hash); err != nil || done {
		return err
	}
	r := t.accountRules()
	if err := signUpRules(r, n.signUp, t.day()); err != nil {
		return err
	}
	has, err := n.holder(s, t)
	if err != nil {
		return err
	}
	if has.Player != "" {
		may, err := s.mayMail(t, has.Email)
		if err != nil || !may {
			return err
		}
		return s.sendToken(t, has, purposeReset, n.token, mailHasAccount)
	}
	row := store.Person{
		Player: n.id.String(), Email: n.person.Email, Identity: n.identity[:], FirstName: n.person.FirstName, LastName: n.person.LastName, NameFolded: n.person.folded(),
		BirthDay: int32(n.person.BirthDay), BirthPlace: n.person.BirthPlace, Lang: n.person.Lang, Password: n.password,
	}
	if err := t.tx.AddPerson(s.ctx, row); err != nil {
		return err
	}
	if err := s.sendToken(t, row, purposeConfirm, n.token, mailConfirm); err != nil {
		return err
	}
	first, err := t.append(&journal.Player{Command: commandHash(n.key), ID: n.id, Terms: n.signUp.Terms})
	if err != nil {
		return err
	}
	t.tells(row.Player, first)
	none := journal.Command{} // the first record has it
	if limit := n.signUp.Deposits; limit > 0 {
		if err := t.setLimit(row.Player, party.DepositLimit, party.Limit{}, limit, r, &none); err != nil {
			return err
		}
	}
	if limit := n.signUp.Stakes; limit > 0 {
		if err := t.setLimit(row.Player, party.StakeLimit, party.Limit{}, limit, r, &none); err != nil {
			return err
		}
	}
	t.keep(n.key, hash, first)
	return nil
}

// holder is the account that the address or the person has, or nobody. Those that
// lapsed give both back, if nobody has either: who never confirmed an address,
// perhaps another's, keeps nobody out.
func (n *newAccount) holder(s *System, t *turn) (nobody store.Person, err error) {
	byEmail, err := found(t.tx.PersonByEmail(s.ctx, n.person.Email))
	if err != nil {
		return nobody, err
	}
	byIdentity, err := found(t.tx.PersonByIdentity(s.ctx, n.identity[:]))
	if err != nil {
		return nobody, err
	}
	var lapsed []string
	for _, has := range []store.Person{byEmail, byIdentity} {
		switch {
		case has.Player == "":
		case !t.lapsed(has.Player):
			return has, nil
		default:
			lapsed = append(lapsed, has.Player)
		}
	}
	for _, player := range lapsed {
		if err := t.tx.EndTokensOf(s.ctx, purposeReset, player); err != nil {
			return nobody, err
		}
		if err := t.tx.DeletePerson(s.ctx, player); err != nil {
			return nobody, err
		}
	}
	return nobody, nil
}

// lapsed tells whether an account's address was not confirmed in the time for
// it, nor its identity by an officer.
func (t *turn) lapsed(player string) bool {
	p := t.m.players.byID[player]
	return p != nil && !p.EmailConfirmed && !p.Confirmed && !utc(t.at).Before(p.MadeAt.Add(confirmLife))
}

// found makes of a row that is not there an empty one.
func found[R any](row R, err error) (R, error) {
	if errors.Is(err, store.ErrNotFound) {
		return row, nil
	}
	return row, err
}

// ConfirmEmail confirms an address by the token of its message. Refusal: [ErrToken].
func (s *System) ConfirmEmail(ctx context.Context, token string) error {
	return s.private(ctx, func(t *turn) error {
		player, err := t.takeToken(s.ctx, purposeConfirm, token)
		if err != nil {
			return err
		}
		return t.confirmEmail(player)
	})
}

// confirmEmail notes that a player has had a message at his address.
func (t *turn) confirmEmail(player string) error {
	p, err := t.player(player)
	if err != nil || p.EmailConfirmed {
		return err
	}
	_, err = t.changePlayer(player, journal.PlayerChange{What: party.EmailConfirmed.String()})
	return err
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
			return s.addToken(t, purposeNothing, "", token)
		}
		return s.sendToken(t, person, purposeReset, token, mailReset)
	})
}

// ResetPassword sets a new password by the token of a message, and ends all
// sessions; passkeys stay, and a message tells of it. It confirms the address
// too: the message has come. Failed sign-ons are forgotten, unless an authenticator is in force: its codes are not to be
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
		if err := t.tx.EndTokensOf(s.ctx, purposeReset, player); err != nil {
			return err
		}
		if err := t.tx.EndSessionsOf(s.ctx, "player", player); err != nil {
			return err
		}
		if err := s.addNotice(t, person, mailPassword); err != nil {
			return err
		}
		return t.confirmEmail(player)
	})
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
