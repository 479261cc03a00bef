package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tirage/verify"
)

// TestWordsOfOthers: what a file says moves no cursor and begins no line.
func TestWordsOfOthers(t *testing.T) {
	t.Parallel()
	evil := "x\x1b[2J\r\n✓ All is right.\n\u202e"
	r := &verify.Report{Key: evil, Unit: &verify.Told{Game: evil}, Steps: []verify.Step{{Name: verify.StepFile, State: verify.Refuted, Why: evil}}}
	text := wordsOf("en").report(r)
	if strings.ContainsAny(text, "\x1b\r\u202e") || strings.Contains(text, "\n✓") || !strings.HasSuffix(text, "\nSomething is wrong.\n") {
		t.Errorf("printed %q", text)
	}
}

// TestHostileServer: a server leads to no other machine, and answers with no
// more than a proof can have; each is said, and the code is that of what was not checked.
func TestHostileServer(t *testing.T) {
	t.Parallel()
	private := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another machine was asked") }))
	t.Cleanup(private.Close)
	mux := http.NewServeMux()
	for path, to := range map[string]string{
		"/other/preuve.json": strings.Replace(private.URL, "127.0.0.1", "localhost", 1), "/file/preuve.json": "file:///etc/passwd", "/round/preuve.json": "/round/preuve.json",
	} {
		mux.Handle(path, http.RedirectHandler(to, http.StatusFound))
	}
	mux.HandleFunc("/large/preuve.json", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.CopyN(w, zeros{}, getMax+2) })
	mux.HandleFunc("/escape/preuve.json", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "\x1b[2J", http.StatusTeapot) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	for path, want := range map[string]string{"other": "elsewhere", "file": "elsewhere", "round": "elsewhere", "large": "too large", "escape": "418"} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), []string{"unit", server.URL + "/" + path}, &stdout, &stderr); code != exitNotChecked ||
			!strings.Contains(stderr.String(), want) || strings.Contains(stderr.String(), "\x1b") || stdout.Len() > 0 {
			t.Errorf("%s: exits with %d: %q", path, code, stderr.String())
		}
	}
	large := filepath.Join(t.TempDir(), "large.json")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, getMax+1); err != nil {
		t.Fatal(err)
	}
	if _, err := readFile(large); err == nil {
		t.Error("a file of any size is read")
	}
}

// zeros is a body without end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }
