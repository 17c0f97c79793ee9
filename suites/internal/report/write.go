package report

import (
	"encoding/json"
	"io"
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

// WriteJSON writes report.json, indented for people to read, and without escaping < > &.
func WriteJSON(w io.Writer, r *Report) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// WriteJUnit writes junit.xml.
func WriteJUnit(w io.Writer, r *Report) error {
	content, err := junitOf(r)
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}
