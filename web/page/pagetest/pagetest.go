// Package pagetest checks the pages of a face with sample data: that each
// renders in each language, is well-formed HTML, and says what it must. Each
// face has a TestGallery that calls [Gallery];
//
//	go test ./web/terminal -run Gallery -serve=:8081
//
// serves the samples to look at.
package pagetest

import (
	"cmp"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tirage/web/page"
)

var serve = flag.String("serve", "", "serve the gallery at this address until interrupted")

// Sample is a page with data that a viewer might meet.
type Sample struct {
	Name string // of the sample
	Page string // of the template
	Data func(page.Base) any
}

// Gallery renders every sample in every language and checks it, and checks
// that every page of the face has a sample.
func Gallery(t *testing.T, f *page.Face, title string, samples []Sample) {
	t.Helper()
	for _, name := range f.Pages() {
		if !slices.ContainsFunc(samples, func(s Sample) bool { return s.Page == name }) {
			t.Errorf("page %s has no sample", name)
		}
	}
	mux := http.NewServeMux()
	app := page.New(nil, nil)
	app.Routes(mux)
	app.Mount(mux, f)
	var index strings.Builder
	for i, s := range samples {
		for _, lang := range page.Langs {
			path := fmt.Sprintf("/gallery/%d/%s", i, lang)
			mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
				if err := f.Render(w, r, http.StatusOK, s.Page, s.Data(f.Base(r, title))); err != nil {
					http.Error(w, err.Error(), http.StatusInternalServerError)
				}
			})
			fmt.Fprintf(&index, "<p><a href=%q>%s (%s)</a></p>\n", path, s.Name, lang)
			t.Run(s.Name+"/"+lang.String(), func(t *testing.T) { check(t, mux, path, lang) })
		}
	}
	if *serve != "" {
		mux.HandleFunc("GET /gallery/{$}", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, "<!doctype html><title>Gallery</title>"+index.String())
		})
		t.Logf("gallery at http://%s/gallery/", *serve)
		t.Fatal(http.ListenAndServe(*serve, mux))
	}
}

func check(t *testing.T, h http.Handler, path string, lang page.Lang) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.AddCookie(&http.Cookie{Name: "lang", Value: lang.String()})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	for _, fault := range HTML(w.Body.String(), lang) {
		t.Error(fault)
	}
	if strings.Contains(w.Body.String(), "<no value>") || strings.Contains(w.Body.String(), "%!") {
		t.Error("a value is missing")
	}
}

// void are the elements without an end tag.
var void = []string{"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}

// document is what is seen of a page while it is read.
type document struct {
	faults []error
	stack  []string
	langs  []string // of the elements of stack
	ids    map[string]bool
	refs   map[string]string // id → who refers to it
	labels map[string]bool   // for
	inputs map[string]bool   // id of inputs without a label around them
	lang   string
	title  string
	h1     int
}

func (d *document) fault(format string, args ...any) {
	d.faults = append(d.faults, fmt.Errorf(format, args...))
}

// HTML returns what is wrong with a page: tags that do not nest, ids twice or
// missing, no title, heading or language, fields without a label, images
// without a text, styles and scripts that the policy forbids.
func HTML(body string, lang page.Lang) []error {
	d := &document{ids: map[string]bool{}, refs: map[string]string{}, labels: map[string]bool{}, inputs: map[string]bool{}}
	x := xml.NewDecoder(strings.NewReader(body))
	x.Strict = false
	x.Entity = xml.HTMLEntity
	for {
		token, err := x.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			d.fault("not well-formed: %w", err)
			return d.faults
		}
		switch e := token.(type) {
		case xml.StartElement:
			d.start(e)
		case xml.EndElement:
			d.end(e)
		case xml.CharData:
			d.text(string(e))
		}
	}
	return d.close(lang)
}

// spaced is punctuation as French has it and no English.
var spaced = regexp.MustCompile(`[\s\x{a0}\x{202f}][:;?!»]($|[\s\x{a0}\x{202f}])|«`)

func (d *document) text(text string) {
	if len(d.stack) == 0 {
		return
	}
	if d.stack[len(d.stack)-1] == "title" && !slices.Contains(d.stack, "svg") {
		d.title += text
	}
	if d.langs[len(d.langs)-1] == page.English.String() && !slices.Contains(d.stack, "script") && spaced.MatchString(text) {
		d.fault("English with the spaces of French: %q", text)
	}
}

func (d *document) start(e xml.StartElement) {
	name := e.Name.Local
	a := map[string]string{}
	for _, x := range e.Attr {
		a[x.Name.Local] = x.Value
		if x.Name.Local == "style" || strings.HasPrefix(x.Name.Local, "on") {
			d.fault("<%s %s>: the policy forbids it", name, x.Name.Local)
		}
	}
	if id, ok := a["id"]; ok {
		if d.ids[id] {
			d.fault("id %s: twice", id)
		}
		d.ids[id] = true
	}
	for _, ref := range []string{"for", "form", "aria-describedby", "aria-labelledby"} {
		for id := range strings.FieldsSeq(a[ref]) { // aria-… may name several
			d.refs[id] = "<" + name + " " + ref + ">"
		}
	}
	_, named := a["aria-label"]
	switch name {
	case "html":
		d.lang = a["lang"]
	case "style":
		d.fault("<style>: the policy forbids it")
	case "script":
		if a["src"] == "" {
			d.fault("<script> without src: the policy forbids it")
		}
	case "h1":
		d.h1++
	case "label":
		d.labels[a["for"]] = true
	case "img":
		if _, ok := a["alt"]; !ok {
			d.fault("image %s without alt", a["src"])
		}
	case "input", "select", "textarea":
		if a["type"] != "hidden" && !named && !slices.Contains(d.stack, "label") {
			d.inputs[a["id"]] = true
		}
	}
	if !slices.Contains(void, name) {
		d.stack = append(d.stack, name)
		outer := ""
		if n := len(d.langs); n > 0 {
			outer = d.langs[n-1]
		}
		d.langs = append(d.langs, cmp.Or(a["lang"], outer))
	}
}

func (d *document) end(e xml.EndElement) {
	name := e.Name.Local
	if slices.Contains(void, name) {
		return
	}
	if len(d.stack) == 0 || d.stack[len(d.stack)-1] != name {
		d.fault("</%s> closes %q", name, d.stack)
		return
	}
	d.stack, d.langs = d.stack[:len(d.stack)-1], d.langs[:len(d.langs)-1]
}

func (d *document) close(lang page.Lang) []error {
	if len(d.stack) > 0 {
		d.fault("not closed: %q", d.stack)
	}
	if strings.TrimSpace(d.title) == "" {
		d.fault("no title")
	}
	if d.lang != lang.String() {
		d.fault("language %q, want %q", d.lang, lang)
	}
	if d.h1 != 1 {
		d.fault("%d headings of the first level, want 1", d.h1)
	}
	for id := range d.inputs {
		if !d.labels[id] {
			d.fault("field %q without a label", id)
		}
	}
	for id, who := range d.refs {
		if !d.ids[id] {
			d.fault("%s refers to %s, which is not there", who, id)
		}
	}
	return d.faults
}
