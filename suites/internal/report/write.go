package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/google/renameio/v2"
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

// WriteJSON writes report.json, for people too: indented, and < > & as they are.
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

// WriteBaseline puts a report's JSON into a file of its own, whole or not at all.
func WriteBaseline(path string, r *Report) error {
	var content bytes.Buffer
	if err := WriteJSON(&content, r); err != nil {
		return fmt.Errorf("making %s: %w", path, err)
	}
	if err := renameio.WriteFile(path, content.Bytes(), 0o644); err != nil {
		return fmt.Errorf("the baseline %q (--update-baseline) can't be written: %w", path, err)
	}
	return nil
}
