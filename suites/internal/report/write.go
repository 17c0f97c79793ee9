package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// The names of the files in the report folder.
const (
	jsonFile  = "report.json"
	junitFile = "junit.xml"
)

// Write puts a report's files into the folder, each whole or not at all, making the folder where there is none.
func Write(dir string, r *Report) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return unwritable(dir, err)
	}
	content, err := marshal(r)
	if err != nil {
		return fmt.Errorf("making %s: %w", jsonFile, err)
	}
	xml, err := junitOf(r)
	if err != nil {
		return fmt.Errorf("making %s: %w", junitFile, err)
	}
	for _, file := range []struct {
		name    string
		content []byte
	}{{jsonFile, content}, {junitFile, xml}} {
		if err := renameio.WriteFile(filepath.Join(dir, file.name), file.content, 0o644); err != nil {
			return unwritable(dir, err)
		}
	}
	return nil
}

// WriteJSON puts a report's JSON into a file of its own, whole or not at all.
func WriteJSON(path string, r *Report) error {
	content, err := marshal(r)
	if err != nil {
		return fmt.Errorf("making %s: %w", path, err)
	}
	if err := renameio.WriteFile(path, content, 0o644); err != nil {
		return fmt.Errorf("the baseline %q (--update-baseline) can't be written: %w", path, err)
	}
	return nil
}

func unwritable(dir string, err error) error {
	return fmt.Errorf("the report folder %q (setting reportDir, --report-dir, AUTHN_REPORT_DIR) can't be written: %w; name a folder that you may write to", dir, err)
}

// marshal is report.json, for people too: indented, and < > & as they are.
func marshal(r *Report) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(r)
	return b.Bytes(), err
}
