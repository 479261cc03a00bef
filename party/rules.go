package party

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"tirage/money"
)

// ErrRules are rules of accounts that are not well-formed; the error is a [RulesError].
var ErrRules = errors.New("not rules of accounts")

// Rules are the rules of players' accounts (INS-online): what the general
// rules of online play ask, as dated data. A version holds from its first day.
type Rules struct {
	Version          string
	FirstDay         int32 // days since 1970
	Hash             [32]byte
	Bytes            []byte
	AdultAge         int          // years
	UnconfirmedMax   money.Amount // of all deposits of an account whose identity was not checked
	UnconfirmedMeans []string     // that such an account may use: "card"
	DepositMin       money.Amount // a deposit
	VoucherAmounts   []money.Amount
	WindowDays       int           // of limits, Paris days, the present one included
	RaiseAfter       time.Duration // until a higher limit holds
	PauseMin         time.Duration
	PauseMax         time.Duration
	ExclusionMin     time.Duration
	ExclusionMax     time.Duration
	RealityEvery     time.Duration // between two reality checks
	WithdrawalMin    money.Amount
}

// WindowMax is how many days the windows of limits may have.
const WindowMax = 31

// RulesMax is the greatest length of rules of accounts, and of terms of outlets, in bytes.
const RulesMax = 10_000

// RulesError is a refusal by [ErrRules] or [ErrOutletTerms].
type RulesError struct {
	Of            error  // which of them
	Field         string // as the file writes it; empty: the file as a whole
	Expected, Got string
}

// Error names the field.
func (e *RulesError) Error() string {
	return fmt.Sprintf("%v: %s, expected %s, got %.60q", e.Of, e.Field, e.Expected, e.Got)
}

// Is makes the error what it is of.
func (e *RulesError) Is(target error) bool { return target == e.Of }

//go:embed rules/accounts.yaml
var book []byte

// Book is the rules of accounts that come with the system.
func Book() []byte { return bytes.Clone(book) }

// file is rules of accounts as written: amounts in euros, times in Go's way ("48h").
type file struct {
	Kind             string   `yaml:"kind"`
	Version          string   `yaml:"version"`
	FirstDay         string   `yaml:"first_day"`
	AdultAge         int      `yaml:"adult_age"`
	UnconfirmedMax   string   `yaml:"unconfirmed_max"`
	UnconfirmedMeans []string `yaml:"unconfirmed_means"`
	DepositMin       string   `yaml:"deposit_min"`
	VoucherAmounts   []string `yaml:"voucher_amounts"`
	WindowDays       int      `yaml:"window_days"`
	RaiseAfter       string   `yaml:"raise_after"`
	PauseMin         string   `yaml:"pause_min"`
	PauseMax         string   `yaml:"pause_max"`
	ExclusionMin     string   `yaml:"exclusion_min"`
	ExclusionMax     string   `yaml:"exclusion_max"`
	RealityEvery     string   `yaml:"reality_every"`
	WithdrawalMin    string   `yaml:"withdrawal_min"`
}

// ParseRules reads rules of accounts, strictly: every field, and no other. The
// error joins one [RulesError] a wrong value.
func ParseRules(text []byte) (*Rules, error) {
	var f file
	if err := decodeStrictly(text, &f, ErrRules); err != nil {
		return nil, err
	}
	p := &rulesParser{of: ErrRules}
	r := p.rules(f)
	if len(p.faults) > 0 {
		return nil, errors.Join(p.faults...)
	}
	r.Hash, r.Bytes = sha256.Sum256(text), bytes.Clone(text)
	return r, nil
}

// decodeStrictly reads one YAML document of no more than the fields of a file
// into it. Of names what the text is to be.
func decodeStrictly(text []byte, file any, of error) error {
	if len(text) > RulesMax {
		return &RulesError{Of: of, Expected: fmt.Sprintf("at most %d bytes", RulesMax), Got: fmt.Sprint(len(text))}
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return &RulesError{Of: of, Expected: "YAML", Got: err.Error()}
	}
	if refers(&root) {
		return &RulesError{Of: of, Expected: "values without anchors and aliases", Got: "some"}
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(file); err != nil {
		return &RulesError{Of: of, Expected: "YAML with the fields it has", Got: err.Error()}
	}
	if err := d.Decode(new(yaml.Node)); err == nil {
		return &RulesError{Of: of, Expected: "one document", Got: "more"}
	}
	return nil
}

// refers tells whether YAML refers to other parts of itself, which can make a short text very long.
func refers(n *yaml.Node) bool {
	return n.Kind == yaml.AliasNode || n.Anchor != "" || slices.ContainsFunc(n.Content, refers)
}

// rulesParser reads values and collects faults.
type rulesParser struct {
	of     error // what the faults are of
	faults []error
}

func (p *rulesParser) check(ok bool, field, expected string, got any) {
	if !ok {
		p.faults = append(p.faults, &RulesError{Of: p.of, Field: field, Expected: expected, Got: fmt.Sprint(got)})
	}
}

func (p *rulesParser) rules(f file) *Rules {
	p.check(f.Kind == "accounts", "kind", "accounts", f.Kind)
	p.check(f.Version != "" && len(f.Version) <= 40, "version", "1 to 40 bytes", f.Version)
	p.check(f.AdultAge >= 18 && f.AdultAge <= 99, "adult_age", "18 to 99 years", f.AdultAge)
	p.check(f.WindowDays >= 1 && f.WindowDays <= WindowMax, "window_days", fmt.Sprintf("1 to %d", WindowMax), f.WindowDays)
	for _, means := range f.UnconfirmedMeans {
		p.check(means == "card" || means == "voucher", "unconfirmed_means", "card or voucher", means)
	}
	r := &Rules{
		Version: f.Version, FirstDay: p.day(f.FirstDay), AdultAge: f.AdultAge,
		UnconfirmedMax: p.amount("unconfirmed_max", f.UnconfirmedMax), UnconfirmedMeans: f.UnconfirmedMeans,
		DepositMin: p.amount("deposit_min", f.DepositMin), WindowDays: f.WindowDays,
		RaiseAfter: p.duration("raise_after", f.RaiseAfter),
		PauseMin:   p.duration("pause_min", f.PauseMin), PauseMax: p.duration("pause_max", f.PauseMax),
		ExclusionMin: p.duration("exclusion_min", f.ExclusionMin), ExclusionMax: p.duration("exclusion_max", f.ExclusionMax),
		RealityEvery: p.duration("reality_every", f.RealityEvery), WithdrawalMin: p.amount("withdrawal_min", f.WithdrawalMin),
	}
	for _, a := range f.VoucherAmounts {
		r.VoucherAmounts = append(r.VoucherAmounts, p.amount("voucher_amounts", a))
	}
	ascending := slices.IsSorted(r.VoucherAmounts) && len(slices.Compact(slices.Clone(r.VoucherAmounts))) == len(r.VoucherAmounts)
	p.check(ascending, "voucher_amounts", "ascending amounts", f.VoucherAmounts)
	p.check(r.PauseMin <= r.PauseMax, "pause_max", "no less than pause_min", f.PauseMax)
	p.check(r.ExclusionMin <= r.ExclusionMax, "exclusion_max", "no less than exclusion_min", f.ExclusionMax)
	return r
}

func (p *rulesParser) day(text string) int32 {
	at, err := time.Parse(time.DateOnly, text)
	p.check(err == nil, "first_day", "a day such as 2010-06-08", text)
	return int32(at.Unix() / 86400)
}

func (p *rulesParser) amount(field, text string) money.Amount {
	a, err := money.Parse(text)
	p.check(err == nil && a > 0, field, "an amount in euros above 0", text)
	return a
}

func (p *rulesParser) duration(field, text string) time.Duration {
	d, err := time.ParseDuration(text)
	p.check(err == nil && d > 0, field, "a time such as 48h", text)
	return d
}
