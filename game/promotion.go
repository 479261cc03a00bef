package game

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// TableOf returns the prize table, an index in r.Tables, that holds for a
// wager sold in a territory for a draw of a draw day: that of the first
// promotion that fits, else the ordinary one.
func (r *Rules) TableOf(day Day, number int, territory string) int {
	for _, p := range r.Promotions {
		if p.holds(day, number, territory) {
			return p.Table
		}
	}
	return 0
}

func (p *Promotion) holds(day Day, number int, territory string) bool {
	return day >= p.First && day <= p.Last &&
		(len(p.Weekdays) == 0 || slices.Contains(p.Weekdays, day.Weekday())) &&
		(len(p.Draws) == 0 || slices.ContainsFunc(p.Draws, func(d [2]int) bool { return number >= d[0] && number <= d[1] })) &&
		(len(p.Territories) == 0 || slices.Contains(p.Territories, territory))
}

// readPromotions reads when other tables hold; tables and calendar stand.
func (b *book) readPromotions(n *yaml.Node) {
	r := b.rules
	for _, n := range b.List(n, "promotions", 1, promotionsMax) {
		f := b.Fields(n, promotionSection)
		p := Promotion{
			Table:    b.table(f["table"]),
			Weekdays: b.weekdays(f["weekdays"], "promotion: weekdays"),
			Draws:    b.ranges(f["draws"], "promotion: draws", r.Calendar.lastNumber()),
		}
		if days := b.List(f["days"], "promotion: days", 2, 2); days != nil {
			p.First, p.Last = b.Day(days[0], "promotion: days"), b.Day(days[1], "promotion: days")
			if p.Last < p.First {
				b.Wrong(days[1], "promotion: days", "at least "+p.First.String())
			}
		}
		for _, n := range b.List(f["territories"], "promotion: territories", 1, territoriesMax) {
			key := b.Slug(n, "promotion: territories")
			if key != "" && !slices.ContainsFunc(r.Calendar.Territories, func(t Territory) bool { return t.Key == key }) {
				b.Wrong(n, "promotion: territories", "a territory of the calendar")
			}
			p.Territories = append(p.Territories, key)
		}
		r.Promotions = append(r.Promotions, p)
	}
}

// table reads the key of a prize table.
func (b *book) table(n *yaml.Node) int {
	key := b.Slug(n, "promotion: table")
	i := slices.IndexFunc(b.rules.Tables, func(t PrizeTable) bool { return t.Key == key })
	if key != "" && i < 0 {
		b.Wrong(n, "promotion: table", "the key of a prize table")
	}
	return max(0, i)
}
