package central

// assert stops a turn whose invariant is broken: the batcher turns the panic into an error and writes nothing.
func assert(ok bool, what string) {
	if !ok {
		panic("central: " + what)
	}
}
