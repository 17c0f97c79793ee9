package markdown

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"authenticator-conformance/suites/internal/settings"
)

// stepVariable is the environment variable with the path of the file that GitHub shows as the summary of a step.
const stepVariable = "GITHUB_STEP_SUMMARY"

// maxStep is the maximum size of that file in bytes. GitHub shows nothing of a larger one.
const maxStep = 1 << 20

// StepSummary appends Markdown to the summary of a GitHub Actions step, if the environment ("NAME=value" entries) names
// its file. It keeps what other commands of the step wrote. It never exceeds 1 MiB, because GitHub would then show
// nothing at all. Errors name the variable and the file.
func StepSummary(environ []string, content []byte) error {
	path, _ := settings.Variable(environ, stepVariable)
	if path == "" {
		return nil
	}
	if err := appendTo(path, content); err != nil {
		return fmt.Errorf("the summary of the step (%s, %q) can't be written: %w; correct or unset the variable",
			stepVariable, path, err)
	}
	return nil
}

func appendTo(path string, content []byte) error {
	size := int64(0)
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return errors.New("it is no regular file") // to open a pipe could block forever
	case err == nil:
		size = info.Size()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if size > 0 {
		content = append([]byte("\n"), content...) // the existing content may not end in a line break
	}
	if size+int64(len(content)) > maxStep {
		return fmt.Errorf("it has %d bytes, and with %d more GitHub would show none of it (it takes %d)",
			size, len(content), maxStep)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}
