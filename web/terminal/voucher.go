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
	sold, err := t.app.Sys.SellVoucher(r.Context(), central.SellVoucher{Key: r.PostForm.Get("key"), Terminal: s.terminal.ID, Amount: amount})
	if errors.Is(err, central.ErrKey) {
		return err
	}
	p, failed := t.newVoucherPage(r, s) // with what the outlet owes now
	if failed != nil {
		return failed
	}
	status := http.StatusOK
	if err != nil {
		refusal := t.app.Explain(r, err)
		p.Refusal, status = &refusal, refusal.Status
	} else {
		p.Sold, p.Code = &sold, s.code(wager.ID(sold.Number), sold.Secret)
	}
	return face.Render(w, r, status, "voucher", p)
}
