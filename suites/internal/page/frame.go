package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"authenticator-conformance/suites/internal/report"
)

//go:embed page.css
var style string

//go:embed page.js
var script string

// frame is what surrounds the content of every page: the verdict with its reason, and the words that explain the rest.
type frame struct {
	Style  template.CSS
	Script template.JS
	Policy string

	Title     string
	Of        string // what the page is about: a run or a sweep
	Suite     string
	State     report.State
	Sentence  string
	Scope     string // whether the result is complete, and what that means
	Complete  bool
	Error     string
	Contents  []chapter
	Head      []report.Fact // under the verdict
	Facts     []report.Fact
	Unfolded  bool // the facts are unfolded
	Legend    []entry
	Elsewhere string // names the files that contain everything
}

// entry is a name with a value.
type entry struct{ Name, Value string }

// chapter is a part of a page, in the table of contents.
type chapter struct{ Anchor, Name string }

// frame returns the frame of a page with the head of a document.
func (b *budget) frame(d *report.Document, of, suite string) frame {
	f := frame{Style: template.CSS(style), Script: template.JS(script), Policy: policy(), Of: of, State: d.State,
		Sentence: b.text(d.Sentence), Scope: b.text(d.Scope), Error: b.lines(d.Error), Suite: b.text(suite)}
	f.State.Word = b.text(d.State.Word)
	where := "no target"
	f.Head, f.Facts = b.facts(d.Head), b.facts(d.Facts)
	for _, fact := range f.Head {
		if strings.HasPrefix(fact.Name, "Target") {
			where = fact.Value
		}
	}
	f.Title = strings.ToUpper(f.State.Word) + " · " + where + " · " + f.Suite
	return f
}

func (b *budget) facts(all []report.Fact) []report.Fact {
	var list []report.Fact
	for _, fact := range all {
		if fact.Exact {
			fact.Value = b.text(fact.Value)
		} else {
			fact.Value = b.name(fact.Value)
		}
		list = append(list, fact)
	}
	return list
}

// policy returns the page's Content-Security-Policy. It allows only the page's own style and script, by their digests
// (CSP Level 3, section 2.3.1), and loads nothing. Images are allowed as data: URLs, because an empty icon keeps
// browsers from requesting one from the server.
func policy() string {
	source := func(content string) string {
		digest := sha256.Sum256([]byte(content))
		return "'sha256-" + base64.StdEncoding.EncodeToString(digest[:]) + "'"
	}
	return fmt.Sprintf(
		"default-src 'none'; style-src %s; script-src %s; img-src data:; base-uri 'none'; form-action 'none'; "+
			"require-trusted-types-for 'script'; trusted-types 'none'", source(style), source(script))
}

// add adds a chapter to the table of contents, if it exists.
func (f *frame) add(exists bool, anchor, name string) {
	if exists {
		f.Contents = append(f.Contents, chapter{anchor, name})
	}
}

// runLegend explains the short words and signs on a run's page.
func runLegend(r *report.Report) []entry {
	check := "one requirement in one version"
	for _, row := range r.Requirements {
		if row.Version.IsPair() {
			check += "; " + report.Printable(string(row.Version), briefText) + " is a requirement that compares both"
			break
		}
	}
	return []entry{
		{"check", check},
		{"✗ fail", "an answer breaks the requirement"},
		{"? inconclusive", "no answer could decide it; the reason says what to do"},
		{"W waived", "the target's owner waives it until a date; it does not count"},
		{"K known", "it is so in the baseline for the same causes; it does not count"},
		{"– not run", "left out by a filter, by the end of the run, or because evidence is missing"},
		{"✓ pass", "at least one answer could have broken it, and none did"},
		{"witness", "an answer that could have broken the requirement and kept it; every user is asked several times"},
		{"finding", "one place of one answer that breaks a requirement"},
		{"cause", "all findings of one kind at one place; * matches any index of a list"},
		{"round 1, 2, …", "how often the same request was sent, to see what changes between identical calls"},
		{"e2", "the id of a request with its answer, in " + report.EvidenceFile +
			" and in the User-Agent of the request"},
		{"#", "a link to this check"},
	}
}

// sweepLegend explains the short words and signs on a sweep's page.
func sweepLegend() []entry {
	var list []entry
	for _, o := range allOutcomes() {
		list = append(list, entry{o.Sign + " " + string(o.Outcome), o.Sentence})
	}
	return append(list, []entry{
		{"group", "all findings of one requirement, kind and place; * matches any index of a list"},
		{"W waived", "the target's owner waives it until a date; it does not count"},
		{"u17.2", "the id of a request with its answer: user 17 of the population, request 2; it is in the " +
			"User-Agent of the request"},
		{"#", "a link to this group"},
	}...)
}
