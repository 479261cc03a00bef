package office

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"tirage/central"
	"tirage/game"
	"tirage/instant"
	"tirage/party"
	"tirage/web/page"
)

// rulesPage is the rule books in force, and the form to publish another.
type rulesPage struct {
	frame
	Books     []bookLine
	Key       string
	File      string // name of the file that was refused
	Faults    []game.Fault
	Refusal   string
	Published *bookLine
}

// bookLine is a rule book: of a draw game, an instant game, of accounts, or of outlets.
type bookLine struct {
	Name     game.Text
	Version  string
	FirstDay game.Day
	Hash     [32]byte
	Instant  bool
}

func drawBook(r *game.Rules) bookLine { return bookLine{r.Name, r.Version, r.FirstDay, r.Hash, false} }

func instantBook(r *instant.Rules) bookLine {
	return bookLine{r.Name, r.Version, r.FirstDay, r.Hash, true}
}

func accountsBook(r *party.Rules) (bookLine, error) {
	return namedBook("rules.accounts", bookLine{Version: r.Version, FirstDay: game.Day(r.FirstDay), Hash: r.Hash})
}

func termsBook(t *party.Terms) (bookLine, error) {
	return namedBook("rules.terms", bookLine{Version: t.Version, FirstDay: game.Day(t.FirstDay), Hash: t.Hash})
}

// namedBook names a book that is of no game, and has no name of its own.
func namedBook(name string, line bookLine) (_ bookLine, err error) {
	if line.Name.FR, err = face.T(page.French, name); err == nil {
		line.Name.EN, err = face.T(page.English, name)
	}
	return line, err
}

func (o office) rules(r *http.Request) (rulesPage, error) {
	p := rulesPage{frame: o.frame(r, "rules.title", pathRules), Key: page.NewKey()}
	for _, code := range o.app.Sys.Games() {
		rules, err := o.app.Sys.Rules(code)
		if err != nil {
			return p, err
		}
		p.Books = append(p.Books, drawBook(rules))
	}
	for _, code := range o.app.Sys.InstantGames() {
		g, err := o.app.Sys.Instant(code)
		if err != nil {
			return p, err
		}
		p.Books = append(p.Books, instantBook(g.Rules))
	}
	if accounts := o.app.Sys.AccountRules(); accounts != nil {
		line, err := accountsBook(accounts)
		if err != nil {
			return p, err
		}
		p.Books = append(p.Books, line)
	}
	if terms := o.app.Sys.Terms(); terms != nil {
		line, err := termsBook(terms)
		if err != nil {
			return p, err
		}
		p.Books = append(p.Books, line)
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
	published, failure := o.publishBook(r.Context(), central.PublishRules{Key: r.PostFormValue("key"), Officer: officer.ID, Book: book})
	p, err := o.rules(r)
	if err != nil {
		return err
	}
	status := http.StatusOK
	switch p.File, p.Faults = name, faults(failure, book); {
	case failure == nil:
		p.Published = &published
	case len(p.Faults) > 0:
		status = http.StatusUnprocessableEntity
	default:
		refusal := o.app.Explain(r, failure)
		p.Refusal, status = refusal.Sentence, refusal.Status
	}
	return face.Render(w, r, status, "rules", p)
}

// publishBook publishes a rule book as what its kind says it is: of an instant
// game, of accounts, of outlets, and else of a draw game.
func (o office) publishBook(ctx context.Context, p central.PublishRules) (bookLine, error) {
	switch kind, _ := entry(p.Book, "kind"); kind {
	case "instant":
		r, err := o.app.Sys.PublishInstant(ctx, p)
		if err != nil {
			return bookLine{}, err
		}
		return instantBook(r), nil
	case "accounts":
		r, err := o.app.Sys.PublishAccounts(ctx, p)
		if err != nil {
			return bookLine{}, err
		}
		return accountsBook(r)
	case "outlets":
		t, err := o.app.Sys.PublishTerms(ctx, p)
		if err != nil {
			return bookLine{}, err
		}
		return termsBook(t)
	}
	r, err := o.app.Sys.PublishRules(ctx, p)
	if err != nil {
		return bookLine{}, err
	}
	return drawBook(r), nil
}

// entry is what a key of a rule book says, and on which line; 0: the book has no
// such key. Keys within keys have points between.
func entry(book []byte, key string) (value string, line int) {
	_, node := game.Read("", book)
	for part := range strings.SplitSeq(key, ".") {
		if node == nil {
			return "", 0
		}
		i := 0
		for i+1 < len(node.Content) && node.Content[i].Value != part {
			i += 2
		}
		if i+1 >= len(node.Content) {
			return "", 0
		}
		line, node = node.Content[i].Line, node.Content[i+1]
	}
	return node.Value, line
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

// faults lists the faults of a rule book that an error joins. Those of rules of
// accounts and terms of outlets name their key, whose line is looked up.
func faults(err error, book []byte) []game.Fault {
	switch f := err.(type) { //nolint:errorlint // the tree of errors is walked here, joint by joint
	case game.Fault:
		return []game.Fault{f}
	case *party.RulesError:
		_, line := entry(book, f.Field)
		return []game.Fault{{Line: line, What: f.Field, Expected: f.Expected, Got: f.Got}}
	}
	var list []game.Fault
	switch err := err.(type) { //nolint:errorlint // as above
	case interface{ Unwrap() []error }:
		for _, e := range err.Unwrap() {
			list = append(list, faults(e, book)...)
		}
	case interface{ Unwrap() error }:
		list = faults(err.Unwrap(), book)
	}
	return list
}
