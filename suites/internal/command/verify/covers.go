package verify

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
)

// checkVerdict checks that the report certifies, and still does. The line says what it covers.
func (c *certificate) checkVerdict(now time.Time) {
	if !c.report.Certifies {
		c.None = c.noCertificate()
		why := c.None
		if c.report.Error != nil {
			why += ": " + *c.report.Error
		}
		c.add(Breaks, verdictLine, "%s: %s", c.report.Verdict, why)
		return
	}
	if ended := c.report.Finished; ended != nil && ended.After(now.Add(clockSkew)) {
		c.add(Unchecked, "clock", "the run ended at %s, and it is %s here: one of the clocks is wrong",
			ended.Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	c.Covers = c.covers()
	c.add(Holds, verdictLine, "pass, and certifies %s; %s", c.Covers, c.subject())
	if versions := c.report.Versions; len(versions) < len(c.suite.Contract.Versions) {
		c.add(Remark, "versions", "only %s was tested: nothing is known of the others, and whether they agree",
			schemas.Named(versions))
	}
	if c.report.ValidUntil == nil {
		c.add(Remark, "validity", "the certificate has no end")
		return
	}
	until, err := time.Parse(time.DateOnly, *c.report.ValidUntil)
	switch {
	case err != nil:
		c.add(Breaks, "validity", "%q is no date", *c.report.ValidUntil)
	case !now.Before(until.AddDate(0, 0, 1)):
		c.add(Breaks, "validity", "the certificate ended with %s", *c.report.ValidUntil)
	default:
		c.add(Holds, "validity", "until %s, that day included", *c.report.ValidUntil)
	}
}

// clockSkew is how far the clocks of two machines may differ.
const clockSkew = time.Hour

// noCertificate says why an honest report certifies nothing.
func (c *certificate) noCertificate() string {
	all := len(c.report.Requirements)
	left := all - len(c.judgedRows())
	switch {
	case c.report.JudgedAgain != nil:
		return "conformance judge wrote this folder, and asked no target; ask for the folder of the run itself"
	case c.report.Embedded:
		return report.BuiltInReference
	case c.report.Error != nil:
		return "the run was not carried out"
	case left > 0:
		return fmt.Sprintf("the run was filtered, and left out %d of %s; run without a filter and --last-failed", left,
			wording.Count(all, "check"))
	case c.report.Verdict != ledger.Pass:
		return fmt.Sprintf("the run ended with the verdict %s", c.report.Verdict)
	}
	return cmp.Or(strings.Join(c.report.Limits(), "; "), "the run set something aside; see "+report.SummaryFile)
}

// covers says what the report covers: versions, users served in each if that is known, checks and targets.
func (c *certificate) covers() string {
	var versions []string
	for _, v := range c.report.Versions {
		text := fmt.Sprintf("%s at %s", v, c.report.Target[v])
		if c.served != nil {
			text += fmt.Sprintf(" (%s served)", wording.Count(c.served[v], "user"))
		}
		versions = append(versions, text)
	}
	return strings.Join(versions, " and ") + ", " + wording.Count(len(c.report.Requirements), "check")
}

// subject says what product was tested.
func (c *certificate) subject() string {
	if subject := c.report.Subject.String(); subject != "" {
		return "the product is " + subject
	}
	return "no product is named"
}
