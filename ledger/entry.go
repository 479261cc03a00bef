// Package ledger is the double entry of the lottery: accounts, and entries of
// postings that sum to zero.
package ledger

import "tirage/money"

// Account names an account of the chart in docs/ledger.md: "outlet/3f2a…",
// "stake/17", "prize/17", "margin/ile-au-tresor", "cash".
type Account string

// Posting adds Amount to an account: a debit is positive, a credit negative.
type Posting struct {
	Account Account
	Amount  money.Amount
}

// Entry is postings that sum to zero, with at most one for an account, none of nothing, sorted by account.
type Entry []Posting
