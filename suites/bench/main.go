// Command bench compares the cost of a run and a sweep with that of a bare client. The bare client sends the same
// requests over the same kind of transport, with the same concurrency, and discards the answers. Bench prints each
// figure with its bound. It exits with 0 even if a bound is exceeded, and with 1 only if it could not measure.
//
//	go run ./suites/bench --binary bin/conformance
//
// Suite, bare client and target are separate processes, so that their times and memory are measured separately.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"
)

// The modes in which bench starts itself as a subprocess.
const (
	clientMode  = "client"
	targetMode  = "target"
	leanMode    = "lean-target"
	hostileMode = "hostile-target"
)

func main() {
	if err := dispatch(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func dispatch(args []string) error {
	flags := pflag.NewFlagSet("bench", pflag.ContinueOnError)
	binary := flags.String("binary", "bin/conformance", "the command to measure")
	pairs := flags.Int("pairs", 7, "pairs of runs to take the median of")
	population := flags.Int("population", 1_000_000, "how many users the largest sweep has")
	delay := flags.Duration("delay", 0, "in the mode "+targetMode+": how long an answer takes")
	if err := flags.Parse(args); err == pflag.ErrHelp {
		return nil
	} else if err != nil {
		return err
	}
	switch flags.Arg(0) {
	case "":
		if *pairs < 1 {
			return fmt.Errorf("--pairs: expected 1 or more, got %d", *pairs)
		}
		if *population < smallPopulation {
			return fmt.Errorf("--population: expected %d or more, got %d", smallPopulation, *population)
		}
		return bench(*binary, *pairs, *population)
	case clientMode:
		return sendAll(flags.Arg(1), flags.Arg(2))
	case targetMode:
		return serveReference(*delay)
	case leanMode:
		return serveLean()
	case hostileMode:
		return serveHostile(flags.Arg(1), flags.Arg(2))
	default:
		return fmt.Errorf("there is no mode %q: leave it out", flags.Arg(0))
	}
}

// concurrency is how many requests the suite and the bare client have in flight.
const concurrency = 8

// The bounds. slowBound applies if each answer takes slowDelay, loopbackBound if there is no delay.
const (
	loopbackBound = 3.0
	slowDelay     = 20 * time.Millisecond
	slowBound     = 1.12
	rateBound     = 0.88 // of the bare client's users per second
	growthBound   = 1.1  // of the peak memory of a small population
	runMemory     = 48 << 20
	sweepMemory   = 48 << 20
	hostileMemory = 600 << 20
	sizeBound     = 16_000_000 // bytes
)

// bench measures all figures and prints them as a table.
func bench(binary string, pairs, population int) error {
	w, err := newWorkbench(binary)
	if err != nil {
		return err
	}
	defer w.close()
	fmt.Printf("runs of %d users, sweeps of up to %d, concurrency %d, medians of %d interleaved pairs\n\n", users,
		population, concurrency, pairs)
	table := newTable(os.Stdout)
	if err := w.runs(table, pairs); err != nil {
		return err
	}
	if err := w.sweeps(table, population, pairs); err != nil {
		return err
	}
	if err := w.hostile(table); err != nil {
		return err
	}
	file, err := os.Stat(binary)
	if err != nil {
		return err
	}
	table.line("size of the binary", megabytes(file.Size()), "-", megabytes(sizeBound),
		float64(file.Size()) <= sizeBound)
	return table.Flush()
}
