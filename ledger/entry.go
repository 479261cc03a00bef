// Package ledger is the double entry of the lottery: accounts, and entries of
// postings that sum to zero. Which operation books what is in docs/ledger.md.
package ledger

import (
	"slices"
	"strconv"
	"strings"

	"tirage/money"
)

// Account names an account of the chart in docs/ledger.md: "outlet/3f2a…",
// "stake/17", "prize/17", "margin/ile-au-tresor", "cash".
type Account string

// Cash is the money that the operator holds.
const Cash Account = "cash"

// Outlet is what an outlet owes: prices of tickets sold, less prizes paid and money received from it.
func Outlet(id string) Account { return Account("outlet/" + id) }

// Stake is the stakes of a draw that is not settled.
func Stake(draw int64) Account { return Account("stake/" + strconv.FormatInt(draw, 10)) }

// Prize is prizes payable on tickets whose last planned draw is lastDraw.
func Prize(lastDraw int64) Account { return Account("prize/" + strconv.FormatInt(lastDraw, 10)) }

// Margin is what a game's settled draws left to the operator: stakes less prizes.
func Margin(game string) Account { return Account("margin/" + game) }

// Back is stakes of cancelled draws to give back on tickets whose last planned draw is lastDraw.
func Back(lastDraw int64) Account { return Account("back/" + strconv.FormatInt(lastDraw, 10)) }

// Jackpot is the jackpot of a game.
func Jackpot(game string) Account { return Account("jackpot/" + game) }

// Reserve is the reserve fund of a game (fonds de réserve).
func Reserve(game string) Account { return Account("reserve/" + game) }

// Commission is what outlets earned of a game.
func Commission(game string) Account { return Account("commission/" + game) }

// Kind is the first word of the account: "outlet", "cash".
func (a Account) Kind() string {
	kind, _, _ := strings.Cut(string(a), "/")
	return kind
}

// Posting adds Amount to an account: a debit is positive, a credit negative.
type Posting struct {
	Account Account
	Amount  money.Amount
}

// Entry is postings that sum to zero, with at most one for an account, none of
// nothing, sorted by account. That of a [Unit] alone has its stake and its prize apart.
type Entry []Posting

// NewEntry makes an entry of postings in any order, of which several may be on
// one account. Postings that do not sum to zero are a broken invariant.
func NewEntry(postings ...Posting) Entry {
	sorted := slices.Clone(postings)
	slices.SortFunc(sorted, func(a, b Posting) int { return strings.Compare(string(a.Account), string(b.Account)) })
	var sum money.Amount
	entry := make(Entry, 0, len(sorted))
	for _, p := range sorted {
		sum = sum.Add(p.Amount)
		if n := len(entry); n > 0 && entry[n-1].Account == p.Account {
			entry[n-1].Amount = entry[n-1].Amount.Add(p.Amount)
		} else {
			entry = append(entry, p)
		}
	}
	assert(sum == 0, "postings do not sum to zero")
	return slices.DeleteFunc(entry, func(p Posting) bool { return p.Amount == 0 })
}

// Sale books a ticket sold: stakes are what it puts on each of draws, and the
// outlet owes their sum.
func Sale(outlet string, draws []int64, stakes []money.Amount) Entry {
	return NewEntry(sale(outlet, draws, stakes)...)
}

// Cancellation books a ticket taken back: the reverse of its [Sale].
func Cancellation(outlet string, draws []int64, stakes []money.Amount) Entry {
	postings := sale(outlet, draws, stakes)
	for i := range postings {
		postings[i].Amount = -postings[i].Amount
	}
	return NewEntry(postings...)
}

func sale(outlet string, draws []int64, stakes []money.Amount) []Posting {
	assert(len(draws) == len(stakes), "a stake for each draw")
	postings := make([]Posting, 0, len(draws)+1)
	var price money.Amount
	for i, d := range draws {
		assert(stakes[i] > 0, "stake is not positive")
		price = price.Add(stakes[i])
		postings = append(postings, Posting{Stake(d), -stakes[i]})
	}
	return append(postings, Posting{Outlet(outlet), price})
}

// Movement is what a settlement moves of a game's jackpot (AMI-8.2). The zero
// Movement is that of a game without one.
type Movement struct {
	TopUp        money.Amount // from the guarantee, up to the minimum
	ByOperator   bool         // the guarantee is the operator's: TopUp comes from the margin, else from the reserve
	Contribution money.Amount // of the stakes
	Paid         money.Amount // to winners: part of the prizes
	Rest         money.Amount // to the reserve
}

