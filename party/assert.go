package party

// assert stops what breaks an invariant.
func assert(ok bool, what string) {
	if !ok {
		panic("party: " + what)
	}
}
