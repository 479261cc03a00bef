// Package office is the operator's face, at /office: today's draws with what
// was staked on them, the acts that move draws or money and take two officers,
// the pools of the instant games, the players, what is paid out to them and
// what they paid by card, the outlets with their statements, direct debits and
// reports, the tickets, the messages to terminals, the rule books and terms, and the officers.
//
// Every page needs an officer's session, which is of another kind than a
// terminal's: neither opens the other's doors. Every form carries the key of
// its command from the moment it was written, so sending it twice does it once
// (F10). Which officer did what is in the journal.
package office

import (
	"embed"
	"errors"
	"net/http"
	"strings"
	"time"

	"tirage/central"
	"tirage/party"
	"tirage/web/page"
)

//go:embed templates/*.html static active.*.yaml
var files embed.FS

var face = page.MustFace("office", files)

// sessionLife is how long an officer stays signed on: a working day.
const sessionLife = 9 * time.Hour

// The addresses of the face.
const (
	pathDraws   = "/office"
	pathClock   = "/office/horloge"
	pathSignOn  = "/office/connexion"
	pathSignOff = "/office/deconnexion"
	pathOutlets = "/office/points-de-vente"
	pathReceive = "/office/points-de-vente/versement"
	pathPayOut  = "/office/points-de-vente/reversement"
	pathRaise   = "/office/points-de-vente/plafond"
	pathTerms   = "/office/points-de-vente/conditions"
	pathOpen    = "/office/points-de-vente/nouveau"
	pathAdd     = "/office/points-de-vente/terminal"
	pathPrinter = "/office/points-de-vente/imprimante"
	pathRenew   = "/office/points-de-vente/cle"
	pathRetire  = "/office/points-de-vente/retrait"
	pathRules   = "/office/reglements"

	pathDay       = "/office/points-de-vente/jour"
	pathMandate   = "/office/points-de-vente/mandat"
	pathStatement = "/office/releves"

	pathDebits       = "/office/prelevements"
	pathDebitFile    = "/office/prelevements/fichier"
	pathSettleDebits = "/office/prelevements/suite"

	pathReports    = "/office/rapports"
	pathReportCSV  = "/office/rapports/csv"
	pathReportPDF  = "/office/rapports/pdf"
	pathNotices    = "/office/messages"
	pathRetract    = "/office/messages/retrait"
	pathConditions = "/office/conditions"

	pathTickets = "/office/recus"
	pathStop    = "/office/recus/arret"
	pathLift    = "/office/recus/reprise"
	pathPay     = "/office/recus/paiement"
	pathPayee   = "/office/recus/beneficiaire"

	pathPools   = "/office/blocs"
	pathLaunch  = "/office/blocs/ouverture"
	pathSuspend = "/office/blocs/suspension"
	pathResume  = "/office/blocs/reprise"
	pathEndPool = "/office/blocs/fermeture"
	pathSecrets = "/office/blocs/secrets"

	pathPlayers  = "/office/joueurs"
	pathIdentity = "/office/joueurs/identite"

	pathWithdrawals = "/office/retraits"
	pathFile        = "/office/retraits/fichier"
	pathSettle      = "/office/retraits/suite"
	pathReconcile   = "/office/retraits/rapprochement"
	pathCollect     = "/office/retraits/encaissement"

	pathProposals = "/office/propositions"
	pathExtend    = "/office/propositions/delai"
	pathApprove   = "/office/propositions/approbation"
	pathReject    = "/office/propositions/rejet"
	pathOfficers  = "/office/responsables"
	pathPassword  = "/office/responsables/mot-de-passe"
)

type office struct {
	app   *page.App
	pages *http.ServeMux // all that is read: what a sign-on may come back to
}

// Routes serves the face.
func Routes(mux *http.ServeMux, app *page.App) {
	o := office{app, http.NewServeMux()}
	app.Mount(mux, face)
	app.Handle(mux, "GET "+pathSignOn, face, o.signOnPage)
	app.Handle(mux, "POST "+pathSignOn, face, o.signOn)
	app.Handle(mux, "POST "+pathSignOff, face, o.signOff)
	for _, routes := range []map[string]officerHandler{o.drawRoutes(), o.playRoutes(), o.networkRoutes(), o.houseRoutes()} {
		for pattern, h := range routes {
			app.Handle(mux, pattern, face, o.signedOn(h))
			if strings.HasPrefix(pattern, "GET ") {
				o.pages.Handle(pattern, http.NotFoundHandler())
			}
		}
	}
}

// drawRoutes are those of draws, proposals and rule books.
func (o office) drawRoutes() map[string]officerHandler {
	return map[string]officerHandler{
		"GET " + pathDraws:      o.drawsPage,
		"POST " + pathClock:     o.confirmClock,
		"GET " + pathRules:      o.rulesPage,
		"POST " + pathRules:     o.publish,
		"GET " + pathProposals:  o.proposalsPage,
		"POST " + pathProposals: o.propose,
		"POST " + pathExtend:    o.extend,
		"POST " + pathApprove:   o.approve,
		"POST " + pathReject:    o.reject,
	}
}

