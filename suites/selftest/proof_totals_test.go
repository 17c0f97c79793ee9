package selftest_test

import (
	"fmt"
	"io"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
)

// specCount counts the specs of one label.
type specCount struct{ passed, all, notRun int }

func (s *specCount) add(spec SpecReport) {
	s.all++
	switch {
	case spec.State == types.SpecStatePassed:
		s.passed++
	case !spec.State.Is(types.SpecStateFailureStates):
		s.notRun++
	}
}

func (s specCount) String() string {
	text := fmt.Sprintf("%d/%d", s.passed, s.all)
	if s.notRun > 0 {
		text += fmt.Sprintf(" (%d not run)", s.notRun)
	}
	return text
}

// totals are the results of the proof, counted from Ginkgo's report.
type totals struct {
	kills               []kill
	killed, diagnosed   specCount // specs of mutants
	conforming, hostile specCount
	other               specCount // the other specs of the proof
	searched, leaks     int       // runs that were searched for secrets, and traces that were found
	slipped, failed     []string  // mutants that were not killed or not diagnosed, and all else that failed
}

// totalsOf counts the specs in Ginkgo's report.
func totalsOf(report Report) *totals {
	t := &totals{}
	for _, spec := range report.SpecReports {
		if spec.LeafNodeType != types.NodeTypeIt {
			t.noteFailure(spec)
			continue
		}
		labels := spec.Labels()
		switch {
		case slices.Contains(labels, mutantLabel):
			t.mutant(spec)
		case slices.Contains(labels, conformingLabel):
			t.conforming.add(spec)
			t.noteFailure(spec)
		case slices.Contains(labels, hostileLabel):
			t.hostile.add(spec)
			t.noteFailure(spec)
		case slices.Contains(labels, proofLabel):
			t.other.add(spec)
			t.noteFailure(spec)
		}
		for _, entry := range spec.ReportEntries {
			if found, ok := entry.GetRawValue().([]string); ok && entry.Name == traceEntry {
				t.searched++
				t.leaks += len(found)
			}
		}
	}
	return t
}

// noteFailure stores the name of a spec if it failed.
func (t *totals) noteFailure(spec SpecReport) {
	if spec.State.Is(types.SpecStateFailureStates) {
		t.failed = append(t.failed, strings.TrimSpace(spec.FullText()))
	}
}

// mutant counts the spec of a mutant. The mutant is killed if its run was carried out and did not pass. It is diagnosed
// if its spec passed: the run named what it breaks, and nothing else without a reason.
func (t *totals) mutant(spec SpecReport) {
	t.diagnosed.add(spec)
	t.killed.add(spec)
	failed := spec.State.Is(types.SpecStateFailureStates)
	if failed {
		t.slipped = append(t.slipped, spec.LeafNodeText)
	}
	for _, entry := range spec.ReportEntries {
		if k, ok := entry.GetRawValue().(kill); ok {
			t.kills = append(t.kills, k)
			if failed && k.killed() {
				t.killed.passed++
			}
		}
	}
}

// print writes the kill matrix, then the totals, then the mutants that slipped through.
func (t *totals) print(w io.Writer) {
	unproven := t.matrix(w)
	fmt.Fprintf(w, "\nrows that no mutant proves: %s\n", orNone(unproven))
	fmt.Fprintf(w, "other rows that did not pass, on average per mutant: %.2f as a consequence, "+
		"%.2f without a reason\n\n",
		t.mean(func(k kill) int { return len(k.consequences) }), t.mean(func(k kill) int { return len(k.unrelated) }))
	fmt.Fprintf(w, "mutants killed     %s\nmutants diagnosed  %s\n", t.killed, t.diagnosed)
	fmt.Fprintf(w, "conforming passed  %s\nhostile survived   %s\n", t.conforming, t.hostile)
	fmt.Fprintf(w, "other specs        %s\n", t.other)
	fmt.Fprintf(w, "leaks              %d, in %d runs that were searched\n", t.leaks, t.searched)
	for _, text := range t.failed {
		fmt.Fprintf(w, "failed: %s\n", text)
	}
	for _, name := range t.slipped {
		fmt.Fprintf(w, "slipped through: %s%s\n", name, t.reason(name))
	}
}

// matrix writes for each row the mutants that break it and were found there. It returns the rows without any.
func (t *totals) matrix(w io.Writer) (unproven []string) {
	by := map[string][]string{}
	for _, k := range t.kills {
		for _, row := range k.rows {
			by[row] = append(by[row], k.mutant)
		}
	}
	fmt.Fprintf(w, "\nkill matrix: each documented row, and the mutants that break it and were found there\n")
	for _, row := range documentedRows() {
		fmt.Fprintf(w, "\n%s (%d)\n", row, len(by[row]))
		wrapNames(w, by[row])
		if len(by[row]) == 0 {
			unproven = append(unproven, row)
		}
	}
	return unproven
}

// wrapNames writes names in lines of at most 120 columns; a name is never broken.
func wrapNames(w io.Writer, names []string) {
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

// mean averages a number over all mutants.
func (t *totals) mean(count func(kill) int) float64 {
	sum := 0
	for _, k := range t.kills {
		sum += count(k)
	}
	return float64(sum) / float64(max(1, len(t.kills)))
}

// reason describes how a mutant slipped through.
func (t *totals) reason(name string) string {
	i := slices.IndexFunc(t.kills, func(k kill) bool { return k.mutant == name })
	switch {
	case i < 0:
		return ": its run did not pass the checks of every run"
	case !t.kills[i].killed():
		return ": the verdict is " + t.kills[i].verdict
	case len(t.kills[i].missed) > 0:
		return ": not found at " + strings.Join(t.kills[i].missed, ", ")
	case len(t.kills[i].unrelated) > 0:
		return ": accused without a reason at " + strings.Join(t.kills[i].unrelated, ", ")
	}
	return ""
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
