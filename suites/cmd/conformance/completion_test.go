package main

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestCompletionIsPrintedForEachShell(t *testing.T) {
	for shell, line := range map[string]string{
		"bash": "complete -o default -F __start_conformance conformance", "zsh": "#compdef conformance",
		"fish": "complete -c conformance", "powershell": "Register-ArgumentCompleter -CommandName 'conformance'",
	} {
		t.Run(shell, func(t *testing.T) {
			code, stdout, stderr := executeCommand(t, nil, "completion", shell)
			NewWithT(t).Expect(code).To(BeZero(), stderr)
			NewWithT(t).Expect(stdout).To(ContainSubstring(line))
		})
	}
}

func TestCompletionOfAFlag(t *testing.T) {
	code, stdout, stderr := executeCommand(t, nil, "__complete", "run", "--report-d")
	NewWithT(t).Expect(code).To(BeZero(), stderr)
	NewWithT(t).Expect(stdout).To(HavePrefix("--report-dir\t"))
}

func TestCompletionWithoutAKnownShellIsAnError(t *testing.T) {
	for _, args := range [][]string{{"completion"}, {"completion", "bahs"}, {"completion", "bash", "zsh"}} {
		code, stdout, stderr := executeCommand(t, nil, args...)
		NewWithT(t).Expect(code).To(Equal(exitError), "%v", args)
		NewWithT(t).Expect(stdout).To(BeEmpty(), "%v", args)
		NewWithT(t).Expect(stderr).To(HavePrefix("error: "), "%v", args)
	}
}
