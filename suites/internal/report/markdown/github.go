package markdown

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
)

// maxAnnotations is how many errors GitHub shows for a step.
const maxAnnotations = 10

// Limits on an annotation, in characters.
const (
	maxTitle   = 150
	maxMessage = 800 // of one line
	maxLines   = 20
)

// annotation is a title and a message that GitHub shows beside a step.
type annotation struct{ title, message string }

// Annotations renders a document as GitHub workflow commands, one on each line: an error for each item that makes the
// run fail, such as a failure or a stale waiver, and the verdict at the end. There are at most ten errors; if there are
// more items, the tenth says how many. Print them only to a log of GitHub: see OnGitHub.
func Annotations(d *report.Document) string {
	var b strings.Builder
	var failing []annotation
	if d.Error != "" {
		failing = append(failing, annotation{"the run could not be carried out", d.Error})
	}
	for _, s := range d.Sections {
		for _, item := range s.Items {
			if item.Level == report.Failing {
				failing = append(failing, annotationOf(s, item))
			}
		}
	}
	write(&b, "error", failing, d)
	annotationLevel := map[string]string{"pass": "notice", "inconclusive": "warning"}[d.State.Name]
	if d.Verdict == "pass" || strings.HasPrefix(d.Verdict, "pass ") {
		annotationLevel = "notice" // what is waived or known is no news
	}
	verdict := annotation{writeHeadline(d),
		d.Sentence + " " + d.Scope + " See " + d.Files[0].Name + " in the report folder."}
	write(&b, cmp.Or(annotationLevel, "error"), []annotation{verdict}, d)
	return b.String()
}

// Recorded renders a run whose results become the baseline. What failed is no news for later runs, so it is one notice.
func Recorded(d *report.Document) string {
	var b strings.Builder
	write(&b, "notice", []annotation{{writeHeadline(d) + ", recorded as the baseline",
		d.Sentence + " Later runs with this baseline fail only for something else. See " + d.Files[0].Name +
			" in the report folder."}}, d)
	return b.String()
}

func annotationOf(s report.Section, item report.Item) annotation {
	title := s.Title
	if item.Word != "" {
		title += ": " + item.Word
	}
	if item.Name != "" {
		title += ": " + item.Name
	}
	return annotation{title, strings.Join(slices.Concat([]string{item.Text}, item.Lines, item.More), "\n")}
}

// OnGitHub reports whether the environment ("NAME=value" entries) is that of a GitHub Actions job.
func OnGitHub(environ []string) bool { return isTrue(environ, "GITHUB_ACTIONS") }

// OnGitLab reports whether the environment is that of a GitLab CI job.
func OnGitLab(environ []string) bool { return isTrue(environ, "GITLAB_CI") }

func isTrue(environ []string, name string) bool {
	value, _ := settings.Variable(environ, name)
	return value == "true"
}

// write writes annotations as commands, one on each line.
func write(b *strings.Builder, annotationLevel string, list []annotation, d *report.Document) {
	if more := len(list) - (maxAnnotations - 1); more > 1 {
		list = append(slices.Clone(list[:maxAnnotations-1]),
			annotation{"and more", fmt.Sprintf("%d more like these; %s has all", more, d.Files[0].Name)})
	}
	for _, a := range list {
		fmt.Fprintf(b, "::%s title=%s::%s\n", annotationLevel, property(a.title), message(a.message))
	}
}

// message escapes a text for the message of a workflow command. In a message, a percent sign starts an escape, and a
// line break ends the command.
func message(text string) string {
	if text == "" {
		return empty // GitHub does not show an annotation without a message
	}
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").
		Replace(report.ShownLines(text, maxLines, maxMessage))
}

// property escapes a text for a property of a workflow command. In a property, a colon or comma would end the value.
func property(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").
		Replace(report.Printable(text, maxTitle))
}

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
