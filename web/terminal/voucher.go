package terminal

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"tirage/central"
	"tirage/money"
	"tirage/paper"
	"tirage/wager"
	"tirage/web/page"
)

// voucherPage sells deposit vouchers, one at a press of a key, and shows the one just sold.
type voucherPage struct {
	frame
	Amounts []money.Amount // none: no vouchers are sold
	Key     string         // of the next sale
	Action  string         // this page, with the state of the desk
	Sold    *voucher       // the last one
	Just    bool           // by this request
	Late    []voucher      // sold before that one, and not printed
	Refusal *page.Refusal
}

// voucher is a deposit voucher on its page.
type voucher struct {
	central.Voucher
	Zone       *time.Location
	Outlet     int // its number
	Training   bool
	Code       string
	Action     string // of the form that prints it, with the state of the desk
	Printed    bool   // it was, so that it is printed again marked
	Network    bool   // by a network printer
	Printing   printing
	CommandKey string
}

// Shut tells whether the voucher need not be seen: who is served next has no business with its code (F24).
func (p voucherPage) Shut() bool {
	return !p.Just && p.Sold.Printing.over() && !p.Sold.Printing.Unknown
}

func (t *terminal) newVoucherPage(r *http.Request, s seat) (voucherPage, error) {
	f, err := t.frame(r, s, "voucher.title", pathVoucher)
	if err != nil {
		return voucherPage{}, err
	}
	p := voucherPage{
		frame: f, Key: s.newKey(), Action: withState(pathVoucher, r.URL.Query()),
	}
	if rules := t.app.Sys.AccountRules(); rules != nil {
		p.Amounts = rules.VoucherAmounts
	}
	return p, t.addVouchers(r, s, &p)
}

// addVouchers adds the voucher that was sold last, and those before it that are not printed.
func (t *terminal) addVouchers(r *http.Request, s seat, p *voucherPage) error {
	c := t.counters.get(s.terminal.ID)
	if c.voucher == nil {
		return nil
	}
	list := []central.Voucher{*c.voucher}
	for _, x := range c.lateVouchers() {
		list = append(list, *x.voucher)
	}
	numbers := make([]wager.ID, len(list))
	for i, v := range list {
		numbers[i] = wager.ID(v.Number)
	}
	printed, err := t.app.Sys.Prints(r.Context(), numbers)
	if err != nil {
		return err
	}
	printer, err := t.app.Sys.Printer(r.Context(), s.terminal.ID)
	if err != nil {
		return err
	}
	for i, v := range list {
		x := voucher{
			Voucher: v, Zone: s.zone, Outlet: s.outlet.Number, Training: s.training, Code: s.code(numbers[i], v.Secret), Action: withState(pathVouchers, r.URL.Query()),
			Printed: printed[numbers[i]], Network: printer.Address.IsValid(), CommandKey: s.newKey(),
		}
		x.Printing, _ = c.printing(numbers[i])
		if i == 0 {
			p.Sold = &x
		} else {
			p.Late = append(p.Late, x)
		}
	}
	return nil
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
			t.counters.sell(s.terminal.ID, &made.Voucher)
			return t.showVoucher(w, r, s, &made.Voucher, err)
		}
	}
	if err != nil {
		return t.showVoucher(w, r, s, nil, err)
	}
	t.counters.sell(s.terminal.ID, &sold)
	t.autoPrintVoucher(r, s, key, &sold)
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
	p.Just = sold != nil
	return face.Render(w, r, status, "voucher", p)
}

// voucherSheet is a voucher as it is printed.
func (t *terminal) voucherSheet(s seat, v central.Voucher, n int) paper.Voucher {
	return paper.Voucher{
		Number: v.Number, Code: s.code(wager.ID(v.Number), v.Secret), Amount: v.Amount, SoldAt: v.SoldAt,
		Outlet: s.outlet.Number, Zone: s.zone, Copy: n, PrintedAt: t.app.Sys.Now(), Training: t.training,
	}
}

// autoPrintVoucher has a voucher printed as it is sold, as [terminal.autoPrint] does tickets.
func (t *terminal) autoPrintVoucher(r *http.Request, s seat, key string, sold *central.Voucher) {
	printer, err := t.app.Sys.Printer(r.Context(), s.terminal.ID)
	if err != nil { // the voucher is sold
		t.app.Logger.Error("printer of a terminal", "terminal", s.terminal.ID, "err", err)
		return
	}
	p := printing{Number: wager.ID(sold.Number), Key: key, voucher: sold}
	if !printer.Auto {
		return
	}
	if _, begun := t.counters.begin(s.terminal.ID, p); !begun {
		return
	}
	t.beside(r, s, []printing{p}, func(ctx context.Context) {
		x, err := t.voucherToPrint(ctx, s, &p, sold.Secret)
		switch {
		case err != nil:
			t.app.Logger.Warn("not printed", "terminal", s.terminal.ID, "voucher", p.Number, "err", err)
			p.Trouble = troubleOf(err)
		case p.Copy > 0 || p.Unknown: // another request has, or another node
			p.Copy, p.Unknown = 0, true
		default:
			t.send(ctx, s, printer, []printing{p}, []sheet{x})
			return
		}
		t.counters.end(s.terminal.ID, p)
	})
}

// voucherToPrint is a voucher as it is to be printed now, and says of p which copy it is.
func (t *terminal) voucherToPrint(ctx context.Context, s seat, p *printing, secret [8]byte) (paper.Voucher, error) {
	v, n, again, err := t.app.Sys.PrintVoucher(ctx, central.PrintVoucher{Key: p.Key, Terminal: s.terminal.ID, Voucher: uint64(p.Number), Secret: secret})
	if err != nil {
		return paper.Voucher{}, err
	}
	p.Copy, p.Unknown, p.voucher = n, again, &v
	return t.voucherSheet(s, v, n), nil
}

// printVoucher prints a voucher: the first time as it is, and then marked.
func (t *terminal) printVoucher(w http.ResponseWriter, r *http.Request, s seat) error {
	how := r.PostForm.Get("do")
	if !slices.Contains([]string{byPrinter, byPage, byPDF, byPNG}, how) {
		return fmt.Errorf("%w: print by %.20q", page.ErrForm, how)
	}
	if err := t.app.Checks.Allow("terminal/" + s.terminal.ID); err != nil {
		return t.showVoucher(w, r, s, nil, err)
	}
	number, secret, err := s.parseCode(r.PostForm.Get("code"))
	if err != nil {
		return t.showVoucher(w, r, s, nil, err)
	}
	p := printing{Number: number, Key: r.PostForm.Get("command") + "/" + how}
	if how == byPrinter {
		err := t.printBeside(r, s, p, func(p *printing) (sheet, error) { return t.voucherToPrint(r.Context(), s, p, secret) })
		return t.showVoucher(w, r, s, nil, err)
	}
	x, err := t.voucherToPrint(r.Context(), s, &p, secret)
	if err != nil {
		return t.showVoucher(w, r, s, nil, err)
	}
	p.Unknown = false // it is on the screen
	t.counters.note(s.terminal.ID, p)
	return t.hand(w, r, x, how, paperPage{
		Base: face.Base(r, "voucher.paper"), Name: "bon", Number: number, Copy: p.Copy, Back: withState(pathVoucher, r.URL.Query()),
	})
}
