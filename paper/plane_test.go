package paper

import (
	"math/rand/v2"
	"testing"
)

// TestPlanes: what goes over pixels eight at a time is what it is one by one, at any size.
func TestPlanes(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(2, 2))
	for _, size := range [][2]int{{1, 1}, {7, 3}, {8, 8}, {9, 17}, {24, 24}, {63, 9}, {64, 20}, {65, 30}, {130, 41}} {
		p := newPlane(size[0], size[1])
		p.stride += 5
		p.pix = make([]uint8, p.stride*p.h)
		for i := range p.pix {
			p.pix[i] = []uint8{0, 40, 127, 128, 200, 255, uint8(rnd.Uint32()), uint8(rnd.Uint32())}[rnd.IntN(8)]
		}
		smooth, m := p.smoothed(), p.binarized()
		low, high, tw, _ := p.extremes()
		dark := 0
		for y := range p.h {
			for x := range p.w {
				if got, want := smooth.pix[y*smooth.stride+x], p.smoothAt(x, y); got != want {
					t.Fatalf("%v: smoothed at %d, %d is %d, want %d", size, x, y, got, want)
				}
				lo, hi := p.extremesAt(x/tile, y/tile, 0)
				if at := y/tile*tw + x/tile; low[at] != uint8(lo) || high[at] != uint8(hi) {
					t.Fatalf("%v: of tile %d, %d: got %d, %d, want %d, %d", size, x/tile, y/tile, low[at], high[at], lo, hi)
				}
				lo, hi = p.extremesAt(x/tile, y/tile, 2)
				want := int(p.row(y)[x]) < (lo+hi+1)/2 && float64(hi-lo) >= contrastMin*float64(hi)+6
				if m.dark(x, y) != want {
					t.Fatalf("%v: dark at %d, %d, want %v", size, x, y, want)
				}
				if want {
					dark++
				}
			}
		}
		area := 0
		for _, b := range m.blobs() {
			area += b.area
		}
		if area != dark {
			t.Errorf("%v: blobs of %d pixels, and %d are dark", size, area, dark)
		}
	}
}

// smoothAt is the mean of the 3 × 3 pixels around a place.
func (p plane) smoothAt(x, y int) uint8 {
	sum := 8
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			v := p.row(min(max(y+dy, 0), p.h-1))[min(max(x+dx, 0), p.w-1)]
			sum += int(v) * (2 - dx*dx) * (2 - dy*dy)
		}
	}
	return uint8(sum / 16)
}

// extremesAt are the darkest and the lightest pixel of a tile and of those up to so many beside it.
func (p plane) extremesAt(tx, ty, reach int) (low, high int) {
	low = 255
	for y := max(0, (ty-reach)*tile); y < min(p.h, (ty+reach+1)*tile); y++ {
		for x := max(0, (tx-reach)*tile); x < min(p.w, (tx+reach+1)*tile); x++ {
			low, high = min(low, int(p.row(y)[x])), max(high, int(p.row(y)[x]))
		}
	}
	return low, high
}
