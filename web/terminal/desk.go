package terminal

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tirage/game"
	"tirage/money"
	"tirage/wager"
	"tirage/web/page"
)

// desk is the state of the screen: the slip that is being filled in, and the
// slips in the basket. It is written in the screen's address, and its forms
// carry it along.
type desk struct {
	draft slip
	slips []slip
}

// slip is a wager to sell and the key of its sale.
type slip struct {
	key   string
	picks game.Picks // by matrix, as ticked
	flash bool       // a quick pick completes it
	stake money.Amount
	draws int
}

const (
	slipsMax    = 20 // in a basket
	picksMax    = 64 // ticks read of one matrix; the rules refuse far fewer
	keyMax      = 64 // bytes
	elementsMax = 1000
	drawsMax    = 1000
)

// blank tells whether nothing is marked.
func (s slip) blank() bool {
	return s.stake == 0 && s.draws == 0 && !slices.ContainsFunc(s.picks, func(p []int) bool { return len(p) > 0 })
}

// wager returns the slip as the central system takes it.
func (s slip) wager(code game.Code) wager.Slip {
	return wager.Slip{Game: code, Boards: []wager.Board{{Picks: s.picks, QuickPick: s.flash}}, Stake: s.stake, Draws: s.draws}
}

// readDesk reads the screen's state from a form or an address, marks as they
// are, right or wrong: only the rules judge them. What no page of ours writes is [page.ErrForm].
func readDesk(v url.Values, r *game.Rules) (desk, error) {
	var d desk
	var err error
	d.draft.picks = make(game.Picks, len(r.Matrices))
	for i, m := range r.Matrices {
		if d.draft.picks[i], err = readElements(v[m.Key]); err != nil {
			return d, err
		}
	}
	if d.draft.stake, err = readCents(v.Get("stake")); err != nil {
		return d, err
	}
	if d.draft.draws, err = readCount(v.Get("draws"), drawsMax); err != nil {
		return d, err
	}
	if d.draft.key = v.Get("key"); len(d.draft.key) > keyMax {
		return d, fmt.Errorf("%w: key", page.ErrForm)
	}
	if len(v["slip"]) > slipsMax {
		return d, fmt.Errorf("%w: %d slips", page.ErrForm, len(v["slip"]))
	}
	for _, text := range v["slip"] {
		s, err := parseSlip(text, len(r.Matrices))
		if err != nil {
			return d, err
		}
		if !slices.ContainsFunc(d.slips, func(other slip) bool { return other.key == s.key }) {
			d.slips = append(d.slips, s)
		}
	}
	return d, nil
}

func readElements(texts []string) ([]int, error) {
	if len(texts) > picksMax {
		return nil, fmt.Errorf("%w: %d ticks", page.ErrForm, len(texts))
	}
	var list []int
	for _, text := range texts {
		n, err := readCount(text, elementsMax)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	slices.Sort(list)
	return list, nil
}

// readCount reads a whole number from 0 to most; nothing is 0.
func readCount(text string, most int) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || int(n) > most {
		return 0, fmt.Errorf("%w: number %.20q", page.ErrForm, text)
	}
	return int(n), nil
}

// readCents reads an amount in cents, as our forms write it; nothing is 0.
func readCents(text string) (money.Amount, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%w: amount %.20q", page.ErrForm, text)
	}
	return money.Amount(n), nil
}

// values writes the state for an address; without the draft's key, for each
// page that is shown makes a new one.
func (d desk) values(r *game.Rules) url.Values {
	v := url.Values{}
	for i, m := range r.Matrices {
		for _, n := range d.draft.picks[i] {
			v.Add(m.Key, strconv.Itoa(n))
		}
	}
	if d.draft.stake > 0 {
		v.Set("stake", strconv.FormatInt(int64(d.draft.stake), 10))
	}
	if d.draft.draws > 0 {
		v.Set("draws", strconv.Itoa(d.draft.draws))
	}
	for _, s := range d.slips {
		v.Add("slip", s.String())
	}
	return v
}

// address is the desk's page in this state.
func (d desk) address(r *game.Rules) string {
	if v := d.values(r); len(v) > 0 {
		return pathDesk + "?" + v.Encode()
	}
	return pathDesk
}

// String writes a slip of the basket: key~cents~draws~flash~1.2.3-1, elements
// with dots between, matrices with dashes.
func (s slip) String() string {
	matrices := make([]string, len(s.picks))
	for i, picks := range s.picks {
		words := make([]string, len(picks))
		for j, n := range picks {
			words[j] = strconv.Itoa(n)
		}
		matrices[i] = strings.Join(words, ".")
	}
	flash := ""
	if s.flash {
		flash = "f"
	}
	return strings.Join([]string{
		s.key, strconv.FormatInt(int64(s.stake), 10), strconv.Itoa(s.draws), flash, strings.Join(matrices, "-"),
	}, "~")
}

// parseSlip reads what [slip.String] writes, of a game of so many matrices.
func parseSlip(text string, matrices int) (s slip, err error) {
	bad := fmt.Errorf("%w: slip %.40q", page.ErrForm, text)
	f := strings.Split(text, "~")
	if len(f) != 5 || f[0] == "" || len(f[0]) > keyMax || (f[3] != "" && f[3] != "f") {
		return s, bad
	}
	s.key, s.flash = f[0], f[3] == "f"
	if s.stake, err = readCents(f[1]); err != nil {
		return s, bad
	}
	if s.draws, err = readCount(f[2], drawsMax); err != nil {
		return s, bad
	}
	parts := strings.Split(f[4], "-")
	if len(parts) != matrices {
		return s, bad
	}
	for _, part := range parts {
		var words []string
		if part != "" {
			words = strings.Split(part, ".")
		}
		picks, err := readElements(words)
		if err != nil {
			return s, bad
		}
		s.picks = append(s.picks, picks)
	}
	return s, nil
}
