package page

import (
	"html/template"
	"strings"
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
	Elsewhere string // where the whole stands
}

// chapter is a part of the page that the list of contents leads to.
type chapter struct{ Anchor, Name string }

// frameOf frames a page. The chapters are those that it has.
func frameOf(kind string, s summary, contents chapters, elsewhere string) (frame, error) {
	style, script, policy, err := assets()
	return frame{
		Style: style, Script: script, Policy: policy, Kind: kind, Summary: s, Contents: contents, Elsewhere: elsewhere,
		Title: strings.ToUpper(s.State.Word) + " · " + s.Where + " · " + s.Suite,
	}, err
}

// chapters are those that a page has.
type chapters []chapter

func (c *chapters) add(there bool, anchor, name string) {
	if there {
		*c = append(*c, chapter{anchor, name})
	}
}