// Settlement books the outcome of a draw: its stakes become prizes, by the last
// planned draw of their tickets (those that the jackpot pays are among them),
// the jackpot's share, and the game's margin, which fixed prizes above the
// stakes make smaller (IAT-2).
func Settlement(draw int64, game string, stakes money.Amount, prizes map[int64]money.Amount, m Movement) Entry {
	assert(stakes >= 0, "stakes are negative")
	assert(m.TopUp >= 0 && m.Contribution >= 0 && m.Paid >= 0 && m.Rest >= 0, "jackpot moves backwards")
	var total money.Amount
	postings := []Posting{{Stake(draw), stakes}}
	for lastDraw, won := range prizes {
		assert(won >= 0, "prize is negative")
		total = total.Add(won)
		postings = append(postings, Posting{Prize(lastDraw), -won})
	}
	fixed := total.Sub(m.Paid)
	assert(fixed >= 0, "jackpot pays more than the prizes")
	guarantee := Reserve(game)
	if m.ByOperator {
		guarantee = Margin(game)
	}
	return NewEntry(append(postings,
		Posting{Jackpot(game), -m.Contribution.Add(m.TopUp)},
		Posting{Jackpot(game), m.Paid.Add(m.Rest)},
		Posting{guarantee, m.TopUp},
		Posting{Reserve(game), -m.Rest},
		Posting{Margin(game), -stakes.Sub(fixed).Sub(m.Contribution)},
	)...)
}

// Refund books the stakes of a cancelled draw as money to give back, by the
// last planned draw of their tickets.
func Refund(draw int64, stakes map[int64]money.Amount) Entry {
	var total money.Amount
	postings := make([]Posting, 0, len(stakes)+1)
	for lastDraw, stake := range stakes {
		assert(stake > 0, "stake is not positive")
		total = total.Add(stake)
		postings = append(postings, Posting{Back(lastDraw), -stake})
	}
	return NewEntry(append(postings, Posting{Stake(draw), total})...)
}

// Payment books what an outlet paid on a ticket whose last planned draw is
// lastDraw: prizes, and stakes of cancelled draws given back.
func Payment(outlet string, lastDraw int64, prizes, back money.Amount) Entry {
	assert(prizes >= 0 && back >= 0 && prizes.Add(back) > 0, "payment is not positive")
	return NewEntry(
		Posting{Prize(lastDraw), prizes}, Posting{Back(lastDraw), back},
		Posting{Outlet(outlet), -prizes.Add(back)},
	)
}

// Expiry books the end of claims (forclusion) on tickets whose last planned draw
// is lastDraw: prizes and stakes that nobody claimed go to the reserve of the game.
func Expiry(lastDraw int64, game string, prizes, back money.Amount) Entry {
	assert(prizes >= 0 && back >= 0, "unclaimed money is negative")
	return NewEntry(
		Posting{Prize(lastDraw), prizes}, Posting{Back(lastDraw), back},
		Posting{Reserve(game), -prizes.Add(back)},
	)
}

// Received books money received from an outlet; below 0, money paid to it.
func Received(outlet string, amount money.Amount) Entry {
	assert(amount != 0, "no money received")
	return NewEntry(Posting{Cash, amount}, Posting{Outlet(outlet), -amount})
}

// Statement books the commissions of an outlet for a week, by game: less than
// nothing where more was taken back than sold.
func Statement(outlet string, commissions map[string]money.Amount) Entry {
	postings := make([]Posting, 0, len(commissions)+1)
	var total money.Amount
	for game, amount := range commissions {
		total = total.Add(amount)
		postings = append(postings, Posting{Commission(game), amount})
	}
	return NewEntry(append(postings, Posting{Outlet(outlet), -total})...)
}

// Debited books direct debits that the banks of outlets have paid, by outlet.
func Debited(amounts map[string]money.Amount) Entry { return NewEntry(debited(amounts)...) }

// DebitsUndone books direct debits that came back after they were paid: the reverse of [Debited].
func DebitsUndone(amounts map[string]money.Amount) Entry {
	postings := debited(amounts)
	for i := range postings {
		postings[i].Amount = -postings[i].Amount
	}
	return NewEntry(postings...)
}

func debited(amounts map[string]money.Amount) []Posting {
	postings := make([]Posting, 0, len(amounts)+1)
	var total money.Amount
	for outlet, amount := range amounts {
		assert(amount > 0, "direct debit is not positive")
		total = total.Add(amount)
		postings = append(postings, Posting{Outlet(outlet), -amount})
	}
	return append(postings, Posting{Cash, total})
}

func assert(ok bool, what string) {
	if !ok {
		panic("ledger: " + what)
	}
}
