package selftest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// runInShell runs a line of shell script in which "$@" is a call of the binary. The report folder contains the reports
// of an earlier run and an earlier sweep that passed.
func runInShell(line string, args ...string) *result {
	binary, err := shippedBinary()
	mustSucceed(err)
	c := command{folder: newFolder(), args: append([]string{"-c", line, "sh", binary}, args...)}
	c.binary = func() (string, error) { return "/bin/sh", nil }
	reports := filepath.Join(c.folder, defaultReports)
	writePass(reports)
	for _, name := range []string{"statement.json", "report.html", sweepJSON, "sweep.html", "differences.csv"} {
		writeFile(reports, name, `{"verdict":"pass"}`)
	}
	return c.run()
}

// closeInherited closes the file descriptors below a limit of 8 that the process of the tests was started with.
const closeInherited = `exec 3>&- 4>&- 5>&- 6>&- 7>&-; `

var _ = Describe("A command without enough resources", func() {
	for _, shortage := range []struct{ name, line string }{
		{"bytes per file", `ulimit -f 0; exec "$@"`},
		{"file descriptors", closeInherited + `ulimit -n 8; exec "$@"`},
	} {
		for _, name := range []string{"run", "sweep"} {
			outcome := startEarly(&otherJobs, func() *result { return runInShell(shortage.line, name) })
			It(name+" with too few "+shortage.name+" ends in an error, and removes earlier reports", func() {
				r := outcome()
				checkStreams(r)
				Expect(r.exitCode).To(Equal(2), "%s", r)
				Expect(r.stderr).To(ContainSubstring("can't be written"))
				gone := []string{"report.json", "junit.xml", "statement.json", "report.html"}
				if name == "sweep" {
					gone = []string{sweepJSON, "sweep.html", "differences.csv"}
				}
				for _, file := range gone {
					Expect(filesIn(r.reports())).NotTo(HaveKey(file))
				}
			})
		}
	}

	for _, name := range []string{"run", "sweep"} {
		outcome := startEarly(&otherJobs, func() *result { return runInShell(`exec "$@" > /dev/full`, name) })
		It(name+" that can't print ends in an error", func() {
			r := outcome()
			checkStreams(r)
			Expect(r.exitCode).To(Equal(2), "%s", r)
			Expect(r.stderr).To(ContainSubstring("no space left"))
			if name == "sweep" {
				checkFailedSweep(r, "no space left")
				return
			}
			checkPassReplaced(r.reports(), "no space left")
		})
	}
})

var _ = It("A command writes no core dump, which would contain the token", func() {
	limits := make(chan string, 1)
	c := command{args: []string{"serve"}, onStart: func(p process) {
		go func() {
			for p.stdout.String() == "" {
				time.Sleep(time.Millisecond)
			}
			text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/limits", p.Pid))
			_ = p.Signal(syscall.SIGTERM)
			limits <- string(text)
		}()
	}}
	c.run()
	Expect(<-limits).To(MatchRegexp(`Max core file size +0 +0 `))
})

var _ = Describe("A named pipe", func() {
	It("can be the configuration file of a run", func() {
		folder := newFolder()
		mustSucceed(syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600))
		c := command{folder: folder, args: []string{"run", "--config", "pipe"}, onStart: func(process) {
			go writeFile(folder, "pipe", "reportDir: given\nversions: v5\n")
		}}
		r := c.run()
		Expect(r.exitCode).To(BeZero(), "%s", r)
		report, err := readReport(filepath.Join(folder, "given"))
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal("pass"))
	})

	// timeout(1) signals the process and its group, so the same signal arrives twice. It counts as one.
	It("without data as the configuration file of a run does not delay the end after a signal that is sent twice",
		func() {
			folder := newFolder()
			writePass(filepath.Join(folder, defaultReports))
			mustSucceed(syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600))
			c := command{folder: folder, args: []string{"run", "--config", "pipe"}, onStart: func(p process) {
				go func() {
					// OpenFile returns when the command has begun to read.
					writer, err := os.OpenFile(filepath.Join(folder, "pipe"), os.O_WRONLY, 0)
					mustSucceed(err)
					for range 2 {
						_ = p.Signal(syscall.SIGTERM)
						time.Sleep(time.Millisecond)
					}
					mustSucceed(writer.Close())
				}()
			}}
			r := c.run()
			checkStreams(r)
			Expect(r.exitCode).To(Equal(2), "%s", r)
			checkPassReplaced(r.reports(), "terminated")
		})

	// The command's system call waits for a writer and can't be cancelled.
	It("without a writer as the users file of a sweep does not delay the end after a signal", func() {
		folder := newFolder()
		mustSucceed(syscall.Mkfifo(filepath.Join(folder, "u.csv"), 0o600))
		c := sweepOf("http://127.0.0.1:9", "u.csv")
		c.folder, c.onStart = folder, func(p process) {
			go func() {
				for p.stdout.String() == "" {
					time.Sleep(time.Millisecond)
				}
				_ = p.Signal(syscall.SIGTERM)
			}()
		}
		checkSweepWithout(c.run(), exitStopped, "terminated", "abandoned")
	})
})
