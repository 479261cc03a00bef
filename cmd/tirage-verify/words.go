package main

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"tirage/verify"
)

// words are what is printed, in a language.
type words struct {
	steps      map[string]string
	unit       string // record, game, unit, units, pool, price, prize, time
	right      string
	refuted    string
	notChecked string
	ownKey     string
}

var texts = map[string]words{
	"fr": {
		steps: map[string]string{
			verify.StepFile:       "le fichier a la forme attendue",
			verify.StepProof:      "l’unité ouverte mène à la racine de son bloc",
			verify.StepCheckpoint: "l’état du journal est signé par sa clé",
			verify.StepSignature:  "ce qui a été dit au joueur est signé par la clé que nomme le journal",
			verify.StepPool:       "le journal a fixé cette racine avant que l’unité soit vendue",
			verify.StepUnit:       "le journal a enregistré la même unité",
			verify.StepBeacon:     "la valeur de la balise était fixée d’avance",
			verify.StepBoard:      "le plateau donne ce lot, selon le règlement publié",
		},
		unit:       "Unité %d : %s, unité %d sur %d du bloc %d, à %s €, lot %s €, jouée le %s.\n",
		right:      "Tout est juste.\n",
		refuted:    "Quelque chose est faux.\n",
		notChecked: "Tout n’a pas pu être vérifié.\n",
		ownKey:     "La clé du journal est celle qu’il donne lui-même. Comparez-la à une autre source, puis donnez-la par --key :\n  %s\n",
	},
	"en": {
		steps: map[string]string{
			verify.StepFile:       "the file has the form that it should",
			verify.StepProof:      "the opened unit leads to the root of its pool",
			verify.StepCheckpoint: "the log's checkpoint is signed by its key",
			verify.StepSignature:  "what the player was told is signed by the key that the log names",
			verify.StepPool:       "the log committed to this root before the unit was sold",
			verify.StepUnit:       "the log recorded the same unit",
			verify.StepBeacon:     "the value of the beacon was fixed ahead",
			verify.StepBoard:      "the board gives this prize, by the published rule book",
		},
		unit:       "Unit %d: %s, unit %d of %d in pool %d, at %s €, prize %s €, played at %s.\n",
		right:      "All is right.\n",
		refuted:    "Something is wrong.\n",
		notChecked: "Not all could be checked.\n",
		ownKey:     "The log's key is the one that it gives itself. Compare it with another source, then give it by --key:\n  %s\n",
	},
}

func wordsOf(lang string) words { return texts[lang] }

// plain is a text of somebody else's without what would move a terminal's
// cursor, begin another line, or turn the order of letters.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// report is a report as text: a line a step, and a line of what came of all.
func (w words) report(r *verify.Report) string {
	var b strings.Builder
	if u := r.Unit; u != nil {
		fmt.Fprintf(&b, w.unit, u.Record, plain(u.Game), u.Unit+1, u.Units, u.Pool, u.Price, u.Prize, time.UnixMicro(u.At).UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	for _, s := range r.Steps {
		mark := map[verify.State]string{verify.OK: "✓", verify.Refuted: "✗", verify.NotChecked: "?"}[s.State]
		fmt.Fprintf(&b, "%s %s", mark, w.steps[s.Name])
		if s.Why != "" {
			fmt.Fprintf(&b, " (%s)", plain(s.Why))
		}
		b.WriteString("\n")
	}
	if r.Key != "" && !r.KeyGiven {
		fmt.Fprintf(&b, w.ownKey, plain(r.Key))
	}
	switch r.State() {
	case verify.OK:
		b.WriteString(w.right)
	case verify.Refuted:
		b.WriteString(w.refuted)
	case verify.NotChecked:
		b.WriteString(w.notChecked)
	}
	return b.String()
}
