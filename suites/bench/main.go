// Command bench measures what a run and a sweep cost, side by side with a bare client that sends the very same requests
// over the same kind of transport, with the same concurrency, and drains the answers. It judges nothing: it prints each
// figure beside its bound, and ends with 0 unless it could not measure, or a sweep did not find exactly what it should
// have.
//
//	go run ./suites/bench --binary bin/conformance
//
// Suite, bare client and target are processes of their own, so that their times and memory are told apart.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"
)

// The modes in which the program calls itself.
const (
	clientMode  = "client"
	targetMode  = "target"
	leanMode    = "lean-target"
	drainMode   = "sweep-client"
	profileMode = "sweep-profile"
	plantedMode = "planted-target"
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
	population := flags.Int("population", 1_000_000, "how many users a whole population has")
	delay := flags.Duration("delay", 0, "in the mode "+targetMode+": how long an answer takes")
	many := flags.Bool("crowd", false, "in the mode "+targetMode+fmt.Sprintf(": serve %d users", crowd))
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
		if *population < small {
			return fmt.Errorf("--population: expected %d or more, got %d", small, *population)
		}
		return bench(*binary, *pairs, *population)
	case clientMode:
		return sendAll(flags.Arg(1))
	case targetMode:
		return serve(*delay, *many)
	case leanMode:
		return serveLean()
	case drainMode:
		return drain(flags.Arg(1), flags.Arg(2))
	case plantedMode:
		return servePlanted(*population)
	case profileMode:
		return profileSweep(flags.Arg(1), flags.Arg(2), flags.Arg(3), flags.Arg(4))
	default:
		return fmt.Errorf("there is no mode %q: leave it out", flags.Arg(0))
	}
}

// concurrency is how many requests suite and bare client have in flight.
const concurrency = 8

// The bounds, and the delays at which they hold.
const (
	loopbackBound    = 6.0
	slowDelay        = 20 * time.Millisecond
	slowBound        = 1.25
	memoryBound      = 64 << 20 // bytes
	slowestDelay     = 300 * time.Millisecond
	judgingBound     = 0.20 // of a run's CPU
	slowestBound     = 1.25 // "near": what the phases of a run may leave idle, and its start
	pageBound        = time.Second
	rateBound        = 0.85     // of the bare client's users per second
	sweepMemoryBound = 96 << 20 // bytes
	growthBound      = 1.1      // of the peak memory, from a small population to a large one
	killedBound      = 1.01     // of the requests of a sweep that nobody kills
)

// bench measures all figures, in the order of the table.
func bench(binary string, pairs, population int) error {
	w, err := newWorkbench(binary)
	if err != nil {
		return err
	}
	defer w.close()
	fmt.Printf("runs of %d users, sweeps of up to %d, concurrency %d, medians of %d interleaved pairs\n\n", users, population, concurrency, pairs)

	loopback, err := w.compare(0, pairs)
	if err != nil {
		return err
	}
	slow, err := w.compare(slowDelay, pairs)
	if err != nil {
		return err
	}
	slowest, requests, err := w.once(slowestDelay)
	if err != nil {
		return err
	}
	ideal := time.Duration(requests) * slowestDelay / concurrency

	table := newTable(os.Stdout)
	table.compared("wall, loopback", loopback.suite.wall, loopback.bare.wall, loopbackBound)
	table.compared("CPU, loopback", loopback.suite.cpu, loopback.bare.cpu, 0)
	table.compared("wall, answers take "+slowDelay.String(), slow.suite.wall, slow.bare.wall, slowBound)
	table.compared("CPU, answers take "+slowDelay.String(), slow.suite.cpu, slow.bare.cpu, 0)
	table.memory("peak memory", loopback.suite.peak, memoryBound)
	table.compared(fmt.Sprintf("wall, answers take %s; beside %d/%d of it", slowestDelay, requests, concurrency), slowest.wall, ideal, slowestBound)
	if err := w.rates(table, population, pairs); err != nil {
		return err
	}
	if err := w.whole(table, population, pairs); err != nil {
		return err
	}
	// What runs in the bench's own process comes last: see ownPeak.
	judging, all, err := w.judgingShare()
	if err != nil {
		return err
	}
	table.share(fmt.Sprintf("CPU of judging and comparing, %d users", crowd), judging, all, judgingBound)
	if err := w.page(table, pairs); err != nil {
		return err
	}
	return table.Flush()
}
