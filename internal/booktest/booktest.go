// Package booktest holds a kind of rule books, their JSON schema, their loader
// and their page of docs together.
package booktest

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

// Edit is a book, a text of it and what stands in its place, once.
type Edit [3]string

// Section is a mapping of a book with the keys that its loader knows.
type Section struct {
	Name               string
	Required, Optional []string
}

// Schema checks that a schema takes all books beside the package, at least so
// many, each of which names it in its first line, and refuses what is wrong.
func Schema(t *testing.T, file string, least int, wrong []Edit) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	books, err := filepath.Glob("*/*.yaml")
	if err != nil || len(books) < least {
		t.Fatalf("books %v, %v", books, err)
	}
	for _, name := range books {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(Value(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		ref, ok := strings.CutPrefix(first, "# yaml-language-server: $schema=")
		if path := filepath.Join(filepath.Dir(name), ref); !ok || path != file {
			t.Errorf("%s: its first line names schema %s", name, path)
		}
	}
	for _, edit := range wrong {
		book, old, with := edit[0], edit[1], edit[2]
		if !strings.Contains(book, old) {
			t.Fatalf("the book has no %q", old)
		}
		if err := schema.Validate(Value(t, []byte(strings.Replace(book, old, with, 1)))); err == nil {
			t.Errorf("%s: accepted", with)
		}
	}
}

// Value is what a YAML 1.2 reader, such as an editor's, makes of a book: numbers
// and texts, and no dates.
func Value(t *testing.T, text []byte) any {
	t.Helper()
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	return plain(&root)
}

func plain(n *yaml.Node) any {
	switch n.Kind {
	case yaml.DocumentNode:
		return plain(n.Content[0])
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i < len(n.Content); i += 2 {
			m[n.Content[i].Value] = plain(n.Content[i+1])
		}
		return m
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			list = append(list, plain(item))
		}
		return list
	case yaml.ScalarNode, yaml.AliasNode:
	}
	if tag := n.ShortTag(); tag == "!!int" || tag == "!!float" {
		return json.Number(strings.TrimPrefix(n.Value, "+"))
	}
	return n.Value
}

type object struct {
	Properties map[string]any    `json:"properties"`
	Required   []string          `json:"required"`
	Defs       map[string]object `json:"$defs"`
}

// Keys checks that a schema, whose root is the first section, has the sections
// of the loader and no other, with their keys, and that a page of docs tells of each.
func Keys(t *testing.T, file, page string, sections []Section) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var schema object
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	told, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	schema.Defs[sections[0].Name] = schema
	for _, s := range sections {
		def, ok := schema.Defs[s.Name]
		if !ok {
			t.Errorf("the schema has no %s", s.Name)
		}
		delete(schema.Defs, s.Name)
		var keys []string
		for key := range def.Properties {
			keys = append(keys, key)
			if !strings.Contains(string(told), "`"+key+"`") {
				t.Errorf("%s does not tell %s of %s", page, key, s.Name)
			}
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(slices.Concat(s.Required, s.Optional))), slices.Sorted(slices.Values(keys))); diff != "" {
			t.Errorf("%s: %s", s.Name, diff)
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(s.Required)), slices.Sorted(slices.Values(def.Required))); diff != "" {
			t.Errorf("%s: required: %s", s.Name, diff)
		}
	}
	for name, def := range schema.Defs {
		if def.Properties != nil {
			t.Errorf("the loader has no %s", name)
		}
	}
}
