package settle

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/wager"
)

// amigo returns the rules as shipped, for a test to change.
func amigo(t testing.TB) *game.Rules {
	t.Helper()
	text, err := game.Book("amigo")
	if err != nil {
		t.Fatal(err)
	}
	r, err := game.Parse("amigo.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// amigoDrawn is the draw of all these tests: the first number of each column, and jackpot number 3.
var amigoDrawn = game.Result{{1, 6, 11, 16, 21, 26, 31, 36, 41}, {3}}

// hitting are picks with so many hits, and a jackpot number.
func hitting(hits, jackpot int) game.Picks {
	numbers := make([]int, 9)
	for i := range numbers {
		numbers[i] = 5*i + 1
		if i >= hits {
			numbers[i]++
		}
	}
	return game.Picks{numbers, {jackpot}}
}

// extended are the nine winning numbers with so many more in each of the first columns.
func extended(extras, columns int, jackpot ...int) game.Picks {
	var numbers []int
	for c := range 9 {
		numbers = append(numbers, 5*c+1)
		for e := range extras {
			if c < columns {
				numbers = append(numbers, 5*c+2+e)
			}
		}
	}
	return game.Picks{numbers, jackpot}
}

// stakeOn is a play of an Amigo ticket: picks, and euros a combination.
type stakeOn struct {
	picks game.Picks
	euros int64
}

// settleAmigo settles one draw with a ticket for each play.
func settleAmigo(t testing.TB, r *game.Rules, times int, pot Pot, rollDown bool, plays ...stakeOn) Settlement {
	t.Helper()
	counter, err := NewCounter(r, amigoDrawn, times)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plays {
		combinations, err := r.Expand(p.picks)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range combinations {
			counter.Add(Part{Combination: c, Units: p.euros / 2, LastDraw: 1})
		}
	}
	return counter.Settlement(pot, rollDown)
}

// amigoTicket is a ticket of one play in a certified draw, with what it takes to check it.
func amigoTicket(t testing.TB, r *game.Rules, p stakeOn, d draw.Draw, s Settlement) (wager.Ticket, []DrawFacts) {
	t.Helper()
	combinations, err := r.Expand(p.picks)
	if err != nil {
		t.Fatal(err)
	}
	ticket := wager.Ticket{
		Rules: r, Plays: []wager.Play{{Picks: p.picks, Combinations: combinations}},
		Stake: money.Euros(p.euros), Units: p.euros / 2, Asked: 1, Draws: []draw.Draw{d},
	}
	return ticket, []DrawFacts{{Draw: d, State: draw.Certified, Result: amigoDrawn, UnitValue: s.unitValueOf(t)}}
}

// unitValueOf gives the unit values of the settlement; a tier without a share has no winner to ask for it.
func (s Settlement) unitValueOf(t testing.TB) func(table, tier int) money.Amount {
	return func(table, tier int) money.Amount {
		for _, share := range s.Shares {
			if share.Table == table && share.Tier == tier {
				return share.UnitValue
			}
		}
		t.Errorf("no share of table %d, tier %d", table, tier)
		return 0
	}
}

func draw200(r *game.Rules) draw.Draw { return draw.Plan(r, game.NewDay(2027, 3, 31))[199] }

// byTier is the winners of each tier.
func (s Settlement) byTier() (winners [8]int64) {
	for _, share := range s.Shares {
		winners[share.Tier] += share.Winners
	}
	return winners
}

// total is all prizes.
func (s Settlement) total() (sum money.Amount) {
	for _, total := range s.Prizes {
		sum += total
	}
	return sum
}

// TestAMI_8_1_1_GoldenVectors: the four of the regulation's reading, settled, and
// checked as the player's ticket.
func TestAMI_8_1_1_GoldenVectors(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		name    string
		play    stakeOn
		times   int
		winners [8]int64
		fixed   int64 // euros
	}{
		{"J3 and J4 for 10 €, times 10", stakeOn{extended(0, 0, 3, 4), 10}, 10, [8]int64{1, 1}, 1_000_000},
		{"J1 to J5, times 2", stakeOn{extended(0, 0, 1, 2, 3, 4, 5), 2}, 2, [8]int64{1, 4}, 160_000},
		{"5 columns with 1 extra, J3", stakeOn{extended(1, 5, 3), 2}, 1, [8]int64{1, 0, 5, 10, 10, 5, 1}, 6327},
		{"2 columns with 4 extras, J1 and J2, times 3", stakeOn{extended(4, 2, 1, 2), 2}, 3, [8]int64{0, 2, 16, 32}, 177_600},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			r := amigo(t)
			s := settleAmigo(t, r, v.times, Pot{}, true, v.play)
			if got := s.byTier(); got != v.winners {
				t.Errorf("winners %v, want %v", got, v.winners)
			}
			j := s.Jackpot
			if fixed := s.total() - j.Paid; fixed != money.Euros(v.fixed) {
				t.Errorf("fixed prizes %s, want %d €", fixed, v.fixed)
			}
			if (j.End == JackpotWon) != (v.winners[0] > 0) || j.Extra != NoExtra || (j.Paid > 0) != (v.winners[0] > 0) {
				t.Errorf("jackpot %+v", j)
			}
			d := draw200(r)
			ticket, facts := amigoTicket(t, r, v.play, d, s)
			a := Check(ticket, nil, facts, Delay{}, nil, d.DrawsAt.AddDate(0, 0, 2), Place{Zone: time.UTC, Centre: true})
			if a.Standing != Won || a.Total != s.total() || a.Payable != a.Total {
				t.Errorf("the ticket: %s, won %s, payable %s; settled %s", a.Standing, a.Total, a.Payable, s.total())
			}
		})
	}
}

