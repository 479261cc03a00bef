package page

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/instant"
	"tirage/money"
	"tirage/paper"
	"tirage/party"
	"tirage/settle"
	"tirage/training"
	"tirage/wager"
)

// Refusals of the web itself.
var (
	// ErrNotFound is an address without a page.
	ErrNotFound = errors.New("no such page")
	// ErrForm is a form that does not say what its page asks.
	ErrForm = errors.New("form not understood")
	// ErrTooLarge is a form that is longer than [BodyMax].
	ErrTooLarge = errors.New("form too large")
	// ErrTooMany is one try too many in too short a time.
	ErrTooMany = errors.New("too many tries")
	// ErrSignedOut is a page that needs a session, without one.
	ErrSignedOut = errors.New("not signed on")
	// ErrInsecure is a sign-on that others could read on the way.
	ErrInsecure = errors.New("sign-on needs an encrypted connection")
	// ErrCrossOrigin is a form sent from another site.
	ErrCrossOrigin = errors.New("request from another site")
	// ErrOtherMode is a form of a terminal in training that is sent when it has left it, or the other way round (F21).
	ErrOtherMode = errors.New("form of the other mode of the terminal")
	// ErrPrinterNetwork is a printer outside of the networks in which printers may stand.
	ErrPrinterNetwork = errors.New("no printer may stand there")
)

