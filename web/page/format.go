package page

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"tirage/game"
	"tirage/money"
)

const (
	nbsp   = "\u00a0" // no-break space, before € and between words that stay together
	narrow = "\u202f" // narrow no-break space, between thousands
)

// Zone of Paris, in which draws are announced.
var zoneParis = mustZone("Europe/Paris")

func mustZone(name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		panic("page: " + err.Error())
	}
	return z
}

// ParisZone is the zone in which draws are announced.
func ParisZone() *time.Location { return zoneParis }

// Money writes an amount as the language does, always with its cents:
// "1 234,50 €" in French, "€1,234.50" in English. It is never cut.
func (l Lang) Money(a money.Amount) string {
	sign, euros, cents := "", int64(a)/100, int64(a)%100
	if a < 0 {
		sign, euros, cents = "−", -euros, -cents
	}
	if l == English {
		return fmt.Sprintf("%s€%s.%02d", sign, l.Number(euros), cents)
	}
	return fmt.Sprintf("%s%s,%02d%s€", sign, l.Number(euros), cents, nbsp)
}

// Euros writes an amount without its cents when it has none, for keys and
// boxes: "2 €", "€2".
func (l Lang) Euros(a money.Amount) string {
	if a < 0 || a%100 != 0 {
		return l.Money(a)
	}
	if l == English {
		return "€" + l.Number(int64(a)/100)
	}
	return l.Number(int64(a)/100) + nbsp + "€"
}

// Number writes a whole number with its thousands apart.
func (l Lang) Number(n int64) string {
	sep := narrow
	if l == English {
		sep = ","
	}
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "−", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + sep + s[i:]
	}
	return sign + s
}

var (
	weekdaysFR = [...]string{"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"}
	monthsFR   = [...]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"}
)

// Day writes a day in words: "lundi 30 novembre 2026", "Monday 30 November 2026".
func (l Lang) Day(d game.Day) string {
	at := d.At(12*time.Hour, time.UTC)
	if l == English {
		return at.Format("Monday 2 January 2006")
	}
	day := strconv.Itoa(at.Day())
	if at.Day() == 1 {
		day = "1er"
	}
	return fmt.Sprintf("%s %s %s %d", weekdaysFR[at.Weekday()], day, monthsFR[at.Month()-1], at.Year())
}

// ShortDay writes a day in figures, day first in both languages: "30/11/2026".
func (l Lang) ShortDay(d game.Day) string {
	return d.At(12*time.Hour, time.UTC).Format("02/01/2006")
}

// Paris writes the time of day of a draw where it is drawn: "12:05 (heure de Paris)".
func (l Lang) Paris(at time.Time) string {
	clock := at.In(zoneParis).Format("15:04")
	if l == English {
		return clock + nbsp + "(Paris time)"
	}
	return clock + nbsp + "(heure de" + nbsp + "Paris)"
}

// Moment writes an instant in a zone: "30/11/2026 à 12:05", "30/11/2026 at 12:05".
func (l Lang) Moment(at time.Time, zone *time.Location) string {
	word := "à"
	if l == English {
		word = "at"
	}
	return l.ShortDay(game.DayOf(at, zone)) + nbsp + word + nbsp + at.In(zone).Format("15:04")
}

// grouped is an amount whose thousands stand apart as English writes them.
var grouped = regexp.MustCompile(`^[0-9]{1,3}(,[0-9]{3})+(\.[0-9]{2})?$`)

// ParseMoney reads an amount as people write it: "1 250,50", "1250.50", "1250",
// "12,50 €", and in English "1,250.50". "1,250" is 1250 in English and nothing in
// French, where it could be meant as 1.25. Refusals: those of [money.Parse].
func (l Lang) ParseMoney(text string) (money.Amount, error) {
	text = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "€", "").Replace(text)
	if l == English && grouped.MatchString(text) {
		text = strings.ReplaceAll(text, ",", "")
	}
	return money.Parse(strings.Replace(text, ",", ".", 1))
}
