package spec_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/messages"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/strictjson"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("The example messages", func() {
	It("are each judged as they are labelled, at the place that a wrong one breaks", func() {
		valid := map[bool]int{}
		for _, e := range examples() {
			expected := []string{}
			if !e.Valid {
				expected = []string{e.Breaks}
			}
			found, err := pointersOf(testkit.Suite(), testkit.Contract(), e)
			Expect(err).NotTo(HaveOccurred(), e.Name)
			Expect(found).To(Equal(expected), e.Name)
			valid[e.Valid]++
		}
		Expect(valid).To(HaveLen(2), "both kinds are needed")
	})

	It("are as many as reports say", func() {
		Expect(report.Examples).To(Equal(len(examples())))
	})
})

// places are where fault is found with an example, each once: by the judge where it can stand in an answer that is
// served, else by its schema alone.
func pointersOf(suite *spec.Suite, contract *schemas.Contract, e messages.Message) ([]string, error) {
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
		if pointers, served := pointersIn(suite, op, ownerOf(value), []byte(wrap[0]+string(e.Body)+wrap[1]),
			base); served {
			return pointers, nil
		}
	}
	pointers := []string{}
	for _, v := range schema.Check(value) {
		pointers = append(pointers, v.Pointer)
	}
	return pointers, nil
}

// answered judges a body as the answer to a well-formed request; base is where in it the example stands. The second
// result is false for a body that is no answer that could be served (J1): of such a one the judge says no more.
func pointersIn(suite *spec.Suite, op schemas.Operation, recordUserID string, body []byte,
	base string) ([]string, bool) {
	user := settings.User{UserID: recordUserID, Enrolled: true}
	result := suite.Judge(&exchange.Exchange{
		Probe:  exchange.Probe{Operation: op, Version: schemas.V5, User: user, Round: 1},
		Status: http.StatusOK,
		Body:   body,
	})
	pointers := []string{}
	for _, row := range result.Rows {
		for _, f := range row.Findings {
			pointers = append(pointers, strings.TrimPrefix(f.Pointer, base))
		}
	}
	slices.Sort(pointers)
	return slices.Compact(pointers), result.Answer.Served() && !result.Answer.List
}

// owner is the UserId that a record shows, so that J12 finds no fault with an example.
func ownerOf(value any) string {
	record, _ := value.(map[string]any)
	user, _ := record["UserId"].(string)
	return user
}
