package verify

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"tirage/journal"
	"tirage/money"
	"tirage/rng"
)

// The steps of [Unit], in order.
const (
	StepFile       = "file"       // the file is one, and its text has the form of docs/instant.md
	StepProof      = "proof"      // the opening leads to the root
	StepCheckpoint = "checkpoint" // the log's, signed by its key
	StepSignature  = "signature"  // of the text, by the key that the log names
	StepPool       = "pool"       // the log committed to the root before
	StepUnit       = "unit"       // the log's record of the unit says the same
	StepBeacon     = "beacon"     // the value of the pool's round leads to the end that the log committed to
	StepBoard      = "board"      // reads to the prize, by the rule book in the log
	StepDerived    = "derived"    // the board is the one that prize and board seed make
)

// UnitSteps lists the steps of [Unit], in order.
var UnitSteps = []string{StepFile, StepProof, StepCheckpoint, StepSignature, StepPool, StepUnit, StepBeacon, StepBoard, StepDerived}

// UnitFile is what a player downloads of a unit: its text, the signature of that, and
// where in the log its pool and rule book are (0: to be looked for). None of it is believed.
type UnitFile struct {
	Text      string `json:"text"`
	Signature []byte `json:"signature"`
	Pool      uint64 `json:"pool_record,omitempty"`
	Book      uint64 `json:"book_record,omitempty"`
	// LogAddress is where the log was when the file was made. The log's key is never taken from it unsaid: see [Report.KeyGiven].
	LogAddress string `json:"log_address,omitempty"`
}

// Told is the text of a unit.
type Told struct {
	V      int          `json:"v"`
	Log    string       `json:"log"`
	Record uint64       `json:"record"`
	At     int64        `json:"at"` // µs UTC
	Game   string       `json:"game"`
	Pool   uint64       `json:"pool"`
	Number uint64       `json:"number"`
	Units  uint64       `json:"units"`
	Unit   uint64       `json:"unit"`
	Price  money.Amount `json:"price"`
	Prize  money.Amount `json:"prize"`
	Seed   hash         `json:"seed"`
	Salt   salt         `json:"salt"`
	Root   hash         `json:"root"`
	Proof  []hash       `json:"proof,omitzero"`
	Board  *board       `json:"board,omitempty"`
}

type (
	hash [32]byte
	salt [16]byte
)

// UnmarshalText reads hexadecimal.
func (h *hash) UnmarshalText(text []byte) error { return unhex(h[:], text) }

// MarshalText writes lower-case hexadecimal.
func (h hash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

// UnmarshalText reads hexadecimal.
func (s *salt) UnmarshalText(text []byte) error { return unhex(s[:], text) }

// MarshalText writes lower-case hexadecimal.
func (s salt) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, s[:]), nil }

func unhex(to, text []byte) error {
	if len(text) != hex.EncodedLen(len(to)) {
		return fmt.Errorf("%d characters, expected %d", len(text), hex.EncodedLen(len(to)))
	}
	_, err := hex.Decode(to, text)
	return err
}

// leaf is the opening of the unit: place, prize, board seed, salt.
func (t Told) leaf() []byte {
	b := binary.BigEndian.AppendUint64(nil, t.Unit)
	b = binary.BigEndian.AppendUint64(b, uint64(t.Prize))
	return append(append(b, t.Seed[:]...), t.Salt[:]...)
}

// UnitOptions say against what a unit is checked.
type UnitOptions struct {
	Fetch Fetch  // nil: without the log
	Key   string // of the log, in the form of signed notes; empty: what the log says of itself
}

// Unit checks a unit of an instant game (docs/instant.md), given the file that
// its player downloads. It makes every step that it can.
func Unit(ctx context.Context, file []byte, o UnitOptions) *Report {
	c := &unitCheck{ctx: ctx, options: o, report: &Report{Key: o.Key, KeyGiven: o.Key != ""}}
	c.run(file)
	return c.report
}

// unitCheck is a check of a unit in progress.
type unitCheck struct {
	ctx     context.Context
	options UnitOptions
	report  *Report
	file    UnitFile
	told    Told
	log     logReader
	keys    keys
	keysErr error
	pool    *journal.Pool
	at      uint64    // record of the pool
	book    *ruleBook // that the pool names; nil: it could not be read
}

