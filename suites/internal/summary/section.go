package summary

import (
	"fmt"
	"strings"

	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/wording"
)

// most is how many bytes a summary has at most: GitHub takes 65,536 characters in a comment.
const most = 59_500

// The room of each part of a summary in bytes, together 54,000. A part has a room of its own so that ten thousand
// failures don't push the open points out. What is inconclusive gets all that the others leave, and then what is
// waived.
const (
	roomHead        = 6_000
	roomError       = 5_000
	roomBaseline    = 8_000
	roomFailures    = 20_000
	roomStale       = 3_000
	roomLacking     = 2_000
	roomWaived      = 3_000
	roomDivergences = 4_000
	roomNotes       = 3_000
)

// ending is room kept in each part for the sentence that says what was left out.
const ending = 120

// section is one part of a summary: a heading, and entries as long as there is room. An entry is shown whole or not at
// all, and what is not shown is counted.
type section struct {
	heading string
	intro   string
	room    int
	entries strings.Builder
	leftOut int
}

func newSection(heading string, room int) *section {
	return &section{heading: heading, room: room - len(heading) - len("### \n\n\n") - ending}
}

// say sets the sentence that stands between the heading and the entries.
func (s *section) say(intro string) {
	s.intro = intro + "\n\n"
	s.room -= len(s.intro)
}

// add appends an entry that stands for so many things. After the first that finds no room none is made any more: what
// is shown is the beginning of the list.
func (s *section) add(things int, entry func() string) {
	if s.leftOut == 0 {
		if made := entry(); s.entries.Len()+len(made) <= s.room {
			s.entries.WriteString(made)
			return
		}
	}
	s.leftOut += things
}

// each adds a list of entries.
func each[T any](s *section, list []T, entry func(T) string) {
	for _, item := range list {
		s.add(1, func() string { return entry(item) })
	}
}

// item is a text as an entry of its own.
func item(text string) string { return "- " + code(text, mostPlace) + "\n" }

// text is the section, or nothing where it has nothing to say.
func (s *section) text() string {
	if s.entries.Len() == 0 && s.leftOut == 0 && s.intro == "" {
		return ""
	}
	text := "### " + s.heading + "\n\n" + s.intro + s.entries.String()
	if s.leftOut > 0 {
		if s.entries.Len() > 0 {
			text += "\n"
		}
		text += fmt.Sprintf("%s left out here; `%s` has all.\n", wording.Plural(s.leftOut, "entry is", "entries are"), report.PageFile)
	}
	return strings.TrimRight(text, "\n") + "\n\n"
}
