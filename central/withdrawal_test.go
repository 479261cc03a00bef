package central_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/internal/sim"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
)

const iban = "FR14 2004 1010 0505 0001 3M02 606"

// withdraw asks for an amount to be paid out, which must be accepted, and gives its record.
func (b *bank) withdraw(player string, amount money.Amount) uint64 {
	b.Helper()
	w, err := b.sys.Withdraw(b.ctx(), central.Withdraw{Key: b.key(), Player: player, Amount: amount, IBAN: iban})
	b.check(err)
	return w.Record
}

// states are the withdrawals in a state, by record.
func (b *bank) states(state string) (records []uint64) {
	b.Helper()
	all, err := b.sys.Withdrawals(b.ctx(), "", 1000)
	b.check(err)
	for _, w := range slices.Backward(all) {
		if w.State == state {
			records = append(records, w.Record)
		}
	}
	if state == "asked" || state == "sent" {
		list, err := b.sys.Withdrawals(b.ctx(), state, 1000)
		b.check(err)
		if !slices.EqualFunc(list, records, func(w central.Withdrawal, record uint64) bool { return w.Record == record && w.State == state }) {
			b.Errorf("%s: got %+v, want %v", state, list, records)
		}
	}
	return records
}

// Which withdrawals wait is derived, and compared with the journal as all rows are.
func TestCheckBooks_OpenWithdrawals(t *testing.T) {
	t.Parallel()
	b := newBank(t, dbtest.SQLite(t))
	player := b.player(true)
	b.give(player, 100)
	record := b.withdraw(player, 1000)
	b.withdraw(player, 1000)
	for _, change := range []string{
		`UPDATE withdrawal_open SET state = 'sent' WHERE withdrawal = $1`, `DELETE FROM withdrawal_open WHERE withdrawal = $1`,
	} {
		_, err := b.raw().Exec(change, record)
		b.check(err)
		if err := b.sys.CheckBooks(b.ctx()); err == nil || !strings.Contains(err.Error(), "OpenWithdrawals") {
			t.Errorf("%s: CheckBooks says %v", change, err)
		}
	}
	_, err := b.raw().Exec(`INSERT INTO withdrawal_open (state, withdrawal) VALUES ('asked', $1)`, record)
	b.check(err)
}

func TestWithdraw(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		player := b.player(true)
		b.give(player, 100)
		ask := func(player string, amount money.Amount, iban string) error {
			_, err := b.sys.Withdraw(b.ctx(), central.Withdraw{Key: b.key(), Player: player, Amount: amount, IBAN: iban})
			return err
		}
		for _, bad := range []string{"", "FR14", strings.Replace(iban, "606", "607", 1), "US64SVBKUS6S3300958879"} {
			b.refuses(party.ErrIBAN, func() error { return ask(player, 1000, bad) })
		}
		for _, amount := range []money.Amount{-1000, 0, 1, 499} {
			b.refuses(central.ErrWithdrawalMin, func() error { return ask(player, amount, iban) })
		}
		b.refuses(party.ErrBalance, func() error { return ask(player, 10001, iban) })
		b.refuses(party.ErrBalance, func() error { return ask(player, 1<<62, iban) })
		b.refuses(party.ErrUnknownPlayer, func() error { return ask("x", 1000, iban) })
		b.refuses(party.ErrUnknownPlayer, func() error { return ask("0011223344556677", 1000, iban) })
		b.refuses(central.ErrKey, func() error {
			_, err := b.sys.Withdraw(b.ctx(), central.Withdraw{Player: player, Amount: 1000, IBAN: iban})
			return err
		})
		unchecked := b.player(false)
		b.give(unchecked, 50)
		b.refuses(party.ErrUnconfirmed, func() error { return ask(unchecked, 1000, iban) })
		closed := b.player(true)
		b.change(closed, journal.PlayerChange{What: party.CloseAccount.String()})
		b.refuses(party.ErrPlayerClosed, func() error { return ask(closed, 1000, iban) })

		// It leaves the balance at once; whoever excluded himself may withdraw, and need accept no new rules.
		b.exclude(player, b.clock.Now().Add(hours(48)))
		b.newTerms()
		w, err := b.sys.Withdraw(b.ctx(), central.Withdraw{Key: b.key(), Player: player, Amount: 500, IBAN: " fr1420041010050500013m02606"})
		b.check(err)
		want := central.Withdrawal{
			Record: w.Record, Player: player, Name: "Élise Dupré 1", Amount: 500, IBAN: "FR1420041010050500013M02606", At: b.clock.Now(), State: "asked",
		}
		if diff := cmp.Diff(want, w); diff != "" {
			t.Error(diff)
		}
		b.wantBalance(player, 9500)
		all := b.withdraw(player, 9500)
		b.wantBalance(player, 0)
		if got := b.sys.Balance(ledger.Withdrawals); got != -10000 {
			t.Errorf("%s is to be paid out, want 100.00", -got)
		}
		if got := b.states("asked"); !slices.Equal(got, []uint64{w.Record, all}) {
			t.Errorf("asked: %v", got)
		}
		if list, err := b.sys.Withdrawals(b.ctx(), "", 1); err != nil || len(list) != 1 || list[0].Record != all {
			t.Errorf("the newest: %+v, %v", list, err)
		}
		// No record says where the money goes: only whoever has the note can tell.
		records, raw := b.records()
		for i := range raw {
			if strings.Contains(string(raw[i]), "20041010050500013") || strings.Contains(string(raw[i]), "Dupr") {
				t.Errorf("record %d has personal data: %+v", i, records[i].Body)
			}
		}
		first, second := records[w.Record].Body.(*journal.Withdrawal), records[all].Body.(*journal.Withdrawal)
		if first.To == second.To {
			t.Error("two withdrawals to an account have the same hash: no salt")
		}
	})
}

