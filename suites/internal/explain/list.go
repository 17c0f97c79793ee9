package explain

import "authenticator-conformance/schemas"

// Listed is one requirement of the catalogue for other programs.
type Listed struct {
	ID         string              `json:"id"`
	Section    string              `json:"section"`
	Kind       schemas.Kind        `json:"kind"`
	Operations []schemas.Operation `json:"operations"`
	Parity     bool                `json:"parity"`
	Risk       schemas.Risk        `json:"risk"`
	Statement  string              `json:"statement"`
	Reason     string              `json:"reason"`
}

// List returns the whole catalogue.
func List(contract *schemas.Contract) []Listed {
	list := []Listed{}
	for _, r := range contract.Requirements {
		list = append(list, Listed{r.ID, r.Section, r.Kind, append([]schemas.Operation{}, r.Operations...), r.Parity,
			r.Risk, r.Statement, r.Reason})
	}
	return list
}
