package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"tirage/money"
)

// The rows of this file are private, as those of private.go are.

// SealedSecret is an officer's secret for a pool, sealed under the key of the system.
type SealedSecret struct {
	Hash   []byte // SHA-256 that the journal has
	Sealed []byte
}

// Person is who a player is, and how he signs on.
type Person struct {
	Player     string // id
	Email      string // in lower case, nobody else's
	Identity   []byte // 32 bytes: keyed hash of name, birth date and place, nobody else's
	FirstName  string
	LastName   string
	NameFolded string // both names in both orders, without case, accents and what is no letter or digit: for the search
	BirthDay   int32
	BirthPlace string
	Lang       string // of messages
	Password   string // argon2id, in its text form
	TOTP       []byte // sealed; empty: none
	TOTPStep   int64  // the last one used: a code holds once
}

// Passkey is a passkey (WebAuthn) of a player.
type Passkey struct {
	ID     []byte
	Player string
	Name   string
	Data   []byte // of the library
}

// Token is what a person proves by having received a message.
type Token struct {
	Hash      []byte // SHA-256 of the token
	Purpose   string
	Subject   string
	ExpiresAt int64  // µs UTC
	Data      []byte // sealed: what waits for it; empty of most
}

// Mail is a message in the outbox.
type Mail struct {
	ID      int64
	Player  string // id; empty: nobody's
	Address string
	Subject string
	Body    []byte // sealed; empty once it is sent or dropped
	At      int64  // µs UTC, when it was written
	NextAt  int64  // µs UTC, before which it is not tried
	Tries   int
	State   string // "waiting", "sent", "dropped"
}

// CardPayment is a card payment that a player began.
type CardPayment struct {
	Reference string
	Provider  string
	Player    string
	Amount    money.Amount
	At        int64 // µs UTC
	Paid      bool  // and deposited
}

// CardDay is a day whose payments of a provider were compared with the ledger.
type CardDay struct {
	Provider string
	Day      int32 // of Paris, as game.Day counts
}

// Note is what a record holds the hash of, with its salt.
type Note struct {
	Record uint64
	Salt   []byte // 16 bytes
	Text   string
}

var (
	sealedSecretTable = table[SealedSecret]{name: "sealed_secret", columns: []column[SealedSecret]{
		blobs("hash", func(r *SealedSecret) *[]byte { return &r.Hash }),
		blobs("sealed", func(r *SealedSecret) *[]byte { return &r.Sealed }),
	}}
	personTable = table[Person]{name: "person", columns: []column[Person]{
		texts("player", func(r *Person) *string { return &r.Player }),
		texts("email", func(r *Person) *string { return &r.Email }),
		blobs("identity", func(r *Person) *[]byte { return &r.Identity }),
		texts("first_name", func(r *Person) *string { return &r.FirstName }),
		texts("last_name", func(r *Person) *string { return &r.LastName }),
		texts("name_folded", func(r *Person) *string { return &r.NameFolded }),
		ints("birth_day", func(r *Person) *int32 { return &r.BirthDay }),
		texts("birth_place", func(r *Person) *string { return &r.BirthPlace }),
		texts("lang", func(r *Person) *string { return &r.Lang }),
		texts("password", func(r *Person) *string { return &r.Password }),
		blobs("totp", func(r *Person) *[]byte { return &r.TOTP }),
		ints("totp_step", func(r *Person) *int64 { return &r.TOTPStep }),
	}}
	passkeyTable = table[Passkey]{name: "passkey", columns: []column[Passkey]{
		blobs("id", func(r *Passkey) *[]byte { return &r.ID }),
		texts("player", func(r *Passkey) *string { return &r.Player }),
		texts("name", func(r *Passkey) *string { return &r.Name }),
		blobs("data", func(r *Passkey) *[]byte { return &r.Data }),
	}}
	tokenTable = table[Token]{name: "token", columns: []column[Token]{
		blobs("hash", func(r *Token) *[]byte { return &r.Hash }),
		texts("purpose", func(r *Token) *string { return &r.Purpose }),
		texts("subject", func(r *Token) *string { return &r.Subject }),
		ints("expires_at", func(r *Token) *int64 { return &r.ExpiresAt }),
		blobs("data", func(r *Token) *[]byte { return &r.Data }),
	}}
	outboxTable = table[Mail]{name: "outbox", columns: []column[Mail]{
		ints("id", func(r *Mail) *int64 { return &r.ID }),
		texts("player", func(r *Mail) *string { return &r.Player }),
		texts("address", func(r *Mail) *string { return &r.Address }),
		texts("subject", func(r *Mail) *string { return &r.Subject }),
		blobs("body", func(r *Mail) *[]byte { return &r.Body }),
		ints("at", func(r *Mail) *int64 { return &r.At }),
		ints("next_at", func(r *Mail) *int64 { return &r.NextAt }),
		ints("tries", func(r *Mail) *int { return &r.Tries }),
		texts("state", func(r *Mail) *string { return &r.State }),
	}}
	cardPaymentTable = table[CardPayment]{name: "card_payment", columns: []column[CardPayment]{
		texts("reference", func(r *CardPayment) *string { return &r.Reference }),
		texts("provider", func(r *CardPayment) *string { return &r.Provider }),
		texts("player", func(r *CardPayment) *string { return &r.Player }),
		ints("amount", func(r *CardPayment) *money.Amount { return &r.Amount }),
		ints("at", func(r *CardPayment) *int64 { return &r.At }),
		bools("paid", func(r *CardPayment) *bool { return &r.Paid }),
	}}
	cardDayTable = table[CardDay]{name: "card_day", columns: []column[CardDay]{
		texts("provider", func(r *CardDay) *string { return &r.Provider }),
		ints("day", func(r *CardDay) *int32 { return &r.Day }),
	}}
	noteTable = table[Note]{name: "note", columns: []column[Note]{
		ints("record", func(r *Note) *uint64 { return &r.Record }),
		blobs("salt", func(r *Note) *[]byte { return &r.Salt }),
		texts("text", func(r *Note) *string { return &r.Text }),
	}}
)

