package sim

import (
	"slices"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
)

// modelPlayer is a player's account as it is kept on paper.
type modelPlayer struct {
	id               string
	balance          money.Amount
	stakes, deposits []dayAmount
	limits           [2]modelLimit // on deposits, on stakes
	blocked          time.Time
	last             []playedUnit
}

type dayAmount struct {
	day    game.Day
	amount money.Amount
}

// modelLimit is a limit, and one that holds later; 0 is none.
type modelLimit struct {
	max, next money.Amount
	at        time.Time
}

type playedUnit struct {
	command central.PlayUnit
	record  uint64
	prize   money.Amount
}

// soldVoucher is a voucher that a player may use.
type soldVoucher struct {
	central.Voucher
	used bool
}

// week is the sum of the last seven Paris days.
func (s *simulation) week(list []dayAmount) (sum money.Amount) {
	today := game.DayOf(s.now, parisZone)
	for _, d := range list {
		if d.day > today-7 && d.day <= today {
			sum += d.amount
		}
	}
	return sum
}

func (l modelLimit) now(at time.Time) money.Amount {
	if !l.at.IsZero() && !at.Before(l.at) {
		return l.next
	}
	return l.max
}

// higher tells whether a limit lets more through than another.
func higher(a, b money.Amount) bool { return b != 0 && (a == 0 || a > b) }

// set sets a limit: a lower one at once, a higher one after two days.
func (l *modelLimit) set(limit money.Amount, at time.Time) {
	now := l.now(at)
	switch coming := at.Before(l.at); {
	case !higher(limit, now):
		*l = modelLimit{max: limit}
	case coming && !higher(limit, l.next): // it was asked for already, and more
		*l = modelLimit{max: now, next: limit, at: l.at}
	default:
		*l = modelLimit{max: now, next: limit, at: at.Add(48 * time.Hour)}
	}
}

func (p *modelPlayer) mayPlay(s *simulation, price money.Amount) error {
	limit := p.limits[1].now(s.now)
	switch {
	case s.now.Before(p.blocked):
		return party.ErrExcluded
	case limit > 0 && s.week(p.stakes)+price > limit:
		return party.ErrLimit
	case price > p.balance:
		return party.ErrBalance
	}
	return nil
}

func (p *modelPlayer) mayDeposit(s *simulation, amount money.Amount) error {
	limit := p.limits[0].now(s.now)
	switch {
	case s.now.Before(p.blocked):
		return party.ErrExcluded
	case amount < 5_00:
		return party.ErrDepositMin
	case limit > 0 && s.week(p.deposits)+amount > limit:
		return party.ErrLimit
	}
	return nil
}

// pay adds to the balance, or takes from it.
func (p *modelPlayer) pay(s *simulation, amount money.Amount) {
	p.balance += amount
	s.book(ledger.Player(p.id), -amount)
}

func (p *modelPlayer) deposited(s *simulation, from ledger.Account, amount money.Amount) {
	p.pay(s, amount)
	s.book(from, amount)
	p.deposits = append(p.deposits, dayAmount{game.DayOf(s.now, parisZone), amount})
}

// playerAct makes ready something that a player does by himself.
func (s *simulation) playerAct() act {
	p := s.players[s.IntN(len(s.players))]
	switch n := s.IntN(100); {
	case n < 30:
		return s.play(p, s.offers[s.IntN(len(s.offers))])
	case n < 60:
		return s.depositDemo(p)
	case n < 72:
		return s.sellVoucher()
	case n < 84:
		return s.useVoucher(p)
	case n < 92:
		return s.withdraw(p)
	case n < 99:
		return s.setLimit(p)
	default:
		return s.exclude(p)
	}
}

func (s *simulation) depositDemo(p *modelPlayer) act {
	key, amount := s.key(), money.Amount(3_00+s.IntN(90_00))
	var err error
	return act{
		run: func() { _, err = s.sys.DepositDemo(s.ctx(), key, p.id, amount) },
		after: func() {
			if s.agree("demo deposit", err, p.mayDeposit(s, amount)) {
				p.deposited(s, ledger.Demo, amount)
			}
		},
	}
}

func (s *simulation) sellVoucher() act {
	at := s.shops[s.IntN(len(s.shops))]
	c := central.SellVoucher{Key: s.key(), Terminal: at.terminal, Amount: []money.Amount{10_00, 20_00, 50_00}[s.IntN(3)]}
	var v central.Voucher
	var err error
	return act{
		run: func() { v, err = s.sys.SellVoucher(s.ctx(), c) },
		after: func() {
			var want error
			switch {
			case at.account.blocked:
				want = party.ErrBlocked
			case at.owes+c.Amount > at.outlet.CreditLimit:
				want = party.ErrCredit
			}
			if s.agree("voucher", err, want) {
				s.did(at, "", 0, 0, c.Amount)
				s.book(ledger.Vouchers, -c.Amount)
				s.vouchers = append(s.vouchers[max(0, len(s.vouchers)-50):], &soldVoucher{Voucher: v})
			}
		},
	}
}

