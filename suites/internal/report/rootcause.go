package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/sanitize"
)

// RootCause is what one setting of a service causes at several members, in one row or in many.
type RootCause struct {
	Text         string          `json:"text"` // "names in another case"
	Version      schemas.Version `json:"version"`
	Members      []string        `json:"members"` // such as "Device.Id", or "createdOn for CreatedOn"
	Users        int64           `json:"users"`
	Requirements []string        `json:"requirements,omitempty"` // whose rows show it
}

func rootCauseOf(out *sanitize.Output, root *ledger.RootCause) RootCause {
	return RootCause{Text: root.Text, Version: root.Version, Users: int64(root.Users()),
		Members:      each(root.Members, func(member check.Name) string { return RootMember(out, member) }),
		Requirements: each(root.Rows, func(key ledger.Key) string { return key.ID })}
}

// RootMember returns a member of a root cause as it may be shown.
func RootMember(out *sanitize.Output, member check.Name) string {
	name := func(name string) string {
		if name == "" || name == check.EachElement {
			return name
		}
		pointer := out.Pointer("/" + strings.ReplaceAll(name, ".", "/"))
		return strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".")
	}
	return check.Name{Seen: name(member.Seen), Documented: name(member.Documented)}.String()
}

// maxMembers is how many members of a root cause a line names. Of more it names fewer, and says how many there are.
const maxMembers = 3

// String returns the root cause in words, with its first members.
func (c RootCause) String() string {
	if len(c.Members) > maxMembers {
		return fmt.Sprintf("%s: %d members, such as %s", c.Text, len(c.Members), wording.List(c.Members[:2]))
	}
	return c.Text + ": " + wording.List(c.Members)
}

// rootCause returns the root cause of a cause in a version; nil if it has none that shows at several members.
func (r *Report) rootCause(version schemas.Version, c Cause) *RootCause {
	i := slices.IndexFunc(r.RootCauses, func(root RootCause) bool {
		return root.Text == c.Root && root.Version == version
	})
	if i < 0 {
		return nil
	}
	return &r.RootCauses[i]
}

// explain sets for each inconclusive row which failure explains it, so that nobody looks for the cause elsewhere.
func (r *Report) explain() {
	for _, row := range r.rows() {
		if row.Reason == nil {
			continue
		}
		served := func(other *Row) bool {
			return other.Operation == row.Operation && row.Version.Covers(other.Version) && other.servesOtherwise()
		}
		shape := func(other *Row) bool { return other.Operation == row.Operation && other.Version == row.Version }
		for _, root := range r.RootCauses {
			if *row.Reason == ledger.NoWitness && root.Version == row.Version &&
				slices.Contains(root.Requirements, row.ID) {
				row.Because = fmt.Sprintf("%s has %s", row.Version, root)
			}
		}
		switch {
		case row.Because != "":
		case row.behind != nil:
			row.Because = r.explanation(*row.behind)
		case *row.Reason == ledger.NotComparable:
			row.Because = cmp.Or(r.failed(served), r.failed(shape))
		}
	}
}

// explanation says of a row that leaves others undecided what is wrong with it.
func (r *Report) explanation(key ledger.Key) string {
	row := r.Row(key)
	return cmp.Or(row.Because, r.failed(func(other *Row) bool { return other == row }),
		fmt.Sprintf("%s is undecided in %s", key.ID, key.Version))
}

// failed names the first row that failed and fulfils a condition, with its first cause; "" if there is none.
func (r *Report) failed(is func(*Row) bool) string {
	for _, row := range r.rows() {
		if row.Verdict != ledger.Fail || len(row.Causes) == 0 || !is(row) {
			continue
		}
		text := fmt.Sprintf("%s failed in %s", row.ID, row.Version)
		if root := r.rootCause(row.Version, row.Causes[0]); root != nil {
			text += ": " + root.Text
		}
		return text
	}
	return ""
}

// servesOtherwise reports whether well-formed requests were answered, but not refused, and not as J1 requires.
func (r *Row) servesOtherwise() bool {
	return slices.ContainsFunc(r.Causes, func(c Cause) bool { return c.answers && c.Kind != "status" })
}
