package central

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tirage/draw"
	"tirage/game"
	"tirage/instant"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/store"
	"tirage/wager"
)

var (
	// ErrChange is a change that can never be made: its particulars do not fit its act.
	ErrChange = errors.New("not a change that can be made")
	// ErrReason is a proposal without a reason, or with one above [ReasonMax]
	// characters, or with characters that hide or turn around what stands beside them.
	ErrReason = errors.New("a reason of at most 250 characters is needed")
	// ErrNoProposal is a proposal that does not exist.
	ErrNoProposal = errors.New("no such proposal")
	// ErrDecided is a decision on a proposal that was approved or rejected before.
	ErrDecided = errors.New("the proposal has been decided already")
	// ErrSameOfficer is an approval by the officer who proposed (F18): it takes two.
	ErrSameOfficer = errors.New("another officer than the one who proposed must approve")
	// ErrOpenProposals is a proposal of an officer who has [OpenProposalsMax] that wait.
	ErrOpenProposals = errors.New("too many proposals of this officer wait: withdraw one, or have one decided")
)

// OpenProposalsMax is how many proposals of an officer may wait at a time: lists
// of them stay short, and one officer cannot bury what another proposed.
const OpenProposalsMax = 20

// ChangeAct is what a proposal would do.
type ChangeAct uint8

const (
	ActPostpone     ChangeAct = iota + 1 // move draws to later times
	ActClose                             // close the sales of draws early
	ActCancelDraw                        // cancel draws, and give their stakes back
	ActExtendClaims                      // let claims of some days end later
	ActMakeOfficer                       // make someone an officer
	ActResumeGame                        // launch an instant game that the guard stopped (F12)
	ActPayTicket                         // pay a ticket that was lost or damaged, at a payment centre
	ActLiftStop                          // lift the stop of a ticket's payment
	ActPayOutlet                         // pay an outlet what the lottery owes it
	ActReceive                           // book money received from an outlet, beyond what it owes
	ActRaiseLimit                        // raise the credit limit of an outlet, above what one officer may alone
	ActClosePool                         // close a pool of an instant game before its time
)

// actNames are the words of the journal.
var actNames = [...]string{ActPostpone: "postpone", ActClose: "close", ActCancelDraw: "cancel-draw", ActExtendClaims: "extend-claims", ActMakeOfficer: "make-officer", ActResumeGame: "resume-game", ActPayTicket: "pay-ticket", ActLiftStop: "lift-stop", ActPayOutlet: "pay-outlet", ActReceive: "receive", ActRaiseLimit: "raise-limit", ActClosePool: "close-pool"}

// String returns the name in records: "postpone".
func (a ChangeAct) String() string {
	if a < ActPostpone || a > ActClosePool {
		return fmt.Sprintf("ChangeAct(%d)", uint8(a))
	}
	return actNames[a]
}

// ParseChangeAct reads a name that [ChangeAct.String] writes, or returns [ErrChange].
func ParseChangeAct(name string) (ChangeAct, error) {
	if i := slices.Index(actNames[ActPostpone:], name); i >= 0 {
		return ActPostpone + ChangeAct(i), nil
	}
	return 0, fmt.Errorf("%w: act %.20q", ErrChange, name)
}

// Change is an act that moves draws or money, makes an officer, lifts a stop or closes a pool. What does not belong to its act is zero.
type Change struct {
	Act   ChangeAct
	Draws []draw.ID     // of [ActPostpone], [ActClose] and [ActCancelDraw]: all of them, or none; of a [Proposal] of [ActPayTicket]: those that it pays
	Shift time.Duration // of [ActPostpone]: how much later each closes and is drawn

	// Of [ActExtendClaims]: claims of Game that would end on the days from From
	// to To, inclusive, end on Until. Of [ActResumeGame]: Game alone.
	Game            game.Code
	From, To, Until game.Day

	Login string // of [ActMakeOfficer]: who signs on with it; it is in no record

	Ticket wager.ID // of [ActPayTicket] and [ActLiftStop]
	Outlet string   // id: of [ActPayTicket] of the payment centre, of [ActPayOutlet] of who is paid, of [ActReceive] of who has paid, of [ActRaiseLimit] whose limit is raised
	// Amount is of [ActPayOutlet] and [ActReceive], and of [ActPayTicket]: what it pays, as who
	// proposes saw it; 0: he leaves it out. A [Proposal] has it. Of [ActRaiseLimit] it is the limit.
	Amount money.Amount
	// Of [ActPayTicket]: who is paid. He is in no record, so a [Proposal] does not have him: see [System.ReadPayee].
	Payee     *party.Payee
	PayeeHash []byte // of a [Proposal]: what its record has of him; who proposes leaves it out

	Pool instant.PoolID // of [ActClosePool]

	Reason string
}

