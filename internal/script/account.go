package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/party"
)

// day: day OUTLET [YYYY-MM-DD]. What the outlet did on a day of its own zone, today's else.
func (r *runner) day(words []string) (string, error) {
	h := hand(words)
	o, err := r.outletNamed(h.next())
	if err != nil {
		return "", err
	}
	day, err := r.sys.Today(o.ID)
	if err != nil {
		return "", err
	}
	if len(h) > 0 {
		if day, err = game.ParseDay(h.next()); err != nil {
			return "", err
		}
	}
	till, err := r.sys.Day(r.ctx, o.ID, day)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", day)
	for _, l := range till.Lines {
		fmt.Fprintf(&b, "%s   sold %s (%d)   cancelled %s (%d)   prizes %s (%d)   stakes given back %s (%d)\n",
			l.Game, l.Sold, l.SoldN, l.Cancelled, l.CancelledN, l.Paid, l.PaidN, l.Back, l.BackN)
	}
	fmt.Fprintf(&b, "received %s   came back %s   due %s\n", till.Received, till.Returned, till.Due())
	return b.String(), nil
}

// statement: statement OUTLET. The newest statement of the outlet.
func (r *runner) statement(words []string) (string, error) {
	if len(words) != 1 {
		return "", errUsage
	}
	st, err := r.newest(words[0])
	if errors.Is(err, errNone) {
		return "none yet\n", nil
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s to %s %s\n", st.First.Weekday(), st.First, st.Last.Weekday(), st.Last)
	fmt.Fprintf(&b, "opening %s\n", st.Opening)
	for _, l := range st.Lines {
		fmt.Fprintf(&b, "%s   sold %s   cancelled %s   prizes %s   stakes given back %s   commission %s   carried %s of a cent\n",
			l.Game, l.Sold, l.Cancelled, l.Paid, l.Back, l.Commission, l.Carried.RatString())
	}
	fmt.Fprintf(&b, "vouchers %s   received %s   came back %s\nclosing %s\n", st.Vouchers, st.Received, st.Returned, st.Closing)
	if st.Debit != "" {
		fmt.Fprintf(&b, "direct debit of %s %s\n", st.Debited, st.Debit)
	}
	return b.String(), nil
}

var errNone = errors.New("no statement yet")

func (r *runner) newest(name string) (central.Statement, error) {
	o, err := r.outletNamed(name)
	if err != nil {
		return central.Statement{}, err
	}
	list, err := r.sys.Statements(r.ctx, o.ID, 1)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("outlet %s: %w", name, errNone)
	}
	if err != nil {
		return central.Statement{}, err
	}
	return list[0], nil
}

// mandate: mandate OUTLET. The outlet signs a mandate for direct debits, today.
func (r *runner) mandate(words []string) (string, error) {
	if len(words) != 1 {
		return "", errUsage
	}
	o, err := r.outletNamed(words[0])
	if err != nil {
		return "", err
	}
	return "", r.sys.SetMandate(r.ctx, central.SetMandate{Key: r.actKey(), Officer: r.officer, Outlet: o.ID, Mandate: party.Mandate{
		ID: fmt.Sprintf("PDV-%d", o.Number), SignedOn: int32(game.DayOf(r.clockTime(), paris)), Holder: "Point de vente " + o.name, IBAN: "FR7630006000011234567890189",
	}})
}

// debit: debit OUTLET sent|paid|returned. What becomes of the direct debit of its newest statement.
func (r *runner) debit(words []string) (string, error) {
	if len(words) != 2 || !slices.Contains([]string{"sent", "paid", "returned"}, words[1]) {
		return "", errUsage
	}
	before, err := r.newest(words[0])
	if err != nil {
		return "", err
	}
	if words[1] == "sent" {
		_, _, err = r.sys.SendDebits(r.ctx, r.actKey(), r.officer, []uint64{before.Record})
	} else {
		err = r.sys.SettleDebits(r.ctx, r.actKey(), r.officer, []uint64{before.Record}, words[1] == "returned")
	}
	if err != nil {
		return "", err
	}
	o, err := r.outletNamed(words[0])
	if err != nil {
		return "", err
	}
	st, err := r.newest(words[0])
	if err != nil {
		return "", err
	}
	switch {
	case words[1] == "paid":
		o.owes = o.owes.Sub(st.Debited)
	case before.Debit == "paid":
		o.owes = o.owes.Add(st.Debited)
	}
	return fmt.Sprintf("%s   %s\n", st.Debited, st.Debit), nil
}

// unblock: unblock OUTLET. An officer lets the outlet sell again.
func (r *runner) unblock(words []string) (string, error) {
	if len(words) != 1 {
		return "", errUsage
	}
	o, err := r.outletNamed(words[0])
	if err != nil {
		return "", err
	}
	_, err = r.sys.PutOutlet(r.ctx, central.PutOutlet{Key: r.actKey(), Officer: r.officer, Outlet: o.Outlet})
	return "", err
}

// earned is the commission of all statements of an outlet.
func (r *runner) earned(o *outlet) (sum money.Amount, err error) {
	list, err := r.sys.Statements(r.ctx, o.ID, 1000)
	for _, st := range list {
		sum = sum.Add(st.Commission)
	}
	return sum, err
}
