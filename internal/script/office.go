package script

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tirage/central"
	"tirage/game"
)

// newOfficer: officer NAME
func (r *runner) newOfficer(words []string) (string, error) {
	if len(words) != 1 {
		return "", errUsage
	}
	const first, own = "premier-passage", "scenario-scenario"
	login := strings.ToLower(words[0])
	if err := r.makeOfficer(login, first); err != nil {
		return "", err
	}
	o, err := r.sys.SignOnOfficer(r.ctx, login, first)
	if err != nil {
		return "", err
	}
	r.officers[words[0]] = o.ID
	if r.second == "" {
		r.second = o.ID
	}
	return "", r.sys.ChangePassword(r.ctx, central.ChangePassword{Key: r.actKey(), Officer: o.ID, Old: first, New: own})
}

// makeOfficer has the scenario's officer make the second, and the two of them all others.
func (r *runner) makeOfficer(login, password string) error {
	if r.second == "" {
		_, err := r.sys.PutOfficer(r.ctx, central.PutOfficer{Key: r.actKey(), By: r.officer, Login: login, Password: password, Roles: []string{"all"}})
		return err
	}
	c := central.Change{Act: central.ActMakeOfficer, Login: login, Reason: "scenario"}
	p, err := r.sys.Propose(r.ctx, central.Propose{Key: r.actKey(), Officer: r.officer, Change: c})
	if err != nil {
		return err
	}
	_, err = r.sys.Approve(r.ctx, central.Decide{Key: r.actKey(), Officer: r.second, Proposal: p.ID, Password: password})
	return err
}

func (r *runner) officerNamed(name string) (string, error) {
	if id, ok := r.officers[name]; ok {
		return id, nil
	}
	return "", fmt.Errorf("no officer is called %q", name)
}

// propose: propose OFFICER NAME ACT because REASON; the act is
//
//	postpone DRAWS by DURATION
//	close DRAWS
//	cancel-draw DRAWS
//	extend-claims FIRST LAST until DAY
//	lift-stop TICKET
//	pay-ticket TICKET at OUTLET to NAME
func (r *runner) propose(words []string) (string, error) {
	h := hand(words)
	officer, err := r.officerNamed(h.next())
	if err != nil {
		return "", err
	}
	name := h.next()
	c, err := r.change(&h)
	if err != nil {
		return "", err
	}
	if !h.take("because") || len(h) != 1 {
		return "", errUsage
	}
	c.Reason = h.next()
	p, err := r.sys.Propose(r.ctx, central.Propose{Key: r.actKey(), Officer: officer, Change: c})
	if err == nil {
		r.proposals[name] = p.ID
	}
	return "", err
}

func (r *runner) change(h *hand) (c central.Change, err error) {
	if c.Act, err = central.ParseChangeAct(h.next()); err != nil {
		return c, err
	}
	if c.Act == central.ActExtendClaims {
		c.Game = r.rules.Code
		for _, day := range []*game.Day{&c.From, &c.To, &c.Until} {
			h.take("until")
			if *day, err = game.ParseDay(h.next()); err != nil {
				return c, err
			}
		}
		return c, nil
	}
	if c.Act == central.ActLiftStop || c.Act == central.ActPayTicket {
		return r.changeTicket(h, c)
	}
	if c.Draws, err = r.drawsNamed(h.next()); err != nil {
		return c, err
	}
	if h.take("by") {
		c.Shift, err = time.ParseDuration(h.next())
	}
	return c, err
}

// approve: approve OFFICER NAME. The change takes effect.
func (r *runner) approve(words []string) (string, error) {
	return r.decide(words, r.sys.Approve)
}

// reject: reject OFFICER NAME. Who proposed withdraws so.
func (r *runner) reject(words []string) (string, error) {
	return r.decide(words, r.sys.Reject)
}

func (r *runner) decide(words []string, decide func(context.Context, central.Decide) (central.Proposal, error)) (string, error) {
	if len(words) != 2 {
		return "", errUsage
	}
	officer, err := r.officerNamed(words[0])
	if err != nil {
		return "", err
	}
	id, ok := r.proposals[words[1]]
	if !ok {
		return "", fmt.Errorf("no proposal is called %q", words[1])
	}
	answer, err := r.payLost(id, decide, central.Decide{Key: r.actKey(), Officer: officer, Proposal: id})
	if err != nil {
		return "", err
	}
	// The scheduler comes round: a draw that was moved sells again, one that was cancelled is given back.
	_, err = r.tick(nil)
	return answer, err
}
