package instant

import (
	"testing"

	"tirage/game"
	"tirage/internal/booktest"
)

const schemaFile = "rules/schema.json"

// textSection is that of game, which reads texts.
var textSection = game.Section{Name: "text", Required: []string{"fr", "en"}}

func TestSchemaAcceptsBooks(t *testing.T) {
	t.Parallel()
	island, plain := string(island(t).Bytes), string(parsed(t, "testdata/douze.yaml").Bytes)
	booktest.Schema(t, schemaFile, 2, []booktest.Edit{
		{island, "kind: instant", "kind: parimutuel"},
		{island, "scene: island", "scene: beach"},
		{island, "symbol: skull", "symbol: parrot"},
		{island, "of: 3", "of: 4"},
		{island, "amount: 5000, ", "amount: five, "},
		{island, "payout_rate: 7/10", "payout_rate: 0.70"},
		{island, "top_prize_gone: warn", "top_prize_gone: cry"},
		{island, "ahead_pools: 1 ", "ahead_pools: 0 "},
		{plain, "units: 12\n", ""},
		{plain, "few_units: 2", "few: 2"},
	})
}

// The schema, the loader and the page of docs have the same keys.
func TestSchemaKnowsTheKeysOfTheLoader(t *testing.T) {
	t.Parallel()
	var sections []booktest.Section
	for _, s := range []game.Section{bookSection, textSection, tableSection, prizeSection, printedSection, policySection} {
		sections = append(sections, booktest.Section(s))
	}
	booktest.Keys(t, schemaFile, "../docs/instant.md", sections)
}
