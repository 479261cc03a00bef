package store

import (
	"context"
	"fmt"
)

// The rows of this file are private: no record implies them, the journal says
// nothing of them, and they change.

// Password lets an officer sign on.
type Password struct {
	Login   string
	Officer string // id
	Hash    string // argon2id, in its text form
	Issued  bool   // somebody else chose it: the officer must change it before anything else
}

// Device is the key of a terminal.
type Device struct {
	Terminal string // id
	Hash     []byte // SHA-256 of the key
}

// Session is a sign-on that holds until a time.
type Session struct {
	TokenHash []byte // SHA-256 of the token
	Kind      string // "officer", "terminal"
	Subject   string // id of whom it is
	ExpiresAt int64  // µs UTC
}

var (
	passwordTable = table[Password]{name: "password", columns: []column[Password]{
		texts("login", func(r *Password) *string { return &r.Login }),
		texts("officer", func(r *Password) *string { return &r.Officer }),
		texts("hash", func(r *Password) *string { return &r.Hash }),
		bools("issued", func(r *Password) *bool { return &r.Issued }),
	}}
	deviceTable = table[Device]{name: "device", columns: []column[Device]{
		texts("terminal", func(r *Device) *string { return &r.Terminal }),
		blobs("hash", func(r *Device) *[]byte { return &r.Hash }),
	}}
	sessionTable = table[Session]{name: "session", columns: []column[Session]{
		blobs("token_hash", func(r *Session) *[]byte { return &r.TokenHash }),
		texts("kind", func(r *Session) *string { return &r.Kind }),
		texts("subject", func(r *Session) *string { return &r.Subject }),
		ints("expires_at", func(r *Session) *int64 { return &r.ExpiresAt }),
	}}
)

// SetPassword adds a login, or gives it another officer and password.
func (tx *Tx) SetPassword(ctx context.Context, p Password) error {
	issued := 0
	if p.Issued {
		issued = 1
	}
	return tx.change(ctx, `INSERT INTO password (login, officer, hash, issued) VALUES ($1, $2, $3, $4)
		ON CONFLICT (login) DO UPDATE SET officer = excluded.officer, hash = excluded.hash, issued = excluded.issued`,
		p.Login, p.Officer, p.Hash, issued)
}

// Password gives the password of a login.
func (r reader) Password(ctx context.Context, login string) (Password, error) {
	return selectRow(ctx, r, &passwordTable, `WHERE t.login = $1`, login)
}

// PasswordOf gives the password of an officer.
func (r reader) PasswordOf(ctx context.Context, officer string) (Password, error) {
	return selectRow(ctx, r, &passwordTable, `WHERE t.officer = $1`, officer)
}

// Passwords gives the passwords of all logins, in their order.
func (r reader) Passwords(ctx context.Context) ([]Password, error) {
	return selectRows(ctx, r, &passwordTable, `ORDER BY t.login`)
}

// SetDevice gives a terminal a key, in place of the one it had. A key that
// another terminal has is [ErrConflict].
func (tx *Tx) SetDevice(ctx context.Context, d Device) error {
	return tx.change(ctx, `INSERT INTO device (terminal, hash) VALUES ($1, $2)
		ON CONFLICT (terminal) DO UPDATE SET hash = excluded.hash`, d.Terminal, d.Hash)
}

// Device gives the key of a terminal.
func (r reader) Device(ctx context.Context, terminal string) (Device, error) {
	return selectRow(ctx, r, &deviceTable, `WHERE t.terminal = $1`, terminal)
}

// AddSession adds a session.
func (tx *Tx) AddSession(ctx context.Context, s Session) error {
	return tx.change(ctx, `INSERT INTO session (token_hash, kind, subject, expires_at) VALUES ($1, $2, $3, $4)`,
		s.TokenHash, s.Kind, s.Subject, s.ExpiresAt)
}

// Session gives the session of a token, expired or not.
func (r reader) Session(ctx context.Context, tokenHash []byte) (Session, error) {
	return selectRow(ctx, r, &sessionTable, `WHERE t.token_hash = $1`, tokenHash)
}

// EndSession ends a session; one that does not exist has ended.
func (tx *Tx) EndSession(ctx context.Context, tokenHash []byte) error {
	return tx.change(ctx, `DELETE FROM session WHERE token_hash = $1`, tokenHash)
}

// EndSessionsOf ends all sessions of a kind that a subject has.
func (tx *Tx) EndSessionsOf(ctx context.Context, kind, subject string) error {
	return tx.change(ctx, `DELETE FROM session WHERE kind = $1 AND subject = $2`, kind, subject)
}

// ExpireSessions removes the sessions that have expired at a time (µs UTC).
func (tx *Tx) ExpireSessions(ctx context.Context, at int64) error {
	return tx.change(ctx, `DELETE FROM session WHERE expires_at <= $1`, at)
}

// change executes a statement on a private table.
func (tx *Tx) change(ctx context.Context, text string, args ...any) error {
	if err := tx.s.exec(ctx, text, args...); err != nil {
		tx.failed = fmt.Errorf("write private row: %w", mapError(err))
		return tx.failed
	}
	return nil
}
