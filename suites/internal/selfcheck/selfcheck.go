// Package selfcheck has the judge judge messages whose verdict is known, before a run sends its first request: a suite
// that gets one of them wrong must not judge anybody.
package selfcheck

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/judge"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/strictjson"
)

// Example is a message whose verdict is known.
type Example struct {
	Name   string
	Schema string // file of package schemas that it is about
	Valid  bool
	Breaks string // JSON Pointer of the one place that an invalid one breaks
	Body   []byte
}

// Judge judges the examples as a run would judge them, and returns how many there were. An error says which was judged
// wrongly, or that there was nothing to judge: a defect of the suite.
func Judge(contract *schemas.Contract, examples []Example) (int, error) {
	j := judge.New(contract, nil)
	right, wrong := 0, 0
	for _, e := range examples {
		found, err := places(j, contract, e)
		if err != nil {
			return 0, fmt.Errorf("defect of the suite: self-check of the example %s: %w", e.Name, err)
		}
		expected := []string{}
		if !e.Valid {
			expected = []string{e.Breaks}
			wrong++
		} else {
			right++
		}
		if !slices.Equal(found, expected) {
			return 0, fmt.Errorf("defect of the suite: self-check of the example %s: findings expected at %q, found at %q", e.Name, expected, found)
		}
	}
	if right == 0 || wrong == 0 {
		return 0, fmt.Errorf("defect of the suite: the self-check has %d valid and %d invalid examples: both are needed", right, wrong)
	}
	return len(examples), nil
}

// places are where fault is found with an example, each once: by the judge where it can stand in an answer that is served,
// else by its schema alone.
func places(j *judge.Judge, contract *schemas.Contract, e Example) ([]string, error) {
	schema, op, wrap, base := contract.Record, schemas.GetUserAuth, [2]string{}, ""
	switch e.Schema {
	case "authenticator.schema.json":
	case "device.schema.json":
		schema, wrap, base = contract.Device, [2]string{`{"Device":`, "}"}, "/Device"
	case "guid-array.schema.json":
		schema, op = contract.Identifiers, schemas.FindByUserIDs
	case "get-user-auth-request.schema.json":
		schema, op = contract.Request(schemas.GetUserAuth), ""
	case "find-by-user-ids-request.schema.json":
		schema, op = contract.Request(schemas.FindByUserIDs), ""
	default:
		return nil, fmt.Errorf("no schema %q is judged", e.Schema)
	}
	value, err := strictjson.Decode(e.Body)
	if err != nil {
		return nil, err
	}
	if op != "" {
		if places, served := answered(j, op, owner(value), []byte(wrap[0]+string(e.Body)+wrap[1]), base); served {
			return places, nil
		}
	}
	places := []string{}
	for _, v := range schema.Check(value) {
		places = append(places, v.Pointer)
	}
	return places, nil
}

// answered judges a body as the answer to a well-formed request; base is where in it the example stands. The second result is false for a body that is no answer
// that could be served (J1): of such a one the judge says no more.
func answered(j *judge.Judge, op schemas.Operation, owner string, body []byte, base string) ([]string, bool) {
	user := settings.User{UserID: owner, Enrolled: true}
	result := j.WellFormed(&exchange.Exchange{
		Probe:  exchange.Probe{Operation: op, Version: schemas.V5, User: user, Round: 1},
		Status: http.StatusOK,
		Body:   body,
	})
	places := []string{}
	for _, row := range result.Rows {
		for _, f := range row.Findings {
			places = append(places, strings.TrimPrefix(f.Pointer, base))
		}
	}
	slices.Sort(places)
	return slices.Compact(places), result.Answer.Served() && !result.Answer.List
}

// owner is the UserId that a record shows, so that J12 finds no fault with an example.
func owner(value any) string {
	record, _ := value.(map[string]any)
	user, _ := record["UserId"].(string)
	return user
}