// playRoutes are those of play on the web.
func (o office) playRoutes() map[string]officerHandler {
	return map[string]officerHandler{
		"GET " + pathPools:               o.poolsPage,
		"GET " + pathPools + "/{number}": o.poolPage,
		"POST " + pathLaunch:             o.launch,
		"POST " + pathSuspend:            o.suspend,
		"POST " + pathResume:             o.resume,
		"POST " + pathEndPool:            o.endPool,
		"POST " + pathSecrets:            o.commitSecrets,
		"GET " + pathPlayers:             o.playersPage,
		"POST " + pathPlayers:            o.findPlayers,
		"GET " + pathPlayers + "/{id}":   o.playerPage,
		"POST " + pathIdentity:           o.checkIdentity,
		"GET " + pathWithdrawals:         o.withdrawalsPage,
		"POST " + pathWithdrawals:        o.sendWithdrawals,
		"GET " + pathFile + "/{number}":  o.transferFile,
		"POST " + pathSettle:             o.settleWithdrawals,
		"POST " + pathReconcile:          o.reconcile,
		"POST " + pathCollect:            o.collect,
	}
}

// networkRoutes are those of outlets and their tickets.
func (o office) networkRoutes() map[string]officerHandler {
	return map[string]officerHandler{
		"GET " + pathOutlets:                     o.outletsPage,
		"POST " + pathReceive:                    o.receive,
		"POST " + pathPayOut:                     o.payOut,
		"POST " + pathRaise:                      o.raise,
		"POST " + pathTerms:                      o.terms,
		"POST " + pathOpen:                       o.openOutlet,
		"POST " + pathAdd:                        o.addTerminal,
		"POST " + pathPrinter:                    o.setPrinter,
		"POST " + pathRenew:                      o.renewTerminal,
		"POST " + pathRetire:                     o.withdrawTerminal,
		"GET " + pathTickets:                     o.ticketsPage,
		"GET " + pathTickets + "/{number}":       o.ticketPage,
		"POST " + pathStop:                       o.stopTicket,
		"POST " + pathLift:                       o.liftStop,
		"POST " + pathPay:                        o.payTicket,
		"POST " + pathRetract:                    o.retractNotice,
		"POST " + pathPayee:                      o.readPayee,
		"GET " + pathDay:                         o.dayPage,
		"POST " + pathMandate:                    o.setMandate,
		"GET " + pathStatement + "/{record}":     o.statementPage,
		"GET " + pathStatement + "/{record}/csv": o.statementCSV,
		"GET " + pathStatement + "/{record}/pdf": o.statementPDF,
		"GET " + pathDebits:                      o.debitsPage,
		"POST " + pathDebits:                     o.sendDebits,
		"GET " + pathDebits + "/{number}":        o.debitFilePage,
		"GET " + pathDebitFile + "/{number}":     o.debitFileXML,
		"POST " + pathSettleDebits:               o.settleDebits,
		"GET " + pathReports:                     o.reportsPage,
		"GET " + pathReportCSV:                   o.reportCSV,
		"GET " + pathReportPDF:                   o.reportPDF,
		"GET " + pathNotices:                     o.noticesPage,
		"POST " + pathNotices:                    o.sendNotice,
		"GET " + pathConditions:                  o.conditionsPage,
		"POST " + pathConditions:                 o.publishTerms,
	}
}

// houseRoutes are those of the officers.
func (o office) houseRoutes() map[string]officerHandler {
	return map[string]officerHandler{
		"GET " + pathOfficers:  o.officersPage,
		"POST " + pathOfficers: o.makeOfficer,
		"GET " + pathPassword:  o.passwordPage,
		"POST " + pathPassword: o.changePassword,
	}
}

type officerHandler func(w http.ResponseWriter, r *http.Request, officer party.Officer) error

// signedOn gives the handler who asks. Whoever has no session is sent to sign
// on, and whose password somebody else chose, to change it.
func (o office) signedOn(h officerHandler) page.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		id, err := o.app.Session(r, page.OfficerSession)
		if errors.Is(err, page.ErrSignedOut) {
			o.askSignOn(w, r)
			return nil
		}
		if err != nil {
			return err
		}
		officer, err := o.app.Sys.Officer(id)
		if err != nil {
			return err
		}
		must, err := o.app.Sys.MustChangePassword(r.Context(), id)
		if err != nil {
			return err
		}
		if must && r.URL.Path != pathPassword {
			http.Redirect(w, r, pathPassword, http.StatusSeeOther)
			return nil
		}
		return h(w, r, officer)
	}
}

// frame is what the layout of all pages of the office needs.
type frame struct {
	page.Base
	Here  string    // address in the menu
	Now   time.Time // the system's
	Zone  *time.Location
	Paths paths
	Menu  []menuEntry
}

