package explain

import (
	"fmt"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
)

// Change is one thing that only one of two versions of the contract has.
type Change struct {
	Added bool   `json:"added"` // the later version has it; else the earlier one
	Where string `json:"where"` // "requirement", or the message that has the member
	Name  string `json:"name"`
	Text  string `json:"text"` // its statement, or what is accepted
}

// String formats the change in one line.
func (c Change) String() string {
	sign := "-"
	if c.Added {
		sign = "+"
	}
	return fmt.Sprintf("%s %s %s: %s", sign, c.Where, c.Name, c.Text)
}

// Diff lists what changes from one version of the contract to another: requirements, then members of messages.
// Versions are named as "v5..v6"; the error says what was expected.
func Diff(contract *schemas.Contract, versions string) ([]Change, error) {
	earlier, later, _ := strings.Cut(versions, "..")
	from, to := schemas.Version(earlier), schemas.Version(later)
	if !slices.Contains(contract.Versions, from) || !slices.Contains(contract.Versions, to) {
		return nil, fmt.Errorf("expected two of %s, such as %s..%s, got %q", schemas.Named(contract.Versions),
			contract.Versions[0], contract.Versions[len(contract.Versions)-1], versions)
	}
	changes := []Change{}
	for _, r := range contract.Requirements {
		if !r.Parity && r.In(from) != r.In(to) {
			changes = append(changes, Change{r.In(to), "requirement", r.ID, r.Statement})
		}
	}
	was, is := contract.Of(from), contract.Of(to)
	for _, message := range []struct {
		name    string
		was, is *schemas.Schema
	}{
		{"request of getUserAuth", was.GetUserAuthRequest, is.GetUserAuthRequest},
		{"request of findByUserIds", was.FindByUserIDsRequest, is.FindByUserIDsRequest},
		{"record", was.Record, is.Record}, {"device", was.Device, is.Device},
	} {
		only := func(added bool, in, other *schemas.Schema) {
			for _, member := range in.Members() {
				if !slices.Contains(other.Members(), member) {
					changes = append(changes, Change{added, "member of the " + message.name, member,
						in.Expected(member)})
				}
			}
		}
		only(false, message.was, message.is)
		only(true, message.is, message.was)
	}
	return changes, nil
}
