package screen

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
)

// build names the files of the face: a screen that runs for months loads its
// page again when a new program serves others. (A change of the page's shared
// files alone waits for the next change here.)
func build() string {
	sum := sha256.New()
	for _, pattern := range []string{"static/*", "templates/*", "active.*.yaml"} {
		names, _ := fs.Glob(files, pattern) // fails on a bad pattern only
		for _, name := range names {
			b, _ := files.ReadFile(name) // embedded
			sum.Write(b)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}
