package terminal

import (
	"testing"
	"time"

	"tirage/central"
	"tirage/settle"
)

// What the terminal says of a ticket, by its answer and what else is known of
// it: of one that lost nothing is stopped, for nothing would be paid.
func TestCheckVerdict(t *testing.T) {
	t.Parallel()
	at := time.Date(2027, 1, 4, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		check central.Check
		on    counter
		want  string
	}{
		"won":                        {central.Check{Answer: settle.Answer{Standing: settle.Won, Total: 400, Payable: 400}}, counter{}, "won"},
		"won, stopped":               {central.Check{Answer: settle.Answer{Standing: settle.Won, Total: 400, Payable: 400}, Stopped: true}, counter{}, "stopped"},
		"pending, stopped":           {central.Check{Answer: settle.Answer{Standing: settle.Pending, Waiting: 1}, Stopped: true}, counter{}, "stopped"},
		"lost":                       {central.Check{Answer: settle.Answer{Standing: settle.Lost}}, counter{}, "lost"},
		"lost, stopped":              {central.Check{Answer: settle.Answer{Standing: settle.Lost}, Stopped: true}, counter{}, "lost"},
		"cancelled, stopped":         {central.Check{Answer: settle.Answer{Standing: settle.Pending}, Stopped: true, CancelledAt: at}, counter{}, "cancelled"},
		"paid":                       {central.Check{Answer: settle.Answer{Standing: settle.Won, Total: 400, Paid: 400}}, counter{}, "paid"},
		"paid, stopped":              {central.Check{Answer: settle.Answer{Standing: settle.Won, Total: 400, Paid: 400}, Stopped: true}, counter{}, "stopped"},
		"paid, more waits":           {central.Check{Answer: settle.Answer{Standing: settle.Won, Total: 400, Paid: 400, Waiting: 1}}, counter{}, "won"},
		"paid in part":               {central.Check{Answer: settle.Answer{Standing: settle.Won, Total: 500, Paid: 400}}, counter{}, "won"},
		"stake given back":           {central.Check{Answer: settle.Answer{Standing: settle.GiveBack, Back: 200, BackPaid: 200}}, counter{}, "back"},
		"stake to give back":         {central.Check{Answer: settle.Answer{Standing: settle.GiveBack, Back: 200}}, counter{}, settle.GiveBack.String()},
		"prize and stake, all given": {central.Check{Answer: settle.Answer{Standing: settle.Won, Total: 400, Paid: 400, Back: 200, BackPaid: 200}}, counter{}, "paid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := checkOf(c.check, ticket{}, c.on).Verdict; got != c.want {
				t.Errorf("the terminal says %q, want %q", got, c.want)
			}
		})
	}
}
