package sweep

import (
	"strconv"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report/stats"
)

// noteAnswers records which versions served the user something in any of these answers, and how the others answered
// (J22).
func (c *comparison) noteAnswers(found *stats.Result) {
	for _, v := range c.Settings.Versions {
		var others []string
		served := false
		for _, j := range c.lookup.Calls {
			if j.Answer.Exchange.Probe.Version == v {
				served = served || j.Answer.ServesSomething()
				if found.List == "" && j.Answer.Count > 0 {
					found.List = c.listDigests(j.Answer.Exchange)
				}
				others = append(others, c.describeUnserved(j.Answer))
			}
		}
		if served {
			found.Served = append(found.Served, v)
			continue
		}
		found.Unserved = append(found.Unserved, others...)
	}
}

// listDigests returns the digests of a list of identifiers (J24); "" for another answer, or if enough are kept.
func (c *comparison) listDigests(ex *exchange.Exchange) string {
	if c.op != schemas.FindByUserIDs || c.lists <= 0 {
		return ""
	}
	return check.ListDigests(c.user.UserID, ex.Body)
}

// describeUnserved describes an answer that has nothing about the user.
func (s *Sweep) describeUnserved(a *check.Answer) string {
	switch ex := a.Exchange; {
	case !ex.Answered():
		return "no answer"
	case ex.Success() && !s.suite.SaysNothing(ex):
		return "status " + strconv.Itoa(ex.Status) + " without a record or identifier"
	}
	return s.kindOfEmpty(a)
}