const (
	// ShiftMax is the most that draws are postponed at a time: more is a slip of the hand.
	ShiftMax = 31 * 24 * time.Hour
	// UntilMax is the most days that claims are extended by at a time, likewise.
	UntilMax = 366
	// ReasonMax is the most characters of a reason: in whatever script, a record has room for them.
	ReasonMax = journal.ProposalReasonMax / utf8.UTFMax
)

// checkReason tells whether a reason has its length, and reads as it is written.
func checkReason(reason string) error {
	if reason == "" || utf8.RuneCountInString(reason) > ReasonMax || !readsAsWritten(reason) {
		return ErrReason
	}
	return nil
}

// readsAsWritten tells whether a text of an officer reads as it is written: control
// characters, and those that set the direction of writing, could make it read otherwise.
func readsAsWritten(text string) bool {
	hides := func(r rune) bool {
		return unicode.Is(unicode.Bidi_Control, r) || unicode.IsControl(r) && r != '\n'
	}
	return utf8.ValidString(text) && !strings.ContainsFunc(text, hides)
}

// check tells whether the change makes sense whatever the state: nil, [ErrReason] or [ErrChange].
func (c Change) check() error {
	if err := checkReason(c.Reason); err != nil {
		return err
	}
	ofClaims, ofOfficer, ofGame := c.Act == ActExtendClaims, c.Act == ActMakeOfficer, c.Act == ActResumeGame
	ofPayment, ofTicket := c.Act == ActPayTicket, c.Act == ActPayTicket || c.Act == ActLiftStop
	ofOutlet := c.Act == ActPayOutlet || c.Act == ActReceive || c.Act == ActRaiseLimit
	ofPool := c.Act == ActClosePool
	ofDraws := !ofClaims && !ofOfficer && !ofGame && !ofTicket && !ofOutlet && !ofPool
	switch {
	case c.Act < ActPostpone || c.Act > ActClosePool:
		return fmt.Errorf("%w: %s", ErrChange, c.Act)
	case ofDraws && (len(c.Draws) == 0 || len(c.Draws) > journal.ProposalDrawsMax):
		return fmt.Errorf("%w: %d draws, 1 to %d can be changed at a time", ErrChange, len(c.Draws), journal.ProposalDrawsMax)
	case !ofDraws && len(c.Draws) > 0, !ofClaims && (c.From != 0 || c.To != 0 || c.Until != 0), !ofClaims && !ofGame && c.Game != "", !ofOfficer && c.Login != "",
		!ofTicket && c.Ticket != 0, !ofPayment && (!ofOutlet && c.Outlet != "" || c.Payee != nil), !ofOutlet && !ofPayment && c.Amount != 0, !ofPool && c.Pool != 0, c.PayeeHash != nil:
		return fmt.Errorf("%w: %s with the particulars of another act", ErrChange, c.Act)
	case ofTicket && c.Ticket == 0:
		return fmt.Errorf("%w: %s of no ticket", ErrChange, c.Act)
	case ofPool && c.Pool <= 0:
		return fmt.Errorf("%w: %s of no pool", ErrChange, c.Act)
	case ofPayment && c.Payee == nil:
		return party.ErrPayee
	case ofOutlet && c.Amount <= 0:
		return ErrAmount
	case ofOutlet && c.Amount > money.Limit:
		return money.ErrLimit
	case ofOfficer && !loginForm.MatchString(c.Login):
		return ErrLogin
	case c.Act != ActPostpone && c.Shift != 0:
		return fmt.Errorf("%w: %s by %s", ErrChange, c.Act, c.Shift)
	case c.Act == ActPostpone && (c.Shift <= 0 || c.Shift > ShiftMax || c.Shift%time.Microsecond != 0):
		return fmt.Errorf("%w: draws are postponed by more than nothing and at most %s, not by %s", ErrChange, ShiftMax, c.Shift)
	case ofClaims && (c.From > c.To || c.To >= c.Until || int64(c.Until)-int64(c.From) > UntilMax):
		return fmt.Errorf("%w: claims that end from %s to %s, until %s", ErrChange, c.From, c.To, c.Until)
	}
	ids := slices.Sorted(slices.Values(c.Draws))
	if len(slices.Compact(ids)) < len(c.Draws) {
		return fmt.Errorf("%w: a draw is named twice", ErrChange)
	}
	return nil
}

