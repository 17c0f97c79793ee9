package judge

import "authenticator-conformance/suites/internal/strictjson"

// identifiers judges the list of identifiers (§2.3, J10): each GUID string is a witness, everything else a finding. An
// empty list is neither.
func (j *Judge) identifiers(result *Judgement, list []any) {
	const id = "2.3/identifiers"
	broken := 0
	for v := range j.contract.Identifiers.Violations(list) {
		broken++
		value, _ := strictjson.Lookup(list, v.Pointer)
		result.Rows.find(id, Finding{
			Probe:    result.Answer.Exchange.Probe,
			Kind:     "not " + kind(value),
			Pointer:  v.Pointer,
			Expected: v.Expected,
			Actual:   j.secrets.ShowJSON(value, shown),
		})
	}
	if len(list) > broken {
		result.Rows.row(id).Witnesses += len(list) - broken
	}
}
