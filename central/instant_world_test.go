package central_test

import (
	"strings"
	"testing"

	"tirage/central"
	"tirage/instant"
	"tirage/money"
	"tirage/party"
)

// cove is an instant game with an island and pools of 40 units, so that a test
// can sell whole ones. The rest is that of the real game.
func cove(t testing.TB, replace ...string) []byte {
	t.Helper()
	return replaced(t, coveBook, replace)
}

const coveBook = `
kind: instant
game: cove
version: "1"
name: {fr: La Crique, en: The Cove}
first_day: 2026-11-19
zone: Europe/Paris
units: 40
scene: island
prize_tables:
  - price: 1
    prizes:
      - {units: 1, amount: 10, total: 10, of: 3, symbol: candlestick}
      - {units: 4, amount: 2,  total: 8,  of: 2, symbol: skull}
      - {units: 8, amount: 1,  total: 8,  of: 1, symbol: candlestick}
    printed: {winners: 13, total: 26, payout_rate: 13/20}
  - price: 2
    prizes:
      - {units: 1, amount: 20, total: 20, of: 3, symbol: candlestick}
      - {units: 4, amount: 4,  total: 16, of: 2, symbol: skull}
      - {units: 8, amount: 2,  total: 16, of: 1, symbol: candlestick}
    printed: {winners: 13, total: 52, payout_rate: 13/20}
policy:
  top_prize_gone: go_on
  few_units: 5
  few_units_then: go_on
  open_next_at: 10
  ahead_pools: 1
  guard_one_in: 1000000
`

// one and two are the prices of the cove.
const one, two = money.Amount(100), money.Amount(200)

// web is a world with an instant game that is launched, and a player with 100 €.
type web struct {
	*world
	other  party.Officer // beside the world's
	third  string
	game   *instant.Rules
	player string
}

// newWeb makes a web with secrets of both officers for so many pools of each price.
func newWeb(t testing.TB, dsn string, book []byte, pools int) *web {
	t.Helper()
	w := &web{world: newWorld(t, dsn, islet(t))}
	w.other = w.second()
	w.publishAccounts()
	var err error
	w.game, err = w.sys.PublishInstant(w.ctx(), central.PublishRules{Key: w.key(), Officer: w.officer.ID, Book: book})
	w.check(err)
	for _, table := range w.game.Tables {
		w.commit(w.officer.ID, table.Price, pools)
		w.commit(w.other.ID, table.Price, pools)
	}
	w.check(w.launch())
	w.tend()
	w.player = w.newPlayer(money.Euros(100))
	return w
}

// newPlayer opens the account of a player whose identity was checked.
func (w *world) newPlayer(balance money.Amount) string {
	w.Helper()
	p := w.signUp("joueur-" + w.key())
	w.identify(p.ID)
	if balance > 0 {
		_, err := w.sys.DepositDemo(w.ctx(), w.key(), p.ID, balance)
		w.check(err)
	}
	return p.ID
}

func (w *web) commit(officer string, price money.Amount, count int) int {
	w.Helper()
	first, err := w.sys.CommitSecrets(w.ctx(), central.CommitSecrets{
		Key: w.key(), Officer: officer, Game: w.game.Code, Price: price, Count: count, Entropy: "6 3 4 1",
	})
	w.check(err)
	return first
}

func (w *web) launch() error {
	return w.sys.Launch(w.ctx(), central.GameAct{Key: w.key(), Officer: w.officer.ID, Game: w.game.Code})
}

func (w *web) tend() {
	w.Helper()
	w.check(w.sys.TendPools(w.ctx()))
}

func (w *web) try(price money.Amount) (central.PlayedUnit, error) {
	return w.sys.Play(w.ctx(), central.PlayUnit{Key: w.key(), Player: w.player, Game: w.game.Code, Price: price})
}

func (w *web) play(price money.Amount) central.PlayedUnit {
	w.Helper()
	u, err := w.try(price)
	w.check(err)
	return u
}

// sale is what is on sale at a price.
func (w *web) sale(price money.Amount) central.InstantPrice {
	w.Helper()
	g, err := w.sys.Instant(w.game.Code)
	w.check(err)
	for _, p := range g.Prices {
		if p.Table.Price == price {
			return p
		}
	}
	w.Fatalf("no price %s", price)
	return central.InstantPrice{}
}

// pools are the pools of a price, newest first.
func (w *web) pools(price money.Amount) (list []central.PoolView) {
	w.Helper()
	all, err := w.sys.Pools(w.ctx(), w.game.Code, 1000)
	w.check(err)
	for _, p := range all {
		if p.Price == price {
			list = append(list, p)
		}
	}
	return list
}

// states are the states of the pools of a price, oldest first: "closed open committed".
func (w *web) states(price money.Amount) string {
	w.Helper()
	var states []string
	for _, p := range w.pools(price) {
		states = append([]string{p.State}, states...)
	}
	return strings.Join(states, " ")
}
