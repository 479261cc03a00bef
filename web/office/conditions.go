package office

import (
	"cmp"
	"math/big"
	"net/http"
	"net/url"
	"slices"

	"tirage/central"
	"tirage/game"
	"tirage/party"
	"tirage/web/page"
)

// conditionsPage is the terms of outlets: those in force, all versions, and the form to publish one.
type conditionsPage struct {
	frame
	Force    *party.Terms // nil: none are
	Games    []gameCommission
	Versions []termsLine // the newest first
	Key      string
	File     string
	Faults   []game.Fault
	Refusal  string
	Notice   string
}

// gameCommission is what outlets earn of a game that has rates of its own.
type gameCommission struct {
	Name  game.Text
	Rates party.Commission
}

// termsLine is a version of the terms.
type termsLine struct {
	*party.Terms
	State string // "past", "force" or "coming"
}

// Day is the first day of a version.
func (l termsLine) Day() game.Day { return game.Day(l.FirstDay) }

// ForceDay is the first day of those in force.
func (p conditionsPage) ForceDay() game.Day { return game.Day(p.Force.FirstDay) }

// Rate writes a rate in percent.
func (p conditionsPage) Rate(rate *big.Rat) string { return percent(rate, p.Lang) + "\u00a0%" }

// SlipHours is how long a slip that was prepared on a phone holds.
func (p conditionsPage) SlipHours() (string, error) { return later(p.Lang, p.Force.SlipFor) }

func (o office) conditions(r *http.Request) conditionsPage {
	p := conditionsPage{frame: o.frame(r, "terms.title", pathOutlets), Force: o.app.Sys.Terms(), Key: page.NewKey()}
	if r.Method == http.MethodPost {
		p.Switch = pathConditions + "?" + url.Values{"lang": {p.Lang.Other().String()}}.Encode()
	}
	state := "coming"
	for _, t := range slices.Backward(o.app.Sys.TermsVersions()) {
		line := termsLine{t, state}
		if p.Force != nil && t.Hash == p.Force.Hash {
			line.State, state = "force", "past"
		}
		p.Versions = append(p.Versions, line)
	}
	if p.Force != nil {
		for code, rates := range p.Force.Games {
			p.Games = append(p.Games, gameCommission{o.gameName(game.Code(code)), rates})
		}
		slices.SortFunc(p.Games, func(a, b gameCommission) int { return cmp.Compare(a.Name.FR, b.Name.FR) })
	}
	return p
}

func (o office) conditionsPage(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	return face.Render(w, r, http.StatusOK, "conditions", o.conditions(r))
}

// publishTerms publishes a version of the terms. What is wrong in it is shown line by line.
func (o office) publishTerms(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	name, book, err := readBook(r)
	if err != nil {
		return err
	}
	terms, failure := o.app.Sys.PublishTerms(r.Context(), central.PublishRules{Key: r.PostFormValue("key"), Officer: officer.ID, Book: book})
	p, status := o.conditions(r), http.StatusOK
	switch p.File, p.Faults = name, faults(failure, book); {
	case failure == nil:
		p.Notice, err = face.T(p.Lang, "terms.published", terms.Version, p.Lang.Day(game.Day(terms.FirstDay)))
	case len(p.Faults) > 0:
		status = http.StatusUnprocessableEntity
	default:
		refusal := o.app.Explain(r, failure)
		p.Refusal, status = refusal.Sentence, refusal.Status
	}
	if err != nil {
		return err
	}
	return face.Render(w, r, status, "conditions", p)
}
