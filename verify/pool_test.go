package verify_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tirage/instant"
	"tirage/journal"
	"tirage/money"
	"tirage/rng"
	"tirage/verify"
)

// closedPool is a lottery that sold some of a pool and closed it; what its log says may be changed before it is signed.
type closedPool struct {
	lottery *lottery
	secrets [2]*journal.Secrets
	pool    *journal.Pool
	units   []*journal.Unit
	closing *journal.ClosePool
	shown   *journal.Pool // another pool, committed before the secrets
	late    journal.Body  // after the close
	book    *journal.Book
	propose *journal.Proposal
	decide  *journal.Decision
	built   *instant.Pool
	table   *instant.PrizeTable
	files   [][]byte // of players
	text    func(text map[string]any)
}

// The records of the log: keys from 0, then these, with others between.
const (
	poolBook = 5 + iota
	poolShown
	poolFirst
	poolSecond
	poolCommit
	poolSale
	poolSold = 12 // units
)

// closed is an honest one. The price is of the second table, so that the first is not taken for it.
func closed(t testing.TB) *closedPool {
	t.Helper()
	l := honest(t)
	rules, err := instant.Parse("cove.yaml", island(t))
	if err != nil {
		t.Fatal(err)
	}
	c := &closedPool{lottery: l, table: &rules.Tables[1], text: func(map[string]any) {}}
	value, err := l.beacon.Value(3)
	if err != nil {
		t.Fatal(err)
	}
	secrets := [2]instant.Secret{{11}, {12}}
	hashes := [2][32]byte{secrets[0].Hash(), secrets[1].Hash()}
	price := c.table.Price
	c.built = instant.Build(c.table, rules.Units, instant.PoolSeed(secrets, value, "cove", price, 2))
	c.book = &l.book
	c.shown = &journal.Pool{ID: 1, Game: "cove", Price: price, Number: 1, Round: 2, Units: 40}
	// The first officer commits for pools 1 and 2, the second for pools 2 and 3: pool 2 is the one that his first completes.
	c.secrets = [2]*journal.Secrets{
		{By: journal.Party{1}, Game: "cove", Price: price, First: 1, Hashes: [][32]byte{{1}, hashes[0]}},
		{By: journal.Party{2}, Game: "cove", Price: price, First: 2, Hashes: [][32]byte{hashes[1], {3}}, Round: 3},
	}
	c.pool = &journal.Pool{
		ID: 9, Game: "cove", Price: price, Number: 2, Book: rules.Hash, Hashes: hashes, Round: 3, Beacon: value, Units: uint64(rules.Units), Root: c.built.Root(),
	}
	left := map[money.Amount]uint64{}
	balance := price.Times(poolSold)
	for n := range rules.Units {
		leaf := c.built.Leaf(n)
		if n >= poolSold {
			left[leaf.Prize]++
			continue
		}
		balance = balance.Sub(leaf.Prize)
		c.units = append(c.units, &journal.Unit{Player: journal.Party{7}, Pool: 9, N: leaf.N, Price: price, Prize: leaf.Prize, Seed: leaf.Seed, Salt: leaf.Salt, Previous: 1})
	}
	c.closing = &journal.ClosePool{Pool: 9, Cause: "officers", Sold: poolSold, Secrets: [2][32]byte{secrets[0], secrets[1]}, Balance: int64(balance), Decision: closeAt - 1}
	for _, p := range c.table.Prizes {
		c.closing.Left = append(c.closing.Left, journal.LeftLine{Prize: p.Amount, Units: left[p.Amount]})
	}
	c.closing.Left = append(c.closing.Left, journal.LeftLine{Units: left[0]})
	c.propose = &journal.Proposal{By: journal.Party{1}, Act: "close-pool", Pool: 9, Reason: "restored"}
	c.decide = &journal.Decision{By: journal.Party{2}, Proposal: closeAt - 2, Approved: true}
	return c
}

const (
	unitsAt = 250 // the first unit sold: units are in two bundles
	closeAt = 300
	logSize = 520
)

