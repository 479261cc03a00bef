package photo

import "math"

// tableSize is how many pixels the pattern of the table is wide and high; a power of two.
const tableSize = 512

// table is what papers lie on, as pixels: wood, cloth, a white or a
// dark desk, or a carpet. It repeats.
func (c *camera) table() []uint8 {
	kind := c.rand.IntN(5)
	base := [][3]float64{{150, 105, 65}, {70, 90, 140}, {228, 227, 222}, {52, 50, 50}, {120, 112, 100}}[kind]
	for k := range base {
		base[k] *= c.between(0.85, 1.08)
	}
	period := float64(tableSize) / float64(4+c.rand.IntN(28))
	stripes := float64(2 + c.rand.IntN(5))
	pix := make([]uint8, 4*tableSize*tableSize)
	var weave, stripe [tableSize]float64
	for i := range tableSize {
		weave[i] = math.Sin(2 * math.Pi * float64(i) / math.Round(period))
		stripe[i] = math.Sin(stripes * (2 * math.Pi * float64(i) / tableSize))
	}
	smooth := c.smooth()
	for y := range tableSize {
		for x := range tableSize {
			n := smooth[y*tableSize+x]
			var v float64
			switch kind {
			case 0: // grain of wood, along x
				v = 1 + 0.16*math.Sin(stripes*3*(2*math.Pi*float64(y)/tableSize)+5*n) + 0.10*n
			case 1: // woven
				v = 1 + 0.22*weave[x]*weave[y] + 0.05*n
			case 2, 3:
				v = 1 + 0.02*n
			default:
				v = 1 + 0.25*n + 0.1*stripe[x]
			}
			for k := range 3 {
				pix[4*(y*tableSize+x)+k] = clamp(float32(base[k] * v))
			}
		}
	}
	return pix
}

// smooth is noise of two sizes, from about -1 to 1, that repeats.
func (c *camera) smooth() []float64 {
	sum := make([]float64, tableSize*tableSize)
	for _, cell := range []int{64, 8} {
		n := tableSize / cell
		at := make([]float64, n*n)
		for i := range at {
			at[i] = c.between(-1, 1)
		}
		for y := range tableSize {
			j, fy := y/cell, float64(y%cell)/float64(cell)
			for x := range tableSize {
				i, fx := x/cell, float64(x%cell)/float64(cell)
				a, b := at[j*n+i], at[j*n+(i+1)%n]
				d, e := at[(j+1)%n*n+i], at[(j+1)%n*n+(i+1)%n]
				sum[y*tableSize+x] += 0.6 * ((a*(1-fx)+b*fx)*(1-fy) + (d*(1-fx)+e*fx)*fy)
			}
		}
	}
	return sum
}
