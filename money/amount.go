// Package money counts euros exactly: an [Amount] is a whole number of cents,
// its arithmetic is checked, and its division gives the rest back, so that
// nothing is created or lost between two accounts (AMI-8.1.1-share, style 8).
package money

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"strings"
)

// Amount is a sum in cents. The zero value is no money.
type Amount int64

// Limit bounds every amount that is read from outside: ten thousand billion
// euros. Sums of amounts under it cannot overflow in any lottery.
const Limit Amount = 1_000_000_000_000_000

var (
	// ErrAmount is text that is not an amount.
	ErrAmount = errors.New("not an amount of money")
	// ErrLimit is an amount beyond [Limit].
	ErrLimit = errors.New("amount too large")
)

// Euros returns n euros.
func Euros(n int64) Amount { return Amount(100).Times(n) }

// Add returns a + b. An overflow is a broken invariant.
func (a Amount) Add(b Amount) Amount {
	s := a + b
	assert((b >= 0) == (s >= a), "amount overflow")
	return s
}

// Sub returns a − b. An overflow is a broken invariant.
func (a Amount) Sub(b Amount) Amount {
	d := a - b
	assert((b >= 0) == (d <= a), "amount overflow")
	return d
}

// Times returns a × n. An overflow is a broken invariant.
func (a Amount) Times(n int64) Amount {
	hi, lo := bits.Mul64(magnitude(int64(a)), magnitude(n))
	assert(hi == 0 && lo <= 1<<63-1, "amount overflow")
	if (a < 0) != (n < 0) {
		return -Amount(lo)
	}
	return Amount(lo)
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// Split divides a, which is not negative, into n equal shares rounded down to
// the cent, and returns the rest, which the caller must book: n × share + rest = a.
func (a Amount) Split(n int64) (share, rest Amount) {
	assert(a >= 0 && n > 0, "split of a negative amount or by nobody")
	return a / Amount(n), a % Amount(n)
}

// Rat returns the amount in euros.
func (a Amount) Rat() *big.Rat { return big.NewRat(int64(a), 100) }

// String returns euros and cents: "12.50", "-0.05".
func (a Amount) String() string {
	m, sign := magnitude(int64(a)), ""
	if a < 0 {
		sign = "-"
	}
	return fmt.Sprintf("%s%d.%02d", sign, m/100, m%100)
}

// Parse reads euros as [Amount.String] writes them, or without cents: "12.50",
// "12". It returns [ErrAmount] for anything else, so also for "12.5", "1e3",
// "+1", "01" and "-1": an amount that is asked for is never negative; and
// [ErrLimit] above [Limit].
func Parse(s string) (Amount, error) {
	whole, cents, pointed := strings.Cut(s, ".")
	if whole == "" || (len(whole) > 1 && whole[0] == '0') || (pointed && len(cents) != 2) {
		return 0, fmt.Errorf("%w: %.40q", ErrAmount, s)
	}
	var a Amount
	for _, c := range []byte(whole + cents) {
		if c < '0' || c > '9' {
			return 0, fmt.Errorf("%w: %.40q", ErrAmount, s)
		}
		a = a*10 + Amount(c-'0')
		if a > Limit {
			return 0, fmt.Errorf("%w: %.40q", ErrLimit, s)
		}
	}
	if !pointed {
		a *= 100
	}
	if a > Limit {
		return 0, fmt.Errorf("%w: %.40q", ErrLimit, s)
	}
	return a, nil
}

func assert(ok bool, what string) {
	if !ok {
		panic("money: " + what)
	}
}