// BodyMax bounds what a request may carry, in bytes; pages send forms only.
const BodyMax = 64 << 10

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
	{ErrTooLarge, http.StatusRequestEntityTooLarge, "too_large"},
	{ErrTooMany, http.StatusTooManyRequests, "too_many_tries"},
	{ErrSignedOut, http.StatusUnauthorized, "signed_out"},
	{ErrInsecure, http.StatusForbidden, "insecure"},
	{ErrBusy, http.StatusServiceUnavailable, "busy"},
	{ErrSlow, http.StatusBadRequest, "slow"},
	{ErrCrossOrigin, http.StatusForbidden, "cross_origin"},
	{ErrPrinterNetwork, http.StatusUnprocessableEntity, "printer_network"},

	{money.ErrAmount, http.StatusUnprocessableEntity, "amount"},
	{money.ErrLimit, http.StatusUnprocessableEntity, "amount_limit"},

	{game.ErrDay, http.StatusUnprocessableEntity, "day"},
	{game.ErrTooFew, http.StatusUnprocessableEntity, "too_few"},
	{game.ErrTooMany, http.StatusUnprocessableEntity, "too_many"},
	{game.ErrElement, http.StatusUnprocessableEntity, "element"},
	{game.ErrShape, http.StatusUnprocessableEntity, "shape"},
	{game.ErrResult, http.StatusUnprocessableEntity, "result"},
	{game.ErrBook, http.StatusNotFound, "book"},

	{paper.ErrLayout, http.StatusUnprocessableEntity, "layout"},
	{paper.ErrStrangeCode, http.StatusUnprocessableEntity, "strange_code"},
	{paper.ErrImage, http.StatusUnprocessableEntity, "image"},
	{paper.ErrImageSize, http.StatusRequestEntityTooLarge, "image_size"},
	{paper.ErrNoCode, http.StatusUnprocessableEntity, "no_code"},
	{paper.ErrNoSlip, http.StatusUnprocessableEntity, "no_slip"},
	{paper.ErrHalfSlip, http.StatusUnprocessableEntity, "half_slip"},
	{paper.ErrSeveralSlips, http.StatusUnprocessableEntity, "several_slips"},
	{paper.ErrOtherPage, http.StatusUnprocessableEntity, "other_page"},
	{paper.ErrNotFlat, http.StatusUnprocessableEntity, "not_flat"},
	{paper.ErrUnknownSlip, http.StatusUnprocessableEntity, "unknown_slip"},
	{paper.ErrStakeTwice, http.StatusUnprocessableEntity, "stake_twice"},
	{paper.ErrDrawsTwice, http.StatusUnprocessableEntity, "draws_twice"},

	{draw.ErrTransition, http.StatusConflict, "transition"},
	{draw.ErrUnknown, http.StatusNotFound, "draw"},
	{draw.ErrClosed, http.StatusConflict, "draw_closed"},
	{draw.ErrMove, http.StatusUnprocessableEntity, "draw_move"},

	{party.ErrUnknownOutlet, http.StatusNotFound, "unknown_outlet"},
	{party.ErrUnknownTerminal, http.StatusNotFound, "unknown_terminal"},
	{party.ErrWithdrawn, http.StatusForbidden, "withdrawn"},
	{party.ErrBlocked, http.StatusForbidden, "blocked"},
	{party.ErrCredit, http.StatusConflict, "credit"},
	{party.ErrCreditAlone, http.StatusConflict, "credit_alone"},
	{party.ErrOutlet, http.StatusUnprocessableEntity, "outlet"},
	{party.ErrPrinter, http.StatusUnprocessableEntity, "printer"},
	{party.ErrPayee, http.StatusUnprocessableEntity, "payee"},

	{wager.ErrGame, http.StatusUnprocessableEntity, "slip_game"},
	{wager.ErrStakeNotMarked, http.StatusUnprocessableEntity, "stake_not_marked"},
	{wager.ErrStake, http.StatusUnprocessableEntity, "stake"},
	{wager.ErrDrawsNotMarked, http.StatusUnprocessableEntity, "draws_not_marked"},
	{wager.ErrDraws, http.StatusUnprocessableEntity, "draws"},
	{wager.ErrBoards, http.StatusUnprocessableEntity, "boards"},
	{wager.ErrShapes, http.StatusUnprocessableEntity, "shapes"},
	{wager.ErrLetter, http.StatusUnprocessableEntity, "letter"},
	{wager.ErrLimit, http.StatusUnprocessableEntity, "limit"},
	{wager.ErrPartialQuickPick, http.StatusUnprocessableEntity, "partial_quick_pick"},
	{wager.ErrDrawn, http.StatusUnprocessableEntity, "drawn"},
	{wager.ErrNoSession, http.StatusConflict, "no_session"},
	{wager.ErrOverRun, http.StatusConflict, "over_run"},
	{wager.ErrCapped, http.StatusConflict, "capped"},
	{training.ErrClosed, http.StatusServiceUnavailable, "training_closed"},
	{training.ErrFull, http.StatusServiceUnavailable, "training_full"},
	{training.ErrNoDraw, http.StatusConflict, "training_no_draw"},
	{ErrOtherMode, http.StatusConflict, "other_mode"},
	{wager.ErrTraining, http.StatusUnprocessableEntity, "training_ticket"},
	{wager.ErrLive, http.StatusUnprocessableEntity, "live_ticket"},
	{wager.ErrCode, http.StatusUnprocessableEntity, "ticket_code"},
	{wager.ErrSlip, http.StatusUnprocessableEntity, "slip"},
	{wager.ErrSlipChanged, http.StatusUnprocessableEntity, "slip_changed"},
	{wager.ErrSlipForeign, http.StatusUnprocessableEntity, "slip_foreign"},
	{wager.ErrSlipExpired, http.StatusConflict, "slip_expired"},
	{wager.ErrSlipRules, http.StatusConflict, "slip_rules"},

	{instant.ErrPrice, http.StatusNotFound, "unit_price"},
	{instant.ErrRecount, http.StatusConflict, "pool_recount"},
	{instant.ErrUnit, http.StatusUnprocessableEntity, "pool_unit"},
	{instant.ErrGuard, http.StatusServiceUnavailable, "pool_guard"},
	{instant.ErrBoard, http.StatusUnprocessableEntity, "unit_board"},

	{settle.ErrNothingToPay, http.StatusConflict, "nothing_to_pay"},
	{settle.ErrNotYet, http.StatusConflict, "not_yet"},
	{settle.ErrCentre, http.StatusConflict, "centre"},
	{settle.ErrExpired, http.StatusConflict, "expired"},
	{settle.ErrPaid, http.StatusConflict, "paid"},

	{central.ErrNoTicket, http.StatusNotFound, "no_ticket"},
	{central.ErrNotYours, http.StatusForbidden, "not_yours"},
	{central.ErrTooLate, http.StatusConflict, "too_late"},
	{central.ErrDrawCancelled, http.StatusConflict, "draw_cancelled"},
	{central.ErrCancelled, http.StatusConflict, "cancelled"},
	{central.ErrPrinted, http.StatusConflict, "printed"},
	{central.ErrStopped, http.StatusConflict, "stopped"},
	{central.ErrNotStopped, http.StatusConflict, "not_stopped"},
	{central.ErrIdentity, http.StatusConflict, "identity"},
	{central.ErrNoPayee, http.StatusNotFound, "no_payee"},
	{central.ErrNotDue, http.StatusConflict, "not_due"},
	{central.ErrNotPublic, http.StatusForbidden, "not_public"},
	{central.ErrKeyReused, http.StatusConflict, "key_reused"},
	{central.ErrGivenUp, http.StatusConflict, "given_up"},
	{central.ErrKey, http.StatusBadRequest, "key"},
	{central.ErrUnknownGame, http.StatusNotFound, "unknown_game"},
	{central.ErrClock, http.StatusServiceUnavailable, "clock"},
	{central.ErrShutdown, http.StatusServiceUnavailable, "shutdown"},
	{central.ErrJournal, http.StatusServiceUnavailable, "journal"},
	{central.ErrSignOn, http.StatusUnauthorized, "sign_on"},
	{central.ErrSession, http.StatusUnauthorized, "session"},
	{central.ErrNotAllowed, http.StatusForbidden, "not_allowed"},
	{central.ErrGone, http.StatusServiceUnavailable, "gone"},
	{central.ErrRole, http.StatusUnprocessableEntity, "role"},
	{central.ErrLogin, http.StatusUnprocessableEntity, "login"},
	{central.ErrPassword, http.StatusUnprocessableEntity, "password"},
	{central.ErrSamePassword, http.StatusUnprocessableEntity, "same_password"},
	{central.ErrIssued, http.StatusForbidden, "issued"},
	{central.ErrByProposal, http.StatusForbidden, "by_proposal"},
	{central.ErrOpenProposals, http.StatusConflict, "open_proposals"},
	{central.ErrPlanned, http.StatusConflict, "planned"},
	{central.ErrCurrency, http.StatusUnprocessableEntity, "currency"},
	{central.ErrKind, http.StatusUnprocessableEntity, "kind"},
	{central.ErrOverpaid, http.StatusConflict, "overpaid"},
	{central.ErrOtherSum, http.StatusConflict, "other_sum"},
	{central.ErrNoRaise, http.StatusConflict, "no_raise"},
	{central.ErrNotOwed, http.StatusConflict, "not_owed"},
	{central.ErrAmount, http.StatusUnprocessableEntity, "amount_positive"},
	{central.ErrPublished, http.StatusConflict, "published"},
	{central.ErrTermsPast, http.StatusConflict, "terms_past"},
	{central.ErrTerritory, http.StatusUnprocessableEntity, "territory"},
	{central.ErrOutletNumber, http.StatusConflict, "outlet_number"},
	{central.ErrChanged, http.StatusConflict, "changed"},
	{central.ErrChange, http.StatusUnprocessableEntity, "change"},
	{central.ErrReason, http.StatusUnprocessableEntity, "reason"},
	{central.ErrNoProposal, http.StatusNotFound, "no_proposal"},
	{central.ErrDecided, http.StatusConflict, "decided"},
	{central.ErrSameOfficer, http.StatusForbidden, "same_officer"},
	{central.ErrClaimsOver, http.StatusConflict, "claims_over"},
	{central.ErrKeys, http.StatusUnprocessableEntity, "keys"},
	{central.ErrOrigin, http.StatusUnprocessableEntity, "origin"},

	{party.ErrIBAN, http.StatusUnprocessableEntity, "iban"},
	{central.ErrNoVoucher, http.StatusNotFound, "no_voucher"},
	{central.ErrVoucherCode, http.StatusUnprocessableEntity, "voucher_code"},
	{central.ErrVoucherUsed, http.StatusConflict, "voucher_used"},
	{central.ErrVoucherAmount, http.StatusUnprocessableEntity, "voucher_amount"},
	{central.ErrWithdrawalMin, http.StatusUnprocessableEntity, "withdrawal_min"},
	{central.ErrWithdrawal, http.StatusConflict, "withdrawal"},
	{central.ErrPayer, http.StatusConflict, "payer"},
	{central.ErrNoStatement, http.StatusNotFound, "no_statement"},
	{central.ErrDebit, http.StatusConflict, "debit"},
	{central.ErrNoMandate, http.StatusConflict, "no_mandate"},
	{central.ErrCreditor, http.StatusConflict, "creditor"},
	{party.ErrCreditor, http.StatusUnprocessableEntity, "creditor_id"},
	{party.ErrMandate, http.StatusUnprocessableEntity, "mandate"},
	{central.ErrNoticeText, http.StatusUnprocessableEntity, "notice_text"},
	{central.ErrNoticeOver, http.StatusConflict, "notice_over"},
	{central.ErrNotice, http.StatusBadRequest, "notice"},
	{central.ErrOwed, http.StatusConflict, "owed"},
	{central.ErrDemo, http.StatusForbidden, "demo"},

	{party.ErrRules, http.StatusUnprocessableEntity, "account_rules"},
	{party.ErrOutletTerms, http.StatusUnprocessableEntity, "outlet_terms"},
	{party.ErrUnknownPlayer, http.StatusNotFound, "unknown_player"},
	{party.ErrPlayerClosed, http.StatusConflict, "player_closed"},
	{party.ErrUnconfirmed, http.StatusForbidden, "unconfirmed"},
	{party.ErrTerms, http.StatusConflict, "terms"},
	{party.ErrExcluded, http.StatusForbidden, "excluded"},
	{party.ErrLimit, http.StatusConflict, "player_limit"},
	{party.ErrBalance, http.StatusConflict, "balance"},
	{party.ErrLimits, http.StatusUnprocessableEntity, "limits"},
	{party.ErrExclusion, http.StatusUnprocessableEntity, "exclusion"},
	{party.ErrDepositMin, http.StatusUnprocessableEntity, "deposit_min"},
	{party.ErrMeans, http.StatusForbidden, "means"},
	{party.ErrAdult, http.StatusForbidden, "adult"},
	{central.ErrPerson, http.StatusUnprocessableEntity, "person"},
	{central.ErrToken, http.StatusGone, "token"},
	{central.ErrLocked, http.StatusTooManyRequests, "locked"},
	{central.ErrCode, http.StatusUnauthorized, "code"},
	{central.ErrPasskey, http.StatusUnauthorized, "passkey"},
	{central.ErrPasskeyCopied, http.StatusForbidden, "passkey_copied"},
	{central.ErrPasskeys, http.StatusConflict, "passkeys"},
	{central.ErrPasskeyName, http.StatusUnprocessableEntity, "passkey_name"},
	{central.ErrNoPasskey, http.StatusNotFound, "no_passkey"},
	{central.ErrPasskeySite, http.StatusConflict, "passkey_site"},
	{central.ErrOldPassword, http.StatusUnauthorized, "old_password"},
	{central.ErrSignUpPassword, http.StatusUnauthorized, "sign_up_password"},

	{central.ErrNotLaunched, http.StatusServiceUnavailable, "game_closed"},
	{central.ErrSoldOut, http.StatusConflict, "sold_out"},
	{central.ErrNoUnit, http.StatusNotFound, "no_unit"},
	{central.ErrSecrets, http.StatusUnprocessableEntity, "secrets"},
	{central.ErrGameState, http.StatusConflict, "game_state"},
	{central.ErrMessage, http.StatusUnprocessableEntity, "message"},
	{central.ErrNoPool, http.StatusNotFound, "no_pool"},
	{central.ErrPoolClosed, http.StatusConflict, "pool_closed"},
}

