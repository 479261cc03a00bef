package main

import (
	"strings"
	"testing"
)

// A server starts with banks' codes that banks take, or not at all: they would
// refuse each file whole, weeks later.
func TestServeBIC(t *testing.T) {
	t.Parallel()
	const iban = "FR76 3000 6000 0112 3456 7890 189"
	for text, want := range map[string]string{
		"": "", "AGRIFRPP": "AGRIFRPP", "agri fr pp 882": "AGRIFRPP882",
		"AGRIFRP": "-", "AGRIFRPP8": "-", "AGR1FRPP": "-", "AGRIFRPP88é": "-", "FR7630006000011234567890189": "-",
	} {
		creditor, err := creditorFlags{Creditor: "Loterie", CreditorID: "FR72ZZZ123456", CreditorIBAN: iban, CreditorBIC: text}.creditor()
		if refused := err != nil && strings.Contains(err.Error(), "--creditor-bic"); refused != (want == "-") || !refused && (err != nil || creditor.BIC != want) {
			t.Errorf("creditor at %q: %+v, %v", text, creditor, err)
		}
		payer, err := payerFlags{Name: "Loterie", IBAN: iban, BIC: text}.payer()
		if refused := err != nil && strings.Contains(err.Error(), "--payer-bic"); refused != (want == "-") || !refused && (err != nil || payer.BIC != want) {
			t.Errorf("payer at %q: %+v, %v", text, payer, err)
		}
	}
}

// Without --site codes lead to an address that a browser on this machine opens, whichever interfaces are listened on.
func TestServeSite(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]string{
		":8080": "http://localhost:8080", "0.0.0.0:8080": "http://localhost:8080", "[::]:8081": "http://localhost:8081",
		"127.0.0.1:8080": "http://127.0.0.1:8080", "[::1]:8080": "http://[::1]:8080", "192.0.2.7:80": "http://192.0.2.7:80",
	} {
		if got, err := siteOf(listen); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", listen, got, err, want)
		}
	}
	if got, err := siteOf("8080"); err == nil {
		t.Errorf("an address that is none: %q", got)
	}
}
