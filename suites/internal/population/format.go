package population

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"authenticator-conformance/suites/internal/input"
)

// rows returns the next user and the line on which its entry starts, and io.EOF after the last.
type rows func() (Row, int, error)

// format starts to read a users file in one file format.
type format func(v *validator, text io.Reader) (rows, error)

// formatOf returns the format of a file by its extension. The error does not contain the path.
func formatOf(path string) (format, error) {
	switch extension := strings.ToLower(filepath.Ext(path)); extension {
	case ".yaml", ".yml":
		return readYAML, nil
	case ".json":
		return readJSON, nil
	case ".ndjson", ".jsonl":
		return readNDJSON, nil
	case ".csv":
		return readCSV, nil
	default:
		return nil, fmt.Errorf("the extension %s is not that of a users file: use .yaml, .yml, .json, .ndjson, .jsonl "+
			"or .csv, each of them also with .gz or .zst", input.Quote(extension))
	}
}

// readList reads a list into memory. More than 64 MiB is an error.
func (v *validator) readList(text io.Reader) ([]byte, error) {
	data, err := input.ReadAll(text,
		"a YAML or JSON list is read into memory as a whole; use NDJSON or CSV, with one user per line")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.name, err)
	}
	return data, input.CheckUTF8(v.name, data)
}
