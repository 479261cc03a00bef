package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tirage/central"
)

// mailFlags say how messages to players go out.
type mailFlags struct {
	Mail     string `env:"TIRAGE_MAIL" placeholder:"WAY" help:"How messages to players go: smtp://user@host:port, or folder:DIR. Without it they wait in the outbox."`
	From     string `name:"mail-from" placeholder:"ADDRESS" help:"Whom messages are from, such as 'Loterie <joueurs@loterie.example>'; needed with --mail."`
	Password string `name:"mail-password" env:"TIRAGE_MAIL_PASSWORD" help:"Of the user at the mail server; set $$TIRAGE_MAIL_PASSWORD in the environment, where no process list shows it."`
}

// postman sends a message; the error holds no address.
type postman func(ctx context.Context, m central.Message) error

// errNoMailServer is a mail server that does not answer, so that no other message goes either.
var errNoMailServer = errors.New("the mail server does not serve")

// open makes the postman that the flags ask for, nil for none.
func (f mailFlags) open() (postman, error) {
	if f.Mail == "" {
		return nil, nil
	}
	from, err := mail.ParseAddress(f.From)
	if err != nil {
		return nil, errors.New("--mail needs --mail-from, an address")
	}
	if dir, ok := strings.CutPrefix(f.Mail, "folder:"); ok && dir != "" {
		return mailFolder(dir, from)
	}
	u, err := url.Parse(f.Mail)
	if err != nil || u.Scheme != "smtp" || u.Hostname() == "" || u.Port() == "" || u.Path != "" || u.RawQuery != "" {
		return nil, errors.New("want --mail smtp://user@host:port or folder:DIR") // without what was given: it may have a password
	}
	s := smtpServer{host: u.Hostname(), address: u.Host, user: u.User.Username(), password: f.Password, from: from}
	if password, ok := u.User.Password(); ok {
		s.password = password
	}
	return s.send, nil
}

// mailFolder writes each message into a file of a folder.
func mailFolder(dir string, from *mail.Address) (postman, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return func(_ context.Context, m central.Message) error {
		text, err := letter(m, from, time.Now(), true) // so that a link can be copied from the file
		if err != nil {
			return err
		}
		file := filepath.Join(dir, fmt.Sprintf("%08d.eml", m.ID))
		if err := os.WriteFile(file+".new", text, 0o600); err != nil {
			return fmt.Errorf("%w: %w", errNoMailServer, err)
		}
		return os.Rename(file+".new", file) // whoever watches the folder sees it whole
	}, nil
}

// letter is a message as it is sent (RFC 5322), in UTF-8. Addresses and subject
// are encoded, so that none of them can begin another field. The body is as it is
// where 8 bits may pass (RFC 6152) and its lines are as short as they must be, else quoted-printable.
func letter(m central.Message, from *mail.Address, at time.Time, eight bool) ([]byte, error) {
	body := strings.ReplaceAll(m.Body, "\r\n", "\n")
	eight = eight && !slices.ContainsFunc(strings.Split(body, "\n"), func(line string) bool { return len(line) > lineMax })
	encoding := "quoted-printable"
	if eight {
		encoding = "8bit"
	}
	to := mail.Address{Address: m.To}
	_, domain, _ := strings.Cut(from.Address, "@")
	var b strings.Builder
	for _, field := range [][2]string{
		{"From", from.String()},
		{"To", to.String()},
		{"Subject", mime.QEncoding.Encode("utf-8", m.Subject)},
		{"Date", at.Format(time.RFC1123Z)},
		{"Message-ID", fmt.Sprintf("<%d.%d@%s>", m.ID, at.UnixNano(), domain)},
		{"Auto-Submitted", "auto-generated"},
		{"MIME-Version", "1.0"},
		{"Content-Type", "text/plain; charset=utf-8"},
		{"Content-Transfer-Encoding", encoding},
	} {
		fmt.Fprintf(&b, "%s: %s\r\n", field[0], field[1])
	}
	b.WriteString("\r\n")
	if eight {
		b.WriteString(strings.ReplaceAll(body, "\n", "\r\n"))
		return []byte(b.String()), nil
	}
	w := quotedprintable.NewWriter(&b)
	if _, err := w.Write([]byte(body)); err != nil {
		return nil, err
	}
	return []byte(b.String()), w.Close()
}

// lineMax is the longest line of a message, in bytes (RFC 5322 §2.1.1).
const lineMax = 998

