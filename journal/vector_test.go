package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

var update = flag.Bool("update", false, "write the golden files")

const (
	vectorFile = "../testdata/vectors/journal.txt"
	proofFile  = "../testdata/vectors/journal.tlog-proof"
)

type sample struct {
	what   string
	record Record
}

// samples are one record of each kind or more, in an order in which a journal could have them.
func samples() []sample {
	return slices.Concat(firstSamples(), laterSamples(), playerSamples(), outletSamples(), closedSamples())
}

// firstSamples are those that were published first.
func firstSamples() []sample {
	const day = int64(86_400_000_000)
	at := func(seconds int64) int64 { return 20_515*day + 43_000_000_000 + seconds*1_000_000 } // 2 March 2026
	command := func(n byte) Command { return Command(bytes.Repeat([]byte{n}, 16)) }
	party := func(n byte) Party { return Party(bytes.Repeat([]byte{n}, 8)) }
	book := []byte("game: ile-au-tresor\n")
	rules := sha256.Sum256(book)
	officer, outlet, terminal := party(0xf0), party(0xa0), party(0xb0)
	simple := Play{Picks: [][]uint16{{1, 4, 7, 11, 14, 18, 21}, {3}}}
	mixed := Play{Picks: [][]uint16{{2, 5, 6, 9, 12, 17, 20}, {1}}, Random: [][]uint16{{9, 12, 17, 20}, {1}}}
	return []sample{
		{"the log's key", Record{at(0), &Key{Use: "log", ID: bytes.Repeat([]byte{1}, 8), Public: bytes.Repeat([]byte{2}, 32)}}},
		{"a secret key", Record{at(0), &Key{Use: "games", ID: bytes.Repeat([]byte{3}, 8)}}},
		{"an officer, made by the system", Record{at(1), &Officer{Command: command(1), ID: officer, Roles: []string{"draws", "finance"}}}},
		{"a rule book", Record{at(2), &Rules{
			Command: command(2), By: officer, Game: "ile-au-tresor", Version: "2017",
			FirstDay: 20_515, Hash: rules, Book: book,
		}}},
		{"a rule book from before 1970", Record{at(2), &Rules{Command: command(3), By: officer, Game: "joker", Version: "1", FirstDay: -1, Hash: rules, Book: book}}},
		{"an outlet", Record{at(3), &Outlet{Command: command(4), By: officer, ID: outlet, Number: 75_001, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: 500_000}}},
		{"the outlet, blocked", Record{at(3), &Outlet{Command: command(5), By: officer, ID: outlet, Number: 75_001, Territory: "metropole", Zone: "Europe/Paris", Blocked: true}}},
		{"a terminal", Record{at(4), &Terminal{Command: command(6), By: officer, ID: terminal, Outlet: outlet}}},
		{"a plan of two draws", Record{at(5), &Plan{
			Game: "ile-au-tresor", Rules: rules, Day: 20_515, Session: 1, OpensAt: at(6),
			Draws: []PlanDraw{{ID: 1, Number: 95, ClosesAt: at(100), DrawsAt: at(120)}, {ID: 2, Number: 96, ClosesAt: at(400), DrawsAt: at(420)}},
		}}},
		{"sales open", Record{at(6), &Open{Draws: []uint64{1, 2}}}},
		{"a sale: one combination, one draw, 2 €", Record{at(7), &Sale{
			Command: command(7), Outlet: outlet, Terminal: terminal, Rules: rules,
			Plays: []Play{simple}, Units: 1, Asked: 1, Draws: []uint64{1}, Price: 200,
		}}},
		{"a sale: partly a quick pick, three draws asked, two left, the second with prize table 1", Record{at(8), &Sale{
			Command: command(8), Outlet: outlet, Terminal: terminal, Rules: rules,
			Plays: []Play{mixed}, Units: 10, Asked: 3, Draws: []uint64{1, 2}, Tables: []uint64{0, 1}, Price: 4000,
		}}},
		{"the first sale taken back", Record{at(9), &Cancellation{
			Command: command(9), Outlet: outlet, Terminal: terminal, Ticket: 10, Rules: rules,
			Plays: []Play{simple}, Units: 1, Draws: []uint64{1}, Price: 200,
		}}},
		{"the close of draw 1", Record{at(100), &Close{Draw: 1, Wagers: 1, Parts: 1, Stakes: 2000, Cancelled: 1, Root: sha256.Sum256([]byte("root"))}}},
		{"the result of draw 1", Record{at(120), &Result{Draw: 1, Close: 13, Sets: [][]uint16{{20, 5, 2, 17, 12, 9, 1}, {1}}}}},
		{"the settlement of draw 1", Record{at(121), &Settlement{
			Draw: 1, Parts: 1, Stakes: 2000,
			Shares: []Share{{Table: 0, Tier: 2, Winners: 1, Units: 10, UnitValue: 20_000, Total: 200_000}},
			Prizes: []PrizeLine{{LastDraw: 2, Prizes: 200_000}},
		}}},
		{"a certification without control", Record{at(122), &Certification{Draw: 1, Control: "none"}}},
		{"a payment", Record{at(500), &Payment{
			Command: command(10), Outlet: outlet, Terminal: terminal, Ticket: 11, LastDraw: 2,
			Draws: []PaymentDraw{{Draw: 1, Amount: 200_000}},
		}}},
		{"money received", Record{at(600), &Received{Command: command(11), By: officer, Outlet: outlet, Amount: 4000}}},
		{"an act without a subject", Record{at(700), &Act{Command: command(12), By: officer, Act: "confirm-clock"}}},
		{"an act with a subject", Record{at(701), &Act{Command: command(13), By: officer, Act: "confirm-clock", Subject: "nœud 2"}}},
	}
}

