package portal

import (
	"testing"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/settle"
	"tirage/wager"
	"tirage/web/page"
	"tirage/web/page/pagetest"
)

// ticketSamples are what the QR code of a ticket leads to.
func ticketSamples(t testing.TB) []pagetest.Sample {
	amigo := mustRules(t, "amigo")
	ticket := wager.Ticket{
		Number: 1_234_567, Rules: amigo, PlacedAt: noon, Stake: money.Euros(2), Units: 1, Price: money.Euros(6), Draws: draw.Plan(amigo, game.NewDay(2027, 1, 4))[:1],
		Plays: []wager.Play{
			{Picks: game.Picks{{1, 6, 11, 16, 21, 26, 31, 36, 41}, {3}}},
			{Picks: game.Picks{{2, 6, 11, 16, 21, 26, 31, 36, 41}, {1, 2}}},
		},
	}
	a := newAnswer(central.Check{Ticket: ticket, Answer: settle.Answer{Standing: settle.Pending, Waiting: 1}})
	sample := func(record []byte) func(page.Base) any {
		return func(b page.Base) any {
			return checkPage{
				shell: framed(b, pathCheck, ""), Answer: &a,
				Proof: newSaleProof(ticket, central.SaleProof{Index: 1_234_567, Leaf: [32]byte{1, 2, 3}, Record: record}, "loterie.example/log+1a2b3c4d+AAAA"),
			}
		}
	}
	return []pagetest.Sample{
		{Name: "ticket of a QR code", Page: "check", Data: sample(nil)},
		{Name: "ticket of a QR code, published", Page: "check", Data: sample([]byte{0x83, 0x08})},
		{Name: "ticket stopped", Page: "check", Data: func(b page.Base) any {
			stopped := newAnswer(central.Check{Ticket: ticket, Stopped: true, Answer: settle.Answer{
				Standing: settle.Won, Total: 900_000, ClaimUntil: ticket.Draws[0].Day + 60,
				Prizes: []settle.Prize{{Draw: ticket.Draws[0], State: draw.Certified, Known: true, TierName: "7", Amount: 900_000, Centre: true}},
			}})
			return checkPage{shell: framed(b, pathCheck, ""), Answer: &stopped}
		}},
		{Name: "photo refused", Page: "check", Data: func(b page.Base) any {
			return checkPage{shell: framed(b, pathCheck, "Zoé"), Photo: "Non."}
		}},
		{Name: "specimen", Page: "specimen", Data: func(b page.Base) any { return specimenPage{framed(b, pathCheck, "")} }},
	}
}
