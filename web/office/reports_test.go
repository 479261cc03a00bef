package office

import (
	"context"
	"encoding/csv"
	"fmt"
	"html"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tirage/central"
	"tirage/money"
	"tirage/party"
	"tirage/wager"
	"tirage/web/page"
)

// newShops opens outlets with a terminal each, from number 8 on.
func (o *operator) newShops(territory, zone string, count int) {
	o.t.Helper()
	for n := range count {
		outlet, err := o.sys.PutOutlet(context.Background(), central.PutOutlet{Key: fmt.Sprint("shop", n), Officer: o.officer, Outlet: party.Outlet{
			Number: 8 + n, Territory: territory, Zone: zone, CreditLimit: money.Euros(3000),
		}})
		o.must(err)
		_, _, err = o.sys.PutTerminal(context.Background(), central.PutTerminal{Key: fmt.Sprint("counter", n), Officer: o.officer, Outlet: outlet.ID})
		o.must(err)
	}
}

// sells is a ticket that an outlet sells, of those by number.
func (o *operator) sells(number int, key string, draws int) wager.Ticket {
	o.t.Helper()
	outlet, err := o.sys.OutletNumbered(number)
	o.must(err)
	ticket, err := o.sys.Place(context.Background(), central.Place{Key: key, Terminal: o.sys.Terminals(outlet.ID)[0].ID, Slip: wager.Slip{
		Game: "ile-au-tresor", Boards: []wager.Board{{QuickPick: true}}, Stake: money.Euros(2), Draws: draws,
	}})
	o.must(err)
	return ticket
}

func (o *operator) cancels(ticket wager.Ticket) {
	o.t.Helper()
	_, err := o.sys.Cancel(context.Background(), central.Cancel{Key: fmt.Sprint("cancel", ticket.Number), Terminal: ticket.Terminal, Ticket: ticket.Number, Secret: ticket.Secret})
	o.must(err)
}

// cells are what the rows of the table of a page say.
func cells(body string) (rows [][]string) {
	_, body, _ = strings.Cut(body, "<tbody>")
	body, _, _ = strings.Cut(body, "</tbody>")
	tag := regexp.MustCompile(`<[^>]*>`)
	for _, row := range regexp.MustCompile(`(?s)<tr>(.*?)</tr>`).FindAllStringSubmatch(body, -1) {
		var line []string
		for _, cell := range regexp.MustCompile(`(?s)<t[hd][^>]*>(.*?)</t[hd]>`).FindAllStringSubmatch(row[1], -1) {
			line = append(line, html.UnescapeString(tag.ReplaceAllString(cell[1], "")))
		}
		rows = append(rows, line)
	}
	return rows
}

// report is a report as the page, the table for other programs and the sheet to print have it.
func (o *operator) report(query string) (shown, file [][]string, printed string) {
	o.t.Helper()
	status, body := o.get(pathReports + "?" + query)
	o.want("report", status, http.StatusOK, body, "PDF", "CSV")
	status, plain := o.get(pathReportCSV + "?" + query)
	o.want("report as a table", status, http.StatusOK, plain)
	file, err := csv.NewReader(strings.NewReader(plain)).ReadAll()
	o.must(err)
	status, pdf := o.get(pathReportPDF + "?" + query)
	o.want("report to print", status, http.StatusOK, pdf, "%PDF-")
	name := filepath.Join(o.t.TempDir(), "report.pdf")
	o.must(os.WriteFile(name, []byte(pdf), 0o600))
	text, err := exec.CommandContext(context.Background(), "pdftotext", "-layout", name, "-").Output()
	o.must(err)
	return cells(body), file, strings.Join(strings.Fields(string(text)), " ")
}

