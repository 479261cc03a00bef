package web

import (
	"io"
	"net/http"

	"tirage/web/page"
)

// noticePattern is where providers of card payments call back. They are no
// browsers: they have no session and come from another origin, and what they
// say counts by its signature.
const noticePattern = "POST /paiement/{provider}"

// noticeMax bounds a notice of a card payment, in bytes.
const noticeMax = 16 << 10

// cardNotice takes the notice of a provider. It answers 200 once the payment is
// credited, now or before; then the provider need not call again.
func cardNotice(app *page.App) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/plain; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, noticeMax))
		if err == nil {
			_, err = app.Sys.CardPaid(r.Context(), r.PathValue("provider"), r.Header, body)
		}
		if err != nil {
			refusal := app.Explain(r, err)
			app.Logger.Warn("card notice refused", "provider", r.PathValue("provider"), "code", refusal.Code, "err", err)
			w.WriteHeader(refusal.Status)
			_, _ = io.WriteString(w, refusal.Code+"\n")
			return
		}
		_, _ = io.WriteString(w, "ok\n")
	}
}
