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
	SignatureFile = "statement.sigstore.json" // of statement.json: a Sigstore bundle
)

// The commands that write them, as report.json names them.
const (
	RunCommand   = "run"
	JudgeCommand = "judge"
)

// WriteJSON writes report.json, indented for people to read.
func WriteJSON(w io.Writer, r *Report) error { return strictjson.WriteComplete(w, r, true) }
