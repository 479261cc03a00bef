package main

import (
	"slices"
	"strings"
	"testing"

	"tirage/verify"
)

// TestTell: somebody who looks at it sees one line a percent, and none is left behind.
func TestTell(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	tell, wipe := tell(&b, wordsOf("en"))
	for done := range uint64(450_000) {
		tell(verify.StageDerive, done, 450_000)
	}
	tell(verify.StageBoards, 0, 0)
	wipe()
	lines := strings.Split(b.String(), "\r\x1b[K")
	if len(lines) != 103 || lines[100] != "Deriving the pool: 99 % of 450000 units" || lines[102] != "" {
		t.Errorf("%d lines: %q", len(lines), lines[max(0, len(lines)-4):])
	}
}

// TestLogAt: a lottery's address leads to its log, and that of a log or a folder to itself.
func TestLogAt(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		"https://loterie.example": "https://loterie.example/log/", "http://127.0.0.1:8080/": "http://127.0.0.1:8080/log/",
		"https://loterie.example/log": "https://loterie.example/log", "https://other.example/copy/": "https://other.example/copy/", "copy": "copy", "./a/b": "./a/b",
	} {
		if got := logAt(from); got != want {
			t.Errorf("%s leads to %s", from, got)
		}
	}
}

// TestWordsOfSteps: every step and stage has its words in both languages.
func TestWordsOfSteps(t *testing.T) {
	t.Parallel()
	for lang, in := range texts {
		for _, step := range slices.Concat(verify.UnitSteps, verify.PoolSteps) {
			if in.steps[step] == "" {
				t.Errorf("%s has no words for the step %s", lang, step)
			}
		}
		for stage := verify.StageRead; stage <= verify.StageBoards; stage++ {
			if strings.Count(in.stages[stage], "%d") != 2 {
				t.Errorf("%s says %q of stage %d", lang, in.stages[stage], stage)
			}
		}
	}
}
