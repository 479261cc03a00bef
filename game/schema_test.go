package game

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

const schemaFile = "rules/schema.json"

// plainValue is what a YAML 1.2 reader, such as an editor's, makes of a node:
// numbers and texts, and no dates.
func plainValue(t *testing.T, n *yaml.Node) any {
	t.Helper()
	switch n.Kind {
	case yaml.DocumentNode:
		return plainValue(t, n.Content[0])
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i < len(n.Content); i += 2 {
			m[n.Content[i].Value] = plainValue(t, n.Content[i+1])
		}
		return m
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			list = append(list, plainValue(t, item))
		}
		return list
	case yaml.ScalarNode, yaml.AliasNode:
	}
	if tag := n.ShortTag(); tag == "!!int" || tag == "!!float" {
		return json.Number(strings.TrimPrefix(n.Value, "+"))
	}
	return n.Value
}

func TestSchemaAcceptsBooks(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	books, err := filepath.Glob("*/*.yaml")
	if err != nil || len(books) < 4 {
		t.Fatalf("books %v, %v", books, err)
	}
	value := func(text []byte) any {
		var root yaml.Node
		if err := yaml.Unmarshal(text, &root); err != nil {
			t.Fatal(err)
		}
		return plainValue(t, &root)
	}
	for _, name := range books {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		ref, ok := strings.CutPrefix(first, "# yaml-language-server: $schema=")
		if path := filepath.Join(filepath.Dir(name), ref); !ok || path != schemaFile {
			t.Errorf("%s: its first line names schema %s", name, path)
		}
	}
	island, amigo := islandText(t), string(amigo(t).Bytes)
	for _, wrong := range []struct{ text, old, with string }{
		{island, "boards_max: 1", "boards: 1"},
		{island, "counts: unit_stakes", "counts: euros"},
		{island, "unit_stake: 2 ", "unit_stake: two "},
		{island, `morning_at: "06:00"`, `morning_at: "6:00"`},
		{island, "days: [2018-02-01, 2018-02-11]", "days: [2018-02-01]"},
		{amigo, "also_max: 5", "also_max: many"},
		{amigo, "  also_max: 5\n", ""},
		{amigo, "columns: [1, 5]", "columns: 5"},
		{amigo, "share: 4373591/78125000", "share: 0.05"},
		{amigo, "  one_in: 500 ", "  # one_in: 500 "},
		{amigo, "times: 10,", "times: 0,"},
		{amigo, "prize: 1000,", "prize: 1000, share: 1/20,"},
		{amigo, "prize: 1000,", ""},
		{amigo, "paid_at: payment_centre", "paid_at: home"},
		{amigo, "refund_until: as_prizes", "refund_until: never"},
	} {
		if err := schema.Validate(value([]byte(replaced(t, wrong.text, wrong.old, wrong.with)))); err == nil {
			t.Errorf("%s: accepted", wrong.with)
		}
	}
}

// The schema, the loader and the page of docs have the same keys.
func TestSchemaKnowsTheKeysOfTheLoader(t *testing.T) {
	t.Parallel()
	type object struct {
		Properties map[string]any    `json:"properties"`
		Required   []string          `json:"required"`
		Defs       map[string]object `json:"$defs"`
	}
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var schema object
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/rulebook.md")
	if err != nil {
		t.Fatal(err)
	}
	schema.Defs[bookSection.Name] = schema
	for _, s := range []Section{
		bookSection, textSection, matrixSection, elementSection, setSection, tableSection, tablePrintedSection, tierSection,
		multipleSection, shapesSection, limitSection, multiplierSection, timesSection, jackpotSection, promotionSection,
		printedSection, capSection, quickPickSection, claimsSection, calendarSection, sessionSection, territorySection,
	} {
		def, ok := schema.Defs[s.Name]
		if !ok {
			t.Errorf("the schema has no %s", s.Name)
		}
		delete(schema.Defs, s.Name)
		var keys []string
		for key := range def.Properties {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		slices.Sort(def.Required)
		if diff := cmp.Diff(slices.Sorted(slices.Values(slices.Concat(s.Required, s.Optional))), keys); diff != "" {
			t.Errorf("%s: %s", s.Name, diff)
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(s.Required)), def.Required); diff != "" {
			t.Errorf("%s: required: %s", s.Name, diff)
		}
		for _, key := range keys {
			if !strings.Contains(string(page), "`"+key+"`") {
				t.Errorf("docs/rulebook.md does not tell %s of %s", key, s.Name)
			}
		}
	}
	for name, def := range schema.Defs {
		if def.Properties != nil {
			t.Errorf("the loader has no %s", name)
		}
	}
}
