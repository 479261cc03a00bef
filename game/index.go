package game

// index holds the tables for ranking; to be written.
type index struct{}
