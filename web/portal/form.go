package portal

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
)

// form is a form of an account: the key of its command (F10), what was typed
// into it, and why it was refused, said beside the field that it is about.
type form struct {
	ID      string // begins the ids of its fields, of several on a page
	Key     string
	Refusal string
	Fault   string // name of the field; "": of the whole form
	typed   url.Values
}

func newForm(id string) form { return form{ID: id, Key: page.NewKey()} }

// refuse keeps why a form was refused, and what was typed.
func (f *form) refuse(refusal page.Refusal, err error, typed url.Values) {
	f.Refusal, f.Fault, f.typed = refusal.Sentence, faultOf(err), typed
}

// Typed is what a field was typed, cut to a length that a page may show again.
func (f form) Typed(name string) string { return shorten(f.typed.Get(name), 200) }

// At is why a field was refused, or "".
func (f form) At(name string) string {
	if f.Refusal != "" && f.Fault == name {
		return f.Refusal
	}
	return ""
}

// Whole is why the form was refused, when that is about none of its fields.
func (f form) Whole() string { return f.At("") }

// field is a field of a form, for the template "field".
type field struct {
	ID, Name, Type string
	Complete       string // autocomplete
	Mode           string // inputmode
	Value          string
	Refusal        string
	Label, Hint    string // ids of sentences
}

// Input is a field of text, of a type of HTML.
func (f form) Input(name, kind, complete string) field {
	x := field{ID: f.ID + name, Name: name, Type: kind, Complete: complete, Value: f.Typed(name), Refusal: f.At(name), Label: "field." + name}
	if kind == "password" {
		x.Value = "" // never said again
	}
	return x
}

// Amount is a field of euros.
func (f form) Amount(name string) field {
	x := f.Input(name, "text", "off")
	x.Mode = "decimal"
	return x
}

// Called gives the field another label.
func (x field) Called(label string) field { x.Label = label; return x }

// Hinted adds a hint.
func (x field) Hinted(hint string) field { x.Hint = hint; return x }

// Digits asks for a keyboard of digits.
func (x field) Digits() field { x.Mode = "numeric"; return x }

// Starting is the field with what it starts with.
func (x field) Starting(value string) field {
	if x.Value == "" {
		x.Value = value
	}
	return x
}

// fieldError is a refusal of what was typed into a field.
type fieldError struct {
	field string
	err   error
}

func (e *fieldError) Error() string { return e.field + ": " + e.err.Error() }
func (e *fieldError) Unwrap() error { return e.err }

// faultOf is the field that a refusal is about, or "".
func faultOf(err error) string {
	if e, ok := errors.AsType[*fieldError](err); ok {
		return e.field
	}
	if e, ok := errors.AsType[*central.PersonError](err); ok && e.Field != "lang" {
		return e.Field
	}
	for _, x := range []struct {
		err   error
		field string
	}{
		{party.ErrAdult, "birthday"},
		{game.ErrDay, "birthday"},
		{party.ErrTerms, "terms"},
		{central.ErrPassword, "password"},
		{central.ErrSignUpPassword, "password"},
		{party.ErrIBAN, "iban"},
		{central.ErrVoucherCode, "code"},
		{central.ErrNoVoucher, "code"},
		{central.ErrVoucherUsed, "code"},
		{central.ErrCode, "code"},
		{money.ErrAmount, "amount"},
		{money.ErrLimit, "amount"},
		{central.ErrWithdrawalMin, "amount"},
		{party.ErrDepositMin, "amount"},
		{party.ErrBalance, "amount"},
		{errSure, "sure"},
	} {
		if errors.Is(err, x.err) {
			return x.field
		}
	}
	return ""
}

// tenths is an amount whose last digit, a zero, was left out: "50,5".
var tenths = regexp.MustCompile(`^\s*([0-9]+[.,][0-9])\s*€?\s*$`)

// readAmount reads an amount of a field, or says which it is.
func readAmount(lang page.Lang, form url.Values, name string) (money.Amount, error) {
	a, err := lang.ParseMoney(tenths.ReplaceAllString(form.Get(name), "${1}0"))
	if err != nil {
		return 0, &fieldError{name, err}
	}
	return a, nil
}

// editable writes an amount as a field starts with it.
func editable(lang page.Lang, a money.Amount) string {
	text := strings.TrimSuffix(a.String(), ".00")
	if lang == page.French {
		return strings.Replace(text, ".", ",", 1)
	}
	return text
}

var (
	errSure = errors.New("not confirmed")       // a step that cannot be undone, without the box that says so
	errSame = errors.New("nothing was changed") // a form that asks for what is already so
)

// explain says why a form was refused, to the player who sent it.
func (p portal) explain(r *http.Request, err error) (page.Refusal, error) {
	var refusal page.Refusal
	var id string
	switch {
	case errors.Is(err, errSure):
		id, refusal = "refusal.sure", page.Refusal{Status: http.StatusUnprocessableEntity, Code: "sure"}
	case errors.Is(err, errSame):
		id, refusal = "refusal.same", page.Refusal{Status: http.StatusUnprocessableEntity, Code: "same"}
	default:
		refusal = p.app.Explain(r, err)
		if !errors.Is(err, central.ErrSignOn) {
			return refusal, nil
		}
		id = "refusal.signon"
	}
	var broken error
	refusal.Sentence, broken = face.T(page.LangOf(r), id)
	return refusal, broken
}
