package instant

import (
	"testing"
)

// island returns the rules of the embedded book.
func island(t *testing.T) *Rules {
	t.Helper()
	text, err := Book("ile-au-tresor-instant")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Parse("ile-au-tresor-instant.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBooks(t *testing.T) {
	t.Parallel()
	r := island(t)
	t.Logf("%+v", r.Policy)
}
