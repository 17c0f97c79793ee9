package selftest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"authenticator-conformance/fixtures"
)

// rig is what the specs work with.
type rig struct {
	binary, defective string // the command as it ships, and one that panics while it sends
	folder            string // every process works in a folder of its own below this one
	users             string // the users file of the embedded reference
	slots             chan struct{}
	jobs              sync.WaitGroup
	count             atomic.Int64
}

// ample bounds a process that is expected to end by itself long before.
const ample = 2 * time.Minute

// command is one call of the binary.
type command struct {
	binary string   // "": the one that ships
	args   []string // the command's name first
	env    []string // NAME=value; nothing else of the surroundings reaches the process but the way to its files
	folder string   // to work in; "": a new one
	within time.Duration
	// started is told of the process as soon as it runs.
	started func(*os.Process)
}

// outcome is what a call of the binary left behind.
type outcome struct {
	folder         string
	code           int
	stdout, stderr string
	expired        bool  // it did not end within its bound and was killed
	peak           int64 // of the resident memory, in bytes; 0 where the system does not tell
	err            error // it could not be called at all
}

// reports is the report folder of a process, unless its arguments name another one.
func (o *outcome) reports() string { return filepath.Join(o.folder, defaultReports) }

// work gives a new folder.
func (r *rig) work() string {
	folder := filepath.Join(r.folder, fmt.Sprintf("work-%d", r.count.Add(1)))
	if err := os.Mkdir(folder, 0o755); err != nil {
		panic(err)
	}
	return folder
}

// call runs a process when one of the slots is free. It may be called from any goroutine.
func (r *rig) call(c command) *outcome {
	r.slots <- struct{}{}
	defer func() { <-r.slots }()
	if c.binary == "" {
		c.binary = r.binary
	}
	if c.folder == "" {
		c.folder = r.work()
	}
	if c.within == 0 {
		c.within = ample
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.within)
	defer cancel()
	process := exec.CommandContext(ctx, c.binary, c.args...)
	process.Dir = c.folder
	process.Env = append([]string{"HOME=" + c.folder, "TMPDIR=" + r.folder}, c.env...)
	var stdout, stderr bytes.Buffer
	process.Stdout, process.Stderr = &stdout, &stderr
	process.WaitDelay = 10 * time.Second

	o := &outcome{folder: c.folder}
	err := process.Start()
	if err == nil {
		watched := watchMemory(process.Process.Pid)
		if c.started != nil {
			c.started(process.Process)
		}
		err = process.Wait()
		o.peak = watched()
	}
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		o.err = err
	}
	o.stdout, o.stderr, o.expired = stdout.String(), stderr.String(), ctx.Err() != nil
	if process.ProcessState != nil {
		o.code = process.ProcessState.ExitCode()
	}
	return o
}

// certify is a run against a target, with the credentials of the embedded reference.
func (r *rig) certify(url string, more ...string) command {
	return command{
		args: append([]string{"run", "--target-url", url, "--users", r.users}, more...),
		env:  credentials(),
	}
}

func credentials() []string {
	return []string{"AUTHN_ACCESS_TOKEN=" + fixtures.AccessToken, "AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}
}

// said is all that a process wrote to its streams, for the text of a failure.
func (o *outcome) said() string {
	if o.err != nil {
		return o.err.Error()
	}
	text := fmt.Sprintf("exit code %d\n%s\n%s", o.code, o.stdout, o.stderr)
	const most = 6000
	if len(text) > most {
		text = text[:most] + "\n…"
	}
	return strings.ToValidUTF8(text, "?")
}

// ahead runs jobs side by side although specs run one after the other: to ask for one job's result begins the next ones
// too. Begun jobs are few, so that a spec run alone does not cost all. Ginkgo runs the specs of one place in the code in the
// order of their texts, so the jobs are best sorted by these.
type ahead[T any] struct {
	rig  *rig
	jobs []*job[T]
}

type job[T any] struct {
	do     func() T
	once   sync.Once
	done   chan struct{}
	result T
}

// runAhead takes jobs in the order in which their results will be asked for.
func runAhead[T any](r *rig, jobs ...func() T) *ahead[T] {
	a := &ahead[T]{rig: r}
	for _, do := range jobs {
		a.jobs = append(a.jobs, &job[T]{do: do, done: make(chan struct{})})
	}
	return a
}

func (a *ahead[T]) result(i int) T {
	for _, j := range a.jobs[i:min(i+2*cap(a.rig.slots), len(a.jobs))] {
		j.once.Do(func() {
			a.rig.jobs.Go(func() {
				defer close(j.done)
				j.result = j.do()
			})
		})
	}
	<-a.jobs[i].done
	return a.jobs[i].result
}
