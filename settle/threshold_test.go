package settle

import (
	"errors"
	"testing"
	"time"

	"tirage/draw"
	"tirage/money"
)

// Above the sum that outlets pay, what is open of a ticket is paid at payment
// centres only, and whoever checks it says so; the sum is of all prizes and
// stakes to give back, paid or not, and the limit itself is paid.
func TestCheck_Threshold(t *testing.T) {
	t.Parallel()
	r, paris := ileAuTresor(t), zoneOf(t, "Europe/Paris")
	back := fact{state: draw.Cancelled, refunded: true}
	for _, v := range []struct {
		name    string
		facts   []fact
		max     money.Amount
		at      string
		payable money.Amount // at a payment centre
		want    error        // at an outlet
	}{
		{"no limit", []fact{certified(top)}, 0, dawn, money.Euros(40_000), nil},
		{"at the limit", []fact{certified(small)}, money.Euros(6), "0 22:00", money.Euros(6), nil},
		{"a cent above", []fact{certified(small)}, money.Euros(6) - 1, "0 22:00", money.Euros(6), ErrCentre},
		{"two draws at the limit", []fact{certified(small), certified(small)}, money.Euros(12), "0 22:00", money.Euros(12), nil},
		{"two draws above", []fact{certified(small), certified(small)}, money.Euros(12) - 1, "0 22:00", money.Euros(12), ErrCentre},
		{"what is paid counts", []fact{paid(small), certified(small)}, money.Euros(12) - 1, "0 22:00", money.Euros(6), ErrCentre},
		{"stakes to give back count", []fact{back, certified(small)}, money.Euros(10) - 1, "0 22:00", money.Euros(10), ErrCentre},
		{"with stakes at the limit", []fact{back, certified(small)}, money.Euros(10), "0 22:00", money.Euros(10), nil},
		{"what is not certified does not", []fact{certified(small), {result: top, state: draw.Settled}}, money.Euros(6), "0 22:00", 0, ErrNotYet},
		{"not before the morning", []fact{certified(top)}, money.Euros(500), "0 22:00", 0, ErrNotYet},
		{"from the morning", []fact{certified(top)}, money.Euros(500), dawn, money.Euros(40_000), ErrCentre},
		{"on the 60th day", []fact{certified(top)}, money.Euros(500), "60 23:59:59", money.Euros(40_000), ErrCentre},
		{"on the 61st", []fact{certified(top)}, money.Euros(500), "61 00:00", 0, ErrExpired},
		{"all paid", []fact{paid(top)}, money.Euros(500), dawn, 0, ErrPaid},
	} {
		ticket, facts := ticketOf(t, r, v.facts...)
		answer := func(centre bool) Answer {
			return Check(ticket, nil, facts, Delay{}, nil, clock(t, v.at, paris), Place{Zone: paris, Centre: centre, Max: v.max})
		}
		outlet, centre := answer(false), answer(true)
		if centre.Payable != v.payable || centre.CentreOnly {
			t.Errorf("%s: a centre pays %s (%v), want %s", v.name, centre.Payable, centre.CentreOnly, v.payable)
		}
		if _, err := outlet.Due(); !errors.Is(err, v.want) {
			t.Errorf("%s: at an outlet %v, want %v", v.name, err, v.want)
		}
		if only := errors.Is(v.want, ErrCentre); outlet.CentreOnly != only || only && outlet.Payable != 0 || v.want == nil && outlet.Payable != v.payable {
			t.Errorf("%s: at an outlet %s, centre only %v", v.name, outlet.Payable, outlet.CentreOnly)
		}
		if outlet.Total != centre.Total || outlet.Sum() != centre.Sum() || outlet.Standing != centre.Standing {
			t.Errorf("%s: an outlet says %s of %s, a centre %s of %s", v.name, outlet.Standing, outlet.Sum(), centre.Standing, centre.Sum())
		}
		if s := centre.Stopped(); s.Payable != 0 || s.CentreOnly || s.Sum() != centre.Sum() || s.Standing != centre.Standing || s.Prizes[0].Payable {
			t.Errorf("%s: stopped, it answers %+v", v.name, s)
		}
		for i := range outlet.Prizes {
			if a, b := outlet.Prizes[i].Centre, centre.Prizes[i].Centre; a != b {
				t.Errorf("%s: prize %d is for centres %v, asked at one %v", v.name, i, a, b)
			}
			if p := outlet.Prizes[i]; p.Centre && (!p.PaidAt.IsZero() || p.Amount+p.Back == 0) {
				t.Errorf("%s: prize %d has nothing to pay, and yet is for centres", v.name, i)
			}
		}
	}
}

// AMI-11.2 holds above the limit too: at payment centres from the ticket's last
// draw on, until the 60th day after the date of it, inclusive, as extended.
func TestAMI_11_2_Threshold(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	paris := r.Calendar.Zone
	play := stakeOn{hitting(7, 1), 10} // 100 € for 2 €
	d := draw200(r)
	ticket, facts := amigoTicket(t, r, play, d, settleAmigo(t, r, 2, Pot{}, false, play))
	end := ClaimEnd(r, d, Delay{}, nil)
	longer := []Extension{{Game: r.Code, From: end, To: end, Until: end + 3}}
	for name, v := range map[string]struct {
		at         time.Time
		extensions []Extension
		max        money.Amount
		outlet     error
		centre     error
	}{
		"before the draw":        {d.DrawsAt.Add(-time.Second), nil, money.Euros(500), ErrNotYet, ErrNotYet},
		"from the draw":          {d.DrawsAt, nil, money.Euros(500), ErrCentre, nil},
		"at the limit":           {d.DrawsAt, nil, money.Euros(1000), nil, nil},
		"the last second":        {(end + 1).At(0, paris).Add(-time.Second), nil, money.Euros(500), ErrCentre, nil},
		"after":                  {(end + 1).At(0, paris), nil, money.Euros(500), ErrExpired, ErrExpired},
		"after, but extended":    {(end + 1).At(0, paris), longer, money.Euros(500), ErrCentre, nil},
		"the extended last day":  {(end + 4).At(0, paris).Add(-time.Second), longer, money.Euros(500), ErrCentre, nil},
		"after the extended one": {(end + 4).At(0, paris), longer, money.Euros(500), ErrExpired, ErrExpired},
	} {
		for _, centre := range []bool{false, true} {
			want := v.outlet
			if centre {
				want = v.centre
			}
			a := Check(ticket, nil, facts, Delay{}, v.extensions, v.at, Place{Zone: paris, Centre: centre, Max: v.max})
			if _, err := a.Due(); !errors.Is(err, want) || a.Sum() != money.Euros(1000) {
				t.Errorf("%s, centre %v: %s, %v; want %v", name, centre, a.Sum(), err, want)
			}
		}
	}
}
