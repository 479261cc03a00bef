package central

import (
	"context"
	"errors"
	"regexp"
	"slices"

	"tirage/journal"
	"tirage/party"
	"tirage/store"
)

// PutOfficer makes someone an officer.
type PutOfficer struct {
	Key      string
	By       string // an officer's id; empty for the first officer of a new system only
	Login    string
	Password string
	Roles    []string
}

var (
	roleForm  = regexp.MustCompile(`^[a-z-]{1,32}$`)
	loginForm = regexp.MustCompile(`^[a-z0-9.-]{3,32}$`)
)

// approvedRoles are those of officers whom two others make.
var approvedRoles = []string{"all"}

// PutOfficer makes the first officer of a system, whom whoever starts it makes,
// and the second, whom the first makes and who must change his password before
// he acts. All others are proposed ([ActMakeOfficer]): an officer who could make
// one alone could approve what he proposes himself. Refusals: [ErrLogin],
// [ErrRole], [ErrPassword], [ErrByProposal], [ErrIssued], [ErrNotAllowed], [ErrKey], [ErrKeyReused].
func (s *System) PutOfficer(ctx context.Context, p PutOfficer) (party.Officer, error) {
	if !loginForm.MatchString(p.Login) {
		return party.Officer{}, ErrLogin
	}
	if slices.ContainsFunc(p.Roles, func(role string) bool { return !roleForm.MatchString(role) }) {
		return party.Officer{}, ErrRole
	}
	if err := checkPassword(p.Password); err != nil {
		return party.Officer{}, err
	}
	k, err := commandKey("officer/"+p.By, p.Key)
	if err != nil {
		return party.Officer{}, err
	}
	var by journal.Party
	if p.By != "" {
		if by, err = partyID(p.By); err != nil {
			return party.Officer{}, ErrNotAllowed
		}
	}
	sum := content("officer", []any{p.Login, p.Roles, s.passwordMark(k, p.Password)})
	var hash string
	record, again, err := s.beforehand(ctx, k, sum, func(tx *store.Snapshot) error { return mayMake(ctx, tx, p.By, p.Login) })
	if err == nil && !again {
		hash, err = s.hashPassword(ctx, p.Password)
	}
	if err != nil {
		return party.Officer{}, err
	}
	if !again {
		err = s.do(ctx, &job{key: k, alone: true, decide: func(t *turn) (err error) {
			if record, again, err = t.done(k, sum); err != nil || again {
				return err
			}
			if err := mayMake(s.ctx, t.tx, p.By, p.Login); err != nil {
				return err
			}
			body := &journal.Officer{Command: commandHash(k), By: by, ID: newParty(), Roles: p.Roles}
			row := store.Password{Login: p.Login, Officer: body.ID.String(), Hash: hash, Issued: p.By != ""}
			if record, err = t.makeOfficer(s.ctx, body, row); err != nil {
				return err
			}
			t.keep(k, sum, record)
			return nil
		}})
	}
	if err != nil {
		return party.Officer{}, err
	}
	rec, err := s.record(ctx, record)
	if err != nil {
		return party.Officer{}, err
	}
	b, ok := rec.Body.(*journal.Officer)
	assert(ok, "the record of an officer is one")
	return party.Officer{ID: b.ID.String(), Roles: b.Roles}, nil
}

// makeOfficer appends the record of an officer and adds his login.
func (t *turn) makeOfficer(ctx context.Context, body *journal.Officer, row store.Password) (uint64, error) {
	if err := t.tx.SetPassword(ctx, row); err != nil {
		return 0, err
	}
	return t.append(body)
}

// officerReader is officers and their passwords, as a turn or a snapshot sees them.
type officerReader interface {
	Officers(ctx context.Context) ([]store.Officer, error)
	Password(ctx context.Context, login string) (store.Password, error)
	PasswordOf(ctx context.Context, officer string) (store.Password, error)
}

// mayMake tells whether an officer may make one of a login alone; nobody ("") may make the first.
func mayMake(ctx context.Context, tx officerReader, by, login string) error {
	officers, err := tx.Officers(ctx)
	if err != nil {
		return err
	}
	if by != "" {
		if err := mayAct(ctx, tx, by); err != nil {
			return err
		}
	} else if len(officers) > 0 {
		return ErrNotAllowed
	}
	if len(officers) > 1 {
		return ErrByProposal
	}
	return loginFree(ctx, tx, login)
}

func loginFree(ctx context.Context, tx officerReader, login string) error {
	if _, err := tx.Password(ctx, login); !errors.Is(err, store.ErrNotFound) {
		return errors.Join(ErrLogin, err)
	}
	return nil
}

// mayAct tells whether an officer is one, and has a password of his own.
func mayAct(ctx context.Context, tx officerReader, officer string) error {
	row, err := passwordOf(ctx, tx, officer)
	if err == nil && row.Issued {
		return ErrIssued
	}
	return err
}

// passwordOf is the row of an officer's password, or [ErrNotAllowed].
func passwordOf(ctx context.Context, tx officerReader, officer string) (store.Password, error) {
	row, err := tx.PasswordOf(ctx, officer)
	if errors.Is(err, store.ErrNotFound) {
		return row, ErrNotAllowed
	}
	return row, err
}

// openProposal reads a proposal that d may decide on.
func openProposal(ctx context.Context, tx proposalReader, d Decide, approved bool) (Proposal, error) {
	p, err := readProposal(ctx, tx, d.Proposal)
	switch {
	case err != nil:
		return p, err
	case !p.DecidedAt.IsZero():
		return p, ErrDecided
	case approved && p.By == d.Officer:
		return p, ErrSameOfficer
	}
	return p, nil
}

// firstPassword hashes the password that an approval gives to an officer; of
// other approvals there is none, and of those that are done or refused none is needed.
func (s *System) firstPassword(ctx context.Context, d Decide, k store.CommandKey, content [32]byte) (string, error) {
	var p Proposal
	_, done, err := s.beforehand(ctx, k, content, func(tx *store.Snapshot) (err error) {
		if err := mayAct(ctx, tx, d.Officer); err != nil {
			return err
		}
		if p, err = openProposal(ctx, tx, d, true); err != nil || p.Act != ActMakeOfficer {
			return err
		}
		return loginFree(ctx, tx, p.Login)
	})
	if err != nil || done || p.Act != ActMakeOfficer {
		return "", err
	}
	if err := checkPassword(d.Password); err != nil {
		return "", err
	}
	return s.hashPassword(ctx, d.Password)
}

// officerBody is the record of an officer whom by approved; it has no command of its own.
func officerBody(by, id journal.Party) *journal.Officer {
	return &journal.Officer{By: by, ID: id, Roles: approvedRoles}
}