// F11: a thousand debits at once never take more than there is.
func TestF11_ParallelWithdrawals(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		player := b.player(true)
		b.give(player, 1003)
		nodes := []*central.System{b.sys}
		if b.db.Engine() == "postgres" {
			nodes = append(nodes, b.secondNode())
		}
		var done atomic.Int64
		var callers sync.WaitGroup
		for n := range 50 {
			callers.Go(func() {
				for i := range 20 {
					_, err := nodes[n%len(nodes)].Withdraw(b.ctx(), central.Withdraw{Key: fmt.Sprint("w", n, "-", i), Player: player, Amount: 500, IBAN: iban})
					switch {
					case err == nil:
						done.Add(1)
					case !errors.Is(err, party.ErrBalance):
						t.Error(err)
					}
				}
			})
		}
		callers.Wait()
		b.check(b.sys.Follow(b.ctx()))
		b.wantBalance(player, 300)
		if done.Load() != 200 || len(b.states("asked")) != 200 {
			t.Errorf("%d withdrawals, want 200 of 5.00", done.Load())
		}
	})
}

// A withdrawal is sent once, and then paid or returned, once.
func TestWithdrawalStates(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		player := b.player(true)
		b.give(player, 100)
		one, two, three := b.withdraw(player, 1000), b.withdraw(player, 2000), b.withdraw(player, 3000)
		send := func(records ...uint64) error {
			_, err := b.sys.SendWithdrawals(b.ctx(), b.key(), b.officer.ID, records)
			return err
		}
		settle := func(returned bool, records ...uint64) error {
			return b.sys.SettleWithdrawals(b.ctx(), b.key(), b.officer.ID, records, returned)
		}
		refused := func(f func() error) { t.Helper(); b.refuses(central.ErrWithdrawal, f) }
		refused(func() error { return send() })
		refused(func() error { return send(one, one) })
		refused(func() error { return send(one, b.sys.Size()) })
		refused(func() error { return send(one, 0) })
		refused(func() error { return send(1 << 63) })
		refused(func() error { return send(make([]uint64, journal.TransfersMax+1)...) })
		refused(func() error { return settle(false, one) })
		refused(func() error { return settle(true, one) })
		b.refuses(central.ErrNotAllowed, func() error {
			_, err := b.sys.SendWithdrawals(b.ctx(), b.key(), player, []uint64{one})
			return err
		})
		b.refuses(central.ErrNotAllowed, func() error {
			return b.sys.SettleWithdrawals(b.ctx(), b.key(), "chef", []uint64{one}, false)
		})

		b.check(send(two, one))
		refused(func() error { return send(one, three) })
		refused(func() error { return settle(false, one, three) })
		b.check(settle(false, one))
		refused(func() error { return settle(false, one) })
		refused(func() error { return settle(true, one) })
		b.wantBalance(player, 4000)
		b.check(send(three))
		size := b.sys.Size()
		b.check(settle(true, three, two)) // one by one in the chain of the player
		if b.sys.Size() != size+2 {
			t.Errorf("%d records for two returns", b.sys.Size()-size)
		}
		refused(func() error { return settle(false, two) })
		refused(func() error { return send(two) })
		b.wantBalance(player, 9000)
		for state, want := range map[string][]uint64{"paid": {one}, "returned": {two, three}, "asked": nil, "sent": nil} {
			if got := b.states(state); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", state, got, want)
			}
		}
		if got := b.sys.Balance(ledger.Cash); got != -1000 || b.sys.Balance(ledger.Withdrawals) != 0 {
			t.Errorf("cash %s, to be paid out %s", got, -b.sys.Balance(ledger.Withdrawals))
		}
		b.restart()
		b.wantBalance(player, 9000)
	})
}

