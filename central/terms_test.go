package central_test

import (
	"testing"
	"time"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/money"
	"tirage/party"
)

// Terms of outlets hold from their first day in Paris on, on every node and after a restart.
func TestPublishTerms(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		if terms := w.sys.Terms(); terms != nil {
			t.Fatalf("terms that nobody published: %+v", terms)
		}
		publish := func(key string, replace ...string) error {
			_, err := w.sys.PublishTerms(w.ctx(), central.PublishRules{Key: key, Officer: w.officer.ID, Book: replaced(w, string(party.TermsBook()), replace)})
			return err
		}
		w.check(publish("first"))
		w.check(publish("first")) // the same command again
		w.refuses(central.ErrPublished, func() error { return publish(w.key()) })
		w.refuses(central.ErrPublished, func() error { return publish(w.key(), "debit_days: 5", "debit_days: 6") })
		w.refuses(party.ErrOutletTerms, func() error { return publish(w.key(), "kind: outlets", "kind: accounts") })
		w.refuses(central.ErrNotAllowed, func() error {
			_, err := w.sys.PublishTerms(w.ctx(), central.PublishRules{Key: w.key(), Officer: w.outlet.ID, Book: party.TermsBook()})
			return err
		})
		for _, day := range []string{"2009-11-06", "2027-01-04"} { // sales and payments were made under the terms before
			w.refuses(central.ErrTermsPast, func() error { return publish(w.key(), `version: "2010"`, `version: "late"`, "2009-11-05", day) })
		}
		w.check(publish(w.key(), `version: "2010"`, `version: "next"`, "2009-11-05", "2027-01-05", `payment_max: "500"`, `payment_max: "300"`))
		w.clock.set(time.Date(2027, 1, 4, 22, 59, 59, 0, time.UTC))
		if got := w.sys.Terms().PaymentMax; got != money.Euros(500) {
			t.Errorf("before their first day the terms say %s", got)
		}
		w.clock.set(time.Date(2027, 1, 4, 23, 0, 0, 0, time.UTC))
		w.restart()
		if got := w.sys.Terms().PaymentMax; got != money.Euros(300) {
			t.Errorf("on their first day, after a restart, the terms say %s", got)
		}
	})
}
