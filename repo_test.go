package tirage

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"
)

const module = "tirage"

// layers lists every package, lowest first. A package may import packages of
// lower layers, never one of its own or of a higher layer.
var layers = [][]string{
	{"art", "internal/booktest", "internal/walk", "money", "rng"},
	{"game", "journal", "ledger", "party"},
	{"draw"},
	{"instant", "wager"},
	{"settle"},
	{"paper", "store"},
	{"internal/photo"},
	{"central"},
	{"internal/dbtest", "training"},
	{"internal/sim"},
	{"internal/script"},
	{"web/page"},
	{"web/page/pagetest"},
	{"web/api", "web/log", "web/office", "web/portal", "web/screen", "web/terminal"},
	{"web"},
	{"cmd/tirage"},
}

// aside lists the packages outside the layers and all that each may import.
var aside = map[string][]string{
	"verify":            {"game", "journal", "money", "rng"},
	"cmd/tirage-verify": {"verify"},
}

// pure lists the packages that take values and return values: no SQL, HTTP,
// context, file, goroutine, and time and randomness as arguments.
var pure = []string{"money", "rng", "game", "journal", "ledger", "party", "draw", "instant", "wager", "settle", "paper"}

// core lists the packages whose only panic is that of their assert.
var core = slices.Concat(pure, []string{"store", "central", "verify"})

// banned lists, per package, imports that neither it nor any package of this
// module that it depends on may have.
var banned = map[string][]string{
	"central": {"html/template", "math/rand", "math/rand/v2", "net/http"},
	"verify":  {"database/sql", "math/rand", "math/rand/v2", "net/http"},
}

func init() {
	for _, pkg := range pure {
		banned[pkg] = []string{
			"context", "crypto/rand", "database/sql", "log/slog", "math/rand", "math/rand/v2", "net", "net/http", "os",
		}
	}
}

// A source is a parsed Go file of the module.
type source struct {
	file string // from the root, with slashes
	pkg  string // its directory: "money", "web/page", "." for the root
	test bool
	ast  *ast.File
	fset *token.FileSet
}

func (s source) at(n ast.Node) string {
	return s.fset.Position(n.Pos()).String()
}

// files lists what the repository holds, from the root, with slashes. It walks
// the tree itself, rather than asking git or go, so that the test cache
// notices when a file changes.
var files = sync.OnceValues(func() ([]string, error) {
	var names []string
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || name == "tirage-demo"):
			return filepath.SkipDir
		case !d.IsDir():
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	})
	return names, err
})

// sources parses the Go files of the module.
var sources = sync.OnceValues(func() ([]source, error) {
	names, err := files()
	if err != nil {
		return nil, err
	}
	var all []source
	for _, name := range names {
		if !strings.HasSuffix(name, ".go") || strings.Contains(name, "testdata/") || strings.HasPrefix(name, "tools/") {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		all = append(all, source{name, path.Dir(name), strings.HasSuffix(name, "_test.go"), f, fset})
	}
	return all, nil
})

// must fails the test on an error of what every test here starts from.
func must[T any](t *testing.T, load func() (T, error)) T {
	t.Helper()
	v, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// imports gives what each package imports outside its tests.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	pkgs := map[string][]string{}
	for _, src := range must(t, sources) {
		if src.test {
			continue
		}
		pkgs[src.pkg] = slices.Grow(pkgs[src.pkg], 1) // every package is listed, importing or not
		for _, spec := range src.ast.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			pkgs[src.pkg] = append(pkgs[src.pkg], imp)
		}
	}
	return pkgs
}

func TestImportsGoDown(t *testing.T) {
	t.Parallel()
	level := map[string]int{}
	for i, names := range layers {
		for _, name := range names {
			level[name] = i + 1
		}
	}
	for name, imps := range imports(t) {
		allow, isAside := aside[name]
		if name != "." && level[name] == 0 && !isAside {
			t.Errorf("%s: new package: give it a layer", name)
			continue
		}
		for _, imp := range imps {
			dep, ours := strings.CutPrefix(imp, module+"/")
			switch {
			case !ours:
			case strings.HasPrefix(dep, "internal/") && !mayUse(name, dep):
				t.Errorf("%s imports %s: test support stays in tests", name, dep)
			case isAside && !slices.Contains(allow, dep):
				t.Errorf("%s imports %s: it may import only %v", name, dep, allow)
			case !isAside && (level[dep] == 0 || level[dep] >= level[name]):
				t.Errorf("%s imports %s, which is not below it", name, dep)
			}
		}
	}
}

