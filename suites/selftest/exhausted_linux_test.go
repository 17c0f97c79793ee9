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

// inShell calls the binary by a line of a shell script, in which "$@" is the call. It works where an earlier run and an
// earlier sweep passed.
func inShell(line string, args ...string) *result {
	binary, err := shippedBinary()
	must(err)
	c := command{folder: newFolder(), args: append([]string{"-c", line, "sh", binary}, args...)}
	c.binary = func() (string, error) { return "/bin/sh", nil }
	reports := filepath.Join(c.folder, defaultReports)
	writePass(reports)
	for _, name := range []string{"statement.json", "report.html", sweepJSON, "sweep.html", "differences.csv"} {
		writeFile(reports, name, `{"verdict":"pass"}`)
	}
	return c.run()
}

var _ = Describe("A command that lacks what it needs", func() {
	for _, lack := range []struct{ name, line string }{
		{"bytes for its files", `ulimit -f 0; exec "$@"`},
		{"descriptors", `ulimit -n 8; exec "$@"`},
	} {
		for _, name := range []string{"run", "sweep"} {
			outcome := startEarly(&otherJobs, func() *result { return inShell(lack.line, name) })
			It("as "+name+" lacks "+lack.name+" ends in an error, without the reports of an earlier one", func() {
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
		outcome := startEarly(&otherJobs, func() *result { return inShell(`exec "$@" > /dev/full`, name) })
		It("as "+name+" can't print anything ends in an error", func() {
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

var _ = It("A command leaves no core dump, in which the token would stand", func() {
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

var _ = Describe("A run that is given a pipe", func() {
	It("takes its configuration from there", func() {
		folder := newFolder()
		must(syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600))
		c := command{folder: folder, args: []string{"run", "--config", "pipe"}, onStart: func(process) {
			go writeFile(folder, "pipe", "reportDir: given\nversions: v5\n")
		}}
		r := c.run()
		Expect(r.exitCode).To(BeZero(), "%s", r)
		report, err := readReport(filepath.Join(folder, "given"))
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal("pass"))
	})

	// timeout(1) sends its signal to the process and to its group: that is one signal, and ends nothing in the middle.
	It("that brings nothing ends at the first signal, which may come twice", func() {
		folder := newFolder()
		writePass(filepath.Join(folder, defaultReports))
		must(syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600))
		c := command{folder: folder, args: []string{"run", "--config", "pipe"}, onStart: func(p process) {
			go func() {
				// It returns when the command has begun to read.
				writer, err := os.OpenFile(filepath.Join(folder, "pipe"), os.O_WRONLY, 0)
				must(err)
				for range 2 {
					_ = p.Signal(syscall.SIGTERM)
					time.Sleep(time.Millisecond)
				}
				must(writer.Close())
			}()
		}}
		r := c.run()
		checkStreams(r)
		Expect(r.exitCode).To(Equal(2), "%s", r)
		checkPassReplaced(r.reports(), "terminated")
	})

	// Nothing ends a system call that waits for a writer.
	It("for its users which nobody opens, ends as a sweep soon after a signal", func() {
		folder := newFolder()
		must(syscall.Mkfifo(filepath.Join(folder, "u.csv"), 0o600))
		c := sweepOf("http://127.0.0.1:9", "u.csv")
		c.folder, c.onStart = folder, func(p process) {
			go func() {
				for p.stdout.String() == "" {
					time.Sleep(time.Millisecond)
				}
				_ = p.Signal(syscall.SIGTERM)
			}()
		}
		checkSweepWithout(c.run(), exitStopped, "terminated", "given up")
	})
})
