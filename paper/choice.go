package paper

import (
	"fmt"
	"strconv"
	"strings"

	"tirage/game"
	"tirage/money"
)

// Sizes of choices, in mm.
const (
	choiceHead   = 3.2 // the heading
	choiceRow    = 6.7 // label and box, at least
	choiceRowMax = 8.2
	choiceGap    = 1.2
)

// layChoices lays out the stakes and the numbers of draws in a rectangle, in as few columns as fit.
func (l *Layout) layChoices(at Rect) error {
	r := l.Rules
	for columns := 3; columns <= 6; columns++ {
		rows := (len(r.Stakes)+columns-1)/columns + (len(r.DrawCounts)+columns-1)/columns
		row := min((at.H-2*choiceHead-choiceGap)/float64(rows), choiceRowMax)
		if row < choiceRow {
			continue
		}
		var stakes, draws []string
		for _, s := range r.Stakes {
			stakes = append(stakes, amount(s, r))
		}
		for _, n := range r.DrawCounts {
			draws = append(draws, strconv.Itoa(n))
		}
		y, ok := l.choices(Stake, "Mise par tirage", stakes, columns, row, at)
		if !ok {
			return fmt.Errorf("the stake %s is too long for its box", amount(r.Stakes[len(r.Stakes)-1], r))
		}
		l.choices(Draws, "Nombre de tirages", draws, columns, row, Rect{at.X, y, at.W, at.H})
		return nil
	}
	return fmt.Errorf("%d stakes and %d numbers of draws need more than %v × %v mm", len(r.Stakes), len(r.DrawCounts), at.W, at.H)
}

// choices lays out boxes of which one is to be marked, and returns where they end.
func (l *Layout) choices(kind FieldKind, title string, labels []string, columns int, row float64, at Rect) (float64, bool) {
	l.put(Point{at.X + 0.6, at.Y + 2.8}, at.W, left, titleStyle, title)
	cell := at.W / float64(columns)
	w := min(cell-boxGap, boxWidth)
	for i, s := range labels {
		x, y := at.X+float64(i%columns)*cell, at.Y+choiceHead+float64(i/columns)*row
		b := Rect{x + (cell-w)/2, y + labelH, w, min(row-labelH-OutlineWidth/2, boxHeight)}
		l.box(kind, 0, 0, i, b)
		if !l.put(Point{b.X + w/2, b.Y - labelOff}, cell-0.3, centre, numberStyle, s) {
			return 0, false
		}
	}
	return at.Y + choiceHead + float64((len(labels)+columns-1)/columns)*row + choiceGap, true
}

// signs are how amounts of currencies are written.
var signs = map[string]string{"EUR": "€", "USD": "$", "GBP": "£"}

// amount writes a stake as the French do: "2,50 €".
func amount(a money.Amount, r *game.Rules) string {
	s := strings.Replace(strings.TrimSuffix(a.String(), ".00"), ".", ",", 1)
	if sign, ok := signs[r.Currency]; ok {
		return s + "\u00a0" + sign
	}
	return s + "\u00a0" + r.Currency
}
