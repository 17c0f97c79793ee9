package main

// behind is the file that each changed package gets: it knows the number of the mutant that is alive.
const behind = `package %s

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
)

var mutantNow, mutantReached = func() (int, *os.File) {
	n, _ := strconv.Atoi(os.Getenv("MUTANT"))
	f, _ := os.OpenFile(os.Getenv("MUTANT_REACHED"), os.O_APPEND|os.O_WRONLY, 0)
	return n, f
}()

var mutantSeen [1 << 16]atomic.Bool

// The number -1 is all mutants at once: the control. A test that does not find it finds nothing.
func mutantOn(n int) bool {
	if mutantReached != nil && !mutantSeen[n].Swap(true) {
		fmt.Fprintln(mutantReached, n)
	}
	return mutantNow == n || mutantNow == -1
}

func mutantOne(n int) int {
	if mutantOn(n) {
		return 1
	}
	return 0
}
`
