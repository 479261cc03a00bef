package terminal

import (
	"net/http"
	"strconv"

	"tirage/central"
)

// noticesPage is the operator's messages to this outlet, the newest first.
type noticesPage struct {
	frame
	Notices []noticeLine
}

// noticeLine is a message, and whether this browser shows it for the first time.
type noticeLine struct {
	central.Notice
	New bool
}

// readCookie has the newest message that was read here. What is read is no secret.
const readCookie = "terminal-read"

// readTo is the record of the newest message that was read in this browser.
func readTo(r *http.Request) uint64 {
	c, err := r.Cookie(readCookie)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseUint(c.Value, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// unread counts the messages that were not read in this browser.
func (t *terminal) unread(r *http.Request, s seat) int {
	n, read := 0, readTo(r)
	for _, x := range t.app.Sys.Notices(s.outlet.ID) {
		if x.Record > read {
			n++
		}
	}
	return n
}

func (t *terminal) noticesPage(w http.ResponseWriter, r *http.Request, s seat) error {
	f, err := t.frame(r, s, "notices.title", pathNotices)
	if err != nil {
		return err
	}
	p := noticesPage{frame: f}
	newest := readTo(r)
	for _, x := range t.app.Sys.Notices(s.outlet.ID) {
		p.Notices = append(p.Notices, noticeLine{x, x.Record > readTo(r)})
		newest = max(newest, x.Record)
	}
	http.SetCookie(w, &http.Cookie{
		Name: readCookie, Value: strconv.FormatUint(newest, 10), Path: pathDesk, MaxAge: 365 * 24 * 3600, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	for i := range p.Menu {
		p.Menu[i].Count = 0 // they are read now
	}
	return face.Render(w, r, http.StatusOK, "notices", p)
}
