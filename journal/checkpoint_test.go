package journal

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

const testOrigin = "lottery.example/log"

// testKey is a key pair for testOrigin, whose seed is the bytes 0 to 31.
func testKey(t testing.TB) (note.Signer, note.Verifier, string) {
	t.Helper()
	private := ed25519.NewKeyFromSeed(testSeed())
	signer, err := NewSigner(testOrigin, private)
	if err != nil {
		t.Fatal(err)
	}
	vkey, err := VerifierKey(testOrigin, private.Public().(ed25519.PublicKey))
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		t.Fatal(err)
	}
	return signer, verifier, vkey
}

func testSeed() []byte {
	seed := make([]byte, ed25519.SeedSize)
	for i := range seed {
		seed[i] = byte(i)
	}
	return seed
}

// The signer does what x/mod's own does with the same key.
func TestSignerOracle(t *testing.T) {
	t.Parallel()
	skey, vkey, err := note.GenerateKey(bytes.NewReader(testSeed()), testOrigin)
	if err != nil {
		t.Fatal(err)
	}
	oracle, err := note.NewSigner(skey)
	if err != nil {
		t.Fatal(err)
	}
	signer, _, got := testKey(t)
	if got != vkey {
		t.Errorf("got %s, want %s", got, vkey)
	}
	c := Checkpoint{Origin: testOrigin, Size: 7, Root: Hash{1, 2, 3}}
	a, err := c.Sign(signer)
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Sign(oracle)
	if err != nil || !bytes.Equal(a, b) {
		t.Errorf("got\n%s, want\n%s, %v", a, b, err)
	}
}

func TestCheckpoint(t *testing.T) {
	t.Parallel()
	signer, verifier, _ := testKey(t)
	for _, size := range []uint64{0, 1, 1<<64 - 1} {
		want := Checkpoint{Origin: testOrigin, Size: size, Root: LeafHash([]byte{byte(size)})}
		b, err := want.Sign(signer)
		if err != nil {
			t.Fatal(err)
		}
		got, err := OpenCheckpoint(b, verifier)
		if err != nil || got != want {
			t.Errorf("got %+v, want %+v, %v", got, want, err)
		}
		for i := range b {
			bad := slices.Clone(b)
			bad[i] ^= 1
			if got, err := OpenCheckpoint(bad, verifier); err == nil && got != want {
				t.Errorf("byte %d changed: %+v", i, got)
			}
		}
		witness, _ := NewSigner("witness.example", ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, 32)))
		n, err := note.Open(b, note.VerifierList(verifier))
		if err != nil {
			t.Fatal(err)
		}
		cosigned, err := note.Sign(n, witness)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := OpenCheckpoint(cosigned, verifier); err != nil || got != want {
			t.Errorf("with a witness: %+v, %v", got, err)
		}
	}
}

