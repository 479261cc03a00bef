package office

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"tirage/party"
)

// An officer sets the printer of a terminal: an address in the networks that the
// server was given, of a terminal of this outlet, and no other.
func TestSetPrinter(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(2, 0)
	o.signOn()
	o.app.Printers = []netip.Prefix{netip.MustParsePrefix("192.168.1.0/24")}
	ctx := context.Background()
	set := func(key, terminal, address string) (int, string) {
		return o.post(pathPrinter, url.Values{"number": {"8"}, "key": {key}, "terminal": {terminal}, "printer": {address}, "auto": {"1"}})
	}
	want := party.Printer{Address: netip.MustParseAddrPort("192.168.1.40:9100"), Auto: true}
	for range 2 {
		if status, body := set("a", o.terminal, " 192.168.1.40:9100 "); status != http.StatusOK || !strings.Contains(body, "L’imprimante est enregistrée.") || !strings.Contains(body, `value="192.168.1.40:9100"`) {
			t.Fatalf("set a printer: status %d", status)
		}
	}
	for name, bad := range map[string]struct{ terminal, address, says string }{
		"another network":             {o.terminal, "169.254.169.254:80", "dans aucun réseau d’imprimantes"},
		"the server itself":           {o.terminal, "127.0.0.1:5432", "dans aucun réseau d’imprimantes"},
		"the same in other words":     {o.terminal, "[::ffff:127.0.0.1]:5432", "dans aucun réseau d’imprimantes"},
		"a name":                      {o.terminal, "localhost:9100", "une adresse IP et un port"},
		"no terminal":                 {o.officer, "192.168.1.41:9100", `role="alert"`},
		"a terminal of another place": {o.sys.Terminals(o.sys.Outlets()[0].ID)[0].ID, "192.168.1.41:9100", `role="alert"`},
	} {
		if status, body := set(name, bad.terminal, bad.address); status/100 != 4 || !strings.Contains(body, bad.says) {
			t.Errorf("%s: status %d, want a refusal that says %q", name, status, bad.says)
		}
		if got, err := o.sys.Printer(ctx, o.terminal); got != want || err != nil {
			t.Errorf("%s: the printer is %v; %v", name, got, err)
		}
	}
	if status, _ := set("none", o.terminal, ""); status != http.StatusOK {
		t.Errorf("take the printer away: status %d", status)
	}
	if got, err := o.sys.Printer(ctx, o.terminal); got != (party.Printer{}) || err != nil {
		t.Errorf("the printer is %v, want none; %v", got, err)
	}
	o.must(o.sys.CheckBooks(ctx))
}
