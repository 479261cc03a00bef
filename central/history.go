package central

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"tirage/game"
	"tirage/instant"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/store"
)

// Movement is a line of a player's history.
type Movement struct {
	Record uint64
	At     time.Time
	Kind   string       // "sign-up", "unit", "deposit", "withdrawal", "returned", or a [party.ChangeKind]
	Amount money.Amount // added to the balance, or taken off (negative); of limits, the limit
	Means  string       // of a deposit
	Until  time.Time    // of a pause or exclusion; of a limit, from when it holds
	By     string       // the officer who did it; "" for the player himself
	Note   string       // his reason

	// Of a unit:
	Game  game.Code
	Pool  instant.PoolID
	Price money.Amount
	Prize money.Amount
}

// History is what happened on a player's account, newest first, from before a
// record (0: from the newest), at most limit. It follows a chain of records, of
// which none can be left out. Before a record that does not tell of him there is nothing.
func (s *System) History(ctx context.Context, player string, before uint64, limit int) (list []Movement, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		list, err = history(ctx, tx, player, before, limit)
		return err
	})
	return list, err
}

func history(ctx context.Context, tx *store.Snapshot, player string, before uint64, limit int) ([]Movement, error) {
	link, err := tx.Link(ctx, player)
	if errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("%w: %.20q", party.ErrUnknownPlayer, player)
	}
	if err != nil {
		return nil, err
	}
	at := link.Last
	if before != 0 {
		if before > link.Last {
			return nil, nil
		}
		rec, err := readRecord(ctx, tx, before)
		if err != nil {
			return nil, err
		}
		who, previous, ok := tellsOf(rec.Body)
		if !ok || who.String() != player || previous == 0 {
			return nil, nil
		}
		at = previous
	}
	var list []Movement
	var pools map[instant.PoolID]game.Code
	for len(list) < limit {
		rec, err := readRecord(ctx, tx, at)
		if err != nil {
			return nil, err
		}
		who, previous, ok := tellsOf(rec.Body)
		_, first := rec.Body.(*journal.Player)
		if !ok || who.String() != player || !first && previous >= at {
			return nil, fmt.Errorf("%w: record %d is not of the chain of player %s", ErrJournal, at, player)
		}
		m := movementOn(at, rec)
		if m.Pool != 0 {
			if pools == nil {
				if pools, err = poolGames(ctx, tx); err != nil {
					return nil, err
				}
			}
			m.Game = pools[m.Pool]
		}
		list = append(list, m)
		if first {
			break
		}
		at = previous
	}
	return list, addNotes(ctx, tx, list)
}

// addNotes adds the reasons of officers.
func addNotes(ctx context.Context, tx *store.Snapshot, list []Movement) error {
	var records []uint64
	lines := map[uint64]*Movement{}
	for i, m := range list {
		if m.By != "" {
			records, lines[m.Record] = append(records, m.Record), &list[i]
		}
	}
	notes, err := tx.Notes(ctx, records)
	for _, n := range notes {
		lines[n.Record].Note = n.Text
	}
	return err
}

// movementOn is what a record means to its player.
func movementOn(index uint64, rec journal.Record) Movement {
	m := Movement{Record: index, At: utc(rec.At)}
	switch b := rec.Body.(type) {
	case *journal.Player:
		m.Kind = "sign-up"
	case *journal.Unit:
		m.Kind, m.Amount = "unit", b.Prize.Sub(b.Price)
		m.Pool, m.Price, m.Prize = instant.PoolID(b.Pool), b.Price, b.Prize
	case *journal.Deposit:
		m.Kind, m.Amount, m.Means = "deposit", b.Amount, b.Means
	case *journal.Withdrawal:
		m.Kind, m.Amount = "withdrawal", -b.Amount
	case *journal.Returned:
		m.Kind, m.Amount = "returned", b.Amount
	case *journal.PlayerChange:
		m.Kind, m.Amount = b.What, b.Amount
		if b.By != (journal.Party{}) {
			m.By = b.By.String()
		}
		if b.Until != 0 {
			m.Until = utc(b.Until)
		}
	default:
		assert(false, "the record tells of no player")
	}
	return m
}

