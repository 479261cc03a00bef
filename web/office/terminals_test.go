package office

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"tirage/central"
	"tirage/party"
)

// An officer gives a terminal of an outlet a new key, shown once, and withdraws it, each with a reason.
func TestTerminalKeys(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(2, 0)
	o.signOn()
	ctx := context.Background()
	send := func(path, terminal, reason, key string) (int, string) {
		return o.post(path, url.Values{"number": {"8"}, "key": {key}, "terminal": {terminal}, "reason": {reason}})
	}
	elsewhere := o.sys.Terminals(o.sys.Outlets()[0].ID)[0].ID
	for _, path := range []string{pathRenew, pathRetire} {
		for name, c := range map[string]struct {
			terminal, reason string
			status           int
			said             []string
		}{
			"no reason":                   {o.terminal, " ", 422, []string{`aria-describedby="terminal-hint-1 refusal" aria-invalid="true"`, "<details open>"}},
			"a reason that reads odd":     {o.terminal, "<b>\u202e", 422, []string{"&lt;b&gt;", `aria-describedby="terminal-hint-1 refusal"`}},
			"a terminal of another place": {elsewhere, "x", 404, []string{"Ce terminal n’existe pas."}},
			"no terminal":                 {"nobody", "x", 404, []string{"Ce terminal n’existe pas."}},
		} {
			status, body := send(path, c.terminal, c.reason, path+name)
			o.want(path+": "+name, status, c.status, body, c.said...)
			if strings.Contains(body, `id="reason" name="reason" rows="2" maxlength="250" aria-describedby="reason-hint refusal"`) {
				t.Errorf("%s: %s: another form is marked", path, name)
			}
		}
	}
	if steps, err := o.sys.TerminalSteps(ctx, o.terminal); err != nil || len(steps) != 1 {
		t.Errorf("refused, and yet changed: %+v, %v", steps, err)
	}
	var keys []string
	for range 2 {
		status, body := send(pathRenew, o.terminal, "clé <copiée>", "a")
		o.want("renewed", status, http.StatusOK, body, "Clé du terminal, à noter maintenant", "nouvelle clé – <bdi>clé &lt;copiée&gt;</bdi>")
		_, shown, _ := strings.Cut(body, "plus affichée)\u00a0: <code>")
		key, _, _ := strings.Cut(shown, "</code>")
		keys = append(keys, key)
	}
	token, err := o.sys.NewTerminalSession(ctx, keys[0], time.Hour)
	o.must(err)
	if keys[0] != keys[1] {
		t.Error("the form sent again makes another key")
	}
	if _, body := o.get(pathOutlets + "?numero=8"); strings.Contains(body, keys[0]) {
		t.Error("the key is shown again")
	}
	status, body := send(pathRetire, o.terminal, "volé", "b")
	o.want("withdrawn", status, http.StatusOK, body, "Le terminal est retiré du service.", "…)\u00a0: retiré du service", "retiré – <bdi>volé</bdi>")
	if _, _, err := o.sys.Session(ctx, token); !errors.Is(err, central.ErrSession) {
		t.Errorf("its session: %v", err)
	}
	if _, _, err := o.sys.SignOnTerminal(ctx, keys[0]); !errors.Is(err, party.ErrWithdrawn) {
		t.Errorf("signs on: %v", err)
	}
	status, body = send(pathRenew, o.terminal, "x", "c")
	o.want("withdrawn, renewed", status, http.StatusForbidden, body, "retiré du service par la loterie")
	_, english := o.get(pathOutlets + "?numero=8&lang=en")
	o.want("in English", 200, 200, english, "out of service", "withdrawn – <bdi>volé</bdi>")
	o.must(o.sys.CheckBooks(ctx))
}
