// Package web is the server of all faces: their routes, and what stands in
// front of each request. A face registers its own addresses in its Routes (see
// package page); the whole list of faces is in one function here.
package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"time"

	"tirage/central"
	"tirage/training"
	"tirage/web/log"
	"tirage/web/office"
	"tirage/web/page"
	"tirage/web/portal"
	"tirage/web/screen"
	"tirage/web/terminal"
)

// Options are what the server needs beside the system.
type Options struct {
	Logger *slog.Logger // nil: the default one
	// Insecure allows sign-on over plain HTTP from other machines, for a
	// network that is private.
	Insecure bool
	// Proxies are the addresses of the proxies that speak TLS for the server.
	// Without them all clients behind a proxy are one, with one client's limits.
	Proxies []netip.Prefix
	// Printers are the networks in which terminals' printers stand; none: no
	// ticket is sent to a printer.
	Printers []netip.Prefix
	// PrintTime is how long a printer may take for any job, beside the time of
	// its tickets; 0: as long as printers take.
	PrintTime time.Duration
	// Training is where terminals practise; nil: they do not.
	Training *training.School
}

// New returns the handler of all faces of a system.
func New(sys *central.System, opts Options) http.Handler {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	app := page.New(sys, opts.Logger)
	app.Insecure, app.Proxies, app.Printers, app.PrintTime, app.Training = opts.Insecure, opts.Proxies, opts.Printers, opts.PrintTime, opts.Training
	return guard(app, routes(app))
}

// routes is every address that the server answers.
func routes(app *page.App) *http.ServeMux {
	mux := http.NewServeMux()
	app.Routes(mux)
	terminal.Routes(mux, app)
	screen.Routes(mux, app)
	office.Routes(mux, app)
	log.Routes(mux, app)
	portal.Routes(mux, app)
	mux.HandleFunc(noticePattern, cardNotice(app))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("ok\n"))
	})
	return mux
}

// guard stands in front of every request: panics become a 500, pages get the
// headers that keep other sites out, forms of other sites are refused, and
// bodies are bounded.
func guard(app *page.App, next http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		app.Fail(w, r, nil, page.ErrCrossOrigin)
	}))
	origin.AddInsecureBypassPattern(noticePattern)
	checked := origin.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer recoverPanic(app, w, r)
		setHeaders(w.Header())
		r.Body = http.MaxBytesReader(w, r.Body, app.BodyMax(r))
		checked.ServeHTTP(w, r)
	})
}

// policy allows what we serve ourselves and nothing else: no inline script or
// style, no frame around us, no form to elsewhere.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
	"connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()") // the terminal's page that scans says more
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

func recoverPanic(app *page.App, w http.ResponseWriter, r *http.Request) {
	v := recover()
	if v == nil {
		return
	}
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(v) // the way of net/http to drop a connection
	}
	app.Logger.Error("panic", "method", r.Method, "path", page.LoggedPath(r), "panic", v, "stack", string(debug.Stack()))
	app.Fail(w, r, nil, fmt.Errorf("panic: %v", v))
}

// When the server stops, requests under way get shutdownTime to end; those
// that would never end, streams, see their context end after streamTime.
const (
	shutdownTime = 5 * time.Second
	streamTime   = time.Second
)

// Serve answers on a listener until the context ends, and then lets the
// requests under way end.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      30 * time.Second, // a stream lifts its own, with http.ResponseController
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		BaseContext:       func(net.Listener) context.Context { return base },
	}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	select {
	case err := <-done:
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	defer time.AfterFunc(streamTime, cancel).Stop()
	stop, cancelStop := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancelStop()
	if err := srv.Shutdown(stop); err != nil {
		return errors.Join(fmt.Errorf("stop serving: %w", err), srv.Close())
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	}
	return nil
}
