package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"

	"authenticator-conformance/suites/internal/command/session"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/evidence"
	"authenticator-conformance/suites/internal/report/metrics"
	"authenticator-conformance/suites/internal/settings"
)

// checkEvidence judges the evidence again, and compares the rows.
func (c *certificate) checkEvidence(ctx context.Context) error {
	const name = "evidence"
	switch {
	case c.stated[report.EvidenceFile] == "":
		state := Remark
		if c.report.Certifies {
			state = Breaks
		}
		c.add(state, name, "the statement names no %s, so that nothing shows what was answered", report.EvidenceFile)
		return nil
	case !c.intact[report.EvidenceFile]: // the line about the files says why
		return nil
	case c.report.Error != nil && !c.report.Certifies:
		c.add(Remark, name, "was not judged again: the run was not carried out to its end")
		return nil
	}
	opened, err := c.files[report.EvidenceFile]()
	if err != nil {
		return err
	}
	defer opened.Close()
	recorded, err := evidence.Parse(io.LimitReader(opened, maxFile), c.suite.Contract.Versions)
	switch {
	case errors.Is(err, evidence.ErrHidden):
		return c.checkHidden()
	case err != nil:
		return fmt.Errorf("%s: %s", report.EvidenceFile, report.Printable(err.Error(), 300))
	}
	n, err := session.Of(recorded, &settings.Settings{}, c.suite)
	if err != nil {
		return err
	}
	defer n.Close()
	if slices.ContainsFunc(c.report.Requirements, func(row report.Row) bool { return row.NotRun() }) {
		n.Run.Select(c.judgedRows())
	}
	if ended := n.Execute(ctx, nil); ctx.Err() != nil {
		return ended
	}
	lacking := n.Run.Ledger.Missing
	if slices.ContainsFunc(lacking, func(p exchange.Probe) bool { return !recorded.Unfit(p) }) {
		lacking = nil // they were taken out
	}
	why := ""
	if len(lacking) > 0 {
		why = "the evidence does not keep answers that are over 1 MiB or no text, or contain a secret"
	}
	n.Result.TakeOver(&c.report, recorded.IsRedacted())
	return c.compare(n.Result, recorded, why)
}

// compare compares the report with the one that the evidence gives. Rows of which it shows less, and what follows from
// them, are left open if why says why that is so.
func (c *certificate) compare(again *report.Report, store evidence.Store, why string) error {
	const name = "evidence"
	c.served = again.Counts.Served
	differing, open := compareRows(rowsOf(&c.report), rowsOf(again), why != "")
	if open > 0 && !maps.Equal(c.served, c.report.Counts.Served) {
		c.served = nil
	}
	whole := open == 0 && !c.ofAnotherRelease() && c.suite.Contract.Is(c.report.Suite.Contract)
	if c.report.Certifies { // else there is no certificate, whatever else the report says
		differing = append(differing, c.compareMembers(again, whole, open > 0)...)
	}
	if whole && c.report.Certifies && len(differing) == 0 {
		var err error
		if differing, err = c.compareFiles(again, store, nil); err != nil {
			return err
		}
	}
	state := Breaks
	if !c.suite.Contract.Is(c.report.Suite.Contract) {
		state = Unchecked // by another contract it may say something else
	}
	if lacks := again.Missing; why == "" && len(lacks) > 0 && len(c.report.Missing) == 0 && len(differing) > 0 {
		differing = slices.Insert(differing, 0, fmt.Sprintf("lacks %s of the run, from which all else that differs "+
			"may follow; the first: %s", wording.Count(len(lacks), "answer"), lacks[0]))
	}
	for i, text := range differing {
		if i == maxLines {
			c.add(state, name, "and %d more differences", len(differing)-i)
			break
		}
		c.add(state, name, "%s", text)
	}
	switch {
	case open > 0:
		c.add(Unchecked, name, "%s of %d can't be judged again: %s", wording.Count(open, "row"),
			len(c.report.Requirements), why)
	case len(differing) > 0:
	case c.report.Certifies && c.ofAnotherRelease():
		c.add(Unchecked, name, "gives the same rows and verdict; only release %s of the suite, which wrote the files, "+
			"can make them again", c.report.Suite.Version)
	default:
		c.add(Holds, name, "%s, judged again: %s with their causes, and the verdict, are the same",
			wording.Count(c.report.Counts.Requests, "request"), wording.Count(len(c.report.Requirements), "row"))
	}
	return nil
}

