package journal

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"testing"

	"tirage/money"
)

// unhex reads hexadecimal with spaces.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The records are [open, 0, {1: [5]}], [certification, 0, {1: 5, 2: "none"}]
// and others, by hand.
func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	const outlet = "83 04 00 a7 01 50 00000000000000000000000000000000 02 48 0000000000000000 03 48 0000000000000000 04 01 05 61 41 06 61 42 07 "
	const jackpot = "83 0c 00 a6 01 01 02 00 03 00 04 80 05 a8 01 00 02 00 03 00 04 82 00 01 05 63 776f6e 08 00 09 00 0a 00 06 80"
	const decision = "83 12 00 a3 01 50 00000000000000000000000000000000 02 48 0000000000000000 03 00"
	const extension = "83 16 00 a5 01 00 02 60 03 00 04 00 05 1a 7fffffff"
	const proposal = "83 11 00 a5 01 50 00000000000000000000000000000000 02 48 0000000000000000 03 61 41 05 01 0a 60"
	const openPool = "83 18 1b 00 a1 01 05"
	const lettered = "83 08 00 aa 01 50 00000000000000000000000000000000 02 48 0000000000000000 03 48 0000000000000000 04 58 20 " +
		"0000000000000000000000000000000000000000000000000000000000000000 05 81 82 80 80 06 01 07 01 08 81 01 0a 00 0c 81 02"
	const launch = "83 18 1e 00 a3 01 50 00000000000000000000000000000000 02 48 0000000000000000 03 61 41"
	const withdrawal = "83 18 24 00 a5 01 50 00000000000000000000000000000000 02 48 0000000000000000 03 05 04 58 20 " +
		"0000000000000000000000000000000000000000000000000000000000000000 05 01"
	for _, good := range []string{lettered, openPool, launch, withdrawal, jackpot, decision, extension, proposal, "83 07 00 a1 01 81 05", "83 0d 00 a2 01 05 02 64 6e6f6e65", outlet + "00"} {
		if _, err := Decode(unhex(t, good)); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, tt := range []struct{ name, hex string }{
		{"nothing", ""},
		{"not an array", "a0"},
		{"null", "f6"},
		{"kind 0", "83 00 00 a1 01 81 05"},
		{"kind 40", "83 18 28 00 a1 01 81 05"},
		{"kind 256 and seven", "83 19 0107 00 a1 01 81 05"},
		{"two elements", "82 07 00"},
		{"four elements", "84 07 00 a1 01 81 05 00"},
		{"body of another kind", "83 0d 00 a1 01 81 05"},
		{"body is an array", "83 07 00 81 81 05"},
		{"body is null", "83 07 00 f6"},
		{"time is negative", "83 07 20 a1 01 81 05"},
		{"time is a float", "83 07 f9 0000 a1 01 81 05"},
		{"time beyond int64", "83 07 1b ffffffffffffffff a1 01 81 05"},
		{"key missing", "83 07 00 a0"},
		{"last key missing", "83 0d 00 a1 01 05"},
		{"unknown key", "83 07 00 a2 01 81 05 02 00"},
		{"unknown text key", "83 07 00 a2 01 81 05 61 41 00"},
		{"text for the key", "83 07 00 a1 61 31 81 05"},
		{"key twice", "83 07 00 a2 01 81 05 01 81 05"},
		{"keys out of order", "83 0d 00 a2 02 64 6e6f6e65 01 05"},
		{"long form of the kind", "83 18 07 00 a1 01 81 05"},
		{"long form of the time", "83 07 18 00 a1 01 81 05"},
		{"long form of a key", "83 07 00 a1 18 01 81 05"},
		{"long form of a value", "83 07 00 a1 01 81 18 05"},
		{"long form of the array", "98 03 07 00 a1 01 81 05"},
		{"long form of the map", "83 07 00 b8 01 01 81 05"},
		{"indefinite array", "9f 07 00 a1 01 81 05 ff"},
		{"indefinite map", "83 07 00 bf 01 81 05 ff"},
		{"indefinite text", "83 0d 00 a2 01 05 02 7f 64 6e6f6e65 ff"},
		{"trailing byte", "83 07 00 a1 01 81 05 00"},
		{"negative id", "83 07 00 a1 01 81 20"},
		{"id is a float", "83 07 00 a1 01 81 f9 4500"},
		{"id is a bignum", "83 07 00 a1 01 81 c2 41 05"},
		{"id is text", "83 07 00 a1 01 81 61 35"},
		{"id is null", "83 07 00 a1 01 81 f6"},
		{"list is null", "83 07 00 a1 01 f6"},
		{"list is undefined", "83 07 00 a1 01 f7"},
		{"tag", "83 07 00 d9 d9f7 a1 01 81 05"},
		{"text not UTF-8", "83 0d 00 a2 01 05 02 64 6e6f6eff"},
		{"bytes for text", "83 0d 00 a2 01 05 02 44 6e6f6e65"},
		{"optional key with its zero value", strings.Replace(outlet, "a7", "a8", 1) + "00 08 f4"},
		{"jackpot is null", "83 0c 00 a6 01 01 02 00 03 00 04 80 05 f6 06 80"},
		{"jackpot with an optional key that is zero", strings.Replace(strings.Replace(jackpot, "a8", "a9", 1), "08 00", "07 00 08 00", 1)},
		{"jackpot without its rest", strings.Replace(strings.Replace(jackpot, "a8", "a7", 1), "09 00", "", 1)},
		{"jackpot with an unknown key", strings.Replace(strings.Replace(jackpot, "a8", "a9", 1), "0a 00", "0a 00 0b 00", 1)},
		{"settlement without prizes by last draw", strings.Replace(strings.Replace(jackpot, "a6", "a5", 1), " 06 80", "", 1)},
		{"fraction of one number", strings.Replace(jackpot, "82 00 01", "81 00", 1)},
		{"fraction of three numbers", strings.Replace(jackpot, "82 00 01", "83 00 01 00", 1)},
		{"fraction of nothing", strings.Replace(jackpot, "82 00 01", "82 00 00", 1)},
		{"jackpot that loses a cent", strings.Replace(jackpot, "03 00 04 82", "03 01 04 82", 1)},
		{"decision that says false", strings.Replace(decision, "a3", "a4", 1) + "04 f4"},
		{"shift back", strings.Replace(proposal, "05 01", "05 20", 1)},
		{"day beyond 32 bits", strings.Replace(extension, "7fffffff", "80000000", 1)},
		{"command too short", strings.Replace(outlet, "50 00", "4f", 1) + "00"},
		{"command too long", strings.Replace(outlet, "50 00", "51 0000", 1) + "00"},
		{"negative credit limit", outlet + "20"},
		{"credit limit above all sums", outlet + "1b 00038d7ea4c68001"},
		{"kind of two bytes in three", strings.Replace(openPool, "18 1b", "19 001b", 1)},
		{"pool of no id", "83 18 1b 00 a0"},
		{"launch that names the first record", strings.Replace(launch, "a3", "a4", 1) + " 04 00"},
		{"withdrawal of less than nothing", strings.Replace(withdrawal, "03 05", "03 20", 1)},
		{"withdrawal without the record before", strings.Replace(strings.Replace(withdrawal, "a5", "a4", 1), " 05 01", "", 1)},
		{"hash too short", strings.Replace(withdrawal, "58 20 00", "58 1f ", 1)},
		{"empty list of letters", strings.Replace(lettered, "0c 81 02", "0c 80", 1)},
		{"letters null", strings.Replace(lettered, "0c 81 02", "0c f6", 1)},
		{"letters as bytes", strings.Replace(lettered, "0c 81 02", "0c 41 02", 1)},
		{"letter A of one board", strings.Replace(lettered, "0c 81 02", "0c 81 01", 1)},
		{"letter beyond 16 bits", strings.Replace(lettered, "0c 81 02", "0c 81 1a 00010002", 1)},
		{"letters before the price", strings.Replace(lettered, "0a 00 0c 81 02", "0c 81 02 0a 00", 1)},
		{"list deeper than any", "83 07 00 a1 01 " + strings.Repeat("81 ", 40) + "05"},
		{"array longer than the record", "83 07 00 a1 01 9b 7fffffffffffffff 05"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if r, err := Decode(unhex(t, tt.hex)); !errors.Is(err, ErrRecord) {
				t.Errorf("%s: %+v, %v", tt.hex, r.Body, err)
			}
		})
	}
}

