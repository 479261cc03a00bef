// Package page is what all faces share: rendering, languages, money and dates
// as people write them, the one table from refusal to sentence, sessions,
// limits and static files.
//
// A face is a package with one exported function,
//
//	func Routes(mux *http.ServeMux, app *page.App)
//
// which registers all its routes with [App.Handle] and its static files with
// [App.Mount]; package web calls it. Its pages are structs that embed [Base],
// each with a template of the same name and a [Handler], in one file:
//
//	//go:embed templates/*.html static active.*.yaml
//	var files embed.FS
//	var face = page.MustFace("terminal", files)
//
// The files of a face are
//
//	templates/NAME.html   a page: defines "content", and "head" if it adds to it
//	templates/_NAME.html  fragments that all its pages may use
//	static/…              served under a name that holds the hash of the content
//	active.fr.yaml, active.en.yaml   its sentences, id: text; active.PART.fr.yaml too
//
// Templates have the functions of [Face]'s documentation, bound to the
// viewer's language. A page that refers to a sentence or a file that does not
// exist fails, and so does the gallery test.
package page

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"path"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/time/rate"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/training"
)

//go:embed templates/*.html static active.*.yaml
var files embed.FS

// common is the face that no one looks at alone: base style, drawings,
// fonts, the layout and the page of an error.
var common *Face

func init() { common = MustFace("page", files) }

// App is what every face is given: the central system, and what the faces
// share. It is made once, by package web.
type App struct {
	Sys    *central.System
	Logger *slog.Logger
	// SignOns limits the failed tries to sign on of one client, Checks the
	// ticket codes that a terminal may try (F24), LogReads what a reader of the
	// log asks that no cache answers, Acts the forms of a player's account: they
	// cost him nothing, and the journal a record each. Messages limits what anybody
	// may have us send to one address.
	SignOns, Checks, LogReads, Acts, Messages *Limiter
	// Insecure allows sessions over plain HTTP from other machines.
	Insecure bool
	// Proxies are the addresses of proxies that speak TLS for us: what they
	// say of a request's client (X-Forwarded-For, X-Forwarded-Proto) is believed.
	Proxies []netip.Prefix
	// Printers are the networks in which terminals' printers stand: the server
	// connects to no address outside of them, whatever an officer typed.
	Printers []netip.Prefix
	// PrintTime is how long a printer may take for any job, beside the time of
	// its tickets; 0: as long as printers take.
	PrintTime time.Duration
	// Training is where terminals practise; nil: they do not.
	Training *training.School
	// Pictures receives the pictures of terminals, PublicPictures those that
	// anybody may send: however many do, terminals go on.
	Pictures, PublicPictures *Intake

	pictures map[string]bool // addresses of forms with a picture
}

// AllowPrinter tells whether a printer may stand at an address: nil or [ErrPrinterNetwork].
func (a *App) AllowPrinter(at netip.AddrPort) error {
	for _, network := range a.Printers {
		if network.Contains(at.Addr().Unmap()) {
			return nil
		}
	}
	return fmt.Errorf("%w: %s", ErrPrinterNetwork, at)
}

// New returns an App with its limits.
func New(sys *central.System, logger *slog.Logger) *App {
	return &App{
		Sys:      sys,
		Logger:   logger,
		SignOns:  NewLimiter(rate.Every(6*time.Second), 10),
		Checks:   NewLimiter(2, 60),
		LogReads: NewLimiter(10, 100),
		Acts:     NewLimiter(1, 60),
		Messages: NewLimiter(rate.Every(20*time.Minute), 4),
		// Each place may take as much memory as a picture may have bytes, and each reading several times that.
		Pictures:       NewIntake(6, 2, 2),
		PublicPictures: NewIntake(4, 1, 1),
		pictures:       map[string]bool{},
	}
}

// InTraining is the app of a training system: what the faces share, but for the
// system, and for its own limits, which are stricter: whoever practises takes
// nothing from those who sell.
func (a *App) InTraining(sys *central.System) *App {
	b := *a
	b.Sys, b.Training = sys, nil
	b.Checks = NewLimiter(2, 30)
	b.Pictures = NewIntake(2, 1, 1)
	return &b
}

// Handler answers a request, or returns why not: a refusal of the table in
// errors.go, shown as a sentence, or anything else, logged and shown as nothing.
// It writes nothing before it is sure to return nil: [Face.Render] renders whole.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Handle registers a handler of a face.
func (a *App) Handle(mux *http.ServeMux, pattern string, f *Face, h Handler) {
	mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		if a.switched(w, r) {
			return
		}
		if err := h(w, r); err != nil {
			a.Fail(w, r, f, err)
		}
	})
}

