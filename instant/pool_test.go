package instant

import "testing"

func BenchmarkBuildAndRecount(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		p := Build(tables()[0], 450_000, [32]byte{1})
		if err := Recount(tables()[0], p.Len(), p.Root(), p.Leaves()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLeafAndProof(b *testing.B) {
	b.ReportAllocs()
	p := Build(tables()[0], 450_000, [32]byte{1})
	n := 0
	for b.Loop() {
		if err := VerifyUnit(p.Root(), p.Len(), p.Leaf(n), p.Proof(n)); err != nil {
			b.Fatal(err)
		}
		n = (n + 7919) % p.Len()
	}
}
