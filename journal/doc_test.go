package journal

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

var (
	cddlBlock  = regexp.MustCompile("(?s)```cddl\n(.*?)```")
	cddlMember = regexp.MustCompile(`(?m)^  (\? )?(\d+): [^;\n]+,? +; \S`)
	cddlItem   = regexp.MustCompile(`(?m)^  ([a-z-]+): `)
)

// rule returns the text of a rule of the CDDL between its brackets.
func rule(t *testing.T, cddl, name, left, right string) string {
	t.Helper()
	_, rest, ok := strings.Cut(cddl, "\n"+name+" = "+left+"\n")
	text, _, end := strings.Cut(rest, "\n"+right+"\n")
	if !ok || !end {
		t.Fatalf("docs/journal.md has no rule %q", name)
	}
	return text
}

// members writes the fields of a record type as the CDDL numbers them.
func members(typ reflect.Type) []string {
	var want []string
	for f := range typ.Fields() {
		key, options, _ := strings.Cut(f.Tag.Get("cbor"), ",")
		if strings.Contains(options, "omitempty") {
			key = "? " + key
		}
		want = append(want, key)
	}
	return want
}

// checkMembers compares the keys of a map rule with the fields of its type.
func checkMembers(t *testing.T, cddl, name string, typ reflect.Type) {
	t.Helper()
	var got []string
	for _, m := range cddlMember.FindAllStringSubmatch(rule(t, cddl, name, "{", "}"), -1) {
		got = append(got, m[1]+m[2])
	}
	if want := members(typ); !reflect.DeepEqual(got, want) {
		t.Errorf("%s: the CDDL has %q, the type %q", name, got, want)
	}
}

// The CDDL has every kind, and exactly the fields of its type, each explained.
func TestCDDL(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/journal.md")
	if err != nil {
		t.Fatal(err)
	}
	block := cddlBlock.FindSubmatch(text)
	if block == nil {
		t.Fatal("docs/journal.md has no CDDL")
	}
	cddl := string(block[1])
	lists, maps := map[string]reflect.Type{}, map[string]reflect.Type{}
	for _, k := range kinds() {
		if want := fmt.Sprintf("record-of<%d, %s>", k, k); !strings.Contains(cddl, want) {
			t.Errorf("no %s", want)
		}
		typ := reflect.TypeOf(k.body()).Elem()
		checkMembers(t, cddl, k.String(), typ)
		for f := range typ.Fields() {
			if f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct {
				lists[f.Type.Elem().Name()] = f.Type.Elem()
			}
			if f.Type.Kind() == reflect.Pointer {
				maps[f.Type.Elem().Name()] = f.Type.Elem()
			}
		}
	}
	for name, typ := range maps {
		checkMembers(t, cddl, kebab(name), typ)
	}
	for name, typ := range lists {
		got := cddlItem.FindAllStringSubmatch(rule(t, cddl, kebab(name), "[", "]"), -1)
		var names []string
		for _, m := range got {
			names = append(names, m[1])
		}
		var want []string
		for f := range typ.Fields() {
			if f.Name != "_" {
				want = append(want, kebab(f.Name))
			}
		}
		if !reflect.DeepEqual(names, want) {
			t.Errorf("%s: the CDDL has %q, the type %q", name, names, want)
		}
	}
}

var capital = regexp.MustCompile(`([a-z])([A-Z])`)

// kebab turns PlanDraw into plan-draw.
func kebab(name string) string {
	return strings.ToLower(capital.ReplaceAllString(name, "$1-$2"))
}
