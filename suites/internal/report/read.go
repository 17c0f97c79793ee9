package report

import (
	"encoding/json"
	"fmt"

	"authenticator-conformance/schemas"
)

// Decode decodes a file of the suite into a value, after its schema, which load compiles, has accepted it. Members of
// another release are ignored. value is content decoded from JSON; name says what the file is.
func Decode(into any, name string, load func() (*schemas.Schema, error), content []byte, value any) error {
	schema, err := load()
	if err != nil {
		return fmt.Errorf("defect of the suite: the schema of a %s does not load: %w", name, err)
	}
	if violations := schema.Check(value); len(violations) > 0 {
		first := violations[0]
		return fmt.Errorf("it is not a valid %s: at %q expected %s", name, first.Pointer, first.Expected)
	}
	if err := json.Unmarshal(content, into); err != nil {
		return fmt.Errorf("it is not a %s of this suite: %w", name, err)
	}
	return nil
}
