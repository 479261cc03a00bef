package central_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"tirage/central"
	"tirage/internal/dbtest"
)

// F21: a session that changes its kind keeps its subject and its end, under a new
// token; the old one is worth nothing, and one of another kind is not changed.
func TestF21_ChangeSession(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, amigo(t, aFewDraws...))
		ctx := context.Background()
		token, err := w.sys.NewSession(ctx, "terminal", "x", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.sys.ChangeSession(ctx, token, "training", "terminal"); !errors.Is(err, central.ErrSession) {
			t.Errorf("of another kind: %v", err)
		}
		next, life, err := w.sys.ChangeSession(ctx, token, "terminal", "training")
		if err != nil {
			t.Fatal(err)
		}
		if life > time.Hour || life < 59*time.Minute || next == token {
			t.Errorf("it lives for %v", life)
		}
		if kind, subject, err := w.sys.Session(ctx, next); err != nil || kind != "training" || subject != "x" {
			t.Errorf("%s of %s, %v", kind, subject, err)
		}
		for _, gone := range []string{token, "nothing"} {
			if _, _, err := w.sys.Session(ctx, gone); !errors.Is(err, central.ErrSession) {
				t.Errorf("the token before: %v", err)
			}
			if _, _, err := w.sys.ChangeSession(ctx, gone, "terminal", "training"); !errors.Is(err, central.ErrSession) {
				t.Errorf("the token before changes: %v", err)
			}
		}
	})
}
