package web

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

// Forms of an account that cost nothing fill the journal at a slow pace only.
func TestFreeActsLimited(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	v := c.visitor("Jeanne")
	said := map[int]int{}
	for range 100 {
		said[v.post("/compte/limites", url.Values{"key": {c.key()}, "deposits": {"0"}}).status]++
	}
	if said[http.StatusTooManyRequests] == 0 || said[http.StatusOK] == 0 {
		t.Errorf("got %v", said)
	}
	if p := v.get("/compte"); p.status != http.StatusOK {
		t.Errorf("pages are read as before: %d", p.status)
	}
}

// A demo deposit is bounded: sums of what is not real could become no amount.
func TestDemoDepositBounded(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	v := c.visitor("Jeanne")
	v.identify()
	for _, amount := range []string{"10000000000000", "10000,01"} {
		p := v.post("/compte/depot?lang=fr", url.Values{"key": {c.key()}, "means": {"demo"}, "amount": {amount}})
		expect(t, p, http.StatusUnprocessableEntity, "Ce montant est trop grand")
	}
	v.balance(0)
}

// What a player forgot to tick is no fault of ours, and not in the log of faults.
func TestForgottenBoxIsNoFault(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	v := c.visitor("Jeanne")
	var log bytes.Buffer
	server := httptest.NewServer(New(c.sys, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}))
	t.Cleanup(server.Close)
	v.server = server
	v.signOn("")
	if p := v.post("/compte/cloture", url.Values{"key": {"k"}}); p.status != http.StatusUnprocessableEntity {
		t.Errorf("got %d", p.status)
	}
	server.Close()
	if log.Len() > 0 {
		t.Error(log.String())
	}
}
