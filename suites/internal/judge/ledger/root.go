package ledger

import (
	"cmp"
	"math/big"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
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

// RootCauses lists the root causes that show at two members or more.
func (l *Ledger) RootCauses() []*RootCause {
	list := slices.DeleteFunc(slices.Clone(l.roots), func(r *RootCause) bool { return len(r.Members) < 2 })
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
			if !slices.Contains(root.Members, member) && len(root.Members) < maxMembers {
				root.Members = append(root.Members, member)
			}
		}
		if !slices.Contains(root.Rows, key) {
			root.Rows = append(root.Rows, key)
		}
	}
}