// compareRows says how the rows of a report differ from those that the evidence gives, and counts those of which it
// shows less, if it may.
func compareRows(said, shown map[string]*report.Row, less bool) (differing []string, open int) {
	all := maps.Clone(said)
	maps.Copy(all, shown)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		switch was, now := said[key], shown[key]; {
		case was == nil:
			differing = append(differing, key+" is missing in the report")
		case now == nil:
			differing = append(differing, key+" has no row now")
		case textOf(now) == textOf(was):
		case less && now.Witnesses <= was.Witnesses && now.FindingCount <= was.FindingCount:
			open++
		default:
			differing = append(differing, fmt.Sprintf("%s: the report says %s, the evidence %s", key,
				textOf(was), textOf(now)))
		}
	}
	return differing, open
}

// checkHidden compares what follows from report.json alone, as hidden values can't be judged again: the other files but
// for the times in them, and its counts.
func (c *certificate) checkHidden() error {
	const name = "evidence"
	c.served = c.report.Counts.Served
	c.add(Unchecked, name, "was recorded with --values hide: hidden values can't be judged again, so that nothing "+
		"shows the rows and counts of %s, and the times in %s and %s", report.JSONFile, report.JUnitFile, metrics.File)
	if !c.report.Certifies || c.report.Users == nil {
		return nil // there is no certificate
	}
	for v, served := range c.served {
		least := c.report.Users.Count
		for _, by := range c.report.Counts.ServedBy {
			if n, asked := by[v]; asked {
				least = min(least, n)
			}
		}
		if served != least {
			c.add(Breaks, name, "counts: %s served %s, but of %s each operation served %d", v,
				wording.Count(served, "user"), wording.Count(c.report.Users.Count, "user"), least)
		}
	}
	if c.ofAnotherRelease() || !c.suite.Contract.Is(c.report.Suite.Contract) {
		c.add(Unchecked, name, "only release %s of the suite can make the other files again", c.report.Suite.Version)
		return nil
	}
	again := c.report
	again.Headings = map[string]string{}
	for _, section := range c.suite.Sections {
		again.Headings[section.Number] = section.Title
	}
	differing, err := c.compareFiles(&again, noStore{}, unreported)
	for _, text := range differing {
		c.add(Breaks, name, "%s", text)
	}
	return err
}

// noStore has no exchange.
type noStore struct{}

func (noStore) Entry(id string) (*evidence.Entry, error) {
	return nil, fmt.Errorf("%s: %w", id, exchange.ErrNotRecorded)
}

// unreported matches what report.json does not have: how long tests and requests took, and where the parts of what was
// observed end.
var unreported = regexp.MustCompile(`(?m) time="[0-9.]+"|^(# [A-Z]+ )?conformance_latency_seconds.*\n|<br>|; `)

// maxLines is how many differences are shown.
const maxLines = 20

// judgedRows are the rows that no filter left out of the run.
func (c *certificate) judgedRows() map[ledger.Key]bool {
	keys := map[ledger.Key]bool{}
	for _, row := range c.report.Requirements {
		if !row.NotRun() {
			keys[ledger.Key{ID: row.ID, Version: row.Version}] = true
		}
	}
	return keys
}

func rowsOf(r *report.Report) map[string]*report.Row {
	rows := map[string]*report.Row{}
	for i, row := range r.Requirements {
		rows[ledger.Key{ID: row.ID, Version: row.Version}.String()] = &r.Requirements[i]
	}
	return rows
}

// textOf is what a report says of a row.
func textOf(row *report.Row) string {
	text := string(row.Verdict)
	if row.Reason != nil {
		text += " (" + string(*row.Reason) + ")"
	}
	text += fmt.Sprintf(", %s, %s for %s", wording.Plural(row.Witnesses, "witness", "witnesses"),
		wording.Count(row.FindingCount, "finding"), wording.Count(row.Users, "user"))
	for _, cause := range row.Causes {
		text += fmt.Sprintf("; %d × %s at %q", cause.Count, cause.Kind, cause.Pointer)
	}
	if row.Waiver != nil {
		text += "; waived until " + row.Waiver.Until
	}
	return text
}