// NewKey makes the key of a command for a form, ordered by time as the store
// likes keys: whoever sends the form twice has it done once (F10).
func NewKey() string {
	id, err := uuid.NewV7()
	if err != nil { // the operating system's randomness does not fail
		panic("page: " + err.Error())
	}
	return id.String()
}

// ReadForm reads a form that was sent. What it cannot read is [ErrForm].
func ReadForm(r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return errors.Join(ErrForm, err)
	}
	return nil
}

// Mount serves the static files of a face.
func (a *App) Mount(mux *http.ServeMux, f *Face) {
	mux.Handle("GET "+f.assets.prefix, f.assets)
}

// Routes serves the static files that all faces share, and the answer to any
// address that no face has.
func (a *App) Routes(mux *http.ServeMux) {
	a.Mount(mux, common)
	a.Handle(mux, "/", common, func(http.ResponseWriter, *http.Request) error { return ErrNotFound })
}

// Fail answers with the page of an error.
func (a *App) Fail(w http.ResponseWriter, r *http.Request, f *Face, err error) {
	lang := LangOf(r)
	refusal := a.Explain(r, err)
	if f == nil {
		f = common
	}
	data := errorPage{Base: f.Base(r, "error.title"), Refusal: refusal, Home: "/" + f.Name}
	if f == common || f.Name == "portal" { // the portal is at the root
		data.Home = "/"
	}
	if err := common.render(w, lang, refusal.Status, "error", data); err != nil {
		a.Logger.Error("render error page", "err", err)
		http.Error(w, http.StatusText(refusal.Status), refusal.Status)
	}
}

// Explain says what an error is to the viewer, and logs it when it is not a
// refusal but a fault of ours.
func (a *App) Explain(r *http.Request, err error) Refusal {
	refusal := Describe(LangOf(r), err)
	switch {
	case r.Context().Err() != nil: // the viewer has gone
	case refusal.Status == http.StatusInternalServerError:
		a.Logger.Error("request failed", "method", r.Method, "path", LoggedPath(r), "err", err)
	}
	return refusal
}

// hidden are the beginnings of addresses that end in a secret.
var hidden = []string{"/t/"}

// LoggedPath is the address of a request as it may stand in a log: without the
// code of a ticket, which pays whoever has it (F24).
func LoggedPath(r *http.Request) string {
	for _, prefix := range hidden {
		if strings.HasPrefix(r.URL.Path, prefix) {
			return prefix + "…"
		}
	}
	return r.URL.Path
}

// errorPage says why a request was not done.
type errorPage struct {
	Base
	Refusal Refusal
	Home    string
}

// Base is what the layout needs of every page.
type Base struct {
	Lang     Lang
	Title    string
	Face     string // name of the face: class of the body
	Switch   string // address of this page in the other language
	Training bool   // of a terminal in training: marked so in its title, in words and by a frame (F21)
}

// trainingKey marks the context of a request of a terminal in training.
type trainingKey struct{}

// InTraining is a request whose pages are marked as those of a terminal in training.
func InTraining(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), trainingKey{}, true))
}

// Face is the files of one face, parsed once for each language. Its templates
// have these functions:
//
//	t ID [DATA…]       the sentence ID; one DATA is {{.}} in it, several {{index . 0}}…
//	tn ID N            the sentence ID in the plural of N, {{.PluralCount}} in it
//	forms ID           both forms of such a sentence, for a script: "1 draw|{n} draws"
//	text T             a game.Text in the viewer's language
//	money A            "12,50 €" or "€12.50"
//	euros A            the same without cents when there are none: "2 €"
//	number N           "348 840" or "348,840"
//	day D, shortday D  a game.Day: "lundi 30 novembre 2026", "30/11/2026"
//	date T ZONE        the day of an instant: "30/11/2026"
//	clock T ZONE       "12:05"; seconds T ZONE "12:05:31"
//	paris T            "12:05 (heure de Paris)", where a draw is meant
//	moment T ZONE      "30/11/2026 à 12:05"
//	pariszone          the zone of Paris
//	iso T              an instant for datetime attributes and scripts
//	asset NAME         address of static/NAME of the face
//	shared NAME        address of static/NAME of package page
//	art NAME           address of the drawing NAME (NAME.svg of package art)
//	spot KEY           where a place stands on the island: [Spot]
//	cents A            an amount as a number, for fields and scripts
type Face struct {
	Name   string
	assets *assets
	bundle *i18n.Bundle
	pages  map[Lang]map[string]*template.Template
}

// MustFace parses the files of a face. What is wrong in them is a fault of the
// program, found by any test that starts it, so it panics.
func MustFace(name string, files fs.FS) *Face {
	f, err := newFace(name, files)
	if err != nil {
		panic(fmt.Sprintf("page: face %s: %v", name, err))
	}
	return f
}