// Proposal is a change that an officer proposes, and what became of it.
type Proposal struct {
	ID uint64 // journal index of its record
	Change
	By string // officer
	At time.Time

	DecidedAt time.Time // zero: open
	DecidedBy string
	Approved  bool
}

// Propose is a change proposed by an officer.
type Propose struct {
	Key     string
	Officer string
	Change  Change
}

// Propose proposes a change. It takes effect when another officer approves it,
// if it still can then: the draws may have closed meanwhile.
//
// Refusals: [ErrReason], [ErrChange], [ErrOpenProposals], those of the act as in
// [System.Approve], [ErrIssued], [ErrNotAllowed], [ErrKey], [ErrKeyReused].
func (s *System) Propose(ctx context.Context, p Propose) (Proposal, error) {
	c := p.Change
	c.Reason = strings.TrimSpace(c.Reason)
	if err := c.check(); err != nil {
		return Proposal{}, err
	}
	request := any(p.Change)
	var payee store.Payee
	if c.Payee != nil {
		trimmed := c.Payee.Trim()
		c.Payee, payee = &trimmed, s.payeeRow(trimmed)
		told := p.Change
		told.Payee = nil
		request = []any{told, s.payeeMark(c.Payee)}
	}
	index, _, err := s.officerCommand(ctx, p.Officer, p.Key, content("propose", request), func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		if err := hasRoom(s.ctx, t.tx, by); err != nil {
			return 0, err
		}
		if err := s.possible(t, c); err != nil {
			return 0, err
		}
		if err := s.proposePayment(t, &c); err != nil {
			return 0, err
		}
		if err := s.proposePayee(s.ctx, t, &c, payee); err != nil {
			return 0, err
		}
		return t.propose(s.ctx, c, command, by)
	})
	if err != nil {
		return Proposal{}, err
	}
	return s.Proposal(ctx, index)
}

// propose appends the record of a proposal, and keeps its reason where the record has none.
func (t *turn) propose(ctx context.Context, c Change, command journal.Command, by journal.Party) (uint64, error) {
	body := proposalBody(c, command, by)
	if !c.Act.private() {
		return t.append(body)
	}
	var salt [16]byte
	random(salt[:])
	hash := noteHash(salt, c.note())
	body.Reason, body.ReasonHash = "", hash[:]
	index, err := t.append(body)
	if err != nil {
		return 0, err
	}
	return index, t.tx.AddNote(ctx, store.Note{Record: index, Salt: salt[:], Text: c.note()})
}

// private tells that the reason of an act may name a player or an officer: it is in no record.
func (a ChangeAct) private() bool {
	return a == ActPayTicket || a == ActLiftStop || a == ActMakeOfficer
}

// note is the private text that the record of a proposal has a hash of: the reason,
// and before it the login of an officer to make, which has no line feed.
func (c Change) note() string {
	if c.Act == ActMakeOfficer {
		return c.Login + "\n" + c.Reason
	}
	return c.Reason
}

// setNote is the inverse of note.
func (c *Change) setNote(text string) {
	if c.Reason = text; c.Act == ActMakeOfficer {
		c.Login, c.Reason, _ = strings.Cut(text, "\n")
	}
}

// hasRoom tells whether an officer may have another proposal that waits.
func hasRoom(ctx context.Context, tx *store.Tx, by journal.Party) error {
	ids, err := tx.OpenProposals(ctx)
	if err != nil {
		return err
	}
	n := 0
	for _, id := range ids {
		p, _, err := readBody[*journal.Proposal](ctx, tx, id)
		if err != nil {
			return err
		}
		if p.By == by {
			n++
		}
	}
	if n >= OpenProposalsMax {
		return ErrOpenProposals
	}
	return nil
}

