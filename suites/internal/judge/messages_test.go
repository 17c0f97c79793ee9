package judge_test

import (
	"encoding/json"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/messages"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/judge"
)

// The example messages of package fixtures, each judged as an answer: what the schemas say of a message the judge has to
// say of a service.
var _ = Describe("the example messages", func() {
	judged := map[string]func(messages.Message) *judge.Judgement{
		"authenticator.schema.json": func(m messages.Message) *judge.Judgement {
			return newJudge().WellFormed(answered(askedAs(m.Body), 200, string(m.Body)))
		},
		"device.schema.json": func(m messages.Message) *judge.Judgement { return get(with("Device", string(m.Body))) },
		"guid-array.schema.json": func(m messages.Message) *judge.Judgement {
			return newJudge().WellFormed(answered(asked(schemas.FindByUserIDs), 200, string(m.Body)))
		},
	}
	for _, m := range examples() {
		judgement, answers := judged[m.Schema]
		if !answers {
			continue // a request
		}
		It("judges "+m.Name, func() {
			expected := []string{}
			if !m.Valid {
				expected = append(expected, broken(m))
			}
			found := []string{}
			for _, line := range findings(judgement(m)) {
				row, rest, _ := strings.Cut(line, " | ")
				pointer, _, _ := strings.Cut(rest, " | ")
				found = append(found, strings.TrimSpace(row+" "+pointer))
			}
			switch {
			case strings.HasSuffix(m.Name, "/2.1-record-array"):
				expected = []string{} // getUserAuth may answer an array of records (§4.3), and this one is empty
			case strings.HasSuffix(m.Name, "/2.1-record-empty"):
				expected = []string{recordServed} // J1 wants one documented member, as the schema does not
			}
			Expect(found).To(Equal(expected))
		})
	}
})

// askedAs is a probe for the user whose record a message is.
func askedAs(body []byte) exchange.Probe {
	p := asked(schemas.GetUserAuth)
	var record struct{ UserId any }
	if json.Unmarshal(body, &record) == nil {
		if owner, ok := record.UserId.(string); ok {
			p.User.UserID = owner
		}
	}
	return p
}

// broken names the row and the place of the one thing that an invalid message breaks.
func broken(m messages.Message) string {
	member := m.Breaks[strings.LastIndexByte(m.Breaks, '/')+1:]
	switch {
	case m.Schema == "device.schema.json" && m.Breaks == "":
		return "2.1/Device /Device"
	case m.Schema == "device.schema.json":
		return "2.2/" + member + " /Device" + m.Breaks
	case m.Breaks == "" && m.Schema == "guid-array.schema.json":
		return listServed
	case m.Schema == "guid-array.schema.json":
		return identifiers + " " + m.Breaks
	case m.Breaks == "":
		return recordServed
	case strings.HasPrefix(m.Breaks, "/Device/"):
		return "2.2/" + member + " " + m.Breaks
	default:
		return "2.1/" + member + " " + m.Breaks
	}
}
