package main

import (
	"bytes"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// TestEachCommandHasExamplesAndExitCodes reads the help of each command. The flags in its examples exist.
func TestEachCommandHasExamplesAndExitCodes(t *testing.T) {
	g := NewWithT(t)
	helpOf := func(args ...string) string {
		var out, errs bytes.Buffer
		g.Expect(callProgram(append(args, "--help"), nil, &out, &errs)).To(Equal(exitPass),
			errs.String())
		return out.String()
	}
	all := helpOf()
	for name, h := range helps {
		text := helpOf(name)
		g.Expect(all).To(MatchRegexp(`\n  `+name+` `), "is in a group")
		g.Expect(text).To(ContainSubstring("Exit codes: " + h.exits[:10]))
		g.Expect(len(h.examples)).To(BeNumerically(">=", 2))
		for _, example := range h.examples {
			g.Expect(text).To(ContainSubstring("\n  " + example))
			g.Expect(example).To(HavePrefix("conformance " + name))
			for _, word := range strings.Fields(example) {
				if strings.HasPrefix(word, "--") {
					g.Expect(text).To(ContainSubstring("\n      "+word+" "), example)
				}
			}
		}
		if h.asks {
			g.Expect(text).To(ContainSubstring("AUTHN_ACCESS_TOKEN or from the file that --access-token-file"))
		}
	}
}

// TestAShellCompletesTheFlagsForOneVersion reads what a shell is offered, and the help, which hides these flags.
func TestAShellCompletesTheFlagsForOneVersion(t *testing.T) {
	g := NewWithT(t)
	for _, command := range []string{"run", "plan", "sweep"} {
		var out, errs bytes.Buffer
		g.Expect(callProgram([]string{"__complete", command, "--target-url"}, nil, &out, &errs)).To(
			Equal(exitPass), errs.String())
		for _, flag := range []string{"--target-url", "--target-url-v5", "--target-url-v6"} {
			g.Expect(out.String()).To(ContainSubstring(flag + "\t"))
		}
		out.Reset()
		g.Expect(callProgram([]string{command, "--help"}, nil, &out, &errs)).To(Equal(exitPass))
		g.Expect(out.String()).NotTo(ContainSubstring("\n      --target-url-v5 "))
	}
}

// TestAShellCompletesTheValuesOfFlags reads what a shell is offered for the flags that take only some values.
func TestAShellCompletesTheValuesOfFlags(t *testing.T) {
	g := NewWithT(t)
	for call, offered := range map[string][]string{
		"run --parity": {"value", "shape"}, "sweep --values": {"show", "hide"}, "run --stale": {"fail", "report"},
		"run --versions": {"v5", "v6", "v5,v6"}, "run --divergence": {"report", "fail"},
		"plan --label-filter": {"auth-failure", "negative", "read", "v6"},
		"serve --mutant":      {"created-on-microseconds-v6"},
	} {
		var out, errs bytes.Buffer
		args := append([]string{"__complete"}, append(strings.Fields(call), "")...)
		g.Expect(callProgram(args, nil, &out, &errs)).To(Equal(exitPass), errs.String())
		for _, value := range offered {
			g.Expect("\n"+out.String()).To(MatchRegexp("\n"+value+"[\t\n]"), call)
		}
	}
}

// TestExplainPrintsARule reads the rule that a report names.
func TestExplainPrintsARule(t *testing.T) {
	g := NewWithT(t)
	var out, errs bytes.Buffer
	g.Expect(callProgram([]string{"explain", "J14", "j3"}, nil, &out, &errs)).To(Equal(exitPass))
	g.Expect(out.String()).To(And(HavePrefix("J14 Parity\n\n"), ContainSubstring("\n\nJ3 GUID\n\n")))
	for arguments, says := range map[string]string{"J99": "there is no rule J99", "J14 2.1/Id": `"2.1/Id" is no rule`} {
		errs.Reset()
		args := append([]string{"explain"}, strings.Fields(arguments)...)
		g.Expect(callProgram(args, nil, &out, &errs)).To(Equal(exitError))
		g.Expect(errs.String()).To(ContainSubstring(says))
	}
}
