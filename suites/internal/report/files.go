package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/settings/input"
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

// CheckPlace returns an error unless the file that a flag names may be written: nothing is there, an empty file, or a
// regular file that isOurs accepts by its content. A link to one counts as one. kind is what the flag writes.
func CheckPlace(flag, path, kind string, isOurs func(content []byte) bool) error {
	refuse := func(is string) error {
		return fmt.Errorf("%s: %s %s, and is not replaced: name another file", flag, path, is)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: %s: the folder does not exist: make it", flag, path)
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return refuse("is a link to a file that does not exist")
	case err != nil:
		return refuse("cannot be read: " + input.WithoutPath(err).Error())
	case info.IsDir():
		return refuse("is a folder")
	case !info.Mode().IsRegular():
		return refuse("is a device or a pipe")
	case info.Size() == 0:
		return nil
	}
	content, err := input.ReadFile(path)
	switch {
	case err != nil:
		return refuse(err.Error())
	case !isOurs(content):
		return refuse("is no " + kind)
	}
	return nil
}
