package sim

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/rng"
)

// CardProvider is a provider of card payments that takes no card: whoever is
// sent to its page pays by [CardProvider.Pay]. It calls back with notices that it signs.
type CardProvider struct {
	key  []byte
	page string
	now  func() time.Time

	mu       sync.Mutex
	begun    map[string]begun
	payments []central.CardNotice
	waiting  []Notice
}

// begun is a payment that waits to be paid, for [central.CardLife].
type begun struct {
	amount money.Amount
	at     time.Time
}

// NewCardProvider returns a provider that signs by a key, and whose page has an address. now is its clock.
func NewCardProvider(key []byte, page string, now func() time.Time) *CardProvider {
	return &CardProvider{key: slices.Clone(key), page: page, now: now, begun: map[string]begun{}}
}

// Notice is a call of the provider: what it sends in the header and body of a request.
type Notice struct {
	Header map[string][]string
	Body   []byte
}

// noticeHeader is where a notice has its signature: HMAC-SHA256 of its body, in hex.
const noticeHeader = "Card-Signature"

// noticeBody is what a notice says.
type noticeBody struct {
	Reference string `json:"reference"`
	Amount    int64  `json:"amount"` // cents
	At        int64  `json:"at"`     // µs since 1970
}

// ErrReference is a payment under a reference that was not begun, or is paid.
var ErrReference = errors.New("no payment waits under this reference")

// Begin begins a payment. Its page has what it is to do in its address.
func (p *CardProvider) Begin(_ context.Context, reference string, amount money.Amount, returnTo string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun[reference] = begun{amount, p.now()}
	return p.page + "?" + url.Values{"reference": {reference}, "retour": {returnTo}}.Encode(), nil
}

// Begun is the amount of a payment that waits to be paid, and may still be, or [ErrReference].
func (p *CardProvider) Begun(reference string) (money.Amount, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, ok := p.begun[reference]
	if !ok || !p.now().Before(b.at.Add(central.CardLife)) {
		return 0, ErrReference
	}
	return b.amount, nil
}

// Pay makes a payment that was begun, and returns its notice, which waits in
// [CardProvider.Deliver] too.
func (p *CardProvider) Pay(reference string) (Notice, error) {
	amount, err := p.Begun(reference)
	if err != nil {
		return Notice{}, err
	}
	return p.PayAmount(reference, amount)
}

// PayAmount is [CardProvider.Pay] by a provider that takes another amount than was begun.
func (p *CardProvider) PayAmount(reference string, amount money.Amount) (Notice, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.begun[reference]; !ok {
		return Notice{}, ErrReference
	}
	delete(p.begun, reference)
	made := central.CardNotice{Reference: reference, Amount: amount, At: p.now()}
	p.payments = append(p.payments, made)
	n := p.Sign(made)
	p.waiting = append(p.waiting, n)
	return n, nil
}

// Sign writes a notice of a payment, made or not.
func (p *CardProvider) Sign(n central.CardNotice) Notice {
	body, err := json.Marshal(noticeBody{n.Reference, int64(n.Amount), n.At.UnixMicro()})
	if err != nil {
		panic("sim: " + err.Error()) // plain data
	}
	return Notice{Header: map[string][]string{noticeHeader: {hex.EncodeToString(p.mac(body))}}, Body: body}
}

func (p *CardProvider) mac(body []byte) []byte {
	h := hmac.New(sha256.New, p.key)
	h.Write(body)
	return h.Sum(nil)
}

// Forget undoes a payment that was made, as a provider does that loses its own data.
func (p *CardProvider) Forget(reference string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.payments = slices.DeleteFunc(p.payments, func(n central.CardNotice) bool { return n.Reference == reference })
}

// Deliver takes the notices that wait, as a bad day delivers them: in any
// order, some twice or thrice, some kept for later, and some never.
func (p *CardProvider) Deliver(r *rng.Stream) []Notice {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out, late []Notice
	for _, n := range p.waiting {
		switch r.Below(6) {
		case 0: // lost
		case 1:
			late = append(late, n)
		default:
			for range 1 + r.Below(3) {
				out = append(out, n)
			}
		}
	}
	p.waiting = late
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// Notice reads a notice that the provider has signed.
func (p *CardProvider) Notice(header map[string][]string, body []byte) (central.CardNotice, error) {
	for _, text := range header[noticeHeader] {
		sum, err := hex.DecodeString(text)
		if err != nil || !hmac.Equal(sum, p.mac(body)) {
			continue
		}
		var b noticeBody
		if err := json.Unmarshal(body, &b); err != nil {
			return central.CardNotice{}, fmt.Errorf("%w: %w", central.ErrNotice, err)
		}
		return central.CardNotice{Reference: b.Reference, Amount: money.Amount(b.Amount), At: time.UnixMicro(b.At)}, nil
	}
	return central.CardNotice{}, fmt.Errorf("%w: not signed by its provider", central.ErrNotice)
}

// Payments are the payments made on a Paris day.
func (p *CardProvider) Payments(_ context.Context, day game.Day) ([]central.CardNotice, error) {
	zone, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []central.CardNotice
	for _, n := range p.payments {
		if game.DayOf(n.At, zone) == day {
			list = append(list, n)
		}
	}
	return list, nil
}
