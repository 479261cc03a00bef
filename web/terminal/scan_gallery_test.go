package terminal

import (
	"testing"

	"tirage/paper"
	"tirage/web/page"
	"tirage/web/page/pagetest"
)

// scanSamples are the page that scans, and a question about each kind of box.
func scanSamples(t *testing.T, s seat) []pagetest.Sample {
	t.Helper()
	scan := func(refused error) func(page.Base) any {
		return func(b page.Base) any {
			p := scanPage{frame: framed(s, b, pathScan), State: []field{{"stake", "200"}}, Action: pathScan + "?from=scan&stake=200"}
			if refused != nil {
				refusal := page.Describe(b.Lang, refused)
				p.Refusal = &refusal
			}
			return p
		}
	}
	samples := []pagetest.Sample{
		{Name: "scan", Page: "scan", Data: scan(nil)},
		{Name: "scan refused", Page: "scan", Data: scan(paper.ErrSeveralSlips)},
	}
	for _, r := range s.games {
		l, err := paper.NewLayout(r)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[paper.FieldKind]bool{}
		for i, box := range l.Boxes {
			if seen[box.Field.Kind] {
				continue
			}
			seen[box.Field.Kind] = true
			reading := &paper.Reading{Layout: l, Marks: make([]paper.Mark, len(l.Boxes))}
			for n := range reading.Marks {
				reading.Marks[n] = paper.Empty
			}
			reading.Marks[(i+3)%len(l.Boxes)] = paper.Marked
			samples = append(samples, pagetest.Sample{Name: "ask " + string(r.Code) + " " + box.Field.Kind.String(), Page: "ask", Data: func(b page.Base) any {
				p := newAskPage(framed(s, b, pathAsk), reading, map[int]paper.Mark{(i + 5) % len(l.Boxes): paper.Marked}, []int{i, (i + 1) % len(l.Boxes)})
				p.Photo, p.Again, p.State = pathPicture+"x", pathScan, []field{{"photo", "x"}}
				return p
			}})
		}
	}
	return samples
}
