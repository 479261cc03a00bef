package portal

import (
	"net/http"

	"tirage/party"
)

// helpPage is what limits, pauses and exclusion there are, and whom to call.
type helpPage struct {
	shell
	Rules *party.Rules // of accounts; nil: none are published
}

// Raise is after how many hours a higher limit holds.
func (p helpPage) Raise() int { return int(p.Rules.RaiseAfter.Hours()) }

// Shortest and Longest are an exclusion's hours and days.
func (p helpPage) Shortest() int { return int(p.Rules.ExclusionMin.Hours()) }

// Longest is the longest exclusion in days.
func (p helpPage) Longest() int { return int(p.Rules.ExclusionMax.Hours()) / 24 }

func (p portal) help(w http.ResponseWriter, r *http.Request) error {
	s, err := p.shell(r, "help.title", pathHelp)
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "help", helpPage{s, p.app.Sys.AccountRules()})
}
