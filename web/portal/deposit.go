package portal

import (
	"errors"
	"net/http"

	"tirage/central"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
)

// depositPage has a form for each means of deposit that there is.
type depositPage struct {
	member
	Stop    string // why the player may not deposit at all now; "": he may
	Voucher means
	Cards   []means
	Demo    *means // nil: this is no demo
	Limit   limitView
	Left    money.Amount // that may still be deposited before the identity check
	Pay     *payment     // a payment by card that was begun
}

// means is a means of deposit, with its form.
type means struct {
	form
	Name  string // "voucher", "demo", "card/PROVIDER"
	Title string // name of a provider
	Shut  bool   // not open to this account
}

// payment is the way to the provider's page. A link leads there and no
// redirection: forms of ours lead nowhere else, and browsers hold us to that.
type payment struct {
	Provider, Address string
	Amount            money.Amount
}

const cardPrefix = "card/"

// demoMax bounds a demo deposit: nothing else bounds what is not real, and the
// sum of all must stay an amount.
const demoMax money.Amount = 10_000_00

func (p portal) newDepositPage(r *http.Request, m member) depositPage {
	v := depositPage{member: m, Limit: limitsOf(m)[0], Stop: p.stop(r, m)}
	v.Voucher = m.means("voucher")
	for _, name := range p.app.Sys.CardProviders() {
		card := m.means(cardPrefix + name)
		card.Title = name
		v.Cards = append(v.Cards, card)
	}
	if p.app.Sys.Demo() {
		demo := m.means(party.DemoMeans)
		v.Demo = &demo
	}
	if m.Rules != nil {
		v.Left = max(0, m.Rules.UnconfirmedMax.Sub(m.Account.DepositedEver))
	}
	return v
}

func (m member) means(name string) means {
	return means{form: newForm(name + "-"), Name: name, Shut: !m.takes(name)}
}

// stop says why a player may not deposit at all now, by any means.
func (p portal) stop(r *http.Request, m member) string {
	if m.Rules == nil {
		return p.app.Explain(r, party.ErrTerms).Sentence
	}
	err := m.Account.MayDeposit(m.Rules, m.Now, m.Rules.DepositMin, party.DemoMeans, m.Account.Deposited, m.Account.DepositedEver)
	if err == nil {
		return ""
	}
	return p.app.Explain(r, err).Sentence
}

func (p portal) depositPage(w http.ResponseWriter, r *http.Request, m member) error {
	return face.Render(w, r, http.StatusOK, "deposit", p.newDepositPage(r, m))
}

func (p portal) deposit(w http.ResponseWriter, r *http.Request, m member) error {
	d, pay, err := p.tryDeposit(r, m)
	switch {
	case err == nil && pay == nil && d.Again:
		return done(w, r, pathDeposit, "deja")
	case err == nil && pay == nil:
		return done(w, r, pathDeposit, "versement")
	}
	v := p.newDepositPage(r, m)
	if err == nil {
		v.Pay = pay
		return face.Render(w, r, http.StatusOK, "deposit", v)
	}
	return p.refuse(w, r, "deposit", v.formOf(r.PostForm.Get("means")), &v, err)
}

// formOf is the form of a means, or that of vouchers.
func (v *depositPage) formOf(name string) *form {
	for i := range v.Cards {
		if v.Cards[i].Name == name {
			return &v.Cards[i].form
		}
	}
	if v.Demo != nil && name == party.DemoMeans {
		return &v.Demo.form
	}
	return &v.Voucher.form
}

// tryDeposit makes the deposit, or begins it when it is by card.
func (p portal) tryDeposit(r *http.Request, m member) (d central.Deposited, pay *payment, err error) {
	if err := page.ReadForm(r); err != nil {
		return d, nil, err
	}
	name, key := r.PostForm.Get("means"), r.PostForm.Get("key")
	if name == "voucher" {
		d, err = p.depositVoucher(r, m.Account.ID)
		return d, nil, err
	}
	amount, err := readAmount(m.Lang, r.PostForm, "amount")
	if err != nil {
		return d, nil, err
	}
	for _, provider := range p.app.Sys.CardProviders() {
		if name == cardPrefix+provider {
			address, err := p.app.Sys.BeginCard(r.Context(), m.Account.ID, provider, amount, p.app.Sys.Site()+pathCardBack)
			return d, &payment{provider, address, amount}, err
		}
	}
	if name == party.DemoMeans {
		if amount > demoMax {
			return d, nil, &fieldError{"amount", money.ErrLimit}
		}
		d, err = p.app.Sys.DepositDemo(r.Context(), key, m.Account.ID, amount)
		return d, nil, err
	}
	return d, nil, page.ErrForm
}

// depositVoucher limits the codes that a player may try (F24).
func (p portal) depositVoucher(r *http.Request, player string) (d central.Deposited, err error) {
	number, secret, err := central.ParseVoucher(r.PostForm.Get("code"))
	if err != nil {
		return d, err
	}
	forgive, err := p.app.SignOns.Try("voucher/" + player)
	if err != nil {
		return d, err
	}
	d, err = p.app.Sys.DepositVoucher(r.Context(), r.PostForm.Get("key"), player, number, secret)
	if !errors.Is(err, central.ErrNoVoucher) {
		forgive()
	}
	return d, err
}

// cardBack is where a provider's page sends the player back to. What was paid
// the provider tells the system itself, so this only says to wait for it.
func (p portal) cardBack(w http.ResponseWriter, r *http.Request, m member) error {
	var err error
	if m.Notice, err = face.T(m.Lang, "deposit.back"); err != nil {
		return err
	}
	return p.depositPage(w, r, m)
}