func (c *closedPool) records(t testing.TB) [][]byte {
	t.Helper()
	at := map[int]journal.Body{
		0: &journal.Key{Use: "log", ID: make([]byte, 8), Public: c.lottery.logKey.Public().(ed25519.PublicKey)},
		1: &journal.Key{Use: "answers", ID: make([]byte, 8), Public: c.lottery.answers.Public().(ed25519.PublicKey)},
		2: &journal.Key{Use: "beacon", ID: make([]byte, 8), Public: c.lottery.beaconEnd[:]},

		poolBook: c.book, poolShown: c.shown, poolFirst: c.secrets[0], poolSecond: c.secrets[1], poolCommit: c.pool, poolSale: &journal.OpenPool{Pool: 9},
		closeAt - 2: c.propose, closeAt - 1: c.decide, closeAt: c.closing,
	}
	for i, u := range c.units {
		at[unitsAt+i] = u
	}
	if c.late != nil {
		at[closeAt+5] = c.late
	}
	list := make([][]byte, logSize)
	for i := range list {
		body := at[i]
		if body == nil {
			body = &journal.OpenPool{Pool: uint64(1000 + i)}
		}
		b, err := journal.Encode(journal.Record{At: c.lottery.at, Body: body})
		if err != nil {
			t.Fatal(err)
		}
		list[i] = b
	}
	return list
}

