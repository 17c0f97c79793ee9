// Package replay sends again only those requests of a run that have findings, for the person who repairs the service.
// It certifies nothing: only a whole run does.
package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/input"
	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/strictjson"
	"authenticator-conformance/suites/internal/wording"
)

// State is what became of a finding.
type State string

// The states.
const (
	Fixed State = "FIXED" // the answers keep the requirement now
	Still State = "STILL" // the same breach at the same place
	Other State = "OTHER" // another breach of the requirement, or no answer
)

// Finding is a finding of the report, and what became of it.
type Finding struct {
	State State
	Row   string // "2.1/CreatedOn v6"
	Place string
	Risk  schemas.Risk
	What  string // what came: the smallest answer that still breaks the requirement

	expected string // "" if the finding before says it too
}

// String formats the finding in lines.
func (f Finding) String() string {
	text := fmt.Sprintf("%s  %s%s (%s)", f.State, f.Row, f.Place, f.Risk)
	if f.What != "" {
		text += "\n       " + f.What
	}
	if f.expected != "" {
		text += "\n       expected " + f.expected
	}
	return text
}

// Plan is what is to be sent again.
type Plan struct {
	report   report.Report
	suite    *spec.Suite
	settings *settings.Settings // of this replay
	run      *settings.Settings // of the run
	probes   []exchange.Probe   // in their order, each once
	compared []string           // rows of which only a whole run can tell
}

// Read reads a report folder. The error says why nothing can be sent again.
func Read(dir string, own *settings.Settings, suite *spec.Suite) (*Plan, error) {
	p := &Plan{suite: suite, settings: own}
	content, err := input.ReadFile(filepath.Join(dir, report.JSONFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s is no report folder of a run: it has no %s", dir, report.JSONFile)
	}
	if err != nil {
		return nil, err
	}
	value, err := strictjson.Decode(content)
	if err == nil {
		err = report.Decode(&p.report, "report", schemas.ReportSchema, content, value)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", report.JSONFile, err)
	}
	recorded, err := evidence.Read(filepath.Join(dir, report.EvidenceFile), suite.Contract.Versions)
	if err != nil {
		return nil, err
	}
	p.run = recorded.Settings
	wanted := map[string]bool{}
	for _, row := range p.report.Requirements {
		for _, f := range row.Findings {
			if f.Exchange == "" {
				p.compared = append(p.compared, row.ID+" "+string(row.Version))
				continue
			}
			for _, id := range []string{f.Exchange, f.Against} {
				if id == "" || wanted[id] {
					continue
				}
				entry, err := recorded.Entry(id)
				if err != nil {
					return nil, fmt.Errorf("%s has no exchange %s, which %s names", report.EvidenceFile,
						report.Printable(id, 40),
						report.JSONFile)
				}
				if own.URLs[entry.Probe.Version] == nil {
					return nil, fmt.Errorf("a finding is of %s, which is not among the versions under test",
						entry.Probe.Version)
				}
				wanted[id] = true
				p.probes = append(p.probes, entry.Probe)
			}
		}
	}
	slices.SortFunc(p.probes, func(a, b exchange.Probe) int {
		return cmp.Or(len(a.ID)-len(b.ID),
			strings.Compare(a.ID, b.ID))
	})
	return p, nil
}

// String says what is to be sent.
func (p *Plan) String() string {
	risks := map[schemas.Risk]int{}
	for _, one := range p.probes {
		risks[one.Risk()]++
	}
	var parts []string
	for _, risk := range []schemas.Risk{schemas.Read, schemas.Negative, schemas.AuthFailure} {
		if risks[risk] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", risks[risk], risk))
		}
	}
	text := "sends " + wording.Number(len(p.probes)) + " of " +
		wording.Count(p.report.Counts.Requests, "request") + " again"
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}

// Execute sends the requests, and calls each with what became of a finding. It returns whether all are fixed.
func (p *Plan) Execute(ctx context.Context, do func(context.Context, exchange.Probe) (*exchange.Exchange, error),
	out *sanitize.Output, each func(Finding)) (fixed bool, err error) {
	answers, silent := map[string]*spec.Judgement{}, 0
	for _, one := range p.probes {
		ex, err := do(ctx, one)
		if err != nil {
			return false, err
		}
		if silent++; ex.Answered() || !one.WellFormed() {
			silent = 0
		}
		if silent == engine.FaultsInARow {
			return false, fmt.Errorf("the target did not answer %d requests in a row: %s; check its URL, and send again when "+
				"it is up", silent, out.Fault(*ex.Fault).Detail)
		}
		answers[one.ID] = p.suite.Judge(ex)
	}
	fixed = len(p.compared) == 0
	said := ""
	for _, row := range p.report.Requirements {
		for _, f := range row.Findings {
			if f.Exchange == "" {
				continue
			}
			became := p.judge(row, f, answers, out)
			if became.expected == said { // once is enough
				became.expected = ""
			} else {
				said = became.expected
			}
			fixed = fixed && became.State == Fixed
			each(became)
		}
	}
	return fixed, nil
}

// Compared lists the rows of which only a whole run can tell.
func (p *Plan) Compared() []string { return slices.Compact(slices.Clone(p.compared)) }

