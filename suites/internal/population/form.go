package population

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"authenticator-conformance/suites/internal/input"
)

// rows gives the users of a text in turn, each with the line on which its entry begins, and io.EOF after the last.
type rows func() (Row, int, error)

// form is how a users file is written: it begins to read one.
type form func(v *validator, text io.Reader) (rows, error)

// formOf is the form of a file, by its extension. The error does not repeat the path.
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

// whole reads all of a list, which is held in memory.
func (v *validator) whole(text io.Reader) ([]byte, error) {
	data, err := input.ReadAll(text, "and a list is held in memory whole: give one user per line, as NDJSON or CSV")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.name, err)
	}
	return data, input.CheckUTF8(v.name, data)
}
