package store_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tirage/internal/dbtest"
	"tirage/money"
	"tirage/store"
)

// checker compares a reader's answer, by its name, with what is wanted.
type checker func(name string, want any) func(got any, err error)

// checkInstant reads what writeAll wrote of instant games.
func checkInstant(ctx context.Context, s *store.Snapshot, check checker) {
	check("books", every.Books)(any1(s.Books(ctx)))
	check("secrets", every.PoolSecrets)(any1(s.PoolSecrets(ctx)))
	check("pools", every.Pools)(any1(s.Pools(ctx)))
	check("pool", every.Pools[1])(any1(s.Pool(ctx, 2)))
	check("pools of a game", []store.Pool{every.Pools[1], every.Pools[0]})(any1(s.PoolsOf(ctx, "g")))
	check("steps of pools", []store.PoolStep{every.PoolSteps[0], every.PoolSteps[2], every.PoolSteps[3], every.PoolSteps[1]})(any1(s.PoolSteps(ctx, []int64{2, 1, 99})))
	check("steps of games", every.GameSteps)(any1(s.GameSteps(ctx)))
	check("unit", every.Units[2])(any1(s.Unit(ctx, 7)))
	check("counts", []store.UnitCount{{Pool: 1, Prize: 500, N: 1}, {Pool: 1, Prize: 0, N: 2}, {Pool: 2, Prize: 200, N: 1}})(any1(s.UnitCounts(ctx, []int64{2, 1, 99})))
	check("counts of a pool", []store.UnitCount{{Pool: 2, Prize: 200, N: 1}})(any1(s.UnitCounts(ctx, []int64{2})))
	check("counts before a record", []store.UnitCount{{Pool: 1, Prize: 500, N: 1}, {Pool: 1, Prize: 0, N: 1}})(any1(s.UnitCountsBefore(ctx, 1, every.Units[2].Record)))
	check("no counts", 0)(length(s.UnitCounts(ctx, nil)))
	check("stakes", map[string]money.Amount{"p1": 200, "p2": 200})(any1(s.UnitStakes(ctx, 6, 8)))
	check("no stakes", map[string]money.Amount{})(any1(s.UnitStakes(ctx, 9, 9)))
}

// checkPlayers reads what writeAll wrote of players.
func checkPlayers(ctx context.Context, s *store.Snapshot, check checker) {
	check("players", every.Players)(any1(s.Players(ctx)))
	check("player", every.Players[1])(any1(s.Player(ctx, "p1")))
	check("changes", every.PlayerChanges)(any1(s.PlayerChanges(ctx)))
	check("links", every.Chain)(any1(s.Links(ctx)))
	check("link", every.Chain[1])(any1(s.Link(ctx, "p2")))
	check("voucher", every.Vouchers[1])(any1(s.Voucher(ctx, 7)))
	check("deposit", every.Deposits[1])(any1(s.Deposit(ctx, "card/test", hash(40))))
	check("deposits by card", every.Deposits[1:2])(any1(s.DepositsByMeans(ctx, "card/test", 1, 2)))
	check("deposits by card before", 0)(length(s.DepositsByMeans(ctx, "card/test", 0, 1)))
	check("deposits by card after", 0)(length(s.DepositsByMeans(ctx, "card/test", 2, 3)))
	check("deposit sums", map[string]money.Amount{"p1": 2500, "p2": 700})(any1(s.DepositSums(ctx)))
	check("withdrawals", every.Withdrawals[:2])(any1(s.Withdrawals(ctx, []uint64{7, 6, 99})))
	check("steps of withdrawals", []store.WithdrawalStep{every.WithdrawalSteps[0], every.WithdrawalSteps[3], every.WithdrawalSteps[1], every.WithdrawalSteps[4]})(any1(s.WithdrawalSteps(ctx, []uint64{6, 7, 9})))
	check("asked", every.Withdrawals[3:])(any1(s.WithdrawalsIn(ctx, "asked", 10)))
	check("sent", every.Withdrawals[2:3])(any1(s.WithdrawalsIn(ctx, "sent", 10)))
	check("newest withdrawals", []store.Withdrawal{every.Withdrawals[3], every.Withdrawals[2]})(any1(s.RecentWithdrawals(ctx, 2)))
}