// addPrivate inserts a private row.
func addPrivate[R any](ctx context.Context, tx *Tx, t *table[R], row R) error {
	places := make([]string, len(t.columns))
	args := make([]any, len(t.columns))
	for i := range t.columns {
		places[i], args[i] = "$"+strconv.Itoa(i+1), t.columns[i].value(&row, nil)
	}
	return tx.change(ctx, `INSERT INTO `+t.name+` (`+t.list()+`) VALUES (`+strings.Join(places, ", ")+`)`, args...)
}

// setPrivate replaces the private row with the key, which is the first column,
// or returns [ErrNotFound].
func setPrivate[R any](ctx context.Context, tx *Tx, t *table[R], row R) error {
	var set []string
	args := make([]any, len(t.columns))
	for i := range t.columns {
		if i > 0 {
			set = append(set, t.columns[i].name+" = $"+strconv.Itoa(i+1))
		}
		args[i] = t.columns[i].value(&row, nil)
	}
	n, err := tx.s.affect(ctx, `UPDATE `+t.name+` SET `+strings.Join(set, ", ")+` WHERE `+t.columns[0].name+` = $1`, args...)
	if err != nil {
		tx.failed = fmt.Errorf("write private row: %w", mapError(err))
		return tx.failed
	}
	if n == 0 {
		return fmt.Errorf("change %s: %w", t.name, ErrNotFound)
	}
	return nil
}

// AddSealedSecret adds a secret. One that exists is [ErrConflict].
func (tx *Tx) AddSealedSecret(ctx context.Context, s SealedSecret) error {
	return addPrivate(ctx, tx, &sealedSecretTable, s)
}

// SealedSecrets gives the secrets with the hashes, in any order.
func (r reader) SealedSecrets(ctx context.Context, hashes [][]byte) ([]SealedSecret, error) {
	var out []SealedSecret
	for chunk := range slices.Chunk(hashes, keysMax) {
		condition, args := inBlobs(r.s.engine, chunk)
		secrets, err := selectRows(ctx, r, &sealedSecretTable, `WHERE t.hash`+condition, args...)
		if err != nil {
			return nil, err
		}
		out = append(out, secrets...)
	}
	return out, nil
}

// AddPerson adds who a player is. One with an address or identity that another
// has is [ErrConflict], which undoes the turn: look first.
func (tx *Tx) AddPerson(ctx context.Context, p Person) error {
	return addPrivate(ctx, tx, &personTable, p)
}

// SetPerson replaces all that is held of a person, or returns [ErrNotFound];
// [ErrConflict] as AddPerson.
func (tx *Tx) SetPerson(ctx context.Context, p Person) error {
	return setPrivate(ctx, tx, &personTable, p)
}

// Person gives who a player is.
func (r reader) Person(ctx context.Context, player string) (Person, error) {
	return selectRow(ctx, r, &personTable, `WHERE t.player = $1`, player)
}

// PersonByEmail gives the person with an address, in lower case.
func (r reader) PersonByEmail(ctx context.Context, email string) (Person, error) {
	return selectRow(ctx, r, &personTable, `WHERE t.email = $1`, email)
}

