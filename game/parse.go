package game

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"tirage/money"
)

// BookMax is the greatest length of a rule book in bytes: a book travels in
// one journal record, which is under 65,535 bytes.
const BookMax = 60_000

// Fault is one thing that is wrong in a rule book.
type Fault struct {
	File                string
	Line                int // from 1; the line of the wrong value
	What, Expected, Got string
}

// Error writes the fault as "FILE:LINE: what, expected X, got Y".
func (f Fault) Error() string {
	return fmt.Sprintf("%s:%d: %s, expected %s, got %s", f.File, f.Line, f.What, f.Expected, f.Got)
}

// Parse reads a rule book, strictly, and checks that what it prints (odds,
// counts, prizes by stake, return) agrees to the digit with what follows from
// its rules. Name is the file's name, for faults. The error joins one [Fault]
// a wrong value, in the order of lines; figures are only checked once the book
// is well-formed.
func Parse(name string, text []byte) (*Rules, error) {
	p, root := Read(name, text)
	if root == nil {
		return nil, p.Err()
	}
	r := &Rules{Hash: sha256.Sum256(text), Bytes: bytes.Clone(text)}
	b := &book{Reader: p, rules: r}
	b.readBook(root)
	if len(p.faults) > 0 {
		return nil, p.Err()
	}
	b.check()
	if len(p.faults) > 0 {
		return nil, p.Err()
	}
	return r, nil
}

// Reader reads the nodes of a rule book's YAML, strictly, and collects what is
// wrong with them. Each of its methods that read a value takes nil for a key
// that is not there, and then gives the default, or nothing, as it does after a fault.
type Reader struct {
	file   string
	faults []Fault
}

// Read begins to read a rule book: root is its one YAML document, nil after a
// fault. Anchors, aliases and tags are faults, which root does not show. Name is
// the file's name, for faults.
func Read(name string, text []byte) (p *Reader, root *yaml.Node) {
	p = &Reader{file: name}
	root = p.document(text)
	if root != nil {
		p.refuseReferences(root)
	}
	return p, root
}

// Err joins the faults in the order of lines; nil if there are none.
func (p *Reader) Err() error {
	slices.SortStableFunc(p.faults, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	errs := make([]error, len(p.faults))
	for i, f := range p.faults {
		errs[i] = f
	}
	return errors.Join(errs...)
}

// Fault notes a fault.
func (p *Reader) Fault(line int, what, expected, got string) {
	p.faults = append(p.faults, Fault{p.file, line, what, expected, got})
}

// Wrong is the fault of a node's value.
func (p *Reader) Wrong(n *yaml.Node, what, expected string) {
	p.Fault(n.Line, what, expected, describe(n))
}

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return fmt.Sprintf("a list of %d", len(n.Content))
	case yaml.AliasNode:
		return "an alias"
	case yaml.ScalarNode, yaml.DocumentNode:
	}
	return plain(n.Value)
}

