package summary

import (
	"fmt"

	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/strictjson"
	"authenticator-conformance/suites/internal/wording"
)

// failure is one cause for which a row fails the run.
type failure struct {
	row   *report.Row
	cause report.Cause
}

// failures lists what fails the run, cause by cause, in the catalogue's order. What is waived does not, nor does what
// is known from the baseline.
func failures(r *report.Report) []failure {
	known := map[report.Entry]bool{}
	if r.Gate != nil {
		for _, e := range r.Gate.Known {
			known[fingerprint(e)] = true
		}
	}
	var list []failure
	for i := range r.Requirements {
		row := &r.Requirements[i]
		if row.Verdict != ledger.Fail || row.Waiver != nil || row.Known {
			continue
		}
		for _, c := range row.Causes {
			if !known[fingerprint(row.Entry(c))] {
				list = append(list, failure{row, c})
			}
		}
	}
	return list
}

// fingerprint is an entry without its count: the number of findings may change from run to run.
func fingerprint(e report.Entry) report.Entry {
	e.Count = 0
	return e
}

// repeat is the shell line that sends the example again, or one like it, after one for what it is held against; ""
// where no finding of the cause was kept.
func (f failure) repeat() string {
	like := ""
	for _, finding := range f.row.Findings {
		switch {
		case finding.Message == f.cause.Example:
			return both(finding)
		case like == "" && finding.Kind == f.cause.Kind && strictjson.General(finding.Pointer) == f.cause.Pointer:
			like = both(finding)
		}
	}
	return like
}

func both(f report.Finding) string {
	if f.RepeatAgainst == "" {
		return f.Repeat
	}
	return f.RepeatAgainst + "\n" + f.Repeat
}

// broken shows what fails the run, each cause as one entry with an example and a line that sends the request again.
func broken(r *report.Report) *section {
	s := newSection("Failures", roomFailures)
	each(s, failures(r), func(f failure) string {
		entry := fmt.Sprintf("- %s: %s%s, %s\n\n  %s\n\n", name(f.row.Version, f.row.ID), code(f.cause.Kind, mostName), at(f.cause.Pointer), wording.Times(f.cause.Count), code(f.cause.Example, mostText))
		return entry + again(f.repeat())
	})
	return s
}

// at names a place in an answer; "" is the whole of it.
func at(pointer string) string {
	if pointer == "" {
		return ""
	}
	return " at " + code(pointer, mostPlace)
}

// again shows a shell line to copy. One that can't be shown whole, and so would do something else, is left to the page.
func again(line string) string {
	if line == "" {
		return ""
	}
	if len(line) <= mostRepeat && backticks(line) <= longestRun {
		return fenced("sh", line, 2) + "\n"
	}
	return "  The line that sends the request again does not fit here; it stands in `" + report.PageFile + "`.\n\n"
}