// TestAMI_8_1_1_Ranks: every number of hits, with the jackpot number and without
// it, at each stake: ranks 3 to 8 ignore the jackpot number.
func TestAMI_8_1_1_Ranks(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	prizes := map[int]int64{9: 20_000, 8: 1000, 7: 100, 6: 30, 5: 5, 4: 2, 3: 1}
	for hits := range 10 {
		for jackpot := 1; jackpot <= 5; jackpot++ {
			for _, euros := range []int64{2, 4, 6, 8, 10} {
				s := settleAmigo(t, r, 1, Pot{}, false, stakeOn{hitting(hits, jackpot), euros})
				want := money.Euros(prizes[hits] * euros / 2)
				if hits == 9 && jackpot == 3 {
					unit, _ := (money.Euros(250_000) + s.Jackpot.Contribution).Split(euros / 2)
					want = unit.Times(euros / 2)
				}
				if s.total() != want {
					t.Errorf("%d hits, jackpot number %d, %d €: %s, want %s", hits, jackpot, euros, s.total(), want)
				}
			}
		}
	}
}

// TestAMI_8_1_1_Share: the jackpot is shared between three stakes, in
// proportion, to the cent; the rest goes to the reserve.
func TestAMI_8_1_1_Share(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	// Stakes of 16 € add 0.89 € and carry the rest on.
	stakes := []stakeOn{{hitting(9, 3), 2}, {hitting(9, 3), 4}, {hitting(9, 3), 10}}
	for _, times := range []int{1, 10} { // AMI-8.1.2: not multiplied
		s := settleAmigo(t, r, times, Pot{Amount: 123_456_789 - 89}, true, stakes...)
		want := Share{Tier: 0, Winners: 3, Units: 8, UnitValue: 15_432_098, Total: 123_456_784}
		if diff := cmp.Diff([]Share{want}, s.Shares); diff != "" {
			t.Error(diff)
		}
		j := s.Jackpot
		if j.End != JackpotWon || j.Paid != 123_456_784 || j.Rest != 5 || j.After != 0 || j.Contribution != 89 || j.TopUp != 0 {
			t.Errorf("%+v", j)
		}
		for i, cents := range []money.Amount{15_432_098, 30_864_196, 77_160_490} {
			d := draw200(r)
			ticket, facts := amigoTicket(t, r, stakes[i], d, s)
			if a := Check(ticket, nil, facts, Delay{}, nil, d.DrawsAt, Place{Zone: time.UTC}); a.Total != cents {
				t.Errorf("%d €: %s, want %s", stakes[i].euros, a.Total, cents)
			}
		}
	}
}

