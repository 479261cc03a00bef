package page

import (
	"errors"
	"net/http"
	"strings"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/party"
)

// Refusals of the web itself.
var (
	// ErrNotFound is an address without a page.
	ErrNotFound = errors.New("no such page")
	// ErrForm is a form that does not say what its page asks.
	ErrForm = errors.New("form not understood")
	// ErrTooMany is one try too many in too short a time.
	ErrTooMany = errors.New("too many tries")
	// ErrSignedOut is a page that needs a session, without one.
	ErrSignedOut = errors.New("not signed on")
	// ErrInsecure is a sign-on that others could read on the way.
	ErrInsecure = errors.New("sign-on needs an encrypted connection")
	// ErrCrossOrigin is a form sent from another site.
	ErrCrossOrigin = errors.New("request from another site")
)

// Refusal is what an error is to a viewer.
type Refusal struct {
	Status   int    // of HTTP
	Code     string // stable, for machines: "capped"
	Sentence string // in the viewer's language: the field, the rule, what would still fit
}

// refusals is the table from refusal to status, code and sentence; the
// sentence is "refusal.CODE" in active.*.yaml. The first line that an error is
// holds. Anything else is a fault of ours: 500, logged, shown as nothing.
var refusals = []struct {
	err    error
	status int
	code   string
}{
	{ErrNotFound, http.StatusNotFound, "not_found"},
	{ErrForm, http.StatusBadRequest, "form"},
	{ErrTooMany, http.StatusTooManyRequests, "too_many_tries"},
	{ErrSignedOut, http.StatusUnauthorized, "signed_out"},
	{ErrInsecure, http.StatusForbidden, "insecure"},
	{ErrCrossOrigin, http.StatusForbidden, "cross_origin"},

	{money.ErrAmount, http.StatusUnprocessableEntity, "amount"},
	{money.ErrLimit, http.StatusUnprocessableEntity, "amount_limit"},

	{game.ErrDay, http.StatusUnprocessableEntity, "day"},
	{game.ErrTooFew, http.StatusUnprocessableEntity, "too_few"},
	{game.ErrTooMany, http.StatusUnprocessableEntity, "too_many"},
	{game.ErrElement, http.StatusUnprocessableEntity, "element"},
	{game.ErrResult, http.StatusUnprocessableEntity, "result"},
	{game.ErrBook, http.StatusNotFound, "book"},

	{draw.ErrTransition, http.StatusConflict, "transition"},
	{draw.ErrUnknown, http.StatusNotFound, "draw"},

	{party.ErrUnknownOutlet, http.StatusNotFound, "unknown_outlet"},
	{party.ErrUnknownTerminal, http.StatusNotFound, "unknown_terminal"},
	{party.ErrBlocked, http.StatusForbidden, "blocked"},
	{party.ErrCredit, http.StatusConflict, "credit"},
	{party.ErrOutlet, http.StatusUnprocessableEntity, "outlet"},

	{central.ErrKeys, http.StatusUnprocessableEntity, "keys"},
	{central.ErrOrigin, http.StatusUnprocessableEntity, "origin"},
}

// Describe says what an error is to a viewer of a language.
func Describe(l Lang, err error) Refusal {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		err = ErrForm
	}
	for _, line := range refusals {
		if !errors.Is(err, line.err) {
			continue
		}
		r := Refusal{Status: line.status, Code: line.code}
		r.Sentence = sentence(l, line.code, detail(l, err))
		return r
	}
	return Refusal{http.StatusInternalServerError, "internal", sentence(l, "internal", nil)}
}

// sentence is never missing: the gallery test walks the table in all languages.
func sentence(l Lang, code string, data any) string {
	if data != nil {
		if s, err := common.T(l, "refusal."+code+".detail", data); err == nil {
			return s
		}
	}
	s, err := common.T(l, "refusal."+code)
	if err != nil {
		return strings.ReplaceAll(code, "_", " ")
	}
	return s
}

// detail returns what an error knows beyond its sentinel, in words, for the
// sentence "refusal.CODE.detail"; nil when it knows nothing.
func detail(l Lang, err error) any {
	var picks *game.PicksError
	if errors.As(err, &picks) && picks.Matrix != "" {
		return struct {
			Matrix                string
			Want, Got, More, Over int
			Element               int
		}{l.Text(picks.Name), picks.Want, picks.Got, picks.Want - picks.Got, picks.Got - picks.Want, picks.Element}
	}
	var credit *party.CreditError
	if errors.As(err, &credit) {
		return struct{ Price, Left, Limit, Owes string }{
			l.Money(credit.Price), l.Money(credit.Left), l.Money(credit.Limit), l.Money(credit.Owes),
		}
	}
	return nil
}
