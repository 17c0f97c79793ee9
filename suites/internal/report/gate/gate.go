// Package gate compares a run's report with a baseline from an earlier run.
//
// A failure or inconclusive row that is in the baseline is known and may remain. A new failure fails the run. A failure
// that is gone is stale until the baseline is refreshed, so the baseline never hides an improvement.
package gate

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings/input"
)

// Read reads a baseline that Write made, or the report.json of a complete run under the same contract. Errors name the
// file and what to do.
func Read(path string, contract *schemas.Contract) (*report.Report, error) {
	content, err := input.ReadFile(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; record it first: the same command with --update-baseline %s in the place of the "+
				"setting baseline", err, path)
		}
		return nil, fmt.Errorf("baseline %s: %w", path, err)
	}
	value, err := strictjson.Decode(content)
	baseline := (*report.Report)(nil)
	if err == nil {
		baseline, err = decode(content, value)
	}
	if _, other := errors.AsType[*strictjson.OtherFormat](err); other {
		return nil, fmt.Errorf("baseline %s: %w; make a new one with --update-baseline", path, err)
	}
	if err != nil { // it may be any file, so name no command that would overwrite it
		return nil, fmt.Errorf("baseline %s: it is neither a baseline nor a report.json of a run: %w; give the file "+
			"that conformance run wrote with --update-baseline", path, err)
	}
	refuse := func(format string, args ...any) (*report.Report, error) {
		return nil, fmt.Errorf("baseline %s: "+format+"; record a new one with --update-baseline",
			append([]any{path}, args...)...)
	}
	switch {
	case !contract.Is(baseline.Suite.Contract):
		return refuse("it was recorded with another contract, %.19s…; this suite has %.19s…",
			baseline.Suite.Contract, contract.Digest)
	case baseline.Embedded:
		return refuse("its run asked %s", report.BuiltInReference)
	case baseline.Verdict == ledger.Fault:
		return refuse("its run could not be carried out (verdict error)")
	case baseline.Narrowed():
		return refuse("its run was incomplete, so some requirements are missing in it")
	}
	for _, row := range baseline.Requirements {
		if _, known := contract.Requirement(row.ID); !known {
			return refuse("the catalogue has no requirement %q", row.ID)
		}
		// Text from this suite is printable already, but the file may have been changed since.
		for i := range row.Causes {
			c := &row.Causes[i]
			c.Kind, c.Pointer, c.Off = report.Printable(c.Kind, 0), report.Printable(c.Pointer, 0),
				report.Printable(c.Off, 0)
		}
	}
	baseline.FileDigest = exchange.DigestOf(content)
	return baseline, nil
}

// decode returns the report from a baseline, with only the members that Compare needs, or from a whole report. value is
// content decoded from JSON.
func decode(content []byte, value any) (*report.Report, error) {
	var r report.Report
	if !isBaseline(value) {
		return &r, report.Decode(&r, "report", "report", content, value)
	}
	err := report.Decode(&r, "baseline", "baseline", content, value)
	r.Verdict, r.Complete = ledger.Pass, true
	r.Suite.Contract, _ = value.(map[string]any)["contract"].(string)
	return &r, err
}

// isBaseline reports whether a value from JSON says that it is a baseline.
func isBaseline(value any) bool {
	members, _ := value.(map[string]any)
	format, _ := members["format"].(string)
	return strings.HasPrefix(format, formatPrefix)
}

// CheckCoverage returns an error unless baseline and run judge the same rows. It is called before any request is sent:
// a check that silently disappeared on either side is the worst regression.
func CheckCoverage(path string, baseline *report.Report, rows []*ledger.Row) error {
	var had, judges []string
	for _, row := range baseline.Requirements {
		had = append(had, ledger.Key{ID: row.ID, Version: row.Version}.String())
	}
	for _, row := range rows {
		judges = append(judges, row.Key.String())
	}
	without := func(list, other []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(key string) bool { return slices.Contains(other, key) })
	}
	missing, extra := without(judges, had), without(had, judges)
	slices.Sort(extra)
	switch {
	case len(missing) > 0:
		return fmt.Errorf("baseline %s: it lacks %s, which this run judges; record a new one with --update-baseline",
			path, strings.Join(missing, ", "))
	case len(extra) > 0:
		return fmt.Errorf("baseline %s: it has %s, which this run does not judge; run with the settings of the "+
			"baseline (versions, parity, divergence), or record a new one with --update-baseline", path,
			strings.Join(extra, ", "))
	}
	return nil
}

