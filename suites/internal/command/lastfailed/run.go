// Package lastfailed reads from an earlier report what failed in it, for a run or a sweep of that alone.
package lastfailed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/evidence"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/settings/input"
)

// Selection is what failed in a run.
type Selection struct {
	Rows  []string // "2.1/CreatedOn v6"; those that are waived or known from the baseline too
	Users []exchange.User
}

// Narrow limits the settings of a run to the selection.
func (s *Selection) Narrow(to *settings.Settings) { to.OnlyRows, to.Users = s.Rows, s.Users }

// OfRun reads the report folder of a run. It takes the rows with findings and the users of their exchanges. If some
// findings name no exchange or are about all users together, or the report does not keep all of them, it takes all
// users.
//
// It is an error if nothing failed, or if the values of users are hidden.
func OfRun(dir string, suite *spec.Suite) (*Selection, error) {
	var r report.Report
	content, err := input.ReadFile(filepath.Join(dir, report.JSONFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is no report folder of a run: it has no %s", dir, report.JSONFile)
	}
	var value any
	if err == nil {
		value, err = strictjson.Decode(content)
	}
	if err == nil {
		err = report.Decode(&r, "report", "report", content, value)
	}
	if _, other := errors.AsType[*strictjson.OtherFormat](err); other {
		err = fmt.Errorf("%w; run again without --%s", err, settings.LastFailedFlag)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, report.JSONFile), err)
	}
	if r.Values == settings.ValuesHide {
		return nil, hidden(dir)
	}
	selection, named, everybody := &Selection{}, map[string]bool{}, false
	for _, row := range r.Requirements {
		for _, f := range row.Findings {
			named[f.Exchange], named[f.Against] = true, true
			everybody = everybody || f.Exchange == "" // such as a divergence
		}
		everybody = everybody || len(row.Findings) < row.FindingCount // the report does not keep all
		if len(row.Findings) > 0 {
			everybody = everybody || slices.ContainsFunc(suite.Requirements(), func(q *spec.Requirement) bool {
				return q.ID == row.ID && q.Lists != nil
			})
			selection.Rows = append(selection.Rows, ledger.Key{ID: row.ID, Version: row.Version}.String())
		}
	}
	if len(selection.Rows) == 0 && r.Error != nil {
		return nil, fmt.Errorf("what failed in %s is not known, as its run was not carried out (%s): run again "+
			"without --%s", dir, report.Printable(*r.Error, 200), settings.LastFailedFlag)
	}
	if len(selection.Rows) == 0 {
		return nil, fmt.Errorf("nothing failed in %s (verdict %s), so there is nothing to run again", dir, r.Verdict)
	}
	recorded, err := evidence.Read(filepath.Join(dir, report.EvidenceFile), suite.Contract.Versions)
	if err != nil {
		return nil, err
	}
	if recorded.Record.ID != r.Run {
		return nil, fmt.Errorf("%s: its %s is of another run than its %s", dir, report.EvidenceFile, report.JSONFile)
	}
	if selection.Users = recorded.Settings.Users; !everybody {
		selection.Users, err = usersOf(recorded, suite, named)
	}
	return selection, err
}

// usersOf returns the users of the named exchanges, in the order of the run.
//
// A run needs a user who is served: as a control (J23), and to see that its settings are right (J19). If the first
// enrolled user was not served, one who was goes before all others.
func usersOf(recorded *evidence.Evidence, suite *spec.Suite, named map[string]bool) ([]exchange.User, error) {
	failed := map[exchange.User]bool{}
	for id := range named {
		if id == "" {
			continue // it is compared with no other
		}
		entry, err := recorded.Entry(id)
		if err != nil {
			return nil, fmt.Errorf("%s has no exchange %s, which %s names", report.EvidenceFile,
				report.Printable(id, 40), report.JSONFile)
		}
		failed[entry.Probe.User] = true
	}
	all := recorded.Settings.Users
	users := slices.DeleteFunc(slices.Clone(all), func(u exchange.User) bool { return !failed[u] })
	isEnrolled := func(u exchange.User) bool { return u.Enrolled }
	served := func(u exchange.User) bool { return u.Enrolled && wasServed(recorded, suite, u) }
	if i := slices.IndexFunc(users, isEnrolled); i >= 0 && served(users[i]) {
		return users, nil
	}
	for _, candidates := range [][]exchange.User{users, all} {
		if i := slices.IndexFunc(candidates, served); i >= 0 {
			first := candidates[i]
			others := slices.DeleteFunc(users, func(u exchange.User) bool { return u == first })
			return append([]exchange.User{first}, others...), nil
		}
	}
	if !slices.ContainsFunc(users, isEnrolled) { // nobody was served: any enrolled user shows that
		users = append(users, all[slices.IndexFunc(all, isEnrolled)])
	}
	return users, nil
}

// wasServed reports whether every well-formed request for a user was answered with a record or identifiers.
func wasServed(recorded *evidence.Evidence, suite *spec.Suite, user exchange.User) bool {
	served := 0
	for _, op := range schemas.Operations() {
		for _, p := range exchange.Reads(exchange.Probe{Operation: op, User: user}, 0, recorded.Settings.Versions) {
			ex, err := recorded.Do(context.Background(), p)
			if err != nil {
				continue // a filter left it out
			}
			if !suite.Judge(ex).Answer.DisclosesData() {
				return false
			}
			served++
		}
	}
	return served > 0
}

func hidden(dir string) error {
	return fmt.Errorf("%s was written with --values hide, so its users are not in it: repeat it with --values show, "+
		"or choose what to repeat by --users and, for a run, --label-filter or --focus", dir)
}