func (c *unitCheck) run(file []byte) {
	r := c.report
	if !r.step(StepFile, func() error { return c.read(file) }) {
		for _, name := range UnitSteps[1:] {
			r.step(name, func() error { return needs(StepFile) })
		}
		return
	}
	r.Unit = &c.told
	r.step(StepProof, c.proof)
	logged := r.step(StepCheckpoint, c.checkpoint)
	if logged {
		c.keys, c.keysErr = c.log.keys()
	}
	in := func(name string, check func() error) bool {
		return r.step(name, func() error {
			if !logged {
				return needs(StepCheckpoint)
			}
			return check()
		})
	}
	in(StepSignature, c.signature)
	committed := in(StepPool, c.committed)
	in(StepUnit, c.recorded)
	for _, s := range []struct {
		name  string
		check func() error
	}{{StepBeacon, c.beacon}, {StepBoard, c.board}, {StepDerived, c.derived}} {
		in(s.name, func() error {
			if !committed {
				return needs(StepPool)
			}
			return s.check()
		})
	}
}

// read reads the file and its text, strictly.
func (c *unitCheck) read(file []byte) error {
	if err := strict(file, &c.file); err != nil {
		return err
	}
	if err := strict([]byte(c.file.Text), &c.told); err != nil {
		return fmt.Errorf("text: %w", err)
	}
	if err := readAlike([]byte(c.file.Text), c.told); err != nil {
		return fmt.Errorf("text: %w", err)
	}
	switch t := c.told; {
	case t.V != 1:
		return differ("version of the text", t.V, 1)
	case t.Price <= 0 || t.Prize < 0 || t.Unit >= t.Units:
		return fmt.Errorf("unit %d of %d at %s wins %s: not possible", t.Unit, t.Units, t.Price, t.Prize)
	}
	return nil
}

// strict reads one JSON value with the known fields and no other.
func strict(b []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("something stands after it")
	}
	return nil
}

// readAlike tells whether every reader of JSON reads of a text what was read of
// it here. Go takes "PRIZE" for "prize", and of [1,2,3] the two that it looks for; browsers do not.
func readAlike(text []byte, told Told) error {
	again, err := json.Marshal(told)
	if err != nil {
		return err
	}
	var values [2]any
	for i, b := range [][]byte{text, again} {
		d := json.NewDecoder(bytes.NewReader(b))
		d.UseNumber()
		if err := d.Decode(&values[i]); err != nil {
			return err
		}
	}
	if !reflect.DeepEqual(values[0], values[1]) {
		return fmt.Errorf("it does not say the same to every reader")
	}
	return nil
}

// proof leads from the opening to the root in the text (RFC 6962 §2.1.1).
func (c *unitCheck) proof() error {
	t := c.told
	if len(t.Proof) == 0 && t.Units > 1 {
		return fmt.Errorf("%w: the pool is closed, and the text has no proof", ErrAbsent)
	}
	proof := make([]journal.Hash, len(t.Proof))
	for i := range proof {
		proof[i] = journal.Hash(t.Proof[i])
	}
	return journal.VerifyInclusion(t.Unit, t.Units, journal.LeafHash(t.leaf()), proof, journal.Hash(t.Root))
}

// checkpoint opens the log.
func (c *unitCheck) checkpoint() (err error) {
	if c.options.Fetch == nil {
		return fmt.Errorf("%w: no address of a log", ErrAbsent)
	}
	if c.report.Key == "" {
		if c.report.Key, err = ownKey(c.ctx, c.options.Fetch, c.told.Log); err != nil {
			return err
		}
	}
	c.log = logReader{ctx: c.ctx, fetch: c.options.Fetch}
	return c.log.open(c.told.Log, c.report.Key)
}

func (c *unitCheck) signature() error {
	switch {
	case c.keysErr != nil:
		return c.keysErr
	case len(c.keys.answers) != ed25519.PublicKeySize:
		return fmt.Errorf("the log names no key of answers")
	case !ed25519.Verify(c.keys.answers, []byte(c.file.Text), c.file.Signature):
		return fmt.Errorf("it is not that of the text by the key %x", c.keys.answers)
	}
	return nil
}

