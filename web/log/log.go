// Package log serves the journal to the world, as C2SP tlog-tiles says, so that
// the tools of others read it: a signed checkpoint, hash tiles, and bundles of
// records. Hashes are public at once; a bundle is public once the last draw of
// its sales has closed, since it shows exposure and outlets' sales. What is needed
// to check a unit does not wait for it.
//
// Answers are bytes and one line of plain text for an error: programs read
// them. Nothing here can change anything, and any site may read it.
package log

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"

	"tirage/central"
	"tirage/journal"
	"tirage/store"
	"tirage/web/page"
)

// Routes registers the log under /log/.
func Routes(mux *http.ServeMux, app *page.App) {
	h := handler{app}
	mux.Handle("GET /log/{$}", http.RedirectHandler("/log/checkpoint", http.StatusSeeOther)) // the address that people are given
	mux.HandleFunc("GET /log/checkpoint", h.plain(h.checkpoint))
	mux.HandleFunc("GET /log/tile/entries/", h.plain(h.entries))
	mux.HandleFunc("GET /log/tile/", h.plain(h.tile))
	mux.HandleFunc("GET /log/proof/{index}", h.plain(h.proof))
	mux.HandleFunc("GET /log/record/{index}", h.plain(h.record))
}

const (
	// forEver is for what never changes: tiles and bundles, partial ones too (their width is in their name).
	forEver = "public, max-age=604800, immutable"
	// notKept is for what is another thing at the next moment.
	notKept = "no-cache"
)

// indexMax is the greatest index of a tile of which every record has an index of 64 bits.
const indexMax = math.MaxUint64/journal.TileWidth - 1

type handler struct{ app *page.App }

// answer is what a request gets: its bytes, their type, and how long they hold.
type answer struct {
	body  []byte
	kind  string
	cache string
}

func (h handler) checkpoint(r *http.Request) (answer, error) {
	b, err := h.app.Sys.Checkpoint()
	return answer{b, "text/plain; charset=utf-8", notKept}, err
}

func (h handler) tile(r *http.Request) (answer, error) {
	level, n, width, err := journal.ParseTilePath(strings.TrimPrefix(r.URL.Path, "/log/"))
	if err != nil {
		return answer{}, err
	}
	if n > indexMax {
		return answer{}, journal.ErrSize
	}
	if err := h.allow(r, width); err != nil {
		return answer{}, err
	}
	b, err := h.app.Sys.Tile(r.Context(), level, n, width)
	return answer{b, "application/octet-stream", forEver}, err
}

func (h handler) entries(r *http.Request) (answer, error) {
	n, width, err := journal.ParseEntriesPath(strings.TrimPrefix(r.URL.Path, "/log/"))
	if err != nil {
		return answer{}, err
	}
	if n > indexMax {
		return answer{}, journal.ErrSize
	}
	if err := h.allow(r, width); err != nil {
		return answer{}, err
	}
	b, err := h.app.Sys.Entries(r.Context(), n, width)
	return answer{b, "application/octet-stream", forEver}, err
}

// allow counts a read that is narrower than a full tile: of those there are so
// many, and they change with every record, that no cache spares us the work.
// Full tiles are not counted: a reader who starts needs them all.
func (h handler) allow(r *http.Request, width int) error {
	if width == journal.TileWidth {
		return nil
	}
	return h.app.LogReads.Allow(h.app.ClientOf(r))
}

// proof answers with a C2SP tlog-proof of a record in the tree of the newest checkpoint.
func (h handler) proof(r *http.Request) (answer, error) {
	index, err := h.index(r)
	if err != nil {
		return answer{}, err
	}
	b, err := h.app.Sys.InclusionProof(r.Context(), index)
	return answer{b, "text/plain; charset=utf-8", notKept}, err
}

// record answers with one record that need not wait for its bundle.
func (h handler) record(r *http.Request) (answer, error) {
	index, err := h.index(r)
	if err != nil {
		return answer{}, err
	}
	b, err := h.app.Sys.Record(r.Context(), index)
	return answer{b, "application/octet-stream", forEver}, err
}

// index reads the record that an address names, and counts the read as [handler.allow] does.
func (h handler) index(r *http.Request) (uint64, error) {
	text := r.PathValue("index")
	index, err := strconv.ParseUint(text, 10, 64)
	if err != nil || strconv.FormatUint(index, 10) != text {
		return 0, journal.ErrPath
	}
	return index, h.app.LogReads.Allow(h.app.ClientOf(r))
}

// plain turns an answer or an error into HTTP. No error is kept by a cache:
// what is not there yet, or not public yet, will be.
func (h handler) plain(get func(*http.Request) (answer, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Access-Control-Allow-Origin", "*")
		header.Set("Cross-Origin-Resource-Policy", "cross-origin")
		a, err := get(r)
		if err != nil {
			header.Set("Cache-Control", "no-store")
			status, reason := refusal(err)
			if status == http.StatusInternalServerError && r.Context().Err() == nil {
				h.app.Logger.Error("read the log", "path", r.URL.Path, "err", err)
			}
			if status == http.StatusTooManyRequests {
				header.Set("Retry-After", "1")
			}
			http.Error(w, reason, status)
			return
		}
		header.Set("Content-Type", a.kind)
		header.Set("Cache-Control", a.cache)
		header.Set("Content-Length", strconv.Itoa(len(a.body)))
		_, _ = w.Write(a.body) // the reader may have gone
	}
}

// refusal gives the status and the line of text of an error.
func refusal(err error) (status int, reason string) {
	switch {
	case errors.Is(err, page.ErrTooMany):
		return http.StatusTooManyRequests, "too many proofs and partial tiles in a short time: wait a second, and keep full tiles"
	case errors.Is(err, central.ErrNotPublic):
		return http.StatusForbidden, "not public yet: some sales of this bundle are for draws that have not closed; try again after the draws that sell now have closed"
	case errors.Is(err, journal.ErrPath):
		return http.StatusNotFound, "not a path of the log (c2sp.org/tlog-tiles)"
	case errors.Is(err, journal.ErrSize), errors.Is(err, journal.ErrTile), errors.Is(err, store.ErrNotFound):
		return http.StatusNotFound, "the log is not that long"
	}
	return http.StatusInternalServerError, "the log cannot be read now"
}
