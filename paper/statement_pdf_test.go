package paper

import (
	"bytes"
	"testing"
	"time"

	"tirage/game"
)

// A statement of any length and sign prints, the same each time, and as many pages as it needs.
func TestStatementPDF(t *testing.T) {
	t.Parallel()
	s := Statement{
		Number: 99, Outlet: 75001, First: game.NewDay(2027, 1, 4), Last: game.NewDay(2027, 1, 10), MadeAt: time.Date(2027, 1, 11, 0, 0, 5, 0, time.UTC),
		Opening: 50_000, Vouchers: 2000, Received: -5460, Closing: 1_234_567_89, DebitOn: game.NewDay(2027, 1, 15),
		Lines: []StatementLine{{Game: "Amigo", Sold: 1001, Commission: 50}, {Game: "L’Ile au Trésor", Sold: 319_900, Cancelled: 200, Paid: 40_000, Back: 400, Commission: -490}},
	}
	pages := func(s Statement) int {
		t.Helper()
		first, err := s.PDF()
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.PDF()
		if err != nil || !bytes.Equal(first, again) {
			t.Errorf("the same statement gives other bytes; %v", err)
		}
		return bytes.Count(first, []byte("/Type /Page\n"))
	}
	if n := pages(s); n != 1 {
		t.Errorf("%d pages, want 1", n)
	}
	other := s
	other.Closing = -1
	a, err := s.PDF()
	if err != nil {
		t.Fatal(err)
	}
	if b, err := other.PDF(); err != nil || bytes.Equal(a, b) {
		t.Errorf("another statement gives the same bytes; %v", err)
	}
	for range 100 {
		s.Lines = append(s.Lines, StatementLine{Game: "Un jeu au nom bien trop long pour tenir dans la colonne des noms de jeux"})
	}
	if n := pages(s); n < 3 {
		t.Errorf("102 games stand on %d pages", n)
	}
}