// TestAMI_8_1_2_Multiplier: every prize but the jackpot is multiplied, by each value.
func TestAMI_8_1_2_Multiplier(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	for tier, prize := range []int64{0, 20_000, 1000, 100, 30, 5, 2, 1} {
		for _, times := range []int{1, 2, 3, 4, 5, 10} {
			play := stakeOn{hitting(10-tier, 1), 4}
			want := money.Euros(prize * 2 * int64(times))
			if tier == 0 {
				play = stakeOn{hitting(9, 3), 4}
				want = 25_000_022 // 250,000 € and 0.22 € of the stake
			}
			s := settleAmigo(t, r, times, Pot{}, false, play)
			if len(s.Shares) != 1 || s.Shares[0].Tier != tier || s.total() != want {
				t.Errorf("tier %d, times %d: %+v, want %s", tier, times, s.Shares, want)
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a multiplier of 0 was taken")
		}
	}()
	_, _ = NewCounter(r, amigoDrawn, 0)
}

// TestAMI_8_2_Funding: 4373591/78125000 of the stakes, from 250,000 € on.
func TestAMI_8_2_Funding(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	for _, v := range []struct {
		name                             string
		pot                              Pot
		euros                            int64
		topUp, contribution, after, part int64 // part: carried, in 1/390625 of a cent
	}{
		{"the first draw, without sales", Pot{}, 0, 25_000_000, 0, 25_000_000, 0},
		{"a stake of 2 €", Pot{}, 2, 25_000_000, 11, 25_000_011, 4373591 - 11*390625},
		{"what is carried makes a cent", Pot{25_000_000, big.NewRat(390624, 390625)}, 2, 0, 12, 25_000_012, 4373591 + 390624 - 12*390625},
		{"what is carried without sales", Pot{25_000_000, big.NewRat(1, 390625)}, 0, 0, 0, 25_000_000, 1},
		{"a million euros", Pot{Amount: 30_000_000}, 1_000_000, 0, 5_598_196, 35_598_196, 187500},
		{"a cent is missing", Pot{Amount: 24_999_999}, 2, 1, 11, 25_000_011, 4373591 - 11*390625},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			counter, err := NewCounter(r, amigoDrawn, 1)
			if err != nil {
				t.Fatal(err)
			}
			if v.euros > 0 {
				counter.Add(Part{Combination: rankOf(t, r, hitting(0, 1)), Units: v.euros / 2, LastDraw: 1})
			}
			got := counter.Settlement(v.pot, false).Jackpot
			want := &Jackpot{
				Before: v.pot.Amount, TopUp: money.Amount(v.topUp), Contribution: money.Amount(v.contribution),
				Carried: big.NewRat(v.part, 390625), End: JackpotCarried, After: money.Amount(v.after),
			}
			if diff := cmp.Diff(want, got, compareRats); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("won: the next starts at the minimum", func(t *testing.T) {
		t.Parallel()
		j := settleAmigo(t, r, 1, Pot{Amount: 90_000_000}, false, stakeOn{hitting(9, 3), 2}).Jackpot
		next := settleAmigo(t, r, 1, j.Pot(), false).Jackpot
		if j.After != 0 || j.Paid != 90_000_011 || next.TopUp != 25_000_000 || next.After != 25_000_000 || next.Carried.Cmp(j.Carried) != 0 {
			t.Errorf("%+v, then %+v", j, next)
		}
	})
}

// TestAMI_8_2_5_Ends: what becomes of a jackpot by what it has reached, under
// both values of each reading. All draws have stakes of 2 € or more, of which 0.11 € a unit go in.
func TestAMI_8_2_5_Ends(t *testing.T) {
	t.Parallel()
	const threshold, ceiling = 100_000_000, 150_000_000
	lost := []stakeOn{{hitting(0, 1), 2}}
	eight := []stakeOn{{hitting(8, 1), 2}}
	top := []stakeOn{{hitting(9, 3), 2}}
	before := func(r *game.Rules) { r.Jackpot.Basis = game.BeforeShare }
	replaces := func(r *game.Rules) { r.Jackpot.RollDown = game.ReplacesPrize }
	capped := func(r *game.Rules) { r.Jackpot.OverCeiling = game.OverToReserve }
	reserve := func(r *game.Rules) { r.Jackpot.NoLowerWinner = game.ToReserve }
	both := func(r *game.Rules) { capped(r); before(r) }
	for _, v := range []struct {
		name    string
		reading func(*game.Rules)
		amount  money.Amount
		drawn   bool // the extra draw says: roll down
		plays   []stakeOn
		end     End
		extra   Extra
		unit    money.Amount // what a unit wins, times 2
		rest    money.Amount
		after   money.Amount
	}{
		{"below the threshold by a cent", nil, threshold - 12, true, eight, JackpotCarried, NoExtra, 200_000, 0, threshold - 1},
		{"at the threshold with this draw's share", nil, threshold - 11, true, eight, JackpotRolledDown, ExtraRolled, threshold + 200_000, 0, 0},
		{"at the threshold, kept", nil, threshold - 11, false, eight, JackpotCarried, ExtraKept, 200_000, 0, threshold},
		{"threshold_basis before: not yet", before, threshold - 1, true, eight, JackpotCarried, NoExtra, 200_000, 0, threshold + 10},
		{"threshold_basis before: reached", before, threshold, true, eight, JackpotRolledDown, ExtraRolled, threshold + 11 + 200_000, 0, 0},
		{"a winner at the top: no extra draw", nil, threshold, true, top, JackpotWon, NoExtra, threshold + 11, 0, 0},
		{"a winner at the top, at the ceiling", nil, ceiling, true, top, JackpotWon, NoExtra, ceiling + 11, 0, 0},
		{"below the ceiling by a cent, kept", nil, ceiling - 12, false, eight, JackpotCarried, ExtraKept, 200_000, 0, ceiling - 1},
		{"at the ceiling without a draw", nil, ceiling - 11, false, eight, JackpotRolledDown, CeilingRolled, ceiling + 200_000, 0, 0},
		{"threshold_basis before: below the ceiling", before, ceiling - 1, false, eight, JackpotCarried, ExtraKept, 200_000, 0, ceiling + 10},
		{"threshold_basis before: at the ceiling", before, ceiling, false, eight, JackpotRolledDown, CeilingRolled, ceiling + 11 + 200_000, 0, 0},
		{"rolldown replaces", replaces, ceiling, false, eight, JackpotRolledDown, CeilingRolled, ceiling + 11, 0, 0},
		{"over_cap rolled_down", nil, ceiling + 500, false, eight, JackpotRolledDown, CeilingRolled, ceiling + 511 + 200_000, 0, 0},
		{"over_cap reserve", capped, ceiling + 500, false, eight, JackpotRolledDown, CeilingRolled, ceiling + 200_000, 511, 0},
		{"over_cap reserve, below the ceiling", capped, threshold, true, eight, JackpotRolledDown, ExtraRolled, threshold + 11 + 200_000, 0, 0},
		{"over_cap reserve, over it by this draw's share", both, ceiling - 1, true, eight, JackpotRolledDown, ExtraRolled, ceiling + 200_000, 10, 0},
		{"over_cap reserve, won", capped, ceiling + 500, false, top, JackpotWon, NoExtra, ceiling + 511, 0, 0},
		{"no winner in any rank", nil, ceiling, false, lost, JackpotCarried, CeilingRolled, 0, 0, ceiling + 11},
		{"no winner in any rank, drawn", nil, threshold, true, lost, JackpotCarried, ExtraRolled, 0, 0, threshold + 11},
		{"no winner in any rank: reserve", reserve, ceiling, false, lost, JackpotReserved, CeilingRolled, 0, ceiling + 11, 0},
		{"no winner in any rank, drawn: reserve", reserve, threshold, true, lost, JackpotReserved, ExtraRolled, 0, threshold + 11, 0},
		{"no winner in any rank, kept: reserve", reserve, threshold, false, lost, JackpotCarried, ExtraKept, 0, 0, threshold + 11},
		{"no winner in any rank, over_cap reserve", capped, ceiling + 500, false, lost, JackpotCarried, CeilingRolled, 0, 0, ceiling + 511},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			r := amigo(t)
			if v.reading != nil {
				v.reading(r)
			}
			s := settleAmigo(t, r, 2, Pot{Amount: v.amount}, v.drawn, v.plays...)
			j := s.Jackpot
			if j.End != v.end || j.Extra != v.extra || j.Rest != v.rest || j.After != v.after {
				t.Errorf("got %s %s, rest %s, after %s; want %s %s, %s, %s", j.End, j.Extra, j.Rest, j.After, v.end, v.extra, v.rest, v.after)
			}
			if s.total() != v.unit || (v.end == JackpotRolledDown) != (j.Tier == 2) {
				t.Errorf("a unit wins %s, want %s; tier %d", s.total(), v.unit, j.Tier)
			}
			if j.Before+j.TopUp+j.Contribution != j.Paid+j.Rest+j.After {
				t.Errorf("not conserved: %+v", j)
			}
			// After a win or a roll-down, and only then, the next starts at the minimum (no_lower_winner: reserve too).
			if next := settleAmigo(t, r, 1, j.Pot(), false).Jackpot; (next.TopUp > 0) != (v.end != JackpotCarried) {
				t.Errorf("the next draw: %+v", next)
			}
		})
	}
}