// file is what the player of a unit downloads.
func (c *closedPool) file(t testing.TB, n int) []byte {
	t.Helper()
	leaf, root := c.built.Leaf(n), c.built.Root()
	told := map[string]any{
		"v": 1, "log": origin, "record": unitsAt + n, "at": c.lottery.at, "game": "cove", "pool": 9, "number": 2, "units": 40, "unit": n,
		"price": c.table.Price, "prize": leaf.Prize, "seed": hex.EncodeToString(leaf.Seed[:]), "salt": hex.EncodeToString(leaf.Salt[:]),
		"root": hex.EncodeToString(root[:]), "board": boardOf(instant.NewBoard(c.table, leaf.Prize, leaf.Seed)),
	}
	c.text(told)
	text, err := json.Marshal(told)
	if err != nil {
		t.Fatal(err)
	}
	file, err := json.Marshal(map[string]any{"text": string(text), "signature": c.lottery.signature(text)})
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// check serves the log and checks the pool.
func (c *closedPool) check(t testing.TB, change func(*verify.PoolOptions)) *verify.Report {
	t.Helper()
	records := c.records(t)
	var frontier journal.Frontier
	var hashes []journal.Hash
	for _, b := range records {
		hashes = append(hashes, journal.LeafHash(b))
		frontier.Append(journal.LeafHash(b))
	}
	signer, err := journal.NewSigner(origin, c.lottery.logKey)
	if err != nil {
		t.Fatal(err)
	}
	checkpoint, err := (journal.Checkpoint{Origin: origin, Size: logSize, Root: frontier.Root()}).Sign(signer)
	if err != nil {
		t.Fatal(err)
	}
	key, err := journal.VerifierKey(origin, c.lottery.logKey.Public().(ed25519.PublicKey))
	if err != nil {
		t.Fatal(err)
	}
	fetch := func(_ context.Context, path string) ([]byte, error) {
		if path == "checkpoint" {
			return c.lottery.serve(path, checkpoint)
		}
		var b []byte
		if n, width, err := journal.ParseEntriesPath(path); err == nil {
			for _, r := range records[n*256:][:width] {
				b = journal.AppendBundle(b, r)
			}
			return c.lottery.serve(path, b)
		}
		level, n, width, err := journal.ParseTilePath(path)
		if err != nil {
			return nil, fmt.Errorf("%w: %s", verify.ErrAbsent, path)
		}
		for i := range width {
			var h journal.Hash
			if level == 0 {
				h = hashes[int(n)*256+i]
			} else {
				var full journal.Frontier
				for _, leaf := range hashes[i*256:][:256] {
					full.Append(leaf)
				}
				h = full.Root()
			}
			b = append(b, h[:]...)
		}
		return c.lottery.serve(path, b)
	}
	o := verify.PoolOptions{Fetch: fetch, Key: key, Game: "cove", Price: c.table.Price, Number: 2, Files: c.files}
	change(&o)
	return verify.Pool(t.Context(), o)
}

func asGiven(*verify.PoolOptions) {}

// TestPool: a closed pool of an honest lottery is derived again, by the log's
// key or by its own word, with the files of its players; and it is told how far it is.
func TestPool(t *testing.T) {
	t.Parallel()
	c := closed(t)
	for n := range poolSold {
		c.files = append(c.files, c.file(t, n))
	}
	stages := map[verify.Stage]uint64{}
	r := c.check(t, func(o *verify.PoolOptions) {
		o.Tell = func(s verify.Stage, done, total uint64) {
			if done > total {
				t.Errorf("stage %d: %d of %d", s, done, total)
			}
			stages[s] = max(stages[s], total)
		}
	})
	if r.State() != verify.OK || len(r.Steps) != len(verify.PoolSteps) {
		t.Fatalf("%+v", r.Steps)
	}
	for i, s := range r.Steps {
		if s.Name != verify.PoolSteps[i] {
			t.Errorf("step %d is %s", i, s.Name)
		}
	}
	if stages[verify.StageRead] != logSize || stages[verify.StageDerive] != 40 || stages[verify.StageBoards] != poolSold {
		t.Errorf("told %v", stages)
	}
	p := r.Pool
	if p.ID != 9 || p.Record != poolCommit || p.Closing != closeAt || p.Cause != "officers" || p.Sold != poolSold || p.Units != 40 || p.Read != logSize || p.Size != logSize || p.Root != c.pool.Root {
		t.Errorf("%+v", p)
	}
	var units, sold uint64
	for i, line := range p.Prizes {
		if line.Units-line.Sold != c.closing.Left[i].Units || line.Prize != c.closing.Left[i].Prize {
			t.Errorf("%+v, listed %+v", line, c.closing.Left[i])
		}
		units, sold = units+line.Units, sold+line.Sold
	}
	if units != 40 || sold != poolSold {
		t.Errorf("%d units, %d sold", units, sold)
	}
	r = closed(t).check(t, func(o *verify.PoolOptions) { o.Key = "" })
	if r.State() != verify.OK || r.KeyGiven || !strings.HasPrefix(r.Key, origin+"+") || len(r.Steps) != len(verify.PoolSteps)-1 {
		t.Errorf("by the log's own key %q: %+v", r.Key, r.Steps)
	}
}

// TestF14_PoolRefuted: each lie about a pool is found, and the step named that finds it.
func TestF14_PoolRefuted(t *testing.T) {
	t.Parallel()
	other := *closed(t).units[3] // of the same pool, elsewhere
	for name, lie := range map[string]struct {
		tell func(*closedPool)
		want string // steps refuted
	}{
		"the root committed":                {func(c *closedPool) { c.pool.Root[0] ^= 1 }, "root"},
		"a published secret":                {func(c *closedPool) { c.closing.Secrets[1][0] ^= 1 }, "secrets"},
		"secrets published in another turn": {func(c *closedPool) { s := &c.closing.Secrets; s[0], s[1] = s[1], s[0] }, "secrets"},
		"a commitment":                      {func(c *closedPool) { c.pool.Hashes[0][0] ^= 1 }, "secrets"},
		"both secrets of one officer":       {func(c *closedPool) { c.secrets[1].By = c.secrets[0].By }, "secrets"},
		"a third secret": {func(c *closedPool) {
			c.late = &journal.Secrets{By: journal.Party{3}, Game: "cove", Price: c.table.Price, First: 2, Hashes: [][32]byte{{4}}}
		}, "secrets"},
		"another round": {func(c *closedPool) { c.secrets[1].Round = 4 }, "secrets"},
		"the value was known when the second secret came": {func(c *closedPool) { c.shown.Round = 3 }, "secrets"},
		"the value of the beacon":                         {func(c *closedPool) { c.pool.Beacon[0] ^= 1 }, "beacon root"},
		"the end of the beacon":                           {func(c *closedPool) { c.lottery.beaconEnd[0] ^= 1 }, "beacon"},
		"the rule book":                                   {func(c *closedPool) { c.book.Book = append(slices.Clone(c.book.Book), '\n') }, "table"},
		"the units of the pool":                           {func(c *closedPool) { c.pool.Units = 39 }, "table"},
		"another rule book":                               {func(c *closedPool) { c.pool.Book[0] ^= 1 }, "table"},
		"the prize of a unit":                             {func(c *closedPool) { c.units[4].Prize += 100 }, "sold"},
		"the seed of a unit":                              {func(c *closedPool) { c.units[4].Seed[0] ^= 1 }, "sold"},
		"the salt of a unit":                              {func(c *closedPool) { c.units[4].Salt[0] ^= 1 }, "sold"},
		"the price of a unit":                             {func(c *closedPool) { c.units[4].Price = 100 }, "sold"},
		"a unit left out":                                 {func(c *closedPool) { c.units = slices.Delete(c.units, 4, 5) }, "sold"},
		"the last unit left out":                          {func(c *closedPool) { c.units = c.units[:poolSold-1] }, "sold"},
		"a unit twice":                                    {func(c *closedPool) { c.units[4] = c.units[3] }, "sold"},
		"units in another order":                          {func(c *closedPool) { u := c.units; u[3], u[4] = u[4], u[3] }, "sold"},
		"a count of the manifest":                         {func(c *closedPool) { c.closing.Left[1].Units++ }, "left"},
		"a prize of the manifest":                         {func(c *closedPool) { c.closing.Left[0].Prize++ }, "left"},
		"a line of the manifest":                          {func(c *closedPool) { c.closing.Left = c.closing.Left[1:] }, "left"},
		"the balance":                                     {func(c *closedPool) { c.closing.Balance++ }, "left"},
		"a unit sold after the close":                     {func(c *closedPool) { c.late = &other }, "closed"},
		"closed twice":                                    {func(c *closedPool) { c.late = c.closing }, "closed"},
		"committed twice":                                 {func(c *closedPool) { c.late = c.pool }, "committed"},
		"closed by one officer":                           {func(c *closedPool) { c.decide.By = c.propose.By }, "closed"},
		"closed by nobody":                                {func(c *closedPool) { c.closing.Decision = 3 }, "closed"},
		"closed by a decision to reject":                  {func(c *closedPool) { c.decide.Approved = false }, "closed"},
		"closed by a decision on another pool":            {func(c *closedPool) { c.propose.Pool = 8 }, "closed"},
		"a record as served": {func(c *closedPool) {
			c.lottery.serve = func(path string, b []byte) ([]byte, error) {
				if strings.HasPrefix(path, "tile/entries/001") {
					b = bytes.Clone(b)
					b[len(b)-3] ^= 1
				}
				return b, nil
			}
		}, "committed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := closed(t)
			lie.tell(c)
			r := c.check(t, asGiven)
			if got := strings.Join(wrong(r, verify.Refuted), " "); got != lie.want || r.State() != verify.Refuted {
				t.Errorf("refuted %q, want %q: %+v", got, lie.want, r.Steps)
			}
		})
	}
}