// Compare compares a report with a baseline that has all its rows (CheckCoverage). It stores the result in the report
// and sets the report's verdict accordingly.
func Compare(baseline, now *report.Report, divergenceFails bool) {
	gate := &report.Gate{Digest: baseline.FileDigest, Changed: changed(baseline, now)}
	sameUsers := areSame(baseline, now)
	for i := range now.Requirements {
		row := &now.Requirements[i]
		if row.NotRun() {
			continue
		}
		was := baseline.Row(ledger.Key{ID: row.ID, Version: row.Version})
		accepted := true // all causes are known, and of no more users
		for _, cause := range row.Causes {
			entry, before := row.Entry(cause), causeOf(was, row.Operation, cause.Key)
			if before != nil && before.Users > 0 && before.Users != cause.Users {
				entry.Was, entry.Users = before.Users, cause.Users
			}
			list := &gate.Known
			switch {
			case before == nil, cause.Kind == check.FurtherCauses, wasWaived(was, row, now.Started):
				list = &gate.New
			case sameUsers && entry.Users > entry.Was:
				list = &gate.Grown
			}
			accepted = accepted && list == &gate.Known
			if list == &gate.Known || row.Waiver == nil { // what a waiver sets aside fails no run
				*list = append(*list, entry)
			}
		}
		if row.Verdict == ledger.Inconclusive {
			// A row that failed before and is inconclusive now is not repaired. It stays open, and none of its causes
			// is stale.
			if row.Known = was.Verdict == ledger.Inconclusive && !was.NotRun(); row.Known {
				open := report.Cause{Key: check.Key{Kind: string(ledger.Inconclusive)}, Count: 1}
				gate.Known = append(gate.Known, row.Entry(open))
			}
			continue
		}
		for _, cause := range was.Causes {
			if causeOf(row, row.Operation, cause.Key) == nil {
				gate.Stale = append(gate.Stale, was.Entry(cause))
			}
		}
		row.Known = row.Verdict == ledger.Fail && accepted
	}
	gate.ChangeFails = divergenceFails && len(gate.Changed) > 0
	now.Gate = gate
	now.Judge()
}

// areSame reports whether two reports are about the same list of users. If only one of them hides values, its digest is
// that of the other one's.
func areSame(a, b *report.Report) bool {
	if a.Users == nil || b.Users == nil {
		return false
	}
	one, other := *a.Users, *b.Users
	switch {
	case a.Values == b.Values:
	case a.Values == "":
		one.Digest = sanitize.HiddenDigest(one.Digest)
	default:
		other.Digest = sanitize.HiddenDigest(other.Digest)
	}
	return one == other
}

// causeOf returns a cause of a row by its key: at the same place, in whichever record (J15). It returns nil if there is
// none.
func causeOf(row *report.Row, op schemas.Operation, key check.Key) *report.Cause {
	key.Pointer = parity.PlaceOf(op, key.Pointer)
	for i, c := range row.Causes {
		if c.Pointer = parity.PlaceOf(op, c.Pointer); c.Key == key {
			return &row.Causes[i]
		}
	}
	return nil
}

// wasWaived reports whether a row failed in the baseline while a waiver set that aside which has ended.
func wasWaived(was, row *report.Row, now time.Time) bool {
	if was.Waiver == nil {
		return false
	}
	until, _ := time.Parse(time.DateOnly, was.Waiver.Until) // what is no day has ended
	return row.WaiverEnded || !ledger.Active(until, now)
}

// changed returns the open points at which a version's behaviour differs from the baseline. Those that may differ
// between two identical calls are not compared.
func changed(baseline, now *report.Report) (list []report.Changed) {
	for _, o := range now.Observations {
		same := func(was report.Observation) bool { return was.ID == o.ID && was.Operation == o.Operation }
		i := slices.IndexFunc(baseline.Observations, same)
		if i < 0 || !o.Compared || baseline.Values+now.Values != "" && keepsDigest(o) {
			continue
		}
		for _, v := range o.Seen.Versions() {
			before, had := baseline.Observations[i].Seen[v]
			seen, has := o.Seen[v]
			was, is := before.String(), seen.String()
			// A text that is hidden in only one of them differs anyway.
			hidden := baseline.Values != now.Values && strings.Contains(was+is, "string, ")
			if !had || !has || hidden || is == ledger.NotAsked || was == is || was == exchange.DigestOf([]byte(is)) {
				continue
			}
			if was = report.Printable(was, 0); strings.HasPrefix(was, digestPrefix) {
				was = "another value, which the baseline has as a digest only"
			}
			list = append(list, report.Changed{ID: o.ID, Operation: o.Operation, Version: v, Was: was, Is: is})
		}
	}
	return list
}