// committed finds the record of the pool, which stands before the unit.
func (c *unitCheck) committed() error {
	isPool := func(b journal.Body) bool { p, ok := b.(*journal.Pool); return ok && p.ID == c.told.Pool }
	rec, err := c.found(&c.at, c.file.Pool, c.told.Record, isPool)
	if err != nil {
		return err
	}
	p := rec.Body.(*journal.Pool)
	t := c.told
	switch {
	case p.Game != t.Game:
		return differ("game", t.Game, p.Game)
	case p.Price != t.Price:
		return differ("price", t.Price, p.Price)
	case p.Number != t.Number:
		return differ("number of the pool", t.Number, p.Number)
	case p.Units != t.Units:
		return differ("units of the pool", t.Units, p.Units)
	case p.Root != t.Root:
		return differ("root", hex.EncodeToString(t.Root[:]), hex.EncodeToString(p.Root[:]))
	}
	c.pool = p
	return nil
}

// found reads the record that is said to be what is looked for, or looks for it before another.
func (c *unitCheck) found(at *uint64, said, before uint64, is func(journal.Body) bool) (rec journal.Record, err error) {
	if said == 0 {
		*at, rec, err = c.log.find(min(before, c.log.checkpoint.Size), is)
		return rec, err
	}
	if *at = said; said >= before {
		return rec, fmt.Errorf("record %d is not before record %d", said, before)
	}
	if rec, err = c.log.record(said); err == nil && !is(rec.Body) {
		err = fmt.Errorf("record %d is another", said)
	}
	return rec, err
}

// recorded compares the text with the record of the unit.
func (c *unitCheck) recorded() error {
	rec, err := c.log.record(c.told.Record)
	if err != nil {
		return err
	}
	u, ok := rec.Body.(*journal.Unit)
	t := c.told
	switch {
	case !ok:
		return fmt.Errorf("record %d is not of a unit", t.Record)
	case u.Pool != t.Pool:
		return differ("pool", t.Pool, u.Pool)
	case u.N != t.Unit:
		return differ("unit", t.Unit, u.N)
	case u.Price != t.Price:
		return differ("price", t.Price, u.Price)
	case u.Prize != t.Prize:
		return differ("prize", t.Prize, u.Prize)
	case u.Seed != t.Seed:
		return differ("board seed", hex.EncodeToString(t.Seed[:]), hex.EncodeToString(u.Seed[:]))
	case u.Salt != t.Salt:
		return differ("salt", hex.EncodeToString(t.Salt[:]), hex.EncodeToString(u.Salt[:]))
	case rec.At != t.At:
		return differ("time", t.At, rec.At)
	}
	return nil
}

func (c *unitCheck) beacon() error {
	switch {
	case c.keysErr != nil:
		return c.keysErr
	case len(c.keys.beacon) != 32:
		return fmt.Errorf("the log names no end of a beacon")
	}
	return rng.VerifyBeacon([32]byte(c.keys.beacon), c.pool.Round, c.pool.Beacon)
}

// board reads the board by the rule book that the pool names.
func (c *unitCheck) board() error {
	isBook := func(b journal.Body) bool { k, ok := b.(*journal.Book); return ok && k.Hash == c.pool.Book }
	var at uint64
	rec, err := c.found(&at, c.file.Book, c.at, isBook)
	if err != nil {
		return fmt.Errorf("rule book: %w", err)
	}
	r, err := readBook(rec.Body.(*journal.Book), c.told.Game, c.told.Units)
	if err != nil {
		return err
	}
	c.book = &r
	return checkPrize(r, c.told)
}

// derived makes the board again.
func (c *unitCheck) derived() error {
	if c.book == nil {
		return needs(StepBoard)
	}
	return checkDerived(*c.book, c.told)
}

// readBook reads the rule book in a record, which must be of a game with pools of so many units.
func readBook(b *journal.Book, game string, units uint64) (r ruleBook, err error) {
	if sum := sha256.Sum256(b.Book); sum != b.Hash {
		return r, differ("hash of the rule book", hex.EncodeToString(sum[:]), hex.EncodeToString(b.Hash[:]))
	}
	r, err = parseBook(b.Book)
	switch {
	case err != nil:
		return r, fmt.Errorf("rule book: %w", err)
	case r.Game != game:
		return r, differ("game of the rule book", r.Game, game)
	case r.Units != units:
		return r, differ("units of a pool, by the rule book", r.Units, units)
	}
	return r, nil
}