// Describe says what an error is to a viewer of a language.
func Describe(l Lang, err error) Refusal {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		err = ErrTooLarge
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
	if e, ok := errors.AsType[*game.PicksError](err); ok && e.Matrix != "" {
		return struct {
			Matrix                         string
			Want, Got, More, Over, Element int
			Column                         int
		}{l.Text(e.Name), e.Want, e.Got, e.Want - e.Got, e.Got - e.Want, e.Element, e.Column}
	}
	if e, ok := errors.AsType[*game.ShapeError](err); ok {
		return shapeDetail(l, e)
	}
	if e, ok := errors.AsType[*wager.ShapesError](err); ok {
		return struct{ Shape, Before string }{e.Shape.String(), e.Before.String()}
	}
	if e, ok := errors.AsType[*wager.LimitError](err); ok {
		return limitDetail(l, e)
	}
	if errors.Is(err, money.ErrLimit) || errors.Is(err, party.ErrOutlet) {
		return struct{ Limit string }{l.Money(money.Limit)}
	}
	if e, ok := errors.AsType[*party.CreditError](err); ok {
		return struct{ Price, Left, Limit, Owes string }{l.Money(e.Price), l.Money(e.Left), l.Money(e.Limit), l.Money(e.Owes)}
	}
	if e, ok := errors.AsType[*party.MandateError](err); ok {
		return struct{ Field string }{string(e.Field)}
	}
	if e, ok := errors.AsType[*party.CreditAloneError](err); ok {
		return struct{ Alone string }{l.Money(e.Alone)}
	}
	if e, ok := errors.AsType[*wager.CappedError](err); ok {
		full := make([]int, len(e.Full))
		for i, d := range e.Full {
			full[i] = d.Number
		}
		stake := ""
		if e.Stake > 0 {
			stake = l.Money(e.Stake)
		}
		return struct {
			Draws, Stake string
			Many         bool
		}{l.list(words(full), " et ", " and "), stake, len(full) > 1}
	}
	if d := wagerDetail(l, err); d != nil {
		return d
	}
	if d := playerDetail(l, err); d != nil {
		return d
	}
	if e, ok := errors.AsType[*draw.ClosedError](err); ok {
		return struct{ At string }{l.Moment(e.At, zoneParis)}
	}
	if e, ok := errors.AsType[*settle.NotYetError](err); ok {
		from := ""
		if !e.From.IsZero() {
			from = l.Moment(e.From, zoneParis)
		}
		return struct {
			From    string
			Waiting int
		}{from, e.Waiting}
	}
	return nil
}

