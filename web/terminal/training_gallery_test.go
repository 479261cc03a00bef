package terminal

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/web/page"
	"tirage/web/page/pagetest"
)

// trainingSamples are the page of training, before it and in it.
func trainingSamples(s seat) []pagetest.Sample {
	sample := func(in bool, refused error, draws ...trainingDraw) func(page.Base) any {
		return func(b page.Base) any {
			b.Training = in
			p := trainingPage{frame: framed(s, b, pathTraining), Action: pathTraining + "?stake=200", Now: game.NewDay(2027, 1, 4).At(12*time.Hour, s.zone), Draws: draws}
			if refused != nil {
				refusal := page.Describe(b.Lang, refused)
				p.Refusal = &refusal
			}
			return p
		}
	}
	at := draw.Plan(s.games[0], game.NewDay(2027, 1, 4))[0]
	return []pagetest.Sample{
		{Name: "before training", Page: "training", Data: sample(false, nil)},
		{Name: "before training, refused", Page: "training", Data: sample(false, errBasket)},
		{Name: "in training", Page: "training", Data: sample(true, nil, trainingDraw{Rules: s.games[0], Number: at.Number, At: at.DrawsAt, Last: 12}, trainingDraw{Rules: s.games[0]})},
	}
}

// F21: what differs in training is made in one file: no other one makes the key of
// a command, or writes or reads the code of a ticket, by the live way.
func TestF21_OneWay(t *testing.T) {
	t.Parallel()
	live := regexp.MustCompile(`\b(page\.NewKey|wager\.(Code|ParseCode|TrainingCode)|paper\.ParseTicketAddress)\b`)
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]bool{
		"training.go":         true,
		"shot.go page.NewKey": true, // names a picture
	}
	for _, f := range files {
		name := f.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || allowed[name] {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range live.FindAllString(string(b), -1) {
			if !allowed[name+" "+m] {
				t.Errorf("%s: %s knows nothing of training", name, m)
			}
		}
	}
}
