package web

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tirage/money"
	"tirage/web/page"
)

// stalled is the beginning of a form with a picture: its header, and no more.
const stalled = "POST /verifier/photo HTTP/1.1\r\nHost: tirage.test\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n" +
	"--x\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"p.jpg\"\r\n\r\n"

// Whoever sends photos to the portal and stalls takes no place of a terminal's.
func TestStalledPhotosKeepNoTerminalOut(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	const senders = 6
	at := make(chan bool, 2*senders) // true: a photo is being received; false: its request is being answered
	var clients atomic.Int32
	inner := New(s.sys, Options{Logger: slog.New(slog.DiscardHandler)})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/verifier/photo" {
			inner.ServeHTTP(w, r)
			return
		}
		r.RemoteAddr = fmt.Sprintf("192.0.2.%d:1", clients.Add(1))
		r.Body = &told{ReadCloser: r.Body, begun: func() { at <- true }}
		inner.ServeHTTP(&answering{w, func() { at <- false }}, r)
	}))
	t.Cleanup(server.Close)
	received := 0
	for range senders {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		check(t, err)
		defer func() { check(t, conn.Close()) }()
		_, err = io.WriteString(conn, stalled)
		check(t, err)
		if <-at {
			received++
		}
	}
	if received == 0 {
		t.Fatal("no photo is being received")
	}
	b := s.browser()
	b.server = server
	b.post("/terminal/connexion", map[string][]string{"device": {s.device}})
	expect(t, b.send("/terminal/lecture?from=scan", []byte("not a picture")), http.StatusUnprocessableEntity, "JPEG")
}

// told is a body that tells when it has begun to be read.
type told struct {
	io.ReadCloser
	begun func()
	once  sync.Once
}

func (b *told) Read(p []byte) (int, error) {
	b.once.Do(b.begun)
	return b.ReadCloser.Read(p)
}

// answering tells when an answer begins to be written.
type answering struct {
	http.ResponseWriter
	begun func()
}

func (a *answering) WriteHeader(status int) { a.begun(); a.ResponseWriter.WriteHeader(status) }

func (a *answering) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// pipes is a listener whose connections are made in memory.
type pipes struct{ made chan net.Conn }

func (p pipes) Accept() (net.Conn, error) {
	conn, ok := <-p.made
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}
func (p pipes) Close() error   { close(p.made); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// A photo that comes slowly but steadily is read, and its answer arrives; one
// that stalls is refused soon, in words.
func TestSlowPhoto(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	check(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 30))))
	whole := append(picture.Bytes(), make([]byte, 3_000_000)...) // a PNG ends before
	for name, c := range map[string]struct {
		file  []byte
		every time.Duration // a twentieth of the file
		says  string
		least time.Duration
		most  time.Duration
	}{
		"40 s":   {whole, 2 * time.Second, "200", 38 * time.Second, 42 * time.Second},
		"80 s":   {whole, 4 * time.Second, "400 slow", 59 * time.Second, 61 * time.Second},
		"stalls": {whole[:2000], 20 * time.Second, "400 slow", 9 * time.Second, 11 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { sendSlowly(t, c.file, c.every, c.says, c.least, c.most) })
		})
	}
}

func sendSlowly(t *testing.T, file []byte, every time.Duration, says string, least, most time.Duration) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	app := page.New(nil, slog.New(slog.DiscardHandler))
	l := pipes{make(chan net.Conn)}
	done := make(chan error, 1)
	go func() {
		done <- Serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := app.Pictures.Picture(w, r, "T1", "photo", func(image.Image) error { return nil }); err != nil {
				refusal := page.Describe(page.French, err)
				http.Error(w, refusal.Code, refusal.Status)
			}
		}))
	}()
	ours, theirs := net.Pipe()
	l.made <- theirs
	began := time.Now()
	head := "--x\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"p.png\"\r\n\r\n"
	tail := "\r\n--x--\r\n"
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_, err := fmt.Fprintf(ours, "POST / HTTP/1.1\r\nHost: h\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: %d\r\n\r\n%s", len(head)+len(file)+len(tail), head)
		for part := len(file) / 20; err == nil && len(file) > 0; file = file[min(part, len(file)):] {
			time.Sleep(every)
			_, err = ours.Write(file[:min(part, len(file))])
		}
		if err == nil {
			_, err = io.WriteString(ours, tail)
		}
		if err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
	}()
	answer, err := http.ReadResponse(bufio.NewReader(ours), nil)
	took := time.Since(began)
	if err != nil {
		t.Errorf("no answer after %v: %v", took, err)
	} else {
		defer func() { check(t, answer.Body.Close()) }()
		body, err := io.ReadAll(answer.Body)
		if got := strings.TrimSpace(fmt.Sprint(answer.StatusCode, " ", string(body))); err != nil || got != says || took < least || took > most {
			t.Errorf("%q after %v, %v; want %q", got, took, err, says)
		}
	}
	check(t, ours.Close())
	<-sent
	stop()
	check(t, <-done)
}
