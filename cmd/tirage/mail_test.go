package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/internal/sim"
	"tirage/party"
)

var sender = &mail.Address{Name: "Loterie", Address: "joueurs@loterie.example"}

var aMessage = central.Message{
	ID: 7, To: "zoe@exemple.test", Subject: "Confirmez votre adresse, s’il vous plaît",
	Body: "Bonjour,\n\nhttps://loterie.example/confirmation?jeton=a%3D\n.\nÀ bientôt : " + strings.Repeat("long ", 40) + "\n",
}

// checkLetter reads a message back as a mail program does.
func checkLetter(t *testing.T, text []byte, want string) {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil || subject != aMessage.Subject {
		t.Errorf("subject %q, %v", subject, err)
	}
	to, err := m.Header.AddressList("To")
	if err != nil || len(to) != 1 || to[0].Address != aMessage.To {
		t.Errorf("to %v, %v", to, err)
	}
	if from, err := m.Header.AddressList("From"); err != nil || *from[0] != *sender {
		t.Errorf("from %v, %v", from, err)
	}
	if at, err := m.Header.Date(); err != nil || time.Since(at) > time.Hour {
		t.Errorf("date %v, %v", at, err)
	}
	body := []byte(nil)
	switch encoding := m.Header.Get("Content-Transfer-Encoding"); {
	case encoding != want:
		t.Fatalf("encoding %q, want %q", encoding, want)
	case encoding == "8bit":
		body, err = io.ReadAll(m.Body)
		if !strings.Contains(string(text), "\r\nhttps://loterie.example/confirmation?jeton=a%3D\r\n") {
			t.Errorf("the link cannot be copied: %s", text)
		}
	default:
		body, err = io.ReadAll(quotedprintable.NewReader(m.Body))
	}
	if err != nil || strings.ReplaceAll(string(body), "\r\n", "\n") != aMessage.Body {
		t.Errorf("body %q, %v", body, err)
	}
	for line := range strings.Lines(string(text)) {
		if len(line) > 80 && want != "8bit" {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
}

func TestMailFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "mail")
	post, err := mailFlags{Mail: "folder:" + dir, From: sender.String()}.open()
	if err != nil {
		t.Fatal(err)
	}
	if err := post(t.Context(), aMessage); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "00000007.eml"))
	if err != nil {
		t.Fatal(err)
	}
	checkLetter(t, text, "8bit")
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
	evil, err := letter(central.Message{To: "a@b.test\r\nBcc: c@d.test", Subject: "x\r\nBcc: c@d.test\r\n\r\nbody"}, sender, time.Now(), true)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := mail.ReadMessage(strings.NewReader(string(evil))); err != nil || m.Header.Get("Bcc") != "" || len(m.Header) != 9 {
		t.Errorf("a field was added: %s, %v", evil, err)
	}
}

func TestMailFlags(t *testing.T) {
	t.Parallel()
	for _, f := range []mailFlags{
		{Mail: "smtp://host:25"},
		{Mail: "smtp://host:25", From: "nobody"},
		{Mail: "smtp://host", From: "a@b.test"},
		{Mail: "folder:", From: "a@b.test"},
		{Mail: "http://host:25", From: "a@b.test"},
		{Mail: "smtp://user:hidden@host:25/x", From: "a@b.test"},
		{Mail: "smtp://user:hid den@host:25", From: "a@b.test"},
	} {
		if _, err := f.open(); err == nil || strings.Contains(err.Error(), "hid") {
			t.Errorf("%+v: %v", f, err)
		}
	}
	if post, err := (mailFlags{}).open(); post != nil || err != nil {
		t.Errorf("without --mail: %v", err)
	}
}

// postOffice is a mail server: STARTTLS and sign-on as it is set, refusals by step.
type postOffice struct {
	net.Listener
	config   *tls.Config // nil: no STARTTLS
	eight    bool        // it takes 8 bits
	user     string      // who may hand in; empty: everybody
	password string
	refuse   map[string]string // answer to a command instead, "RCPT": "550 …"

	mu      sync.Mutex
	letters []string
	secure  bool // the last session was
}

func newPostOffice(t *testing.T) (*postOffice, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(certificate)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &postOffice{
		Listener: l, config: &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, refuse: map[string]string{},
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(conn)
		}
	}()
	return p, roots
}

func (p *postOffice) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	in, secure, signedOn := bufio.NewReader(conn), false, false
	say := func(text string) { fmt.Fprintf(conn, "%s\r\n", text) }
	say("220 office.test")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		p.mu.Lock()
		refusal, eight := p.refuse[word], p.eight
		p.mu.Unlock()
		switch {
		case refusal != "":
			say(refusal)
		case word == "EHLO":
			say("250-office.test")
			if eight {
				say("250-8BITMIME")
			}
			if p.config != nil && !secure {
				say("250 STARTTLS")
			} else {
				say("250 AUTH PLAIN")
			}
		case word == "STARTTLS":
			say("220 go")
			over := tls.Server(conn, p.config)
			if over.Handshake() != nil {
				return
			}
			conn, in, secure = over, bufio.NewReader(over), true
		case word == "AUTH":
			plain, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(rest, "PLAIN "))
			if signedOn = string(plain) == "\x00"+p.user+"\x00"+p.password; signedOn {
				say("235 in")
			} else {
				say("535 not you")
			}
		case word == "MAIL" && p.user != "" && !signedOn:
			say("530 sign on")
		case word == "DATA":
			say("354 go")
			var text strings.Builder
			for {
				line, err := in.ReadString('\n')
				if err != nil {
					return
				}
				if line == ".\r\n" {
					break
				}
				text.WriteString(strings.TrimPrefix(line, "."))
			}
			p.mu.Lock()
			p.letters, p.secure = append(p.letters, text.String()), secure
			p.mu.Unlock()
			say("250 taken")
		case word == "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