// poolGames is the game of each pool.
func poolGames(ctx context.Context, tx *store.Snapshot) (map[instant.PoolID]game.Code, error) {
	pools, err := tx.Pools(ctx)
	games := make(map[instant.PoolID]game.Code, len(pools))
	for _, p := range pools {
		games[instant.PoolID(p.ID)] = game.Code(p.Game)
	}
	return games, err
}

// export begins all that is held of a player, as it is given to him. Amounts are in cents, times RFC 3339 in UTC.
type export struct {
	At      time.Time    `json:"at"`
	Player  string       `json:"player"`
	Person  exportPerson `json:"person"`
	Unit    string       `json:"unit"` // of every amount: cents
	Account struct {
		MadeAt        time.Time    `json:"made_at"`
		Balance       money.Amount `json:"balance"`
		Terms         string       `json:"terms"`
		Identified    bool         `json:"identity_checked"`
		Closed        bool         `json:"closed"`
		PausedUntil   *time.Time   `json:"paused_until,omitempty"`
		ExcludedUntil *time.Time   `json:"excluded_until,omitempty"`
		DepositLimit  exportLimit  `json:"deposit_limit"`
		StakeLimit    exportLimit  `json:"stake_limit"`
		Authenticator bool         `json:"authenticator"`
		Passkeys      []string     `json:"passkeys"`
	} `json:"account"`
	// Then its lists: see [System.writeExport].
}

type exportPerson struct {
	Email      string `json:"email"`
	FirstName  string `json:"first_name"`
	LastName   string `json:"last_name"`
	BirthDay   string `json:"birth_day"`
	BirthPlace string `json:"birth_place"`
	Lang       string `json:"language"`
}

type exportLimit struct {
	Max  money.Amount `json:"max"` // 0: none
	Next money.Amount `json:"next,omitempty"`
	From *time.Time   `json:"next_from,omitempty"`
}

type exportMovement struct {
	Record uint64         `json:"record"`
	At     time.Time      `json:"at"`
	Kind   string         `json:"kind"`
	Amount money.Amount   `json:"amount"`
	Means  string         `json:"means,omitempty"`
	Until  *time.Time     `json:"until,omitempty"`
	Game   game.Code      `json:"game,omitempty"`
	Pool   instant.PoolID `json:"pool,omitempty"`
	Price  money.Amount   `json:"price,omitempty"`
	Prize  money.Amount   `json:"prize,omitempty"`
	Note   string         `json:"note,omitempty"` // an officer's reason
}

type exportWithdrawal struct {
	Record uint64       `json:"record"`
	At     time.Time    `json:"at"`
	Amount money.Amount `json:"amount"`
	IBAN   string       `json:"iban"`
	State  string       `json:"state"`
}

type exportMessage struct {
	Subject string    `json:"subject"`
	Address string    `json:"address"`
	At      time.Time `json:"at"`
	State   string    `json:"state"`
}

// Export writes all that the system holds of a player, as JSON: his data and
// history. Passwords, secrets of authenticators and the links of messages stay out: whoever reads it could use them.
// However much it is, a slice at a time is in memory, and no snapshot is held
// while it is written: who reads slowly keeps nobody waiting. After an error the
// JSON is cut short. Refusal, before anything is written: [party.ErrUnknownPlayer].
func (s *System) Export(ctx context.Context, player string, to io.Writer) error {
	e, err := s.exportHead(ctx, player)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(to)
	if err := s.writeExport(ctx, e, w); err != nil {
		return err
	}
	return w.Flush()
}

func (s *System) exportHead(ctx context.Context, player string) (export, error) {
	v, err := s.Player(ctx, player)
	if err != nil {
		return export{}, err
	}
	e := export{At: s.Now(), Player: player, Unit: "cents"}
	e.Person = exportPerson{v.Person.Email, v.Person.FirstName, v.Person.LastName, v.Person.BirthDay.String(), v.Person.BirthPlace, v.Person.Lang}
	a := &e.Account
	a.MadeAt, a.Balance, a.Terms, a.Identified, a.Closed = v.MadeAt, v.Balance, v.Terms, v.Confirmed, v.Closed
	a.PausedUntil, a.ExcludedUntil = timeOrNil(v.PausedUntil), timeOrNil(v.ExcludedUntil)
	a.DepositLimit = exportLimit{v.Deposits.Max, v.Deposits.Next, timeOrNil(v.Deposits.At)}
	a.StakeLimit = exportLimit{v.Stake.Max, v.Stake.Next, timeOrNil(v.Stake.At)}
	a.Authenticator, a.Passkeys = v.TOTP, []string{}
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		keys, err := tx.Passkeys(ctx, player)
		for _, k := range keys {
			a.Passkeys = append(a.Passkeys, k.Name)
		}
		return err
	})
	return e, err
}

