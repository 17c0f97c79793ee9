package main

import (
	"fmt"
	"os/exec"
	"time"
)

// mostCompared is how many users a sweep of a pair looks at: enough for its start to count for little. A smaller
// population is looked at as a whole.
const mostCompared = 60_000

// collecting is what suites/cmd/conformance asks of the garbage collector.
const collecting = "GOGC=400"

// rates compares a sweep, with all its checks, with the bare client at a lean target, and measures what part of the
// sweep is judging and comparing.
func (w *workbench) rates(t table, population, pairs int) error {
	number := min(population, mostCompared)
	users, err := w.writePopulation(number)
	if err != nil {
		return err
	}
	target, stop, err := w.start(leanMode)
	if err != nil {
		return err
	}
	defer stop()
	if err := w.writeSweepRequests(target); err != nil {
		return err
	}
	drain := func(environ ...string) func() *exec.Cmd {
		return func() *exec.Cmd {
			cmd := exec.Command(w.self, drainMode, w.requestsFile(), users)
			cmd.Env = append([]string{}, environ...) // never nil, which would be the bench's own
			return cmd
		}
	}
	m, err := interleaved(pairs, func() *exec.Cmd { return w.sweepCommand(target, users) }, drain(), drain(collecting))
	if err != nil {
		return err
	}
	judging, all, err := w.sweepShare(target, users)
	if err != nil {
		return err
	}
	suite, bare, tuned := m[0], m[1], m[2]
	t.rate(number, fmt.Sprintf("sweep of %d users, users a second", number), suite.wall, bare.wall, rateBound)
	t.rate(number, "sweep, users a second of CPU", suite.cpu, bare.cpu, rateBound)
	// What the suite gains by leaving garbage for longer is its own merit, and is told apart all the same.
	t.rate(number, "sweep, users a second, the bare client with "+collecting+" too", suite.wall, tuned.wall, 0)
	t.rate(number, "sweep, users a second of CPU, the bare client with "+collecting+" too", suite.cpu, tuned.cpu, 0)
	t.share("sweep, CPU of judging and comparing", judging, all, 0)
	return nil
}

// sweepCommand is a sweep of the users of a file.
func (w *workbench) sweepCommand(target, users string, flags ...string) *exec.Cmd {
	return w.call(append([]string{"sweep", "--target-url", target, "--users", users, "--report-dir", w.sweepFolder()}, flags...)...)
}

// rate prints how many of the users came in a second, and which part of the bare client's rate that is; a bound of 0 is
// none.
func (t table) rate(users int, figure string, suite, bare time.Duration, bound float64) {
	ratio := float64(bare) / float64(suite)
	limit, result := "-", ""
	if bound > 0 {
		limit, result = fmt.Sprintf("%.2fx or more", bound), "ok"
		if ratio < bound {
			result = "under"
		}
	}
	fmt.Fprintf(t, "%s\t%s\t%s\t%.2fx\t%s\t%s\n", figure, perSecond(users, suite), perSecond(users, bare), ratio, limit, result)
}

func perSecond(n int, d time.Duration) string { return fmt.Sprintf("%.0f/s", float64(n)/d.Seconds()) }
