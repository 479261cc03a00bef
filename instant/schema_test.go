package instant

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

	"tirage/game"
)

// textSection is that of game, which reads texts.
var textSection = game.Section{Name: "text", Required: []string{"fr", "en"}}

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
	if err != nil || len(books) < 2 {
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
	island, plain := string(island(t).Bytes), string(parsed(t, "testdata/douze.yaml").Bytes)
	for _, wrong := range []struct{ text, old, with string }{
		{island, "kind: instant", "kind: parimutuel"},
		{island, "scene: island", "scene: beach"},
		{island, "symbol: skull", "symbol: parrot"},
		{island, "of: 3", "of: 4"},
		{island, "amount: 5000, ", "amount: five, "},
		{island, "payout_rate: 7/10", "payout_rate: 0.70"},
		{island, "top_prize_gone: warn", "top_prize_gone: cry"},
		{island, "ahead_pools: 1 ", "ahead_pools: 0 "},
		{plain, "units: 12\n", ""},
		{plain, "few_units: 2", "few: 2"},
	} {
		if err := schema.Validate(value([]byte(strings.Replace(wrong.text, wrong.old, wrong.with, 1)))); err == nil {
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
	page, err := os.ReadFile("../docs/instant.md")
	if err != nil {
		t.Fatal(err)
	}
	schema.Defs[bookSection.Name] = schema
	for _, s := range []game.Section{bookSection, textSection, tableSection, prizeSection, printedSection, policySection} {
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
				t.Errorf("docs/instant.md does not tell %s of %s", key, s.Name)
			}
		}
	}
	for name, def := range schema.Defs {
		if def.Properties != nil {
			t.Errorf("the loader has no %s", name)
		}
	}
}
