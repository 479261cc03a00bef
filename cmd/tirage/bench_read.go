package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"time"

	"tirage/game"
	"tirage/internal/photo"
	"tirage/paper"
	"tirage/wager"
)

type benchReadCmd struct {
	Photos     int       `default:"1000" help:"Photos of each difficulty, half of them of each game that has slips."`
	Difficulty []float64 `default:"0.3,0.7,1,1.3" help:"Difficulties: 0.3 good light, 0.7 bad light, 1 hard, 1.3 absurd."`
	Spoilt     int       `default:"300" help:"Photos more of each difficulty, of slips that are hidden, stained, blacked out, torn, bent or marked by two pens in part."`
	Readers    int       `default:"1" help:"Photos taken and read at a time."`
	Seed       uint64    `default:"1" help:"Which photos are taken."`
	JSON       bool      `name:"json" help:"Print one JSON line a difficulty."`
}

// Help shows how it is used.
func (benchReadCmd) Help() string {
	return "Photos of slips are made from the seed, with known marks, and read from their JPEG bytes as terminals do; the times include decoding.\n\n" +
		"Examples:\n  tirage bench read --json\n  tirage bench read --photos 200 --difficulty 0.7"
}

// readJSON is the form of --json, a line for each difficulty.
type readJSON struct {
	Work       string  `json:"work"`
	Difficulty float64 `json:"difficulty"`
	Photos     int     `json:"photos"`
	PerSecond  float64 `json:"per_second"` // by one reader
	P50        int64   `json:"p50_us"`
	P95        int64   `json:"p95_us"`
	P99        int64   `json:"p99_us"`
	Max        int64   `json:"max_us"`
	Read       int     `json:"slips_read"`    // not refused
	Right      int     `json:"slips_right"`   // read, and no box taken for what it is not
	Whole      int     `json:"slips_unasked"` // right, and nothing to ask
	Boxes      int     `json:"boxes"`         // of slips that were read
	Unsure     int     `json:"boxes_unsure"`
	Wrong      int     `json:"boxes_wrong"`
	WrongSlips int     `json:"slips_wrong"` // sold, unasked, for what was not marked

	Spoilt        int `json:"spoilt"`
	SpoiltRefused int `json:"spoilt_refused"`
	SpoiltAsked   int `json:"spoilt_asked"`
	SpoiltRight   int `json:"spoilt_right"` // told from the photo, as it was marked
	SpoiltWrong   int `json:"spoilt_wrong"` // sold, and was to be asked or refused
}