// TestAMI_8_2_5_FourEnds follows a jackpot from 250,000 € to each of its four
// ends: draws with 100,000 € of stakes, without a winner, until it has grown so far.
func TestAMI_8_2_5_FourEnds(t *testing.T) {
	t.Parallel()
	const share = 559_819 // of the stakes of a draw, in whole cents
	for _, v := range []struct {
		name  string
		grow  int  // draws before the last
		drawn bool // the last draw's extra draw
		last  stakeOn
		end   End
		extra Extra
	}{
		{"won", 50, false, stakeOn{hitting(9, 3), 2}, JackpotWon, NoExtra},
		{"rolled down by the extra draw", 134, true, stakeOn{hitting(8, 1), 2}, JackpotRolledDown, ExtraRolled},
		{"kept by the extra draw", 134, false, stakeOn{hitting(8, 1), 2}, JackpotCarried, ExtraKept},
		{"rolled down at the ceiling", 223, false, stakeOn{hitting(8, 1), 100_000}, JackpotRolledDown, CeilingRolled},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			r, pot := amigo(t), Pot{}
			for n := range v.grow {
				j := settleAmigo(t, r, 2, pot, false, stakeOn{hitting(2, 1), 100_000}).Jackpot
				pot = j.Pot()
				if j.End != JackpotCarried || j.Contribution-share > 1 || (j.TopUp > 0) != (n == 0) {
					t.Fatalf("draw %d: %+v", n, j)
				}
			}
			s := settleAmigo(t, r, 2, pot, v.drawn, v.last)
			j := s.Jackpot
			if j.End != v.end || j.Extra != v.extra {
				t.Errorf("at %s: %s %s, want %s %s", pot.Amount, j.End, j.Extra, v.end, v.extra)
			}
			// 0.64 of a cent a draw was carried: it has become whole cents.
			exact := new(big.Rat).Mul(r.Jackpot.Share, big.NewRat(int64(v.grow)*10_000_000+v.last.euros*100, 1))
			whole := money.Amount(new(big.Int).Quo(exact.Num(), exact.Denom()).Int64())
			if fund := j.Before + j.Contribution; fund != 25_000_000+whole || j.Paid+j.Rest+j.After != fund {
				t.Errorf("fund %s, want 250,000 € and %s", fund, whole)
			}
		})
	}
}

