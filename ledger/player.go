package ledger

import (
	"strconv"

	"tirage/money"
)

// Vouchers is deposit vouchers that were sold and not used yet.
const Vouchers Account = "voucher"

// Withdrawals is money that players asked to have paid out and the bank has not paid yet.
const Withdrawals Account = "withdrawal"

// Demo is what demo deposits were made of: nothing.
const Demo Account = "demo"

// Player is a player's balance (disponibilités): a credit.
func Player(id string) Account { return Account("player/" + id) }

// Pool is the stakes of a pool's units, less their prizes, until it is closed.
func Pool(id int64) Account { return Account("pool/" + strconv.FormatInt(id, 10)) }

// Card is what a provider of card payments owes.
func Card(provider string) Account { return Account("card/" + provider) }

// Unit books a unit played: its stake and its prize stand apart, so that the
// player's account shows both (F13), and a unit that wins its price is no empty entry.
func Unit(player string, pool int64, price, prize money.Amount) Entry {
	assert(price > 0 && prize >= 0, "unit without a price")
	e := Entry{{Player(player), price}, {Pool(pool), -price}}
	if prize > 0 {
		e = append(e, Posting{Pool(pool), prize}, Posting{Player(player), -prize})
	}
	return e
}

// ClosePool books the end of a pool: what its units left goes to the margin of
// the game. Left is its stakes less its prizes, below 0 when these were more.
func ClosePool(pool int64, game string, left money.Amount) Entry {
	return NewEntry(Posting{Pool(pool), left}, Posting{Margin(game), -left})
}

// Voucher books a deposit voucher sold: the outlet owes it.
func Voucher(outlet string, amount money.Amount) Entry {
	assert(amount > 0, "voucher is not positive")
	return NewEntry(Posting{Outlet(outlet), amount}, Posting{Vouchers, -amount})
}

// Deposit books money on a player's account, from the account of what he paid with.
func Deposit(player string, from Account, amount money.Amount) Entry {
	assert(amount > 0, "deposit is not positive")
	return NewEntry(Posting{from, amount}, Posting{Player(player), -amount})
}

// Withdrawal books money that a player asked to have paid out.
func Withdrawal(player string, amount money.Amount) Entry {
	assert(amount > 0, "withdrawal is not positive")
	return NewEntry(Posting{Player(player), amount}, Posting{Withdrawals, -amount})
}

// PaidOut books withdrawals that the bank has paid.
func PaidOut(amount money.Amount) Entry {
	assert(amount > 0, "nothing paid out")
	return NewEntry(Posting{Withdrawals, amount}, Posting{Cash, -amount})
}

// Returned books a withdrawal that the bank did not pay.
func Returned(player string, amount money.Amount) Entry {
	assert(amount > 0, "withdrawal is not positive")
	return NewEntry(Posting{Withdrawals, amount}, Posting{Player(player), -amount})
}

// Collected books money received from a provider of card payments.
func Collected(provider string, amount money.Amount) Entry {
	assert(amount > 0, "money received is not positive")
	return NewEntry(Posting{Cash, amount}, Posting{Card(provider), -amount})
}
