package central

import (
	"crypto/hmac"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"tirage/wager"
)

// macBytes is how much of the HMAC a slip carries: 96 bits.
const macBytes = 12

// SignSlip writes a slip that a player prepared, with a signature
// (docs/slip.md); it holds until an instant, whole seconds of it. It is a slip,
// not a wager: nothing is sold by it.
func (s *System) SignSlip(w wager.Wager, until time.Time) string {
	text := wager.FormatSlip(w, until)
	return text + "~" + s.slipMAC(text)
}

// ReadSlip reads a slip that SignSlip wrote, checked against the rules in force.
// It returns [wager.ErrSlip] for text that is not one, [wager.ErrSlipChanged]
// and [wager.ErrSlipForeign] for one that this lottery did not sign,
// [wager.ErrSlipExpired], and [wager.ErrSlipRules] for one prepared under
// another version of the rules; else what [wager.New] refuses.
func (s *System) ReadSlip(text string) (wager.Wager, error) {
	cut := strings.LastIndexByte(text, '~')
	if cut < 0 {
		return wager.Wager{}, fmt.Errorf("%w: %.40q", wager.ErrSlip, text)
	}
	slip, err := wager.ParseSlip(text[:cut])
	if err != nil {
		return wager.Wager{}, err
	}
	rules, err := s.Rules(slip.Game)
	switch signed := hmac.Equal([]byte(s.slipMAC(text[:cut])), []byte(text[cut+1:])); {
	case !signed && errors.Is(err, ErrUnknownGame):
		return wager.Wager{}, fmt.Errorf("%w: %.40q", wager.ErrSlipForeign, slip.Game)
	case !signed:
		return wager.Wager{}, fmt.Errorf("%w: of %.40q", wager.ErrSlipChanged, slip.Game)
	case err != nil:
		return wager.Wager{}, err
	case s.Now().After(slip.Until):
		return wager.Wager{}, &wager.SlipExpiredError{Until: slip.Until}
	case [8]byte(rules.Hash[:8]) != slip.Rules:
		return wager.Wager{}, fmt.Errorf("%w: %x of %s", wager.ErrSlipRules, slip.Rules, slip.Game)
	}
	return wager.New(rules, slip.Slip)
}

func (s *System) slipMAC(text string) string {
	key := s.keys.mac(s.keys.Sealing, []byte("slip key"))
	mac := s.keys.mac(key, []byte(text))
	return base64.RawURLEncoding.EncodeToString(mac[:macBytes])
}
