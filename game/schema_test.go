package game

import (
	"testing"

	"tirage/internal/booktest"
)

const schemaFile = "rules/schema.json"

func TestSchemaAcceptsBooks(t *testing.T) {
	t.Parallel()
	island, amigo := islandText(t), string(amigo(t).Bytes)
	booktest.Schema(t, schemaFile, 4, []booktest.Edit{
		{island, "boards_max: 1", "boards: 1"},
		{island, "counts: unit_stakes", "counts: euros"},
		{island, "unit_stake: 2 ", "unit_stake: two "},
		{island, `morning_at: "06:00"`, `morning_at: "6:00"`},
		{island, "days: [2018-02-01, 2018-02-11]", "days: [2018-02-01]"},
		{amigo, "also_max: 5", "also_max: many"},
		{amigo, "  also_max: 5\n", ""},
		{amigo, "columns: [1, 5]", "columns: 5"},
		{amigo, "share: 4373591/78125000", "share: 0.05"},
		{amigo, "  one_in: 500 ", "  # one_in: 500 "},
		{amigo, "times: 10,", "times: 0,"},
		{amigo, "prize: 1000,", "prize: 1000, share: 1/20,"},
		{amigo, "prize: 1000,", ""},
		{amigo, "paid_at: payment_centre", "paid_at: home"},
		{amigo, "refund_until: as_prizes", "refund_until: never"},
	})
}

// The schema, the loader and the page of docs have the same keys.
func TestSchemaKnowsTheKeysOfTheLoader(t *testing.T) {
	t.Parallel()
	var sections []booktest.Section
	for _, s := range []Section{
		bookSection, textSection, matrixSection, elementSection, setSection, tableSection, tablePrintedSection, tierSection,
		multipleSection, shapesSection, limitSection, multiplierSection, timesSection, jackpotSection, promotionSection,
		printedSection, capSection, quickPickSection, claimsSection, calendarSection, sessionSection, territorySection,
	} {
		sections = append(sections, booktest.Section(s))
	}
	booktest.Keys(t, schemaFile, "../docs/rulebook.md", sections)
}