// plain returns a short value as it stands, and quotes and cuts any other, so that a fault is one line.
func plain(s string) string {
	switch {
	case s == "":
		return "nothing"
	case len(s) > 60 || strings.ContainsFunc(s, func(c rune) bool { return c == utf8.RuneError || !unicode.IsPrint(c) }):
		return fmt.Sprintf("%.60q", s)
	}
	return s
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)`)

// document returns the root of the one YAML document in text, or nil after a fault.
func (p *Reader) document(text []byte) *yaml.Node {
	if len(text) > BookMax {
		p.Fault(1, "rule book", fmt.Sprintf("at most %d bytes", BookMax), strconv.Itoa(len(text)))
		return nil
	}
	if !utf8.Valid(text) {
		p.Fault(1, "rule book", "UTF-8 text", "other bytes")
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, second yaml.Node
	if err := decoder.Decode(&document); err != nil {
		p.syntax(err)
		return nil
	}
	switch err := decoder.Decode(&second); {
	case errors.Is(err, io.EOF) && len(document.Content) == 1:
		return document.Content[0]
	case err != nil:
		p.syntax(err)
	default:
		p.Fault(second.Line, "rule book", "one YAML document", "another one")
	}
	return nil
}

func (p *Reader) syntax(err error) {
	if errors.Is(err, io.EOF) {
		p.Fault(1, "rule book", "a YAML document", "nothing")
		return
	}
	line := 1
	text := err.Error()
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = n
		}
		text = m[2]
	}
	p.Fault(line, "rule book", "YAML", plain(text))
}

// refuseReferences faults anchors, aliases and explicit tags, which make a
// text mean more than it shows. Nothing ever expands an alias.
func (p *Reader) refuseReferences(n *yaml.Node) {
	switch {
	case n.Kind == yaml.AliasNode:
		p.Fault(n.Line, "rule book", "no aliases", plain("*"+n.Value))
	case n.Anchor != "":
		p.Fault(n.Line, "rule book", "no anchors", plain("&"+n.Anchor))
	case n.Style&yaml.TaggedStyle != 0:
		p.Fault(n.Line, "rule book", "no tags", plain(n.Tag))
	}
	for _, child := range n.Content {
		p.refuseReferences(child)
	}
}

// Section is a mapping of a rule book and the keys that it may have.
type Section struct {
	Name               string
	Required, Optional []string
}

// Fields returns the values of a mapping by key, with a fault for a key that
// is unknown, missing or there twice.
func (p *Reader) Fields(n *yaml.Node, s Section) map[string]*yaml.Node {
	fields := map[string]*yaml.Node{}
	if n == nil {
		return fields
	}
	if n.Kind != yaml.MappingNode {
		p.Wrong(n, s.Name, "a mapping")
		return fields
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		known := slices.Contains(s.Required, key.Value) || slices.Contains(s.Optional, key.Value)
		switch {
		case key.Kind != yaml.ScalarNode || !known:
			p.Wrong(key, s.Name+": key", "one of "+strings.Join(slices.Concat(s.Required, s.Optional), ", "))
		case fields[key.Value] != nil:
			p.Wrong(key, s.Name+": key", "each key once")
		default:
			fields[key.Value] = value
		}
	}
	for _, key := range s.Required {
		if fields[key] == nil {
			p.Fault(n.Line, s.Name+": "+key, "a value", "nothing")
		}
	}
	return fields
}

// List returns the items of a sequence of lo to hi items.
func (p *Reader) List(n *yaml.Node, what string, lo, hi int) []*yaml.Node {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode || len(n.Content) < lo || len(n.Content) > hi {
		p.Wrong(n, what, fmt.Sprintf("a list of %d to %d", lo, hi))
		return nil
	}
	return n.Content
}

// Scalar returns the text of a scalar as written; ok is false, after a fault,
// for anything else, null and booleans included.
func (p *Reader) Scalar(n *yaml.Node, what, expected string) (text string, ok bool) {
	if n == nil {
		return "", false
	}
	if n.Kind == yaml.ScalarNode {
		switch n.ShortTag() {
		case "!!str", "!!int", "!!float", "!!timestamp":
			return n.Value, true
		}
	}
	p.Wrong(n, what, expected)
	return "", false
}

// Text reads words of 1 to most bytes, printable, without spaces around them.
func (p *Reader) Text(n *yaml.Node, what string, most int) string {
	expected := fmt.Sprintf("printable text of 1 to %d bytes", most)
	s, ok := p.Scalar(n, what, expected)
	if !ok {
		return ""
	}
	odd := func(c rune) bool { return !unicode.IsPrint(c) }
	if s == "" || len(s) > most || s != strings.TrimSpace(s) || strings.ContainsFunc(s, odd) {
		p.Wrong(n, what, expected)
		return ""
	}
	return s
}

var slugForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Slug reads a key: lower-case letters, digits and single hyphens.
func (p *Reader) Slug(n *yaml.Node, what string) string {
	const expected = "a key of at most 40 lower-case letters, digits and hyphens"
	s, ok := p.Scalar(n, what, expected)
	if !ok {
		return ""
	}
	if len(s) > 40 || !slugForm.MatchString(s) {
		p.Wrong(n, what, expected)
		return ""
	}
	return s
}

// Whole reads a decimal integer from lo to hi.
func (p *Reader) Whole(n *yaml.Node, what string, lo, hi, missing int) int {
	if n == nil {
		return missing
	}
	expected := fmt.Sprintf("a whole number from %d to %d", lo, hi)
	s, ok := p.Scalar(n, what, expected)
	if !ok {
		return missing
	}
	i, err := strconv.Atoi(s)
	if err != nil || strconv.Itoa(i) != s || i < lo || i > hi || n.ShortTag() != "!!int" {
		p.Wrong(n, what, expected)
		return missing
	}
	return i
}

// Amount reads euros, "20000" or "1.50", more than zero.
func (p *Reader) Amount(n *yaml.Node, what string) money.Amount {
	const expected = "an amount such as 20000 or 1.50"
	s, ok := p.Scalar(n, what, expected)
	if !ok {
		return 0
	}
	a, err := money.Parse(s)
	switch {
	case errors.Is(err, money.ErrLimit):
		p.Wrong(n, what, "at most "+money.Limit.String())
		return 0
	case err != nil || a == 0:
		p.Wrong(n, what, expected)
		return 0
	}
	return a
}

// Words reads a text in French and English, of at most 120 bytes each.
func (p *Reader) Words(n *yaml.Node, what string) Text {
	if n == nil {
		return Text{}
	}
	f := p.Fields(n, textSection)
	return Text{FR: p.Text(f["fr"], what+": fr", 120), EN: p.Text(f["en"], what+": en", 120)}
}

// Day reads a day, "2017-09-04".
func (p *Reader) Day(n *yaml.Node, what string) Day {
	const expected = "a day such as 2017-09-04"
	s, ok := p.Scalar(n, what, expected)
	if !ok {
		return 0
	}
	day, err := ParseDay(s)
	if err != nil {
		p.Wrong(n, what, expected)
	}
	return day
}

var zoneForm = regexp.MustCompile(`^(UTC|[A-Za-z]+(/[A-Za-z_-]+)+)$`)

// Zone reads the name of a time zone; missing is the default.
func (p *Reader) Zone(n *yaml.Node, what, missing string) *time.Location {
	const expected = "an IANA time zone such as Europe/Paris"
	name, ok := p.Scalar(n, what, expected)
	if !ok {
		name = missing
	}
	zone, err := time.LoadLocation(name)
	if err != nil || !zoneForm.MatchString(name) {
		p.Wrong(n, what, expected)
		return time.UTC
	}
	return zone
}

var clockForm = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)

// clock reads a time of day, "04:10".
func (p *Reader) clock(n *yaml.Node, what string, missing time.Duration) time.Duration {
	const expected = "a time of day such as 04:10"
	s, ok := p.Scalar(n, what, expected)
	if !ok {
		return missing
	}
	if !clockForm.MatchString(s) {
		p.Wrong(n, what, expected)
		return missing
	}
	hours, minutes := int(s[0]-'0')*10+int(s[1]-'0'), int(s[3]-'0')*10+int(s[4]-'0')
	return time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
}

var durationForm = regexp.MustCompile(`^([0-9]{1,2}h)?([0-9]{1,4}m)?([0-9]{1,5}s)?$`)

// duration reads a length of time, "20s", "5m" or "1h30m", from 1 s to 24 h.
func (p *Reader) duration(n *yaml.Node, what string, missing time.Duration) time.Duration {
	const expected = "a length of time from 1s to 24h such as 20s, 5m or 1h30m"
	s, ok := p.Scalar(n, what, expected)
	if !ok {
		return missing
	}
	d, err := time.ParseDuration(s)
	if err != nil || !durationForm.MatchString(s) || d < time.Second || d > 24*time.Hour {
		p.Wrong(n, what, expected)
		return missing
	}
	return d
}

// Agrees compares a printed figure, if there is one, to the digit.
func (p *Reader) Agrees(n *yaml.Node, what, want string) {
	if got, ok := p.Scalar(n, what, want); ok && got != want {
		p.Wrong(n, what, want)
	}
}

// Choice reads one of the named values; the first one is the default.
func Choice[E fmt.Stringer](p *Reader, n *yaml.Node, what string, values ...E) E {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = v.String()
	}
	expected := strings.Join(names, " or ")
	if s, ok := p.Scalar(n, what, expected); ok {
		if i := slices.Index(names, s); i >= 0 {
			return values[i]
		}
		p.Wrong(n, what, expected)
	}
	return values[0]
}
