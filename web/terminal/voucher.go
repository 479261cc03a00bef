package terminal

import (
	"errors"
	"net/http"

	"tirage/central"
	"tirage/money"
	"tirage/wager"
	"tirage/web/page"
)

// voucherPage sells deposit vouchers, one at a press of a key, and shows the one just sold.
type voucherPage struct {
	frame
	Amounts []money.Amount // none: no vouchers are sold
	Key     string         // of the next sale
	Action  string         // this page, with the state of the desk
	Sold    *central.Voucher
	Code    string // of the one just sold
	Refusal *page.Refusal
}

func (t *terminal) newVoucherPage(r *http.Request, s seat) (voucherPage, error) {
	f, err := t.frame(r, s, "voucher.title", pathVoucher)
	if err != nil {
		return voucherPage{}, err
	}
	p := voucherPage{frame: f, Key: s.newKey(), Action: withState(pathVoucher, r.URL.Query())}
	if rules := t.app.Sys.AccountRules(); rules != nil {
		p.Amounts = rules.VoucherAmounts
	}
	return p, nil
}

func (t *terminal) voucherPage(w http.ResponseWriter, r *http.Request, s seat) error {
	p, err := t.newVoucherPage(r, s)
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "voucher", p)
}

// sellVoucher sells a voucher. The answer carries it: sent again, after a lost
// answer or by a double click, the form shows the same voucher and sells no other (F10).
func (t *terminal) sellVoucher(w http.ResponseWriter, r *http.Request, s seat) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	amount, err := readCents(r.PostForm.Get("amount"))
	if err != nil {
		return err
	}
	key := r.PostForm.Get("command")
	sold, err := t.app.Sys.SellVoucher(r.Context(), central.SellVoucher{Key: key, Terminal: s.terminal.ID, Amount: amount})
	switch {
	case errors.Is(err, central.ErrKey):
		return err
	case errors.Is(err, central.ErrKeyReused): // a click on each of two amounts: the first one is sold
		if made, found := t.madeBefore(r, s, key); found == nil && made.Kind == central.OutcomeVoucher {
			return t.showVoucher(w, r, s, &made.Voucher, err)
		}
	}
	if err != nil {
		return t.showVoucher(w, r, s, nil, err)
	}
	return t.showVoucher(w, r, s, &sold, nil)
}

// showVoucher answers with the voucher that was sold, or with why none was, or
// with one that the same form had sold before it asked for another amount.
func (t *terminal) showVoucher(w http.ResponseWriter, r *http.Request, s seat, sold *central.Voucher, why error) error {
	if brief(r) {
		return t.answerBriefly(w, r, why)
	}
	p, err := t.newVoucherPage(r, s) // with what the outlet owes now
	if err != nil {
		return err
	}
	status := http.StatusOK
	if why != nil {
		refusal := t.app.Explain(r, why)
		if sold != nil {
			if refusal.Sentence, err = face.T(p.Lang, "voucher.reused", sold.SoldAt.In(s.zone).Format("15:04"), p.Lang.Money(sold.Amount)); err != nil {
				return err
			}
		}
		p.Refusal, status = &refusal, refusal.Status
	}
	if sold != nil {
		p.Sold, p.Code = sold, s.code(wager.ID(sold.Number), sold.Secret)
	}
	return face.Render(w, r, status, "voucher", p)
}
