package paper

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"tirage/wager"
)

// Ticket is a ticket as it is printed (reçu de jeu: IAT-5.1, AMI-4.2), in French.
// What it says is one list of blocks, from which [Ticket.Image], [Ticket.PDF]
// and [Ticket.ESCPOS] are drawn, so all of them say the same. All is a pure
// function of the ticket: printed again it is the same to the byte.
type Ticket struct {
	wager.Ticket
	Outlet    int            // the number of the outlet that registered it
	Zone      *time.Location // that outlet's; nil: that of the game's calendar
	Address   string         // what the QR code says: [TicketAddress]
	Copy      int            // 0: the first; n: the n-th reprint, marked « DUPLICATA n »
	Training  bool           // marked « SPÉCIMEN », with a code and an address that are those of no ticket
	PrintedAt time.Time      // of a reprint
}

const (
	ticketPath   = "/t/"
	specimenPath = "/specimen/"
)

// TicketAddress is the address that a ticket's QR code has: where a player
// checks the ticket. site is the portal's, "https://tirage.example"; without one it is
// the code alone. code is as [wager.Code] writes it.
func TicketAddress(site, code string) string {
	code = strings.ReplaceAll(code, "-", "")
	if site == "" {
		return code
	}
	return strings.TrimSuffix(site, "/") + ticketPath + code
}

// ParseTicketAddress reads what a ticket's QR code says, whatever the site, or a code
// alone as it is typed. It returns [wager.ErrCode] for all else.
func ParseTicketAddress(text string) (number wager.ID, secret [8]byte, err error) {
	text = strings.TrimSpace(text)
	scheme := strings.ToLower(text)
	if !strings.HasPrefix(scheme, "https://") && !strings.HasPrefix(scheme, "http://") {
		return wager.ParseCode(text)
	}
	code, training, err := codeIn(text)
	switch {
	case err != nil:
		return 0, secret, err
	case training:
		return 0, secret, wager.ErrTraining
	}
	return wager.ParseCode(code)
}

// ParseSpecimenAddress is [ParseTicketAddress] for the tickets of terminals in
// training. It returns [wager.ErrLive] for the address or the code of another
// one, and [wager.ErrCode] for all else.
func ParseSpecimenAddress(text string) (number wager.ID, secret [8]byte, err error) {
	text = strings.TrimSpace(text)
	if scheme := strings.ToLower(text); !strings.HasPrefix(scheme, "https://") && !strings.HasPrefix(scheme, "http://") {
		return wager.ParseTrainingCode(text)
	}
	code, _, err := codeIn(text)
	if err != nil {
		return 0, secret, err
	}
	return wager.ParseTrainingCode(code)
}

// codeIn is the code in the address of a ticket, or of one made in training.
func codeIn(address string) (code string, training bool, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", false, fmt.Errorf("%w: an address that cannot be read", wager.ErrCode)
	}
	code, ok := strings.CutPrefix(u.Path, ticketPath)
	if !ok {
		code, training = strings.CutPrefix(u.Path, specimenPath)
	}
	if !ok && !training || u.RawQuery != "" || u.Fragment != "" {
		return "", false, fmt.Errorf("%w: an address that is not that of a ticket", wager.ErrCode)
	}
	return code, training, nil
}

// says is what the QR code says. That of a ticket made in training leads to a
// page that says so, whatever its address is: it can be taken for no ticket.
func (t Ticket) says() string {
	if !t.Training {
		return t.Address
	}
	code := wager.TrainingCode(t.Number, t.Secret)
	if site := t.site(); site != "" {
		return site + specimenPath + strings.ReplaceAll(code, "-", "")
	}
	return code
}

// site is the site of the ticket's address; "" when it has none.
func (t Ticket) site() string {
	u, err := url.Parse(t.Address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
