package openapi

import (
	"encoding/json"
	"fmt"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
)

// Example has the answers of a conforming service for one user.
type Example struct {
	User          settings.User
	ApplicationID string
	Record        json.RawMessage // §2.1
	Identifiers   []string        // §2.3
}

// examplesOf returns the examples of requests and answers by name. Requests have a placeholder for the token.
func examplesOf(contract *schemas.Contract, e Example) (map[string]example, error) {
	list := map[string]example{}
	add := func(name, summary string, text []byte) error {
		value, err := readJSON(text)
		if err != nil {
			return fmt.Errorf("the example of %s: %w", summary, err)
		}
		list[name] = example{summary, value}
		return nil
	}
	identifiers, _ := json.Marshal(e.Identifiers) // strings have a JSON form
	answers := map[schemas.Operation][]byte{schemas.GetUserAuth: e.Record, schemas.FindByUserIDs: identifiers}
	for _, op := range schemas.Operations() {
		probe := exchange.Probe{Operation: op, User: e.User}
		request := probe.Body(contract.Request(op), exchange.Shown(""), e.ApplicationID)
		if err := add(requestExample(op), "a well-formed request", request); err != nil {
			return nil, err
		}
		if err := add(answerExample(op), "what the reference service answers", answers[op]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func requestExample(op schemas.Operation) string { return string(op) + "Request" }
func answerExample(op schemas.Operation) string  { return string(op) + "Answer" }