// mayUse says whether a package may import dep, of internal/, outside its
// tests: internal/ builds upon itself, demo and bench have simulated sellers and photos.
func mayUse(name, dep string) bool {
	return strings.HasPrefix(name, "internal/") || slices.Contains([]string{"internal/photo", "internal/sim"}, dep) && strings.HasPrefix(name, "cmd/")
}

func TestImportsBanned(t *testing.T) {
	t.Parallel()
	pkgs := imports(t)
	for name, bad := range banned {
		seen := map[string]bool{}
		var walk func(string)
		walk = func(pkg string) {
			if seen[pkg] {
				return
			}
			seen[pkg] = true
			for _, imp := range pkgs[pkg] {
				if slices.Contains(bad, imp) {
					t.Errorf("%s must not depend on %s (through %s)", name, imp, pkg)
				}
				if dep, ours := strings.CutPrefix(imp, module+"/"); ours {
					walk(dep)
				}
			}
		}
		walk(name)
	}
}

func TestCoreHasNoGoroutineAndOnePanic(t *testing.T) {
	t.Parallel()
	for _, src := range must(t, sources) {
		if src.test || !slices.Contains(core, src.pkg) {
			continue
		}
		for _, decl := range src.ast.Decls {
			f, ok := decl.(*ast.FuncDecl)
			inAssert := ok && f.Name.Name == "assert"
			ast.Inspect(decl, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt:
					if slices.Contains(pure, src.pkg) {
						t.Errorf("%s: goroutine in a pure package", src.at(n))
					}
				case *ast.CallExpr:
					id, ok := n.Fun.(*ast.Ident)
					if ok && id.Name == "panic" && !inAssert {
						t.Errorf("%s: return an error, or assert", src.at(n))
					}
				}
				return true
			})
		}
	}
}

// An ident is an exported identifier of the module.
type ident struct {
	src    source
	node   ast.Node
	name   string
	doc    bool // it, or its group, has a comment
	member bool // a field or a method of an interface, or one that every reader knows
}

// knownMethods need no comment: their contract is that of the interface they make.
var knownMethods = []string{"Error", "Is", "MarshalText", "String", "UnmarshalText", "Unwrap"}

// idents lists the exported identifiers outside tests and commands.
func idents(t *testing.T) []ident {
	t.Helper()
	var all []ident
	for _, src := range must(t, sources) {
		if src.test {
			continue
		}
		add := func(id *ast.Ident, doc, member bool) {
			if id.IsExported() {
				all = append(all, ident{src, id, id.Name, doc, member})
			}
		}
		for _, decl := range src.ast.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				add(d.Name, d.Doc != nil, d.Recv != nil && (slices.Contains(knownMethods, d.Name.Name) || !ast.IsExported(receiver(d))))
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						add(s.Name, d.Doc != nil && !d.Lparen.IsValid() || s.Doc != nil, false)
						for _, id := range members(s.Type) {
							add(id, false, true)
						}
					case *ast.ValueSpec:
						// The values of an enumeration are told by its type's comment.
						first := d.Specs[0].(*ast.ValueSpec)
						enum := d.Tok == token.CONST && first.Type != nil
						for _, id := range s.Names {
							add(id, d.Doc != nil || s.Doc != nil || s.Comment != nil || enum, false)
						}
					}
				}
			}
		}
	}
	return all
}

// receiver names the type of a method's receiver.
func receiver(d *ast.FuncDecl) string {
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// members names the fields or methods of a type.
func members(typ ast.Expr) []*ast.Ident {
	var list *ast.FieldList
	switch x := typ.(type) {
	case *ast.StructType:
		list = x.Fields
	case *ast.InterfaceType:
		list = x.Methods
	default:
		return nil
	}
	var ids []*ast.Ident
	for _, f := range list.List {
		ids = append(ids, f.Names...)
	}
	return ids
}

func TestExportedHaveDocComments(t *testing.T) {
	t.Parallel()
	for _, id := range idents(t) {
		if !id.doc && !id.member {
			t.Errorf("%s: %s has no doc comment", id.src.at(id.node), id.name)
		}
	}
	has := map[string]bool{}
	for _, src := range must(t, sources) {
		if !src.test {
			has[src.pkg] = has[src.pkg] || src.ast.Doc != nil
		}
	}
	for pkg, ok := range has {
		if !ok {
			t.Errorf("%s has no package comment", pkg)
		}
	}
}

// wrongWords have another word in the glossary, docs/glossary.md.
var wrongWords = []string{"bet", "receipt", "void", "wallet", "coupon", "lucky dip"}

func TestExportedUseTheGlossary(t *testing.T) {
	t.Parallel()
	for _, id := range idents(t) {
		words := " " + words(id.name) + " "
		for _, wrong := range wrongWords {
			if strings.Contains(words, " "+wrong+" ") || strings.Contains(words, " "+wrong+"s ") {
				t.Errorf("%s: %s: %q has another word in docs/glossary.md", id.src.at(id.node), id.name, wrong)
			}
		}
	}
}

// words splits an identifier: "LuckyDipIDs" is "lucky dip ids".
func words(name string) string {
	var b strings.Builder
	var last rune
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(last) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		last = r
	}
	return b.String()
}

