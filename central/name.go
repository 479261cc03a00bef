package central

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// What a person is called, as it is kept, and as it is compared: so that no way
// of writing it makes another person (one account each, INS-online).

const nameMax = 100 // characters

// normalName writes a name with single spaces; "" when it is none: as
// [normalPlace], and with a number in it.
func normalName(name string) string {
	if strings.ContainsFunc(name, unicode.IsNumber) {
		return ""
	}
	return normalPlace(name)
}

// normalPlace writes a name of a place with single spaces; "" when it is none:
// too long, without a letter, with characters that do not show, or with letters
// that pass for those of another alphabet.
func normalPlace(name string) string {
	if !utf8.ValidString(name) {
		return ""
	}
	name = strings.Join(strings.Fields(norm.NFC.String(name)), " ")
	if utf8.RuneCountInString(name) > nameMax || strings.ContainsFunc(name, hides) || folded(name) == "" || mixed(name) {
		return ""
	}
	return name
}

// hides tells whether a character shows nothing, or changes how others show.
func hides(r rune) bool {
	return !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// alphabets are scripts that a name may be written in together.
var alphabets = [][]*unicode.RangeTable{
	{unicode.Latin},
	{unicode.Greek},
	{unicode.Cyrillic},
	{unicode.Armenian},
	{unicode.Georgian},
	{unicode.Arabic},
	{unicode.Hebrew},
	{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo},
	{unicode.Han, unicode.Hangul},
}

// mixed tells whether a name has letters of several alphabets, as one with a
// Cyrillic А among Latin letters, or Latin letters of no language's names,
// which only pass for others: ɑ, ᴀ.
func mixed(name string) bool {
	if strings.ContainsFunc(folded(name), func(r rune) bool { return r > unicode.MaxASCII && unicode.Is(unicode.Latin, r) }) {
		return true
	}
	other := func(r rune) bool { return !unicode.IsLetter(r) || unicode.In(r, unicode.Common, unicode.Inherited) }
	letters := slices.DeleteFunc([]rune(name), other)
	some := false
	for _, scripts := range alphabets {
		among := 0
		for _, r := range letters {
			if unicode.In(r, scripts...) {
				among++
			}
		}
		if among == len(letters) {
			return false
		}
		some = some || among > 0
	}
	return some
}

// unfolded is what neither decomposes nor folds to the letters that it is
// written with elsewhere.
var unfolded = strings.NewReplacer(
	"œ", "oe", "æ", "ae", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i", "ħ", "h", "ŋ", "n", "ŧ", "t",
	"ə", "e", "ǝ", "e", "ɛ", "e", "ɔ", "o", "ɓ", "b", "ɗ", "d", "ɖ", "d", "ƙ", "k", "ƴ", "y", "ɣ", "g", "ʋ", "v",
)

// folded leaves of a name its letters and digits: case, accents, hyphens,
// apostrophes and spaces do not make another person.
func folded(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(unfolded.Replace(cases.Fold().String(norm.NFKC.String(name)))) {
		if unicode.IsLetter(r) && !unicode.Is(unicode.Lm, r) || unicode.IsDigit(r) { // ʼ is a letter to Unicode
			b.WriteRune(r)
		}
	}
	return b.String()
}

// foldedPlace is folded, of a place: "St-Denis" is Saint-Denis.
func foldedPlace(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) })
	for i, w := range words {
		switch folded(w) {
		case "st":
			words[i] = "saint"
		case "ste":
			words[i] = "sainte"
		}
	}
	return folded(strings.Join(words, " "))
}

// folded is both names in both orders, for the search of officers.
func (p Person) folded() string {
	first, last := folded(p.FirstName), folded(p.LastName)
	return first + last + " " + last + first
}

// identity is what no two accounts have in common: a keyed hash of both names,
// whichever comes first, birth date and place. Who reads the database cannot
// try persons against it.
func (k Keys) identity(p Person) [32]byte {
	names := []string{folded(p.FirstName), folded(p.LastName)}
	slices.Sort(names)
	who := strings.Join(append(names, p.BirthDay.String(), foldedPlace(p.BirthPlace)), "\x00")
	return k.mac(k.Sealing, []byte("person\x00"), []byte(who))
}
