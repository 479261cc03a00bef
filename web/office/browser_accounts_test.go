package office

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"tirage/central"
)

// An officer works with outlets' accounts and tickets in a browser: pages fit a
// desk and a phone, axe finds nothing serious, a ticket is stopped and a file of
// direct debits is made by keyboard, and a refusal gets the eye.
func TestAccountsInBrowser(t *testing.T) {
	t.Parallel()
	o := accounts(t)
	o.makeCentre()
	o.second()
	o.signOn()
	for _, number := range []string{"7", "8"} {
		status, body := o.post(pathMandate, mandate(number, "m"+number))
		o.want("mandate", status, http.StatusOK, body, "Mandat enregistré.")
	}
	_, err := o.sys.SetNotice(context.Background(), central.SetNotice{Key: "n", Officer: o.officer, FR: "Fermeture anticipée samedi à 20 h.", EN: "We close at 8 p.m. on Saturday.", Until: o.time().Add(24 * time.Hour)})
	o.must(err)
	wrong, err := o.sys.SetNotice(context.Background(), central.SetNotice{Key: "w", Officer: o.officer, FR: "Fermeture samedi à 8 h.", EN: "We close at 8 a.m. on Saturday.", Until: o.time().Add(24 * time.Hour)})
	o.must(err)
	o.must(o.sys.RetractNotice(context.Background(), central.RetractNotice{Key: "r", Officer: o.officer, Notice: wrong.Record}))
	v := o.winner()
	ctx := o.browse()
	o.signOnIn(ctx, "marie")

	o.must(chromedp.Do(ctx, chromedp.Navigate(o.url+ticketAddress(v.Ticket.Number)), shows("#stop-reason")))
	o.must(chromedp.Do(ctx, chromedp.SendKeys(chromedp.CSS("#stop-reason"), "Reçu volé"), chromedp.Click(chromedp.CSS("button.main")), shows(".notice")))
	o.look(ctx, "office-ticket", true)

	o.must(chromedp.Do(ctx, chromedp.Navigate(o.url+pathDebits), shows("button.main")))
	o.must(chromedp.Do(ctx, chromedp.Click(chromedp.CSS("button.main")), shows("#refusal")))
	if got := eval[string](ctx, o, `document.activeElement.id + ": " + document.activeElement.textContent`); got != "refusal: Relevés\u00a0: cochez-en un au moins." {
		t.Errorf("a refusal does not get the eye: %q", got)
	}
	o.must(chromedp.Do(ctx, chromedp.Click(chromedp.CSS("thead input")), chromedp.Click(chromedp.CSS("button.main")), shows(".notice a")))
	o.look(ctx, "office-debits", true)
	o.must(chromedp.Do(ctx, chromedp.Click(chromedp.CSS("section[aria-labelledby=files] tbody a")), shows("#lines")))
	o.look(ctx, "office-debitfile", true)

	st, err := o.sys.Statements(context.Background(), o.sys.Outlets()[0].ID, 1)
	o.must(err)
	for _, p := range []struct{ path, name string }{
		{pathOutlets, "office-outlets"},
		{pathOutlets + "?numero=7", "office-outlet"},
		{fmt.Sprint(pathStatement, "/", st[0].Record), "office-statement"},
		{pathDay + "?numero=7&jour=2027-01-04", "office-day"},
		{pathTickets + "?pdv=7&de=2027-01-04T00:00", "office-tickets"},
		{pathReports + "?rapport=gains&de=2027-01-04&a=2027-01-12", "office-reports"},
		{pathNotices, "office-notices"},
		{pathConditions, "office-conditions"},
	} {
		o.must(chromedp.Do(ctx, chromedp.Navigate(o.url+p.path)))
		o.look(ctx, p.name, false)
	}
	o.paysOutlet(ctx)
	o.must(chromedp.Do(ctx, chromedp.Navigate(o.url+ticketAddress(v.Ticket.Number)+"?lang=en")))
	eval[bool](ctx, o, `document.querySelector("details").open = true`)
	o.shoot(ctx, "office-ticket-english")
	o.findsOutlet(ctx)
}

// findsOutlet finds one outlet of many by its number.
func (o *operator) findsOutlet(ctx context.Context) {
	o.t.Helper()
	o.moreOutlets(105)
	o.must(chromedp.Do(ctx, chromedp.Navigate(o.url+pathOutlets+"?lang=fr"), shows("#find")))
	o.must(chromedp.Do(ctx, chromedp.SendKeys(chromedp.CSS("#find"), "999\r"), shows("#refusal")))
	if got := eval[string](ctx, o, `document.activeElement.id + " " + document.querySelector("#find").value`); got != "refusal 999" {
		o.t.Errorf("a refusal does not get the eye, or forgets what was typed: %q", got)
	}
	o.look(ctx, "office-outlets-many", true)
	eval[bool](ctx, o, `document.querySelector("#find").select() === undefined`)
	o.must(chromedp.Do(ctx, chromedp.SendKeys(chromedp.CSS("#find"), "110\r"), shows("#limit")))
}

// paysOutlet proposes to pay an outlet that has paid 30 € too much: more at first, which gets the eye where it was typed.
func (o *operator) paysOutlet(ctx context.Context) {
	o.t.Helper()
	outlet := o.sys.Outlets()[1]
	account, err := o.sys.OutletAccount(outlet.ID)
	o.must(err)
	o.overpay(outlet.ID, account.Owes+3000)
	amount, reason := chromedp.CSS("#paidout"), chromedp.CSS("#payreason")
	o.must(chromedp.Do(ctx, chromedp.Navigate(fmt.Sprint(o.url, pathOutlets, "?numero=", outlet.Number)), shows("#paidout")))
	o.must(chromedp.Do(ctx, chromedp.SendKeys(amount, "30,01"), chromedp.SendKeys(reason, "Trop versé le 12 janvier\t\r"), shows("#refusal")))
	if got := eval[string](ctx, o, `document.activeElement.id + " " + document.querySelector("#paidout").value + " " + document.querySelector("#payreason").value`); got != "refusal 30,01 Trop versé le 12 janvier" {
		o.t.Errorf("a refusal does not get the eye, or forgets what was typed: %q", got)
	}
	o.look(ctx, "office-payout-refused", true)
	eval[bool](ctx, o, `document.querySelector("#paidout").select() === undefined`)
	o.must(chromedp.Do(ctx, chromedp.SendKeys(amount, "30\r"), shows(".waiting")))
	o.look(ctx, "office-payout", true)
	o.must(chromedp.Do(ctx, chromedp.Navigate(o.url+pathProposals), shows("article")))
	o.look(ctx, "office-payout-proposed", true)
}
