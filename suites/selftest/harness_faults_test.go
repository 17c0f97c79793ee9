package selftest_test

import (
	"net/http"
	"strings"
)

// faultyUsers is the number of users with one of injectedFaults.
const faultyUsers = 137

// injectedFaults are changes that a sweep must report.
func injectedFaults() []injectedChange {
	const malformed = "not in its form" // the kind of a finding of a member
	differs := func(operation, row, kind, pointer string) cause {
		return cause{operation, bothVersions, "9.3/" + operation + "/" + row, kind, pointer}
	}
	ofRecord, ofIdentifiers := [2]string{"different", "equal"}, [2]string{"equal", "different"}
	return []injectedChange{
		{users: 40, outcomes: ofRecord, // a value differs
			change: replaceMatches(getUserAuth, "v6", `"Description":"[^"]*"`, `"Description":"changed"`),
			causes: []cause{differs(getUserAuth, "values", "value", "/Description")}},
		{users: 25, outcomes: ofRecord, // a member is missing
			change: replaceMatches(getUserAuth, "v6", `,"Model":"[^"]*"`, ``),
			causes: []cause{differs(getUserAuth, "shape", "member missing", "/Device/Model")}},
		{users: 20, outcomes: ofRecord, // a type differs
			change: replaceMatches(getUserAuth, "v6", `"ModeType":(\d+)`, `"ModeType":"$1"`),
			causes: []cause{{getUserAuth, "v6", "2.1/ModeType", "not of its type: string", "/ModeType"},
				differs(getUserAuth, "shape", "type", "/ModeType")}},
		{users: 15, outcomes: ofRecord, // refused in v6 as unknown
			change: refuseInV6(getUserAuth, http.StatusNotFound, ""),
			causes: []cause{differs(getUserAuth, "shape", "served against refused", "")}},
		{users: 7, outcomes: ofIdentifiers, // refused in v6 by a fault
			change: refuseInV6(findByUserIDs, http.StatusInternalServerError, "<h1>oops</h1>"),
			causes: []cause{{findByUserIDs, "v6", "4/" + findByUserIDs + "/served", "status", ""},
				differs(findByUserIDs, "shape", "served against refused", "")}},
		{users: 12, outcomes: [2]string{"both-violate", "equal"}, // a GUID in braces in both
			change: replaceMatches(getUserAuth, bothVersions, `"ModeId":"([^"]*)"`, `"ModeId":"{$1}"`),
			causes: []cause{{getUserAuth, "v5", "2.1/ModeId", malformed, "/ModeId"},
				{getUserAuth, "v6", "2.1/ModeId", malformed, "/ModeId"}}},
		{users: 10, outcomes: ofRecord, // a date without T in v5
			change: replaceMatches(getUserAuth, "v5", `"CreatedOn":"([^"]*)T([^"]*)"`, `"CreatedOn":"$1 $2"`),
			causes: []cause{{getUserAuth, "v5", "2.1/CreatedOn", malformed, "/CreatedOn"},
				differs(getUserAuth, "values", "value", "/CreatedOn")}},
		{users: 8, outcomes: ofIdentifiers, // one identifier more
			change: replaceMatches(findByUserIDs, "v6", `\]$`, `,"ffffffff-0000-4000-8000-000000000000"]`),
			causes: []cause{differs(findByUserIDs, "values", "element added", "/*")}},
	}
}

// harmlessChanges are changes that a sweep must read again and must not report.
func harmlessChanges() []injectedChange {
	const comment = `"Comment":"made up"`
	return []injectedChange{
		{users: 5, outcomes: [2]string{"drift", "equal"}, change: func(a *answer) { // it differs once
			if a.matches(getUserAuth, "v6") && a.nth == 1 {
				a.body = strings.Replace(a.body, comment, `"Comment":"at work"`, 1)
			}
		}},
		{users: 5, outcomes: [2]string{"equal-under-rule", "equal"},
			change: func(a *answer) { // it changes at each call
				if a.matches(getUserAuth, bothVersions) {
					text := `"Comment":"call ` + strings.Repeat("I", a.nth) + ` of ` + a.version + `"`
					a.body = strings.Replace(a.body, comment, text, 1)
				}
			}},
	}
}
