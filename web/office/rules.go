package office

import (
	"errors"
	"io"
	"net/http"

	"tirage/central"
	"tirage/game"
	"tirage/party"
	"tirage/web/page"
)

// rulesPage is the rule books in force, and the form to publish another.
type rulesPage struct {
	frame
	Games     []*game.Rules
	Key       string
	File      string // name of the file that was refused
	Faults    []game.Fault
	Refusal   string
	Published *game.Rules
}

func (o office) rules(r *http.Request) (rulesPage, error) {
	p := rulesPage{frame: o.frame(r, "rules.title", pathRules), Key: page.NewKey()}
	for _, code := range o.app.Sys.Games() {
		rules, err := o.app.Sys.Rules(code)
		if err != nil {
			return p, err
		}
		p.Games = append(p.Games, rules)
	}
	return p, nil
}

func (o office) rulesPage(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	p, err := o.rules(r)
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "rules", p)
}

// publish publishes the rule book of a file. What is wrong in it is shown line by line.
func (o office) publish(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	name, book, err := readBook(r)
	if err != nil {
		return err
	}
	published, failure := o.app.Sys.PublishRules(r.Context(), central.PublishRules{
		Key: r.PostFormValue("key"), Officer: officer.ID, Book: book,
	})
	p, err := o.rules(r)
	if err != nil {
		return err
	}
	status := http.StatusOK
	switch p.File, p.Faults = name, faults(failure); {
	case failure == nil:
		p.Published = published
	case len(p.Faults) > 0:
		status = http.StatusUnprocessableEntity
	default:
		refusal := o.app.Explain(r, failure)
		p.Refusal, status = refusal.Sentence, refusal.Status
	}
	return face.Render(w, r, status, "rules", p)
}

// readBook reads the file that a form carries.
func readBook(r *http.Request) (name string, book []byte, err error) {
	file, header, err := r.FormFile("book")
	if err != nil {
		return "", nil, errors.Join(page.ErrForm, err)
	}
	defer func() { _ = file.Close() }() // it was read only
	book, err = io.ReadAll(io.LimitReader(file, game.BookMax+1))
	if err != nil {
		return "", nil, errors.Join(page.ErrForm, err)
	}
	return header.Filename, book, nil
}

// faults lists the faults of a rule book that an error joins.
func faults(err error) []game.Fault {
	if f, ok := err.(game.Fault); ok { //nolint:errorlint // the tree of errors is walked here, joint by joint
		return []game.Fault{f}
	}
	var list []game.Fault
	switch err := err.(type) { //nolint:errorlint // as above
	case interface{ Unwrap() []error }:
		for _, e := range err.Unwrap() {
			list = append(list, faults(e)...)
		}
	case interface{ Unwrap() error }:
		list = faults(err.Unwrap())
	}
	return list
}
