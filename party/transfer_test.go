package party

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tirage/money"
)

var update = flag.Bool("update", false, "write the golden files anew")

func transferFile(transfers ...Transfer) TransferFile {
	return TransferFile{
		ID: "TIRAGE-1204", CreatedAt: time.Date(2027, 1, 4, 10, 30, 12, 345, time.UTC), ExecuteOn: time.Date(2027, 1, 5, 0, 0, 0, 0, time.UTC),
		Payer: Payer{Name: "Loterie de démonstration", IBAN: "FR7630006000011234567890189"}, Remittance: "Loterie : votre retrait", Transfers: transfers,
	}
}

func TestTransferFile_Golden(t *testing.T) {
	t.Parallel()
	f := transferFile(
		Transfer{1187, "Élise <script> & Cie", "FR1420041010050500013M02606", 1250},
		Transfer{1190, "Søren Þór", "DE89370400440532013000", money.Euros(1_000_000)},
		Transfer{1191, "Γιώργος", "BE68539007547034", 1},
	)
	got := f.Encode()
	const name = "testdata/transfer.xml"
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !bytes.Equal(got, f.Encode()) {
		t.Error("the same transfers give other bytes")
	}
	f.Payer.BIC = "AGRIFRPP"
	if b := string(f.Encode()); !strings.Contains(b, "<BICFI>AGRIFRPP</BICFI>") || strings.Contains(b, "NOTPROVIDED") {
		t.Errorf("with a BIC: %s", b)
	}
}

// schema is a pain.001.001.09 as EPC 132-08 restricts it: the children of each
// element in their order, by the path of the element, and what its text may be.
// "+" marks a child that comes several times, "?" one that may not come.
var schema = map[string]string{
	"Document":                  "CstmrCdtTrfInitn",
	"Document/CstmrCdtTrfInitn": "GrpHdr PmtInf",
	"CstmrCdtTrfInitn/GrpHdr":   "MsgId CreDtTm NbOfTxs CtrlSum InitgPty",
	"GrpHdr/InitgPty":           "Nm",
	"CstmrCdtTrfInitn/PmtInf":   "PmtInfId PmtMtd BtchBookg NbOfTxs CtrlSum PmtTpInf ReqdExctnDt Dbtr DbtrAcct DbtrAgt ChrgBr CdtTrfTxInf+",
	"PmtInf/PmtTpInf":           "SvcLvl",
	"PmtTpInf/SvcLvl":           "Cd",
	"PmtInf/ReqdExctnDt":        "Dt",
	"PmtInf/Dbtr":               "Nm",
	"PmtInf/DbtrAcct":           "Id",
	"DbtrAcct/Id":               "IBAN",
	"PmtInf/DbtrAgt":            "FinInstnId",
	"DbtrAgt/FinInstnId":        "BICFI? Othr?",
	"FinInstnId/Othr":           "Id",
	"PmtInf/CdtTrfTxInf":        "PmtId Amt Cdtr CdtrAcct RmtInf?",
	"CdtTrfTxInf/PmtId":         "EndToEndId",
	"CdtTrfTxInf/Amt":           "InstdAmt",
	"CdtTrfTxInf/Cdtr":          "Nm",
	"CdtTrfTxInf/CdtrAcct":      "Id",
	"CdtrAcct/Id":               "IBAN",
	"CdtTrfTxInf/RmtInf":        "Ustrd",
	"GrpHdr/MsgId":              `=[A-Za-z0-9/?:().,'+ -]{1,35}`,
	"GrpHdr/CreDtTm":            `=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`,
	"GrpHdr/NbOfTxs":            `=[1-9]\d{0,14}`,
	"GrpHdr/CtrlSum":            `=\d{1,16}\.\d\d`,
	"InitgPty/Nm":               `=[A-Za-z0-9/?:().,'+ -]{1,70}`,
	"PmtInf/PmtInfId":           `=[A-Za-z0-9/?:().,'+ -]{1,35}`,
	"PmtInf/PmtMtd":             `=TRF`,
	"PmtInf/BtchBookg":          `=true|false`,
	"PmtInf/NbOfTxs":            `=[1-9]\d{0,14}`,
	"PmtInf/CtrlSum":            `=\d{1,16}\.\d\d`,
	"SvcLvl/Cd":                 `=SEPA`,
	"ReqdExctnDt/Dt":            `=\d{4}-\d\d-\d\d`,
	"Dbtr/Nm":                   `=[A-Za-z0-9/?:().,'+ -]{1,70}`,
	"Id/IBAN":                   `=[A-Z]{2}\d\d[A-Z0-9]{11,30}`,
	"FinInstnId/BICFI":          `=[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?`,
	"Othr/Id":                   `=NOTPROVIDED`,
	"PmtInf/ChrgBr":             `=SLEV`,
	"PmtId/EndToEndId":          `=[A-Za-z0-9/?:().,'+ -]{1,35}`,
	"Amt/InstdAmt":              `=\d{1,9}\.\d\d`,
	"Cdtr/Nm":                   `=[A-Za-z0-9/?:().,'+ -]{1,70}`,
	"RmtInf/Ustrd":              `=[A-Za-z0-9/?:().,'+ -]{1,140}`,
}

