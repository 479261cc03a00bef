package party

import (
	"bytes"
	"encoding/xml"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"tirage/money"
)

// Payer is whom transfers are paid by: the operator.
type Payer struct {
	Name string
	IBAN IBAN
	BIC  string // of its bank; empty: the bank knows from the IBAN
}

// Transfer is an amount to be paid to a person's bank account.
type Transfer struct {
	ID     uint64 // that the bank gives back: the record of the withdrawal
	Name   string
	IBAN   IBAN
	Amount money.Amount // in euros
}

// TransferFile are transfers that a bank is given together.
type TransferFile struct {
	ID         string // of the message, at most 35 characters: a bank takes each once
	CreatedAt  time.Time
	ExecuteOn  time.Time // the day that the bank is to pay on
	Payer      Payer
	Remittance string // what the payee reads: "LOTERIE RETRAIT"
	Transfers  []Transfer
}

// Lengths of texts in a payment file (EPC 132-08).
const (
	transferIDMax   = 35
	transferNameMax = 70
	remittanceMax   = 140
)

// Encode writes a payment file: ISO 20022 pain.001.001.09 as the European
// payments council restricts it for euro transfers (EPC 132-08), with one
// payment information block. The same transfers give the same bytes.
func (f TransferFile) Encode() []byte {
	assert(len(f.Transfers) > 0 && len(f.ID) <= transferIDMax, "payment file without transfers or with a long name")
	var total money.Amount
	transactions := make([]painTransaction, len(f.Transfers))
	for i, t := range f.Transfers {
		assert(t.Amount > 0, "transfer is not positive")
		total = total.Add(t.Amount)
		transactions[i] = painTransaction{
			EndToEnd: strconv.FormatUint(t.ID, 10), Amount: painAmount{"EUR", t.Amount.String()},
			Name: sepaText(t.Name, transferNameMax), Account: string(t.IBAN), Remittance: sepaText(f.Remittance, remittanceMax),
		}
	}
	header := headerOf(f.ID, f.CreatedAt, len(f.Transfers), total, f.Payer.Name)
	document := painDocument{
		Header: header,
		Payment: painPayment{
			ID: f.ID, Method: "TRF", Batch: true, Count: header.Count, Sum: header.Sum, Service: "SEPA",
			Execution: f.ExecuteOn.Format(time.DateOnly), Debtor: header.Initiator, Account: string(f.Payer.IBAN), Agent: agentOf(f.Payer.BIC),
			Charges: "SLEV", Transactions: transactions,
		},
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	e := xml.NewEncoder(&b)
	e.Indent("", "  ")
	err := e.Encode(document)
	assert(err == nil, "payment file does not encode")
	b.WriteByte('\n')
	return b.Bytes()
}

// headerOf begins a file for a bank: how many payments it has, and what they come to.
func headerOf(id string, created time.Time, count int, sum money.Amount, initiator string) painHeader {
	return painHeader{
		ID: id, Created: created.UTC().Format("2006-01-02T15:04:05Z"), Count: strconv.Itoa(count), Sum: sum.String(), Initiator: sepaText(initiator, transferNameMax),
	}
}

// agentOf is a bank by its BIC, or one that the IBAN tells.
func agentOf(bic string) painAgent {
	if bic == "" {
		return painAgent{Other: "NOTPROVIDED"}
	}
	return painAgent{BIC: bic}
}

// The elements of a pain.001.001.09, in the order of its schema.
type painDocument struct {
	XMLName xml.Name    `xml:"urn:iso:std:iso:20022:tech:xsd:pain.001.001.09 Document"`
	Header  painHeader  `xml:"CstmrCdtTrfInitn>GrpHdr"`
	Payment painPayment `xml:"CstmrCdtTrfInitn>PmtInf"`
}

type painHeader struct {
	ID        string `xml:"MsgId"`
	Created   string `xml:"CreDtTm"`
	Count     string `xml:"NbOfTxs"`
	Sum       string `xml:"CtrlSum"`
	Initiator string `xml:"InitgPty>Nm"`
}

type painPayment struct {
	ID           string            `xml:"PmtInfId"`
	Method       string            `xml:"PmtMtd"`
	Batch        bool              `xml:"BtchBookg"`
	Count        string            `xml:"NbOfTxs"`
	Sum          string            `xml:"CtrlSum"`
	Service      string            `xml:"PmtTpInf>SvcLvl>Cd"`
	Execution    string            `xml:"ReqdExctnDt>Dt"`
	Debtor       string            `xml:"Dbtr>Nm"`
	Account      string            `xml:"DbtrAcct>Id>IBAN"`
	Agent        painAgent         `xml:"DbtrAgt>FinInstnId"`
	Charges      string            `xml:"ChrgBr"`
	Transactions []painTransaction `xml:"CdtTrfTxInf"`
}

type painAgent struct {
	BIC   string `xml:"BICFI,omitempty"`
	Other string `xml:"Othr>Id,omitempty"`
}

type painTransaction struct {
	EndToEnd   string     `xml:"PmtId>EndToEndId"`
	Amount     painAmount `xml:"Amt>InstdAmt"`
	Name       string     `xml:"Cdtr>Nm"`
	Account    string     `xml:"CdtrAcct>Id>IBAN"`
	Remittance string     `xml:"RmtInf>Ustrd,omitempty"`
}

type painAmount struct {
	Currency string `xml:"Ccy,attr"`
	Amount   string `xml:",chardata"`
}

// sepaCharacters are those that every bank takes (EPC 217-08).
const sepaCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-?:().,'+ "

// sepaLetters are letters that do not come apart into one of ours and a mark:
// of the Latin script, and the Greek and Cyrillic ones as EPC 217-08 writes them.
var sepaLetters = strings.NewReplacer(
	"ß", "ss", "ẞ", "SS", "Æ", "AE", "æ", "ae", "Œ", "OE", "œ", "oe", "Ø", "O", "ø", "o", "Đ", "D", "đ", "d", "Ð", "D", "ð", "d",
	"Ł", "L", "ł", "l", "Þ", "Th", "þ", "th", "ı", "i", "Ħ", "H", "ħ", "h", "Ŋ", "N", "ŋ", "n", "Ŧ", "T", "ŧ", "t",
	"’", "'", "‘", "'", "`", "'", "´", "'", "‐", "-", "‑", "-", "–", "-", "—", "-", "_", "-", "&", "+",
	"Α", "A", "Β", "V", "Γ", "G", "Δ", "D", "Ε", "E", "Ζ", "Z", "Η", "I", "Θ", "Th", "Ι", "I", "Κ", "K", "Λ", "L", "Μ", "M",
	"Ν", "N", "Ξ", "X", "Ο", "O", "Π", "P", "Ρ", "R", "Σ", "S", "Τ", "T", "Υ", "Y", "Φ", "F", "Χ", "Ch", "Ψ", "Ps", "Ω", "O",
	"α", "a", "β", "v", "γ", "g", "δ", "d", "ε", "e", "ζ", "z", "η", "i", "θ", "th", "ι", "i", "κ", "k", "λ", "l", "μ", "m",
	"ν", "n", "ξ", "x", "ο", "o", "π", "p", "ρ", "r", "σ", "s", "ς", "s", "τ", "t", "υ", "y", "φ", "f", "χ", "ch", "ψ", "ps", "ω", "o",
	"А", "A", "Б", "B", "В", "V", "Г", "G", "Д", "D", "Е", "E", "Ж", "Zh", "З", "Z", "И", "I", "К", "K", "Л", "L", "М", "M",
	"Н", "N", "О", "O", "П", "P", "Р", "R", "С", "S", "Т", "T", "У", "U", "Ф", "F", "Х", "H", "Ц", "Ts", "Ч", "Ch", "Ш", "Sh",
	"Щ", "Sht", "Ъ", "A", "Ь", "Y", "Ю", "Yu", "Я", "Ya",
	"а", "a", "б", "b", "в", "v", "г", "g", "д", "d", "е", "e", "ж", "zh", "з", "z", "и", "i", "к", "k", "л", "l", "м", "m",
	"н", "n", "о", "o", "п", "p", "р", "r", "с", "s", "т", "t", "у", "u", "ф", "f", "х", "h", "ц", "ts", "ч", "ch", "ш", "sh",
	"щ", "sht", "ъ", "a", "ь", "y", "ю", "yu", "я", "ya",
)

// sepaText writes a text in the characters that every bank takes, at most so
// many: without accents, other scripts in Latin letters, and a dot for the rest.
// No text begins with a slash or has two together, which banks read as a sign.
func sepaText(text string, most int) string {
	var b strings.Builder
	last := byte(' ') // nothing begins with a space
	write := func(c byte) {
		if c == ' ' && last == ' ' || c == '/' && (last == '/' || b.Len() == 0) {
			return
		}
		b.WriteByte(c)
		last = c
	}
	for _, r := range sepaLetters.Replace(norm.NFD.String(sepaLetters.Replace(text))) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case unicode.IsSpace(r):
			write(' ')
		case r < unicode.MaxASCII && strings.IndexByte(sepaCharacters, byte(r)) >= 0:
			write(byte(r))
		default:
			write('.')
		}
	}
	return strings.TrimSpace(b.String()[:min(b.Len(), most)])
}
