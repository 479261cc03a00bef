package paper

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg" // also registers the format
	_ "image/png"
	"io"
)

// Bounds of a picture. A phone's camera makes 12 to 50 million pixels, of 2 to 15 megabytes.
const (
	ImageBytesMax  = 20 << 20   // of the file
	ImagePixelsMax = 50_000_000 // as its header says
	imageMemoryMax = 200 << 20  // of the pixels, while they are decoded and read
	imageScansMax  = 64         // of a JPEG: encoders make 1 to 12
	imageWorkMax   = 300 << 20  // pixels of all scans
	imageSideMax   = 16_384
	imageSideMin   = 24 // a QR code has 21 modules, and a light edge
)

// Refusals of a picture.
var (
	// ErrImage is a file that is not a JPEG or PNG picture, or a damaged one.
	ErrImage = errors.New("not a JPEG or PNG picture")
	// ErrImageSize is a picture of too many bytes or pixels; it is refused before it is decoded.
	ErrImageSize = errors.New("picture too large")
)

// Decode reads a picture, JPEG or PNG, as it came: how it is turned is found by
// the marks of what it shows. It refuses by the file's length, by the size
// that the header states and by how many scans there are, before any pixel is decoded.
func Decode(r io.Reader) (image.Image, error) {
	b, err := io.ReadAll(io.LimitReader(r, ImageBytesMax+1))
	if err != nil {
		return nil, fmt.Errorf("read picture: %w", err)
	}
	if len(b) > ImageBytesMax {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrImageSize, ImageBytesMax)
	}
	c, format, err := image.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrImage, err)
	}
	size := int64(c.Width) * int64(c.Height)
	var scans int64
	progressive, ended := false, false
	if format == "jpeg" {
		scans, progressive, ended = scansOf(b)
	}
	switch {
	case c.Width < 1 || c.Height < 1:
		return nil, fmt.Errorf("%w: %d × %d pixels", ErrImage, c.Width, c.Height)
	case c.Width > imageSideMax || c.Height > imageSideMax || size > ImagePixelsMax || size*memory(b, c, format, progressive) > imageMemoryMax:
		return nil, fmt.Errorf("%w: %d × %d pixels", ErrImageSize, c.Width, c.Height)
	case scans > imageScansMax || scans*size > imageWorkMax:
		return nil, fmt.Errorf("%w: %d scans of %d × %d pixels", ErrImageSize, scans, c.Width, c.Height)
	}
	img, err := decodePixels(b, format, scans == 1 && ended)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrImage, err)
	}
	return img, nil
}

// decodePixels decodes a picture; plain is a JPEG of one scan, with an end.
func decodePixels(b []byte, format string, plain bool) (image.Image, error) {
	if format == "jpeg" {
		if j, ok := parseBaseline(b); ok && plain {
			return j.decode()
		}
		return jpeg.Decode(bytes.NewReader(b))
	}
	img, _, err := image.Decode(bytes.NewReader(b))
	return img, err
}

// memory is how many bytes a pixel takes while it is decoded and read, at most.
func memory(b []byte, c image.Config, format string, progressive bool) int64 {
	const coefficient = 4 // bytes, of a progressive JPEG: all are kept, of each component, until its end
	bytes, components := int64(4), int64(3)
	switch c.ColorModel {
	case color.GrayModel:
		bytes, components = 1, 1
	case color.Gray16Model:
		bytes = 2
	case color.RGBA64Model, color.NRGBA64Model:
		bytes = 8
	case color.YCbCrModel:
		bytes = 3
	case color.CMYKModel:
		bytes, components = 8, 4 // converted
	case color.RGBAModel:
		if format == "jpeg" {
			bytes = 7 // converted
		}
	}
	const interlaced = 28 // where a PNG's header says that its passes are decoded apart
	if format == "png" && len(b) > interlaced && b[interlaced] != 0 {
		bytes *= 2
	}
	if progressive {
		bytes += coefficient * components
	}
	if c.ColorModel != color.GrayModel && c.ColorModel != color.YCbCrModel {
		bytes++ // for the light, see newSnap
	}
	return bytes
}

// scansOf walks over the segments of a JPEG as its decoder does, which passes over what is
// between them: how many scans it has at most, each a walk over all of its pixels,
// whether they are known only at its end, and whether that is there.
func scansOf(b []byte) (scans int64, progressive, ended bool) {
	const start, fill, eoi, rst0, rst7, sos, sof2 = 0xff, 0xff, 0xd9, 0xd0, 0xd7, 0xda, 0xc2
	for i := 2; i+1 < len(b); {
		if b[i] != start {
			i++
			continue
		}
		for i+1 < len(b) && b[i+1] == fill {
			i++
		}
		if i+1 == len(b) {
			break
		}
		marker := b[i+1]
		i += 2
		switch {
		case marker == eoi:
			return scans, progressive, true
		case marker == 0, rst0 <= marker && marker <= rst7:
			continue
		case marker == sos:
			scans++
		case marker == sof2:
			progressive = true
		}
		if i+1 >= len(b) {
			break
		}
		i += max(2, int(b[i])<<8+int(b[i+1]))
	}
	return scans, progressive, false
}

// A plane is one channel of a picture.
type plane struct {
	w, h, stride int
	pix          []uint8
}

func newPlane(w, h int) plane { return plane{w, h, w, make([]uint8, w*h)} }

func (p plane) row(y int) []uint8 { return p.pix[y*p.stride : y*p.stride+p.w] }

