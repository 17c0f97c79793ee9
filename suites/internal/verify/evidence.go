package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/session"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/wording"
)

// checkEvidence judges the evidence again, and compares the rows.
func (c *certificate) checkEvidence(ctx context.Context) error {
	const name = "evidence"
	if c.stated[report.EvidenceFile] == "" {
		c.add(Breaks, name, "the statement names no %s, so that nothing shows what was answered", report.EvidenceFile)
		return nil
	}
	if !c.intact {
		c.add(Breaks, name, "is not that of the run, and was not judged again")
		return nil
	}
	opened, err := c.files.Open(report.EvidenceFile)
	if err != nil {
		return err
	}
	defer opened.Close()
	recorded, err := evidence.Parse(io.LimitReader(opened, maxFile), c.suite.Contract.Versions)
	switch {
	case errors.Is(err, evidence.ErrHidden):
		c.add(Unchecked, name, "was recorded with --values hide: hidden values can't be judged again")
		return nil
	case err != nil:
		return fmt.Errorf("%s: %s", report.EvidenceFile, report.Printable(err.Error(), 300))
	}
	n, err := session.Of(recorded, &settings.Settings{}, c.suite)
	if err != nil {
		return err
	}
	defer n.Close()
	if ended := n.Execute(ctx); ctx.Err() != nil {
		return ended
	}
	c.compare(n.Result)
	return nil
}

// compare compares the rows of the report with those that the evidence gives.
func (c *certificate) compare(again *report.Report) {
	const name = "evidence"
	said, shown := rowsOf(&c.report), rowsOf(again)
	var differing []string
	for _, key := range slices.Sorted(maps.Keys(said)) {
		if now, has := shown[key]; !has {
			differing = append(differing, key+" has no row now")
		} else if now != said[key] {
			differing = append(differing, fmt.Sprintf("%s: the report says %s, the evidence %s", key, said[key], now))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(shown)) {
		if _, has := said[key]; !has {
			differing = append(differing, key+" is missing in the report")
		}
	}
	said, shown = c.headOf(&c.report), c.headOf(again)
	for _, key := range slices.Sorted(maps.Keys(said)) {
		if said[key] != shown[key] {
			differing = append(differing, fmt.Sprintf("%s: the report says %s, the evidence %s", key, said[key],
				shown[key]))
		}
	}
	state := Breaks
	if !c.suite.Contract.Is(c.report.Suite.Contract) {
		state = Unchecked // by another contract it may say something else
	}
	for i, text := range differing {
		if i == maxLines {
			c.add(state, name, "and %d more differences", len(differing)-i)
			break
		}
		c.add(state, name, "%s", text)
	}
	if len(differing) == 0 {
		c.add(Holds, name, "%s, judged again: %s with their causes, and the verdict, are the same",
			wording.Count(c.report.Counts.Requests, "request"), wording.Count(len(c.report.Requirements), "row"))
	}
}

// maxLines is how many differences are shown.
const maxLines = 20

// headOf returns what a report says of the run as a whole. A baseline is not in the evidence: it may change the
// verdict, but never to one that certifies.
func (c *certificate) headOf(r *report.Report) map[string]string {
	head := *r
	head.JudgedAgain = nil // which only the second judgement is
	head.Judge()
	if r == &c.report {
		head = *r
	}
	facts := map[string]any{"run": head.Run, "started": head.Started, "finished": head.Finished, "target": head.Target,
		"versions": head.Versions, "users": head.Users, "the built-in reference": head.Embedded,
		"complete": head.Complete}
	if c.report.Subject != nil { // earlier releases knew none
		facts["subject"], facts["fingerprints"] = head.Subject, head.Fingerprints
	}
	if c.report.Gate == nil || c.report.Certifies {
		facts["verdict"], facts["certifies"], facts["valid until"] = head.Verdict, head.Certifies, head.ValidUntil
	}
	texts := map[string]string{}
	for name, fact := range facts {
		text, _ := json.Marshal(fact) // values of a report
		texts[name] = string(text)
	}
	return texts
}

// rowsOf returns what a report says of each row.
func rowsOf(r *report.Report) map[string]string {
	rows := map[string]string{}
	for _, row := range r.Requirements {
		text := string(row.Verdict)
		if row.Reason != nil {
			text += " (" + string(*row.Reason) + ")"
		}
		text += fmt.Sprintf(", %s, %s for %s", wording.Count(row.Witnesses, "witness"),
			wording.Count(row.FindingCount, "finding"), wording.Count(row.Users, "user"))
		for _, cause := range row.Causes {
			text += fmt.Sprintf("; %d × %s at %q", cause.Count, cause.Kind, cause.Pointer)
		}
		if row.Waiver != nil {
			text += "; waived until " + row.Waiver.Until
		}
		rows[ledger.Key{ID: row.ID, Version: row.Version}.String()] = text
	}
	return rows
}