func TestCheckpointRefused(t *testing.T) {
	t.Parallel()
	signer, verifier, _ := testKey(t)
	root := base64.StdEncoding.EncodeToString(make([]byte, 32))
	for _, text := range []string{
		testOrigin + "\n",
		testOrigin + "\n7\n",
		"other.example/log\n7\n" + root + "\n",
		testOrigin + "\n07\n" + root + "\n",
		testOrigin + "\n+7\n" + root + "\n",
		testOrigin + "\n-7\n" + root + "\n",
		testOrigin + "\n18446744073709551616\n" + root + "\n",
		testOrigin + "\n7\n" + root[:43] + "\n",
		testOrigin + "\n7\n" + root[:42] + "B=\n", // a bit after the last byte
		testOrigin + "\n7\n" + base64.StdEncoding.EncodeToString(make([]byte, 31)) + "\n",
		testOrigin + "\n7\n" + root + "\r\n",
	} {
		b, err := note.Sign(&note.Note{Text: text}, signer)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := OpenCheckpoint(b, verifier); !errors.Is(err, ErrCheckpoint) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	if _, err := OpenCheckpoint(nil, verifier); !errors.Is(err, ErrCheckpoint) {
		t.Errorf("nothing: %v", err)
	}
	stranger, _ := NewSigner(testOrigin, ed25519.NewKeyFromSeed(make([]byte, 32)))
	b, err := Checkpoint{Origin: testOrigin}.Sign(stranger)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenCheckpoint(b, verifier); !errors.Is(err, ErrCheckpoint) {
		t.Errorf("signed by another key: %v", err)
	}
	if _, err := (Checkpoint{Origin: "other"}).Sign(signer); !errors.Is(err, ErrOrigin) {
		t.Errorf("another's origin: %v", err)
	}
	for _, origin := range []string{"", "a b", "a+b", "a\nb", "\xff"} {
		if _, err := NewSigner(origin, ed25519.NewKeyFromSeed(testSeed())); !errors.Is(err, ErrOrigin) {
			t.Errorf("origin %q: %v", origin, err)
		}
	}
}

func TestProofText(t *testing.T) {
	t.Parallel()
	signer, verifier, _ := testKey(t)
	f := grow(t, 300)
	checkpoint, err := Checkpoint{Origin: testOrigin, Size: 300, Root: f.roots[300]}.Sign(signer)
	if err != nil {
		t.Fatal(err)
	}
	hashes, err := ProveInclusion(123, 300, f.read)
	if err != nil {
		t.Fatal(err)
	}
	text := FormatProof(123, hashes, checkpoint)
	if !bytes.HasPrefix(text, []byte("c2sp.org/tlog-proof@v1\nindex 123\n")) {
		t.Errorf("got\n%s", text)
	}
	for _, text := range [][]byte{text, bytes.Replace(text, []byte("index"), []byte("extra Zm9v\nindex"), 1)} {
		index, proof, signed, err := ParseProof(text)
		if err != nil || index != 123 || !slices.Equal(proof, hashes) || !bytes.Equal(signed, checkpoint) {
			t.Fatalf("%d, %d hashes, %q, %v", index, len(proof), signed, err)
		}
		c, err := OpenCheckpoint(signed, verifier)
		if err != nil {
			t.Fatal(err)
		}
		if err := VerifyInclusion(index, c.Size, f.hashes[0][123], proof, c.Root); err != nil {
			t.Fatal(err)
		}
	}
	index, proof, signed, err := ParseProof(FormatProof(0, nil, checkpoint))
	if err != nil || index != 0 || len(proof) != 0 || !bytes.Equal(signed, checkpoint) {
		t.Errorf("the only record: %d, %d hashes, %v", index, len(proof), err)
	}
}

func TestProofTextRefused(t *testing.T) {
	t.Parallel()
	hash := base64.StdEncoding.EncodeToString(make([]byte, 32))
	for _, text := range []string{
		"",
		"c2sp.org/tlog-proof@v1\n",
		"c2sp.org/tlog-proof@v1\nindex 1\n",
		"c2sp.org/tlog-proof@v1\n\nindex 1\n\nc",
		"c2sp.org/tlog-proof@v2\nindex 1\n\nc",
		"c2sp.org/tlog-proof@v1\nindex 01\n\nc",
		"c2sp.org/tlog-proof@v1\nindex -1\n\nc",
		"c2sp.org/tlog-proof@v1\nindex 18446744073709551616\n\nc",
		"c2sp.org/tlog-proof@v1\n1\n\nc",
		"c2sp.org/tlog-proof@v1\nextra ???\nindex 1\n\nc",
		"c2sp.org/tlog-proof@v1\nextra Zm9v\n\nc",
		"c2sp.org/tlog-proof@v1\nindex 1\nextra Zm9v\n\nc",
		"c2sp.org/tlog-proof@v1\nindex 1\n" + hash[:40] + "\n\nc",
		"c2sp.org/tlog-proof@v1\nindex 1\r\n\nc",
		"c2sp.org/tlog-proof@v1\nindex 1\n" + strings.Repeat(hash+"\n", 65) + "\nc",
	} {
		if _, _, _, err := ParseProof([]byte(text)); !errors.Is(err, ErrProofText) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzProofText(f *testing.F) {
	f.Add([]byte("c2sp.org/tlog-proof@v1\nextra Zm9v\nindex 1\n\nc"))
	f.Add(FormatProof(7, []Hash{{1}, {2}}, []byte("origin\n")))
	f.Fuzz(func(t *testing.T, text []byte) {
		index, proof, checkpoint, err := ParseProof(text)
		if err != nil || bytes.Contains(text, []byte("\nextra ")) {
			return
		}
		if again := FormatProof(index, proof, checkpoint); !bytes.Equal(again, text) {
			t.Errorf("%q is read as %q", text, again)
		}
	})
}