// laterSamples go on where samples ended when the format was first published:
// the kinds and keys that were added since. Additions come last.
func laterSamples() []sample {
	const day = int64(86_400_000_000)
	at := func(seconds int64) int64 { return 20_516*day + 43_000_000_000 + seconds*1_000_000 } // 3 March 2026
	command := func(n byte) Command { return Command(bytes.Repeat([]byte{n}, 16)) }
	party := func(n byte) Party { return Party(bytes.Repeat([]byte{n}, 8)) }
	secret := func(text string) []byte { h := sha256.Sum256(append(make([]byte, 16), text...)); return h[:] }
	rules := sha256.Sum256([]byte("game: amigo\n"))
	officer, another, third, outlet, terminal := party(0xf0), party(0xf1), party(0xf2), party(0xa0), party(0xb0)
	simple := Play{Picks: [][]uint16{{1, 6, 11, 16, 21, 26, 31, 36, 41}, {3}}}
	multiple := Play{Picks: [][]uint16{{1, 2, 6, 11, 16, 21, 26, 31, 36, 41}, {3, 7}}}
	shared := &Jackpot{Before: 30_000_000, Contribution: 4_000, Carried: [2]uint64{0, 1}, End: "won", Paid: 30_003_999, Rest: 1}
	down := &Jackpot{
		TopUp: 25_000_000, Contribution: 999, Carried: [2]uint64{9, 16}, End: "rolled-down", Extra: "rolled-down",
		Tier: 1, Paid: 25_000_998, Rest: 1,
	}
	carried := &Jackpot{Before: 25_000_000, Contribution: 37, Carried: [2]uint64{1, 2}, End: "carried", Extra: "kept", After: 25_000_037}
	spared := &Jackpot{Before: 150_000_000, Contribution: 40, Carried: [2]uint64{0, 1}, End: "reserve", Extra: "ceiling", Rest: 150_000_040}
	return []sample{
		{"the outlet, a payment centre", Record{at(0), &Outlet{Command: command(20), By: officer, ID: outlet, Number: 75_001, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: 500_000, Centre: true}}},
		{"a sale: a multiple play of four combinations, for a jackpot of 250,000 €", Record{at(1), &Sale{
			Command: command(21), Outlet: outlet, Terminal: terminal, Rules: rules,
			Plays: []Play{multiple}, Units: 1, Asked: 1, Draws: []uint64{3}, Price: 800, Jackpot: 25_000_000,
		}}},
		{"a sale in three draws", Record{at(1), &Sale{
			Command: command(29), Outlet: outlet, Terminal: terminal, Rules: rules,
			Plays: []Play{simple}, Units: 2, Asked: 3, Draws: []uint64{7, 8, 9}, Price: 1200,
		}}},
		{"a result with a multiplier", Record{at(2), &Result{Draw: 3, Close: 15, Sets: [][]uint16{{2, 6, 11, 16, 21, 26, 31, 36, 41}, {7}}, Times: 10}}},
		{"a settlement: the jackpot is won by two, a cent is left", Record{at(3), &Settlement{
			Draw: 3, Parts: 500, Stakes: 100_000, Jackpot: shared,
			Shares: []Share{{Winners: 2, Units: 3, UnitValue: 10_001_333, Total: 30_003_999}},
			Prizes: []PrizeLine{{LastDraw: 3, Prizes: 30_003_999}},
		}}},
		{"a settlement: the jackpot rolls down after an extra draw", Record{at(4), &Settlement{
			Draw: 4, Parts: 125, Stakes: 25_000, Jackpot: down,
			Shares: []Share{{Tier: 1, Winners: 2, Units: 2, UnitValue: 12_500_499, Total: 25_000_998}},
			Prizes: []PrizeLine{{LastDraw: 4, Prizes: 12_500_499}, {LastDraw: 5, Prizes: 12_500_499}},
		}}},
		{"a settlement: the jackpot is carried on", Record{at(5), &Settlement{Draw: 5, Parts: 5, Stakes: 1_000, Jackpot: carried}}},
		{"a settlement: the jackpot at its ceiling goes to the reserve", Record{at(6), &Settlement{Draw: 6, Parts: 5, Stakes: 1_000, Jackpot: spared}}},
		{"a proposal to postpone two draws by an hour", Record{at(7), &Proposal{
			Command: command(22), By: officer, Act: "postpone", Draws: []uint64{7, 8}, Shift: 3_600_000_000, Reason: "panne d’électricité",
		}}},
		{"its approval by another officer", Record{at(8), &Decision{Command: command(23), By: another, Proposal: 29, Approved: true}}},
		{"a draw postponed", Record{at(8), &Move{Draw: 7, Decision: 30, ClosesAt: at(3700), DrawsAt: at(3720)}}},
		{"the other draw postponed", Record{at(8), &Move{Draw: 8, Decision: 30, ClosesAt: at(4000), DrawsAt: at(4020)}}},
		{"a proposal to close a draw early", Record{at(9), &Proposal{Command: command(24), By: officer, Act: "close", Draws: []uint64{8}, Reason: "test"}}},
		{"its approval", Record{at(10), &Decision{Command: command(25), By: another, Proposal: 33, Approved: true}}},
		{"a draw closed early", Record{at(10), &Move{Draw: 8, Decision: 34, ClosesAt: at(10), DrawsAt: at(4020), Early: true}}},
		{"a proposal to cancel a draw", Record{at(11), &Proposal{Command: command(26), By: officer, Act: "cancel-draw", Draws: []uint64{7}, Reason: "boule manquante"}}},
		{"its approval", Record{at(12), &Decision{Command: command(27), By: another, Proposal: 36, Approved: true}}},
		{"a draw cancelled", Record{at(12), &CancelDraw{Draw: 7, Decision: 37}}},
		{"its stakes to give back", Record{at(13), &Refund{Draw: 7, Parts: 2, Lines: []RefundLine{{LastDraw: 7, Stakes: 200}, {LastDraw: 9, Stakes: 400}}}}},
		{"a payment of a prize and of a stake given back", Record{at(5000), &Payment{
			Command: command(28), Outlet: outlet, Terminal: terminal, Ticket: 23, LastDraw: 9,
			Draws: []PaymentDraw{{Draw: 8, Amount: 2_000}}, Back: []PaymentDraw{{Draw: 7, Amount: 400}},
		}}},
		{"a proposal to extend claims", Record{at(5001), &Proposal{
			Command: command(30), By: officer, Act: "extend-claims", Game: "amigo", From: 20_570, To: 20_580, Until: 20_600, Reason: "grève",
		}}},
		{"its rejection", Record{at(5002), &Decision{Command: command(31), By: another, Proposal: 41}}},
		{"a shorter one, proposed by the other", Record{at(5003), &Proposal{
			Command: command(32), By: another, Act: "extend-claims", Game: "amigo", From: 20_576, To: 20_576, Until: 20_577, Reason: "grève",
		}}},
		{"its approval", Record{at(5004), &Decision{Command: command(33), By: officer, Proposal: 43, Approved: true}}},
		{"claims extended", Record{at(5004), &Extension{Decision: 44, Game: "amigo", From: 20_576, To: 20_576, Until: 20_577}}},
		{"claims ended, on prizes", Record{at(6_000_000), &Expiry{LastDraw: 3, Prizes: 2_000}}},
		{"claims ended, on a stake to give back too", Record{at(6_000_001), &Expiry{LastDraw: 7, Prizes: 0, Back: 200}}},
		{"a proposal to make an officer", Record{at(6_000_002), &Proposal{
			Command: command(34), By: officer, Act: "make-officer", ReasonHash: secret("zoe\ndépart d’un responsable"),
		}}},
		{"its approval", Record{at(6_000_003), &Decision{Command: command(35), By: another, Proposal: 48, Approved: true}}},
		{"an officer, made by two", Record{at(6_000_003), &Officer{By: another, ID: third, Roles: []string{"all"}}}},
	}
}

