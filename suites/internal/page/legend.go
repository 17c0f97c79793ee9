package page

import (
	"authenticator-conformance/suites/internal/report"
)

// runLegend explains the short words and signs on a run's page.
func runLegend() []entry {
	return []entry{
		{"row", "one requirement in one version; v5=v6 is a requirement that compares both"},
		{"✗ fail", "an answer breaks the requirement"},
		{"? inconclusive", "no answer could decide it; the reason says what to do"},
		{"W waived", "set aside by the target's owner until a date; it does not count"},
		{"K known", "it is so in the baseline for the same causes; it does not count"},
		{"– not run", "left out by a filter, by the end of the run, or because evidence is missing"},
		{"✓ pass", "at least one answer could have broken it, and none did"},
		{"witness", "an answer that could have broken the requirement and kept it; every user is asked several times"},
		{"finding", "one place of one answer that breaks a requirement"},
		{"cause", "all findings of one kind at one place; * matches any index of a list"},
		{"round 1, 2, …", "how often the same request was sent, to see what changes between identical calls"},
		{"e2", "the id of a request with its answer, in " + report.EvidenceFile +
			" and in the User-Agent of the request"},
		{"#", "a link to this row"},
	}
}

// sweepLegend explains the short words and signs on a sweep's page.
func sweepLegend() []entry {
	var list []entry
	for _, o := range allOutcomes() {
		list = append(list, entry{o.Sign + " " + string(o.Outcome), o.Sentence})
	}
	return append(list, []entry{
		{"group", "all findings of one requirement, kind and place; * matches any index of a list"},
		{"W waived", "set aside by the target's owner until a date; it does not count"},
		{"u17.2", "the id of a request with its answer: user 17 of the population, request 2; it is in the " +
			"User-Agent of the request"},
		{"p50, p95, p99", "half, 95 and 99 in 100 of the requests were answered within this time"},
		{"#", "a link to this group"},
	}...)
}
