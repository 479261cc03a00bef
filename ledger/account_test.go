package ledger

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tirage/money"
)

func TestAccountEntries(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		name string
		got  Entry
		want Entry
	}{
		{
			"statement", Statement("3f2a", map[string]money.Amount{"amigo": 500, "ile-au-tresor": 40}),
			Entry{{"commission/amigo", 500}, {"commission/ile-au-tresor", 40}, {"outlet/3f2a", -540}},
		},
		{
			"statement with more taken back than sold", Statement("3f2a", map[string]money.Amount{"amigo": -500}),
			Entry{{"commission/amigo", -500}, {"outlet/3f2a", 500}},
		},
		{"statement without commission", Statement("3f2a", map[string]money.Amount{"amigo": 0}), Entry{}},
		{
			"direct debits paid", Debited(map[string]money.Amount{"a": 100, "b": 20}),
			Entry{{"cash", 120}, {"outlet/a", -100}, {"outlet/b", -20}},
		},
		{
			"direct debits undone", DebitsUndone(map[string]money.Amount{"a": 100, "b": 20}),
			Entry{{"cash", -120}, {"outlet/a", 100}, {"outlet/b", 20}},
		},
	} {
		if diff := cmp.Diff(v.want, v.got); diff != "" {
			t.Errorf("%s: %s", v.name, diff)
		}
	}
	if kind := Commission("amigo").Kind(); kind != "commission" {
		t.Errorf("kind %s", kind)
	}
}
