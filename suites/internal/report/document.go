package report

import (
	"time"

	"authenticator-conformance/schemas"
)

// Document is what every format shows of a run or of a sweep: the same words, and first what decides the verdict.
// Terminal, Markdown, annotations and page render it. Its texts may hold what a target sent, made safe to print; a
// format escapes them for itself.
type Document struct {
	Title    string // "Authenticator API conformance"
	State    State
	Verdict  string   // the verdict and its ground, in one line
	Sentence string   // what the verdict rests on
	Scope    string   // whether it certifies, and if not, why not
	Error    string   // lines that say why the run could not be carried out; "" if it could
	Facts    []Fact   // what was judged, and by what
	Lead     []string // lines to begin with
	Remarks  []string // lines to end with
	Table    Table
	Sections []Section
	Files    []File
}

// Fact is a name with a value.
type Fact struct {
	Name, Value string
	Exact       bool // a value to compare or to copy, such as a URL or a digest
}

// Table counts something by row and column.
type Table struct {
	Heads []string
	Rows  [][]string // as many cells each as there are heads
}

// File is a file of the report folder.
type File struct{ Name, Purpose string }

// Level is how much an item matters for the verdict.
type Level int

// Levels.
const (
	Info    Level = iota
	Warning       // does not fail the run, and needs a look
	Failing       // gives the run its verdict fail or error
)

// Section is a list of things of one kind. A section without items and intro is not shown.
type Section struct {
	Name  string // for programs: "failures"
	Title string
	Label string // what each line begins with in a log: "FAIL"
	Intro string
	Fold  bool // a log may fold it
	Brief bool // a log has one line for each item, and explains the first
	Rest  int  // findings that no item explains
	Items []Item
}

// Item is one thing to know.
type Item struct {
	Level   Level
	Word    string // of what sort, where a section has several: "new"
	Rows    []*Row // that it is about, if it is about some only
	Name    string // whose: "2.1/CreatedOn (§2.1) in v5 and v6"
	Text    string // what of it, in one line that can be read alone
	More    []string
	Example string // lines that explain one finding in full
	Code    string // lines to copy
	Lang    string // their language: "sh", "yaml"
	Stands  int    // how many things the item stands for, 1 if it is 0
}

// Count is how many things the items stand for.
func Count(items []Item) int {
	n := 0
	for _, i := range items {
		n += max(1, i.Stands)
	}
	return n
}

// Section finds a section by its name; nil if there is nothing to show of it.
func (d *Document) Section(name string) *Section {
	for i := range d.Sections {
		if d.Sections[i].Name == name {
			return &d.Sections[i]
		}
	}
	return nil
}

// Add adds a section that has something to show.
func (d *Document) Add(s Section) {
	if len(s.Items) > 0 || s.Intro != "" {
		d.Sections = append(d.Sections, s)
	}
}

// Fact adds a fact if something is known of it.
func (d *Document) Fact(name, value string, exact bool) {
	if value != "" {
		d.Facts = append(d.Facts, Fact{name, value, exact})
	}
}

// Targets adds the base URL of each version, once if they are the same.
func (d *Document) Targets(target map[schemas.Version]string) {
	v5, v6 := target[schemas.V5], target[schemas.V6]
	if v5 == v6 {
		d.Fact("Target", v5, true)
		return
	}
	d.Fact("Target of v5", v5, true)
	d.Fact("Target of v6", v6, true)
}

// Suite adds which suite judged, and by what.
func (d *Document) Suite(s Suite) {
	d.Fact("Contract", s.Contract, true)
	if s.Name != "" {
		d.Fact("Suite", s.Name+" "+s.Version, false)
	}
	d.Fact("Commit", s.Commit, true)
	d.Fact("Go", s.Go, false)
}

// Times adds the times in UTC (RFC 3339) of beginning and end.
func (d *Document) Times(started time.Time, finished *time.Time) {
	if !started.IsZero() {
		d.Fact("Started", started.UTC().Format(time.RFC3339), false)
	}
	if finished != nil {
		d.Fact("Finished", finished.UTC().Format(time.RFC3339), false)
	} else {
		d.Fact("Finished", "not finished", false)
	}
}
