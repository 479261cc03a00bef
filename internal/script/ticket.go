package script

import (
	"context"
	"errors"
	"fmt"

	"tirage/central"
	"tirage/party"
)

// publishTerms: terms [with FIELD=VALUE …]. Terms of outlets hold at once.
func (r *runner) publishTerms(words []string) (string, error) {
	h := hand(words)
	book := party.TermsBook()
	if h.take("with") {
		var err error
		if book, err = edit(book, h); err != nil {
			return "", err
		}
		h = nil
	}
	if len(h) > 0 {
		return "", errUsage
	}
	_, err := r.sys.PublishTerms(r.ctx, central.PublishRules{Key: r.actKey(), Officer: r.officer, Book: book})
	return "", err
}

// payee is who is paid in a scenario, which tells his name.
func payee(name string) *party.Payee {
	return &party.Payee{Name: name, BirthDate: "1980-02-29", Address: "1 rue du Scénario", Document: "passeport"}
}

// stop: stop OFFICER TICKET because REASON
func (r *runner) stop(words []string) (string, error) {
	if len(words) != 4 || words[2] != "because" {
		return "", errUsage
	}
	officer, err := r.officerNamed(words[0])
	if err != nil {
		return "", err
	}
	t, err := r.oneTicket(words[:2], 2)
	if err != nil {
		return "", err
	}
	return "", r.sys.StopTicket(r.ctx, central.StopTicket{Key: r.actKey(), Officer: officer, Ticket: t.Number, Reason: words[3]})
}

// reprint: reprint OUTLET TICKET
func (r *runner) reprint(words []string) (string, error) {
	t, err := r.oneTicket(words, 2)
	if err != nil {
		return "", err
	}
	o, err := r.outletNamed(words[0])
	if err != nil {
		return "", err
	}
	_, n, _, err := r.sys.Reprint(r.ctx, central.Reprint{Key: r.actKey(), Terminal: o.terminal, Ticket: t.Number, Secret: t.Secret})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("duplicate %d\n", n), nil
}

// changeTicket reads what is proposed of a ticket: lift-stop TICKET, or
// pay-ticket TICKET at OUTLET to NAME.
func (r *runner) changeTicket(h *hand, c central.Change) (central.Change, error) {
	t, err := r.oneTicket([]string{h.next()}, 1)
	if err != nil {
		return c, err
	}
	c.Ticket = t.Number
	if c.Act == central.ActLiftStop {
		return c, nil
	}
	if !h.take("at") {
		return c, errUsage
	}
	o, err := r.outletNamed(h.next())
	if err != nil {
		return c, err
	}
	if !h.take("to") {
		return c, errUsage
	}
	c.Outlet, c.Payee = o.ID, payee(h.next())
	return c, nil
}

// payLost approves or rejects a proposal; what is paid by it, the payment centre owes less.
func (r *runner) payLost(id uint64, decide func(context.Context, central.Decide) (central.Proposal, error), d central.Decide) (string, error) {
	p, err := r.sys.Proposal(r.ctx, id)
	if err != nil {
		return "", err
	}
	if p.Act != central.ActPayTicket {
		_, err = decide(r.ctx, d)
		return "", err
	}
	var t *ticket
	var o *outlet
	for _, one := range r.tickets {
		if one.Number == p.Ticket {
			t = one
		}
	}
	for _, one := range r.outlets {
		if one.ID == p.Outlet {
			o = one
		}
	}
	if t == nil || o == nil {
		return "", errors.New("the proposal is about no ticket and outlet of the scenario")
	}
	want, err := r.wins(t) // by the prizes as typed
	if err != nil {
		return "", err
	}
	sum := want.won.Add(want.back)
	done, err := decide(r.ctx, d)
	if err != nil || !done.Approved {
		return "", err
	}
	o.owes = o.owes.Sub(sum)
	return fmt.Sprintf("paid %s at %s\n", sum, o.name), nil
}
