package party

import (
	"fmt"
	"net/netip"
	"strings"
)

// Printer is a network printer that takes what it prints as it comes (raw, port 9100).
type Printer struct {
	Address netip.AddrPort
	Auto    bool // it prints each ticket as it is sold
}

// ParsePrinter reads the address of a printer, "192.0.2.7:9100" or
// "[2001:db8::7]:9100", or returns [ErrPrinter]. A name is none: what it stands
// for may change after it was allowed.
func ParsePrinter(text string) (netip.AddrPort, error) {
	at, err := netip.ParseAddrPort(strings.TrimSpace(text))
	if err != nil || at.Port() == 0 || at.Addr().Zone() != "" || at.Addr().IsUnspecified() || at.Addr().IsMulticast() {
		return netip.AddrPort{}, fmt.Errorf("%w: %.60q", ErrPrinter, text)
	}
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port()), nil
}
