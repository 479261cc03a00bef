package journal

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"tirage/money"
)

// kinds are all kinds, in order.
func kinds() []Kind {
	var all []Kind
	for k := range Kind(255) {
		if k.body() != nil {
			all = append(all, k)
		}
	}
	return all
}

// drawBody draws a body of a kind with all its fields.
func drawBody(t *rapid.T, k Kind) Body {
	body := k.body()
	fill(t, reflect.ValueOf(body).Elem())
	switch b := body.(type) { // what a record may not say is not drawn
	case *Sale:
		b.Plays, b.Draws = append(b.Plays, Play{}), append(b.Draws, 1)
		if len(b.Tables) > 0 {
			b.Tables = b.Draws
		}
		if len(b.Letters) > 0 {
			b.Letters = nil
			for i := range b.Plays {
				b.Letters = append(b.Letters, uint16(i+2))
			}
		}
	case *Cancellation:
		b.Plays, b.Draws = append(b.Plays, Play{}), append(b.Draws, 1)
	case *Settlement:
		var shares, prizes money.Amount
		for _, s := range b.Shares {
			shares += s.Total
		}
		for _, l := range b.Prizes {
			prizes += l.Prizes
		}
		b.Shares = append(b.Shares, Share{Total: max(0, prizes-shares)})
		b.Prizes = append(b.Prizes, PrizeLine{Prizes: max(0, shares-prizes)})
		if j := b.Jackpot; j != nil {
			j.Before, j.TopUp, j.Contribution = j.Rest, j.After, j.Paid
			j.Carried[1] = max(j.Carried[1], 1)
			j.Carried[0] %= j.Carried[1]
		}
	case *Move:
		b.ClosesAt, b.DrawsAt = min(b.ClosesAt, b.DrawsAt), max(b.ClosesAt, b.DrawsAt)
	case *Secrets:
		b.Hashes = append(b.Hashes, [32]byte{})
	case *ClosePool:
		b.Balance %= int64(TotalMax)
		if rapid.Bool().Draw(t, "more won than staked") {
			b.Balance = -b.Balance
		}
	case *Transfer:
		b.State = rapid.SampledFrom([]string{TransferSent, TransferPaid}).Draw(t, "state")
		b.Withdrawals = append(b.Withdrawals, 0)
		for i := range b.Withdrawals {
			b.Withdrawals[i] = uint64(i)
		}
	case *Debit:
		b.State = rapid.SampledFrom([]string{DebitSent, DebitPaid, DebitReturned}).Draw(t, "state")
		b.Undone = b.Undone && b.State == DebitReturned
		b.Lines = append(b.Lines, DebitLine{})
		for i := range b.Lines {
			b.Lines[i].Statement, b.Lines[i].Amount = uint64(i), max(1, b.Lines[i].Amount)
		}
	case *Statement:
		addUp(b)
	case *Proposal:
		inOrder(&b.From, &b.To, &b.Until)
	case *Extension:
		inOrder(&b.From, &b.To, &b.Until)
	}
	return body
}

// addUp makes a statement right.
func addUp(b *Statement) {
	b.First, b.Last = min(b.First, b.Last), max(b.First, b.Last)
	b.Opening %= 1_000_000
	b.Closing = b.Opening + int64(b.Vouchers%1_000_000-b.Received%1_000_000+b.Returned%1_000_000)
	b.Vouchers, b.Received, b.Returned = b.Vouchers%1_000_000, b.Received%1_000_000, b.Returned%1_000_000
	for i := range b.Lines {
		l := &b.Lines[i]
		l.Game = fmt.Sprintf("game-%d", i)
		l.Sold, l.Cancelled, l.Paid, l.Back = l.Sold%1_000_000, l.Cancelled%1_000_000, l.Paid%1_000_000, l.Back%1_000_000
		l.Commission, l.Carried = l.Commission%1_000_000-500_000, [2]uint64{l.Carried[0] % 100, 100}
		b.Closing += int64(l.Sold-l.Cancelled-l.Paid-l.Back) - l.Commission
	}
}

func inOrder(from, to, until *int32) {
	days := []int32{*from, *to, *until}
	slices.Sort(days)
	*from, *to, *until = days[0], days[1], days[2]
}

var (
	amountType = reflect.TypeFor[money.Amount]()
	bytesType  = reflect.TypeFor[[]byte]()
)