// TestF13_PoolShown: what a player was shown that does not follow from the pool is found.
func TestF13_PoolShown(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*closedPool, map[string]any){
		"the prize":  func(_ *closedPool, told map[string]any) { told["prize"] = 2000 },
		"the place":  func(_ *closedPool, told map[string]any) { told["unit"] = 6 },
		"not sold":   func(_ *closedPool, told map[string]any) { told["unit"] = poolSold },
		"the record": func(_ *closedPool, told map[string]any) { told["record"] = unitsAt },
		"the pool":   func(_ *closedPool, told map[string]any) { told["number"] = 3 },
		"the log":    func(_ *closedPool, told map[string]any) { told["log"] = "other.example/log" },
		"the board": func(c *closedPool, told map[string]any) {
			told["board"] = boardOf(instant.NewBoard(c.table, c.built.Leaf(5).Prize, rng.Seed{5}))
		},
		"no board":      func(_ *closedPool, told map[string]any) { delete(told, "board") },
		"the signature": func(c *closedPool, _ map[string]any) { c.lottery.signature = func([]byte) []byte { return nil } },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := closed(t)
			c.files = append(c.files, c.file(t, 2))
			c.text = func(told map[string]any) { change(c, told) }
			c.files = append(c.files, c.file(t, 5))
			r := c.check(t, asGiven)
			if got := wrong(r, verify.Refuted); !slices.Equal(got, []string{"shown"}) || !strings.HasPrefix(r.Steps[len(r.Steps)-1].Why, "file 2: ") {
				t.Errorf("refuted %q: %+v", got, r.Steps)
			}
		})
	}
}