// Decide is a decision of an officer on a proposal.
type Decide struct {
	Key      string
	Officer  string
	Proposal uint64 // its ID
	// Seen is of an approval of [ActPostpone], [ActClose] or [ActCancelDraw]: [Seen] of
	// its draws as the officer saw them, which they must still be; "": whatever they are.
	Seen string
	// Password is the first one of the officer whom the approval of an
	// [ActMakeOfficer] makes; it goes into no record. Nothing else reads it.
	Password string
}

// Seen sums up how draws stand, in the order given: their states, and when
// they close and are drawn. What is sold on them meanwhile leaves it as it is.
func Seen(views []DrawView) string {
	h := sha256.New()
	for _, v := range views {
		fmt.Fprintln(h, v.ID, v.State, v.ClosesAt.UnixMicro(), v.DrawsAt.UnixMicro())
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// seen is [Seen] of draws as they stand in the turn.
func (t *turn) seen(ids []draw.ID) string {
	views := make([]DrawView, len(ids))
	for i, id := range slices.Sorted(slices.Values(ids)) {
		d := t.m.draws[id]
		views[i] = DrawView{Draw: d.Draw, State: d.state}
	}
	return Seen(views)
}

// Approve approves a proposal of another officer. Its change takes effect in
// the same turn, on all its draws; or, when it cannot be made any more, the
// approval is refused, and the proposal stays open.
//
// Refusals: [ErrNoProposal], [ErrDecided], [ErrSameOfficer], [ErrChanged],
// [ErrIssued], [ErrNotAllowed], [ErrKey], [ErrKeyReused]; of an officer [ErrLogin] and [ErrPassword]; of draws [draw.ErrUnknown], [draw.ErrTransition] and
// [draw.ErrClosed]; of claims [ErrUnknownGame] and [ErrClaimsOver]; of a game [ErrUnknownGame] and [ErrGameState];
// of a pool [ErrNoPool] and [ErrPoolClosed]; of an outlet [party.ErrUnknownOutlet], [ErrAmount], [ErrNotOwed] and [ErrNoRaise]; of a ticket [ErrNoTicket], [ErrNotStopped], [ErrCancelled], [ErrOtherSum], [party.ErrPayee], [party.ErrUnknownOutlet], [party.ErrBlocked], and what [settle.Answer.Due] refuses.
func (s *System) Approve(ctx context.Context, d Decide) (Proposal, error) {
	return s.decideOn(ctx, d, true)
}

// Reject rejects a proposal; the officer who made it withdraws it so. Whom it
// was to pay is forgotten at once.
// Refusals: [ErrNoProposal], [ErrDecided], [ErrIssued], [ErrNotAllowed], [ErrKey], [ErrKeyReused].
func (s *System) Reject(ctx context.Context, d Decide) (Proposal, error) {
	return s.decideOn(ctx, d, false)
}

func (s *System) decideOn(ctx context.Context, d Decide, approved bool) (Proposal, error) {
	k, err := commandKey("officer/"+d.Officer, d.Key)
	if err != nil {
		return Proposal{}, err
	}
	operation, request := "reject", any(d.Proposal)
	if approved {
		operation, request = "approve", []any{d.Proposal, s.passwordMark(k, d.Password)}
	}
	sum := content(operation, request)
	var hash string
	if approved {
		if hash, err = s.firstPassword(ctx, d, k, sum); err != nil {
			return Proposal{}, err
		}
	}
	_, _, err = s.officerCommand(ctx, d.Officer, d.Key, sum, func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		p, err := openProposal(s.ctx, t.tx, d, approved)
		if err != nil {
			return 0, err
		}
		if approved {
			if err := s.possible(t, p.Change); err != nil {
				return 0, err
			}
			if err := s.stillDue(t, p.Change); err != nil {
				return 0, err
			}
			if err := t.m.instants.ofThisStop(p.Change, d.Proposal); err != nil {
				return 0, err
			}
			if d.Seen != "" && p.Act != ActPayTicket && d.Seen != t.seen(p.Draws) {
				return 0, ErrChanged
			}
		}
		decision, err := t.append(&journal.Decision{Command: command, By: by, Proposal: d.Proposal, Approved: approved})
		switch {
		case err != nil:
			return decision, err
		case approved:
			return decision, s.carryOut(t, p.Change, decision, by, hash)
		case len(p.PayeeHash) == 0:
			return decision, nil
		}
		return decision, t.tx.RemovePayee(s.ctx, p.PayeeHash) // nobody is kept who is not paid
	})
	if err != nil {
		return Proposal{}, err
	}
	return s.Proposal(ctx, d.Proposal)
}

// carryOut appends the records of a change that was approved. hash is that of the
// first password of an officer whom it makes.
func (s *System) carryOut(t *turn, c Change, decision uint64, by journal.Party, hash string) (err error) {
	var body journal.Body
	switch c.Act {
	case ActMakeOfficer:
		body := officerBody(by, newParty())
		_, err = t.makeOfficer(s.ctx, body, store.Password{Login: c.Login, Officer: body.ID.String(), Hash: hash, Issued: true})
		return err
	case ActPayTicket:
		return s.payLost(t, c, decision)
	case ActPostpone, ActClose, ActCancelDraw, ActExtendClaims:
		return t.change(c, decision)
	case ActResumeGame:
		body = resumeBody(c, decision, by)
	case ActLiftStop:
		body = liftBody(c.Ticket, decision, by)
	case ActPayOutlet, ActReceive:
		body = outletMoneyBody(c, decision, by)
	case ActRaiseLimit:
		body = raiseBody(t.m.outlets[c.Outlet], c, decision, by)
	case ActClosePool:
		if body, err = s.closeByOfficers(t, c.Pool, decision); err != nil {
			return err
		}
	}
	_, err = t.append(body)
	return err
}

// possible tells whether a change can be made at the time of the turn.
func (s *System) possible(t *turn, c Change) error {
	if c.Act == ActPayTicket {
		_, _, err := s.lostTicket(t, c)
		return err
	}
	return t.changeable(s.ctx, c)
}

// changeable is [System.possible] for all acts but [ActPayTicket], which needs a key of the system.
func (t *turn) changeable(ctx context.Context, c Change) error {
	assert(c.Act != ActPayTicket, "whether a lost ticket can be paid is for the system to tell")
	switch c.Act {
	case ActLiftStop:
		return t.mayLift(ctx, c.Ticket)
	case ActExtendClaims:
		return t.canExtend(c)
	case ActMakeOfficer:
		return loginFree(ctx, t.tx, c.Login)
	case ActResumeGame:
		return t.canResume(c.Game)
	case ActPayOutlet:
		return t.owesOutlet(c)
	case ActReceive:
		return t.mayReceive(c)
	case ActRaiseLimit:
		return t.mayRaise(c)
	case ActClosePool:
		_, err := t.poolToClose(c.Pool)
		return err
	case ActPostpone, ActClose, ActCancelDraw, ActPayTicket:
	}
	for _, id := range c.Draws {
		d := t.m.draws[id]
		switch {
		case d == nil && id > 0 && id <= t.m.lastDraw:
			return fmt.Errorf("%w: draw %d is over", draw.ErrTransition, id) // so long that it is out of memory
		case d == nil:
			return fmt.Errorf("%w: %d", draw.ErrUnknown, id)
		}
		if _, err := t.changeBody(c, d, 0); err != nil {
			return err
		}
	}
	return nil
}

// change appends the records of a change of draws or claims that is possible.
func (t *turn) change(c Change, decision uint64) error {
	if c.Act == ActExtendClaims {
		_, err := t.append(extensionBody(c, decision))
		return err
	}
	for _, id := range c.Draws {
		body, err := t.changeBody(c, t.m.draws[id], decision)
		if err != nil {
			return err
		}
		if _, err := t.append(body); err != nil {
			return fmt.Errorf("%s draw %d: %w", c.Act, id, err)
		}
	}
	return nil
}

func extensionBody(c Change, decision uint64) *journal.Extension {
	return &journal.Extension{Decision: decision, Game: string(c.Game), From: int32(c.From), To: int32(c.To), Until: int32(c.Until)}
}

// Proposals lists the proposals that are open, oldest first, and after them
// the last that were decided, newest first.
func (s *System) Proposals(ctx context.Context) (list []Proposal, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		ids, err := tx.OpenProposals(ctx)
		if err != nil {
			return err
		}
		recent, err := tx.RecentProposals(ctx, recentProposals)
		if err != nil {
			return err
		}
		for _, p := range recent {
			if p.Decision != nil {
				ids = append(ids, p.Record)
			}
		}
		for _, id := range ids {
			p, err := readProposal(ctx, tx, id)
			if err != nil {
				return err
			}
			list = append(list, p)
		}
		return nil
	})
	return list, err
}