// PersonByIdentity gives the person with an identity.
func (r reader) PersonByIdentity(ctx context.Context, identity []byte) (Person, error) {
	return selectRow(ctx, r, &personTable, `WHERE t.identity = $1`, identity)
}

// FindPersons finds persons by a part of their address, in any case, or of their
// [Person.NameFolded], unless it is empty: the newest first, at most limit.
func (r reader) FindPersons(ctx context.Context, address, folded string, limit int) ([]Person, error) {
	return selectRows(ctx, r, &personTable, `WHERE LOWER(t.email) LIKE $1 ESCAPE '\' OR $2 <> '%%' AND t.name_folded LIKE $2
		ORDER BY (SELECT p.record FROM player p WHERE p.id = t.player) DESC LIMIT $3`, likePart(address), "%"+folded+"%", limit)
}

// likePart is the pattern of what has a part in it. LOWER knows ASCII only: any
// other letter of the part stands for any letter.
func likePart(part string) string {
	var b strings.Builder
	b.WriteByte('%')
	for _, c := range part {
		switch {
		case c == '%' || c == '_' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c > unicode.MaxASCII || c == 0:
			b.WriteByte('_')
		default:
			b.WriteRune(unicode.ToLower(c))
		}
	}
	b.WriteByte('%')
	return b.String()
}

// AddPasskey adds a passkey. One with an id that exists is [ErrConflict].
func (tx *Tx) AddPasskey(ctx context.Context, k Passkey) error {
	return addPrivate(ctx, tx, &passkeyTable, k)
}

// SetPasskey replaces a passkey by its id, or returns [ErrNotFound].
func (tx *Tx) SetPasskey(ctx context.Context, k Passkey) error {
	return setPrivate(ctx, tx, &passkeyTable, k)
}

// DeletePasskey deletes a passkey of a player; one that does not exist is deleted.
func (tx *Tx) DeletePasskey(ctx context.Context, player string, id []byte) error {
	return tx.change(ctx, `DELETE FROM passkey WHERE id = $1 AND player = $2`, id, player)
}

// DeletePasskeysOf deletes all passkeys of a player.
func (tx *Tx) DeletePasskeysOf(ctx context.Context, player string) error {
	return tx.change(ctx, `DELETE FROM passkey WHERE player = $1`, player)
}

// Passkey gives a passkey by its id.
func (r reader) Passkey(ctx context.Context, id []byte) (Passkey, error) {
	return selectRow(ctx, r, &passkeyTable, `WHERE t.id = $1`, id)
}

// Passkeys gives the passkeys of a player, by name.
func (r reader) Passkeys(ctx context.Context, player string) ([]Passkey, error) {
	return selectRows(ctx, r, &passkeyTable, `WHERE t.player = $1 ORDER BY t.name, t.id`, player)
}

// AddToken adds a token.
func (tx *Tx) AddToken(ctx context.Context, t Token) error {
	return addPrivate(ctx, tx, &tokenTable, t)
}

// TakeToken gives a token for a purpose, expired or not, and deletes it: it holds once.
func (tx *Tx) TakeToken(ctx context.Context, purpose string, hash []byte) (Token, error) {
	t, err := selectRow(ctx, tx.reader, &tokenTable, `WHERE t.hash = $1 AND t.purpose = $2`, hash, purpose)
	if err != nil {
		return Token{}, err
	}
	return t, tx.change(ctx, `DELETE FROM token WHERE hash = $1`, hash)
}

// Token gives a token for a purpose, expired or not, and leaves it.
func (r reader) Token(ctx context.Context, purpose string, hash []byte) (Token, error) {
	return selectRow(ctx, r, &tokenTable, `WHERE t.hash = $1 AND t.purpose = $2`, hash, purpose)
}

// EndTokensOf deletes the tokens for a purpose that a subject has.
func (tx *Tx) EndTokensOf(ctx context.Context, purpose, subject string) error {
	return tx.change(ctx, `DELETE FROM token WHERE purpose = $1 AND subject = $2`, purpose, subject)
}

// ExpireTokens removes the tokens that have expired at a time (µs UTC).
func (tx *Tx) ExpireTokens(ctx context.Context, at int64) error {
	return tx.change(ctx, `DELETE FROM token WHERE expires_at <= $1`, at)
}

// AddMail puts a message into the outbox, waiting, and gives it its id.
func (tx *Tx) AddMail(ctx context.Context, m Mail) (id int64, err error) {
	if err := tx.row(ctx, []any{&m.ID}, `SELECT COALESCE(MAX(id), 0) + 1 FROM outbox`); err != nil {
		return 0, fmt.Errorf("read outbox: %w", err)
	}
	m.Tries, m.State = 0, "waiting"
	return m.ID, addPrivate(ctx, tx, &outboxTable, m)
}

