package rng

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// TestDRBG_NIST runs NIST's published vectors.
func TestDRBG_NIST(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/HMAC_DRBG.rsp")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(text), "COUNT = 0\n")[1:]
	if len(blocks) != 7 {
		t.Fatalf("%d vectors, want 7", len(blocks))
	}
	for i, block := range blocks {
		v := parseVector(t, block)
		one := func(name string) []byte { return v[name][0] }
		d := Instantiate(one("EntropyInput"), one("Nonce"), one("PersonalizationString"))
		if v["EntropyInputReseed"] != nil {
			d.Reseed(one("EntropyInputReseed"), one("AdditionalInputReseed"))
		}
		got, want := make([]byte, 128), one("ReturnedBits")
		for _, additional := range v["AdditionalInput"] {
			d.Generate(got, additional)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("vector %d:\n got %x\nwant %x", i, got, want)
		}
	}
}

func parseVector(t *testing.T, block string) map[string][][]byte {
	t.Helper()
	v := map[string][][]byte{}
	for line := range strings.Lines(block) {
		name, value, ok := strings.Cut(line, "=")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		b, err := hex.DecodeString(strings.TrimSpace(value))
		if err != nil {
			t.Fatal(err)
		}
		name = strings.TrimSpace(name)
		v[name] = append(v[name], b)
	}
	return v
}

func TestDRBG_Limits(t *testing.T) {
	t.Parallel()
	d := Instantiate(make([]byte, 32), nil, nil)
	d.Generate(make([]byte, requestMax), nil)
	mustPanic(t, "one byte more", func() { d.Generate(make([]byte, requestMax+1), nil) })
	d.requests = requestsMax + 1
	mustPanic(t, "used up", func() { d.Generate(nil, nil) })
	d.Reseed(make([]byte, 32), nil)
	d.Generate(nil, nil)
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	f()
}
