package store

import "tirage/money"

var (
	bookTable = table[Book]{name: "book", columns: []column[Book]{
		ints("record", func(r *Book) *uint64 { return &r.Record }),
		blobs("hash", func(r *Book) *[]byte { return &r.Hash }),
		texts("sort", func(r *Book) *string { return &r.Sort }),
		texts("code", func(r *Book) *string { return &r.Code }),
		texts("version", func(r *Book) *string { return &r.Version }),
		ints("first_day", func(r *Book) *int32 { return &r.FirstDay }),
		blobs("book", func(r *Book) *[]byte { return &r.Book }),
	}}
	poolSecretTable = table[PoolSecret]{name: "pool_secret", columns: []column[PoolSecret]{
		blobs("hash", func(r *PoolSecret) *[]byte { return &r.Hash }),
		texts("game", func(r *PoolSecret) *string { return &r.Game }),
		ints("price", func(r *PoolSecret) *money.Amount { return &r.Price }),
		ints("number", func(r *PoolSecret) *int { return &r.Number }),
		texts("officer", func(r *PoolSecret) *string { return &r.Officer }),
		ints("record", func(r *PoolSecret) *uint64 { return &r.Record }),
	}}
	poolTable = table[Pool]{name: "pool", columns: []column[Pool]{
		ints("id", func(r *Pool) *int64 { return &r.ID }),
		texts("game", func(r *Pool) *string { return &r.Game }),
		ints("price", func(r *Pool) *money.Amount { return &r.Price }),
		ints("number", func(r *Pool) *int { return &r.Number }),
		ints("record", func(r *Pool) *uint64 { return &r.Record }),
	}}
	poolStepTable = table[PoolStep]{name: "pool_step", columns: []column[PoolStep]{
		ints("pool", func(r *PoolStep) *int64 { return &r.Pool }),
		texts("state", func(r *PoolStep) *string { return &r.State }),
		ints("at", func(r *PoolStep) *int64 { return &r.At }),
		ints("record", func(r *PoolStep) *uint64 { return &r.Record }),
	}}
	unitTable = table[Unit]{name: "unit", columns: []column[Unit]{
		ints("record", func(r *Unit) *uint64 { return &r.Record }),
		names("player", func(r *Unit) *string { return &r.Player }),
		ints("pool", func(r *Unit) *int64 { return &r.Pool }),
		ints("n", func(r *Unit) *int { return &r.N }),
		ints("price", func(r *Unit) *money.Amount { return &r.Price }),
		ints("prize", func(r *Unit) *money.Amount { return &r.Prize }),
		ints("at", func(r *Unit) *int64 { return &r.At }),
	}}
	gameStepTable = table[GameStep]{name: "game_step", columns: []column[GameStep]{
		ints("record", func(r *GameStep) *uint64 { return &r.Record }),
		texts("game", func(r *GameStep) *string { return &r.Game }),
		texts("state", func(r *GameStep) *string { return &r.State }),
		texts("cause", func(r *GameStep) *string { return &r.Cause }),
		texts("fr", func(r *GameStep) *string { return &r.FR }),
		texts("en", func(r *GameStep) *string { return &r.EN }),
	}}
	playerTable = table[Player]{name: "player", columns: []column[Player]{
		ints("record", func(r *Player) *uint64 { return &r.Record }),
		texts("id", func(r *Player) *string { return &r.ID }),
		texts("terms", func(r *Player) *string { return &r.Terms }),
		ints("at", func(r *Player) *int64 { return &r.At }),
	}}
	playerChangeTable = table[PlayerChange]{name: "player_change", columns: []column[PlayerChange]{
		ints("record", func(r *PlayerChange) *uint64 { return &r.Record }),
		texts("player", func(r *PlayerChange) *string { return &r.Player }),
		texts("what", func(r *PlayerChange) *string { return &r.What }),
		ints("amount", func(r *PlayerChange) *money.Amount { return &r.Amount }),
		ints("until_at", func(r *PlayerChange) *int64 { return &r.Until }),
		texts("terms", func(r *PlayerChange) *string { return &r.Terms }),
		ints("at", func(r *PlayerChange) *int64 { return &r.At }),
	}}
	voucherTable = table[Voucher]{name: "voucher", columns: []column[Voucher]{
		ints("number", func(r *Voucher) *uint64 { return &r.Number }),
		texts("outlet", func(r *Voucher) *string { return &r.Outlet }),
		ints("amount", func(r *Voucher) *money.Amount { return &r.Amount }),
	}}
	depositTable = table[Deposit]{name: "deposit", columns: []column[Deposit]{
		ints("record", func(r *Deposit) *uint64 { return &r.Record }),
		texts("player", func(r *Deposit) *string { return &r.Player }),
		texts("means", func(r *Deposit) *string { return &r.Means }),
		blobs("reference", func(r *Deposit) *[]byte { return &r.Reference }),
		ints("amount", func(r *Deposit) *money.Amount { return &r.Amount }),
		ints("at", func(r *Deposit) *int64 { return &r.At }),
	}}
	withdrawalTable = table[Withdrawal]{name: "withdrawal", columns: []column[Withdrawal]{
		ints("record", func(r *Withdrawal) *uint64 { return &r.Record }),
		texts("player", func(r *Withdrawal) *string { return &r.Player }),
		ints("amount", func(r *Withdrawal) *money.Amount { return &r.Amount }),
		ints("at", func(r *Withdrawal) *int64 { return &r.At }),
	}}
	withdrawalStepTable = table[WithdrawalStep]{name: "withdrawal_step", columns: []column[WithdrawalStep]{
		ints("withdrawal", func(r *WithdrawalStep) *uint64 { return &r.Withdrawal }),
		texts("state", func(r *WithdrawalStep) *string { return &r.State }),
		ints("at", func(r *WithdrawalStep) *int64 { return &r.At }),
		ints("record", func(r *WithdrawalStep) *uint64 { return &r.Record }),
	}}
	openWithdrawalTable = table[OpenWithdrawal]{name: "withdrawal_open", columns: []column[OpenWithdrawal]{
		texts("state", func(r *OpenWithdrawal) *string { return &r.State }),
		ints("withdrawal", func(r *OpenWithdrawal) *uint64 { return &r.Withdrawal }),
	}}
	chainTable = table[Link]{name: "chain", columns: []column[Link]{
		names("player", func(r *Link) *string { return &r.Player }),
		ints("last", func(r *Link) *uint64 { return &r.Last }),
	}, upsert: ` ON CONFLICT (player) DO UPDATE SET last = excluded.last`}
)