// wagerDetail is what a refusal of a slip's stake, draws or boards knows.
func wagerDetail(l Lang, err error) any {
	if e, ok := errors.AsType[*wager.StakeError](err); ok {
		allowed := make([]string, len(e.Allowed))
		for i, a := range e.Allowed {
			allowed[i] = l.Money(a)
		}
		return struct{ Stake, Allowed string }{l.Money(e.Stake), l.list(allowed, " ou ", " or ")}
	}
	if e, ok := errors.AsType[*wager.DrawsError](err); ok {
		return struct {
			Draws   int
			Allowed string
		}{e.Draws, l.list(words(e.Allowed), " ou ", " or ")}
	}
	if e, ok := errors.AsType[*wager.BoardsError](err); ok {
		return *e
	}
	if e, ok := errors.AsType[*wager.OverRunError](err); ok {
		return *e
	}
	if e, ok := errors.AsType[*wager.SlipExpiredError](err); ok {
		return struct{ Until string }{l.Moment(e.Until, zoneParis)}
	}
	return nil
}

// playerDetail is what a refusal to a player knows beyond its sentinel.
func playerDetail(l Lang, err error) any {
	if e, ok := errors.AsType[*party.LimitError](err); ok {
		return struct{ Kind, Max, Used, Left string }{limitKind(e.Kind), l.Money(e.Max), l.Money(e.Used), l.Money(e.Left)}
	}
	if e, ok := errors.AsType[*party.ExcludedError](err); ok {
		return struct{ Until string }{l.Moment(e.Until, zoneParis)}
	}
	if e, ok := errors.AsType[*party.BalanceError](err); ok {
		return struct{ Balance, Price string }{l.Money(e.Balance), l.Money(e.Price)}
	}
	if e, ok := errors.AsType[*party.DepositMinError](err); ok {
		return struct{ Min string }{l.Money(e.Min)}
	}
	if e, ok := errors.AsType[*central.PersonError](err); ok {
		return *e
	}
	if e, ok := errors.AsType[*central.ClosedGameError](err); ok {
		return struct{ State, Message string }{e.State.String(), l.Text(e.Message)}
	}
	return nil
}