// Run takes the photos and reads them.
func (c benchReadCmd) Run(e *env) error {
	if c.Photos < 1 || c.Photos > 100_000 || c.Spoilt < 0 || c.Spoilt > 100_000 || c.Readers < 1 || c.Readers > 64 {
		return errors.New("want --photos 1 to 100000, --spoilt 0 to 100000 and --readers 1 to 64")
	}
	var layouts []*paper.Layout
	for _, code := range game.Embedded() {
		b, err := game.Book(code)
		if err != nil {
			return err
		}
		r, err := game.Parse(string(code)+".yaml", b)
		if err != nil {
			return err
		}
		l, err := paper.NewLayout(r)
		if err != nil {
			return err
		}
		layouts = append(layouts, l)
	}
	for _, d := range c.Difficulty {
		if d < 0 || d > 2 {
			return errors.New("want --difficulty 0 to 2")
		}
		f, err := c.measure(e, d, layouts)
		if err != nil {
			return err
		}
		if c.JSON {
			if err := json.NewEncoder(e.stdout).Encode(f); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(e.stdout, "difficulty %.1f: %d photos, %d slips read, %d right, %d of them unasked; of %d boxes %.2f %% unsure, %d wrong; %d slips sold wrong; %.1f/s, p50 %d ms, p95 %d ms, p99 %d ms, max %d ms\n"+
			"  spoilt: %d photos, %d refused, %d asked, %d right, %d sold wrong\n",
			d, f.Photos, f.Read, f.Right, f.Whole, f.Boxes, 100*float64(f.Unsure)/float64(max(f.Boxes, 1)), f.Wrong, f.WrongSlips, f.PerSecond, f.P50/1000, f.P95/1000, f.P99/1000, f.Max/1000,
			f.Spoilt, f.SpoiltRefused, f.SpoiltAsked, f.SpoiltRight, f.SpoiltWrong)
	}
	return nil
}

// measure reads the photos of one difficulty.
func (c benchReadCmd) measure(e *env, difficulty float64, layouts []*paper.Layout) (readJSON, error) {
	total := readJSON{Work: "read", Difficulty: difficulty, Photos: c.Photos, Spoilt: c.Spoilt}
	var mu sync.Mutex
	var wg sync.WaitGroup
	var took []time.Duration
	for reader := range c.Readers {
		wg.Go(func() {
			for i := reader; i < c.Photos && e.ctx.Err() == nil; i += c.Readers {
				one, d := c.one(difficulty, i, layouts)
				mu.Lock()
				if took = append(took, d); len(took)%100 == 0 {
					progress(e.stderr, "difficulty %.1f: %d of %d photos read", difficulty, len(took), c.Photos)
				}
				total.Read += one.Read
				total.Right += one.Right
				total.Whole += one.Whole
				total.Boxes += one.Boxes
				total.Unsure += one.Unsure
				total.Wrong += one.Wrong
				total.WrongSlips += one.WrongSlips
				mu.Unlock()
			}
			for i := reader; i < c.Spoilt && e.ctx.Err() == nil; i += c.Readers {
				one := c.spoilt(difficulty, i, layouts)
				mu.Lock()
				total.SpoiltRefused += one.SpoiltRefused
				total.SpoiltAsked += one.SpoiltAsked
				total.SpoiltRight += one.SpoiltRight
				total.SpoiltWrong += one.SpoiltWrong
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err := e.ctx.Err(); err != nil {
		return total, err
	}
	slices.Sort(took)
	var sum time.Duration
	for _, d := range took {
		sum += d
	}
	total.PerSecond = float64(len(took)) / sum.Seconds()
	part := func(percent int) int64 { return took[min(len(took)*percent/100, len(took)-1)].Microseconds() }
	total.P50, total.P95, total.P99, total.Max = part(50), part(95), part(99), part(100)
	return total, nil
}

// one takes a photo and reads it.
func (c benchReadCmd) one(difficulty float64, i int, layouts []*paper.Layout) (f readJSON, took time.Duration) {
	seed := c.seedOf(i)
	l := layouts[i%len(layouts)]
	marks := photo.Fill(l, rand.New(rand.NewChaCha8(seed)))
	jpeg := photo.JPEG(l, marks, difficulty, seed)
	start := time.Now()
	reading, err := readPhoto(jpeg, layouts)
	took = time.Since(start)
	if err != nil || reading.Layout.Rules != l.Rules {
		return f, took
	}
	f.Read, f.Boxes = 1, len(marks)
	for i, m := range reading.Marks {
		switch {
		case m == paper.Unsure:
			f.Unsure++
		case m != marks[i]:
			f.Wrong++
		}
	}
	_, asked, err := reading.Slip(nil)
	if f.Wrong == 0 {
		f.Right = 1
		if err == nil && asked == nil {
			f.Whole = 1
		}
	}
	if sold, as := sells(reading, marks); sold && !as {
		f.WrongSlips = 1
	}
	return f, took
}

func (c benchReadCmd) seedOf(i int) (seed [32]byte) {
	binary.LittleEndian.PutUint64(seed[:], c.Seed)
	binary.LittleEndian.PutUint64(seed[8:], uint64(i))
	return seed
}

// spoilt takes a photo of a slip that something happened to, and reads it.
func (c benchReadCmd) spoilt(difficulty float64, i int, layouts []*paper.Layout) (f readJSON) {
	seed := c.seedOf(i)
	l := layouts[i%len(layouts)]
	marks := photo.Fill(l, rand.New(rand.NewChaCha8(seed)))
	how := photo.Spoilings[i/len(layouts)%len(photo.Spoilings)]
	jpeg, truth, told := photo.Spoilt(l, marks, how, difficulty, seed)
	reading, err := readPhoto(jpeg, layouts)
	if err != nil {
		f.SpoiltRefused = 1
		return f
	}
	sold, as := sells(reading, truth)
	_, asked, _ := reading.Slip(nil)
	switch {
	case sold && (!as || !told):
		f.SpoiltWrong = 1
	case sold:
		f.SpoiltRight = 1
	case asked != nil:
		f.SpoiltAsked = 1
	default:
		f.SpoiltRefused = 1
	}
	return f
}

// sells tells whether a reading is a slip that is sold without a question, and
// whether that is the slip that was marked.
func sells(reading *paper.Reading, marks []paper.Mark) (sold, as bool) {
	slip, asked, err := reading.Slip(nil)
	if err != nil || asked != nil {
		return false, false
	}
	if _, err = wager.New(reading.Layout.Rules, slip); err != nil {
		return false, false
	}
	truth, asked, err := (&paper.Reading{Layout: reading.Layout, Marks: marks}).Slip(nil)
	return true, err == nil && asked == nil && reflect.DeepEqual(slip, truth)
}

func readPhoto(jpeg []byte, layouts []*paper.Layout) (*paper.Reading, error) {
	img, err := paper.Decode(bytes.NewReader(jpeg))
	if err != nil {
		return nil, err
	}
	s, err := paper.Look(img, func(code game.Code, version [8]byte) *game.Rules {
		for _, l := range layouts {
			if l.Rules.Code == code && [8]byte(l.Rules.Hash[:8]) == version {
				return l.Rules
			}
		}
		return nil
	})
	if err == nil && s.Reading == nil {
		err = paper.ErrStrangeCode
	}
	return s.Reading, err
}
