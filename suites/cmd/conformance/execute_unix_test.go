//go:build unix

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"
)

// A pipe that brings nothing may be waited for until somebody ends that.
func TestThePreparationEndsWithTheContext(t *testing.T) {
	for _, line := range []string{
		"run --config pipe", "run --access-token-file pipe --target-url http://127.0.0.1:9", "run --ca pipe",
		"run --client-cert pipe --client-key x", "run --users pipe.csv", "run --baseline pipe", "judge pipe", "merge shard", "plan --config pipe",
		"serve --users pipe.csv", "sweep --config pipe",
	} {
		t.Run(line, func(t *testing.T) {
			g := NewWithT(t)
			leavePassedReports(t)
			g.Expect(os.Mkdir("shard", 0o755)).To(Succeed())
			paths := []string{"pipe", "pipe.csv", filepath.Join("shard", "sweep.json")}
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			for _, path := range paths {
				g.Expect(syscall.Mkfifo(path, 0o600)).To(Succeed())
				go func() {
					// Who opens a pipe to write waits until somebody reads.
					writer, err := os.OpenFile(path, os.O_WRONLY, 0)
					if err != nil {
						return
					}
					cancel(interruption{syscall.SIGTERM})
					<-t.Context().Done()
					_ = writer.Close()
				}()
			}
			args := strings.Fields(line)
			code, stderr := callCommand(ctx, io.Discard, args...)
			g.Expect(code).To(Equal(map[bool]int{false: exitError, true: exitStopped}[args[0] == "sweep"]))
			g.Expect(stderr).To(
				Equal("error: interrupted by the signal \"terminated\" before the run had ended; run again\n"))
			if args[0] != "plan" && args[0] != "serve" {
				g.Expect(reportsOf(t, args[0])).To(
					And(ContainSubstring(`"verdict": "error"`), ContainSubstring(`interrupted`)))
			}
			// The other writers wait for a reader no longer.
			for _, path := range paths {
				if reader, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
					defer reader.Close()
				}
			}
		})
	}
}

// The folder that a flag names is known before the configuration file is.
func TestAnEarlierReportIsReplacedBeforeTheConfigurationIsRead(t *testing.T) {
	g := NewWithT(t)
	leavePassedReports(t)
	g.Expect(syscall.Mkfifo("pipe", 0o600)).To(Succeed())
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		writer, err := os.OpenFile("pipe", os.O_WRONLY, 0) // until the command reads the pipe
		if err != nil {
			cancel(err)
			return
		}
		content, err := os.ReadFile(filepath.Join("named", "report.json"))
		cancel(errors.Join(errors.New("interrupted by the test"), err))
		if !strings.Contains(string(content), "unfinished") {
			t.Errorf("report.json holds %q", content)
		}
		_ = writer.Close()
	}()
	code, stderr := callCommand(ctx, io.Discard, "run", "--report-dir", "named", "--config", "pipe")
	g.Expect(code).To(Equal(exitError))
	g.Expect(stderr).To(Equal("error: interrupted by the test\n"))
	g.Expect(os.ReadFile(filepath.Join("named", "report.json"))).To(ContainSubstring("interrupted by the test"))
	g.Expect(reportsOf(t, "run")).To(ContainSubstring("pass"))
}

func TestADeviceIsNoFile(t *testing.T) {
	for _, line := range []string{"run --config /dev/zero", "run --baseline /dev/zero", "judge /dev/zero"} {
		t.Run(line, func(t *testing.T) {
			g := NewWithT(t)
			leavePassedReports(t)
			args := strings.Fields(line)
			code, stderr := callCommand(t.Context(), io.Discard, args...)
			g.Expect(code).To(Equal(exitError))
			g.Expect(reportsOf(t, args[0])).To(ContainSubstring(`"verdict": "error"`))
			g.Expect(stderr).To(And(ContainSubstring("/dev/zero: "), ContainSubstring("it is a device")))
		})
	}
}

// What can't be printed is no result.
func TestAFullOutputIsAnError(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	defer full.Close()
	for _, line := range []string{"requirements", "run --help", "serve --list", "--version", "sweep"} {
		t.Run(line, func(t *testing.T) {
			g := NewWithT(t)
			leavePassedReports(t)
			args := strings.Fields(line)
			code, stderr := callCommand(t.Context(), full, args...)
			g.Expect(code).To(Equal(exitError))
			g.Expect(stderr).To(And(HavePrefix("error: "), ContainSubstring("no space left")))
			if line == "sweep" {
				g.Expect(reportsOf(t, line)).To(And(ContainSubstring(`"verdict": "error"`),
					ContainSubstring("no space left")))
			}
		})
	}
}
