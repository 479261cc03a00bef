package central

import (
	"crypto/hmac"
	"encoding/base64"
	"fmt"
	"strings"

	"tirage/wager"
)

// macBytes is how much of the HMAC a slip carries: 96 bits.
const macBytes = 12

// SignSlip writes a slip that a player prepared, with a signature
// (docs/slip.md). It is a slip, not a wager: nothing is sold by it.
func (s *System) SignSlip(w wager.Wager) string {
	text := wager.FormatSlip(w)
	return text + "~" + s.slipMAC(text)
}

// ReadSlip reads a slip that SignSlip wrote, checked against the rules in force.
// It returns [wager.ErrSlip] for text that is not one, and for one prepared
// under an earlier version of the rules; else what [wager.New] refuses.
func (s *System) ReadSlip(text string) (wager.Wager, error) {
	cut := strings.LastIndexByte(text, '~')
	if cut < 0 || !hmac.Equal([]byte(s.slipMAC(text[:cut])), []byte(text[cut+1:])) {
		return wager.Wager{}, fmt.Errorf("%w: %.40q", wager.ErrSlip, text)
	}
	slip, version, err := wager.ParseSlip(text[:cut])
	if err != nil {
		return wager.Wager{}, err
	}
	rules, err := s.Rules(slip.Game)
	if err != nil {
		return wager.Wager{}, err
	}
	if [8]byte(rules.Hash[:8]) != version {
		return wager.Wager{}, fmt.Errorf("%w: of rules %x of %s", wager.ErrSlip, version, slip.Game)
	}
	return wager.New(rules, slip)
}

func (s *System) slipMAC(text string) string {
	key := s.keys.mac(s.keys.Sealing, []byte("slip key"))
	mac := s.keys.mac(key, []byte(text))
	return base64.RawURLEncoding.EncodeToString(mac[:macBytes])
}