// outletSamples are those of outlets' accounts and of tickets after their sale, which came next.
func outletSamples() []sample {
	const day = int64(86_400_000_000)
	at := func(seconds int64) int64 { return 20_610*day + 43_000_000_000 + seconds*1_000_000 } // 5 June 2026
	command := func(n byte) Command { return Command(bytes.Repeat([]byte{n}, 16)) }
	party := func(n byte) Party { return Party(bytes.Repeat([]byte{n}, 8)) }
	officer, another, outlet, terminal := party(0xf0), party(0xf1), party(0xa0), party(0xb0)
	book := []byte("kind: outlets\n")
	terms := sha256.Sum256(book)
	secret := func(text string) []byte { h := sha256.Sum256(append(make([]byte, 16), text...)); return h[:] }
	return []sample{
		{"terms of outlets", Record{at(0), &Book{
			Command: command(71), By: officer, Sort: "outlets", Code: "outlets", Version: "1", FirstDay: 20_600, Hash: terms, Book: book,
		}}},
		{"a ticket reprinted", Record{at(1), &Reprint{Command: command(72), Outlet: outlet, Terminal: terminal, Ticket: 9}}},
		{"a payment stopped", Record{at(2), &Stop{Command: command(73), By: officer, Ticket: 9, Reason: secret("perdu")}}},
		{"a proposal to lift the stop", Record{at(3), &Proposal{Command: command(74), By: officer, Act: "lift-stop", Ticket: 9, Reason: "retrouvé"}}},
		{"its approval", Record{at(4), &Decision{Command: command(75), By: another, Proposal: 92, Approved: true}}},
		{"the stop lifted", Record{at(4), &Stop{By: another, Ticket: 9, Lifted: true, Decision: 93}}},
		{"a proposal to pay it without the paper", Record{at(5), &Proposal{
			Command: command(76), By: officer, Act: "pay-ticket", Ticket: 9, Outlet: "a0a0a0a0a0a0a0a0", Payee: secret("Dupont, Zoé"), Reason: "perdu",
		}}},
		{"its approval", Record{at(6), &Decision{Command: command(77), By: another, Proposal: 95, Approved: true}}},
		{"the ticket paid by two officers", Record{at(6), &Payment{
			Outlet: outlet, Ticket: 9, LastDraw: 3, Draws: []PaymentDraw{{Draw: 2, Amount: 40_000}}, Payee: secret("Dupont, Zoé"), Decision: 96,
		}}},
		{"a tally", Record{at(7), &Tally{Sold: 4_200, Cancelled: 200, Paid: 40_000, Vouchers: 2_000}}},
		{"a statement", Record{at(8), &Statement{
			Outlet: outlet, Zone: "Europe/Paris", First: 20_604, Last: 20_610, Terms: terms, Opening: 50_000, Vouchers: 2_000, Received: 10_000, Closing: 5_460,
			Lines: []StatementLine{
				{Game: "amigo", Sold: 1_001, Commission: 50, Carried: [2]uint64{1, 20}},
				{Game: "ile-au-tresor", Sold: 3_199, Cancelled: 200, Paid: 40_000, Back: 0, Commission: 490, Carried: [2]uint64{0, 1}},
			},
		}}},
		{"in a file of direct debits", Record{at(9), &Debit{Command: command(78), By: officer, State: "sent", Lines: []DebitLine{{Statement: 99, Outlet: outlet, Amount: 5_460}}}}},
		{"paid", Record{at(10), &Debit{Command: command(79), By: officer, State: "paid", Lines: []DebitLine{{Statement: 99, Outlet: outlet, Amount: 5_460}}}}},
		{"returned after all", Record{at(11), &Debit{Command: command(80), By: officer, State: "returned", Lines: []DebitLine{{Statement: 99, Outlet: outlet, Amount: 5_460}}, Undone: true}}},
		{"the outlet blocked", Record{at(11), &Outlet{
			ID: outlet, Number: 42, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: 100_000, Blocked: true, Cause: "unpaid",
		}}},
		{"a notice to all terminals", Record{at(12), &Notice{Command: command(81), By: officer, FR: "Fermeture à 20 h.", EN: "We close at 8 p.m.", Until: at(12) + day}}},
		{"a payment by the outlet that sold the ticket", Record{at(13), &Payment{
			Command: command(82), Outlet: outlet, Terminal: terminal, Ticket: 11, LastDraw: 2, Draws: []PaymentDraw{{Draw: 2, Amount: 2_000}}, Own: true,
		}}},
		{"a tally of a direct debit that came back", Record{at(14), &Tally{Returned: 5_460}}},
		{"a statement with it", Record{at(15), &Statement{Outlet: outlet, Zone: "Europe/Paris", First: 20_611, Last: 20_617, Returned: 5_460, Closing: 5_460}}},
		{"the outlet let sell again by an officer, for a reason", Record{at(16), &Outlet{
			Command: command(83), By: officer, ID: outlet, Number: 42, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: 100_000, Reason: secret("virement reçu"),
		}}},
		{"who was paid is kept no longer", Record{at(17) + 1826*day, &Erasure{Count: 1, Last: 97}}},
		{"a sale: the boards B and D of a slip whose A and C are blank", Record{at(18) + 1826*day, &Sale{
			Command: command(84), Outlet: outlet, Terminal: terminal, Rules: sha256.Sum256([]byte("game: amigo\n")),
			Plays: []Play{{Picks: [][]uint16{{1, 6, 11, 16, 21, 26, 31, 36, 41}, {3}}}, {Picks: [][]uint16{{2, 7, 12, 17, 22, 27, 32, 37, 42}, {4}}}},
			Units: 1, Asked: 1, Draws: []uint64{3}, Price: 400, Letters: []uint16{2, 4},
		}}},
		{"a proposal to pay an outlet what the lottery owes it", Record{at(19) + 1826*day, &Proposal{
			Command: command(85), By: officer, Act: "pay-outlet", Outlet: "a0a0a0a0a0a0a0a0", Amount: 3_000, Reason: "trop versé",
		}}},
		{"its approval", Record{at(20) + 1826*day, &Decision{Command: command(86), By: another, Proposal: 111, Approved: true}}},
		{"money paid to an outlet", Record{at(20) + 1826*day, &Received{By: another, Outlet: outlet, Amount: -3_000, Decision: 112}}},
		{"a statement with money paid to the outlet", Record{at(20) + 1828*day, &Statement{
			Outlet: outlet, Zone: "Europe/Paris", First: 22_431, Last: 22_437, Terms: terms, Opening: -5_000, Received: -3_000, Closing: -1_600,
			Lines: []StatementLine{{Game: "amigo", Sold: 400, Carried: [2]uint64{0, 1}}},
		}}},
		{"a terminal with a new key", Record{at(21) + 1828*day, &Terminal{Command: command(87), By: officer, ID: terminal, Outlet: outlet, Renewed: 1, Reason: secret("clé copiée")}}},
		{"the terminal, withdrawn", Record{at(22) + 1828*day, &Terminal{Command: command(88), By: officer, ID: terminal, Outlet: outlet, Renewed: 1, Withdrawn: true, Reason: secret("clé copiée")}}},
		{"another notice", Record{at(23) + 1828*day, &Notice{Command: command(89), By: officer, FR: "Pause à midi.", EN: "A break at noon.", Until: at(23) + 1829*day}}},
		{"taken back", Record{at(24) + 1828*day, &Retraction{Command: command(90), By: another, Notice: 117}}},
		{"a proposal to raise the credit limit of the outlet", Record{at(25) + 1828*day, &Proposal{
			Command: command(91), By: officer, Act: "raise-limit", Outlet: "a0a0a0a0a0a0a0a0", Amount: 2_000_000, Reason: "fêtes",
		}}},
		{"its approval", Record{at(26) + 1828*day, &Decision{Command: command(92), By: another, Proposal: 119, Approved: true}}},
		{"the limit of the outlet raised by two officers", Record{at(26) + 1828*day, &Outlet{
			By: another, ID: outlet, Number: 42, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: 2_000_000, Decision: 120,
		}}},
	}
}