func newFace(name string, files fs.FS) (*Face, error) {
	f := &Face{Name: name, pages: map[Lang]map[string]*template.Template{}}
	var err error
	if f.assets, err = newAssets(name, files); err != nil {
		return nil, err
	}
	if f.bundle, err = newBundle(files); err != nil {
		return nil, err
	}
	for _, lang := range Langs {
		if f.pages[lang], err = f.parse(lang, files); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// parse returns the pages of a face in one language: for each, the layout,
// the fragments of the face, and its own file.
func (f *Face) parse(lang Lang, own fs.FS) (map[string]*template.Template, error) {
	base := template.New("").Option("missingkey=error").Funcs(f.funcs(lang))
	base, err := base.ParseFS(files, "templates/_*.html")
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(own, "templates/*.html")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if strings.HasPrefix(path.Base(name), "_") {
			if base, err = base.ParseFS(own, name); err != nil {
				return nil, err
			}
		}
	}
	pages := map[string]*template.Template{}
	for _, name := range names {
		if strings.HasPrefix(path.Base(name), "_") {
			continue
		}
		t, err := base.Clone()
		if err != nil {
			return nil, err
		}
		if t, err = t.ParseFS(own, name); err != nil {
			return nil, err
		}
		pages[strings.TrimSuffix(path.Base(name), ".html")] = t
	}
	return pages, nil
}

func (f *Face) funcs(lang Lang) template.FuncMap {
	return template.FuncMap{
		"t":         func(id string, data ...any) (string, error) { return f.T(lang, id, data...) },
		"tn":        func(id string, n int) (string, error) { return f.plural(lang, id, n) },
		"forms":     func(id string) (string, error) { return f.forms(lang, id) },
		"text":      lang.Text,
		"money":     lang.Money,
		"euros":     lang.Euros,
		"number":    lang.Number,
		"count":     func(n int) string { return lang.Number(int64(n)) },
		"day":       lang.Day,
		"shortday":  lang.ShortDay,
		"date":      func(at time.Time, zone *time.Location) string { return lang.ShortDay(game.DayOf(at, zone)) },
		"clock":     func(at time.Time, zone *time.Location) string { return at.In(zone).Format("15:04") },
		"seconds":   func(at time.Time, zone *time.Location) string { return at.In(zone).Format("15:04:05") },
		"paris":     lang.Paris,
		"iso":       func(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") },
		"asset":     f.assets.url,
		"shared":    f.shared,
		"art":       func(name string) (string, error) { return f.shared("art/" + name + ".svg") },
		"spot":      SpotOf,
		"moment":    lang.Moment,
		"pariszone": ParisZone,
		"cents":     func(a money.Amount) int64 { return int64(a) },
	}
}

// shared gives the address of a file of package page, to its own templates too.
func (f *Face) shared(name string) (string, error) {
	if f.Name == "page" {
		return f.assets.url(name)
	}
	return common.assets.url(name)
}

// Base returns what the layout needs, with the title's sentence.
func (f *Face) Base(r *http.Request, title string) Base {
	lang := LangOf(r)
	b := Base{Lang: lang, Face: f.Name, Switch: switchURL(r, lang), Training: r.Context().Value(trainingKey{}) != nil}
	text, err := f.T(lang, title)
	if err != nil {
		text, err = common.T(lang, title)
	}
	if err != nil {
		text = title
	}
	b.Title = text
	return b
}

// Render writes the page NAME of the face with its data, a struct that embeds
// [Base], in the language of the request; nothing is written when it fails.
func (f *Face) Render(w http.ResponseWriter, r *http.Request, status int, name string, data any) error {
	return f.render(w, LangOf(r), status, name, data)
}

// RenderPart writes a part of the page NAME, without the layout, for a script
// that puts it into the page; otherwise it is [Face.Render].
func (f *Face) RenderPart(w http.ResponseWriter, r *http.Request, name, part string, data any) error {
	return f.execute(w, LangOf(r), http.StatusOK, name, part, data)
}

func (f *Face) render(w http.ResponseWriter, lang Lang, status int, name string, data any) error {
	return f.execute(w, lang, status, name, "layout", data)
}

func (f *Face) execute(w http.ResponseWriter, lang Lang, status int, name, part string, data any) error {
	t := f.pages[lang][name]
	if t == nil {
		return fmt.Errorf("render %s: no such page in face %s", name, f.Name)
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, part, data); err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Accept-Language, Cookie")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) // the viewer may have gone: nobody is left to tell
	return nil
}

// Pages returns the names of the face's pages, for the gallery test.
func (f *Face) Pages() []string {
	var names []string
	for name := range f.pages[French] {
		names = append(names, name)
	}
	return names
}
