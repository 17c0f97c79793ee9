package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
)

// Document is the content of a run's or a sweep's report, independent of the format. Terminal, Markdown, annotations
// and page render it with the same words, what decides the verdict first. Its texts may come from a target and are
// printable, but each format must escape them itself.
type Document struct {
	Title    string // "Authenticator API conformance"
	State    State
	Verdict  string   // the verdict and its reason, in one line
	Sentence string   // what the verdict is based on
	Scope    string   // whether the run certifies, and if not, why not
	Error    string   // lines that explain why the run could not be carried out; "" if it could
	Head     []Fact   // what every format shows under the verdict: API, target, day, users
	Facts    []Fact   // what was judged, and by what
	Lead     []string // lines at the beginning
	Remarks  []string // lines at the end
	Next     []Step   // what to do next
	Table    Table
	Sections []Section
	Files    []File
}

// Fact is a name with a value.
type Fact struct {
	Name, Value string
	Exact       bool // a value to compare or copy, such as a URL or a digest
}

// Step is a command of this program, and what it is for: "To read what a check requires".
type Step struct {
	Purpose   string
	Arguments string // to copy into a shell
}

// called returns the command of a step, if the program is called by this name.
func (s Step) called(program string) string { return program + " " + s.Arguments }

// programName is what the program is called in files.
const programName = "conformance"

// Table is a table of counts by row and column.
type Table struct {
	Heads []string
	Rows  [][]string // each with as many cells as there are heads
}

// File is a file of the report folder.
type File struct{ Name, Purpose string }

// Level is how much an item affects the verdict.
type Level int

// Levels.
const (
	Info    Level = iota
	Warning       // does not fail the run, but needs attention
	Failing       // makes the verdict fail or error
)

// Section is a list of items of one kind. A section without items and intro is not shown.
type Section struct {
	Name  string // identifier for programs: "failures"
	Title string
	Label string // prefix of each line in a log: "FAIL"
	Intro string
	Fold  bool // a log may fold it
	Rest  int  // number of findings that no item shows
	Items []Item
}

// Item is one result to report.
type Item struct {
	Level    Level
	Word     string    // its kind, in a section with several: "new"
	Rows     []*Row    // the rows it is about, if any
	Name     string    // its subject: "2.1/CreatedOn (§2.1) in v5 and v6"
	Text     string    // the statement, in one self-contained line
	Lines    []string  // what belongs to the statement: every format shows it
	Examples []Example // of the first lines, one for each
	More     []string  // what may be left out
	Waivers  string    // YAML to copy, that waives the rows
	Results  int       // how many results the item represents; 0 means 1
}

// Example is a finding that shows a cause.
type Example struct {
	Name     string // what was sent for whom; "" if no request shows it
	Commands string // shell commands that send it again, one a line; "" if the report hides whom it was sent for
}

// ExampleOf returns the example of a line, from 0; nil if there is none.
func (i Item) ExampleOf(line int) *Example {
	if line >= len(i.Examples) || i.Examples[line] == (Example{}) {
		return nil
	}
	return &i.Examples[line]
}

// Count returns how many results the items represent.
func Count(items []Item) int {
	n := 0
	for _, i := range items {
		n += max(1, i.Results)
	}
	return n
}

// Add appends a section, unless it is empty.
func (d *Document) Add(s Section) {
	if len(s.Items) > 0 || s.Intro != "" {
		d.Sections = append(d.Sections, s)
	}
}

// Fact appends a fact, unless the value is empty.
func (d *Document) Fact(name, value string, exact bool) {
	if value != "" {
		d.Facts = append(d.Facts, Fact{name, value, exact})
	}
}

// SuggestLastFailed appends the command that repeats only what failed, unless there is no report folder. It has the
// flags that were given, and reads the same records; variables of the environment are still set. It writes into another
// folder, so that the report of what failed stays. It follows Describe.
func (d *Document) SuggestLastFailed(command, folder string, given []Setting,
	recorded map[schemas.Version]*exchange.Recorded) {
	if folder != "" {
		d.suggest("To repeat only what failed", command+" --"+settings.LastFailedFlag+" "+shellescape.Quote(folder)+
			flags(given, recorded, "report-dir", settings.LastFailedFlag, settings.RecordFlag)+
			" --report-dir "+shellescape.Quote(folder+"-again"))
	}
}