// limitKind is a limit in the words of its sentence; "" is that of an account whose identity was not checked.
func limitKind(k party.ChangeKind) string {
	if k == 0 {
		return ""
	}
	return k.String()
}

// shapeDetail is what a multiple play has more in each column, and what it may have.
func shapeDetail(l Lang, e *game.ShapeError) any {
	var extras []int
	for _, n := range e.Extras {
		if n > 0 {
			extras = append(extras, n)
		}
	}
	allowed := make([]string, len(e.Allowed))
	for i, s := range e.Allowed {
		allowed[i] = s.String()
	}
	return struct{ Matrix, Extras, Allowed string }{l.Text(e.Name), l.list(words(extras), " et ", " and "), strings.Join(allowed, ", ")}
}

// limitDetail is what a play costs and what would still fit, one of it changed (AMI-5.2).
func limitDetail(l Lang, e *wager.LimitError) any {
	stake := ""
	if e.Stake > 0 {
		stake = l.Money(e.Stake)
	}
	return struct {
		Price, Limit, Stake string
		Draws               int
		Combinations        int64
		None                bool
	}{l.Money(e.Price), l.Money(e.Limit), stake, e.Draws, e.Combinations, stake == "" && e.Draws == 0 && e.Combinations == 0}
}

func words(list []int) []string {
	text := make([]string, len(list))
	for i, n := range list {
		text[i] = strconv.Itoa(n)
	}
	return text
}

// list writes "2, 4 ou 6", with the last word's conjunction in each language.
func (l Lang) list(words []string, french, english string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	if l == English {
		french = english
	}
	return strings.Join(words[:last], ", ") + french + words[last]
}
