package script

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/wager"
)

// publish: rules GAME [with FIELD=VALUE …]
func (r *runner) publish(words []string) (string, error) {
	h := hand(words)
	name := h.next()
	book, err := game.Book(game.Code(name))
	if err != nil {
		if book, err = os.ReadFile(filepath.Join(r.folder, name+".yaml")); err != nil {
			return "", err
		}
	}
	if h.take("with") {
		if book, err = edit(book, h); err != nil {
			return "", err
		}
		h = nil
	}
	if len(h) > 0 {
		return "", errUsage
	}
	if r.rules, err = r.sys.PublishRules(r.ctx, central.PublishRules{Key: r.actKey(), Officer: r.officer, Book: book}); err != nil {
		return "", err
	}
	return r.tick(nil)
}

// edit changes fields of a rule book: cap.max=1; a list's items are counted
// from 0, as in prize_tables.0.tiers.2.prize=5.
func edit(book []byte, changes []string) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(book, &doc); err != nil {
		return nil, err
	}
	for _, change := range changes {
		path, value, _ := strings.Cut(change, "=")
		at := doc.Content[0]
		for key := range strings.SplitSeq(path, ".") {
			next := child(at, key)
			if next == nil && at == doc.Content[0] && key == path { // a whole section may be new
				next = &yaml.Node{}
				at.Content = append(at.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, next)
			}
			if at = next; at == nil {
				return nil, fmt.Errorf("the rule book has no field %s", path)
			}
		}
		var want yaml.Node
		if err := yaml.Unmarshal([]byte(value), &want); err != nil || len(want.Content) != 1 {
			return nil, fmt.Errorf("%s is not a value: %w", value, err)
		}
		*at = *want.Content[0]
	}
	return yaml.Marshal(&doc)
}

