package terminal

import (
	"net/http"
	"strings"

	"tirage/game"
	"tirage/party"
)

// helpPage lists the keys of the keyboard, and how the terminal is set.
type helpPage struct {
	frame
	Games   []keysOf
	Printer party.Printer
	Pages   []shortcut
	Counter []shortcut // at the desk, whatever the game
}

// shortcut is a key and what it does.
type shortcut struct {
	Keys string
	Does string // a sentence
}

// keysOf is what the keys of a game's elements are.
type keysOf struct {
	Name  game.Text
	Lines []keysLine // nil: the elements are typed by their numbers
}

// keysLine is the keys of a matrix: the first, and the last.
type keysLine struct {
	Name        game.Text
	First, Last string
}

// counterKeys are the keys of the desk beside those of the boards.
var counterKeys = []shortcut{
	{"⇧1 … ⇧9", "help.stake"},
	{"1 … 9", "help.draws"},
	{"key.enter", "help.add"},
	{"Y", "help.flash"},
	{"G, F", "help.boards"},
	{"key.escape", "help.clear"},
	{"key.ctrlenter", "help.sell"},
	{"Ctrl I", "help.print"},
	{"Ctrl K", "help.check"},
	{"F4", "help.scan"},
	{"Z", "help.again"},
	{"Ctrl P", "help.pay"},
	{"F2", "help.game"},
}

// pageKeys are the keys of the pages beside the desk.
var pageKeys = []shortcut{
	{"key.escape", "frame.back"},
	{"Ctrl 1 … 4", "help.accounts"},
	{"F9", "help.camera"},
	{"Ctrl O", "help.file"},
	{"key.yesno", "help.answer"},
}

func (t *terminal) helpPage(w http.ResponseWriter, r *http.Request, s seat) error {
	f, err := t.frame(r, s, "help.title", pathHelp)
	if err != nil {
		return err
	}
	p := newHelpPage(f, s.games)
	if p.Printer, err = t.app.Sys.Printer(r.Context(), s.terminal.ID); err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "help", p)
}

func newHelpPage(f frame, games []*game.Rules) helpPage {
	p := helpPage{frame: f, Counter: counterKeys}
	for _, l := range f.Menu {
		p.Pages = append(p.Pages, shortcut{l.Key, l.Name})
	}
	p.Pages = append(p.Pages, pageKeys...)
	for _, r := range games {
		k := keysOf{Name: r.Name}
		for _, m := range matrices(r, make(game.Picks, len(r.Matrices))) {
			if keyed(r) {
				boxes := m.Rows[len(m.Rows)-1]
				k.Lines = append(k.Lines, keysLine{m.Name, m.Rows[0][0].Key, boxes[len(boxes)-1].Key})
			}
		}
		p.Games = append(p.Games, k)
	}
	return p
}

// Named tells whether the key has a name in each language, which Keys then is the sentence of.
func (s shortcut) Named() bool { return strings.HasPrefix(s.Keys, "key.") }
