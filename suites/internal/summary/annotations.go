package summary

import (
	"fmt"
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/ledger"
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

// Annotations tells of a report in workflow commands of GitHub, a line each: an error for each cause that fails the
// run, a warning for what else needs a look, at most ten of each, and at the end a notice that names the verdict and
// the files. Where there are more than ten, the tenth says how many. They are for a log of GitHub only: see OnGitHub.
func Annotations(r *report.Report) string {
	var b strings.Builder
	write(&b, "error", errorsOf(r))
	write(&b, "warning", warningsOf(r))
	write(&b, "notice", []annotation{{headline(r), fmt.Sprintf("%s See %s, %s and %s in the report folder.", completeness(r), report.PageFile, report.JSONFile, report.EvidenceFile)}})
	return b.String()
}

// OnGitHub tells by the environment, "NAME=value" each, whether this is a job of GitHub Actions.
func OnGitHub(environ []string) bool { return variable(environ, "GITHUB_ACTIONS") == "true" }

// OnGitLab tells by the environment whether this is a job of GitLab CI.
func OnGitLab(environ []string) bool { return variable(environ, "GITLAB_CI") == "true" }

// errorsOf lists what gives the run its verdict fail or error.
func errorsOf(r *report.Report) []annotation {
	var list []annotation
	if r.Error != nil {
		list = append(list, annotation{"the run could not be carried out", *r.Error})
	}
	for _, f := range failures(r) {
		list = append(list, annotation{
			fmt.Sprintf("%s %s: %s%s", f.row.Version, f.row.ID, f.cause.Kind, plainAt(f.cause.Pointer)),
			wording.Times(f.cause.Count) + ", for example " + f.cause.Example,
		})
	}
	for _, text := range r.Stale {
		list = append(list, annotation{"stale waiver", text})
	}
	if g := r.Gate; g != nil {
		for _, e := range g.Stale {
			list = append(list, annotation{
				fmt.Sprintf("stale in the baseline: %s %s", e.Version, e.Requirement),
				fmt.Sprintf("it failed there and does not now: %s%s; refresh the baseline with --update-baseline", e.Kind, plainAt(e.Pointer)),
			})
		}
		if g.ChangeFails {
			list = append(list, changes(g)...)
		}
	}
	return list
}

// warningsOf lists what does not fail the run and still needs a look.
func warningsOf(r *report.Report) []annotation {
	var list []annotation
	switch {
	case r.Error != nil:
	case !r.Complete:
		list = append(list, annotation{"not complete", completeness(r)})
	case r.Verdict == ledger.Pass && !r.Certifies:
		list = append(list, annotation{"certifies nothing", strings.Join(r.Limits(), "; ")})
	}
	for _, g := range openRows(r) {
		list = append(list, annotation{
			fmt.Sprintf("inconclusive in %s: %s", g.version, wording.Count(len(g.ids), "requirement")),
			remedy(g.reason) + " " + strings.Join(g.ids, ", "),
		})
	}
	if len(r.Lacking) > 0 {
		list = append(list, annotation{"lacking in the evidence: " + wording.Count(len(r.Lacking), "exchange"), strings.Join(r.Lacking, "\n")})
	}
	for _, o := range divergent(r) {
		list = append(list, annotation{fmt.Sprintf("v5 and v6 diverge: %s of %s", o.ID, o.Operation), "v5: " + plain(o.V5) + "\nv6: " + plain(o.V6)})
	}
	if r.Gate != nil && !r.Gate.ChangeFails {
		list = append(list, changes(r.Gate)...)
	}
	return list
}

// changes lists the open points at which a version does something else than in the baseline.
func changes(g *report.Gate) []annotation {
	var list []annotation
	for _, c := range g.Changed {
		list = append(list, annotation{fmt.Sprintf("changed: %s %s of %s", c.Version, c.ID, c.Operation), "was: " + c.Was + "\nis: " + c.Is})
	}
	return list
}

func plainAt(pointer string) string {
	if pointer == "" {
		return ""
	}
	return " at " + pointer
}

func plain(text *string) string {
	if text == nil {
		return empty
	}
	return *text
}

// write puts annotations as commands, each on a line of its own.
func write(b *strings.Builder, level string, list []annotation) {
	if more := len(list) - (mostAnnotations - 1); more > 1 {
		list = append(slices.Clone(list[:mostAnnotations-1]), annotation{"and more", fmt.Sprintf("%d more like these; %s has all", more, report.PageFile)})
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
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(redact.Printable(text, mostTitle))
}
