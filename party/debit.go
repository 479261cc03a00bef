package party

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"tirage/money"
)

var (
	// ErrCreditor is an identifier of a creditor that is not one.
	ErrCreditor = errors.New("not the identifier of a creditor (ICS)")
	// ErrMandate is a mandate for direct debits that is not valid.
	ErrMandate = errors.New("not a valid mandate")
)

// Creditor is whom direct debits are paid to: the operator.
type Creditor struct {
	Name string
	ID   string // its identifier (identifiant créancier SEPA), which its bank gave it
	IBAN IBAN
	BIC  string // of its bank; empty: the bank knows from the IBAN
}

var creditorForm = regexp.MustCompile(`^[A-Z]{2}[0-9]{2}[A-Z0-9]{3}[A-Z0-9]{1,28}$`)

// ParseCreditorID reads the identifier of a creditor, as it is written in blocks
// too, or returns [ErrCreditor]: its check digits (ISO 7064) leave out the three
// signs of the creditor's business (EPC 262-08).
func ParseCreditorID(text string) (string, error) {
	id := strings.ToUpper(strings.Join(strings.Fields(text), ""))
	if !creditorForm.MatchString(id) || mod97(id[:4]+id[7:]) != 1 {
		return "", fmt.Errorf("%w: %.40q", ErrCreditor, text)
	}
	return id, nil
}

// Mandate is what an outlet has signed so that its account may be debited (mandat de prélèvement).
type Mandate struct {
	ID       string // unique mandate reference (RUM), at most 35 characters of those that banks take
	SignedOn int32  // days since 1970
	Holder   string // of the account
	IBAN     IBAN
	BIC      string // of its bank; empty: the bank knows from the IBAN
}

var (
	mandateForm = regexp.MustCompile(`^[A-Za-z0-9+?:().,'-]{1,35}$`)
	bicForm     = regexp.MustCompile(`^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$`)
)

// ParseBIC reads the code of a bank (ISO 9362), as it is written in blocks or small
// letters too; none is "", since the bank knows from the IBAN.
func ParseBIC(text string) (bic string, ok bool) {
	bic = strings.ToUpper(strings.Join(strings.Fields(text), ""))
	return bic, bic == "" || bicForm.MatchString(bic)
}

// holderMax is the greatest length of the name of an account's holder in bytes.
const holderMax = 200

// MandateField is a field of a mandate.
type MandateField string

// The fields, as forms name them.
const (
	MandateID     MandateField = "rum"
	MandateHolder MandateField = "holder"
	MandateSigned MandateField = "signed"
	MandateBIC    MandateField = "bic"
)

// MandateError is an [ErrMandate] that names the field; it has nothing of what it says.
type MandateError struct{ Field MandateField }

// Error names the field.
func (e *MandateError) Error() string { return fmt.Sprintf("%v: %s", ErrMandate, e.Field) }

// Unwrap is [ErrMandate].
func (e *MandateError) Unwrap() error { return ErrMandate }

// Check tells whether a mandate that was to be signed by a day is valid: nil, or
// a [MandateError] with the first field that is not. The IBAN was parsed.
func (m Mandate) Check(today int32) error {
	switch {
	case m.BIC != "" && !bicForm.MatchString(m.BIC):
		return &MandateError{MandateBIC}
	case sepaText(m.Holder, transferNameMax) == "" || len(m.Holder) > holderMax:
		return &MandateError{MandateHolder}
	case !mandateForm.MatchString(m.ID):
		return &MandateError{MandateID}
	case m.SignedOn > today:
		return &MandateError{MandateSigned}
	}
	return nil
}

// Debit is an amount to be taken from the account of a mandate.
type Debit struct {
	ID      uint64 // that the bank gives back: the record of the statement
	Mandate Mandate
	First   bool // nothing was debited by this mandate before
	Text    string
	Amount  money.Amount // in euros
}

// DebitFile are direct debits that a bank is given together.
type DebitFile struct {
	ID        string // of the message, at most 30 characters: a bank takes each once
	CreatedAt time.Time
	CollectOn time.Time // the day that they are to be debited on
	Creditor  Creditor
	Debits    []Debit
}

