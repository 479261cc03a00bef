package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"tirage/art"
)

// assets are the static files of a face, in memory, compressed once. Their
// folder is named by the hash of all of them, so that they may be kept for
// ever and refer to each other by relative names.
type assets struct {
	prefix string // "/static/terminal.3f2a…/"
	byName map[string]asset
}

type asset struct {
	kind    string // content type
	plain   []byte
	gzipped []byte // nil when it saves nothing
}

func newAssets(face string, files fs.FS) (*assets, error) {
	a := &assets{byName: map[string]asset{}}
	sum := sha256.New()
	add := func(name string, content []byte) (err error) {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(content), content)
		a.byName[name], err = newAsset(name, content)
		return err
	}
	addAll := func(files fs.FS, root, as string) error {
		return fs.WalkDir(files, root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			content, err := fs.ReadFile(files, name)
			if err != nil {
				return err
			}
			return add(as+strings.TrimPrefix(name, "static/"), content)
		})
	}
	err := addAll(files, "static", "")
	if face == "page" { // what all faces share
		err = errors.Join(err, addAll(art.Files, ".", "art/"), add("map.css", mapStyle()))
	}
	if err != nil {
		return nil, fmt.Errorf("static files: %w", err)
	}
	a.prefix = "/static/" + face + "." + hex.EncodeToString(sum.Sum(nil)[:6]) + "/"
	return a, nil
}

// kinds are the content types of what we serve, so that they do not hang on
// the machine's table.
var kinds = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".svg":   "image/svg+xml",
	".woff2": "font/woff2",
	".json":  "application/json",
	".png":   "image/png",
	".txt":   "text/plain; charset=utf-8",
	".ico":   "image/x-icon",
}

func newAsset(name string, content []byte) (asset, error) {
	f := asset{plain: content, kind: kinds[path.Ext(name)]}
	if f.kind == "" {
		if f.kind = mime.TypeByExtension(path.Ext(name)); f.kind == "" {
			f.kind = "application/octet-stream"
		}
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return asset{}, err
	}
	if _, err := z.Write(content); err != nil {
		return asset{}, err
	}
	if err := z.Close(); err != nil {
		return asset{}, err
	}
	if b.Len() < len(content)*9/10 {
		f.gzipped = b.Bytes()
	}
	return f, nil
}

// url returns the address of a file. A file that does not exist is a fault of the page.
func (a *assets) url(name string) (string, error) {
	if _, ok := a.byName[name]; !ok {
		return "", fmt.Errorf("no static file %s", name)
	}
	return a.prefix + name, nil
}

// ServeHTTP serves a file of the folder.
func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, ok := a.byName[strings.TrimPrefix(r.URL.Path, a.prefix)]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	body := f.plain
	if f.gzipped != nil {
		h.Set("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
			body = f.gzipped
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the client may have gone
	}
}