// smtpServer is where messages are handed in.
type smtpServer struct {
	host, address  string
	user, password string
	from           *mail.Address
	roots          *x509.CertPool // who vouches for it; nil: whom the system trusts
}

// smtpTime is how long handing in a message may take.
const smtpTime = 30 * time.Second

// send hands a message in. Nothing goes in the clear, but to a server on this machine.
func (s smtpServer) send(ctx context.Context, m central.Message) error {
	ctx, stop := context.WithTimeout(ctx, smtpTime)
	defer stop()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.address)
	if err != nil {
		return fmt.Errorf("%w: %w", errNoMailServer, err)
	}
	defer func() { _ = conn.Close() }() // already, after QUIT
	unwatch := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer unwatch()
	c, err := s.greet(conn)
	if err != nil {
		return err
	}
	eight, _ := c.Extension("8BITMIME") // then Mail says that 8 bits come
	text, err := letter(m, s.from, time.Now(), eight)
	if err != nil {
		return err
	}
	if err := c.Mail(s.from.Address); err != nil {
		return noServer("sender", err)
	}
	if err := c.Rcpt(m.To); err != nil {
		return smtpFault("recipient", err)
	}
	w, err := c.Data()
	if err != nil {
		return smtpFault("message", err)
	}
	if _, err := w.Write(text); err != nil {
		return smtpFault("message", err)
	}
	if err := w.Close(); err != nil {
		return smtpFault("message", err)
	}
	_ = c.Quit() // the message was taken
	return nil
}

// greet begins a session, under TLS and signed on.
func (s smtpServer) greet(conn net.Conn) (*smtp.Client, error) {
	c, err := smtp.NewClient(conn, s.host)
	if err != nil {
		return nil, noServer("greeting", err)
	}
	secure, _ := c.Extension("STARTTLS")
	switch {
	case secure:
		if err := c.StartTLS(&tls.Config{ServerName: s.host, RootCAs: s.roots, MinVersion: tls.VersionTLS12}); err != nil {
			return nil, noServer("TLS", err)
		}
	case !isLoopback(conn):
		return nil, fmt.Errorf("%w: it offers no STARTTLS", errNoMailServer)
	}
	if s.user != "" {
		if err := c.Auth(smtp.PlainAuth("", s.user, s.password, s.host)); err != nil {
			return nil, noServer("sign-on", err)
		}
	}
	return c, nil
}

func isLoopback(conn net.Conn) bool {
	at, ok := conn.RemoteAddr().(*net.TCPAddr)
	return ok && at.IP.IsLoopback()
}

func noServer(step string, err error) error {
	return fmt.Errorf("%w: %w", errNoMailServer, smtpFault(step, err))
}

// smtpFault leaves of an answer its code: its text may have the address in it.
func smtpFault(step string, err error) error {
	if answer := (*textproto.Error)(nil); errors.As(err, &answer) {
		return fmt.Errorf("%s: answer %d", step, answer.Code)
	}
	if e := net.Error(nil); errors.As(err, &e) {
		return fmt.Errorf("%s: %w", step, e)
	}
	if e := (*tls.CertificateVerificationError)(nil); errors.As(err, &e) {
		return fmt.Errorf("%s: %w", step, e)
	}
	return fmt.Errorf("%s: not in order", step)
}

const (
	mailEvery   = 2 * time.Second // between two looks into the outbox
	mailBackOff = 5 * time.Minute // at most, while the server does not serve
)

// deliver sends what waits in the outbox until ctx ends. While the server does not serve it
// asks less and less often, and only with the first message: each has few tries.
func (p postman) deliver(ctx context.Context, sys *central.System, log *slog.Logger) error {
	wait := mailEvery
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
		down, err := p.round(ctx, sys)
		if ctx.Err() == nil && err != nil {
			log.Error("messages to players wait", "error", err)
		}
		switch {
		case down || err != nil:
			wait = min(2*wait, mailBackOff)
		default:
			wait = mailEvery
		}
	}
}

// round sends what waits; down tells that the server did not serve.
func (p postman) round(ctx context.Context, sys *central.System) (down bool, err error) {
	pass, stop := context.WithCancel(ctx)
	defer stop()
	_, err = sys.SendMessages(pass, func(ctx context.Context, m central.Message) error {
		err := p(ctx, m)
		if errors.Is(err, errNoMailServer) {
			down = true
			stop()
		}
		return err
	})
	if down {
		return true, nil
	}
	return false, err
}