// Withdrawals that wait for something are found without those that are over, and each turn leaves them right.
func TestWithdrawalsIn_OpenOnly(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		check := func(asked, sent []store.Withdrawal) {
			t.Helper()
			if err := db.View(t.Context(), func(tx *store.Snapshot) error {
				for state, want := range map[string][]store.Withdrawal{"asked": asked, "sent": sent} {
					got, err := tx.WithdrawalsIn(t.Context(), state, 2)
					if diff := cmp.Diff(want, got); diff != "" || err != nil {
						t.Errorf("%s: %v %s", state, err, diff)
					}
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
		}
		all := make([]store.Withdrawal, 5)
		for i := range all {
			all[i] = store.Withdrawal{Record: uint64(i), Player: "p", Amount: 100, At: 1}
		}
		step := func(record uint64, state string, withdrawals ...uint64) (steps []store.WithdrawalStep) {
			for _, w := range withdrawals {
				steps = append(steps, store.WithdrawalStep{Withdrawal: w, State: state, At: 1, Record: record})
			}
			return steps
		}
		turn := func(rows store.Rows) {
			t.Helper()
			if err := write(db, rows, nil, "record"); err != nil {
				t.Fatal(err)
			}
		}
		turn(store.Rows{Withdrawals: all})
		check(all[:2], nil)
		turn(store.Rows{WithdrawalSteps: step(6, "sent", 0, 1, 3)})
		check([]store.Withdrawal{all[2], all[4]}, all[:2])
		turn(store.Rows{WithdrawalSteps: append(step(7, "paid", 1), step(7, "returned", 0)...)})
		check([]store.Withdrawal{all[2], all[4]}, all[3:4])
		// All in one turn, as several commands of it may do.
		turn(store.Rows{
			Withdrawals:     []store.Withdrawal{{Record: 8, Player: "p", Amount: 100, At: 1}},
			WithdrawalSteps: slices.Concat(step(8, "sent", 8, 2), step(9, "paid", 8)),
		})
		check(all[4:], all[2:4])
		// It is these rows that are looked at, and no others.
		if _, err := direct(t, dsn).Exec(`DELETE FROM withdrawal_open WHERE withdrawal = 3`); err != nil {
			t.Fatal(err)
		}
		check(all[4:], all[2:3])
	})
}

// The newest record of a player is what later turns, and others of the same turn, add to.
func TestChain(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		for i, turn := range [][]store.Link{
			{{Player: "a", Last: 0}, {Player: "b", Last: 1}, {Player: "a", Last: 2}},
			{{Player: "b", Last: 3}},
			nil,
			{{Player: "c", Last: 5}, {Player: "b", Last: 6}, {Player: "b", Last: 7}},
		} {
			if err := write(db, store.Rows{Chain: turn}, nil, "record"); err != nil {
				t.Fatalf("turn %d: %v", i, err)
			}
		}
		want := []store.Link{{Player: "a", Last: 2}, {Player: "b", Last: 7}, {Player: "c", Last: 5}}
		view(t, db, func(s *store.Snapshot) error {
			links, err := s.Links(t.Context())
			if diff := cmp.Diff(want, links); diff != "" {
				t.Error(diff)
			}
			dump, dumpErr := s.Dump(t.Context())
			if diff := cmp.Diff(want, dump.Chain); diff != "" {
				t.Errorf("dump: %s", diff)
			}
			return errors.Join(err, dumpErr)
		})
	})
}