// isText says whether a file is one that people write.
func isText(name string) bool {
	switch path.Ext(name) {
	case ".go", ".sql", ".md", ".yaml", ".yml", ".html", ".js", ".css", ".txt", ".json", ".mod", ".cddl":
		return !strings.Contains(name, "testdata/fuzz/")
	}
	return slices.Contains([]string{"Makefile", ".ci/run", "tools/needs"}, name)
}

// leftOvers must not stay in a file.
var leftOvers = map[string]*regexp.Regexp{
	"work left to do":       regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|TO BE WRIT` + `TEN)\b`),
	"a path of one machine": regexp.MustCompile("(^|[\\s\"'`(=:])/(home|root|Users|work)/\\w"),
	"a skipped test":        regexp.MustCompile(`\bt\.Skip(f|Now)?\(`),
}

func TestNothingLeftOver(t *testing.T) {
	t.Parallel()
	for _, name := range must(t, files) {
		if !isText(name) {
			continue
		}
		for i, line := range strings.Split(read(t, name), "\n") {
			for what, re := range leftOvers {
				if re.MatchString(line) {
					t.Errorf("%s:%d: %s: %s", name, i+1, what, strings.TrimSpace(line))
				}
			}
		}
	}
}

var (
	mdLink   = regexp.MustCompile(`\[[^\]]*\]\(([^)\s]+)\)`)
	mdCode   = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	notASlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

func TestMarkdownLinksResolve(t *testing.T) {
	t.Parallel()
	for _, name := range must(t, files) {
		if path.Ext(name) != ".md" {
			continue
		}
		for _, m := range mdLink.FindAllStringSubmatch(mdCode.ReplaceAllString(read(t, name), ""), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, ":") {
				continue // another site
			}
			file := name
			if target != "" {
				file = path.Join(path.Dir(name), target)
			}
			if _, err := os.Stat(filepath.FromSlash(file)); err != nil {
				t.Errorf("%s: link to %s: no such file", name, m[1])
			} else if anchor != "" && !slices.Contains(headings(read(t, file)), anchor) {
				t.Errorf("%s: link to %s: no such heading", name, m[1])
			}
		}
	}
}

// headings gives the anchors of a page.
func headings(page string) []string {
	var slugs []string
	for line := range strings.Lines(page) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' {
			slug := notASlug.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			slugs = append(slugs, strings.ReplaceAll(slug, " ", "-"))
		}
	}
	return slugs
}

func TestFontsHaveTheirLicence(t *testing.T) {
	t.Parallel()
	for _, name := range must(t, files) {
		switch path.Ext(name) {
		case ".ttf", ".otf", ".woff", ".woff2":
			dir := filepath.FromSlash(path.Dir(name))
			var found []string
			for _, pattern := range []string{"*LICENSE*", "*OFL*"} {
				match, err := filepath.Glob(filepath.Join(dir, pattern))
				if err != nil {
					t.Fatal(err)
				}
				found = append(found, match...)
			}
			if found == nil {
				t.Errorf("%s: no licence beside it", name)
			}
		}
	}
}

func TestDependenciesHaveReasons(t *testing.T) {
	t.Parallel()
	block := ""
	for i, line := range strings.Split(read(t, "go.mod"), "\n") {
		line = strings.TrimSpace(line)
		code, comment, _ := strings.Cut(line, "//")
		word, rest, _ := strings.Cut(strings.TrimSpace(code), " ")
		switch {
		case rest == "(":
			block = word
			continue
		case word == ")":
			block = ""
			continue
		}
		isDependency := block == "require" || block == "replace" || word == "require" || word == "replace"
		if isDependency && code != "" && strings.TrimSpace(comment) == "" {
			t.Errorf("go.mod:%d: say beside it why: %s", i+1, line)
		}
	}
}
