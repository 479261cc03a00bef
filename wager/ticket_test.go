package wager

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestCode holds codes that another program made.
func TestCode(t *testing.T) {
	t.Parallel()
	secret := [8]byte{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}
	for _, v := range []struct {
		number ID
		want   string
	}{
		{0, "0000-0002-8T5C-Y4TQ-KFF4"},
		{1, "0000-0102-8T5C-Y4TQ-KFFS"},
		{1<<30 - 1, "ZZZZ-ZZ02-8T5C-Y4TQ-KFFG"},
		{1 << 30, "0001-0000-0002-8T5C-Y4TQ-KFF8"},
		{math.MaxUint64, "0FZZ-ZZZZ-ZZZZ-ZZ02-8T5C-Y4TQ-KFFF"},
	} {
		if got := Code(v.number, secret); got != v.want {
			t.Errorf("%d: got %s, want %s", v.number, got, v.want)
		}
	}
}

// TestF24_CodeRoundTrip: any number and secret, also typed carelessly.
func TestF24_CodeRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		number := ID(rapid.Uint64().Draw(t, "number"))
		var secret [8]byte
		copy(secret[:], rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, "secret"))
		code := Code(number, secret)
		typed := strings.NewReplacer("0", "o", "1", "l", "-", rapid.SampledFrom([]string{"", " ", "--", " - "}).Draw(t, "space"))
		for _, s := range []string{code, strings.ToLower(code), typed.Replace(code), " " + strings.ReplaceAll(code, "1", "I") + "-"} {
			n, x, err := ParseCode(s)
			if err != nil || n != number || x != secret {
				t.Fatalf("%q: got %d %x, %v; want %d %x", s, n, x, err, number, secret)
			}
		}
	})
}

// TestF24_CodeMistakes: every code with one wrong digit, and every one with any
// two digits exchanged, is refused.
func TestF24_CodeMistakes(t *testing.T) {
	t.Parallel()
	for _, number := range []ID{0, 1, 123_456_789, 1 << 40, math.MaxUint64} {
		code := []byte(strings.ReplaceAll(Code(number, [8]byte{9, 8, 7, 6, 5, 4, 3, 2}), "-", ""))
		refused := func(what string) {
			if n, _, err := ParseCode(string(code)); !errors.Is(err, ErrCode) {
				t.Errorf("%s: %s read as %d, %v", what, code, n, err)
			}
		}
		for i, right := range code {
			for _, wrong := range []byte(digits) {
				if code[i] = wrong; wrong != right {
					refused(fmt.Sprintf("digit %d", i))
				}
			}
			code[i] = right
			for j := range i {
				if code[i] != code[j] {
					code[i], code[j] = code[j], code[i]
					refused(fmt.Sprintf("digits %d and %d", j, i))
					code[i], code[j] = code[j], code[i]
				}
			}
		}
	}
}

// TestParseCode_OneForm: a code has no other digits that say the same.
func TestParseCode_OneForm(t *testing.T) {
	t.Parallel()
	withCheck := func(s string) string {
		var values []byte
		for _, c := range []byte(s) {
			v, _ := digitValue(c)
			values = append(values, v)
		}
		return s + string(digits[double(checksum(values))])
	}
	const secret = "04HMASW9NF6YY"
	if _, _, err := ParseCode(withCheck("000001" + secret)); err != nil {
		t.Fatal(err)
	}
	for what, s := range map[string]string{
		"number too wide":         withCheck("0000000001" + secret),
		"number above 64 bits":    withCheck("ZZZZZZZZZZZZZZ" + secret),
		"secret above 64 bits":    withCheck("000001" + "Z4HMASW9NF6YY"),
		"a group less":            withCheck("01" + secret),
		"a digit less":            withCheck("00001" + secret),
		"a digit more":            withCheck("0000001" + secret),
		"too long":                withCheck(strings.Repeat("0", 18) + secret),
		"a letter U":              withCheck("000001"+secret[:12]) + "U",
		"nothing":                 "",
		"only dashes":             "----",
		"not ASCII":               withCheck("000001"+secret) + "é",
		"a million digits":        strings.Repeat("0", 1_000_000),
		"a number and no more":    "123456",
		"the check digit missing": "000001" + secret,
	} {
		if n, x, err := ParseCode(s); !errors.Is(err, ErrCode) || len(err.Error()) > 300 {
			t.Errorf("%s: %.40s read as %d %x, %v", what, s, n, x, err)
		}
	}
}

// FuzzParseCode: what is read is written again as it was.
func FuzzParseCode(f *testing.F) {
	f.Add(Code(1, [8]byte{1}))
	f.Add(Code(math.MaxUint64, [8]byte{255}))
	f.Add("0000 0104 hmas w9nf 6yyo")
	f.Add(TrainingCode(1, [8]byte{1}))
	f.Fuzz(func(t *testing.T, s string) {
		number, secret, err := ParseCode(s)
		if err != nil {
			return
		}
		strip := strings.NewReplacer("-", "", " ", "", "O", "0", "I", "1", "L", "1")
		if got, want := strip.Replace(Code(number, secret)), strip.Replace(strings.ToUpper(s)); got != want {
			t.Fatalf("%q read as %d %x, which is %s", s, number, secret, got)
		}
	})
}

// F21: the code of a ticket made in training is that of none, whatever is done
// to it by hand; and a code that was sold, mistyped, is never taken for one of training.
func TestF21_TrainingCode(t *testing.T) {
	t.Parallel()
	secret := [8]byte{0xfe, 2, 3, 4, 5, 6, 7, 0x81}
	for _, number := range []ID{0, 1, 1 << 30, 1<<64 - 1} {
		live, training := Code(number, secret), TrainingCode(number, secret)
		for _, text := range []string{training, strings.ToLower(training), strings.ReplaceAll(training, "-", ""), " - " + training} {
			if n, _, err := ParseCode(text); !errors.Is(err, ErrTraining) {
				t.Errorf("%q: ticket %d, %v", text, n, err)
			}
			if n, s, err := ParseTrainingCode(text); err != nil || n != number || s != secret {
				t.Errorf("%q in training: ticket %d, %v", text, n, err)
			}
		}
		for cut := range 5 { // without its mark, or a part of it
			if n, _, err := ParseCode(training[cut+1:]); !errors.Is(err, ErrCode) {
				t.Errorf("%q: ticket %d, %v", training[cut+1:], n, err)
			}
		}
		if n, _, err := ParseTrainingCode(live); !errors.Is(err, ErrLive) {
			t.Errorf("%q in training: ticket %d, %v", live, n, err)
		}
		if n, _, err := ParseTrainingCode(trainingMark + live); !errors.Is(err, ErrCode) {
			t.Errorf("%q in training: ticket %d, %v", trainingMark+live, n, err)
		}
		for i := range live {
			for c := byte(' '); c < 0x7f; c++ {
				text := live[:i] + string(c) + live[i+1:]
				if _, _, err := ParseCode(text); errors.Is(err, ErrTraining) {
					t.Errorf("%q, which is %q mistyped, is told to be one of training", text, live)
				}
			}
		}
	}
}