func TestLastLinks(t *testing.T) {
	t.Parallel()
	links := []store.Link{{Player: "b", Last: 1}, {Player: "a", Last: 2}, {Player: "b", Last: 3}}
	want := []store.Link{{Player: "a", Last: 2}, {Player: "b", Last: 3}}
	if got := store.LastLinks(links); !cmp.Equal(got, want) {
		t.Errorf("last of %v: %v, want %v", links, got, want)
	}
}

// timeline writes turns of one to four records, each with units and deposits
// of two players; turn i is at i + 1 µs.
func timeline(t *testing.T, db *store.DB, turns int) (rows store.Rows, firsts []uint64) {
	t.Helper()
	size := uint64(0)
	for i := range turns {
		var turn store.Rows
		records := make([]string, 1+i*7%4)
		firsts = append(firsts, size)
		for range records {
			player := []string{"a", "b"}[size*size%3%2]
			turn.Units = append(turn.Units, store.Unit{Record: size, Player: player, Pool: 1, N: int(size), Price: money.Amount(1 + size), At: int64(i) + 1})
			turn.Deposits = append(turn.Deposits, store.Deposit{Record: size, Player: player, Means: "demo", Reference: hash(size), Amount: money.Amount(2 + size), At: int64(i) + 1})
			size++
		}
		if err := write(db, turn, nil, records...); err != nil {
			t.Fatal(err)
		}
		rows.Units, rows.Deposits = append(rows.Units, turn.Units...), append(rows.Deposits, turn.Deposits...)
	}
	return rows, firsts
}

// Sums by day and player are those of a count by hand, wherever days begin:
// between turns, at one, before the first, after the last.
func TestSumsByDay(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		view(t, db, func(s *store.Snapshot) error {
			first, err := s.FirstRecord(t.Context(), 5)
			if first != 0 || err != nil {
				t.Errorf("first record of none: %d, %v, want 0", first, err)
			}
			return nil
		})
		const turns = 23
		rows, firsts := timeline(t, db, turns)
		size := uint64(len(rows.Units))
		view(t, db, func(s *store.Snapshot) error {
			ctx := t.Context()
			for at := range int64(turns + 3) {
				want := size
				if at <= turns {
					want = firsts[max(at, 1)-1]
				}
				if got, err := s.FirstRecord(ctx, at); got != want || err != nil {
					t.Errorf("first record at %d µs: %d, %v, want %d", at, got, err, want)
				}
			}
			for _, starts := range [][]int64{{0}, {1}, {5}, {turns + 1}, {0, 3, 3, 10, 22}, {4, 5, 6, turns, turns + 9}, nil} {
				stakes, deposits := sumByHand(rows, starts)
				gotStakes, err := s.UnitStakesByDay(ctx, starts)
				if diff := cmp.Diff(stakes, gotStakes); diff != "" || err != nil {
					t.Errorf("stakes by days from %d: %v\n%s", starts, err, diff)
				}
				gotDeposits, err := s.DepositsByDay(ctx, starts)
				if diff := cmp.Diff(deposits, gotDeposits); diff != "" || err != nil {
					t.Errorf("deposits by days from %d: %v\n%s", starts, err, diff)
				}
			}
			return nil
		})
	})
}

func sumByHand(rows store.Rows, starts []int64) (stakes, deposits []map[string]money.Amount) {
	stakes, deposits = make([]map[string]money.Amount, len(starts)), make([]map[string]money.Amount, len(starts))
	for day, start := range starts {
		stakes[day], deposits[day] = make(map[string]money.Amount), make(map[string]money.Amount)
		in := func(at int64) bool { return at >= start && (day == len(starts)-1 || at < starts[day+1]) }
		for i, u := range rows.Units {
			if in(u.At) {
				stakes[day][u.Player] += u.Price
				deposits[day][u.Player] += rows.Deposits[i].Amount
			}
		}
	}
	return stakes, deposits
}

