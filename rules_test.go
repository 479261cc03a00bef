package tirage

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// articles lists the ids of the regulations, so that none is dropped from docs/rules.md.
var articles = strings.Fields(`
	IAT-2 IAT-2.1 IAT-2.2 IAT-2.3.1 IAT-2.3.2 IAT-2.3.3 IAT-2.3.5 IAT-2-app IAT-2.4 IAT-3 IAT-4 IAT-5.1 IAT-5.2 IAT-6.1 IAT-6.2 IAT-7
	AMI-3.1.4 AMI-3.1.6 AMI-3.1.7 AMI-3.1.3 AMI-3.2 AMI-4.2 AMI-5 AMI-5.2 AMI-6.4 AMI-8.1.1 AMI-8.1.1-share AMI-8.1.1-multiple
	AMI-8.1.2 AMI-8.2 AMI-8.2.5 AMI-11.2 AMI-dates
	INS-1 INS-2 INS-3.1 INS-3.2 INS-3.3 INS-4.1 INS-4.2 INS-4.3 INS-4.4 INS-4.4-board INS-4.5 INS-online`)

var (
	testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	named    = regexp.MustCompile("`([^`]+)`")
)

// TestRulesHaveTests reads docs/rules.md: each row names tests or
// scenarios that exist.
func TestRulesHaveTests(t *testing.T) {
	t.Parallel()
	exists := map[string]bool{}
	for _, src := range must(t, sources) {
		if src.test {
			for _, m := range testFunc.FindAllStringSubmatch(read(t, src.file), -1) {
				exists[src.pkg+"."+m[1]] = true
			}
		}
	}
	rows := map[string]bool{}
	for line := range strings.Lines(read(t, "docs/rules.md")) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		id := strings.TrimSpace(cells[0])
		if len(cells) < 2 || id == "id" || strings.HasPrefix(id, "---") {
			continue
		}
		if rows[id] {
			t.Errorf("%s has two rows", id)
		}
		rows[id] = true
		shown := ""
		if len(cells) > 2 {
			shown = strings.TrimSpace(cells[2])
		}
		names := named.FindAllStringSubmatch(shown, -1)
		if names == nil {
			t.Errorf("%s has no test", id)
		}
		for _, m := range names {
			if strings.HasPrefix(m[1], "testdata/") {
				_, err := os.Stat(filepath.FromSlash(m[1]))
				exists[m[1]] = err == nil
			}
			if !exists[m[1]] {
				t.Errorf("%s is shown by %s, which does not exist", id, m[1])
			}
		}
	}
	for _, id := range articles {
		if !rows[id] {
			t.Errorf("%s has no row", id)
		}
	}
}
