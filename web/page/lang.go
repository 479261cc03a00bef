package page

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"go.yaml.in/yaml/v3"
	"golang.org/x/text/language"

	"tirage/game"
)

// Lang is a language of the faces.
type Lang uint8

const (
	// French comes first: the law of these games is French.
	French Lang = iota + 1
	English
)

// Langs are all languages, the first one first.
var Langs = []Lang{French, English}

// String returns the BCP 47 tag, for lang attributes.
func (l Lang) String() string {
	switch l {
	case French:
		return "fr"
	case English:
		return "en"
	}
	return fmt.Sprintf("Lang(%d)", uint8(l))
}

// Other returns the language to offer to a viewer of l.
func (l Lang) Other() Lang {
	if l == French {
		return English
	}
	return French
}

// Text returns t in the language.
func (l Lang) Text(t game.Text) string {
	if l == English && t.EN != "" {
		return t.EN
	}
	return t.FR
}

const langCookie = "lang"

var tags = language.NewMatcher([]language.Tag{language.French, language.English})

// LangOf returns the language of a request: what its viewer chose (cookie),
// else what the browser asks for, else French.
func LangOf(r *http.Request) Lang {
	if c, err := r.Cookie(langCookie); err == nil {
		if l, ok := parseLang(c.Value); ok {
			return l
		}
	}
	asked, _, err := language.ParseAcceptLanguage(r.Header.Get("Accept-Language"))
	if err != nil || len(asked) == 0 {
		return French
	}
	_, index, _ := tags.Match(asked...)
	return Langs[index]
}

func parseLang(s string) (Lang, bool) {
	for _, l := range Langs {
		if l.String() == s {
			return l, true
		}
	}
	return 0, false
}

// switched handles ?lang=fr and ?lang=en on a page that is read: it keeps the
// choice in a cookie and sends the viewer to the same address without it.
func (a *App) switched(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet || r.URL.RawQuery == "" {
		return false
	}
	q := r.URL.Query()
	l, ok := parseLang(q.Get("lang"))
	if !ok {
		return false
	}
	q.Del("lang")
	http.SetCookie(w, &http.Cookie{
		Name: langCookie, Value: l.String(), Path: "/", MaxAge: 365 * 86400,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: a.secure(r),
	})
	http.Redirect(w, r, local(r.URL.Path, q), http.StatusSeeOther)
	return true
}

func switchURL(r *http.Request, l Lang) string {
	q := url.Values{}
	if r.Method == http.MethodGet {
		q = r.URL.Query()
	}
	q.Set("lang", l.Other().String())
	return "?" + q.Encode()
}

// local is an address of this server: never "//host", which a browser would
// take for another.
func local(path string, q url.Values) string {
	u := url.URL{Path: path, RawQuery: q.Encode()}
	if len(path) > 1 && (path[1] == '/' || path[1] == '\\') {
		u.Path = "/"
	}
	return u.String()
}

// errSentence is an id that a face has no sentence for.
var errSentence = errors.New("no such sentence")

func newBundle(files fs.FS) (*i18n.Bundle, error) {
	b := i18n.NewBundle(language.French)
	b.RegisterUnmarshalFunc("yaml", yaml.Unmarshal)
	for _, l := range Langs {
		parts, err := fs.Glob(files, "active.*."+l.String()+".yaml")
		if err != nil {
			return nil, err
		}
		for _, name := range append(parts, "active."+l.String()+".yaml") {
			if _, err := b.LoadMessageFileFS(files, name); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

// T returns the sentence id of the face, or of package page, in a language.
func (f *Face) T(l Lang, id string, data ...any) (string, error) {
	c := &i18n.LocalizeConfig{MessageID: id}
	switch len(data) {
	case 0:
	case 1:
		c.TemplateData = data[0]
	default:
		c.TemplateData = data
	}
	return f.localize(l, c)
}

func (f *Face) plural(l Lang, id string, n int) (string, error) {
	return f.localize(l, &i18n.LocalizeConfig{MessageID: id, PluralCount: n, TemplateData: struct{ PluralCount string }{l.Number(int64(n))}})
}

// forms are the singular and the plural of a sentence, with {n} for the number.
func (f *Face) forms(l Lang, id string) (string, error) {
	one, err := f.plural(l, id, 1)
	if err != nil {
		return "", err
	}
	many, err := f.localize(l, &i18n.LocalizeConfig{MessageID: id, PluralCount: 2, TemplateData: struct{ PluralCount string }{"{n}"}})
	return one + "|" + many, err
}

// localize does not fall back to another language: a missing translation is a fault.
func (f *Face) localize(l Lang, c *i18n.LocalizeConfig) (string, error) {
	text, tag, err := i18n.NewLocalizer(f.bundle, l.String()).LocalizeWithTag(c)
	if err == nil && tag.String() == l.String() {
		return text, nil
	}
	if f.Name != "page" {
		return common.localize(l, c)
	}
	return "", fmt.Errorf("%w: %s in %s (%w)", errSentence, c.MessageID, l, err)
}
