// Mutate changes the code that decides verdicts in many small ways, and names the changes that no test finds: a
// condition that is always true, a boundary that is one off, a statement that is left out, a result that is zero.
//
//	go -C .ci/tools run ./mutate [-since COMMIT] [-found FILE] [-among FILE] [PACKAGE…]
//	go -C .ci/tools run ./mutate -needed -tests ./suites/internal/check ./suites/internal/check
//
// All mutants are compiled at once, each behind a number, with go test -overlay; the variable MUTANT chooses one. A
// test binary is run only for the mutants whose code it reached. reasons.txt has the mutants that change nothing, and
// why.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

// judge is the code that decides verdicts, from a response to the exit code, and the way out.
var judge = []string{"./schemas", "./suites/conformance", "./suites/internal/check", "./suites/internal/engine",
	"./suites/internal/gate", "./suites/internal/ledger", "./suites/internal/parity", "./suites/internal/sanitize",
	"./suites/internal/spec", "./suites/internal/stats", "./suites/internal/strictjson"}

func main() {
	o := options{root: "../.."}
	flag.StringVar(&o.since, "since", "", "only mutants of lines that changed since this `commit`")
	flag.StringVar(&o.among, "among", "", "only the mutants that survive in this `file`, which -found has written")
	flag.StringVar(&o.found, "found", "", "write a line for each mutant, with the test that found it, to this `file`")
	flag.StringVar(&o.tests, "tests", "./schemas/... ./fixtures/... ./suites/conformance/... ./suites/internal/... "+
		"./suites/sweep/... ./suites/proof ./suites/oracles/services", "the `packages` whose tests are run")
	flag.BoolVar(&o.needs, "needed", false, "name the specs without which the tests find the same mutants")
	flag.IntVar(&o.limit, "limit", 0, "only this many mutants, drawn at random (0: all)")
	flag.Uint64Var(&o.seed, "seed", 1, "of the drawing")
	flag.Parse()
	o.packages = flag.Args()
	if len(o.packages) == 0 {
		o.packages = judge
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	survivors, err := run(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	if survivors > 0 {
		os.Exit(1)
	}
}
