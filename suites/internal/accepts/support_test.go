package accepts_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/messages"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/testkit"
)

const (
	userID = "u-1001"
	guidA  = "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13"
	guidB  = "9D2F7C10-41AA-4E0B-B6A3-5C1E0F2D3B4A"
)

// answer is a body with the request that it answers.
type answer struct {
	op     schemas.Operation
	userID string
	body   string
}

func (a answer) accepted() bool {
	return testkit.Contract().AcceptsAnswer(a.op, a.userID, []byte(a.body))
}

// judged is what the judge says of the answer to an enrolled user, or to one who is not.
func (a answer) judged(enrolled bool) *spec.Judgement {
	return testkit.Suite().Judge(&exchange.Exchange{
		Probe: exchange.Probe{
			ID: "e1", Operation: a.op, Version: schemas.V5, Segment: string(schemas.V5), Round: 1,
			User: settings.User{ID: guidA, UserID: a.userID, Enrolled: enrolled},
		},
		Status: http.StatusOK, Proto: "HTTP/1.1", Header: http.Header{"Content-Type": {"application/json"}},
		Body: []byte(a.body),
	})
}

// isRight reports whether the judge finds nothing wrong with an answer.
func isRight(judgement *spec.Judgement) bool {
	for _, row := range judgement.Rows {
		if row.Count > 0 {
			return false
		}
	}
	return judgement.Answer.Served()
}

// isEmpty reports whether the judge read neither a record nor an identifier.
func isEmpty(a *check.Answer) bool { return len(a.RecordIDs()) == 0 && len(a.Identifiers) == 0 }

// compactJSON takes the white space out of a JSON text.
func compactJSON(text []byte) string {
	var out bytes.Buffer
	if err := json.Compact(&out, text); err != nil {
		panic(err)
	}
	return out.String()
}

// ofReference are the right answers that package fixtures keeps for the users of the reference, empty ones left out.
func ofReference() []answer {
	var list []answer
	for _, r := range testkit.Must(fixtures.Records()) {
		list = append(list,
			answer{schemas.GetUserAuth, r.UserID, compactJSON(r.Authenticator)},
			answer{schemas.FindByUserIDs, r.UserID, string(testkit.Must(json.Marshal(r.Identifiers)))})
	}
	return slices.DeleteFunc(list, func(a answer) bool { return a.body == "[]" })
}

// example is an example message as an answer; a device is that of an otherwise plain record.
type example struct {
	messages.Message
	answer answer
}

// exampleAnswers are the example messages that are answers or parts of one, and not requests.
func exampleAnswers() []example {
	all := testkit.Must(messages.All())
	var base string
	for _, m := range all {
		if m.Name == "authenticator/base" {
			base = string(m.Body)
		}
	}
	var list []example
	for _, m := range all {
		switch m.Schema {
		case "authenticator.schema.json":
			list = append(list, example{m, answer{schemas.GetUserAuth, ownerOf(m.Body), string(m.Body)}})
		case "device.schema.json":
			list = append(list, example{m, answer{schemas.GetUserAuth, userID, recordWith(base, "Device",
				string(m.Body))}})
		case "guid-array.schema.json":
			list = append(list, example{m, answer{schemas.FindByUserIDs, userID, string(m.Body)}})
		}
	}
	return list
}

// ownerOf is the user whose record a message is; the ordinary one where it does not tell.
func ownerOf(body []byte) string {
	var record struct{ UserId any }
	if json.Unmarshal(body, &record) == nil {
		if recordUserID, ok := record.UserId.(string); ok {
			return recordUserID
		}
	}
	return userID
}

// recordWith is a record with one documented member put in as it stands.
func recordWith(record, name, value string) string {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(record), &members); err != nil {
		panic(err)
	}
	members[name] = json.RawMessage(value)
	var list []string
	for _, member := range testkit.Contract().Record.Members() {
		if raw, ok := members[member]; ok {
			list = append(list, `"`+member+`":`+string(raw))
		}
	}
	return "{" + strings.Join(list, ",") + "}"
}