// What the bank returns to an account that was closed meanwhile can be withdrawn again.
func TestWithdraw_ReturnedAfterClosing(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		player := b.player(true)
		b.give(player, 7)
		w := b.withdraw(player, 700)
		b.change(player, journal.PlayerChange{What: party.CloseAccount.String()})
		_, err := b.sys.SendWithdrawals(b.ctx(), b.key(), b.officer.ID, []uint64{w})
		b.check(err)
		b.check(b.sys.SettleWithdrawals(b.ctx(), b.key(), b.officer.ID, []uint64{w}, true))
		b.withdraw(player, 300)
		b.withdraw(player, 400)
		b.wantBalance(player, 0)
	})
}

// payments is what a payment file says, read by nothing that wrote it.
type payments struct {
	XMLName xml.Name
	Message string `xml:"CstmrCdtTrfInitn>GrpHdr>MsgId"`
	Count   int    `xml:"CstmrCdtTrfInitn>GrpHdr>NbOfTxs"`
	Sum     string `xml:"CstmrCdtTrfInitn>GrpHdr>CtrlSum"`
	Day     string `xml:"CstmrCdtTrfInitn>PmtInf>ReqdExctnDt>Dt"`
	From    string `xml:"CstmrCdtTrfInitn>PmtInf>DbtrAcct>Id>IBAN"`
	Lines   []struct {
		ID     uint64 `xml:"PmtId>EndToEndId"`
		Amount string `xml:"Amt>InstdAmt"`
		Name   string `xml:"Cdtr>Nm"`
		IBAN   string `xml:"CdtrAcct>Id>IBAN"`
	} `xml:"CstmrCdtTrfInitn>PmtInf>CdtTrfTxInf"`
}

func TestSendWithdrawals_File(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		player := b.player(true)
		b.give(player, 100)
		one, two := b.withdraw(player, 1234), b.withdraw(player, 5000)
		key := b.key()
		b.clock.set(b.clock.Now().Add(hours(13))) // 23:30 in UTC, the next day in Paris
		file, err := b.sys.SendWithdrawals(b.ctx(), key, b.officer.ID, []uint64{two, one})
		b.check(err)
		var p payments
		b.check(xml.Unmarshal(file, &p))
		if p.Count != 2 || p.Sum != "62.34" || p.Day != "2027-01-05" || p.From != "FR7630006000011234567890189" || len(p.Lines) != 2 {
			t.Fatalf("%+v", p)
		}
		if l := p.Lines[0]; l.ID != one || l.Amount != "12.34" || l.Name != "Elise Dupre 1" || l.IBAN != "FR1420041010050500013M02606" {
			t.Errorf("%+v", l)
		}
		if l := p.Lines[1]; l.ID != two || l.Amount != "50.00" {
			t.Errorf("%+v", l)
		}
		b.clock.set(b.clock.Now().Add(hours(200)))
		b.restart()
		again, err := b.sys.SendWithdrawals(b.ctx(), key, b.officer.ID, []uint64{two, one})
		if err != nil || string(again) != string(file) {
			t.Errorf("the same key gives another file: %v\n%s", err, again)
		}
		other, err := b.sys.SendWithdrawals(b.ctx(), b.key(), b.officer.ID, []uint64{b.withdraw(player, 600)})
		b.check(err)
		var q payments
		b.check(xml.Unmarshal(other, &q))
		if q.Message == p.Message {
			t.Errorf("two files have the name %s: the bank takes one of them", q.Message)
		}
		b.more = func(o *central.Options) { o.Demo = false }
		b.restart()
		b.refuses(central.ErrPayer, func() error {
			_, err := b.sys.SendWithdrawals(b.ctx(), b.key(), b.officer.ID, []uint64{one})
			return err
		})
	})
}