// TestAMI_8_2_5_EachRank: a roll-down onto each rank, with lower winners too,
// shared by stake over tickets of three stakes and two last draws, not multiplied, under both readings.
func TestAMI_8_2_5_EachRank(t *testing.T) {
	t.Parallel()
	for tier := 1; tier < 8; tier++ {
		for _, reading := range []game.RollDownMoney{game.AddedToPrize, game.ReplacesPrize} {
			t.Run(fmt.Sprintf("rank %d %d", tier+1, reading), func(t *testing.T) {
				t.Parallel()
				r := amigo(t)
				r.Jackpot.RollDown = reading
				counter, err := NewCounter(r, amigoDrawn, 3)
				if err != nil {
					t.Fatal(err)
				}
				c := rankOf(t, r, hitting(10-tier, 1))
				for i, p := range []Part{{c, 1, 0, 1}, {c, 2, 0, 2}, {c, 5, 0, 1}} {
					counter.Add(p)
					if lower := tier + 1 + i; lower < 8 {
						counter.Add(Part{rankOf(t, r, hitting(10-lower, 1)), 1, 0, 1})
					}
				}
				s := counter.Settlement(Pot{Amount: 150_000_000}, false)
				j := s.Jackpot
				fund := 150_000_000 + j.Contribution
				if j.End != JackpotRolledDown || j.Tier != tier || j.Paid != fund/8*8 || j.Rest != fund%8 || j.After != 0 {
					t.Errorf("%+v", j)
				}
				unit := fund / 8
				if reading == game.AddedToPrize {
					unit += 3 * r.Tables[0].Tiers[tier].Prize
				}
				if diff := cmp.Diff(Share{0, tier, 3, 8, unit, 8 * unit}, s.Shares[0]); diff != "" {
					t.Error(diff)
				}
				if s.Prizes[2] != 2*unit {
					t.Errorf("with last draw 2: %s, want %s", s.Prizes[2], 2*unit)
				}
				for _, lower := range s.Shares[1:] {
					if lower.UnitValue != 3*r.Tables[0].Tiers[lower.Tier].Prize {
						t.Errorf("%+v", lower)
					}
				}
			})
		}
	}
}

