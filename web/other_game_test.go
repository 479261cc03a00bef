package web

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"regexp"
	"testing"

	"tirage/central"
	"tirage/game"
	"tirage/money"
)

// Another game's book, of whatever code and first day, leaves the terminals as they were.
func TestTerminalAfterAnotherGame(t *testing.T) {
	island, err := game.Book("ile-au-tresor")
	check(t, err)
	far := regexp.MustCompile(`(?m)^game: .*`).ReplaceAll(island, []byte("game: aaa"))
	far = regexp.MustCompile(`(?m)^first_day: .*`).ReplaceAll(far, []byte("first_day: 9998-01-01"))
	keno, err := os.ReadFile("../game/testdata/keno-10.yaml")
	check(t, err)
	keno = regexp.MustCompile(`(?m)^game: .*`).ReplaceAll(keno, []byte("game: 0keno"))
	keno = regexp.MustCompile(`(?m)^currency: .*`).ReplaceAll(keno, []byte("currency: EUR"))
	for name, book := range map[string][]byte{"the same game from 9998 on": far, "a keno": keno} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, money.Euros(100))
			_, err := s.sys.PublishRules(context.Background(), central.PublishRules{Key: "other", Officer: s.officer.ID, Book: book})
			check(t, err)
			s.tick()
			status, page := s.desk(t)
			if status != http.StatusOK {
				t.Fatalf("GET /terminal: %d", status)
			}
			if !bytes.Contains(page, []byte(`name="draws"`)) || bytes.Contains(page, []byte("Aucune session")) {
				t.Error("the terminal sells nothing any more")
			}
		})
	}
}

// desk signs the shop's terminal on and reads its page.
func (s *shop) desk(t *testing.T) (int, []byte) {
	t.Helper()
	token, err := s.sys.NewSession(context.Background(), "terminal", s.terminal.ID, 1<<40)
	check(t, err)
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.server.URL+"/terminal", nil)
	check(t, err)
	r.AddCookie(&http.Cookie{Name: "terminal", Value: token})
	res, err := http.DefaultClient.Do(r)
	check(t, err)
	defer func() { _ = res.Body.Close() }()
	var b bytes.Buffer
	_, err = b.ReadFrom(res.Body)
	check(t, err)
	return res.StatusCode, b.Bytes()
}