// Whatever a changed or cut record is taken for, it is a record in its own one encoding.
func TestDecodeChanged(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		b, err := Encode(s.record)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b {
			if _, err := Decode(b[:i]); !errors.Is(err, ErrRecord) {
				t.Errorf("%s: %d bytes of %d: %v", s.what, i, len(b), err)
			}
			for bit := range 8 {
				bad := bytes.Clone(b)
				bad[i] ^= 1 << bit
				checkDecode(t, bad)
			}
		}
	}
}

// checkDecode checks what holds for any bytes.
func checkDecode(t testing.TB, b []byte) {
	t.Helper()
	r, err := Decode(b)
	if err != nil {
		if !errors.Is(err, ErrRecord) {
			t.Fatalf("%x: %v", b, err)
		}
		return
	}
	if again, err := Encode(r); err != nil || !bytes.Equal(again, b) {
		t.Fatalf("%x is read, and written as %x, %v", b, again, err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range samples() {
		b, err := Encode(s.record)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkDecode(t, b) })
}

func TestSizeMax(t *testing.T) {
	t.Parallel()
	rules := &Rules{Game: "ile-au-tresor", Version: "2017"}
	empty, err := Encode(Record{Body: rules})
	if err != nil {
		t.Fatal(err)
	}
	room := SizeMax - len(empty) - 2 // the length of the book takes two bytes more than that of an empty one
	rules.Book = make([]byte, room)
	b, err := Encode(Record{Body: rules})
	if err != nil || len(b) != SizeMax {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	if _, err := Decode(b); err != nil {
		t.Error(err)
	}
	rules.Book = make([]byte, room+1)
	if _, err := Encode(Record{Body: rules}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("one byte more: %v", err)
	}
	b, err = appendRecord(nil, Record{Body: rules})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Decode(b); !errors.Is(err, ErrRecord) {
		t.Errorf("one byte more read: %v", err)
	}
}

type stranger struct{}

func (stranger) Kind() Kind { return KindSale }

// sold is a good sale, changed.
func sold(change func(*Sale)) *Sale {
	s := &Sale{Plays: []Play{{}}, Draws: []uint64{1}}
	change(s)
	return s
}

// cancelled is a good cancellation, changed.
func cancelled(change func(*Cancellation)) *Cancellation {
	c := &Cancellation{Plays: []Play{{}}, Draws: []uint64{1}}
	change(c)
	return c
}

// settled is a settlement with a good jackpot, changed.
func settled(change func(*Jackpot)) Record {
	j := &Jackpot{Before: 1, TopUp: 1, Contribution: 1, Carried: [2]uint64{3, 4}, After: 3}
	change(j)
	return Record{Body: &Settlement{Jackpot: j}}
}

// The good ones that TestEncodeRefuses spoils are good.
func TestEncodeAccepts(t *testing.T) {
	t.Parallel()
	for _, r := range []Record{
		{Body: sold(func(*Sale) {})},
		{Body: sold(func(s *Sale) { s.Plays, s.Letters = make([]Play, 3), []uint16{1, 2, 4} })},
		{Body: sold(func(s *Sale) { s.Letters = []uint16{26} })},
		{Body: cancelled(func(*Cancellation) {})},
		settled(func(*Jackpot) {}),
		settled(func(j *Jackpot) { j.Before, j.After = TotalMax-2, TotalMax }),
		// What was sold can be settled: such totals are far above one price.
		{Body: &Close{Stakes: TotalMax}},
		{Body: &Settlement{
			Stakes: TotalMax, Shares: []Share{{Total: TotalMax - 1}, {Total: 1}}, Prizes: []PrizeLine{{Prizes: TotalMax}},
		}},
		{Body: &Refund{Lines: []RefundLine{{Stakes: TotalMax}}}},
		{Body: &Expiry{Prizes: TotalMax, Back: TotalMax}},
		{Body: &Payment{Draws: []PaymentDraw{{Amount: TotalMax}}, Back: []PaymentDraw{{Amount: TotalMax}}}},
		{Body: &Extension{From: 3, To: 3, Until: 3}},
		{Body: &Move{ClosesAt: 2, DrawsAt: 2}},
		{Body: &Secrets{Hashes: make([][32]byte, SecretsMax)}},
		{Body: &ClosePool{Balance: -int64(TotalMax)}},
		{Body: &ClosePool{Balance: int64(TotalMax), Left: []LeftLine{{Prize: money.Limit}, {}}}},
		{Body: &Transfer{State: TransferPaid, Withdrawals: withdrawals(TransfersMax), Amount: TotalMax}},
		{Body: &Unit{Price: money.Limit, Prize: money.Limit}},
		{Body: &Payment{Payee: make([]byte, 32)}},
		{Body: &Proposal{Payee: make([]byte, 32)}},
		{Body: &Stop{Reason: make([]byte, 32)}},
		{Body: &Outlet{Reason: make([]byte, 32)}},
		{Body: &Terminal{Reason: make([]byte, 32)}},
		{Body: &PlayerChange{Reason: make([]byte, 32)}},
	} {
		if _, err := Encode(r); err != nil {
			t.Errorf("%+v: %v", r.Body, err)
		}
	}
}

// What a proposal does is done in one turn, so it has a size, told as such.
func TestProposalMax(t *testing.T) {
	t.Parallel()
	of := func(draws, reason int) Record {
		return Record{Body: &Proposal{Act: "postpone", Draws: make([]uint64, draws), Reason: strings.Repeat("a", reason)}}
	}
	b, err := Encode(of(ProposalDrawsMax, ProposalReasonMax))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Decode(b); err != nil {
		t.Error(err)
	}
	for want, r := range map[string]Record{
		"a proposal for 1001 draws, at most 1000":              of(ProposalDrawsMax+1, 0),
		"a proposal with a reason of 1001 bytes, at most 1000": of(0, ProposalReasonMax+1),
	} {
		if _, err := Encode(r); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want ErrTooLarge, %s", err, want)
		}
		b, err := appendRecord(nil, r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(b); !errors.Is(err, ErrRecord) {
			t.Errorf("read: got %v, want ErrRecord, %s", err, want)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		record Record
	}{
		{"no body", Record{}},
		{"nil sale", Record{Body: (*Sale)(nil)}},
		{"nil act", Record{Body: (*Act)(nil)}},
		{"not a record type", Record{Body: stranger{}}},
		{"before 1970", Record{At: -1, Body: &Act{}}},
		{"payee paid of one byte", Record{Body: &Payment{Payee: make([]byte, 1)}}},
		{"payee to be paid of 33 bytes", Record{Body: &Proposal{Payee: make([]byte, 33)}}},
		{"reason of a proposal of 31 bytes", Record{Body: &Proposal{ReasonHash: make([]byte, 31)}}},
		{"reason of a stop of 31 bytes", Record{Body: &Stop{Reason: make([]byte, 31)}}},
		{"reason of an outlet of 31 bytes", Record{Body: &Outlet{Reason: make([]byte, 31)}}},
		{"reason of a terminal of 31 bytes", Record{Body: &Terminal{Reason: make([]byte, 31)}}},
		{"reason about a player of 31 bytes", Record{Body: &PlayerChange{Reason: make([]byte, 31)}}},
		{"sale before 1970", Record{At: -1, Body: sold(func(*Sale) {})}},
		{"negative price", Record{Body: sold(func(s *Sale) { s.Price = -1 })}},
		{"price too high", Record{Body: sold(func(s *Sale) { s.Price = money.Limit + 1 })}},
		{"sale of no board", Record{Body: sold(func(s *Sale) { s.Plays = nil })}},
		{"sale for no draw", Record{Body: sold(func(s *Sale) { s.Draws = nil })}},
		{"prize tables of some draws", Record{Body: sold(func(s *Sale) { s.Draws, s.Tables = []uint64{1, 2}, []uint64{1} })}},
		{"letters of some boards", Record{Body: sold(func(s *Sale) { s.Plays, s.Letters = make([]Play, 2), []uint16{3} })}},
		{"letters of more boards", Record{Body: sold(func(s *Sale) { s.Letters = []uint16{2, 3} })}},
		{"letters that need not be said", Record{Body: sold(func(s *Sale) { s.Plays, s.Letters = make([]Play, 2), []uint16{1, 2} })}},
		{"letter twice", Record{Body: sold(func(s *Sale) { s.Plays, s.Letters = make([]Play, 2), []uint16{3, 3} })}},
		{"letters that go down", Record{Body: sold(func(s *Sale) { s.Plays, s.Letters = make([]Play, 2), []uint16{4, 2} })}},
		{"letter before A", Record{Body: sold(func(s *Sale) { s.Plays, s.Letters = make([]Play, 2), []uint16{0, 3} })}},
		{"letter after Z", Record{Body: sold(func(s *Sale) { s.Letters = []uint16{27} })}},
		{"negative price given back", Record{Body: cancelled(func(c *Cancellation) { c.Price = -1 })}},
		{"cancellation of no board", Record{Body: cancelled(func(c *Cancellation) { c.Plays = nil })}},
		{"cancellation for no draw", Record{Body: cancelled(func(c *Cancellation) { c.Draws = nil })}},
		{"negative credit limit", Record{Body: &Outlet{CreditLimit: -1}}},
		{"negative stakes at close", Record{Body: &Close{Stakes: -1}}},
		{"negative stakes at settlement", Record{Body: &Settlement{Stakes: -1}}},
		{"negative value of a unit", Record{Body: &Settlement{Shares: []Share{{UnitValue: -1}}}}},
		{"negative total", Record{Body: &Settlement{Shares: []Share{{}, {Total: -1}}}}},
		{"negative prizes by last draw", Record{Body: &Settlement{Prizes: []PrizeLine{{}, {Prizes: -1}}}}},
		{"total beyond all", Record{Body: &Settlement{Shares: []Share{{Total: math.MaxInt64}}}}},
		{"totals beyond all together", Record{Body: &Settlement{
			Shares: []Share{{Total: TotalMax}, {Total: 1}}, Prizes: []PrizeLine{{Prizes: TotalMax}, {Prizes: 1}},
		}}},
		{"prizes by last draw beyond all together", Record{Body: &Settlement{Prizes: []PrizeLine{{Prizes: TotalMax}, {Prizes: 1}}}}},
		{"other prizes by last draw than by tier", Record{Body: &Settlement{Shares: []Share{{Total: 2}}, Prizes: []PrizeLine{{Prizes: 1}}}}},
		{"prizes by tier, and none by last draw", Record{Body: &Settlement{Shares: []Share{{Total: 1}}}}},
		{"stakes beyond all", Record{Body: &Close{Stakes: TotalMax + 1}}},
		{"stakes to give back beyond all", Record{Body: &Refund{Lines: []RefundLine{{Stakes: TotalMax + 1}}}}},
		{"negative payment", Record{Body: &Payment{Draws: []PaymentDraw{{Amount: -1}}}}},
		{"paid out beyond all", Record{Body: &Received{Amount: -money.Limit - 1}}},
		{"paid out of the least integer", Record{Body: &Received{Amount: math.MinInt64}}},
		{"opens before 1970", Record{Body: &Plan{OpensAt: -1}}},
		{"closes before 1970", Record{Body: &Plan{Draws: []PlanDraw{{ClosesAt: -1}}}}},
		{"draws before 1970", Record{Body: &Plan{Draws: []PlanDraw{{DrawsAt: -1}}}}},
		{"negative jackpot of a sale", Record{Body: sold(func(s *Sale) { s.Jackpot = -1 })}},
		{"jackpot of a sale too high", Record{Body: sold(func(s *Sale) { s.Jackpot = TotalMax + 1 })}},
		{"negative stake given back", Record{Body: &Payment{Back: []PaymentDraw{{Amount: -1}}}}},
		{"negative jackpot", settled(func(j *Jackpot) { j.Before, j.After = -1, 1 })},
		{"negative top-up", settled(func(j *Jackpot) { j.TopUp, j.After = -1, 1 })},
		{"negative contribution", settled(func(j *Jackpot) { j.Contribution, j.After = -1, 1 })},
		{"negative jackpot paid", settled(func(j *Jackpot) { j.Paid, j.After = -1, 4 })},
		{"negative rest", settled(func(j *Jackpot) { j.Rest, j.After = -1, 4 })},
		{"negative jackpot after", settled(func(j *Jackpot) { j.Paid, j.After = 4, -1 })},
		{"jackpot too high", settled(func(j *Jackpot) { j.Before, j.After = TotalMax+1, TotalMax+1+2 })},
		{"jackpot that loses a cent", settled(func(j *Jackpot) { j.After-- })},
		{"jackpot that makes a cent", settled(func(j *Jackpot) { j.Paid++ })},
		{"jackpot that carries a cent", settled(func(j *Jackpot) { j.Carried = [2]uint64{4, 4} })},
		{"jackpot that carries by zero", settled(func(j *Jackpot) { j.Carried = [2]uint64{} })},
		{"end of a jackpot", settled(func(j *Jackpot) { j.End = "\xff" })},
		{"extra draw of a jackpot", settled(func(j *Jackpot) { j.Extra = "\xff" })},
		{"shift back", Record{Body: &Proposal{Act: "postpone", Shift: -1}}},
		{"act of a proposal", Record{Body: &Proposal{Act: "\xff"}}},
		{"game of a proposal", Record{Body: &Proposal{Game: "\xff"}}},
		{"reason", Record{Body: &Proposal{Reason: "\xff"}}},
		{"reason with a NUL", Record{Body: &Proposal{Reason: "a\x00b"}}},
		{"notice with a NUL", Record{Body: &Notice{FR: "a", EN: "a\x00b"}}},
		{"message of a suspension with a NUL", Record{Body: &Suspend{EN: "\x00"}}},
		{"proposal of claims that end before they end", Record{Body: &Proposal{From: 1, To: 3, Until: 2}}},
		{"closes before 1970, moved", Record{Body: &Move{ClosesAt: -1}}},
		{"moved to draw before it closes", Record{Body: &Move{ClosesAt: 2, DrawsAt: 1}}},
		{"negative stakes to give back", Record{Body: &Refund{Lines: []RefundLine{{}, {Stakes: -1}}}}},
		{"game of an extension", Record{Body: &Extension{Game: "\xff"}}},
		{"extension of no days", Record{Body: &Extension{From: 2, To: 1, Until: 3}}},
		{"extension that shortens", Record{Body: &Extension{From: 1, To: 3, Until: 2}}},
		{"negative prizes expired", Record{Body: &Expiry{Prizes: -1}}},
		{"negative stakes expired", Record{Body: &Expiry{Back: -1}}},
		{"no secrets", Record{Body: &Secrets{}}},
		{"too many secrets", Record{Body: &Secrets{Hashes: make([][32]byte, SecretsMax+1)}}},
		{"negative price of secrets", Record{Body: &Secrets{Hashes: make([][32]byte, 1), Price: -1}}},
		{"negative price of a pool", Record{Body: &Pool{Price: -1}}},
		{"negative price of a unit", Record{Body: &Unit{Price: -1}}},
		{"negative prize of a unit", Record{Body: &Unit{Prize: -1}}},
		{"prize of a unit too high", Record{Body: &Unit{Prize: money.Limit + 1}}},
		{"negative prize left", Record{Body: &ClosePool{Left: []LeftLine{{}, {Prize: -1}}}}},
		{"pool that lost more than all", Record{Body: &ClosePool{Balance: -int64(TotalMax) - 1}}},
		{"pool that made more than all", Record{Body: &ClosePool{Balance: int64(TotalMax) + 1}}},
		{"pool that lost the least integer", Record{Body: &ClosePool{Balance: math.MinInt64}}},
		{"negative limit", Record{Body: &PlayerChange{Amount: -1}}},
		{"pause until before 1970", Record{Body: &PlayerChange{Until: -1}}},
		{"negative voucher", Record{Body: &Voucher{Amount: -1}}},
		{"negative deposit", Record{Body: &Deposit{Amount: -1}}},
		{"negative withdrawal", Record{Body: &Withdrawal{Amount: -1}}},
		{"withdrawal too high", Record{Body: &Withdrawal{Amount: money.Limit + 1}}},
		{"transfer of nothing", Record{Body: &Transfer{}}},
		{"transfer of too many", Record{Body: &Transfer{Withdrawals: make([]uint64, TransfersMax+1)}}},
		{"transfer in no state", Record{Body: &Transfer{Withdrawals: []uint64{1}, Amount: 1}}},
		{"transfer in another state", Record{Body: &Transfer{State: "returned", Withdrawals: []uint64{1}, Amount: 1}}},
		{"transfer of a withdrawal twice", Record{Body: &Transfer{State: TransferPaid, Withdrawals: []uint64{1, 2, 1}, Amount: 1}}},
		{"negative transfer", Record{Body: &Transfer{State: TransferSent, Withdrawals: []uint64{1}, Amount: -1}}},
		{"transfer beyond all", Record{Body: &Transfer{State: TransferSent, Withdrawals: []uint64{1}, Amount: TotalMax + 1}}},
		{"negative sum returned", Record{Body: &Returned{Amount: -1}}},
		{"negative sum collected", Record{Body: &Collected{Amount: -1}}},
		{"negative tally", Record{Body: &Tally{Sold: -1}}},
		{"tally beyond all", Record{Body: &Tally{Received: TotalMax + 1}}},
		{"tally below all", Record{Body: &Tally{Received: -TotalMax - 1}}},
		{"tally of the least integer", Record{Body: &Tally{Received: math.MinInt64}}},
		{"tally of less than nothing returned", Record{Body: &Tally{Returned: -1}}},
		{"statement of less than nothing returned", Record{Body: &Statement{Returned: -1, Closing: -1}}},
		{"statement that received too little", Record{Body: &Statement{Received: -money.Limit - 1, Closing: int64(money.Limit) + 1}}},
		{"statement that ends before it begins", Record{Body: &Statement{First: 2, Last: 1}}},
		{"statement that does not add up", Record{Body: &Statement{Opening: 1}}},
		{"statement that carries a cent", Record{Body: &Statement{Lines: []StatementLine{{Game: "a", Carried: [2]uint64{1, 1}}}}}},
		{"statement with a game twice", Record{Body: &Statement{Lines: []StatementLine{{Game: "a", Carried: [2]uint64{0, 1}}, {Game: "a", Carried: [2]uint64{0, 1}}}}}},
		{"statement of too many games", Record{Body: &Statement{Lines: make([]StatementLine, StatementGamesMax+1)}}},
		{"statement with a negative sale", Record{Body: &Statement{Closing: -1, Lines: []StatementLine{{Game: "a", Sold: -1, Carried: [2]uint64{0, 1}}}}}},
		{"statement that opens with too much", Record{Body: &Statement{Opening: int64(money.Limit) + 1, Closing: int64(money.Limit) + 1}}},
		{"statement that opens with the least integer", Record{Body: &Statement{Opening: math.MinInt64, Closing: math.MinInt64}}},
		{"game of a statement", Record{Body: &Statement{Lines: []StatementLine{{Game: "\xff", Carried: [2]uint64{0, 1}}}}}},
		{"direct debit of nothing", Record{Body: &Debit{}}},
		{"direct debit of too many", Record{Body: &Debit{State: DebitSent, Lines: debits(DebitLinesMax + 1)}}},
		{"negative direct debit", Record{Body: &Debit{State: DebitSent, Lines: []DebitLine{{Amount: -1}}}}},
		{"direct debit of no amount", Record{Body: &Debit{State: DebitSent, Lines: []DebitLine{{Amount: 0}}}}},
		{"direct debit beyond all", Record{Body: &Debit{State: DebitSent, Lines: []DebitLine{{Amount: TotalMax + 1}}}}},
		{"direct debit of a statement twice", Record{Body: &Debit{State: DebitSent, Lines: []DebitLine{{Statement: 7, Amount: 1}, {Statement: 8, Amount: 1}, {Statement: 7, Amount: 1}}}}},
		{"state of a direct debit", Record{Body: &Debit{State: "\xff", Lines: debits(1)}}},
		{"direct debit in no state", Record{Body: &Debit{Lines: debits(1)}}},
		{"direct debit in another state", Record{Body: &Debit{State: "Sent", Lines: debits(1)}}},
		{"direct debit sent after it was paid", Record{Body: &Debit{State: DebitSent, Undone: true, Lines: debits(1)}}},
		{"direct debit paid after it was paid", Record{Body: &Debit{State: DebitPaid, Undone: true, Lines: debits(1)}}},
		{"French notice", Record{Body: &Notice{FR: "\xff"}}},
		{"English notice", Record{Body: &Notice{EN: "\xff"}}},
		{"notice too long", Record{Body: &Notice{EN: strings.Repeat("a", NoticeMax+1)}}},
		{"notice until before 1970", Record{Body: &Notice{Until: -1}}},
		{"cause of an outlet", Record{Body: &Outlet{Cause: "\xff"}}},
		{"outlet of a proposal", Record{Body: &Proposal{Outlet: "\xff"}}},
		{"sort of a book", Record{Body: &Book{Sort: "\xff"}}},
		{"code of a book", Record{Body: &Book{Code: "\xff"}}},
		{"version of a book", Record{Body: &Book{Version: "\xff"}}},
		{"game of secrets", Record{Body: &Secrets{Hashes: make([][32]byte, 1), Game: "\xff"}}},
		{"game of a pool", Record{Body: &Pool{Game: "\xff"}}},
		{"cause of a close", Record{Body: &ClosePool{Cause: "\xff"}}},
		{"game launched", Record{Body: &Launch{Game: "\xff"}}},
		{"game suspended", Record{Body: &Suspend{Game: "\xff"}}},
		{"cause of a suspension", Record{Body: &Suspend{Cause: "\xff"}}},
		{"French message", Record{Body: &Suspend{FR: "\xff"}}},
		{"English message", Record{Body: &Suspend{EN: "\xff"}}},
		{"terms of a player", Record{Body: &Player{Terms: "\xff"}}},
		{"what changes", Record{Body: &PlayerChange{What: "\xff"}}},
		{"terms of a change", Record{Body: &PlayerChange{Terms: "\xff"}}},
		{"means", Record{Body: &Deposit{Means: "\xff"}}},
		{"state of a transfer", Record{Body: &Transfer{Withdrawals: []uint64{1}, State: "\xff"}}},
		{"provider", Record{Body: &Collected{Provider: "\xff"}}},
		{"use", Record{Body: &Key{Use: "\xff"}}},
		{"role", Record{Body: &Officer{Roles: []string{"\xff"}}}},
		{"game", Record{Body: &Rules{Game: "\xff"}}},
		{"version", Record{Body: &Rules{Version: "\xff"}}},
		{"territory", Record{Body: &Outlet{Territory: "\xff"}}},
		{"zone", Record{Body: &Outlet{Zone: "\xff"}}},
		{"game of a plan", Record{Body: &Plan{Game: "\xff"}}},
		{"control", Record{Body: &Certification{Control: "\xff"}}},
		{"act", Record{Body: &Act{Act: "\xff"}}},
		{"subject", Record{Body: &Act{Subject: "\xff"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if b, err := Encode(tt.record); !errors.Is(err, ErrRecord) {
				t.Errorf("%x, %v", b, err)
			}
		})
	}
}

// withdrawals are different ones.
func withdrawals(n int) []uint64 {
	list := make([]uint64, n)
	for i := range list {
		list[i] = uint64(i)
	}
	return list
}

// debits are direct debits of a cent, of statement after statement.
func debits(n int) []DebitLine {
	lines := make([]DebitLine, n)
	for i := range lines {
		lines[i] = DebitLine{Statement: uint64(i), Amount: 1}
	}
	return lines
}