// TestAMI_8_1_1_Multiple: what a multiple play wins is what its combinations
// win one by one, for every allowed shape and number of jackpot numbers, on a draw that hits some.
func TestAMI_8_1_1_Multiple(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	for _, shape := range append(r.Multiple.Shapes, game.Shape{}) {
		for also := 1; also <= 5; also++ {
			jackpot := make([]int, also)
			for i := range jackpot {
				jackpot[i] = i + 1
			}
			picks := extended(shape.Extras, shape.Columns, jackpot...)
			var one []stakeOn
			single(picks, nil, 0, func(numbers []int) {
				for _, j := range jackpot {
					one = append(one, stakeOn{game.Picks{append([]int(nil), numbers...), {j}}, 2})
				}
			})
			whole := settleAmigo(t, r, 2, Pot{}, false, stakeOn{picks, 2})
			if diff := cmp.Diff(settleAmigo(t, r, 2, Pot{}, false, one...), whole, compareRats); diff != "" {
				t.Errorf("%v, %d jackpot numbers: %s", shape, also, diff)
			}
			if want := shape.Combinations(also); whole.Parts != want || whole.Stakes != money.Euros(2*want) {
				t.Errorf("%v, %d jackpot numbers: %d parts of %s, want %d", shape, also, whole.Parts, whole.Stakes, want)
			}
		}
	}
}

// single calls yield for each choice of one number in each column.
func single(picks game.Picks, chosen []int, column int, yield func([]int)) {
	if column == 9 {
		yield(chosen)
		return
	}
	for _, n := range picks[0] {
		if (n-1)/5 == column {
			single(picks, append(chosen, n), column+1, yield)
		}
	}
}

// BenchmarkCounter_Amigo counts the parts of multiple plays.
func BenchmarkCounter_Amigo(b *testing.B) {
	r := amigo(b)
	counter, err := NewCounter(r, amigoDrawn, 2)
	if err != nil {
		b.Fatal(err)
	}
	var n int64
	for b.Loop() {
		counter.Add(Part{Combination: game.Combination(n * 104729 % r.Size()), Units: 1, LastDraw: draw.ID(n % 20)})
		n++
	}
}
