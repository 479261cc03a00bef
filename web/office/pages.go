package office

import (
	"net/url"
	"strconv"
)

// pages is where in a long list a page of it is.
type pages struct {
	First, Last, All int    // the lines shown, from 1, of so many
	Before, After    string // addresses of the pages beside it; "": there is none
}

// Parted tells that the list has more than one page.
func (p pages) Parted() bool { return p.Before != "" || p.After != "" }

// pagesOf is the page of a list of so many lines that an address asks for in a
// field; one beyond its ends is the first or the last.
func pagesOf(path string, q url.Values, field string, all, length int) pages {
	last := max(1, (all+length-1)/length)
	n, err := strconv.Atoi(q.Get(field))
	if err != nil {
		n = 1
	}
	n = min(max(1, n), last)
	address := func(n int) string {
		if n < 1 || n > last {
			return ""
		}
		other := url.Values{}
		for name, values := range q {
			if name != "fait" && name != "fichier" && name != "lang" {
				other[name] = values
			}
		}
		other.Set(field, strconv.Itoa(n))
		return path + "?" + other.Encode()
	}
	return pages{First: min(all, (n-1)*length+1), Last: min(all, n*length), All: all, Before: address(n - 1), After: address(n + 1)}
}
