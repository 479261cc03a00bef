package portal

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"tirage/money"
	"tirage/web/page"
)

// The reality check (INS-online): how long and how much, since the player signed on.

// tally is what a player did since he signed on.
type tally struct {
	Minutes int          `json:"minutes"`
	Units   int          `json:"units"`
	Staked  money.Amount `json:"staked"`
	Won     money.Amount `json:"won"`
}

// sinceCookie says since when, and who: "PLAYER.µs". It is the viewer's own
// clock face: nothing is decided by it.
const sinceCookie = "since"

// forgetSince makes the reality check count anew: a page that ends a session does it.
func forgetSince(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{Name: sinceCookie, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

// since is when the player's session was first seen.
func (p portal) since(w http.ResponseWriter, r *http.Request, player string) time.Time {
	now := p.app.Sys.Now()
	if c, err := r.Cookie(sinceCookie); err == nil {
		who, micros, _ := strings.Cut(c.Value, ".")
		if at, err := strconv.ParseInt(micros, 10, 64); err == nil && who == player && at > 0 && at <= now.UnixMicro() {
			return time.UnixMicro(at)
		}
	}
	http.SetCookie(w, &http.Cookie{
		Name: sinceCookie, Value: player + "." + strconv.FormatInt(now.UnixMicro(), 10), Path: "/",
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	return now
}

// reality counts what a player did since he signed on, and how often he is told, in seconds.
func (p portal) reality(w http.ResponseWriter, r *http.Request, player string) (*tally, int64, error) {
	rules := p.app.Sys.AccountRules()
	if rules == nil {
		return nil, 0, nil
	}
	since := p.since(w, r, player)
	t := &tally{Minutes: int(p.app.Sys.Now().Sub(since) / time.Minute)}
	const atOnce, most = 100, 100 // movements of a reading, and readings
	before := uint64(0)
	for range most {
		list, err := p.app.Sys.History(r.Context(), player, before, atOnce)
		if err != nil {
			return nil, 0, err
		}
		for _, m := range list {
			if m.At.Before(since) {
				return t, int64(rules.RealityEvery / time.Second), nil
			}
			if m.Kind == "unit" {
				t.Units++
				t.Staked = t.Staked.Add(m.Price)
				t.Won = t.Won.Add(m.Prize)
			}
			before = m.Record
		}
		if len(list) < atOnce {
			break
		}
	}
	return t, int64(rules.RealityEvery / time.Second), nil
}

func (p portal) tally(w http.ResponseWriter, r *http.Request) error {
	player, err := p.app.Session(r, page.PlayerSession)
	if err != nil {
		return err
	}
	t, _, err := p.reality(w, r, player)
	if err != nil {
		return err
	}
	if t == nil {
		return page.ErrNotFound
	}
	return writeJSON(w, http.StatusOK, t)
}
