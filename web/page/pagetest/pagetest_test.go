package pagetest

import (
	"fmt"
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
	const english = `<!doctype html><html lang="en"><head><title>x</title></head><body><h1>x</h1><p><b>Amigo</b>: type <a lang="fr">Quoi ?</a> what?</p>%s</body></html>`
	if faults := HTML(fmt.Sprintf(english, ""), page.English); len(faults) > 0 {
		t.Errorf("a good page in English: %v", faults)
	}
	for _, bad := range []string{`<p>Amigo : type</p>`, "<p>Amigo : type</p>", `<p><b>Amigo</b> : type</p>`, `<p>What ?</p>`, `<p>« Add »</p>`} {
		if faults := HTML(fmt.Sprintf(english, bad), page.English); len(faults) != 1 {
			t.Errorf("%s: %v", bad, faults)
		}
	}
}
