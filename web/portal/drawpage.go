package portal

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/web/page"
)

// drawPage is one draw with its proof: the browser fetches the log and checks
// what the page says against it (static/proof.js).
type drawPage struct {
	shell
	Draw    drawn
	Code    game.Code
	Closed  bool // its sales are over: their sums are public
	Steps   []proofStep
	Key     string // the log's public key
	Unit    money.Amount
	First   uint64 // record of its plan
	Pending bool   // more steps are to come
}

// proofStep is a record of the draw.
type proofStep struct {
	Name   string // "planned", "closed", …: a sentence and what the script checks
	Index  uint64
	At     time.Time
	Record string // in hexadecimal
}

// Shown is the index as pages write it.
func (s proofStep) Shown() int64 { return int64(s.Index) }

func (p portal) drawPage(w http.ResponseWriter, r *http.Request) error {
	text := r.URL.Query().Get("id")
	id, err := strconv.ParseInt(text, 10, 63)
	if err != nil || id < 1 || strconv.FormatInt(id, 10) != text {
		return fmt.Errorf("%w: %.40q", draw.ErrUnknown, text)
	}
	s, err := p.shell(r, "draw.title", pathResults)
	if err != nil {
		return err
	}
	data, err := p.proof(r, draw.ID(id))
	if err != nil {
		return err
	}
	data.shell = s
	if data.Title, err = face.T(page.LangOf(r), "draw.of", page.LangOf(r).Text(data.Draw.Game), data.Draw.Number); err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "draw", data)
}

func (p portal) proof(r *http.Request, id draw.ID) (drawPage, error) {
	var data drawPage
	views, err := p.app.Sys.DrawsByID(r.Context(), []draw.ID{id})
	if err != nil {
		return data, err
	}
	if len(views) == 0 {
		return data, fmt.Errorf("%w: %d", draw.ErrUnknown, id)
	}
	v := views[0]
	rules, err := p.app.Sys.RulesByHash(v.Rules)
	if err != nil {
		return data, err
	}
	data.Code, data.Unit = v.Game, rules.UnitStake
	if data.Draw, err = newDrawn(rules, v); err != nil {
		return data, err
	}
	if data.Key, err = p.app.Sys.VerifierKey(); err != nil {
		return data, err
	}
	records, err := p.app.Sys.DrawRecords(r.Context(), id)
	if err != nil {
		return data, err
	}
	for _, rec := range records {
		switch rec.State {
		case draw.Planned, draw.Closed, draw.Drawn, draw.Settled, draw.Certified:
			data.Steps = append(data.Steps, proofStep{rec.State.String(), rec.Index, rec.At, hex.EncodeToString(rec.Record)})
		case draw.Selling, draw.Postponed, draw.Cancelled: // told beside, not proven
		}
		data.Closed = data.Closed || rec.State == draw.Closed
	}
	data.First = data.Steps[0].Index
	data.Pending = !v.State.Final()
	return data, nil
}