// hashFields are those of bytes that are a hash, or left out.
var hashFields = map[string]bool{"Payee": true, "Reason": true, "ReasonHash": true}

// fill draws the value of v, of any type that bodies have.
func fill(t *rapid.T, v reflect.Value) {
	switch {
	case v.Type() == amountType:
		v.SetInt(rapid.Int64Range(0, int64(money.Limit)).Draw(t, "amount"))
		return
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		v.SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes"))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "there") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			switch f := v.Type().Field(i); {
			case f.Type == bytesType && hashFields[f.Name]:
				v.Field(i).SetBytes(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "hash")[:32*rapid.IntRange(0, 1).Draw(t, "there")])
			case f.Name != "_":
				fill(t, v.Field(i))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i))
		}
	case reflect.Slice:
		n := rapid.IntRange(0, 5).Draw(t, "length")
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(t, v.Index(i))
		}
	case reflect.String:
		v.SetString(strings.ReplaceAll(rapid.String().Draw(t, "text"), "\x00", "")) // which no text of a record has
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int32:
		v.SetInt(int64(rapid.Int32().Draw(t, "int32")))
	case reflect.Int64:
		v.SetInt(rapid.Int64Min(0).Draw(t, "time"))
	case reflect.Uint8, reflect.Uint16, reflect.Uint64:
		n := rapid.Uint64().Draw(t, "uint")
		v.SetUint(n & (1<<v.Type().Bits() - 1))
	default:
		t.Fatalf("a body has a field of type %s", v.Type())
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		t.Run(k.String(), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				want := Record{At: rapid.Int64Min(0).Draw(t, "at"), Body: drawBody(t, k)}
				b, err := Encode(want)
				if errors.Is(err, ErrTooLarge) {
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				got, err := Decode(b)
				if err != nil {
					t.Fatalf("%x: %v", b, err)
				}
				if d := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(Play{}, PlanDraw{}, Share{}, PrizeLine{}, PaymentDraw{}, RefundLine{}, LeftLine{}, StatementLine{}, DebitLine{})); d != "" {
					t.Fatal(d)
				}
			})
		})
	}
}

// The sale's own encoder writes what the general one does.
func TestSaleByHand(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawBody(t, KindSale).(*Sale)
		at := rapid.Int64Min(0).Draw(t, "at")
		var want bytes.Buffer
		if err := encoding.MarshalToBuffer(envelope{Kind: KindSale, At: at, Body: s}, &want); err != nil {
			t.Fatal(err)
		}
		if got := appendSale(nil, at, s); !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("by hand\n%x, in general\n%x", got, want.Bytes())
		}
	})
}

func benchSale() Record {
	return Record{At: 1_772_467_200_000_000, Body: &Sale{
		Command: Command{1}, Outlet: Party{2}, Terminal: Party{3}, Rules: [32]byte{4},
		Plays: []Play{{Picks: [][]uint16{{1, 4, 7, 11, 14, 18, 21}, {3}}}},
		Units: 1, Asked: 1, Draws: []uint64{123456}, Price: 200,
	}}
}

func BenchmarkEncodeSale(b *testing.B) {
	r := benchSale()
	for b.Loop() {
		_, _ = Encode(r)
	}
}

func BenchmarkEncodeSaleGeneral(b *testing.B) {
	r := benchSale()
	for b.Loop() {
		var buf bytes.Buffer
		_ = encoding.MarshalToBuffer(envelope{Kind: KindSale, At: r.At, Body: r.Body}, &buf)
	}
}

func BenchmarkDecodeSale(b *testing.B) {
	enc, _ := Encode(benchSale())
	for b.Loop() {
		_, _ = Decode(enc)
	}
}

func benchUnit() Record {
	return Record{At: 1_772_467_200_000_000, Body: &Unit{
		Command: Command{1}, Player: Party{2}, Pool: 3, N: 123_456, Price: 200, Prize: 500, Seed: [32]byte{4}, Salt: [16]byte{5}, Previous: 12_345_678,
	}}
}

func BenchmarkEncodeUnit(b *testing.B) {
	r := benchUnit()
	for b.Loop() {
		_, _ = Encode(r)
	}
}

func BenchmarkDecodeUnit(b *testing.B) {
	enc, _ := Encode(benchUnit())
	for b.Loop() {
		_, _ = Decode(enc)
	}
}
