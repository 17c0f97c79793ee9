package page

import (
	"html/template"
	"strings"

	"authenticator-conformance/suites/internal/report"
)

// frame is what surrounds the content of every page.
type frame struct {
	Style  template.CSS
	Script template.JS
	Policy string

	Title     string
	Kind      string // kind of page
	Contents  chapters
	Summary   summary
	Legend    []entry
	Elsewhere string // names the files that contain everything
}

// entry is a name with a value.
type entry struct{ Name, Value string }

// chapters are the parts of a page, in the table of contents.
type chapters []chapter

type chapter struct{ Anchor, Name string }

// add adds a chapter if it exists.
func (c *chapters) add(exists bool, anchor, name string) {
	if exists {
		*c = append(*c, chapter{anchor, name})
	}
}

func frameOf(kind string, s summary, legend []entry, contents chapters, elsewhere string) frame {
	return frame{
		Style: template.CSS(style), Script: template.JS(script), Policy: policy(),
		Kind: kind, Summary: s, Legend: legend, Contents: contents, Elsewhere: elsewhere,
		Title: strings.ToUpper(s.State.Word) + " · " + s.Where + " · " + s.Suite,
	}
}

// summary is the head of the page: the verdict and its scope.
type summary struct {
	State    report.State
	Sentence string
	Scope    string // whether the result is complete, and what that means
	Complete bool
	Error    string
	Of       string // what the error ended: a run or a sweep
	Where    string // the target, shortened
	Suite    string
	Facts    []fact
	Open     bool // the facts are unfolded
}

// fact is one line about what was judged, and by what.
type fact struct {
	Name, Value string
	Code        bool // an exact value, in a monospaced font
}
