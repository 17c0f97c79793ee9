package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/wording"
)

// mostAnnotations is how many annotations of one level GitHub shows for a step.
const mostAnnotations = 10

// Bounds on an annotation, in characters.
const (
	mostTitle   = 150
	mostMessage = 800 // a line
	mostLines   = 20
)

// annotation is a title and a message for GitHub to show beside a step.
type annotation struct{ title, message string }

// Annotations are a document in workflow commands of GitHub, a line each: an error for what fails the run, a warning for
// what else needs a look, at most ten of each, and at the end the verdict. If there are more than ten, the
// tenth says how many. They are for a log of GitHub only: see OnGitHub.
func Annotations(d *report.Document) string {
	var b strings.Builder
	var failing, warnings []annotation
	if d.Error != "" {
		failing = append(failing, annotation{"the run could not be carried out", d.Error})
	}
	for _, s := range d.Sections {
		for _, item := range s.Items {
			switch item.Level {
			case report.Failing:
				failing = append(failing, annotationOf(s, item))
			case report.Warning:
				warnings = append(warnings, annotationOf(s, item))
			}
		}
	}
	write(&b, "error", failing, d)
	write(&b, "warning", warnings, d)
	level := map[string]string{"pass": "notice", "inconclusive": "warning"}[d.State.Name]
	write(&b, cmp.Or(level, "error"), []annotation{{headline(d), d.Sentence + " " + d.Scope + " See " + d.Files[0].Name +
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
	return annotation{title, strings.Join(append([]string{item.Text}, item.More...), "\n")}
}

// OnGitHub tells by the environment, "NAME=value" each, whether this is a job of GitHub Actions.
func OnGitHub(environ []string) bool { return variable(environ, "GITHUB_ACTIONS") == "true" }

// OnGitLab tells by the environment whether this is a job of GitLab CI.
func OnGitLab(environ []string) bool { return variable(environ, "GITLAB_CI") == "true" }

// write puts annotations as commands, each on a line of its own.
func write(b *strings.Builder, level string, list []annotation, d *report.Document) {
	if more := len(list) - (mostAnnotations - 1); more > 1 {
		list = append(slices.Clone(list[:mostAnnotations-1]),
			annotation{"and more", fmt.Sprintf("%d more like these; %s has all", more, d.Files[0].Name)})
	}
	for _, a := range list {
		fmt.Fprintf(b, "::%s title=%s::%s\n", level, property(a.title), message(a.message))
	}
}

// message escapes a text for the data of a workflow command: a percent sign begins an escape there, and a line break
// ends the command.
func message(text string) string {
	if text == "" {
		return empty // of an annotation without a message GitHub shows nothing
	}
	lines := strings.Split(text, "\n")
	if more := len(lines) - mostLines; more > 0 {
		lines = append(lines[:mostLines:mostLines], "… and "+wording.Plural(more, "more line", "more lines"))
	}
	for i, line := range lines {
		lines[i] = redact.Printable(line, mostMessage)
	}
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(strings.Join(lines, "\n"))
}

// property escapes a text for a property of a workflow command, in which a colon or a comma would end it.
func property(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",",
		"%2C").Replace(redact.Printable(text, mostTitle))
}
