package terminal

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"tirage/central"
	"tirage/party"
	"tirage/web/page"
)

// frame is what each page beside the desk needs: who sells, what he owes, where
// the other pages are, and the desk as it was left.
type frame struct {
	page.Base
	Outlet  party.Outlet
	Zone    *time.Location
	Account central.Account
	Menu    []link
	Back    string // the desk as it was left
}

// link leads to a page of the face.
type link struct {
	Name    string // a sentence
	Address string
	Key     string // of the keyboard
	Here    bool
	Count   int // of what is new there; 0: nothing is
}

// places are the pages that the menu leads to.
var places = []link{
	{Name: "menu.results", Address: pathResults, Key: "F3"},
	{Name: "menu.account", Address: pathAccount, Key: "F7"},
	{Name: "menu.notices", Address: pathNotices, Key: "F6"},
	{Name: "menu.vouchers", Address: pathVoucher, Key: "F8"},
	{Name: "menu.help", Address: pathHelp, Key: "F1"},
}

// menu leads to the pages, each with the state of the desk in its address.
func (t *terminal) menu(here string, state url.Values) []link {
	all := places
	if t.trains {
		all = append(slices.Clip(places), link{Name: "menu.training", Address: pathTraining, Key: "F10"})
	}
	list := make([]link, len(all))
	for i, l := range all {
		l.Here = l.Address == here
		l.Address = withState(l.Address, state)
		list[i] = l
	}
	return list
}

// frame is that of a page; the state of the desk stands in its address.
func (t *terminal) frame(r *http.Request, s seat, title, here string) (frame, error) {
	f := frame{
		Base: face.Base(r, title), Outlet: s.outlet, Zone: s.zone,
		Menu: t.menu(here, r.URL.Query()), Back: withState(pathDesk, r.URL.Query()),
	}
	countIn(f.Menu, t.unread(r, s))
	var err error
	f.Account, err = t.app.Sys.OutletAccount(s.outlet.ID)
	return f, err
}

// countIn says in the menu how many messages are new.
func countIn(menu []link, unread int) {
	for i := range menu {
		if menu[i].Name == "menu.notices" {
			menu[i].Count = unread
		}
	}
}