func (p *postOffice) set(word, answer string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse[word] = answer
}

func (p *postOffice) taken() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.letters...)
}

func (p *postOffice) client(roots *x509.CertPool) smtpServer {
	return smtpServer{host: "127.0.0.1", address: p.Addr().String(), user: p.user, password: p.password, from: sender, roots: roots}
}

// TestSMTP: a message goes under TLS, signed on; what does not go says why, and whether the
// server is down; and no error has the player's address.
func TestSMTP(t *testing.T) {
	t.Parallel()
	p, roots := newPostOffice(t)
	p.user, p.password = "tirage", "secret"
	client := p.client(roots)
	if err := client.send(t.Context(), aMessage); err != nil {
		t.Fatal(err)
	}
	if got := p.taken(); len(got) != 1 || !p.secure {
		t.Fatalf("%d letters, under TLS %t", len(got), p.secure)
	}
	checkLetter(t, []byte(p.taken()[0]), "quoted-printable")
	p.mu.Lock()
	p.eight = true
	p.mu.Unlock()
	if err := client.send(t.Context(), aMessage); err != nil {
		t.Fatal(err)
	}
	checkLetter(t, []byte(p.taken()[1]), "8bit")

	p.set("HELO", "502 older than us")
	wrong := client
	wrong.password = "other"
	for name, c := range map[string]struct {
		client       smtpServer
		word, answer string
		down         bool
	}{
		"a wrong password":      {wrong, "", "", true},
		"a stranger's key":      {smtpServer{host: client.host, address: client.address, from: sender}, "", "", true},
		"no such recipient":     {client, "RCPT", "550 5.1.1 <zoe@exemple.test> unknown", false},
		"a sender refused":      {client, "MAIL", "553 not <joueurs@loterie.example>", true},
		"a message refused":     {client, "DATA", "554 zoe@exemple.test does not want it", false},
		"nobody there":          {smtpServer{host: "127.0.0.1", address: closedAddress(t), from: sender}, "", "", true},
		"not a mail server":     {client, "EHLO", "garbage", true},
		"a server that is shut": {client, "STARTTLS", "454 not now", true},
	} {
		p.set(c.word, c.answer)
		err := c.client.send(t.Context(), aMessage)
		if err == nil || errors.Is(err, errNoMailServer) != c.down || strings.Contains(err.Error(), "zoe") {
			t.Errorf("%s: %v, down %t", name, err, c.down)
		}
		p.set(c.word, "")
	}
	if got := p.taken(); len(got) != 2 {
		t.Errorf("%d letters were taken", len(got))
	}
}

func closedAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// TestF22_Deliver: messages leave the outbox, once each; none reaches a player who has
// excluded himself; and while the server is down, waiting costs a message no more than one try.
func TestF22_Deliver(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		p, roots := newPostOffice(t)
		post := postman(p.client(roots).send)
		l, err := openLottery(t.Context(), orders{DSN: dsn, Keys: mustKeys(t), Players: []string{"demo"}})
		if err != nil {
			t.Fatal(err)
		}
		defer l.close()
		officer, err := l.sys.PutOfficer(t.Context(), central.PutOfficer{Key: "first", Login: "first", Password: "0123456789", Roles: []string{"all"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.sys.PublishAccounts(t.Context(), central.PublishRules{Key: "accounts", Officer: officer.ID, Book: party.Book()}); err != nil {
			t.Fatal(err)
		}
		people := []sim.Newcomer{sim.Simulated(1), sim.Simulated(2), sim.Simulated(3), sim.Simulated(4), sim.Simulated(5)}
		ids, err := sim.Enrol(t.Context(), l.sys, officer.ID, people, post)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.sys.Exclude(t.Context(), central.Exclude{Key: "out", Player: ids[0], For: 48 * time.Hour}); err != nil {
			t.Fatal(err)
		}
		for _, who := range people[:2] {
			if err := l.sys.ForgotPassword(t.Context(), who.Email); err != nil {
				t.Fatal(err)
			}
		}
		if down, err := post.round(t.Context(), l.sys); down || err != nil {
			t.Fatalf("down %t, %v", down, err)
		}
		letters := p.taken()
		if len(letters) != 1 || !strings.Contains(letters[0], "player-2@") {
			t.Fatalf("%d letters: %s", len(letters), letters)
		}
		if down, err := post.round(t.Context(), l.sys); down || err != nil || len(p.taken()) != 1 {
			t.Errorf("again: down %t, %v, %d letters", down, err, len(p.taken()))
		}

		for _, who := range people[2:] {
			if err := l.sys.ForgotPassword(t.Context(), who.Email); err != nil {
				t.Fatal(err)
			}
		}
		p.set("MAIL", "421 closing")
		if down, err := post.round(t.Context(), l.sys); !down || err != nil {
			t.Errorf("of a server that is down: down %t, %v", down, err)
		}
		p.set("MAIL", "")
		if down, err := post.round(t.Context(), l.sys); down || err != nil || len(p.taken()) != 3 {
			t.Errorf("up again: down %t, %v, %d letters, want those that were not tried", down, err, len(p.taken()))
		}
		if err := l.sys.CheckBooks(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestDeliver_Ends: the loop ends with its context, and sends meanwhile.
func TestDeliver_Ends(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := postman(nil).deliver(ctx, nil, slog.New(slog.DiscardHandler)); err != nil {
		t.Error(err)
	}
}

func mustKeys(t *testing.T) central.Keys {
	t.Helper()
	keys, err := central.NewKeys("mail.tirage.example/log")
	if err != nil {
		t.Fatal(err)
	}
	return keys
}
