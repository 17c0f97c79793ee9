package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"
)

// callProgram calls the program as main does.
func callProgram(args, environ []string, stdout, stderr io.Writer) int {
	return execute(context.Background(), "conformance", args, environ, stdout, stderr)
}

// TestAWrongCallEndsBeforeAnythingIsSent calls commands in a way that is refused.
func TestAWrongCallEndsBeforeAnythingIsSent(t *testing.T) {
	t.Chdir(t.TempDir())
	g := NewWithT(t)
	for says, args := range map[string][]string{
		`--update-baseline: only a whole run can be a baseline: leave out --label-filter, --focus`: {"run", "--focus",
			"2.1/Id", "--update-baseline", "b.json"},
		`there is no command "nope": the commands are `:                     {"help", "nope"},
		`--key is missing: give the private key of who signs as --key FILE`: {"sign", "folder"},
		`--versions: "v7" is not a version of the API: expected v5 or v6`:   {"verify", "--versions", "v7", "folder"},
		`--users-at-least: expected a number of users, got -1`: {"verify", "--users-at-least", "-1",
			"folder"},
		`--update-baseline: the target has no URL`: {"run", "--update-baseline", "b.json"},
	} {
		var out, errs bytes.Buffer
		g.Expect(callProgram(args, nil, &out, &errs)).To(Equal(exitError), "%q", args)
		g.Expect(errs.String()).To(ContainSubstring(says), "%q", args)
		g.Expect(out.String()).NotTo(Or(ContainSubstring("requests planned"), ContainSubstring("Usage:")), "%q", args)
	}
	g.Expect("b.json").NotTo(BeAnExistingFile())
}

// TestHelpOfACommandIsThatOfItsFlag compares both ways to get it.
func TestHelpOfACommandIsThatOfItsFlag(t *testing.T) {
	g := NewWithT(t)
	for name := range helps {
		var asked, flagged bytes.Buffer
		g.Expect(callProgram([]string{"help", name}, nil, &asked, &asked)).To(Equal(exitPass))
		g.Expect(callProgram([]string{name, "--help"}, nil, &flagged, &flagged)).To(Equal(exitPass))
		g.Expect(asked.String()).To(Equal(flagged.String()))
	}
}

// brokenPipe is where nothing can be written.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestHelpThatCannotBePrintedIsOneError(t *testing.T) {
	g, errs := NewWithT(t), &bytes.Buffer{}
	g.Expect(callProgram([]string{"run", "--help"}, nil, brokenPipe{}, errs)).To(Equal(exitError))
	g.Expect(errs.String()).To(MatchRegexp(`\Aerror: [^\n]*no space left[^\n]*\n\z`))
}

func TestASignalIsNamedAsItsUsersKnowIt(t *testing.T) {
	g := NewWithT(t)
	for s, name := range map[os.Signal]string{os.Interrupt: "SIGINT", syscall.SIGTERM: "SIGTERM"} {
		g.Expect(interruption{s}.Error()).To(Equal("interrupted by " + name + " before the run had ended; run again"))
	}
}
