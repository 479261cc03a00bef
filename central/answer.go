package central

import (
	"crypto/ed25519"
	"encoding/hex"
	"strconv"
	"time"

	"tirage/instant"
	"tirage/journal"
)

// AnswersKey is the public key that the answers to plays are signed with: that
// of the journal's key record "answers".
func (s *System) AnswersKey() ed25519.PublicKey {
	return s.answers.Public().(ed25519.PublicKey)
}

// playedUnit is a unit as its player is told: what it shows follows from its
// leaf, and what it says is signed. It takes no turn.
func (s *System) playedUnit(record uint64, at time.Time, p poolFacts, leaf instant.Leaf) PlayedUnit {
	u := PlayedUnit{
		Record: record, At: at, Game: p.rules.Code, Name: p.rules.Name, Pool: p.id, Number: int(p.number), Units: p.units,
		Price: p.table.Price, Prize: leaf.Prize, Leaf: leaf, Root: p.root,
	}
	if p.built != nil {
		u.Proof = p.built.Proof(int(leaf.N))
	}
	if p.rules.Scene == instant.Island {
		board := instant.NewBoard(p.table, leaf.Prize, leaf.Seed)
		u.Board = &board
	}
	u.Text = u.text(s.keys.Origin)
	u.Signature = ed25519.Sign(s.answers, u.Text)
	return u
}

// text is what is signed of a unit (docs/instant.md). It is written by hand,
// thousands of times a second: numbers, hexadecimal, and two names of plain ASCII.
func (u *PlayedUnit) text(origin string) []byte {
	b := make([]byte, 0, 640+67*len(u.Proof))
	b = append(b, `{"v":1,"log":`...)
	b = strconv.AppendQuote(b, origin)
	b = appendNumber(b, "record", u.Record)
	b = appendNumber(b, "at", uint64(u.At.UnixMicro()))
	b = append(b, `,"game":`...)
	b = strconv.AppendQuote(b, string(u.Game))
	b = appendNumber(b, "pool", uint64(u.Pool))
	b = appendNumber(b, "number", uint64(u.Number))
	b = appendNumber(b, "units", uint64(u.Units))
	b = appendNumber(b, "unit", u.Leaf.N)
	b = appendNumber(b, "price", uint64(u.Price))
	b = appendNumber(b, "prize", uint64(u.Prize))
	b = appendHex(append(b, `,"seed":`...), u.Leaf.Seed[:])
	b = appendHex(append(b, `,"salt":`...), u.Leaf.Salt[:])
	b = appendHex(append(b, `,"root":`...), u.Root[:])
	if u.Proof != nil {
		b = appendProof(append(b, `,"proof":`...), u.Proof)
	}
	if u.Board != nil {
		b = appendBoard(append(b, `,"board":`...), u.Board)
	}
	return append(b, '}')
}

func appendNumber(b []byte, name string, n uint64) []byte {
	b = append(b, `,"`...)
	b = append(b, name...)
	b = append(b, `":`...)
	return strconv.AppendUint(b, n, 10)
}

func appendHex(b, data []byte) []byte {
	b = append(b, '"')
	b = hex.AppendEncode(b, data)
	return append(b, '"')
}

func appendProof(b []byte, proof []journal.Hash) []byte {
	b = append(b, '[')
	for i := range proof {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendHex(b, proof[i][:])
	}
	return append(b, ']')
}

func appendBoard(b []byte, board *instant.Board) []byte {
	b = append(b, `{"start":`...)
	b = strconv.AppendUint(b, uint64(board.Start), 10)
	b = append(b, `,"chests":[`...)
	for i, c := range board.Chests {
		b = appendPair(b, i, uint64(c.At), uint64(c.Symbol))
	}
	b = append(b, `],"throws":[`...)
	for i, t := range board.Throws {
		b = appendPair(b, i, uint64(t.Direction), uint64(t.Squares))
	}
	return append(b, "]}"...)
}

func appendPair(b []byte, i int, x, y uint64) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	b = append(b, '[')
	b = strconv.AppendUint(b, x, 10)
	b = append(b, ',')
	b = strconv.AppendUint(b, y, 10)
	return append(b, ']')
}