// judge says what became of a finding.
func (p *Plan) judge(row report.Row, f report.Finding, answers map[string]*spec.Judgement,
	out *sanitize.Output) Finding {
	now := answers[f.Exchange]
	became := Finding{Row: row.ID + " " + string(row.Version), Risk: now.Answer.Exchange.Probe.Risk(), State: Fixed}
	if f.Pointer != "" {
		became.Place = " at " + report.Printable(f.Pointer, 100)
	}
	became.Place += ", " + now.Answer.Exchange.Probe.ID
	outcome := p.outcome(row, f, now, answers[f.Against])
	if outcome.Count == 0 {
		if outcome.Witnesses == 0 && !saysNothing(now) { // nothing seen is not a repair
			became.State, became.What = Other, unseen(now.Answer.Exchange, out)
		}
		return became
	}
	same := func(other check.Finding) bool {
		return other.Kind == f.Kind && strictjson.General(other.Pointer) == strictjson.General(f.Pointer)
	}
	became.State = Other
	shown := outcome.Findings[0]
	if i := slices.IndexFunc(outcome.Findings, same); i >= 0 {
		became.State, shown = Still, outcome.Findings[i]
	}
	became.What, became.expected = report.Actual(out, shown), report.Expected(out, shown)
	if !row.Version.IsPair() {
		became.What = smallest(shown.Pointer, became.What)
	}
	return became
}

// saysNothing reports whether an answer says, of a user who is not enrolled, that there is nothing (J1, J22).
func saysNothing(now *spec.Judgement) bool {
	ex := now.Answer.Exchange
	return ex.Probe.WellFormed() && !ex.Probe.User.Enrolled && ex.Answered() && !now.Answer.Discloses() &&
		(ex.Success() || slices.Contains([]int{400, 404, 410, 422}, ex.Status))
}

// unseen says why an answer shows nothing of a requirement.
func unseen(ex *exchange.Exchange, out *sanitize.Output) string {
	switch {
	case ex.Fault != nil:
		return "no answer: " + out.Fault(*ex.Fault).Detail
	case !ex.Success():
		return fmt.Sprintf("status %d, which shows nothing of it; is the access token right?", ex.Status)
	}
	return "an answer that shows nothing of it: the member is null or absent, or there is nothing to compare"
}

// outcome judges a row by the answers of now.
func (p *Plan) outcome(row report.Row, f report.Finding, now, against *spec.Judgement) check.Outcome {
	if !row.Version.IsPair() {
		if outcome := now.Rows[row.ID]; outcome != nil {
			return *outcome
		}
		return check.Outcome{}
	}
	if against.Answer.Exchange.Probe.Version == now.Answer.Exchange.Probe.Version { // it changed between identical calls
		return changes(f, now, against)
	}
	rule := parity.Rule{ShapeOnly: p.run.ParityMode == settings.ParityShape}
	for _, i := range settings.Active(p.run.Ignore, p.report.Started) {
		rule.Ignored = append(rule.Ignored, &parity.Ignored{Pattern: i.Pointer})
	}
	compared := engine.Engine{Suite: p.suite, Rule: rule,
		Pairs: p.suite.Contract.PairsOf([]schemas.Version{against.Answer.Exchange.Probe.Version,
			now.Answer.Exchange.Probe.Version}),
		Compares: func(j *spec.Judgement) bool { return j.Answer.Exchange.Answered() }}
	var outcome check.Outcome
	for _, c := range compared.CompareNow(&engine.Answers{Judgements: []*spec.Judgement{against, now}}) {
		for _, r := range p.suite.Requirements() {
			if r.ID == row.ID {
				outcome.Merge(r.JudgeComparison(c))
			}
		}
	}
	return outcome
}

// changes judges whether the place of a finding still changes between identical calls. Other places may: they were
// volatile in both versions.
func changes(f report.Finding, now, against *spec.Judgement) check.Outcome {
	if !now.Answer.Served() || !against.Answer.Served() {
		return check.Outcome{} // nothing to compare
	}
	probe, compare := now.Answer.Exchange.Probe, parity.Records
	if probe.Operation == schemas.FindByUserIDs {
		compare = parity.Identifiers
	}
	for _, d := range compare(against.Answer.Value, now.Answer.Value) {
		if parity.Matches(strictjson.General(f.Pointer), d.Pointer) ||
			parity.Matches(strictjson.General(d.Pointer), f.Pointer) {
			return check.Outcome{Count: 1, Findings: []check.Finding{{Probe: probe, Kind: f.Kind, Pointer: f.Pointer,
				Expected: check.Stable{}, Actual: check.Changing{Version: probe.Version, From: d.Left, Then: d.Right}}}}
		}
	}
	return check.Outcome{Witnesses: 1}
}

// smallest returns a value in the smallest answer that has it at this place.
func smallest(pointer, value string) string {
	tokens := strings.Split(pointer, "/")
	for _, token := range slices.Backward(tokens[1:]) {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		if strings.Trim(token, "0123456789") == "" {
			value = "[" + value + "]"
		} else {
			value = fmt.Sprintf("{%q:%s}", report.Printable(token, 100), value)
		}
	}
	return value
}