type node struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []node     `xml:",any"`
}

// check walks an element by the schema, and hands out the texts it finds.
func (n node) check(t *rapid.T, parent string, found func(path, text string)) {
	path := strings.TrimPrefix(parent+"/"+n.XMLName.Local, "/")
	rule, ok := schema[path]
	if !ok {
		t.Fatalf("element %s is not of the schema", path)
	}
	if pattern, leaf := strings.CutPrefix(rule, "="); leaf {
		if !regexp.MustCompile("^(" + pattern + ")$").MatchString(n.Text) {
			t.Fatalf("%s is %q", path, n.Text)
		}
		found(path, n.Text)
		return
	}
	var names []string
	for _, c := range n.Children {
		if len(names) == 0 || names[len(names)-1] != c.XMLName.Local {
			names = append(names, c.XMLName.Local)
		}
		c.check(t, n.XMLName.Local, found)
	}
	for word := range strings.FieldsSeq(rule) {
		name := strings.TrimRight(word, "?+")
		count := 0
		for _, c := range n.Children {
			if c.XMLName.Local == name {
				count++
			}
		}
		if count == 0 && !strings.HasSuffix(word, "?") || count > 1 && !strings.HasSuffix(word, "+") {
			t.Fatalf("%s has %d of %s", path, count, name)
		}
		if len(names) > 0 && names[0] == name {
			names = names[1:]
		}
	}
	if len(names) > 0 {
		t.Fatalf("%s has %v out of order", path, names)
	}
}

// Whatever the names, a payment file is as its schema says, its count and control sum are those of its transfers, and each is there once.
func TestTransferFile_Structure(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var transfers []Transfer
		for i := range rapid.IntRange(1, 20).Draw(t, "transfers") {
			transfers = append(transfers, Transfer{
				ID: uint64(i)*7 + 1, Name: "J" + rapid.String().Draw(t, "name"), IBAN: IBAN(strings.ReplaceAll(rapid.SampledFrom(examples).Draw(t, "iban"), " ", "")),
				Amount: money.Amount(rapid.Int64Range(1, 99_999_999_999).Draw(t, "amount")),
			})
		}
		var doc node
		b := transferFile(transfers...).Encode()
		if err := xml.Unmarshal(b, &doc); err != nil {
			t.Fatalf("%v\n%s", err, b)
		}
		if doc.XMLName.Space != "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09" {
			t.Fatalf("name space %q", doc.XMLName.Space)
		}
		texts := map[string][]string{}
		doc.check(t, "", func(path, text string) { texts[path] = append(texts[path], text) })
		var sum money.Amount
		var ids, amounts []string
		for _, x := range transfers {
			sum = sum.Add(x.Amount)
			ids, amounts = append(ids, fmt.Sprint(x.ID)), append(amounts, x.Amount.String())
		}
		total, count := []string{sum.String()}, []string{fmt.Sprint(len(transfers))}
		for path, want := range map[string][]string{
			"PmtId/EndToEndId": ids, "Amt/InstdAmt": amounts, "GrpHdr/CtrlSum": total, "PmtInf/CtrlSum": total,
			"GrpHdr/NbOfTxs": count, "PmtInf/NbOfTxs": count,
		} {
			if !slices.Equal(texts[path], want) {
				t.Fatalf("%s is %v, want %v", path, texts[path], want)
			}
		}
	})
}
