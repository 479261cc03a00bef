package rng

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"testing"
)

// TestBeacon_Vectors holds a chain that another program made by docs/instant.md.
func TestBeacon_Vectors(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../testdata/vectors/pool.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Beacon struct {
			Start, End string
			Rounds     []struct {
				Round uint64
				Value string
			}
		}
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	point := func(s string) [32]byte {
		b, err := hex.DecodeString(s)
		if err != nil || len(b) != 32 {
			t.Fatalf("%q: %v", s, err)
		}
		return [32]byte(b)
	}
	b := NewBeacon(point(v.Beacon.Start))
	end := b.End()
	if end != point(v.Beacon.End) {
		t.Errorf("end %x, want %s", end, v.Beacon.End)
	}
	for _, r := range v.Beacon.Rounds {
		got, err := b.Value(r.Round)
		if err != nil || got != point(r.Value) {
			t.Errorf("round %d: %x, %v, want %s", r.Round, got, err, r.Value)
		}
		if err := VerifyBeacon(end, r.Round, got); err != nil {
			t.Error(err)
		}
		wrong := got
		wrong[31] ^= 1
		for _, err := range []error{VerifyBeacon(end, r.Round, wrong), VerifyBeacon(end, r.Round+1, got), VerifyBeacon(end, r.Round-1, got), VerifyBeacon(wrong, r.Round, got)} {
			if !errors.Is(err, ErrBeacon) {
				t.Errorf("round %d: %v", r.Round, err)
			}
		}
	}
	if len(v.Beacon.Rounds) < 5 {
		t.Errorf("%d rounds", len(v.Beacon.Rounds))
	}
}

func TestBeacon_Limits(t *testing.T) {
	t.Parallel()
	b := NewBeacon([32]byte{7})
	for _, round := range []uint64{0, BeaconRounds + 1, 1 << 63} {
		if _, err := b.Value(round); !errors.Is(err, ErrBeacon) {
			t.Errorf("value of round %d: %v", round, err)
		}
		if err := VerifyBeacon(b.End(), round, b.End()); !errors.Is(err, ErrBeacon) {
			t.Errorf("round %d: %v", round, err)
		}
	}
	if last, err := b.Value(BeaconRounds); err != nil || last != [32]byte{7} {
		t.Errorf("last round: %x, %v", last, err)
	}
	if other := NewBeacon([32]byte{8}); other.End() == b.End() {
		t.Error("two chains with one end")
	}
}