// SetMail sets what became of a message, and how often it was tried, or returns [ErrNotFound].
func (tx *Tx) SetMail(ctx context.Context, m Mail) error {
	return setPrivate(ctx, tx, &outboxTable, m)
}

// WaitingMail gives messages that wait after one of them (0: the first), in the
// order added, at most limit.
func (r reader) WaitingMail(ctx context.Context, after int64, limit int) ([]Mail, error) {
	return selectRows(ctx, r, &outboxTable, `WHERE t.state = 'waiting' AND t.id > $1 ORDER BY t.id LIMIT $2`, after, limit)
}

// Mail gives a message.
func (r reader) Mail(ctx context.Context, id int64) (Mail, error) {
	return selectRow(ctx, r, &outboxTable, `WHERE t.id = $1`, id)
}

// MailOf gives the messages of a player, and those to his address before it was
// anybody's, whatever became of them, after one of them (0: the first), in the order added, at most limit.
func (r reader) MailOf(ctx context.Context, player, address string, after int64, limit int) ([]Mail, error) {
	return selectRows(ctx, r, &outboxTable, `WHERE (t.player = $1 OR t.player = '' AND t.address = $2) AND t.id > $3 ORDER BY t.id LIMIT $4`,
		player, address, after, limit)
}

// AddCardPayment adds a payment begun.
func (tx *Tx) AddCardPayment(ctx context.Context, p CardPayment) error {
	return addPrivate(ctx, tx, &cardPaymentTable, p)
}

// SetCardPayment sets what became of a payment, or returns [ErrNotFound].
func (tx *Tx) SetCardPayment(ctx context.Context, p CardPayment) error {
	return setPrivate(ctx, tx, &cardPaymentTable, p)
}

// DeleteCardPayment deletes a payment that was not begun after all.
func (tx *Tx) DeleteCardPayment(ctx context.Context, reference string) error {
	return tx.change(ctx, `DELETE FROM card_payment WHERE reference = $1`, reference)
}

// CardPaymentsWaiting adds up what a player began to pay after a time (µs UTC) and has not paid.
func (r reader) CardPaymentsWaiting(ctx context.Context, player string, after int64) (sum money.Amount, err error) {
	err = r.row(ctx, []any{&sum}, `SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM card_payment
		WHERE paid = 0 AND player = $1 AND at > $2`, player, after)
	return sum, mapError(err)
}

// CardPayment gives a payment by its reference.
func (r reader) CardPayment(ctx context.Context, reference string) (CardPayment, error) {
	return selectRow(ctx, r, &cardPaymentTable, `WHERE t.reference = $1`, reference)
}

// CardPaymentsSince gives the payments of a provider that were begun at or after
// a time (µs UTC), in the order begun.
func (r reader) CardPaymentsSince(ctx context.Context, provider string, at int64) ([]CardPayment, error) {
	return selectRows(ctx, r, &cardPaymentTable, `WHERE t.provider = $1 AND t.at >= $2 ORDER BY t.at, t.reference`, provider, at)
}

// FirstCardPayment gives the first payment that was begun with a provider.
func (r reader) FirstCardPayment(ctx context.Context, provider string) (CardPayment, error) {
	return selectRow(ctx, r, &cardPaymentTable, `WHERE t.provider = $1 ORDER BY t.at, t.reference LIMIT 1`, provider)
}

// AddCardDay notes that a provider's payments of a day were compared with the ledger, if it is not noted.
func (tx *Tx) AddCardDay(ctx context.Context, d CardDay) error {
	return tx.change(ctx, `INSERT INTO card_day (provider, day) VALUES ($1, $2) ON CONFLICT DO NOTHING`, d.Provider, int64(d.Day))
}

// CardDays gives the days from one on whose payments were compared, ascending.
func (r reader) CardDays(ctx context.Context, provider string, from int32) ([]CardDay, error) {
	return selectRows(ctx, r, &cardDayTable, `WHERE t.provider = $1 AND t.day >= $2 ORDER BY t.day`, provider, int64(from))
}

// AddNote adds the note of a record.
func (tx *Tx) AddNote(ctx context.Context, n Note) error {
	return addPrivate(ctx, tx, &noteTable, n)
}

// Notes gives the notes of records, by record.
func (r reader) Notes(ctx context.Context, records []uint64) ([]Note, error) {
	return selectKeys(ctx, r, &noteTable, "record", records, " ORDER BY t.record")
}
