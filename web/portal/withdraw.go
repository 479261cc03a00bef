package portal

import (
	"context"
	"net/http"

	"tirage/central"
	"tirage/party"
	"tirage/web/page"
)

// withdrawPage pays money out to an account in the player's name.
type withdrawPage struct {
	member
	form
	Recent []central.Withdrawal
}

func (p portal) newWithdrawPage(ctx context.Context, m member) (withdrawPage, error) {
	v := withdrawPage{member: m, form: newForm("")}
	list, _, err := p.movements(ctx, m.Account.ID, 0, []string{"withdrawal"})
	if err != nil {
		return v, err
	}
	const most = 10 // that are shown
	var records []uint64
	for _, x := range list[:min(most, len(list))] {
		records = append(records, x.Record)
	}
	v.Recent, err = p.app.Sys.WithdrawalsOf(ctx, m.Account.ID, records)
	return v, err
}

// May tells whether the player may ask for a withdrawal at all.
func (v withdrawPage) May() bool { return v.Account.Confirmed && v.Account.Balance > 0 }

// Grouped writes an IBAN in groups of four, as it is printed.
func (v withdrawPage) Grouped(iban string) string { return party.IBAN(iban).String() }

func (p portal) withdrawPage(w http.ResponseWriter, r *http.Request, m member) error {
	v, err := p.newWithdrawPage(r.Context(), m)
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "withdraw", v)
}

func (p portal) withdraw(w http.ResponseWriter, r *http.Request, m member) error {
	err := p.tryWithdraw(r, m)
	if err == nil {
		return done(w, r, pathWithdraw, "retrait")
	}
	v, broken := p.newWithdrawPage(r.Context(), m)
	if broken != nil {
		return broken
	}
	return p.refuse(w, r, "withdraw", &v.form, &v, err)
}

func (p portal) tryWithdraw(r *http.Request, m member) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	amount, err := readAmount(m.Lang, r.PostForm, "amount")
	if err != nil {
		return err
	}
	_, err = p.app.Sys.Withdraw(r.Context(), central.Withdraw{
		Key: r.PostForm.Get("key"), Player: m.Account.ID, Amount: amount, IBAN: r.PostForm.Get("iban"),
	})
	return err
}
