package terminal

import "testing"

// Each key leads to one page: those of the menu, in training too, and the ones that stand on the desk and on the page that scans.
func TestMenuKeys(t *testing.T) {
	t.Parallel()
	seen := map[string]string{"F2": "another game", "F4": "scan", "F5": "load again", "F9": "camera"}
	for _, l := range (&terminal{trains: true}).menu(pathDesk, nil) {
		if before, ok := seen[l.Key]; ok {
			t.Errorf("%s leads to %s and to %s", l.Key, before, l.Name)
		}
		seen[l.Key] = l.Name
	}
}
