package sweep

import (
	"strconv"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/report/stats"
)

// noteAnswers records which versions served the user something in any of these answers, and how the others answered
// (J22).
func (c *comparison) noteAnswers(found *stats.Result, judgements ...*spec.Judgement) {
	found.Served, found.Unserved = nil, nil
	for _, v := range c.Settings.Versions {
		var others []string
		served := false
		for _, j := range judgements {
			if ex := j.Answer.Exchange; ex.Probe.Version == v {
				served = served || j.Answer.ServesSomething()
				others = append(others, describeUnserved(ex))
			}
		}
		if served {
			found.Served = append(found.Served, v)
			continue
		}
		found.Unserved = append(found.Unserved, others...)
	}
}

// describeUnserved describes an answer that has nothing about the user.
func describeUnserved(ex *exchange.Exchange) string {
	switch {
	case !ex.Answered():
		return "no answer"
	case ex.Success() && !requests.SaysNothing(ex):
		return "status " + strconv.Itoa(ex.Status) + " without a record or identifier"
	}
	return kindOfEmpty(ex)
}

// markWitnessed records, from the results that were counted, which operations have disclosed data to some user. Users
// who are not counted, as they are asked again, leave no mark.
func (c *collector) markWitnessed() {
	for i, op := range schemas.Operations() {
		if c.Tally.Witnessed[op] {
			c.sweep.witnessed[i].Store(true)
		}
	}
}