// menuEntry is a page of the menu.
type menuEntry struct {
	Path, Name string // the name is that of a sentence
	First      bool   // of a group
}

// menu is the pages of the face: of draws, of play on the web, of outlets, of the house.
var menu = []menuEntry{
	{pathDraws, "draws.menu", false},
	{pathProposals, "proposals.menu", false},
	{pathPools, "pools.menu", true},
	{pathPlayers, "players.menu", false},
	{pathWithdrawals, "withdrawals.menu", false},
	{pathOutlets, "outlets.menu", true},
	{pathTickets, "tickets.menu", false},
	{pathDebits, "debits.menu", false},
	{pathReports, "reports.menu", false},
	{pathNotices, "notices.menu", false},
	{pathRules, "rules.menu", true},
	{pathOfficers, "officers.menu", false},
}

// paths are the addresses that pages link to.
type paths struct {
	Draws, Clock, Outlets, Rules, SignOff, Receive, PayOut, Raise, Terms, Open, Add, Printer, Renew, Retire string
	Pools, Launch, Suspend, Resume, EndPool, Secrets, Players, Identity                                     string
	Withdrawals, File, Settle, Reconcile, Collect                                                           string
	Proposals, Extend, Approve, Reject, Officers, Password                                                  string
	Tickets, Stop, Lift, Pay, Payee, Retract                                                                string
	Mandate, Statement, Debits, DebitFile, SettleDebits                                                     string
	Reports, Notices, Conditions                                                                            string
}

// addresses are they, for all pages.
var addresses = paths{
	Draws: pathDraws, Clock: pathClock, Outlets: pathOutlets, Rules: pathRules, SignOff: pathSignOff,
	Receive: pathReceive, PayOut: pathPayOut, Raise: pathRaise, Terms: pathTerms, Open: pathOpen, Add: pathAdd, Printer: pathPrinter, Renew: pathRenew, Retire: pathRetire,
	Pools: pathPools, Launch: pathLaunch, Suspend: pathSuspend, Resume: pathResume, EndPool: pathEndPool, Secrets: pathSecrets, Players: pathPlayers, Identity: pathIdentity,
	Withdrawals: pathWithdrawals, File: pathFile, Settle: pathSettle, Reconcile: pathReconcile, Collect: pathCollect,
	Mandate: pathMandate, Statement: pathStatement, Debits: pathDebits, DebitFile: pathDebitFile, SettleDebits: pathSettleDebits,
	Reports: pathReports, Notices: pathNotices, Conditions: pathConditions,
	Tickets: pathTickets, Stop: pathStop, Lift: pathLift, Pay: pathPay, Payee: pathPayee, Retract: pathRetract,
	Proposals: pathProposals, Extend: pathExtend, Approve: pathApprove, Reject: pathReject, Officers: pathOfficers, Password: pathPassword,
}

func (o office) frame(r *http.Request, title, here string) frame {
	return frame{Base: face.Base(r, title), Here: here, Now: o.app.Sys.Now(), Zone: page.ParisZone(), Paths: addresses, Menu: menu}
}

// signOnPage asks for login and password.
type signOnPage struct {
	page.Base
	Login   string
	Refusal string
	Action  string // with where it leads
	Lost    bool   // a form that was sent is not done
}

func (o office) signOnPage(w http.ResponseWriter, r *http.Request) error {
	return face.Render(w, r, http.StatusOK, "signon", newSignOnPage(r))
}

func (o office) signOn(w http.ResponseWriter, r *http.Request) error {
	err := o.tryPassword(w, r)
	if err == nil {
		http.Redirect(w, r, returnTo(r), http.StatusSeeOther)
		return nil
	}
	refusal := o.app.Explain(r, err)
	p := newSignOnPage(r)
	p.Login, p.Refusal = r.PostForm.Get("login"), refusal.Sentence
	said := ""
	switch {
	case errors.Is(err, central.ErrSignOn):
		said = "signon.refused"
	case errors.Is(err, central.ErrLocked):
		said = "signon.locked"
	}
	if said != "" {
		if p.Refusal, err = face.T(page.LangOf(r), said); err != nil {
			return err
		}
	}
	return face.Render(w, r, refusal.Status, "signon", p)
}

func (o office) tryPassword(w http.ResponseWriter, r *http.Request) error {
	forgive, err := o.app.SignOns.Try("office/" + o.app.ClientOf(r))
	if err != nil {
		return err
	}
	if err := page.ReadForm(r); err != nil {
		return err
	}
	officer, err := o.app.Sys.SignOnOfficer(r.Context(), r.PostForm.Get("login"), r.PostForm.Get("password"))
	if err != nil {
		return err
	}
	forgive()
	return o.app.SignIn(w, r, page.OfficerSession, officer.ID, sessionLife)
}

func (o office) signOff(w http.ResponseWriter, r *http.Request) error {
	if err := o.app.SignOut(w, r, page.OfficerSession); err != nil {
		return err
	}
	http.Redirect(w, r, pathSignOn, http.StatusSeeOther)
	return nil
}
