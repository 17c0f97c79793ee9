package report

import (
	"encoding/json"
	"fmt"
	"io"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/strictjson"
)

// The names of the files in a report folder.
const (
	JSONFile      = "report.json"
	JUnitFile     = "junit.xml"
	PageFile      = "report.html"
	SummaryFile   = "summary.md"
	StatementFile = "statement.json"
	EvidenceFile  = "evidence.har"
	SignatureFile = "statement.sigstore.json" // of statement.json: a Sigstore bundle
)

// The commands that write them, as report.json names them.
const (
	RunCommand   = "run"
	JudgeCommand = "judge"
)

// WriteJSON writes report.json, indented for people to read.
func WriteJSON(w io.Writer, r *Report) error { return strictjson.WriteComplete(w, r, true) }

// Decode decodes a file of the suite into a value, after its schema, as schemas.OutputSchema names it, has accepted it.
// Members of another release are ignored. value is content decoded from JSON; name says what the file is. The error is
// a *strictjson.OtherFormat for a file in the format of another major version.
func Decode(into any, name, schema string, content []byte, value any) error {
	if err := strictjson.CheckFormatOf(value); err != nil {
		return err
	}
	if violations := schemas.OutputSchema(schema).Check(value); len(violations) > 0 {
		first := violations[0]
		return fmt.Errorf("it is not a valid %s: at %q expected %s", name, first.Pointer, first.Expected)
	}
	if err := json.Unmarshal(content, into); err != nil {
		return fmt.Errorf("it is not a %s of this suite: %w", name, err)
	}
	return nil
}
