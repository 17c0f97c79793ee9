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
	add := func(name, summary string, value []byte) (err error) {
		list[name], err = newExample(summary, value)
		return err
	}
	for _, op := range schemas.Operations() {
		probe := exchange.Probe{Operation: op, User: e.User}
		request := probe.Body(contract.Request(op), exchange.Shown(""), e.ApplicationID)
		answer := []byte(e.Record)
		if op == schemas.FindByUserIDs {
			var err error
			if answer, err = json.Marshal(e.Identifiers); err != nil {
				return nil, fmt.Errorf("the example of identifiers can't be written: %w", err)
			}
		}
		if err := add(requestExample(op), "a well-formed request", request); err != nil {
			return nil, err
		}
		if err := add(answerExample(op), "what the reference service answers", answer); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func requestExample(op schemas.Operation) string { return string(op) + "Request" }
func answerExample(op schemas.Operation) string  { return string(op) + "Answer" }

// newExample parses a JSON text and keeps the order of its members.
func newExample(summary string, text []byte) (example, error) {
	value, err := readJSON(text)
	if err != nil {
		return example{}, fmt.Errorf("the example of %s: %w", summary, err)
	}
	return example{summary, value}, nil
}