// F16, F24: what a report says of an outlet is what it did: its cancels as a part
// of what it sold, not the other way, and of the prizes that it paid those of its own tickets.
func TestReportFigures(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	o := newOperator(t)
	o.published()
	o.trade(1, 0)
	o.newShops("metropole", "Europe/Paris", 2)
	o.signOn()
	sold := map[int][]wager.Ticket{}
	for i, number := range []int{7, 8} {
		for n := range 60 + 20*i {
			sold[number] = append(sold[number], o.sells(number, fmt.Sprint("s", n), 1))
		}
	}
	for _, ticket := range sold[7][:3] {
		o.cancels(ticket)
	}
	o.tick(time.Date(2027, 1, 4, 14, 6, 0, 0, time.UTC))
	var paid, own money.Amount
	var paidN, ownN int64
	for number, tickets := range sold {
		for _, ticket := range tickets {
			view, err := o.sys.Ticket(ctx, ticket.Number)
			o.must(err)
			if !view.CancelledAt.IsZero() || view.Answer.Payable == 0 || view.Answer.Payable > money.Euros(500) {
				continue
			}
			p, err := o.sys.Pay(ctx, central.Pay{Key: fmt.Sprint("pay", ticket.Number), Terminal: sold[7][0].Terminal, Ticket: ticket.Number, Secret: ticket.Secret})
			o.must(err)
			paid, paidN = paid.Add(p.Amount), paidN+1
			if number == 7 {
				own, ownN = own.Add(p.Amount), ownN+1
			}
		}
	}
	if ownN == 0 || ownN == paidN {
		t.Fatalf("of %d payments %d are of own tickets", paidN, ownN)
	}
	fr := page.French
	const day = "de=2027-01-04&a=2027-01-04"
	want := func(name, query string, rows [][]string, plain []string, words ...string) {
		t.Helper()
		shown, file, printed := o.report(query)
		if fmt.Sprint(shown) != fmt.Sprint(rows) {
			t.Errorf("%s: the page has\n%q, want\n%q", name, shown, rows)
		}
		var lines []string
		for _, line := range file {
			lines = append(lines, strings.Join(line, ","))
		}
		if fmt.Sprint(lines) != fmt.Sprint(plain) {
			t.Errorf("%s: the file has\n%q, want\n%q", name, lines, plain)
		}
		for _, row := range rows {
			words = append(words, strings.Join(row, " "))
		}
		for _, line := range words {
			if line = strings.Join(strings.Fields(strings.NewReplacer("\u202f", " ", "\u00a0", " ").Replace(line)), " "); !strings.Contains(printed, line) {
				t.Errorf("%s: the sheet does not say %q:\n%s", name, line, printed)
			}
		}
	}
	want("cancels", "rapport=annulations&"+day, [][]string{
		{"7", "60", fr.Money(12_000), "3", fr.Money(600), "5,00\u00a0%"}, {"8", "80", fr.Money(16_000), "0", fr.Money(0), "0,00\u00a0%"},
	}, []string{"outlet,sold_n,sold,cancelled_n,cancelled,ratio", "7,60,120.00,3,6.00,0.0500", "8,80,160.00,0,0.00,0.0000"}, "Annulations", "04/01/2027 – 04/01/2027", "Part annulée")
	share := big.NewRat(int64(own), 12_000)
	want("own wins", "rapport=gains&"+day, [][]string{
		{"7", fr.Money(12_000), fmt.Sprint(paidN), fr.Money(paid), fmt.Sprint(ownN), fr.Money(own), percent(share, fr) + "\u00a0%"},
		{"8", fr.Money(16_000), "0", fr.Money(0), "0", fr.Money(0), "0,00\u00a0%"},
	}, []string{
		"outlet,sold,paid_n,paid,own_n,own,own_share", fmt.Sprintf("7,120.00,%d,%s,%d,%s,%s", paidN, paid, ownN, own, share.FloatString(4)), "8,160.00,0,0.00,0,0.00,0.0000",
	}, "Gains des points de vente")
}

// F16: an outlet that took back what it sold on another day, and sold nothing, has
// no share of cancels that could be told: it stands before all that have one.
func TestReportOfUnsold(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.published()
	o.trade(1, 0)
	o.newShops("reunion", "Indian/Reunion", 3)
	o.tick(time.Date(2027, 1, 4, 19, 59, 50, 0, time.UTC)) // ten seconds to midnight there
	before := []wager.Ticket{o.sells(9, "a", 1), o.sells(8, "a", 1), o.sells(8, "b", 1)}
	o.tick(time.Date(2027, 1, 4, 20, 0, 10, 0, time.UTC))
	for _, ticket := range before {
		o.cancels(ticket)
	}
	o.cancels(o.sells(10, "c", 1))
	o.signOn()
	const query = "rapport=annulations&de=2027-01-05&a=2027-01-05"
	shown, file, printed := o.report(query)
	order := func(rows [][]string) (s string) {
		for _, row := range rows {
			s += row[0] + ": " + row[len(row)-1] + " "
		}
		return s
	}
	if got := order(shown); got != "8: aucune vente 9: aucune vente 10: 100,00\u00a0% " {
		t.Errorf("the page has %s", got)
	}
	if got := order(file[1:]); got != "8:  9:  10: 1.0000 " {
		t.Errorf("the file has %s", got)
	}
	if !strings.Contains(printed, "aucune vente") {
		t.Errorf("the sheet has %s", printed)
	}
	if shown, _, _ := o.report(query + "&tri=ratio&sens=montant"); order(shown) != "10: 100,00\u00a0% 9: aucune vente 8: aucune vente " {
		t.Errorf("upwards the page has %s", order(shown))
	}
	for _, path := range []string{pathReportCSV, pathReportPDF} {
		if status, _ := o.get(path + "?de=x"); status != http.StatusUnprocessableEntity {
			t.Errorf("%s of no days: status %d", path, status)
		}
	}
}