// OpenProposals is how many proposals are open.
func (s *System) OpenProposals(ctx context.Context) (n int, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		n, err = tx.CountOpenProposals(ctx)
		return err
	})
	return n, err
}

// recentProposals is how many proposals back those that were decided are listed.
const recentProposals = 30

// Proposal returns a proposal by its ID, or [ErrNoProposal].
func (s *System) Proposal(ctx context.Context, id uint64) (p Proposal, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		p, err = readProposal(ctx, tx, id)
		return err
	})
	return p, err
}

// proposalReader is proposals and their decisions, as a turn or a snapshot sees them.
type proposalReader interface {
	Record(ctx context.Context, index uint64) ([]byte, int64, error)
	Decisions(ctx context.Context, proposals []uint64) ([]store.Decision, error)
	Notes(ctx context.Context, records []uint64) ([]store.Note, error)
}

func readProposal(ctx context.Context, tx proposalReader, id uint64) (Proposal, error) {
	body, at, err := readBody[*journal.Proposal](ctx, tx, id)
	if err != nil {
		return Proposal{}, err
	}
	p := Proposal{ID: id, Change: changeOf(body), By: body.By.String(), At: at}
	notes, err := tx.Notes(ctx, []uint64{id})
	if err != nil {
		return p, err
	}
	for _, n := range notes {
		p.setNote(n.Text)
	}
	decisions, err := tx.Decisions(ctx, []uint64{id})
	if err != nil || len(decisions) == 0 {
		return p, err
	}
	decision, at, err := readBody[*journal.Decision](ctx, tx, decisions[0].Record)
	if err != nil {
		return p, err
	}
	p.DecidedAt, p.DecidedBy, p.Approved = at, decision.By.String(), decision.Approved
	return p, nil
}

