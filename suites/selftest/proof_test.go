package selftest_test

import (
	"fmt"
	"io"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"
)

// leakEntry names what a spec reports that looked for traces of secrets.
const leakEntry = "traces of secrets"

// leakless asserts that nothing that a process left behind holds a trace of a secret, and reports what was found, for the
// proof to count.
func leakless(o *outcome, secrets ...string) {
	GinkgoHelper()
	found := tracesIn(o, secrets...)
	AddReportEntry(leakEntry, found, ReportEntryVisibilityNever)
	Expect(found).To(BeEmpty())
}

// tally counts the specs of one label.
type tally struct{ passed, all, notRun int }

func (t *tally) add(spec SpecReport) {
	t.all++
	switch {
	case spec.State == types.SpecStatePassed:
		t.passed++
	case !spec.State.Is(types.SpecStateFailureStates):
		t.notRun++
	}
}

func (t tally) String() string {
	text := fmt.Sprintf("%d/%d", t.passed, t.all)
	if t.notRun > 0 {
		text += fmt.Sprintf(" (%d not run)", t.notRun)
	}
	return text
}

// evidence is what the specs of the proof came to. Every number in it is counted from Ginkgo's report of the run.
type evidence struct {
	kills               []kill
	killed, diagnosed   tally // of the specs of a mutant each
	conforming, hostile tally
	other               tally    // the specs of the proof that are none of these
	searched, leaks     int      // runs that were looked through for secrets, and traces that were found
	slipped, failed     []string // mutants that were not killed or not diagnosed, and all else that failed
}

// weigh reads the report of a run.
func weigh(report Report) *evidence {
	e := &evidence{}
	for _, spec := range report.SpecReports {
		if spec.LeafNodeType != types.NodeTypeIt {
			e.note(spec)
			continue
		}
		labels := spec.Labels()
		switch {
		case slices.Contains(labels, mutantService):
			e.mutant(spec)
		case slices.Contains(labels, conformingService):
			e.conforming.add(spec)
			e.note(spec)
		case slices.Contains(labels, hostileTarget):
			e.hostile.add(spec)
			e.note(spec)
		case slices.Contains(labels, proof):
			e.other.add(spec)
			e.note(spec)
		}
		for _, entry := range spec.ReportEntries {
			if found, ok := entry.GetRawValue().([]string); ok && entry.Name == leakEntry {
				e.searched++
				e.leaks += len(found)
			}
		}
	}
	return e
}

// note keeps the name of a spec that failed.
func (e *evidence) note(spec SpecReport) {
	if spec.State.Is(types.SpecStateFailureStates) {
		e.failed = append(e.failed, strings.TrimSpace(spec.FullText()))
	}
}

// mutant takes in what the spec of a mutant came to. One is killed where its run was judged and is no pass, and diagnosed
// where what it breaks was named, and nothing else without a ground: where its whole spec passed.
func (e *evidence) mutant(spec SpecReport) {
	e.diagnosed.add(spec)
	e.killed.add(spec)
	failed := spec.State.Is(types.SpecStateFailureStates)
	if failed {
		e.slipped = append(e.slipped, spec.LeafNodeText)
	}
	for _, entry := range spec.ReportEntries {
		if k, ok := entry.GetRawValue().(kill); ok {
			e.kills = append(e.kills, k)
			if failed && k.killed() {
				e.killed.passed++
			}
		}
	}
}

// print writes the matrix, then what the whole came to.
func (e *evidence) print(w io.Writer) {
	unproven := e.matrix(w)
	fmt.Fprintf(w, "\nrows that no mutant proves: %s\n", orNone(unproven))
	fmt.Fprintf(w, "other rows that did not pass, on average for a mutant: %.2f that follow from its fault, %.2f without a ground\n\n",
		e.mean(func(k kill) int { return len(k.consequences) }), e.mean(func(k kill) int { return len(k.unrelated) }))
	fmt.Fprintf(w, "mutants killed     %s\nmutants diagnosed  %s\nconforming passed  %s\nhostile survived   %s\nother specs        %s\n",
		e.killed, e.diagnosed, e.conforming, e.hostile, e.other)
	fmt.Fprintf(w, "leaks              %d, in %d runs that were looked through\n", e.leaks, e.searched)
	for _, text := range e.failed {
		fmt.Fprintf(w, "failed: %s\n", text)
	}
	for _, name := range e.slipped {
		fmt.Fprintf(w, "slipped through: %s%s\n", name, e.how(name))
	}
}

// matrix writes for each row the mutants that break it and were found there, and gives the rows that have none.
func (e *evidence) matrix(w io.Writer) (unproven []string) {
	by := map[string][]string{}
	for _, k := range e.kills {
		for _, row := range k.rows {
			by[row] = append(by[row], k.mutant)
		}
	}
	fmt.Fprintf(w, "\nkill matrix: each documented row, and the mutants that break it and were found there\n")
	for _, row := range documentedRows() {
		fmt.Fprintf(w, "\n%s (%d)\n", row, len(by[row]))
		wrap(w, by[row])
		if len(by[row]) == 0 {
			unproven = append(unproven, row)
		}
	}
	return unproven
}

// wrap writes names in lines of at most 120 columns; a name is never broken.
func wrap(w io.Writer, names []string) {
	const indent, columns = "  ", 120
	line := indent
	for _, name := range names {
		if len(line)+1+len(name) > columns && line != indent {
			fmt.Fprintln(w, line)
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += name
	}
	if line != indent {
		fmt.Fprintln(w, line)
	}
}

func (e *evidence) mean(count func(kill) int) float64 {
	sum := 0
	for _, k := range e.kills {
		sum += count(k)
	}
	return float64(sum) / float64(max(1, len(e.kills)))
}

// how says in which way a mutant slipped through.
func (e *evidence) how(name string) string {
	i := slices.IndexFunc(e.kills, func(k kill) bool { return k.mutant == name })
	switch {
	case i < 0:
		return ": its run was not sound"
	case !e.kills[i].killed():
		return ": the verdict is " + e.kills[i].verdict
	case len(e.kills[i].missed) > 0:
		return ": not found at " + strings.Join(e.kills[i].missed, ", ")
	case len(e.kills[i].unrelated) > 0:
		return ": accused without a ground at " + strings.Join(e.kills[i].unrelated, ", ")
	}
	return ""
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
