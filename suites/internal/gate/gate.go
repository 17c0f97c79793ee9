// Package gate holds a run's report against that of an earlier run, the baseline: what failed there may fail, what is new
// fails, and what is gone is stale until the baseline is refreshed, so that a baseline never says less than the truth.
package gate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/strictjson"
)

// Read reads a baseline: the report.json of a run that was complete and carried out, under the same contract. Errors name
// the file and say what to do.
func Read(path string, contract *schemas.Contract) (*report.Report, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("baseline (--baseline, AUTHN_BASELINE): %w", err)
	}
	refuse := func(format string, args ...any) (*report.Report, error) {
		return nil, fmt.Errorf("baseline %s: "+format+"; record a new one with: conformance run --update-baseline %[1]s", append([]any{path}, args...)...)
	}
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	value, err := strictjson.Decode(content)
	if err != nil {
		return refuse("it is no report: %v", err)
	}
	schema, err := schemas.ReportSchema()
	if err != nil {
		return nil, fmt.Errorf("defect of the suite: the schema of reports does not load: %w", err)
	}
	if violations := schema.Check(value); len(violations) > 0 {
		return refuse("it is no report: at %q expected %s", violations[0].Pointer, violations[0].Expected)
	}
	var baseline report.Report
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&baseline); err != nil {
		return refuse("it is no report of this suite: %v", err)
	}
	switch {
	case baseline.Suite.Contract != contract.Digest:
		return refuse("it was taken under another contract, %.19s…, and this suite judges by %.19s…", baseline.Suite.Contract, contract.Digest)
	case baseline.Verdict == ledger.Fault:
		return refuse("its run could not be carried out (verdict error)")
	case !baseline.Complete:
		return refuse("its run was not complete, so that it says nothing of some requirements")
	}
	for _, row := range baseline.Requirements {
		if _, known := contract.Requirement(row.ID); !known {
			return refuse("the catalogue has no requirement %q", row.ID)
		}
		// What this suite wrote can be shown as it is. Of a file that was changed since, nobody knows what it holds.
		for i := range row.Causes {
			row.Causes[i].Kind, row.Causes[i].Pointer = redact.Printable(row.Causes[i].Kind, 0), redact.Printable(row.Causes[i].Pointer, 0)
		}
	}
	return &baseline, nil
}

// Cover tells, before anything is sent, whether baseline and run judge the same rows: a check that silently disappeared
// on either side is the worst regression.
func Cover(path string, baseline *report.Report, rows []*ledger.Row) error {
	had := map[ledger.Key]bool{}
	for _, row := range baseline.Requirements {
		had[ledger.Key{ID: row.ID, Version: row.Version}] = true
	}
	var lacks, drops []string
	for _, row := range rows {
		if !had[row.Key] {
			lacks = append(lacks, row.Key.String())
		}
		delete(had, row.Key)
	}
	for key := range had {
		drops = append(drops, key.String())
	}
	slices.Sort(drops)
	switch {
	case len(lacks) > 0:
		return fmt.Errorf("baseline %s: it lacks %s, which this run judges: it is of fewer requirements, and can't be gated against; record a new one with: conformance run --update-baseline %[1]s", path, strings.Join(lacks, ", "))
	case len(drops) > 0:
		return fmt.Errorf("baseline %s: it judges %s, which this run leaves out; run with the settings of the baseline (versions, parity, divergence), or record a new one with: conformance run --update-baseline %[1]s", path, strings.Join(drops, ", "))
	}
	return nil
}

// Compare holds a report against the baseline, enters the result into it, and gives it the verdict that follows.
func Compare(baseline, now *report.Report, divergenceFails bool) {
	gate := &report.Gate{New: []report.Entry{}, Known: []report.Entry{}, Stale: []report.Entry{}, Changed: []report.Changed{}}
	before := map[ledger.Key]report.Row{}
	for _, row := range baseline.Requirements {
		before[ledger.Key{ID: row.ID, Version: row.Version}] = row
	}
	for i := range now.Requirements {
		row := &now.Requirements[i]
		if row.NotRun() {
			continue
		}
		was := before[ledger.Key{ID: row.ID, Version: row.Version}]
		for _, cause := range row.Causes {
			if was.Has(cause) {
				gate.Known = append(gate.Known, row.Entry(cause))
			} else {
				gate.New = append(gate.New, row.Entry(cause))
			}
		}
		for _, cause := range was.Causes {
			if !row.Has(cause) {
				gate.Stale = append(gate.Stale, was.Entry(cause))
			}
		}
		row.Known = row.Verdict == ledger.Fail && !slices.ContainsFunc(row.Causes, func(c report.Cause) bool { return !was.Has(c) })
	}
	gate.Changed = append(gate.Changed, changed(baseline, now)...)
	gate.ChangeFails = divergenceFails && len(gate.Changed) > 0
	now.Gate = gate
	now.Judge()
}

// changed lists the open points at which a version does something else than in the baseline. Those that may differ
// between two identical calls are not compared.
func changed(baseline, now *report.Report) []report.Changed {
	type place struct {
		id string
		op schemas.Operation
	}
	before := map[place]report.Observation{}
	for _, o := range baseline.Observations {
		before[place{o.ID, o.Operation}] = o
	}
	var list []report.Changed
	for _, o := range now.Observations {
		was, ok := before[place{o.ID, o.Operation}]
		if !ok || !o.Compared {
			continue
		}
		list = append(list, change(o, schemas.V5, was.V5, o.V5)...)
		list = append(list, change(o, schemas.V6, was.V6, o.V6)...)
	}
	return list
}

func change(o report.Observation, v schemas.Version, was, is *string) []report.Changed {
	if was == nil || is == nil || *was == *is || *is == ledger.NotAsked {
		return nil
	}
	return []report.Changed{{ID: o.ID, Operation: o.Operation, Version: v, Was: *was, Is: *is}}
}