// playerSamples are those of instant games and players, which came next.
func playerSamples() []sample {
	const day = int64(86_400_000_000)
	at := func(seconds int64) int64 { return 20_600*day + 43_000_000_000 + seconds*1_000_000 } // 26 May 2026
	command := func(n byte) Command { return Command(bytes.Repeat([]byte{n}, 16)) }
	party := func(n byte) Party { return Party(bytes.Repeat([]byte{n}, 8)) }
	fill := func(n byte) [32]byte { return [32]byte(bytes.Repeat([]byte{n}, 32)) }
	secret := func(n byte) [32]byte {
		s := fill(n)
		return sha256.Sum256(append([]byte("tirage pool secret\x00"), s[:]...))
	}
	officer, another, outlet, terminal, player, second := party(0xf0), party(0xf1), party(0xa0), party(0xb0), party(0xc0), party(0xc1)
	book, accounts := []byte("kind: instant\n"), []byte("kind: accounts\n")
	rules, terms := sha256.Sum256(book), sha256.Sum256(accounts)
	value := fill(0xee)
	end := sha256.Sum256(value[:]) // round 1
	reason := sha256.Sum256(append(make([]byte, 16), "pièce d’identité vue"...))
	iban := sha256.Sum256(append(make([]byte, 16), "FR7630006000011234567890189"...))
	voucher := sha256.Sum256(binary.BigEndian.AppendUint64(nil, 69))
	return []sample{
		{"the end of the beacon", Record{at(0), &Key{Use: "beacon", ID: bytes.Repeat([]byte{4}, 8), Public: end[:]}}},
		{"the key of answers", Record{at(0), &Key{Use: "answers", ID: bytes.Repeat([]byte{5}, 8), Public: bytes.Repeat([]byte{6}, 32)}}},
		{"a rule book of an instant game", Record{at(1), &Book{
			Command: command(40), By: officer, Sort: "instant", Code: "ile-au-tresor-instant", Version: "2017", FirstDay: 20_600, Hash: rules, Book: book,
		}}},
		{"rules of accounts", Record{at(2), &Book{
			Command: command(41), By: officer, Sort: "accounts", Code: "accounts", Version: "1", FirstDay: 20_600, Hash: terms, Book: accounts,
		}}},
		{"secrets of an officer for two pools", Record{at(3), &Secrets{
			Command: command(42), By: officer, Game: "ile-au-tresor-instant", Price: 200, First: 1, Hashes: [][32]byte{secret(1), secret(2)},
		}}},
		{"a secret of another for the first: the round of its seed is fixed", Record{at(4), &Secrets{
			Command: command(43), By: another, Game: "ile-au-tresor-instant", Price: 200, First: 1, Hashes: [][32]byte{secret(3)}, Round: 1,
		}}},
		{"a pool committed", Record{at(5), &Pool{
			ID: 1, Game: "ile-au-tresor-instant", Price: 200, Number: 1, Book: rules, Hashes: [2][32]byte{secret(1), secret(3)},
			Round: 1, Beacon: value, Units: 1_000_000, Root: fill(7),
		}}},
		{"a pool on sale", Record{at(5), &OpenPool{Pool: 1}}},
		{"a game launched by an officer", Record{at(6), &Launch{Command: command(44), By: officer, Game: "ile-au-tresor-instant"}}},
		{"a player", Record{at(10), &Player{Command: command(45), ID: player, Terms: "1"}}},
		{"his address confirmed", Record{at(11), &PlayerChange{Command: command(46), Player: player, What: "email", Previous: 60}}},
		{"a limit on his stakes, 50 € from now on", Record{at(12), &PlayerChange{Command: command(47), Player: player, What: "stake-limit", Amount: 5_000, Until: at(12), Previous: 61}}},
		{"no limit any more, two days later", Record{at(13), &PlayerChange{Command: command(48), Player: player, What: "stake-limit", Until: at(13) + 2*day, Previous: 62}}},
		{"his identity checked by an officer", Record{at(14), &PlayerChange{Command: command(49), By: officer, Player: player, What: "identity", Reason: reason[:], Previous: 63}}},
		{"rules accepted", Record{at(15), &PlayerChange{Command: command(50), Player: player, What: "terms", Terms: "1", Previous: 64}}},
		{"a deposit by card", Record{at(16), &Deposit{Command: command(51), Player: player, Means: "card/test", Reference: fill(8), Amount: 2_000, Previous: 65}}},
		{"a unit that wins 5 €", Record{at(17), &Unit{
			Command: command(52), Player: player, Pool: 1, N: 0, Price: 200, Prize: 500, Seed: fill(9), Salt: [16]byte{1, 2, 3}, Previous: 66,
		}}},
		{"a unit that wins nothing", Record{at(18), &Unit{
			Command: command(53), Player: player, Pool: 1, N: 1, Price: 200, Seed: fill(10), Salt: [16]byte{4, 5, 6}, Previous: 67,
		}}},
		{"a voucher of 20 €", Record{at(19), &Voucher{Command: command(54), Outlet: outlet, Terminal: terminal, Amount: 2_000}}},
		{"its deposit", Record{at(20), &Deposit{Command: command(55), Player: player, Means: "voucher", Reference: voucher, Voucher: 69, Amount: 2_000, Previous: 68}}},
		{"a withdrawal", Record{at(21), &Withdrawal{Command: command(56), Player: player, Amount: 1_000, To: iban, Previous: 70}}},
		{"another", Record{at(22), &Withdrawal{Command: command(57), Player: player, Amount: 500, To: iban, Previous: 71}}},
		{"both in a payment file", Record{at(23), &Transfer{Command: command(58), By: officer, Withdrawals: []uint64{71, 72}, State: "sent", Amount: 1_500}}},
		{"the first paid", Record{at(24), &Transfer{Command: command(59), By: officer, Withdrawals: []uint64{71}, State: "paid", Amount: 1_000}}},
		{"the other returned", Record{at(25), &Returned{Command: command(60), By: officer, Withdrawal: 72, Player: player, Amount: 500, Previous: 72}}},
		{"money of the provider of cards", Record{at(26), &Collected{Command: command(61), By: officer, Provider: "test", Amount: 2_000}}},
		{"a game suspended by an officer", Record{at(27), &Suspend{Command: command(62), By: officer, Game: "ile-au-tresor-instant", Cause: "officer", FR: "Panne de réseau.", EN: "Network fault."}}},
		{"launched again", Record{at(28), &Launch{Command: command(63), By: officer, Game: "ile-au-tresor-instant"}}},
		{"stopped by the guard", Record{at(29), &Suspend{Game: "ile-au-tresor-instant", Cause: "guard"}}},
		{"a proposal to resume it", Record{at(30), &Proposal{Command: command(64), By: officer, Act: "resume-game", Game: "ile-au-tresor-instant", Reason: "contrôlé"}}},
		{"its approval", Record{at(31), &Decision{Command: command(65), By: another, Proposal: 80, Approved: true}}},
		{"launched by two officers", Record{at(31), &Launch{By: another, Game: "ile-au-tresor-instant", Decision: 81}}},
		{"the pool withdrawn: its prizes were more than its stakes", Record{at(32), &ClosePool{
			Pool: 1, Cause: "withdrawn", Sold: 2, Secrets: [2][32]byte{fill(1), fill(3)}, Balance: -100,
			Left: []LeftLine{{Prize: 2_000_000, Units: 1}, {Prize: 500, Units: 99}, {Prize: 0, Units: 999_898}},
		}}},
		{"another player", Record{at(33), &Player{Command: command(66), ID: second, Terms: "1"}}},
		{"a demo deposit", Record{at(34), &Deposit{Command: command(67), Player: second, Means: "demo", Reference: fill(11), Amount: 1_000, Previous: 84}}},
		{"a pause", Record{at(35), &PlayerChange{Command: command(68), Player: second, What: "pause", Until: at(35) + day, Previous: 85}}},
		{"an exclusion", Record{at(36), &PlayerChange{Command: command(69), Player: second, What: "exclude", Until: at(36) + 30*day, Previous: 86}}},
		{"an account closed", Record{at(37), &PlayerChange{Command: command(70), Player: second, What: "close", Previous: 87}}},
	}
}