// at returns the value between four pixels; beside the picture, that of its edge.
func (p plane) at(x, y float64) float64 {
	x, y = min(max(x-0.5, 0), float64(p.w-1)), min(max(y-0.5, 0), float64(p.h-1))
	x0, y0 := int(x), int(y)
	x1, y1 := min(x0+1, p.w-1), min(y0+1, p.h-1)
	fx, fy := x-float64(x0), y-float64(y0)
	a, b := p.pix[y0*p.stride:], p.pix[y1*p.stride:]
	top := float64(a[x0])*(1-fx) + float64(a[x1])*fx
	return top*(1-fy) + (float64(b[x0])*(1-fx)+float64(b[x1])*fx)*fy
}

// A snap is an image as it is read: its light, and its colours to show.
type snap struct {
	luma plane
	ycc  *image.YCbCr      // or
	img  image.RGBA64Image // or neither: grey
}

func newSnap(img image.Image) (snap, error) {
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	if w < imageSideMin || h < imageSideMin {
		return snap{}, fmt.Errorf("%w: %d × %d pixels are too few", ErrImage, w, h)
	}
	switch m := img.(type) {
	case *image.YCbCr:
		return snap{luma: plane{w, h, m.YStride, m.Y[m.YOffset(b.Min.X, b.Min.Y):]}, ycc: m}, nil
	case *image.Gray:
		return snap{luma: plane{w, h, m.Stride, m.Pix[m.PixOffset(b.Min.X, b.Min.Y):]}}, nil
	}
	luma := newPlane(w, h)
	line := image.NewRGBA(image.Rect(0, 0, w, 1)) // no copy of the whole: it may be large
	for y := range h {                            // what is transparent is white, as on a page
		draw.Draw(line, line.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(line, line.Rect, img, image.Point{b.Min.X, b.Min.Y + y}, draw.Over)
		for x, to := 0, luma.row(y); x < w; x++ {
			c := line.Pix[4*x : 4*x+3 : 4*x+3]
			to[x] = uint8((19595*uint32(c[0]) + 38470*uint32(c[1]) + 7471*uint32(c[2]) + 1<<15) >> 16)
		}
	}
	deep, ok := img.(image.RGBA64Image)
	if !ok { // all that Decode returns is one
		return snap{}, fmt.Errorf("%w: pixels of %T", ErrImage, img)
	}
	return snap{luma: luma, img: deep}, nil
}

// colours puts the colours on a line from at in steps.
func (p snap) colours(cb, cr []uint8, at, step Point) {
	for i := range cb {
		x, y := min(max(int(at.X+float64(i)*step.X), 0), p.luma.w-1), min(max(int(at.Y+float64(i)*step.Y), 0), p.luma.h-1)
		switch {
		case p.ycc != nil:
			c := p.ycc.COffset(p.ycc.Rect.Min.X+x, p.ycc.Rect.Min.Y+y)
			cb[i], cr[i] = p.ycc.Cb[c], p.ycc.Cr[c]
		case p.img != nil:
			c := p.img.RGBA64At(p.img.Bounds().Min.X+x, p.img.Bounds().Min.Y+y)
			over := uint32(0xffff - c.A)
			_, cb[i], cr[i] = color.RGBToYCbCr(uint8((uint32(c.R)+over)>>8), uint8((uint32(c.G)+over)>>8), uint8((uint32(c.B)+over)>>8))
		default:
			cb[i], cr[i] = 128, 128
		}
	}
}

// reduced returns the plane with k × k pixels made one.
func (p plane) reduced(k int) plane {
	if k <= 1 {
		return p
	}
	small := newPlane(p.w/k, p.h/k)
	sums := make([]uint32, small.w)
	area := uint32(k * k)
	for y := range small.h {
		clear(sums)
		for dy := range k {
			row := p.row(y*k + dy)
			switch k {
			case 2:
				for x := range sums {
					sums[x] += uint32(row[2*x]) + uint32(row[2*x+1])
				}
			case 3:
				for x := range sums {
					sums[x] += uint32(row[3*x]) + uint32(row[3*x+1]) + uint32(row[3*x+2])
				}
			default:
				for x := range sums {
					for _, v := range row[x*k : x*k+k] {
						sums[x] += uint32(v)
					}
				}
			}
		}
		out := small.row(y)
		for x, s := range sums {
			out[x] = uint8((s + area/2) / area)
		}
	}
	return small
}

// smoothed returns the plane with each pixel the mean of the 3 × 3 around it,
// the nearer ones weighing more: noise of a sensor is between pixels, print is not.
func (p plane) smoothed() plane {
	const (
		others = 0x00ff00ff00ff00ff // every other byte, with room for a sum of 16
		half   = 0x0008000800080008
	)
	out := newPlane(p.w, p.h)
	for y := range p.h {
		above, row, below, to := p.row(max(y-1, 0)), p.row(y), p.row(min(y+1, p.h-1)), out.row(y)
		sum := func(x int) uint64 { // of a column
			x = min(max(x, 0), p.w-1)
			return uint64(above[x]) + 2*uint64(row[x]) + uint64(below[x])
		}
		x := 0
		for ; x+8 < p.w; x += 8 { // even and odd columns are summed four at a time
			a, r, b := binary.LittleEndian.Uint64(above[x:]), binary.LittleEndian.Uint64(row[x:]), binary.LittleEndian.Uint64(below[x:])
			even := a&others + 2*(r&others) + b&others
			odd := a>>8&others + 2*(r>>8&others) + b>>8&others
			before, after := odd<<16|sum(x-1), even>>16|sum(x+8)<<48
			evens, odds := (before+2*even+odd+half)>>4&others, (even+2*odd+after+half)>>4&others
			binary.LittleEndian.PutUint64(to[x:], evens|odds<<8)
		}
		for ; x < p.w; x++ {
			to[x] = uint8((sum(x-1) + 2*sum(x) + sum(x+1) + 8) >> 4)
		}
	}
	return out
}