func (s *simulation) useVoucher(p *modelPlayer) act {
	if len(s.vouchers) == 0 {
		return act{}
	}
	v, key := s.vouchers[s.IntN(len(s.vouchers))], s.key()
	secret := v.Secret
	wrong := s.IntN(10) == 0
	if wrong {
		secret[s.IntN(len(secret))] ^= 1
	}
	var err error
	return act{
		run: func() { _, err = s.sys.DepositVoucher(s.ctx(), key, p.id, v.Number, secret) },
		after: func() {
			want := p.mayDeposit(s, v.Amount)
			switch {
			case wrong:
				want = central.ErrNoVoucher
			case v.used:
				want = central.ErrVoucherUsed
			}
			if s.agree("deposit by voucher", err, want) {
				v.used = true
				p.deposited(s, ledger.Vouchers, v.Amount)
			}
		},
	}
}

// simulatedIBAN is an account at no bank.
const simulatedIBAN = "FR7630006000011234567890189"

// withdraw asks for money, or has the bank pay what was asked for, or give it back.
func (s *simulation) withdraw(p *modelPlayer) act {
	if s.IntN(2) == 0 && len(s.unpaid) > 0 {
		return s.transfer()
	}
	c := central.Withdraw{Key: s.key(), Player: p.id, Amount: money.Amount(1_00 + s.IntN(int(p.balance)+10_00)), IBAN: simulatedIBAN}
	var w central.Withdrawal
	var err error
	return act{
		run: func() { w, err = s.sys.Withdraw(s.ctx(), c) },
		after: func() {
			var want error
			switch {
			case c.Amount < 5_00:
				want = central.ErrWithdrawalMin
			case c.Amount > p.balance:
				want = party.ErrBalance
			}
			if s.agree("withdrawal", err, want) {
				p.pay(s, -c.Amount)
				s.book(ledger.Withdrawals, -c.Amount)
				s.unpaid = append(s.unpaid, w)
			}
		},
	}
}

// transfer sends what was asked for to the bank, which pays it or does not.
func (s *simulation) transfer() act {
	list, officer, returned := s.unpaid, s.officers[s.IntN(2)], s.IntN(4) == 0
	records := make([]uint64, len(list))
	for i, w := range list {
		records[i] = w.Record
	}
	send, settle := s.key(), s.key()
	var sent, settled error
	return act{
		run: func() {
			if _, sent = s.sys.SendWithdrawals(s.ctx(), send, officer, records); sent == nil {
				settled = s.sys.SettleWithdrawals(s.ctx(), settle, officer, records, returned)
			}
		},
		after: func() {
			s.agree("transfer", sent, nil)
			s.agree("transfer settled", settled, nil)
			s.unpaid = nil
			for _, w := range list {
				s.book(ledger.Withdrawals, w.Amount)
				if !returned {
					s.book(ledger.Cash, -w.Amount)
					continue
				}
				i := slices.IndexFunc(s.players, func(p *modelPlayer) bool { return p.id == w.Player })
				s.players[i].pay(s, w.Amount)
			}
		},
	}
}

func (s *simulation) setLimit(p *modelPlayer) act {
	which, limit := s.IntN(2), money.Amount(10_00+s.IntN(300_00))
	if s.IntN(2) == 0 {
		limit = 0
	}
	c := central.SetLimits{Key: s.key(), Player: p.id}
	if which == 0 {
		c.Deposits = &limit
	} else {
		c.Stakes = &limit
	}
	var err error
	return act{
		run: func() { err = s.sys.SetLimits(s.ctx(), c) },
		after: func() {
			if s.agree("limit", err, nil) {
				p.limits[which].set(limit, s.now)
			}
		},
	}
}

func (s *simulation) exclude(p *modelPlayer) act {
	c := central.Exclude{Key: s.key(), Player: p.id, For: time.Duration(12+s.IntN(48)) * time.Hour, Pause: s.IntN(2) == 0}
	stands := s.now.Before(p.blocked)
	var err error
	return act{
		run: func() { err = s.sys.Exclude(s.ctx(), c) },
		after: func() {
			until := s.now.Add(c.For)
			want := []error{nil}
			switch {
			case c.For < 24*time.Hour:
				want = []error{party.ErrExclusion}
			case stands && until.Before(p.blocked): // a pause may be shorter than an exclusion that stands
				want = append(want, party.ErrExclusion)
			}
			if s.agree("exclusion", err, want...) && until.After(p.blocked) {
				p.blocked = until
			}
		},
	}
}