// exportSlice is how many rows of a list are read at a time.
const exportSlice = 1000

// writeExport writes the head of an export and its lists: "history", newest
// first, then "withdrawals" and "messages", oldest first.
func (s *System) writeExport(ctx context.Context, e export, w *bufio.Writer) error {
	head, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	if _, err := w.Write(bytes.TrimSuffix(head, []byte("\n}"))); err != nil {
		return err
	}
	var withdrawals []uint64
	if err := exportList(w, "history", s.exportHistory(ctx, e.Player, &withdrawals)); err != nil {
		return err
	}
	slices.Reverse(withdrawals)
	if err := exportList(w, "withdrawals", s.exportWithdrawals(ctx, withdrawals)); err != nil {
		return err
	}
	if err := exportList(w, "messages", s.exportMessages(ctx, e)); err != nil {
		return err
	}
	_, err = w.WriteString("\n}")
	return err
}

// exportList writes a list after what comes before it in its object.
func exportList[T any](w *bufio.Writer, name string, items iter.Seq2[T, error]) error {
	fmt.Fprintf(w, ",\n  %q: [", name) // an error of w comes again at its end
	end := "]"
	for item, err := range items {
		if err != nil {
			return err
		}
		text, err := json.MarshalIndent(item, "    ", "  ")
		if err != nil {
			return err
		}
		if end != "]" {
			text = append([]byte(",\n    "), text...)
		} else {
			text = append([]byte("\n    "), text...)
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
		end = "\n  ]"
	}
	_, err := w.WriteString(end)
	return err
}

// exportHistory reads a history from its newest record, and notes those of withdrawals.
func (s *System) exportHistory(ctx context.Context, player string, withdrawals *[]uint64) iter.Seq2[exportMovement, error] {
	return inSlices(func(last exportMovement) (part []exportMovement, err error) {
		list, err := s.History(ctx, player, last.Record, exportSlice)
		for _, m := range list {
			if m.Kind == "withdrawal" {
				*withdrawals = append(*withdrawals, m.Record)
			}
			part = append(part, exportMovement{
				Record: m.Record, At: m.At, Kind: m.Kind, Amount: m.Amount, Means: m.Means, Until: timeOrNil(m.Until),
				Game: m.Game, Pool: m.Pool, Price: m.Price, Prize: m.Prize, Note: m.Note,
			})
		}
		return part, err
	})
}

func (s *System) exportWithdrawals(ctx context.Context, records []uint64) iter.Seq2[exportWithdrawal, error] {
	return inSlices(func(exportWithdrawal) (part []exportWithdrawal, err error) {
		now := records[:min(exportSlice, len(records))]
		records = records[len(now):]
		list, err := s.withdrawals(ctx, func(tx *store.Snapshot) ([]store.Withdrawal, error) { return tx.Withdrawals(ctx, now) })
		for _, w := range list {
			part = append(part, exportWithdrawal{w.Record, w.At, w.Amount, w.IBAN, w.State})
		}
		return part, err
	})
}

func (s *System) exportMessages(ctx context.Context, e export) iter.Seq2[exportMessage, error] {
	var after int64
	return inSlices(func(exportMessage) (part []exportMessage, err error) {
		err = s.db.View(ctx, func(tx *store.Snapshot) error {
			mail, err := tx.MailOf(ctx, e.Player, e.Person.Email, after, exportSlice)
			for _, m := range mail {
				part, after = append(part, exportMessage{m.Subject, m.Address, utc(m.At), m.State}), m.ID
			}
			return err
		})
		return part, err
	})
}

// inSlices gives the items of slices of [exportSlice], each read after the last
// item of the one before (at first, none), until one is not full.
func inSlices[T any](read func(last T) ([]T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var last T
		for {
			part, err := read(last)
			if err != nil {
				yield(last, err)
				return
			}
			for _, last = range part {
				if !yield(last, nil) {
					return
				}
			}
			if len(part) < exportSlice {
				return
			}
		}
	}
}

func timeOrNil(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}
