package ledger

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/parity"
)

// RootCause is what one setting of a version may cause at several members, in any row.
type RootCause struct {
	check.Root
	Version schemas.Version
	Rows    []Key // with such a finding or note
	users   *big.Int
}

// Users returns for how many users it was seen in answers to well-formed requests.
func (r *RootCause) Users() int { return bitCount(r.users) }

// maxMembers limits the members of a root cause: names may be a target's own.
const maxMembers = 100

// RootCauses lists the root causes that show at two members or more, and names in another case.
func (l *Ledger) RootCauses() []*RootCause {
	list := slices.DeleteFunc(slices.Clone(l.roots),
		func(r *RootCause) bool { return len(r.Members) < 2 && r.Text != check.OtherCase })
	slices.SortStableFunc(list, func(a, b *RootCause) int {
		return cmp.Or(cmp.Compare(len(a.Version), len(b.Version)), cmp.Compare(a.Version, b.Version),
			cmp.Compare(len(b.Members), len(a.Members)), cmp.Compare(a.Text, b.Text))
	})
	return list
}

// addRoots adds the root causes of an outcome of a user.
func (l *Ledger) addRoots(key Key, user exchange.User, o *check.Outcome) {
	for _, found := range o.Roots() {
		if found.Text == "" {
			continue
		}
		i := slices.IndexFunc(l.roots, func(r *RootCause) bool {
			return r.Text == found.Text && r.Version == key.Version
		})
		if i < 0 {
			if len(l.roots) >= maxMembers {
				continue
			}
			i = len(l.roots)
			l.roots = append(l.roots,
				&RootCause{Root: check.Root{Text: found.Text}, Version: key.Version, users: &big.Int{}})
		}
		root := l.roots[i]
		root.users.SetBit(root.users, l.user(user).number, 1)
		for _, member := range found.Members {
			member = l.asDocumented(key, member)
			if !slices.Contains(root.Members, member) && len(root.Members) < maxMembers {
				root.Members = append(root.Members, member)
			}
		}
		if !slices.Contains(root.Rows, key) {
			root.Rows = append(root.Rows, key)
		}
	}
}

// asDocumented returns a member of a root cause of a pair with the documented name last, as the answers of one of its
// versions have it.
func (l *Ledger) asDocumented(key Key, member check.Name) check.Name {
	name := func(member string) string { return member[strings.LastIndex(member, ".")+1:] }
	swapped := check.Name{Seen: member.Documented, Documented: member.Seen}
	if key.Version.IsPair() && member.Documented != "" && slices.ContainsFunc(l.roots, func(r *RootCause) bool {
		return key.Version.Covers(r.Version) &&
			slices.Contains(r.Members, check.Name{Seen: name(swapped.Seen), Documented: name(swapped.Documented)})
	}) {
		return swapped
	}
	return member
}

// behind returns the row that leaves a row undecided: one that it depends on and that does not hold, or a comparison
// with a version that has its member; nil if there is none.
func (l *Ledger) behind(row *Row) *Row {
	if row.Reason != NotServed && row.Reason != NoWitness {
		return nil
	}
	isNearMiss := func(note any) bool { _, is := note.(check.NearMiss); return is }
	i := slices.IndexFunc(l.rows, func(other *Row) bool {
		return other.Version == row.Version && row.Requirement.DependsOn(other.Requirement) &&
			(other.Count > 0 || other.Unsteady > 0 ||
				other.Witnesses == 0 && slices.ContainsFunc(other.Notes, isNearMiss))
	})
	if i < 0 {
		i = slices.IndexFunc(l.rows, func(other *Row) bool { return l.lacks(row, other) })
	}
	if i < 0 {
		return nil
	}
	return l.rows[i]
}

// lacks reports whether a row of a pair found that the versions differ at the member of a row, which the other version
// has.
func (l *Ledger) lacks(row, of *Row) bool {
	if !of.Version.IsPair() || !of.Version.Covers(row.Version) {
		return false
	}
	return slices.ContainsFunc(of.Causes, func(c check.Cause) bool {
		place := parity.PlaceOf(of.Requirement.Operations[0], c.Pointer)
		return strings.HasPrefix(row.Requirement.Place()+"/", place+"/")
	}) && slices.ContainsFunc(l.rows, func(other *Row) bool {
		return other.ID == row.ID && of.Version.Covers(other.Version) && other.Witnesses > 0
	})
}
