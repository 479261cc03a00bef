package instant

import (
	"embed"
	"fmt"
	"strings"

	"tirage/game"
)

//go:embed rules/*.yaml
var books embed.FS

// Codes returns the instant games whose rule books come with the program, in order.
func Codes() []game.Code {
	files, err := books.ReadDir("rules")
	assert(err == nil, "no embedded rule books")
	codes := make([]game.Code, len(files))
	for i, f := range files {
		codes[i] = game.Code(strings.TrimSuffix(f.Name(), ".yaml"))
	}
	return codes
}

// Book returns the rule book of an embedded game, or [game.ErrBook].
func Book(code game.Code) ([]byte, error) {
	text, err := books.ReadFile("rules/" + string(code) + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("%w: %.40q", game.ErrBook, string(code))
	}
	return text, nil
}