// closedSamples are of a pool that two officers close.
func closedSamples() []sample {
	const day = int64(86_400_000_000)
	at := func(seconds int64) int64 { return 20_620*day + 43_000_000_000 + seconds*1_000_000 }
	fill := func(n byte) [32]byte { return [32]byte(bytes.Repeat([]byte{n}, 32)) }
	command := func(n byte) Command { return Command(bytes.Repeat([]byte{n}, 16)) }
	officer, another := Party(bytes.Repeat([]byte{0xf0}, 8)), Party(bytes.Repeat([]byte{0xf1}, 8))
	secret := func(n byte) [32]byte {
		s := fill(n)
		return sha256.Sum256(append([]byte("tirage pool secret\x00"), s[:]...))
	}
	return []sample{
		{"another pool committed", Record{at(0), &Pool{
			ID: 2, Game: "ile-au-tresor-instant", Price: 200, Number: 2, Book: fill(8), Hashes: [2][32]byte{secret(4), secret(5)},
			Round: 2, Beacon: fill(9), Units: 1_000_000, Root: fill(10),
		}}},
		{"a proposal to close it", Record{at(1), &Proposal{Command: command(93), By: officer, Act: "close-pool", Pool: 2, Reason: "base restaurée"}}},
		{"its approval", Record{at(2), &Decision{Command: command(94), By: another, Proposal: 123, Approved: true}}},
		{"the pool closed by two officers", Record{at(2), &ClosePool{
			Pool: 2, Cause: "officers", Secrets: [2][32]byte{fill(4), fill(5)}, Decision: 124,
			Left: []LeftLine{{Prize: 2_000_000, Units: 1}, {Prize: 500, Units: 100}, {Prize: 0, Units: 999_899}},
		}}},
	}
}