// Whoever changes the account of a withdrawal in the database gets no money: the journal has its hash.
func TestSendWithdrawals_NoteChanged(t *testing.T) {
	t.Parallel()
	b := newBank(t, dbtest.SQLite(t))
	player := b.player(true)
	b.give(player, 100)
	w := b.withdraw(player, 1234)
	_, err := b.raw().Exec(`UPDATE note SET text = 'BE68539007547034' WHERE record = ?`, int64(w))
	b.check(err)
	b.refuses(central.ErrJournal, func() error {
		file, err := b.sys.SendWithdrawals(b.ctx(), b.key(), b.officer.ID, []uint64{w})
		if err == nil {
			t.Errorf("paid to another account: %s", file)
		}
		return err
	})
	if asked := b.states("asked"); len(asked) != 1 {
		t.Errorf("asked: %v, it was never sent", asked)
	}
}

// Money that is none goes to no bank, whoever pays and however the system is opened (F21).
func TestF21_DemoMoneyPaidOut(t *testing.T) {
	t.Parallel()
	b := newBank(t, dbtest.SQLite(t))
	player := b.player(true)
	b.give(player, 100)
	w, sent := b.withdraw(player, 1234), b.withdraw(player, 600)
	_, err := b.sys.SendWithdrawals(b.ctx(), b.key(), b.officer.ID, []uint64{sent}) // by the specimen
	b.check(err)
	file, err := b.sys.Withdrawal(b.ctx(), sent)
	b.check(err)
	for _, demo := range []bool{true, false} {
		b.more = func(o *central.Options) {
			o.Demo, o.Payer = demo, party.Payer{Name: "Loterie", IBAN: "FR1420041010050500013M02606"}
		}
		b.restart()
		b.refuses(central.ErrDemo, func() error {
			_, err := b.sys.SendWithdrawals(b.ctx(), b.key(), b.officer.ID, []uint64{w})
			return err
		})
		b.refuses(central.ErrDemo, func() error { _, err := b.sys.TransferFile(b.ctx(), file.File); return err })
	}
}

