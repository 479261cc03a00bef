package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// TestAskedTooMuch: a server that has had enough is asked again when it says, until somebody has.
func TestAskedTooMuch(t *testing.T) {
	t.Parallel()
	asked, left := 0, 2
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked <= left {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "later", http.StatusTooManyRequests)
			return
		}
		_, _ = io.WriteString(w, "here")
	}))
	t.Cleanup(server.Close)
	if b, err := get(t.Context(), server.URL); err != nil || string(b) != "here" || asked != 3 {
		t.Errorf("asked %d times: %q, %v", asked, b, err)
	}
	left = 100
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := get(ctx, server.URL); !errors.Is(err, verify.ErrAbsent) || !errors.Is(err, context.Canceled) || asked > 4 {
		t.Errorf("asked %d times: %v", asked, err)
	}
}

// zeros is a body without end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }
