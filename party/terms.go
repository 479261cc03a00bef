package party

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"errors"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"time"

	"tirage/money"
)

// ErrOutletTerms are terms of outlets that are not well-formed; the error is a [RulesError].
var ErrOutletTerms = errors.New("not terms of outlets")

// Terms are the terms of outlets: up to what sum they pay, what they earn, what they
// are given credit for, and when they pay what they owe, as dated data. A version holds from its first day.
type Terms struct {
	Version      string
	FirstDay     int32 // days since 1970, in Paris
	Hash         [32]byte
	Bytes        []byte
	PaymentMax   money.Amount          // a ticket whose prizes and stakes to give back come to more in all is paid at payment centres only
	IdentityFrom money.Amount          // from this total on, who is paid is recorded
	Commission   Commission            // of all games
	Games        map[string]Commission // by game, instead
	SlipFor      time.Duration         // how long a slip prepared on a phone holds
	DebitDays    int                   // days after the end of the week on which the direct debit is executed
	BlockDays    int                   // days after the end of the week from which an outlet that has not paid its statement is blocked
	BlockMin     money.Amount          // what is not paid of it blocks from this sum on
	PayeeDays    int                   // days after a payment for which who was paid is kept
	CreditAlone  money.Amount          // one officer gives an outlet no higher credit limit alone
}

// Commission is what an outlet earns of a game: parts of 1, exact.
type Commission struct {
	Sales    *big.Rat // of what was sold, less what was taken back
	Payments *big.Rat // of prizes paid
}

// Of is the commission of a game.
func (t *Terms) Of(game string) Commission {
	if c, ok := t.Games[game]; ok {
		return c
	}
	return t.Commission
}

// Bounds of terms of outlets.
const (
	TermDaysMax  = 60                  // of DebitDays and BlockDays
	SlipForMax   = 31 * 24 * time.Hour // of SlipFor
	termGamesMax = 500

	// Of PayeeDays: nobody may have payees of the last year removed, and all are some day.
	PayeeDaysMin = 366
	PayeeDaysMax = 36_525
)

//go:embed rules/outlets.yaml
var terms []byte

// TermsBook is the terms of outlets that come with the system.
func TermsBook() []byte { return bytes.Clone(terms) }

// termsFile is terms of outlets as written: amounts in euros, rates in percent, times in Go's way ("72h").
type termsFile struct {
	Kind         string                    `yaml:"kind"`
	Version      string                    `yaml:"version"`
	FirstDay     string                    `yaml:"first_day"`
	PaymentMax   string                    `yaml:"payment_max"`
	IdentityFrom string                    `yaml:"identity_from"`
	Commission   commissionFile            `yaml:"commission"`
	Games        map[string]commissionFile `yaml:"games"`
	SlipFor      string                    `yaml:"slip_for"`
	DebitDays    int                       `yaml:"debit_days"`
	BlockDays    int                       `yaml:"block_days"`
	BlockMin     string                    `yaml:"block_min"`
	PayeeDays    int                       `yaml:"payee_days"`
	CreditAlone  string                    `yaml:"credit_alone"`
}

type commissionFile struct {
	Sales    string `yaml:"sales"`
	Payments string `yaml:"payments"`
}

// ParseTerms reads terms of outlets, strictly: every field, and no other. The
// error joins one [RulesError] a wrong value.
func ParseTerms(text []byte) (*Terms, error) {
	var f termsFile
	if err := decodeStrictly(text, &f, ErrOutletTerms); err != nil {
		return nil, err
	}
	p := &rulesParser{of: ErrOutletTerms}
	t := p.terms(f)
	if len(p.faults) > 0 {
		return nil, errors.Join(p.faults...)
	}
	t.Hash, t.Bytes = sha256.Sum256(text), bytes.Clone(text)
	return t, nil
}

// gameForm is the code of a game.
var gameForm = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)

func (p *rulesParser) terms(f termsFile) *Terms {
	p.check(f.Kind == "outlets", "kind", "outlets", f.Kind)
	p.check(f.Version != "" && len(f.Version) <= 40, "version", "1 to 40 bytes", f.Version)
	t := &Terms{
		Version: f.Version, FirstDay: p.day(f.FirstDay),
		PaymentMax: p.amount("payment_max", f.PaymentMax), IdentityFrom: p.amount("identity_from", f.IdentityFrom),
		Commission: p.commission("commission", f.Commission), SlipFor: p.duration("slip_for", f.SlipFor),
		DebitDays: f.DebitDays, BlockDays: f.BlockDays, BlockMin: p.amount("block_min", f.BlockMin),
		PayeeDays: f.PayeeDays, CreditAlone: p.amount("credit_alone", f.CreditAlone),
	}
	p.check(t.SlipFor <= SlipForMax, "slip_for", "at most "+SlipForMax.String(), f.SlipFor)
	p.check(f.DebitDays >= 1 && f.DebitDays <= TermDaysMax, "debit_days", "1 to 60", f.DebitDays)
	p.check(f.BlockDays > f.DebitDays && f.BlockDays <= TermDaysMax, "block_days", "more than debit_days, up to 60", f.BlockDays)
	p.check(f.PayeeDays >= PayeeDaysMin && f.PayeeDays <= PayeeDaysMax, "payee_days", "366 to 36525", f.PayeeDays)
	p.check(len(f.Games) <= termGamesMax, "games", "at most 500", len(f.Games))
	for _, game := range slices.Sorted(maps.Keys(f.Games)) { // so that faults come in one order
		if p.check(gameForm.MatchString(game), "games", "codes of games", game); !gameForm.MatchString(game) {
			continue
		}
		if t.Games == nil {
			t.Games = map[string]Commission{}
		}
		t.Games[game] = p.commission("games."+game, f.Games[game])
	}
	return t
}

// rateForm is a rate in percent.
var rateForm = regexp.MustCompile(`^[0-9]{1,3}(\.[0-9]{1,6})?$`)

func (p *rulesParser) commission(field string, f commissionFile) Commission {
	return Commission{Sales: p.rate(field+".sales", f.Sales), Payments: p.rate(field+".payments", f.Payments)}
}

func (p *rulesParser) rate(field, text string) *big.Rat {
	rate := new(big.Rat)
	ok := rateForm.MatchString(text)
	if ok {
		_, ok = rate.SetString(text)
	}
	rate.Quo(rate, big.NewRat(100, 1))
	p.check(ok && rate.Cmp(big.NewRat(1, 1)) <= 0, field, `rates in percent such as "4.5"`, text)
	return rate
}