const vectorHead = `# Vectors of the journal's format (docs/journal.md).
# Each record: its kind, what it is, its bytes, the hash of its leaf (RFC 6962).
# Then the tree over all of them, in this order: size, root, and the key of a
# log whose Ed25519 seed is the bytes 00 to 1f. journal.tlog-proof proves the
# record at its index.
`

// The samples could be a journal: the records that tell of a player, and those
// that name another, name it by its index.
func TestSamplesChain(t *testing.T) {
	t.Parallel()
	last := map[Party]uint64{}
	kindAt := map[uint64]Kind{}
	for i, s := range samples() {
		index := uint64(i)
		kindAt[index] = s.record.Body.Kind()
		follows := func(player Party, previous uint64) {
			if at, ok := last[player]; !ok || at != previous {
				t.Errorf("record %d (%s) follows %d, want %d", i, s.what, previous, at)
			}
			last[player] = index
		}
		switch b := s.record.Body.(type) {
		case *Player:
			last[b.ID] = index
		case *PlayerChange:
			follows(b.Player, b.Previous)
		case *Unit:
			follows(b.Player, b.Previous)
		case *Deposit:
			follows(b.Player, b.Previous)
			if b.Voucher != 0 && kindAt[b.Voucher] != KindVoucher {
				t.Errorf("record %d (%s) names %d, a %s", i, s.what, b.Voucher, kindAt[b.Voucher])
			}
		case *Withdrawal:
			follows(b.Player, b.Previous)
		case *Returned:
			follows(b.Player, b.Previous)
			if kindAt[b.Withdrawal] != KindWithdrawal {
				t.Errorf("record %d (%s) names %d, a %s", i, s.what, b.Withdrawal, kindAt[b.Withdrawal])
			}
		case *Transfer:
			for _, w := range b.Withdrawals {
				if kindAt[w] != KindWithdrawal {
					t.Errorf("record %d (%s) names %d, a %s", i, s.what, w, kindAt[w])
				}
			}
		case *Stop:
			if b.Decision != 0 && kindAt[b.Decision] != KindDecision {
				t.Errorf("record %d (%s) names %d, a %s", i, s.what, b.Decision, kindAt[b.Decision])
			}
		case *Payment:
			if b.Decision != 0 && kindAt[b.Decision] != KindDecision {
				t.Errorf("record %d (%s) names %d, a %s", i, s.what, b.Decision, kindAt[b.Decision])
			}
		case *Decision:
			if kindAt[b.Proposal] != KindProposal {
				t.Errorf("record %d (%s) decides %d, a %s", i, s.what, b.Proposal, kindAt[b.Proposal])
			}
		case *Debit:
			for _, l := range b.Lines {
				if kindAt[l.Statement] != KindStatement {
					t.Errorf("record %d (%s) names %d, a %s", i, s.what, l.Statement, kindAt[l.Statement])
				}
			}
		case *ClosePool:
			if b.Decision != 0 && kindAt[b.Decision] != KindDecision {
				t.Errorf("record %d (%s) names %d, a %s", i, s.what, b.Decision, kindAt[b.Decision])
			}
		case *Launch:
			if b.Decision != 0 && kindAt[b.Decision] != KindDecision {
				t.Errorf("record %d (%s) names %d, a %s", i, s.what, b.Decision, kindAt[b.Decision])
			}
		}
	}
}

