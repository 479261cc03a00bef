// Package tirage is a tour of the code, bottom up. It has no code of its own:
// the programs are in cmd, and repo_test.go holds the rules of the repository.
//
// Tirage is the central system of a lottery. It sells wagers, draws, settles,
// pays and keeps the books, and writes each fact to a journal from which
// others can recompute it. A package imports only those of rows below it.
//
// # What everything counts with
//
//   - money: euros as whole cents, with checked arithmetic and a division
//     that gives its rest back.
//   - rng: from a seed to named streams, unbiased integers, choices and
//     shuffles. Nothing else turns randomness into numbers.
//   - art: the drawings, for pages and paper.
//
// # The nouns of a lottery
//
//   - game: a rule book (YAML) is a game. Combinations are integers, odds are
//     exact, and a book whose printed odds, sums or return do not agree with
//     its matrices is refused with the line. The books are in game/rules.
//   - party: who acts: outlets, terminals, officers, players; an outlet's
//     credit, a player's limits and exclusions, the rules of accounts, and the
//     terms of outlets.
//   - ledger: double entry. Each operation is one entry that sums to zero.
//   - journal: the records, their bytes, and the Merkle tree, tiles, signed
//     checkpoints and proofs over them.
//   - draw: the calendar, the sessions and the states of a draw, and its
//     result, multiplier and extra draw as functions of a seed.
//   - instant: the instant game: prize tables, pools built from secrets that
//     nobody can change and recounted by other code, units and their proofs,
//     and boards, which follow from a prize and are read back to it.
//   - wager: slips and boards, what a wager costs, quick picks, the cap on
//     equal combinations, tickets and their codes.
//   - settle: from a result, the wagers and the jackpot to prizes, and from
//     settlements to what a ticket wins, from when, until when.
//
// All of these are pure: they take values and return values. Time and
// randomness are arguments, and there is no SQL, HTTP, file or goroutine.
//
// # The system
//
//   - paper: what is printed and read back: slips laid out for any rule book,
//     printed, and read from a photo; tickets. As pure as the rows below.
//   - store: all SQL, for SQLite and PostgreSQL. A turn is one transaction
//     that carries many commands; facts are inserted and never changed.
//   - central: the central system, one method an operation. It decides
//     commands one after another, appends their records to the journal, and
//     answers when they are durable. Its scheduler opens, closes, draws,
//     settles, certifies, gives back and expires; it builds, commits, opens
//     and closes pools. What moves draws or claims, one officer proposes and
//     another approves.
//   - training: where terminals practise: a second system of the process, with a
//     database, keys and a clock of its own.
//
// # The faces
//
//   - web/page: what pages share: rendering, the table from refusals to
//     answers, languages, sessions, static files.
//   - web/portal: what players see: results and draws with their proof, odds,
//     a ticket checked, a slip prepared, an account, the instant game.
//   - web/terminal: where an outlet sells, checks, pays and cancels.
//   - web/screen: what the audience sees: the countdown, the result, the last
//     draws.
//   - web/office: where officers publish rule books, open outlets, book what
//     they pay, commit secrets for pools, check who players are, pay out, and
//     decide on draws, two by two.
//   - web/log: the journal under /log/, as C2SP says.
//   - web: the server: the routes of all faces.
//   - cmd/tirage: the program.
//   - verify, cmd/tirage-verify: aside: checks a unit against the log, and
//     derives a closed pool again, with nothing of the engine but rule books
//     and the journal's format.
//
// # For tests
//
//   - internal/dbtest: runs a test on each database.
//   - internal/script: scenarios that a lottery officer can read, in testdata.
//   - internal/sim: simulated sellers, for tests, the demo and the bench.
//
// # The way of a wager
//
// A face decodes a slip and calls central.System.Place. The batcher takes all
// that waited; where one node writes, it decides the next turn while the last
// one commits. For each command, wager.New
// checks and prices the slip against the rule book; then the turn asks: are
// these draws open, is there room under the cap, has the outlet credit? The
// ticket, its parts, its postings and its record are written together, and
// when the commit is durable the face is answered. Nothing else stands between
// the request and the tables.
//
// A unit of the instant game goes the same way, from central.System.Play: is
// the game launched, may this player play, what is the next unit of the pool?
// Stake and prize are booked and the unit is opened in one record.
//
// Start with game.Rules, wager.Slip, instant.Build and central.System.
package tirage