// SuggestResume appends the command that continues a sweep that was stopped, with the flags that were given. It follows
// Describe.
func (d *Document) SuggestResume(given []Setting, recorded map[schemas.Version]*exchange.Recorded, more string) {
	d.suggest("To continue", "sweep --resume"+flags(given, recorded)+more)
}

func (d *Document) suggest(purpose, arguments string) {
	step := Step{purpose, arguments}
	d.Next, d.Head = append(d.Next, step), append(d.Head, Fact{step.Purpose, step.called(programName), true})
}

// flags returns the flags that were given, but those that are left out, and those of the records that were read.
func flags(given []Setting, recorded map[schemas.Version]*exchange.Recorded, without ...string) (text string) {
	without = append(without, settings.RecordedFlag)
	for _, s := range given {
		flag, isFlag := strings.CutPrefix(s.Source, "flag --")
		if isFlag && !slices.Contains(without, flag) {
			text += " --" + flag + " " + shellescape.Quote(s.Value)
		}
	}
	for _, v := range schemas.InOrder(recorded) {
		text += " --" + settings.RecordedFlag + " " + shellescape.Quote(string(v)+"="+recorded[v].From)
	}
	return text
}

// Describe sets the head of the document, and appends its facts about the target. Each version has its base URL, or
// BuiltInReference; versions with the same one share a fact. Users may be "".
func (d *Document) Describe(target map[schemas.Version]string, started time.Time, users string) {
	d.Head = []Fact{{Name: "API", Value: "Authenticator API"}}
	versions := slices.DeleteFunc(schemas.InOrder(target), func(v schemas.Version) bool { return target[v] == "" })
	different := slices.ContainsFunc(versions, func(v schemas.Version) bool { return target[v] != target[versions[0]] })
	for i, v := range versions {
		fact := Fact{"Target of " + string(v), target[v], target[v] != BuiltInReference}
		if !different {
			fact.Name = "Target"
		}
		if i == 0 || different {
			d.Head, d.Facts = append(d.Head, fact), append(d.Facts, fact)
		}
	}
	if !started.IsZero() {
		d.Head = append(d.Head, Fact{Name: "Day", Value: started.UTC().Format(time.DateOnly)})
	}
	if users != "" {
		d.Head = append(d.Head, Fact{Name: "Users", Value: users})
	}
}

// Suite appends the contract, the version and commit of the suite, and the version of Go.
func (d *Document) Suite(s Suite) {
	d.Fact("Contract", s.Contract, true)
	if s.Name != "" {
		d.Fact("Suite", s.Name+" "+s.Version, false)
	}
	d.Fact("Commit", s.Commit, true)
	d.Fact("Go", s.Go, false)
}

// Heading returns the first lines of a command: suite, contract, the target of each version, and what is special. The
// texts have passed the way out.
func Heading(contract string, targets []string, embedded bool, values string) string {
	text := fmt.Sprintf("%s %s, contract %.19s…\n%s\n", Name, Version, contract, strings.Join(targets, "\n"))
	if embedded {
		text += "target: " + BuiltInReference + "\n"
	}
	if values == settings.ValuesHide {
		text += "values of users: " + HiddenValues + "\n"
	}
	return text
}

// HiddenValues is at the head of every report whose values are hidden.
const HiddenValues = "hidden: reports and evidence have types and lengths; " +
	"a user is named by the position in the users file, from 1"

// HiddenValues appends that the values of users are hidden, if they are.
func (d *Document) HiddenValues(mode string) {
	if mode == settings.ValuesHide {
		d.Fact("Values of users", HiddenValues, false)
	}
}

// Times appends the start and end times in UTC (RFC 3339).
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
