package page

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// A request tells its client's address and whether it came encrypted, unless a
// proxy of ours has brought it: then the proxy does, in headers that anybody
// can write, so they are believed from the addresses in [App.Proxies] only.

// ClientOf names the client of a request for limits: its address, or its
// network of 64 bits when that is all an IPv6 client owns.
func (a *App) ClientOf(r *http.Request) string {
	at, ok := remote(r)
	if !ok {
		return r.RemoteAddr
	}
	if a.trusts(at) {
		at = a.forwarded(r, at)
	}
	if at.Is4() {
		return at.String()
	}
	p, err := at.Prefix(64)
	if err != nil {
		return at.String()
	}
	return p.String()
}

// forwarded is the last address that a request was sent from before it reached
// proxies of ours: what stands to the left of it in the header is hearsay.
func (a *App) forwarded(r *http.Request, proxy netip.Addr) netip.Addr {
	at := proxy
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		next, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			return at
		}
		if at = next.Unmap().WithZone(""); !a.trusts(at) {
			return at
		}
	}
	return at
}

// secure tells whether a request came encrypted, to us or to a proxy of ours.
func (a *App) secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	at, ok := remote(r)
	return ok && a.trusts(at) && r.Header.Get("X-Forwarded-Proto") == "https"
}

// private tells whether nobody between can read a session's token: the request
// came encrypted, or from this machine itself.
func (a *App) private(r *http.Request) bool {
	if a.secure(r) || a.Insecure {
		return true
	}
	at, ok := remote(r)
	return ok && at.IsLoopback() && !a.trusts(at)
}

func (a *App) trusts(at netip.Addr) bool {
	return slices.ContainsFunc(a.Proxies, func(p netip.Prefix) bool { return p.Contains(at) })
}

func remote(r *http.Request) (netip.Addr, bool) {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	return ap.Addr().Unmap().WithZone(""), err == nil
}
