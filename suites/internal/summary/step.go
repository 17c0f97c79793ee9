package summary

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// stepVariable names the file whose content GitHub shows as the summary of a step.
const stepVariable = "GITHUB_STEP_SUMMARY"

// mostStep is how many bytes GitHub takes in that file; of a larger one it shows nothing.
const mostStep = 1 << 20

// StepSummary appends Markdown to the summary of a step of GitHub Actions, where the environment, "NAME=value" each,
// names its file. What other commands of the step wrote stays: nothing is appended past 1 MiB, since GitHub would then
// show none of it. Errors name variable and file.
func StepSummary(environ []string, content []byte) error {
	path := variable(environ, stepVariable)
	if path == "" {
		return nil
	}
	size, err := sizeOf(path)
	if err != nil {
		return unwritten(path, err)
	}
	if size > 0 {
		content = append([]byte("\n"), content...) // what stands there may end within a line
	}
	if size+int64(len(content)) > mostStep {
		return unwritten(path, fmt.Errorf("it has %d bytes, and with %d more GitHub would show none of it (it takes %d)",
			size, len(content), mostStep))
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return unwritten(path, err)
	}
	_, err = file.Write(content)
	if err := errors.Join(err, file.Close()); err != nil {
		return unwritten(path, err)
	}
	return nil
}

// sizeOf is the size of a file that can be appended to; 0 where there is none yet. Opening a pipe could wait for ever.
func sizeOf(path string) (int64, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, err
	case !info.Mode().IsRegular():
		return 0, errors.New("it is no regular file")
	}
	return info.Size(), nil
}

func unwritten(path string, err error) error {
	return fmt.Errorf("the summary of the step (%s, %q) can't be written: %w; correct or unset the variable", stepVariable,
		path, err)
}

// variable is the value of an environment variable, "" where it is not set; of two with one name the later counts, as
// it does for a child process.
func variable(environ []string, name string) string {
	value := ""
	for _, entry := range environ {
		if n, v, _ := strings.Cut(entry, "="); n == name {
			value = v
		}
	}
	return value
}
