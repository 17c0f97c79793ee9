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

// form starts to read a users file in one file format.
type form func(v *validator, text io.Reader) (rows, error)

// formOf returns the format of a file by its extension. The error does not contain the path.
func formOf(path string) (form, error) {
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
		return nil, fmt.Errorf("the extension %s tells no form of a users file: name it .yaml, .yml, .json, .ndjson, .jsonl "+
			"or .csv, each of them also with .gz or .zst", input.Quote(extension))
	}
}

// whole reads a list into memory. More than 64 MiB is an error.
func (v *validator) whole(text io.Reader) ([]byte, error) {
	data, err := input.ReadAll(text, "and a list is held in memory whole: give one user per line, as NDJSON or CSV")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.name, err)
	}
	return data, input.CheckUTF8(v.name, data)
}