const proved = 10 // index of the record that the vectors prove

func TestVectors(t *testing.T) {
	t.Parallel()
	signer, _, vkey := testKey(t)
	var text bytes.Buffer
	text.WriteString(vectorHead)
	var tree Frontier
	var leaves []Hash
	seen := map[Kind]bool{}
	for _, s := range samples() {
		b, err := Encode(s.record)
		if err != nil {
			t.Fatalf("%s: %v", s.what, err)
		}
		leaf := LeafHash(b)
		fmt.Fprintf(&text, "\nkind  %s\nwhat  %s\nbytes %x\nleaf  %x\n", s.record.Body.Kind(), s.what, b, leaf)
		tree.Append(leaf)
		leaves = append(leaves, leaf)
		seen[s.record.Body.Kind()] = true
	}
	for _, k := range kinds() {
		if !seen[k] {
			t.Errorf("no vector of %s", k)
		}
	}
	fmt.Fprintf(&text, "\nsize  %d\nroot  %x\nvkey  %s\n", tree.Size, tree.Root(), vkey)
	golden(t, vectorFile, text.Bytes())

	checkpoint, err := Checkpoint{Origin: testOrigin, Size: tree.Size, Root: tree.Root()}.Sign(signer)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := ProveInclusion(proved, tree.Size, func(_ int, _ uint64, width int) ([]Hash, error) { return leaves[:width], nil })
	if err != nil {
		t.Fatal(err)
	}
	golden(t, proofFile, FormatProof(proved, proof, checkpoint))
}

