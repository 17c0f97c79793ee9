package report

import (
	"io"

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
)

// WriteJSON writes report.json, indented for people to read.
func WriteJSON(w io.Writer, r *Report) error { return strictjson.WriteComplete(w, r, true) }
