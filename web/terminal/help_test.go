package terminal

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

// Each key that a page has stands on the page of help.
func TestHelpHasAllKeys(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{"N": true} // of a game whose elements are typed
	for _, s := range append(append([]shortcut{{Keys: "F10"}}, counterKeys...), pageKeys...) {
		for key := range strings.SplitSeq(s.Keys, ", ") {
			listed[key] = true
		}
	}
	for _, l := range places {
		listed[l.Key] = true
	}
	names := map[string]string{"Enter": "key.enter", "Escape": "key.escape", "Ctrl+Enter": "key.ctrlenter"}
	computed := map[string]string{"Shift+{{.N}}": "⇧1 … ⇧9", "{{.N}}": "1 … 9", "Ctrl+{{.Key}}": "Ctrl 1 … 4", "{{.Key}}": "F1"}
	pages, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`data-key="([^"]+)"`)
	for _, name := range pages {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range found.FindAllStringSubmatch(string(text), -1) {
			key := strings.ReplaceAll(m[1], "Ctrl+", "Ctrl ")
			for _, as := range []map[string]string{names, computed} {
				if k, ok := as[m[1]]; ok {
					key = k
				}
			}
			if !listed[key] {
				t.Errorf("%s: %s does not stand on the page of help", name, m[1])
			}
		}
		if strings.Contains(string(text), "data-char=") && !listed["key.yesno"] {
			t.Errorf("%s: the keys of an answer do not stand on the page of help", name)
		}
	}
}
