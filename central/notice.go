package central

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tirage/journal"
	"tirage/party"
	"tirage/store"
)

// ErrNoticeText is a notice without text in both languages, or too long a one, or
// with characters that hide or turn around what it says, or one whose time is over.
var ErrNoticeText = errors.New("a notice has 1 to 500 bytes in each language, without control characters, and a time to come until which it is shown")

// ErrNoticeOver is a notice that is not shown: there is none such, its time is over, or it was taken back.
var ErrNoticeOver = errors.New("no such notice is shown any more")

// SetNotice is a message of an officer to the terminals of an outlet, or of all ("").
type SetNotice struct {
	Key     string
	Officer string
	Outlet  string
	FR, EN  string
	Until   time.Time
}

// Notice is a message that terminals show until an instant.
type Notice struct {
	Record uint64
	Outlet string // empty: all
	FR, EN string
	SentAt time.Time
	Until  time.Time
}

// notice is a notice as the memory has it.
type notice struct {
	record    uint64
	outlet    string
	fr, en    string
	at, until int64
}

// outletName is the id of an outlet or terminal, empty for none.
func outletName(id journal.Party) string {
	if (id == journal.Party{}) {
		return ""
	}
	return id.String()
}

// SetNotice sends a notice. Refusals: [ErrNoticeText], [party.ErrUnknownOutlet], [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) SetNotice(ctx context.Context, n SetNotice) (Notice, error) {
	fr, en := strings.TrimSpace(n.FR), strings.TrimSpace(n.EN)
	for _, text := range []string{fr, en} {
		if text == "" || len(text) > journal.NoticeMax || !readsAsWritten(text) {
			return Notice{}, fmt.Errorf("%w: %.40q", ErrNoticeText, text)
		}
	}
	until := n.Until.UnixMicro()
	hash := content("notice", []any{n.Outlet, fr, en, until})
	record, _, err := s.officerCommand(ctx, n.Officer, n.Key, hash, func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		var to journal.Party
		if n.Outlet != "" {
			if _, ok := t.m.outlets[n.Outlet]; !ok {
				return 0, party.ErrUnknownOutlet
			}
			to = mustParty(n.Outlet)
		}
		if until <= t.at {
			return 0, fmt.Errorf("%w: until %s", ErrNoticeText, n.Until.Format(time.RFC3339))
		}
		return t.append(&journal.Notice{Command: command, By: by, Outlet: to, FR: fr, EN: en, Until: until})
	})
	if err != nil {
		return Notice{}, err
	}
	rec, err := s.record(ctx, record)
	if err != nil {
		return Notice{}, err
	}
	return Notice{Record: record, Outlet: n.Outlet, FR: fr, EN: en, SentAt: utc(rec.At), Until: utc(until)}, nil
}

// Notices are the notices to an outlet that hold now, newest first.
func (s *System) Notices(outlet string) []Notice {
	s.mu.RLock()
	defer s.mu.RUnlock()
	now := max(s.clock.Now().UnixMicro(), s.memory.at)
	var list []Notice
	for _, n := range slices.Backward(s.memory.notices) {
		if n.until > now && (n.outlet == "" || n.outlet == outlet) {
			list = append(list, Notice{Record: n.record, Outlet: n.outlet, FR: n.fr, EN: n.en, SentAt: utc(n.at), Until: utc(n.until)})
		}
	}
	return list
}

// RetractNotice takes a notice back.
type RetractNotice struct {
	Key     string
	Officer string
	Notice  uint64 // its record
}

// RetractNotice takes a notice back before its time: no terminal shows it any
// more. Refusals: [ErrNoticeOver], [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) RetractNotice(ctx context.Context, n RetractNotice) error {
	_, _, err := s.officerCommand(ctx, n.Officer, n.Key, content("retract-notice", n.Notice), func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		if !t.m.shows(n.Notice, t.at) {
			return 0, fmt.Errorf("%w: record %d", ErrNoticeOver, n.Notice)
		}
		return t.append(&journal.Retraction{Command: command, By: by, Notice: n.Notice})
	})
	return err
}

// shows tells whether the notice of a record is shown at an instant (µs UTC).
func (m *memory) shows(record uint64, at int64) bool {
	return slices.ContainsFunc(m.notices, func(n notice) bool { return n.record == record && n.until > at })
}

// RetractedNotice is a notice that was taken back.
type RetractedNotice struct {
	Notice
	Retraction uint64 // record
	By         string // officer
	At         time.Time
}

// RetractedNotices lists the notices that were taken back last, newest first, at most limit.
func (s *System) RetractedNotices(ctx context.Context, limit int) (list []RetractedNotice, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		rows, err := tx.Retractions(ctx, limit)
		if err != nil {
			return err
		}
		records := make([]uint64, len(rows))
		for i, row := range rows {
			records[i] = row.Notice
		}
		notices, err := tx.NoticesByRecord(ctx, records)
		if err != nil {
			return err
		}
		for _, row := range rows {
			b, at, err := readBody[*journal.Retraction](ctx, tx, row.Record)
			if err != nil {
				return err
			}
			i := slices.IndexFunc(notices, func(n store.Notice) bool { return n.Record == row.Notice })
			n := notices[i] // a foreign key says that it is there
			list = append(list, RetractedNotice{
				Notice{n.Record, n.Outlet, n.FR, n.EN, utc(n.At), utc(n.Until)}, row.Record, b.By.String(), at,
			})
		}
		return nil
	})
	return list, err
}

// foldNotice takes the memory over a notice, and forgets those whose time is over.
func (m *memory) foldNotice(index uint64, at int64, b *journal.Notice) {
	m.notices = slices.DeleteFunc(m.notices, func(n notice) bool { return n.until <= at })
	m.notices = append(m.notices, notice{index, outletName(b.Outlet), b.FR, b.EN, at, b.Until})
}

func (m *memory) loadNotices(ctx context.Context, tx *store.Snapshot) error {
	rows, err := tx.Notices(ctx, m.at)
	for _, n := range rows {
		m.notices = append(m.notices, notice{n.Record, n.Outlet, n.FR, n.EN, n.At, n.Until})
	}
	return err
}

// compareNotices compares the notices that hold with the fold of the journal.
func (m *memory) compareNotices(fold *memory) error {
	hold := func(list []notice) []notice {
		return slices.DeleteFunc(slices.Clone(list), func(n notice) bool { return n.until <= m.at })
	}
	if !slices.Equal(hold(m.notices), hold(fold.notices)) {
		return fmt.Errorf("%w: notices in memory differ: %+v, journal says %+v", ErrJournal, m.notices, fold.notices)
	}
	return nil
}