var persons = []store.Person{
	{
		Player: "p1", Email: "emilie_d@example.org", Identity: hash(1), FirstName: "Émilie", LastName: "d'Été", NameFolded: "emiliedete deteemilie", BirthDay: -3000, BirthPlace: "Saint-Denis",
		Lang: "fr", Password: "argon2id…", TOTP: []byte{1, 2}, TOTPStep: 7,
	},
	{Player: "p2", Email: "emilieXd@example.org", Identity: hash(2), FirstName: "Jean 100%", LastName: `Back\Slash`, NameFolded: "jean100backslash backslashjean100", Lang: "en", TOTP: []byte{}},
	{Player: "p3", Email: "zoe@example.org", Identity: hash(3), FirstName: "Zoé", LastName: "DUPONT", NameFolded: "zoedupont dupontzoe", Lang: "fr", TOTP: []byte{}},
}

// inTurn runs what changes private rows in a turn of its own.
func inTurn(t *testing.T, db *store.DB, fn func(ctx context.Context, tx *store.Tx) error) error {
	t.Helper()
	return db.Update(t.Context(), func(tx *store.Tx) error { return fn(t.Context(), tx) })
}

func addPersons(t *testing.T, db *store.DB) {
	t.Helper()
	var rows store.Rows
	for i, p := range persons {
		rows.Players = append(rows.Players, store.Player{Record: uint64(i), ID: p.Player, Terms: "1"})
	}
	err := inTurn(t, db, func(ctx context.Context, tx *store.Tx) error {
		head, err := tx.Head(ctx)
		if err != nil {
			return err
		}
		for _, p := range persons { // with the records that they belong to, or without
			if err := tx.AddPerson(ctx, p); err != nil {
				return err
			}
		}
		return writeTurn(ctx, tx, head, rows, nil, "r0", "r1", "r2")
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPerson(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		addPersons(t, db)
		for name, p := range map[string]store.Person{
			"address":  {Player: "p9", Email: "zoe@example.org", Identity: hash(9)},
			"identity": {Player: "p9", Email: "p9@example.org", Identity: hash(3)},
			"player":   {Player: "p3", Email: "p9@example.org", Identity: hash(9)},
		} {
			err := inTurn(t, db, func(ctx context.Context, tx *store.Tx) error { return tx.AddPerson(ctx, p) })
			if !errors.Is(err, store.ErrConflict) {
				t.Errorf("%s of another: %v, want ErrConflict", name, err)
			}
		}
		changed := persons[1]
		changed.Password, changed.TOTP, changed.TOTPStep, changed.Lang = "new", []byte{9}, 3, "fr"
		err := inTurn(t, db, func(ctx context.Context, tx *store.Tx) error { return tx.SetPerson(ctx, changed) })
		if err != nil {
			t.Fatal(err)
		}
		taken := changed
		taken.Email = persons[0].Email
		err = inTurn(t, db, func(ctx context.Context, tx *store.Tx) error {
			_ = tx.SetPerson(ctx, taken) // and go on
			return nil
		})
		if !errors.Is(err, store.ErrConflict) {
			t.Errorf("address of another: %v, want ErrConflict", err)
		}
		err = inTurn(t, db, func(ctx context.Context, tx *store.Tx) error { return tx.SetPerson(ctx, store.Person{Player: "p9"}) })
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("change of nobody: %v, want ErrNotFound", err)
		}
		view(t, db, func(s *store.Snapshot) error {
			ctx := t.Context()
			for name, read := range map[string]func() (store.Person, error){
				"player":   func() (store.Person, error) { return s.Person(ctx, "p2") },
				"address":  func() (store.Person, error) { return s.PersonByEmail(ctx, changed.Email) },
				"identity": func() (store.Person, error) { return s.PersonByIdentity(ctx, hash(2)) },
			} {
				got, err := read()
				if diff := cmp.Diff(changed, got); diff != "" || err != nil {
					t.Errorf("by %s: %v\n%s", name, err, diff)
				}
			}
			return nil
		})
	})
}

