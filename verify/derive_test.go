package verify_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"tirage/instant"
	"tirage/money"
	"tirage/rng"
	"tirage/verify"
)

// TestINS_4_4_board_DerivedApart: the board that this program derives of a prize and a seed is the one that
// package instant makes, for all prizes at all prices, and that of the vectors, which a program in another language made.
func TestINS_4_4_board_DerivedApart(t *testing.T) {
	t.Parallel()
	book, err := instant.Book("ile-au-tresor-instant")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := instant.Parse("book.yaml", book)
	if err != nil {
		t.Fatal(err)
	}
	same := func(price, prize money.Amount, seed rng.Seed, want any) {
		t.Helper()
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := verify.DerivedBoard(book, price, prize, seed)
		var a, b any
		if err == nil {
			err = json.Unmarshal(got, &a)
		}
		if err == nil {
			err = json.Unmarshal(text, &b)
		}
		if err != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("%s at %s, seed %x: %s, %v, want %s", prize, price, seed, got, err, text)
		}
	}
	choose := rng.NewStream(rng.Seed{9}, "derived apart")
	for i := range rules.Tables {
		table := &rules.Tables[i]
		prizes := []money.Amount{0, 0, 0, 0}
		for _, p := range table.Prizes {
			prizes = append(prizes, p.Amount)
		}
		for _, prize := range prizes {
			for range 250 {
				var seed rng.Seed
				for j := range seed {
					seed[j] = byte(choose.Below(256))
				}
				same(table.Price, prize, seed, boardOf(instant.NewBoard(table, prize, seed)))
			}
		}
	}
	var vectors []struct {
		Price, Prize money.Amount
		Seed         string
		Board        json.RawMessage
	}
	readVectors(t, "board.json", &vectors)
	for _, v := range vectors {
		same(v.Price, v.Prize, rng.Seed(unhex(t, v.Seed)), v.Board)
	}
	if len(vectors) < 20 {
		t.Errorf("%d vectors", len(vectors))
	}
	if _, err := verify.DerivedBoard(book, 50, 123, rng.Seed{}); err == nil {
		t.Error("a prize that the table does not have has a board")
	}
}

// TestF14_DerivedPoolVectors: pools of the vectors, with 450,000 units too, are derived with their seeds, units and roots.
func TestF14_DerivedPoolVectors(t *testing.T) {
	t.Parallel()
	var vectors struct {
		Pools []struct {
			Game    string
			Price   money.Amount
			Number  uint64
			Units   int
			Prizes  [][2]int64
			Secrets [2]string
			Beacon  string
			Seed    string
			Root    string
			Opened  []struct {
				N          int
				Prize      money.Amount
				Seed, Salt string
			}
		}
	}
	readVectors(t, "pool.json", &vectors)
	for _, v := range vectors.Pools {
		var at []int
		for _, o := range v.Opened {
			at = append(at, o.N)
		}
		secrets := [2][32]byte{[32]byte(unhex(t, v.Secrets[0])), [32]byte(unhex(t, v.Secrets[1]))}
		seed, root, opened, err := verify.DerivedPool(v.Prizes, v.Units, secrets, [32]byte(unhex(t, v.Beacon)), v.Game, v.Price, v.Number, at)
		if err != nil || hex.EncodeToString(seed[:]) != v.Seed || hex.EncodeToString(root[:]) != v.Root {
			t.Errorf("pool at %s: seed %x, root %x, %v", v.Price, seed, root, err)
		}
		for i, o := range v.Opened {
			leaf := instant.Leaf{N: uint64(o.N), Prize: o.Prize, Seed: rng.Seed(unhex(t, o.Seed)), Salt: [16]byte(unhex(t, o.Salt))}
			if string(leaf.Bytes()) != string(opened[i][:]) {
				t.Errorf("unit %d at %s: %x", o.N, v.Price, opened[i])
			}
		}
	}
	if len(vectors.Pools) != 4 {
		t.Errorf("%d pools", len(vectors.Pools))
	}
}

func readVectors(t *testing.T, name string, to any) {
	t.Helper()
	text, err := os.ReadFile("../testdata/vectors/" + name)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