// child is the value of a mapping's key, or a list's item.
func child(n *yaml.Node, key string) *yaml.Node {
	if n.Kind == yaml.SequenceNode {
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(n.Content) {
			return n.Content[i]
		}
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// outlet: outlet NAME TERRITORY credit EUROS [centre]
func (r *runner) outlet(words []string) (string, error) {
	centre := len(words) == 5 && words[4] == "centre"
	if len(words) != 4 && !centre || words[2] != "credit" || r.rules == nil {
		return "", errUsage
	}
	credit, err := money.Parse(words[3])
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(r.rules.Calendar.Territories, func(t game.Territory) bool { return t.Key == words[1] })
	if i < 0 {
		return "", fmt.Errorf("%s is not a territory of the game", words[1])
	}
	o, err := r.sys.PutOutlet(r.ctx, central.PutOutlet{Key: r.actKey(), Officer: r.officer, Outlet: party.Outlet{
		Number: len(r.outlets) + 1, Territory: words[1], Zone: r.rules.Calendar.Territories[i].Zone.String(), CreditLimit: credit,
		Centre: centre,
	}})
	if err != nil {
		return "", err
	}
	t, _, err := r.sys.PutTerminal(r.ctx, central.PutTerminal{Key: r.actKey(), Officer: r.officer, Outlet: o.ID})
	if err != nil {
		return "", err
	}
	r.outlets = append(r.outlets, &outlet{name: words[0], Outlet: o, terminal: t.ID})
	return "", nil
}

func (r *runner) outletNamed(name string) (*outlet, error) {
	for _, o := range r.outlets {
		if o.name == name {
			return o, nil
		}
	}
	return nil, fmt.Errorf("no outlet is called %q", name)
}

// ticketsNamed gives the tickets of a word: T1, T1..T9, or all.
func (r *runner) ticketsNamed(w string) ([]*ticket, error) {
	if w == "all" {
		return r.tickets, nil
	}
	var list []*ticket
	for _, name := range expand(w) {
		i := slices.IndexFunc(r.tickets, func(t *ticket) bool { return t.named(name) })
		if i < 0 {
			return nil, fmt.Errorf("no ticket is called %q", name)
		}
		list = append(list, r.tickets[i])
	}
	return list, nil
}

// clock: clock [YYYY-MM-DD] HH:MM:SS [CET|CEST] [late]
//
// The scheduler does on the way what is due, each thing at its time; late, it
// does nothing, as when all nodes are down or slow.
func (r *runner) clock(words []string) (string, error) {
	h := hand(words)
	day := r.clockTime().In(paris).Format(time.DateOnly)
	if len(h) > 0 && strings.Count(h[0], "-") == 2 {
		day = h.next()
	}
	at, err := time.ParseInLocation(time.DateTime, day+" "+h.next(), paris)
	if err != nil {
		return "", err
	}
	// An hour that the clocks show twice has the name of its zone beside it.
	for _, zone := range []string{"CET", "CEST"} {
		if !h.take(zone) {
			continue
		}
		for _, other := range []time.Time{at, at.Add(-time.Hour), at.Add(time.Hour)} {
			if name, _ := other.Zone(); name == zone && other.Format(time.TimeOnly) == at.Format(time.TimeOnly) {
				at = other
				break
			}
		}
	}
	late := h.take("late")
	if len(h) > 0 || at.Before(r.clockTime()) {
		return "", errUsage
	}
	if !late {
		if err := r.runTo(at); err != nil {
			return "", err
		}
	}
	r.setClock(at)
	if late {
		return "", nil
	}
	return r.tick(nil)
}

// runTo does what is due until an instant, on a clock that stands at each thing when it is done.
func (r *runner) runTo(at time.Time) error {
	for {
		next, err := r.sys.Tick(r.ctx)
		if err != nil || next.IsZero() || next.After(at) {
			return err
		}
		r.setClock(next)
	}
}

// tick: the scheduler does all that is due, now.
func (r *runner) tick([]string) (string, error) {
	for { // after weeks a tick leaves some of them to the next one
		next, err := r.sys.Tick(r.ctx)
		if err != nil || next.IsZero() || next.After(r.clockTime()) {
			return "", err
		}
	}
}

// restart: the node ends and starts again on its database.
func (r *runner) restart([]string) (string, error) {
	r.close()
	return "", r.open()
}

// sell: sell OUTLET TICKET[..TICKET] BOARD [and BOARD]… stake EUROS draws N, a
// board being MATRIX N …, flash, or both.
func (r *runner) sell(words []string) (string, error) {
	h := hand(words)
	o, err := r.outletNamed(h.next())
	if err != nil {
		return "", err
	}
	names := expand(h.next())
	slip, err := r.slip(h)
	if err != nil {
		return "", err
	}
	var answers []string
	for _, name := range names {
		answer, err := r.place(o, name, slip)
		if err != nil {
			return "", err
		}
		answers = append(answers, answer)
	}
	return merge(names, answers), nil
}

// slip reads the boards, between which stands "and", the stake and the number of draws.
func (r *runner) slip(h hand) (wager.Slip, error) {
	if r.rules == nil {
		return wager.Slip{}, errUsage
	}
	slip := wager.Slip{Game: r.rules.Code}
	board := r.board()
	for len(h) > 0 {
		w := h.next()
		i := slices.IndexFunc(r.rules.Matrices, func(m game.Matrix) bool { return m.Key == w })
		var err error
		switch {
		case w == "and":
			slip.Boards = append(slip.Boards, board)
			board = r.board()
		case w == "board":
			board.Letter, err = h.letter()
		case w == "flash":
			err = h.flash(&board)
		case i >= 0:
			board.Picks[i] = append(board.Picks[i], h.numbers()...)
		case w == "stake":
			slip.Stake, err = money.Parse(h.next())
		case w == "draws":
			slip.Draws, err = strconv.Atoi(h.next())
		default:
			err = errUsage
		}
		if err != nil {
			return slip, err
		}
	}
	slip.Boards = append(slip.Boards, board)
	return slip, nil
}

func (r *runner) board() wager.Board {
	return wager.Board{Picks: make(game.Picks, len(r.rules.Matrices))}
}

// letter reads the letter of a board on its slip, as a number from 1.
func (h *hand) letter() (int, error) {
	w := h.next()
	if len(w) != 1 || w[0] < 'A' || w[0] > 'Z' {
		return 0, errUsage
	}
	return int(w[0]-'A') + 1, nil
}

// flash reads what a quick pick is asked for: flash [EXTRASxCOLUMNS] [also N]
func (h *hand) flash(b *wager.Board) (err error) {
	b.QuickPick = true
	if len(*h) > 0 {
		if n, _ := fmt.Sscanf((*h)[0], "%dx%d", &b.Shape.Extras, &b.Shape.Columns); n == 2 {
			h.next()
		}
	}
	if h.take("also") {
		b.Also, err = strconv.Atoi(h.next())
	}
	return err
}

// place sells one ticket and answers with its draws and price, or the refusal.
func (r *runner) place(o *outlet, name string, slip wager.Slip) (string, error) {
	if slices.ContainsFunc(r.tickets, func(t *ticket) bool { return t.named(name) }) {
		return "", fmt.Errorf("two tickets are called %s", name)
	}
	p := central.Place{Key: "sell/" + name, Terminal: o.terminal, Slip: slip}
	sold, err := r.sys.Place(r.ctx, p)
	if isRefusal(err) {
		return refused(err), nil
	}
	if err != nil {
		return "", err
	}
	r.tickets = append(r.tickets, &ticket{names: []string{name}, Ticket: sold, place: p, seller: o})
	o.owes = o.owes.Add(sold.Price)
	answer := "draws " + numbersOf(sold.Draws)
	if n := len(sold.Combinations()); n > 1 {
		answer += fmt.Sprintf("   combinations %d", n)
	}
	answer += fmt.Sprintf("   price %s", sold.Price)
	if sold.Cut() {
		answer += fmt.Sprintf("   (%d draws asked)", sold.Asked)
	}
	return answer + "\n", nil
}

func numbersOf(draws []draw.Draw) string {
	if last := len(draws) - 1; last >= 10 && draws[last].Number-draws[0].Number == last {
		return fmt.Sprintf("%d..%d", draws[0].Number, draws[last].Number)
	}
	list := make([]string, len(draws))
	for i, d := range draws {
		list[i] = strconv.Itoa(d.Number)
	}
	return strings.Join(list, " ")
}

// merge puts equal answers that follow each other into one, with the names that they are for.
func merge(names, answers []string) string {
	if len(names) == 1 {
		return answers[0]
	}
	var b strings.Builder
	for first := 0; first < len(names); {
		last := first
		for last+1 < len(names) && answers[last+1] == answers[first] {
			last++
		}
		who := names[first]
		if last > first {
			who += ".." + names[last]
		}
		fmt.Fprintf(&b, "%s: %s", who, answers[first])
		first = last + 1
	}
	return b.String()
}

// again: again TICKET. The terminal has not had the answer, and sends the command again.
func (r *runner) again(words []string) (string, error) {
	t, err := r.oneTicket(words, 1)
	if err != nil {
		return "", err
	}
	sold, err := r.sys.Place(r.ctx, t.place)
	if err != nil {
		return "", err
	}
	if sold.Number != t.Number || sold.Secret != t.Secret || sold.Price != t.Price {
		return "another ticket\n", nil
	}
	return "the same ticket\n", nil
}

// oneTicket gives the ticket that the last of n words names.
func (r *runner) oneTicket(words []string, n int) (*ticket, error) {
	if len(words) != n {
		return nil, errUsage
	}
	list, err := r.ticketsNamed(words[n-1])
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, errUsage
	}
	return list[0], nil
}

// cancel: cancel OUTLET TICKET
func (r *runner) cancel(words []string) (string, error) {
	t, err := r.oneTicket(words, 2)
	if err != nil {
		return "", err
	}
	o, err := r.outletNamed(words[0])
	if err != nil {
		return "", err
	}
	if _, err := r.sys.Cancel(r.ctx, central.Cancel{Key: r.actKey(), Terminal: o.terminal, Ticket: t.Number, Secret: t.Secret}); err != nil {
		return "", err
	}
	t.cancelled = true
	o.owes = o.owes.Sub(t.Price)
	return fmt.Sprintf("given back %s\n", t.Price), nil
}

// call: call NAME HITS of DRAW [among TICKET..TICKET]. It names the one ticket with these hits.
func (r *runner) call(words []string) (string, error) {
	if len(words) != 4 && (len(words) != 6 || words[4] != "among") || words[2] != "of" {
		return "", errUsage
	}
	in := func(d draw.Draw) bool { return strconv.Itoa(d.Number) == words[3] }
	if named, ok := r.found[words[3]]; ok {
		in = func(d draw.Draw) bool { return d.ID == named.ID }
	}
	who := "all"
	if len(words) == 6 {
		who = words[5]
	}
	among, err := r.ticketsNamed(who)
	if err != nil {
		return "", err
	}
	var found []*ticket
	for _, t := range among {
		hits, err := r.hits(t, in)
		if err != nil {
			return "", err
		}
		if slices.Contains(hits, words[1]) {
			found = append(found, t)
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%d tickets have hits %s in draw %s, not one", len(found), words[1], words[3])
	}
	found[0].names = append(found[0].names, words[0])
	return "", nil
}

// check: check TICKET[..TICKET] [at OUTLET]
func (r *runner) check(words []string) (string, error) {
	if len(words) != 1 && (len(words) != 3 || words[1] != "at") {
		return "", errUsage
	}
	list, err := r.ticketsNamed(words[0])
	if err != nil {
		return "", err
	}
	names, answers := expand(words[0]), []string{}
	for _, t := range list {
		at := t.seller
		if len(words) == 3 {
			if at, err = r.outletNamed(words[2]); err != nil {
				return "", err
			}
		}
		c, err := r.checked(t, at)
		if err != nil {
			return "", err
		}
		answers = append(answers, standing(c))
	}
	if len(names) != len(answers) {
		return "", errUsage
	}
	return merge(names, answers), nil
}

func (r *runner) checked(t *ticket, at *outlet) (central.Check, error) {
	zone, err := at.Location()
	if err != nil {
		return central.Check{}, err
	}
	return r.sys.CheckAt(r.ctx, t.Number, t.Secret, settle.Place{Zone: zone, Centre: at.Centre})
}

// standing is the answer to a check, in a line.
func standing(c central.Check) string {
	a := c.Answer
	var b strings.Builder
	switch {
	case !c.CancelledAt.IsZero():
		return "cancelled " + wall(c.CancelledAt) + "\n"
	case a.Standing == settle.Won:
		fmt.Fprintf(&b, "won %s", a.Total)
	default:
		b.WriteString(a.Standing.String())
	}
	if a.Paid > 0 {
		fmt.Fprintf(&b, "   paid %s", a.Paid)
	}
	switch {
	case a.BackPaid > 0:
		fmt.Fprintf(&b, "   stakes given back %s", a.BackPaid)
	case a.Back > 0:
		fmt.Fprintf(&b, "   stakes to give back %s", a.Back)
	}
	if a.Payable > 0 {
		fmt.Fprintf(&b, "   payable %s", a.Payable)
	}
	if a.CentreOnly {
		b.WriteString("   at a payment centre")
	}
	if c.Identity {
		b.WriteString("   to someone who is recorded")
	}
	if c.Stopped {
		b.WriteString("   stopped")
	}
	switch open := a.Total > a.Paid; {
	case open && a.Expired:
		fmt.Fprintf(&b, "   expired after %s", a.ClaimUntil)
	case open && !a.PayableFrom.IsZero():
		fmt.Fprintf(&b, "   from %s until %s", wall(a.PayableFrom), a.ClaimUntil)
	case open:
		fmt.Fprintf(&b, "   until %s", a.ClaimUntil)
	case a.Back > a.BackPaid:
		fmt.Fprintf(&b, "   until %s", a.BackUntil)
	}
	if a.Waiting > 0 {
		fmt.Fprintf(&b, "   draws to come %d", a.Waiting)
	}
	return b.String() + "\n"
}

// pay: pay OUTLET TICKET [to NAME], or pay OUTLET all
func (r *runner) pay(words []string) (string, error) {
	var to *party.Payee
	if len(words) == 4 && words[2] == "to" {
		words, to = words[:2], payee(words[3])
	}
	if len(words) != 2 {
		return "", errUsage
	}
	o, err := r.outletNamed(words[0])
	if err != nil {
		return "", err
	}
	if words[1] == "all" {
		return r.payAll(o)
	}
	t, err := r.oneTicket(words, 2)
	if err != nil {
		return "", err
	}
	paid, err := r.payTicket(o, t, to)
	if err != nil {
		return "", err
	}
	var draws []draw.Draw
	for _, d := range t.Draws {
		if slices.Contains(paid.Draws, d.ID) {
			draws = append(draws, d)
		}
	}
	answer := fmt.Sprintf("paid %s   draws %s", paid.Amount, numbersOf(draws))
	if paid.Back > 0 {
		answer += fmt.Sprintf("   of it stakes given back %s", paid.Back)
	}
	return answer + "\n", nil
}

func (r *runner) payTicket(o *outlet, t *ticket, to *party.Payee) (central.Paid, error) {
	paid, err := r.sys.Pay(r.ctx, central.Pay{Key: r.actKey(), Terminal: o.terminal, Ticket: t.Number, Secret: t.Secret, Payee: to})
	if err == nil {
		o.owes = o.owes.Sub(paid.Amount)
	}
	return paid, err
}

// payAll presents every ticket once: those that won, by the prize table as
// typed, are paid that sum and the stakes of cancelled draws; all others are refused.
func (r *runner) payAll(o *outlet) (string, error) {
	for _, t := range r.tickets {
		want, err := r.wins(t)
		if err != nil {
			return "", err
		}
		sum := want.won.Add(want.back)
		paid, err := r.payTicket(o, t, nil)
		switch {
		case t.cancelled && errors.Is(err, central.ErrCancelled):
		case sum == 0 && want.waiting == 0 && errors.Is(err, settle.ErrNothingToPay):
		case !t.cancelled && sum > 0 && err == nil && paid.Amount == sum:
		default:
			return "", fmt.Errorf("ticket %s wins %s by the table: paid %s, %w", t.names[0], sum, paid.Amount, errors.Join(err))
		}
	}
	return "every winner is paid, every other ticket refused\n", nil
}

// receive: receive OUTLET EUROS
func (r *runner) receive(words []string) (string, error) {
	if len(words) != 2 {
		return "", errUsage
	}
	o, err := r.outletNamed(words[0])
	if err != nil {
		return "", err
	}
	sum, err := money.Parse(words[1])
	if err != nil {
		return "", err
	}
	if _, err := r.sys.Receive(r.ctx, central.Receive{Key: r.actKey(), Officer: r.officer, Outlet: o.ID, Amount: sum}); err != nil {
		return "", err
	}
	o.owes = o.owes.Sub(sum)
	return r.owes(words[:1])
}

// owes: owes OUTLET
func (r *runner) owes(words []string) (string, error) {
	if len(words) != 1 {
		return "", errUsage
	}
	o, err := r.outletNamed(words[0])
	if err != nil {
		return "", err
	}
	a, err := r.sys.OutletAccount(o.ID)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("owes %s   may still sell for %s\n", a.Owes, a.Left), nil
}

// status: what a terminal shows.
func (r *runner) status([]string) (string, error) {
	s, err := r.sys.Status(r.rules.Code)
	if err != nil {
		return "", err
	}
	var draws []draw.Draw
	for _, v := range s.Upcoming {
		draws = append(draws, v.Draw)
	}
	switch {
	case len(draws) > 0:
		return fmt.Sprintf("selling draws %s\n", numbersOf(draws)), nil
	case s.NextOpensAt.IsZero():
		return "nothing sells\n", nil
	}
	return fmt.Sprintf("nothing sells before %s\n", wall(s.NextOpensAt)), nil
}

// show: ticket TICKET, as article 5.1 prints it
func (r *runner) show(words []string) (string, error) {
	t, err := r.oneTicket(words, 1)
	if err != nil {
		return "", err
	}
	zone, err := t.seller.Location()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "registered on %s at outlet %d\n", t.PlacedAt.In(zone).Format(time.DateOnly), t.seller.Number)
	days := []string{}
	for _, d := range t.Draws {
		days = append(days, d.Day.String())
	}
	fmt.Fprintf(&b, "%s   draw day %s   draws %s\n", r.rules.Name.FR, strings.Join(slices.Compact(days), " "), numbersOf(t.Draws))
	for n, p := range t.Plays {
		if t.Letters != nil {
			fmt.Fprintf(&b, "board %s\n", t.Letter(n))
		}
		for m, matrix := range t.Rules.Matrices {
			fmt.Fprintf(&b, "%s: %s\n", matrix.Name.FR, names(matrix, p, m))
		}
	}
	if t.Jackpot > 0 {
		fmt.Fprintf(&b, "jackpot of at least %s\n", t.Jackpot)
	}
	if len(t.Rules.Multipliers) > 0 {
		b.WriteString("Multiplicateur OUI\n")
	}
	fmt.Fprintf(&b, "stake %s   draws %d   total %s\n", t.Stake, len(t.Draws), t.Price)
	return b.String(), nil
}

// names are the elements of a play in words; those that were drawn have a star.
func names(matrix game.Matrix, p wager.Play, m int) string {
	var list []string
	for _, e := range p.Picks[m] {
		name := matrix.Elements[e-1].Name.FR
		if m < len(p.Random) && slices.Contains(p.Random[m], e) {
			name += "*"
		}
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}