// readBody reads a record of one kind, or gives [ErrNoProposal].
func readBody[B journal.Body](ctx context.Context, tx proposalReader, index uint64) (body B, at time.Time, err error) {
	b, micro, err := tx.Record(ctx, index)
	if errors.Is(err, store.ErrNotFound) {
		return body, at, fmt.Errorf("%w: %d", ErrNoProposal, index)
	}
	if err != nil {
		return body, at, err
	}
	rec, err := journal.Decode(b)
	if err != nil {
		return body, at, fmt.Errorf("record %d: %w", index, err)
	}
	body, ok := rec.Body.(B)
	if !ok {
		return body, at, fmt.Errorf("%w: %d", ErrNoProposal, index)
	}
	return body, utc(micro), nil
}

func proposalBody(c Change, command journal.Command, by journal.Party) *journal.Proposal {
	b := &journal.Proposal{
		Command: command, By: by, Act: c.Act.String(), Shift: c.Shift.Microseconds(), Game: string(c.Game),
		From: int32(c.From), To: int32(c.To), Until: int32(c.Until), Reason: c.Reason,
		Ticket: uint64(c.Ticket), Outlet: c.Outlet, Amount: c.Amount, Payee: c.PayeeHash, Pool: uint64(c.Pool),
	}
	for _, id := range c.Draws {
		b.Draws = append(b.Draws, uint64(id))
	}
	return b
}

func changeOf(b *journal.Proposal) Change {
	act, err := ParseChangeAct(b.Act)
	assert(err == nil, "journalled act is unknown")
	c := Change{
		Act: act, Shift: time.Duration(b.Shift) * time.Microsecond, Game: game.Code(b.Game),
		From: game.Day(b.From), To: game.Day(b.To), Until: game.Day(b.Until), Reason: b.Reason,
		Ticket: wager.ID(b.Ticket), Outlet: b.Outlet, Amount: b.Amount, PayeeHash: b.Payee, Pool: instant.PoolID(b.Pool),
	}
	for _, id := range b.Draws {
		c.Draws = append(c.Draws, draw.ID(id))
	}
	return c
}
