// Command bench compares a sweep with a bare client, which sends the same requests with the same concurrency and
// discards the answers. It prints how many users per second the sweep checks, as a part of what the client asks.
//
//	go run ./suites/test/bench --binary bin/conformance
//
// Sweep and client are processes of their own, and this one is their target. They are measured in turn, in one run,
// because figures of different runs can't be compared.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
)

// clientMode is the mode in which bench starts itself as the bare client.
const clientMode = "client"

// concurrency is how many requests the sweep and the client have in flight.
const concurrency = 8

func main() {
	if err := dispatch(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func dispatch(args []string) error {
	flags := pflag.NewFlagSet("bench", pflag.ContinueOnError)
	binary := flags.String("binary", "bin/conformance", "the command to measure")
	pairs := flags.Int("pairs", 7, "how many pairs of a sweep and a client to take the median of")
	users := flags.Int("population", 20_000, "how many users a sweep has")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.Arg(0) == clientMode:
		return sendAll(flags.Arg(1), flags.Arg(2))
	case *pairs < 1 || *users < 1 || flags.NArg() > 0:
		return fmt.Errorf("expected flags, --pairs and --population of 1 or more; got %s", strings.Join(args, " "))
	}
	return compare(*binary, *pairs, *users)
}

// compare measures sweep and client in turn, and prints the medians of their ratios.
func compare(binary string, pairs, users int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "conformance-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "users.csv")
	if err := writeUsers(file, users); err != nil {
		return err
	}
	handler, err := newTarget()
	if err != nil {
		return err
	}
	target, err := reference.Listen(context.Background(), handler, "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer target.Stop()
	var rates, wall, cpu []float64
	for pair := range pairs + 1 {
		sweep := exec.Command(binary, "sweep", "--target-url", target.URL, "--users", file, "--restart",
			"--report-dir", filepath.Join(folder, "sweep"), "--concurrency", strconv.Itoa(concurrency))
		sweep.Env = []string{"AUTHN_ACCESS_TOKEN=" + fixtures.AccessToken,
			"AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}
		client := exec.Command(self, clientMode, target.URL, file)
		client.Env = []string{} // not nil, which would inherit the environment
		ofSweep, err := measure(sweep)
		if err != nil {
			return err
		}
		ofClient, err := measure(client)
		if err != nil {
			return err
		}
		if pair == 0 {
			continue // it only warms up
		}
		rates = append(rates, float64(users)/ofSweep.wall.Seconds())
		wall = append(wall, ofClient.wall.Seconds()/ofSweep.wall.Seconds())
		cpu = append(cpu, ofClient.cpu.Seconds()/ofSweep.cpu.Seconds())
	}
	fmt.Printf("a sweep of %d users, concurrency %d, median of %d interleaved pairs: %.0f users per second,\n"+
		"%.2f of the bare client's (%.2f to %.2f); per second of CPU time %.2f of the bare client's (%.2f to %.2f)\n",
		users, concurrency, pairs, median(rates), median(wall), wall[0], wall[len(wall)-1], median(cpu), cpu[0],
		cpu[len(cpu)-1])
	return nil
}

// median sorts numbers and returns the one in the middle.
func median(numbers []float64) float64 {
	slices.Sort(numbers)
	return numbers[len(numbers)/2]
}

// used is the time that a process took.
type used struct{ wall, cpu time.Duration }

// measure runs a process to its end. Any exit code but 0 is an error, with what the process printed.
func measure(cmd *exec.Cmd) (used, error) {
	started := time.Now()
	if output, err := cmd.CombinedOutput(); err != nil {
		return used{}, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, output)
	}
	return used{time.Since(started), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
}

// writeUsers writes a users file.
func writeUsers(file string, users int) error {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer out.Close()
	text := bufio.NewWriter(out)
	_, _ = io.WriteString(text, "id,userId\n") // Flush returns any earlier error
	for i := range users {
		fmt.Fprintf(text, "%08x-0000-4000-8000-%012x,user-%d\n", i, i, i)
	}
	return text.Flush()
}
