package pagetest

import (
	"testing"

	"tirage/web/page"
)

// TestHTML checks that the checker sees each fault.
func TestHTML(t *testing.T) {
	t.Parallel()
	const good = `<!doctype html><html lang="fr"><head><title>x</title><link href="a"></head><body><h1>x</h1><label for="a">x</label><input id="a" required><img src="x" alt=""></body></html>`
	if faults := HTML(good, page.French); len(faults) > 0 {
		t.Errorf("a good page: %v", faults)
	}
	for name, bad := range map[string]string{
		"nesting":    `<!doctype html><html lang="fr"><head><title>x</title></head><body><h1><p>x</h1></p></body></html>`,
		"not closed": `<!doctype html><html lang="fr"><head><title>x</title></head><body><h1>x</h1><div></body></html>`,
		"language":   `<!doctype html><html lang="en"><head><title>x</title></head><body><h1>x</h1></body></html>`,
		"title":      `<!doctype html><html lang="fr"><head></head><body><h1>x</h1></body></html>`,
		"label":      `<!doctype html><html lang="fr"><head><title>x</title></head><body><h1>x</h1><input id="a"></body></html>`,
		"alt":        `<!doctype html><html lang="fr"><head><title>x</title></head><body><h1>x</h1><img src="a"></body></html>`,
		"style":      `<!doctype html><html lang="fr"><head><title>x</title></head><body><h1 style="color:red">x</h1></body></html>`,
		"reference":  `<!doctype html><html lang="fr"><head><title>x</title></head><body><h1 aria-labelledby="z">x</h1></body></html>`,
		"id twice":   `<!doctype html><html lang="fr"><head><title>x</title></head><body><h1 id="z">x</h1><p id="z"></p></body></html>`,
	} {
		if faults := HTML(bad, page.French); len(faults) == 0 {
			t.Errorf("%s: no fault found", name)
		}
	}
}
