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
	stages     map[verify.Stage]string // percent, of how many
	unit       string                  // record, game, unit, units, pool, price, prize, time
	pool       string                  // number, game, price, id, units, record
	closed     string                  // record, units sold, cause
	causes     map[string]string
	prize      string // prize, units, units sold, units left
	losing     string // the same without the prize
	read       string // records read, of how many
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
			verify.StepDerived:    "ce plateau est celui qui découle du lot et de la graine de l’unité",
			verify.StepCommitted:  "le journal a fixé le bloc, une seule fois",
			verify.StepClosed:     "il l’a fermé, et aucune unité n’a été vendue après",
			verify.StepSecrets:    "deux responsables avaient engagé les secrets publiés avant que la balise soit connue",
			verify.StepTable:      "le tableau des lots du règlement publié tombe juste, et tient dans le bloc",
			verify.StepRoot:       "le bloc qui en découle a la racine fixée",
			verify.StepSold:       "les unités vendues sont ses premières, dans l’ordre, chacune telle qu’elle en découle",
			verify.StepLeft:       "les unités invendues sont celles qui restent, lot par lot, et le solde est exact",
			verify.StepBoards:     "le plateau de chaque unité vendue, recalculé, donne son lot",
			verify.StepShown:      "ce qui a été montré aux joueurs est ce qui en découle",
		},
		stages: map[verify.Stage]string{
			verify.StageRead:   "Lecture du journal : %d %% de %d écritures",
			verify.StageDerive: "Calcul du bloc : %d %% de %d unités",
			verify.StageBoards: "Calcul des plateaux : %d %% de %d unités",
		},
		pool:   "Bloc n° %d de %s à %s € (%d), %d unités, fixé par l’écriture %d.\n",
		closed: "Fermé par l’écriture %d après %d unités vendues : %s.\n",
		causes: map[string]string{
			"sold-out": "tout est vendu", "policy": "selon le règlement", "withdrawn": "prix retiré", "officers": "décision de deux responsables",
		},
		prize:      "  %14s € : %7d unités, %7d vendues, %7d invendues\n",
		losing:     "  %14s   : %7d unités, %7d vendues, %7d invendues\n",
		read:       "Le journal est public et lu jusqu’à l’écriture %d sur %d.\n",
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
			verify.StepDerived:    "it is the board that follows from the unit's prize and seed",
			verify.StepCommitted:  "the log committed to the pool, once",
			verify.StepClosed:     "the log closed it, and no unit was sold after that",
			verify.StepSecrets:    "two officers had committed the published secrets before the beacon was known",
			verify.StepTable:      "the prize table of the published rule book adds up, and fits in the pool",
			verify.StepRoot:       "the pool that follows has the committed root",
			verify.StepSold:       "the units sold are its first ones, in order, each as it follows",
			verify.StepLeft:       "the units not sold are those that are left, prize by prize, and the balance is right",
			verify.StepBoards:     "the board of every unit sold, derived again, gives its prize",
			verify.StepShown:      "what players were shown is what follows",
		},
		stages: map[verify.Stage]string{
			verify.StageRead:   "Reading the log: %d %% of %d records",
			verify.StageDerive: "Deriving the pool: %d %% of %d units",
			verify.StageBoards: "Deriving boards: %d %% of %d units",
		},
		pool:   "Pool %d of %s at %s € (%d), %d units, committed by record %d.\n",
		closed: "Closed by record %d after %d units were sold: %s.\n",
		causes: map[string]string{
			"sold-out": "all are sold", "policy": "by the rule book", "withdrawn": "the price is withdrawn", "officers": "two officers decided so",
		},
		prize:      "  %14s €: %7d units, %7d sold, %7d not sold\n",
		losing:     "  %14s  : %7d units, %7d sold, %7d not sold\n",
		read:       "The log is public and was read up to record %d of %d.\n",
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
	if p := r.Pool; p != nil {
		w.writePool(&b, p)
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

// writePool writes what was derived of a pool.
func (w words) writePool(b *strings.Builder, p *verify.ToldPool) {
	fmt.Fprintf(b, w.pool, p.Number, plain(p.Game), p.Price, p.ID, p.Units, p.Record)
	if p.Closing > 0 {
		cause := w.causes[p.Cause]
		if cause == "" {
			cause = plain(p.Cause)
		}
		fmt.Fprintf(b, w.closed, p.Closing, p.Sold, cause)
	}
	for _, line := range p.Prizes {
		format, prize := w.prize, line.Prize.String()
		if line.Prize == 0 {
			format, prize = w.losing, "–"
		}
		fmt.Fprintf(b, format, prize, line.Units, line.Sold, line.Units-line.Sold)
	}
	if p.Read < p.Size {
		fmt.Fprintf(b, w.read, p.Read, p.Size)
	}
}
