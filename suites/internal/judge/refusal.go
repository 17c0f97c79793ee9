package judge

import (
	"strconv"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/strictjson"
)

// tellingMembers is how many members of a record that are not null make it a record that was served all the same (J13);
// Id and UserId do not count, as an error message may well repeat them.
const tellingMembers = 3

// Altered judges the answer to a request that is not well-formed: where J13 has a rule it must not be served, whatever
// the status; how the target refuses is observed (§7).
func (j *Judge) Altered(ex *exchange.Exchange) *Judgement {
	result := &Judgement{Answer: &Answer{Exchange: ex}, Rows: Outcomes{}, Facts: Facts{}}
	rows := ex.Probe.Rows()
	observed := rows[len(rows)-1]
	result.fact(observed, j.circumstance(ex.Probe)+j.describe(ex))
	j.headers(result)
	if len(rows) == 1 {
		return result
	}
	value, served := j.servedAllTheSame(ex)
	if !served {
		result.Rows.witness(rows[0])
		return result
	}
	result.Rows.find(rows[0], string(ex.Probe.Alteration), "", func() Finding {
		return Finding{
			Probe:    ex.Probe,
			Expected: "a refusal, in whatever form: no authenticator record and no identifiers for a request with " + fault(ex.Probe),
			Actual:   "status " + strconv.Itoa(ex.Status) + " and " + j.secrets.ShowJSON(value, shown),
		}
	})
	return result
}

// fault says what is wrong with an altered request.
func fault(p exchange.Probe) string {
	switch p.Alteration {
	case exchange.Absent:
		return "no " + p.Field
	case exchange.Null:
		return "a null " + p.Field
	case exchange.EmptyToken:
		return "an empty AccessToken"
	case exchange.RandomToken:
		return "a random AccessToken of the same length"
	default:
		return "the AccessToken changed in one character"
	}
}

// servedAllTheSame looks for a record or identifiers in whatever came back. It reads leniently: a target that answers
// what it should refuse does not go free because it answers untidily. No answer, or one past a bound, is a refusal.
func (j *Judge) servedAllTheSame(ex *exchange.Exchange) (any, bool) {
	if ex.Fault != nil {
		return nil, false
	}
	value, ok := strictjson.First(ex.Body)
	return value, ok && j.tells(value)
}

// mostLookedAt bounds how many elements of a list are looked at for a GUID.
const mostLookedAt = 1000

// tells looks for what a refusal must not hold, whichever operation was asked: a record, alone or in an array, or an array
// in which GUIDs stand.
func (j *Judge) tells(value any) bool {
	list, isList := value.([]any)
	if !isList {
		return j.telling(value)
	}
	for _, element := range list {
		if j.telling(element) {
			return true
		}
	}
	list = list[:min(len(list), mostLookedAt)]
	return len(j.contract.Identifiers.Check(list)) < len(list)
}

func (j *Judge) telling(value any) bool {
	record, _ := value.(map[string]any)
	telling := 0
	for _, member := range j.record.names {
		if member != "Id" && member != "UserId" && record[member] != nil {
			telling++
		}
	}
	return telling >= tellingMembers
}