// Encode writes a file of direct debits: ISO 20022 pain.008.001.08 as the
// European payments council restricts it for core direct debits in euros (EPC
// 130-08), with a payment information block for the first of mandates (FRST) and one for
// the others (RCUR), as far as there are any. The same debits give the same bytes.
func (f DebitFile) Encode() []byte {
	assert(len(f.Debits) > 0 && len(f.ID)+len("-FRST") <= transferIDMax, "file of direct debits without any or with a long name")
	document := debitDocument{Header: headerOf(f.ID, f.CreatedAt, len(f.Debits), sumOf(f.Debits), f.Creditor.Name)}
	for _, sequence := range []string{"FRST", "RCUR"} {
		var some []Debit
		for _, d := range f.Debits {
			if d.First == (sequence == "FRST") {
				some = append(some, d)
			}
		}
		if len(some) > 0 {
			document.Payments = append(document.Payments, f.block(sequence, some))
		}
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	e := xml.NewEncoder(&b)
	e.Indent("", "  ")
	err := e.Encode(document)
	assert(err == nil, "file of direct debits does not encode")
	b.WriteByte('\n')
	return b.Bytes()
}

func sumOf(debits []Debit) (sum money.Amount) {
	for _, d := range debits {
		assert(d.Amount > 0, "direct debit is not positive")
		sum = sum.Add(d.Amount)
	}
	return sum
}

// block is the payment information of the debits of a sequence type.
func (f DebitFile) block(sequence string, debits []Debit) debitPayment {
	p := debitPayment{
		ID: f.ID + "-" + sequence, Method: "DD", Batch: true, Count: strconv.Itoa(len(debits)), Sum: sumOf(debits).String(),
		Service: "SEPA", Instrument: "CORE", Sequence: sequence, Collection: f.CollectOn.Format(time.DateOnly),
		Creditor: sepaText(f.Creditor.Name, transferNameMax), Account: string(f.Creditor.IBAN), Agent: agentOf(f.Creditor.BIC), Charges: "SLEV",
		CreditorID: f.Creditor.ID, Scheme: "SEPA",
	}
	for _, d := range debits {
		signed := time.Unix(int64(d.Mandate.SignedOn)*86400, 0).UTC()
		p.Transactions = append(p.Transactions, debitTransaction{
			EndToEnd: strconv.FormatUint(d.ID, 10), Amount: painAmount{"EUR", d.Amount.String()},
			Mandate: d.Mandate.ID, Signed: signed.Format(time.DateOnly), Agent: agentOf(d.Mandate.BIC),
			Name: sepaText(d.Mandate.Holder, transferNameMax), Account: string(d.Mandate.IBAN), Remittance: sepaText(d.Text, remittanceMax),
		})
	}
	return p
}

// The elements of a pain.008.001.08, in the order of its schema.
type debitDocument struct {
	XMLName  xml.Name       `xml:"urn:iso:std:iso:20022:tech:xsd:pain.008.001.08 Document"`
	Header   painHeader     `xml:"CstmrDrctDbtInitn>GrpHdr"`
	Payments []debitPayment `xml:"CstmrDrctDbtInitn>PmtInf"`
}

type debitPayment struct {
	ID           string             `xml:"PmtInfId"`
	Method       string             `xml:"PmtMtd"`
	Batch        bool               `xml:"BtchBookg"`
	Count        string             `xml:"NbOfTxs"`
	Sum          string             `xml:"CtrlSum"`
	Service      string             `xml:"PmtTpInf>SvcLvl>Cd"`
	Instrument   string             `xml:"PmtTpInf>LclInstrm>Cd"`
	Sequence     string             `xml:"PmtTpInf>SeqTp"`
	Collection   string             `xml:"ReqdColltnDt"`
	Creditor     string             `xml:"Cdtr>Nm"`
	Account      string             `xml:"CdtrAcct>Id>IBAN"`
	Agent        painAgent          `xml:"CdtrAgt>FinInstnId"`
	Charges      string             `xml:"ChrgBr"`
	CreditorID   string             `xml:"CdtrSchmeId>Id>PrvtId>Othr>Id"`
	Scheme       string             `xml:"CdtrSchmeId>Id>PrvtId>Othr>SchmeNm>Prtry"`
	Transactions []debitTransaction `xml:"DrctDbtTxInf"`
}

type debitTransaction struct {
	EndToEnd   string     `xml:"PmtId>EndToEndId"`
	Amount     painAmount `xml:"InstdAmt"`
	Mandate    string     `xml:"DrctDbtTx>MndtRltdInf>MndtId"`
	Signed     string     `xml:"DrctDbtTx>MndtRltdInf>DtOfSgntr"`
	Agent      painAgent  `xml:"DbtrAgt>FinInstnId"`
	Name       string     `xml:"Dbtr>Nm"`
	Account    string     `xml:"DbtrAcct>Id>IBAN"`
	Remittance string     `xml:"RmtInf>Ustrd,omitempty"`
}
