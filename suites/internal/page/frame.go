package page

import (
	"html/template"
	"strings"

	"authenticator-conformance/suites/internal/report"
)

// frame is what stands around the content of every page.
type frame struct {
	Style  template.CSS
	Script template.JS
	Policy string

	Title     string
	Kind      string // of page
	Contents  chapters
	Summary   summary
	Legend    []entry
	Elsewhere string // where the rest is
}

// entry is a name with a value.
type entry struct{ Name, Value string }

// chapters are the parts of a page that its contents link to.
type chapters []chapter

type chapter struct{ Anchor, Name string }

// add adds a chapter that the page has.
func (c *chapters) add(there bool, anchor, name string) {
	if there {
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

// summary is what the one who signs reads first.
type summary struct {
	State    report.State
	Sentence string
	Scope    string // complete or not, and what that means
	Complete bool
	Error    string
	Of       string // what the error ended
	Where    string // the target in short
	Suite    string
	Facts    []fact
	Open     bool // the facts are not folded
}

// fact is a line of the certificate's data.
type fact struct {
	Name, Value string
	Code        bool // exact: shown as it is typed
}
