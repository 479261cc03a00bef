package game

import (
	"embed"
	"errors"
	"fmt"
	"strings"
)

//go:embed rules/*.yaml
var books embed.FS

// ErrBook is a game that has no rule book in the program.
var ErrBook = errors.New("no such rule book")

// Embedded returns the games whose rule books come with the program, in order.
func Embedded() []Code {
	files, err := books.ReadDir("rules")
	assert(err == nil, "no embedded rule books")
	codes := make([]Code, len(files))
	for i, f := range files {
		codes[i] = Code(strings.TrimSuffix(f.Name(), ".yaml"))
	}
	return codes
}

// Book returns the rule book of an embedded game, or [ErrBook].
func Book(code Code) ([]byte, error) {
	text, err := books.ReadFile("rules/" + string(code) + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("%w: %.40q", ErrBook, string(code))
	}
	return text, nil
}
