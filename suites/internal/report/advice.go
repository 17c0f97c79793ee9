package report

import (
	"bytes"
	"fmt"
	"slices"

	"authenticator-conformance/suites/internal/ask/advice"
	"authenticator-conformance/suites/internal/ask/result"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/sanitize"
)

// adviceOn returns what to check if a user was not served as a finding has it; "" for any other finding, and if nothing
// is known.
func adviceOn(r *result.Result, out *sanitize.Output, f check.Finding) string {
	seen, ok := seenIn(f)
	if !ok || !f.Probe.WellFormed() {
		return ""
	}
	seen.Unknown, seen.Gone = r.Ledger.Unknown(f.Probe.User), r.Ledger.Gone(f.Probe.User)
	seen.Common = func() string {
		if out.Hides() {
			return ""
		}
		return out.Text(advice.Common(r.Ledger.Refused(f.Probe.Operation, f.Probe.Version)), 0)
	}
	return advice.ToCheck(seen, r.Settings)
}

// seenIn returns what a finding shows of the answer to a user who was not served; false for any other finding.
func seenIn(f check.Finding) (seen advice.Seen, ok bool) {
	const success = 200 // any 2xx
	seen = advice.Seen{Whom: advice.SomeUsers, Status: success}
	if _, service := f.Expected.(check.Service); !service {
		return seen, false
	}
	seen.Envelope = f.Off == check.Envelope
	switch actual := f.Actual.(type) {
	case check.Status:
		seen.Status, seen.Cookies = actual.Code, actual.Cookies
		seen.Page = strictjson.IsPage(bytes.TrimSpace([]byte(actual.Body.Text)))
	case check.Unreadable:
		text := bytes.TrimSpace([]byte(actual.Body.Text))
		seen.Page, seen.Empty = strictjson.IsPage(text), actual.Body.Withheld == nil && len(text) == 0
	case nil, strictjson.Excerpt:
		seen.Empty = advice.IsEmpty([]byte(check.ExcerptOf(actual).Text))
	}
	return seen, true
}

// adviceOnUsers returns what to check if many users are not served by any version; "" if nothing is known.
func adviceOnUsers(r *result.Result) string {
	seen := advice.Seen{Whom: advice.HalfOfUsers}
	seen.Empty = true
	for _, row := range r.Ledger.Rows() {
		for _, c := range row.Causes {
			if answer, ok := seenIn(c.Example); ok {
				seen.Empty = seen.Empty && answer.MayMeanNothing()
			}
		}
	}
	return advice.ToCheck(seen, r.Settings)
}

// notesOf formats the notes on a row. Users who were refused now and then in the same way share one.
func notesOf(r *result.Result, out *sanitize.Output, notes []any) (list []string) {
	type group struct {
		seen  advice.Seen
		users []check.RefusedOnce
	}
	var groups []*group
	list = []string{}
	for _, note := range notes {
		refused, ok := note.(check.RefusedOnce)
		if !ok {
			list = append(list, Note(out, note))
			continue
		}
		gone := r.Ledger.Gone(refused.User)
		i := slices.IndexFunc(groups, func(g *group) bool {
			return g.seen.Status == refused.Status && g.seen.Cookies == refused.Cookies && g.seen.Gone == gone
		})
		if i < 0 {
			i = len(groups)
			seen := advice.Seen{Whom: advice.SomeUsers, Status: refused.Status, NowAndThen: true, Gone: gone}
			seen.Cookies = refused.Cookies
			groups = append(groups, &group{seen: seen})
		}
		groups[i].users = append(groups[i].users, refused)
	}
	for _, g := range groups {
		who, were := "user "+out.UserID(g.users[0].User.UserID), "was"
		if n := len(g.users); n > 1 {
			who, were = fmt.Sprintf("%d users, such as %s,", n, out.UserID(g.users[0].User.UserID)), "were"
		}
		how := "refused at one call (status %d) and served at another"
		if g.seen.Gone {
			how = "served at first, and refused (status %d) by all versions from then on"
		}
		list = append(list, fmt.Sprintf("%s %s "+how+": %s", who, were, g.seen.Status,
			advice.ToCheck(g.seen, r.Settings)))
	}
	return list
}