// Money as it comes, against a naive model: every balance is what the model says, and the books are right.
func TestCash_Model(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		players := []string{b.player(true), b.player(true)}
		balance := map[string]money.Amount{}
		state, of := map[uint64]string{}, map[uint64]central.Withdrawal{}
		vouchers := map[uint64]central.Voucher{}
		var owed, asked money.Amount
		rapid.Check(t, func(r *rapid.T) {
			who := rapid.SampledFrom(players)
			in := func(want ...string) *rapid.Generator[uint64] {
				var list []uint64
				for record, s := range state {
					if slices.Contains(want, s) {
						list = append(list, record)
					}
				}
				slices.Sort(list)
				if len(list) == 0 {
					r.Skip("none")
				}
				return rapid.SampledFrom(list)
			}
			must := func(err error) {
				r.Helper()
				if err != nil {
					r.Fatal(err)
				}
			}
			moved := func(record uint64, to string) {
				w := of[record]
				state[record] = to
				if to != "sent" {
					asked -= w.Amount
				}
				if to == "returned" {
					balance[w.Player] += w.Amount
				}
			}
			settle := func(to string) func(*rapid.T) {
				return func(r *rapid.T) {
					record := in("asked", "sent", "paid", "returned").Draw(r, "withdrawal")
					var err error
					want := state[record] == "sent"
					if to == "sent" {
						want = state[record] == "asked"
						_, err = b.sys.SendWithdrawals(b.ctx(), b.key(), b.officer.ID, []uint64{record})
					} else {
						err = b.sys.SettleWithdrawals(b.ctx(), b.key(), b.officer.ID, []uint64{record}, to == "returned")
					}
					switch {
					case want:
						must(err)
						moved(record, to)
					case !errors.Is(err, central.ErrWithdrawal):
						r.Fatalf("%s after %s: %v", to, state[record], err)
					}
				}
			}
			r.Repeat(map[string]func(*rapid.T){
				"voucher": func(r *rapid.T) {
					v := b.sellVoucher(rapid.SampledFrom([]int64{10, 20, 50, 100}).Draw(r, "euros"))
					vouchers[v.Number] = v
				},
				"use": func(r *rapid.T) {
					if len(vouchers) == 0 {
						r.Skip("none")
					}
					var list []uint64
					for n := range vouchers {
						list = append(list, n)
					}
					slices.Sort(list)
					v, player := vouchers[rapid.SampledFrom(list).Draw(r, "voucher")], who.Draw(r, "player")
					must(b.use(player, v))
					delete(vouchers, v.Number)
					balance[player] += v.Amount
					if err := b.use(player, v); !errors.Is(err, central.ErrVoucherUsed) {
						r.Fatalf("a second time: %v", err)
					}
				},
				"card": func(r *rapid.T) {
					player, amount := who.Draw(r, "player"), money.Amount(rapid.Int64Range(500, 5000).Draw(r, "cents"))
					b.pay(player, amount)
					balance[player] += amount
					owed += amount
				},
				"withdraw": func(r *rapid.T) {
					player, amount := who.Draw(r, "player"), money.Amount(rapid.Int64Range(400, 9000).Draw(r, "cents"))
					w, err := b.sys.Withdraw(b.ctx(), central.Withdraw{Key: b.key(), Player: player, Amount: amount, IBAN: iban})
					switch {
					case amount < 500:
						if !errors.Is(err, central.ErrWithdrawalMin) {
							r.Fatal(err)
						}
					case amount > balance[player]:
						if !errors.Is(err, party.ErrBalance) {
							r.Fatal(err)
						}
					default:
						must(err)
						balance[player] -= amount
						asked += amount
						state[w.Record], of[w.Record] = "asked", w
					}
				},
				"send": settle("sent"), "pay": settle("paid"), "return": settle("returned"),
				"collect": func(r *rapid.T) {
					amount := money.Amount(rapid.Int64Range(1, 9000).Draw(r, "cents"))
					a, err := b.sys.Collect(b.ctx(), central.Collect{Key: b.key(), Officer: b.officer.ID, Provider: "sim", Amount: amount})
					if amount > owed {
						if !errors.Is(err, central.ErrOwed) {
							r.Fatal(err)
						}
						return
					}
					must(err)
					if owed -= amount; a.Owes != owed {
						r.Fatalf("the provider owes %s, want %s", a.Owes, owed)
					}
				},
				"": func(r *rapid.T) {
					for _, player := range players {
						if got := b.has(player); got != balance[player] {
							r.Fatalf("player %s has %s, want %s", player, got, balance[player])
						}
					}
					var unused money.Amount
					for _, v := range vouchers {
						unused += v.Amount
					}
					if b.sys.Balance(ledger.Vouchers) != -unused || b.sys.Balance(ledger.Withdrawals) != -asked || b.sys.Balance(ledger.Card("sim")) != owed {
						r.Fatalf("vouchers %s, withdrawals %s, card %s; want %s, %s, %s", b.sys.Balance(ledger.Vouchers),
							b.sys.Balance(ledger.Withdrawals), b.sys.Balance(ledger.Card("sim")), -unused, -asked, owed)
					}
				},
			})
		})
		sim.CheckBooks(t, b.sys)
		b.restart()
	})
}
