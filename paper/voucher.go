package paper

import (
	"fmt"
	"image"
	"strconv"
	"time"

	"tirage/money"
)

// Voucher is a deposit voucher as it is printed (bon de versement), in French, as
// a [Ticket] is: a picture, a PDF and a printer's commands that say the same.
// It has no QR code: its code is money, and read by no machine of a shop.
type Voucher struct {
	Number    uint64
	Code      string // in groups, as it is typed to deposit it
	Amount    money.Amount
	SoldAt    time.Time
	Outlet    int            // the number of the outlet that sold it
	Zone      *time.Location // that outlet's
	Copy      int            // 0: the first; n: the n-th reprint, marked « DUPLICATA n »
	PrintedAt time.Time      // then
	Training  bool           // marked « SPÉCIMEN »
}

func (v Voucher) blocks() []block {
	var list []block
	if v.Training {
		list = append(list, band{"SPÉCIMEN", "Terminal en formation : sans valeur, aucun bon n’est vendu."})
	}
	if v.Copy > 0 {
		list = append(list, band{fmt.Sprintf("DUPLICATA %d", v.Copy), "Réimprimé le " + moment(v.PrintedAt, v.Zone) + " : même bon, il sert une seule fois."})
	}
	list = append(list, emblem{"", "Bon de versement"}, pairs{{"Montant", euros(v.Amount), 44}}, divider{},
		pairs{
			{name: "Vendu le", value: second(v.SoldAt, v.Zone)},
			{name: "Point d’enregistrement", value: strconv.Itoa(v.Outlet)},
			{name: "Numéro séquentiel", value: strconv.FormatUint(v.Number, 10)},
		}, divider{}, seal{code: v.Code},
		sentence{"À saisir sur le site, dans « Mon compte », « Verser », par un joueur majeur dont l’identité est vérifiée. Il sert une seule fois.", 20, plainFace},
		sentence{"Ce code vaut de l’argent. Ne le montrez à personne. Le bon n’est ni annulé ni repris.", 20, boldFace})
	if v.Training {
		list = append(list, band{"SPÉCIMEN", "Ce bon n’a jamais été vendu."})
	}
	return append(list, help{})
}

func (v Voucher) layOut() *roll { return layOut(v.blocks(), v.Training) }

// Image is the voucher as a thermal printer prints it; see [Ticket.Image].
func (v Voucher) Image() *image.Gray { return v.layOut().image() }

// ESCPOS is the voucher for a thermal printer; see [Ticket.ESCPOS].
func (v Voucher) ESCPOS() []byte { return escpos(v.Image()) }

// PDF is the voucher on one page of 80 mm; see [Ticket.PDF].
func (v Voucher) PDF() ([]byte, error) {
	b, err := v.layOut().pdf(fmt.Sprintf("Bon de versement %d", v.Number), v.SoldAt)
	if err != nil {
		return nil, fmt.Errorf("voucher %d as PDF: %w", v.Number, err)
	}
	return b, nil
}
