package central

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"tirage/game"
	"tirage/party"
	"tirage/store"
	"tirage/wager"
)

func TestSmoke(t *testing.T) {
	ctx := context.Background()
	db, err := store.Open(ctx, "sqlite:"+t.TempDir()+"/x.db")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	keys, _ := NewKeys("test.example/log")
	var mu sync.Mutex
	now := time.Date(2027, 1, 4, 10, 0, 0, 0, time.UTC) // a Monday, 11:00 Paris
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	set := func(at time.Time) { mu.Lock(); now = at; mu.Unlock() }
	s, err := Open(ctx, Options{DB: db, Keys: keys, Clock: Clock{Now: clock, Wall: clock}, Control: "none", Logger: slog.Default()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	off, err := s.PutOfficer(ctx, PutOfficer{Key: "o1", Login: "root", Password: "0123456789", Roles: []string{"all"}})
	if err != nil {
		t.Fatal(err)
	}
	book, _ := game.Book("ile-au-tresor")
	if _, err := s.PublishRules(ctx, PublishRules{Key: "r", Officer: off.ID, Book: book}); err != nil {
		t.Fatal(err)
	}
	out, err := s.PutOutlet(ctx, PutOutlet{Key: "out", Officer: off.ID, Outlet: party.Outlet{Number: 7, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: 100000000}})
	if err != nil {
		t.Fatal(err)
	}
	term, key, err := s.PutTerminal(ctx, PutTerminal{Key: "t", Officer: off.ID, Outlet: out.ID})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(key)
	if _, _, err := s.SignOnTerminal(ctx, key); err != nil {
		t.Fatal(err)
	}
	next, err := s.Tick(ctx)
	fmt.Println("next", next, err)
	st, _ := s.Status("ile-au-tresor")
	fmt.Printf("%+v\n", st)
	set(time.Date(2027, 1, 4, 10, 59, 0, 0, time.UTC))
	for i := range 3 {
		_ = i
		next, err = s.Tick(ctx)
		fmt.Println("next", next, err)
		set(next)
	}
	set(time.Date(2027, 1, 4, 10, 59, 0, 0, time.UTC))
	var tks []wager.Ticket
	for i := range 200 {
		tk, err := s.Place(ctx, Place{Key: fmt.Sprint(i), Terminal: term.ID, Slip: wager.Slip{Game: "ile-au-tresor", Boards: []wager.Board{{QuickPick: true}}, Stake: 400, Draws: 3}})
		if err != nil {
			t.Fatal(err)
		}
		tks = append(tks, tk)
	}
	fmt.Printf("%+v\n", tks[0])
	set(time.Date(2027, 1, 4, 11, 15, 0, 0, time.UTC))
	next, err = s.Tick(ctx)
	fmt.Println("next", next, err)
	for _, tk := range tks[:20] {
		c, err := s.Check(ctx, tk.Number, tk.Secret, time.UTC)
		fmt.Printf("%v %v %v %v\n", c.Answer.Standing, c.Answer.Total, c.Answer.Payable, err)
		p, err := s.Pay(ctx, Pay{Key: fmt.Sprintf("p%d", tk.Number), Terminal: term.ID, Ticket: tk.Number, Secret: tk.Secret})
		fmt.Println(p.Amount, err)
	}
	if err := s.CheckBooks(ctx); err != nil {
		t.Fatal(err)
	}
}
