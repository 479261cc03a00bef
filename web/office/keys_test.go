package office

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// No two forms of a page carry one key, so that who has sent one, and goes back,
// can send the other.
func TestKeyOfEachForm(t *testing.T) {
	t.Parallel()
	o := accounts(t)
	o.second()
	o.web()
	player := o.player("Zoé", "Martin", "zoe@exemple.test", 5000)
	o.makeCentre()
	o.signOn()
	status, body := o.post(pathMandate, mandate("7", "m"))
	o.want("mandate", status, http.StatusOK, body)
	due, err := o.sys.DebitsDue(t.Context())
	o.must(err)
	status, body = o.post(pathDebits, url.Values{"key": {"send"}, "record": {fmt.Sprint(due[0].Statement)}})
	o.want("a file", status, http.StatusOK, body)
	file := regexp.MustCompile(pathDebitFile + `/(\d+)`).FindStringSubmatch(body)[1]
	account, err := o.sys.OutletAccount(due[1].Outlet.ID)
	o.must(err)
	o.overpay(due[1].Outlet.ID, account.Owes+3000)
	form := regexp.MustCompile(`(?s)<form method="post".*?</form>`)
	key := regexp.MustCompile(`name="key" value="([^"]*)"`)
	for path, forms := range map[string]int{
		pathOutlets: 1, pathOutlets + "?numero=8": 6, pathDebits: 0, pathDebits + "/" + file: 2, pathProposals: 2, pathPools: 2, pathWithdrawals: 0, pathOfficers: 2,
		pathPlayers + "/" + player: 1, ticketAddress(o.winner().Ticket.Number): 2, pathNotices: 1, pathRules: 1, pathConditions: 1,
	} {
		status, body := o.get(path)
		o.want(path, status, http.StatusOK, body)
		seen := map[string]bool{}
		for _, f := range form.FindAllString(body, -1) {
			keys := key.FindAllStringSubmatch(f, -1)
			switch {
			case len(keys) == 0 && (strings.Contains(f, pathSignOff) || strings.Contains(f, pathReconcile)): // they change nothing that counts twice
			case len(keys) != 1 || len(keys[0][1]) < 16:
				t.Errorf("%s: a form with the keys %q: %.120s", path, keys, f)
			case seen[keys[0][1]]:
				t.Errorf("%s: a form has the key of another: %.120s", path, f)
			default:
				seen[keys[0][1]] = true
			}
		}
		if len(seen) < forms {
			t.Errorf("%s: %d keys, want %d or more", path, len(seen), forms)
		}
	}
}