// Officers find persons by what they type, of which nothing is a pattern.
func TestFindPersons(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		addPersons(t, db)
		view(t, db, func(s *store.Snapshot) error {
			for part, want := range map[[2]string]string{
				{"", ""}:                      "p3 p2 p1",
				{"EXAMPLE.org", "exampleorg"}: "p3 p2 p1",
				{"émilie", "emilie"}:          "p2 p1", // é is any letter of an address
				{"dété", "dete"}:              "p1",
				{"zoé dupont", "zoedupont"}:   "p3",
				{"dupont zoé", "dupontzoe"}:   "p3",
				{"milie_d", "milied"}:         "p1",
				{"emilieX", "emiliex"}:        "p2",
				{"zoe@", "zoe"}:               "p3",
				{"%", ""}:                     "",
				{`\`, ""}:                     "",
				{"\x00", ""}:                  "p3 p2 p1", // stands for any letter
				{"\xff'", ""}:                 "",         // not UTF-8
				{"nobody", "nobody"}:          "",
			} {
				found, err := s.FindPersons(t.Context(), part[0], part[1], 10)
				var got []string
				for _, p := range found {
					got = append(got, p.Player)
				}
				if strings.Join(got, " ") != want || err != nil {
					t.Errorf("%q finds %v, %v, want %q", part, got, err, want)
				}
			}
			newest, err := s.FindPersons(t.Context(), "", "", 1)
			if diff := cmp.Diff(persons[2:], newest, cmpopts.EquateEmpty()); diff != "" || err != nil {
				t.Errorf("newest: %v\n%s", err, diff)
			}
			return nil
		})
	})
}

// An address is confirmed, or a password set anew, by a token once and for one purpose.
func TestToken(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		tokens := []store.Token{
			{Hash: hash(1), Purpose: "e-mail", Subject: "p1", ExpiresAt: 10},
			{Hash: hash(2), Purpose: "e-mail", Subject: "p2", ExpiresAt: 11, Data: []byte("sealed")},
			{Hash: hash(3), Purpose: "password", Subject: "p1", ExpiresAt: 12, Data: []byte{0}},
			{Hash: hash(4), Purpose: "password", Subject: "p2", ExpiresAt: 12},
		}
		err := inTurn(t, db, func(ctx context.Context, tx *store.Tx) error {
			for _, token := range tokens {
				if err := tx.AddToken(ctx, token); err != nil {
					return err
				}
			}
			return errors.Join(tx.ExpireTokens(ctx, 10), tx.EndTokensOf(ctx, "password", "p2"), tx.EndTokensOf(ctx, "password", "nobody"))
		})
		if err != nil {
			t.Fatal(err)
		}
		take := func(purpose string, n uint64) (token store.Token, err error) {
			err = inTurn(t, db, func(ctx context.Context, tx *store.Tx) error {
				token, err = tx.TakeToken(ctx, purpose, hash(n))
				return err
			})
			return token, err
		}
		for name, err := range map[string]error{"expired": second(take("e-mail", 1)), "another purpose": second(take("password", 2)), "ended": second(take("password", 4))} {
			if !errors.Is(err, store.ErrNotFound) {
				t.Errorf("token %s: %v, want ErrNotFound", name, err)
			}
		}
		view(t, db, func(s *store.Snapshot) error {
			if got, err := s.Token(t.Context(), "password", hash(3)); err != nil || !cmp.Equal(got, tokens[2]) {
				t.Errorf("token %v, %v", got, err)
			}
			return nil
		})
		if got, err := take("e-mail", 2); err != nil || !cmp.Equal(got, tokens[1]) {
			t.Errorf("token %v, %v", got, err)
		}
		if _, err := take("e-mail", 2); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("token taken twice: %v, want ErrNotFound", err)
		}
	})
}

func second[T any](_ T, err error) error { return err }

func TestOutbox(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		mails := []store.Mail{
			{Player: "p1", Address: "a@example.org", Subject: "Bonjour", Body: []byte("…"), At: 5},
			{Player: "p1", Address: "a@example.org", Subject: "Deux", At: 6},
			{Address: "c@example.org", At: 7},
			{Player: "p2", Address: "b@example.org", At: 8},
		}
		err := inTurn(t, db, func(ctx context.Context, tx *store.Tx) (err error) {
			for i := range mails {
				if mails[i].ID, err = tx.AddMail(ctx, mails[i]); err != nil {
					return err
				}
				mails[i].State = "waiting"
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		mails[0].State, mails[0].Tries = "sent", 1
		mails[1].Tries, mails[1].NextAt = 2, 60
		mails[3].State = "dropped"
		err = inTurn(t, db, func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(tx.SetMail(ctx, mails[0]), tx.SetMail(ctx, mails[1]), tx.SetMail(ctx, mails[3]))
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := inTurn(t, db, func(ctx context.Context, tx *store.Tx) error {
			return tx.SetMail(ctx, store.Mail{ID: 99, Address: "x", State: "sent"})
		}); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a message that is not there: %v, want ErrNotFound", err)
		}
		view(t, db, func(s *store.Snapshot) error {
			ctx := t.Context()
			if got, err := s.Mail(ctx, mails[3].ID); err != nil || !cmp.Equal(got, mails[3], cmpopts.EquateEmpty()) {
				t.Errorf("message %v, %v, want %v", got, err, mails[3])
			}
			for name, test := range map[string]struct {
				want []store.Mail
				read func() ([]store.Mail, error)
			}{
				"waiting":       {mails[1:3], func() ([]store.Mail, error) { return s.WaitingMail(ctx, 0, 10) }},
				"first waiting": {mails[1:2], func() ([]store.Mail, error) { return s.WaitingMail(ctx, 0, 1) }},
				"waiting after": {mails[2:3], func() ([]store.Mail, error) { return s.WaitingMail(ctx, mails[1].ID, 10) }},
				"of a player":   {mails[:2], func() ([]store.Mail, error) { return s.MailOf(ctx, "p1", "nobody@example.org", 0, 10) }},
				"his next one":  {mails[1:2], func() ([]store.Mail, error) { return s.MailOf(ctx, "p1", "nobody@example.org", mails[0].ID, 10) }},
				"his first one": {mails[:1], func() ([]store.Mail, error) { return s.MailOf(ctx, "p1", "nobody@example.org", 0, 1) }},
			} {
				got, err := test.read()
				if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
					t.Errorf("%s: %v\n%s", name, err, diff)
				}
			}
			return nil
		})
	})
}

func TestPasskey(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		key := store.Passkey{ID: []byte{1, 2}, Player: "p1", Name: "phone", Data: []byte("{}")}
		other := store.Passkey{ID: []byte{1}, Player: "p1", Name: "laptop", Data: []byte("{}")}
		foreign := store.Passkey{ID: []byte{3}, Player: "p2", Data: []byte("{}")}
		used := key
		used.Data = []byte(`{"count":1}`)
		err := inTurn(t, db, func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(tx.AddPasskey(ctx, key), tx.AddPasskey(ctx, other), tx.AddPasskey(ctx, foreign), tx.SetPasskey(ctx, used),
				tx.DeletePasskey(ctx, "p1", foreign.ID), tx.DeletePasskey(ctx, "p1", []byte{9}))
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := inTurn(t, db, func(ctx context.Context, tx *store.Tx) error { return tx.AddPasskey(ctx, key) }); !errors.Is(err, store.ErrConflict) {
			t.Errorf("a passkey twice: %v, want ErrConflict", err)
		}
		view(t, db, func(s *store.Snapshot) error {
			list, err := s.Passkeys(t.Context(), "p1")
			if diff := cmp.Diff([]store.Passkey{other, used}, list); diff != "" || err != nil {
				t.Errorf("passkeys: %v\n%s", err, diff)
			}
			if got, err := s.Passkey(t.Context(), foreign.ID); err != nil || !cmp.Equal(got, foreign) {
				t.Errorf("passkey of another, deleted by one who has it not: %v, %v", got, err)
			}
			return nil
		})
		if err := inTurn(t, db, func(ctx context.Context, tx *store.Tx) error { return tx.DeletePasskey(ctx, "p1", key.ID) }); err != nil {
			t.Fatal(err)
		}
		view(t, db, func(s *store.Snapshot) error {
			if _, err := s.Passkey(t.Context(), key.ID); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("deleted passkey: %v, want ErrNotFound", err)
			}
			return nil
		})
	})
}

// Sealed secrets, notes and card payments are added and read.
func TestAddedOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		secrets := []store.SealedSecret{{Hash: hash(1), Sealed: []byte("one")}, {Hash: hash(2), Sealed: []byte("two")}, {Hash: hash(3), Sealed: []byte{}}}
		notes := []store.Note{{Record: 3, Salt: bytes.Repeat([]byte{7}, 16), Text: "FR76…"}, {Record: 4, Salt: make([]byte, 16)}}
		cards := []store.CardPayment{
			{Reference: "r3", Provider: "test", Player: "p1", Amount: 500, At: 9},
			{Reference: "r1", Provider: "test", Player: "p1", Amount: 500, At: 10},
			{Reference: "r2", Provider: "test", Player: "p2", Amount: 700, At: 10},
			{Reference: "r4", Provider: "other", Player: "p2", Amount: 700, At: 10},
		}
		payee := store.Payee{Hash: hash(5), Salt: make([]byte, 16), Sealed: []byte("whom"), Record: 9}
		add := func(ctx context.Context, tx *store.Tx) error {
			if err := tx.AddPayee(ctx, payee); err != nil {
				return err
			}
			for _, s := range secrets {
				if err := tx.AddSealedSecret(ctx, s); err != nil {
					return err
				}
			}
			for _, c := range cards {
				if err := tx.AddCardPayment(ctx, c); err != nil {
					return err
				}
			}
			return errors.Join(tx.AddNote(ctx, notes[0]), tx.AddNote(ctx, notes[1]))
		}
		if err := inTurn(t, db, add); err != nil {
			t.Fatal(err)
		}
		for name, again := range map[string]func(ctx context.Context, tx *store.Tx) error{
			"secret":       func(ctx context.Context, tx *store.Tx) error { return tx.AddSealedSecret(ctx, secrets[0]) },
			"note":         func(ctx context.Context, tx *store.Tx) error { return tx.AddNote(ctx, notes[0]) },
			"payee":        func(ctx context.Context, tx *store.Tx) error { return tx.AddPayee(ctx, payee) },
			"card payment": func(ctx context.Context, tx *store.Tx) error { return tx.AddCardPayment(ctx, cards[0]) },
		} {
			if err := inTurn(t, db, again); !errors.Is(err, store.ErrConflict) {
				t.Errorf("%s twice: %v, want ErrConflict", name, err)
			}
		}
		view(t, db, func(s *store.Snapshot) error {
			ctx := t.Context()
			got, err := s.SealedSecrets(ctx, [][]byte{hash(3), hash(1), hash(99)})
			byHash := make(map[string]string)
			for _, secret := range got {
				byHash[string(secret.Hash)] = string(secret.Sealed)
			}
			if want := map[string]string{string(hash(1)): "one", string(hash(3)): ""}; !cmp.Equal(byHash, want) || err != nil {
				t.Errorf("secrets %q, %v", got, err)
			}
			if got, err := s.Notes(ctx, []uint64{4, 3, 99}); err != nil || !cmp.Equal(got, notes) {
				t.Errorf("notes %v, %v", got, err)
			}
			if got, err := s.Payee(ctx, hash(5)); err != nil || !cmp.Equal(got, payee) {
				t.Errorf("payee %v, %v", got, err)
			}
			if _, err := s.Payee(ctx, hash(6)); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("payee of none: %v, want ErrNotFound", err)
			}
			if got, err := s.CardPayment(ctx, "r2"); err != nil || !cmp.Equal(got, cards[2]) {
				t.Errorf("card payment %v, %v", got, err)
			}
			if sum, err := s.CardPaymentsWaiting(ctx, "p1", 8); err != nil || sum != 1000 {
				t.Errorf("waiting %d, %v", sum, err)
			}
			if sum, err := s.CardPaymentsWaiting(ctx, "p1", 9); err != nil || sum != 500 {
				t.Errorf("waiting after a time: %d, %v", sum, err)
			}
			if sum, err := s.CardPaymentsWaiting(ctx, "p3", 0); err != nil || sum != 0 {
				t.Errorf("waiting of nobody: %d, %v", sum, err)
			}
			if got, err := s.CardPaymentsSince(ctx, "test", 10); err != nil || !cmp.Equal(got, cards[1:3]) {
				t.Errorf("card payments %v, %v", got, err)
			}
			return nil
		})
		cards[1].Paid = true
		change := func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(tx.SetCardPayment(ctx, cards[1]), tx.DeleteCardPayment(ctx, "r3"))
		}
		if err := inTurn(t, db, change); err != nil {
			t.Fatal(err)
		}
		view(t, db, func(s *store.Snapshot) error {
			if sum, err := s.CardPaymentsWaiting(t.Context(), "p1", 0); err != nil || sum != 0 {
				t.Errorf("waiting of paid and deleted ones: %d, %v", sum, err)
			}
			if got, err := s.CardPaymentsSince(t.Context(), "test", 0); err != nil || !cmp.Equal(got, cards[1:3]) {
				t.Errorf("card payments %v, %v", got, err)
			}
			if got, err := s.FirstCardPayment(t.Context(), "test"); err != nil || got != cards[1] {
				t.Errorf("the first %v, %v", got, err)
			}
			if _, err := s.FirstCardPayment(t.Context(), "none"); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("the first of none: %v", err)
			}
			return nil
		})
	})
}

// Payees are listed in the order in which they were paid, and those of the oldest payments removed.
func TestPayeesByPayment(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		payee := func(n, record uint64) store.Payee {
			return store.Payee{Hash: hash(n), Salt: make([]byte, 16), Sealed: []byte{byte(n)}, Record: record}
		}
		check := func(limit int, want ...store.Payee) {
			t.Helper()
			view(t, db, func(s *store.Snapshot) error {
				got, err := s.PaidPayees(t.Context(), limit)
				if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
					t.Errorf("paid: %v\n%s", err, diff)
				}
				return nil
			})
		}
		add := func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(tx.AddPayee(ctx, payee(1, 0)), tx.AddPayee(ctx, payee(2, 30)), tx.AddPayee(ctx, payee(3, 0)), tx.AddPayee(ctx, payee(4, 10)))
		}
		if err := inTurn(t, db, add); err != nil {
			t.Fatal(err)
		}
		check(10, payee(4, 10), payee(2, 30))
		if err := inTurn(t, db, func(ctx context.Context, tx *store.Tx) error { return tx.PayPayee(ctx, hash(3), 20) }); err != nil {
			t.Fatal(err)
		}
		check(2, payee(4, 10), payee(3, 20))
		if err := inTurn(t, db, func(ctx context.Context, tx *store.Tx) error { return tx.ErasePayees(ctx, 20) }); err != nil {
			t.Fatal(err)
		}
		check(10, payee(2, 30))
		view(t, db, func(s *store.Snapshot) error {
			if all, err := s.Payees(t.Context()); err != nil || len(all) != 2 {
				t.Errorf("kept: %v, %v", all, err)
			}
			return nil
		})
	})
}
