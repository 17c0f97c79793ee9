package report

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The names of the files in a report folder.
const (
	JSONFile      = "report.json"
	JUnitFile     = "junit.xml"
	PageFile      = "report.html"
	SummaryFile   = "summary.md"
	StatementFile = "statement.json"
	EvidenceFile  = "evidence.har"
)

// WriteJSON writes report.json, indented for people to read. A list without entries is written as [].
func WriteJSON(w io.Writer, r *Report) error {
	err := json.MarshalWrite(w, r, json.Deterministic(true), jsontext.AllowInvalidUTF8(true),
		jsontext.EscapeForJS(true), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}