// TestPool_NotChecked: what is not public yet, or not there, is not held to be right; and of a bundle that is
// public in part, that part is read.
func TestPool_NotChecked(t *testing.T) {
	t.Parallel()
	after := "closed beacon secrets table root sold left boards"
	for name, c := range map[string]struct {
		change func(*closedPool, *verify.PoolOptions)
		want   string // steps not checked
	}{
		"no log":          {func(_ *closedPool, o *verify.PoolOptions) { o.Fetch = nil }, "checkpoint committed " + after},
		"no such pool":    {func(_ *closedPool, o *verify.PoolOptions) { o.Number = 7 }, "committed " + after},
		"another price":   {func(_ *closedPool, o *verify.PoolOptions) { o.Price = 100 }, "committed " + after},
		"another game":    {func(_ *closedPool, o *verify.PoolOptions) { o.Game = "grotto" }, "committed " + after},
		"the first pool":  {func(_ *closedPool, o *verify.PoolOptions) { o.Number = 1 }, "closed secrets root sold left boards"},
		"nothing public":  {func(c *closedPool, _ *verify.PoolOptions) { c.lottery.serve = publicTo(0) }, "committed " + after},
		"not the pool":    {func(c *closedPool, _ *verify.PoolOptions) { c.lottery.serve = publicTo(poolCommit) }, "committed " + after},
		"not the close":   {func(c *closedPool, _ *verify.PoolOptions) { c.lottery.serve = publicTo(closeAt) }, "closed secrets root sold left boards"},
		"up to the close": {func(c *closedPool, _ *verify.PoolOptions) { c.lottery.serve = publicTo(closeAt + 1) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool := closed(t)
			if name == "the first pool" {
				pool.shown.Book, pool.shown.Beacon = pool.pool.Book, roundTwo(t, pool.lottery)
			}
			r := pool.check(t, func(o *verify.PoolOptions) { c.change(pool, o) })
			if got := strings.Join(wrong(r, verify.NotChecked), " "); got != c.want || len(wrong(r, verify.Refuted)) > 0 {
				t.Errorf("not checked %q, want %q: %+v", got, c.want, r.Steps)
			}
			if name == "up to the close" && r.Pool.Read != closeAt+1 {
				t.Errorf("%d records read", r.Pool.Read)
			}
		})
	}
}

func roundTwo(t *testing.T, l *lottery) [32]byte {
	t.Helper()
	value, err := l.beacon.Value(2)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// publicTo serves no record from one on.
func publicTo(record int) func(string, []byte) ([]byte, error) {
	return func(path string, b []byte) ([]byte, error) {
		if n, width, err := journal.ParseEntriesPath(path); err == nil && int(n)*256+width > record {
			return nil, verify.ErrAbsent
		}
		return b, nil
	}
}