// golden compares with a file, or writes it.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; what is made now:\n%s", file, got)
	}
}

// The published vectors are read as another program would: with what the files say only.
func TestVectorsAsPublished(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(vectorFile)
	if err != nil {
		t.Fatal(err)
	}
	var kind, vkey string
	var record []byte
	var leaves []Hash
	var tree Frontier
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		value = strings.TrimSpace(value)
		switch key {
		case "kind":
			kind = value
		case "bytes":
			record = unhex(t, value)
			if r, err := Decode(record); err != nil || r.Body.Kind().String() != kind {
				t.Errorf("%s: %v", kind, err)
			}
		case "leaf":
			leaf := LeafHash(record)
			if hex.EncodeToString(leaf[:]) != value {
				t.Errorf("%s: leaf %x, want %s", kind, leaf, value)
			}
			tree.Append(leaf)
			leaves = append(leaves, leaf)
		case "root":
			if root := tree.Root(); hex.EncodeToString(root[:]) != value {
				t.Errorf("root %x, want %s", root, value)
			}
		case "vkey":
			vkey = value
		}
	}
	proofText, err := os.ReadFile(proofFile)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		t.Fatal(err)
	}
	index, proof, signed, err := ParseProof(proofText)
	if err != nil {
		t.Fatal(err)
	}
	c, err := OpenCheckpoint(signed, verifier)
	if err != nil {
		t.Fatal(err)
	}
	if err := VerifyInclusion(index, c.Size, leaves[index], proof, c.Root); err != nil {
		t.Error(err)
	}
}
