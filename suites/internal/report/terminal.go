package report

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/wording"
)

// Screen is the output device of a report.
type Screen struct {
	Colours     bool // set for a terminal, not for a pipe
	AllFindings bool // print every finding, not only the first of each kind
	Width       int  // columns of the terminal, at which lines break between words; 0: they do not break
	Folds       Folds
	Said        string // a note that was printed before, and is not printed again
	Program     string // how the program is called; "" if as in files
}

// Folds is the syntax with which a log folds long parts.
type Folds string

// The kinds of logs. The zero value folds nothing.
const (
	NoFolds Folds = ""
	GitHub  Folds = "GitHub Actions" // ::group::
	GitLab  Folds = "GitLab CI"      // section_start and section_end
)

// maxPrinted is how many items of a section are printed, so that a report fits on one screen.
const maxPrinted = 20

// Print writes the report of a finished run, short enough for one screen. With Screen.AllFindings it has all findings.
func Print(w io.Writer, r *Report, dir string, screen Screen) {
	d := r.Document()
	if screen.AllFindings || r.Error != nil { // partial results must not count against the target
		d.Sections = slices.DeleteFunc(d.Sections, func(s Section) bool { return s.Name == "failures" })
	}
	if screen.AllFindings {
		for _, row := range r.rows() {
			if row.Verdict == ledger.Fail {
				fmt.Fprintf(w, "%s %s\n\n", screen.colorize(red, strings.ToUpper(row.State().Word)), row.Explain())
			}
		}
	}
	if r.Error != nil {
		d.Table = Table{}
	}
	d.Print(w, dir, screen)
}

// Print writes a document to a terminal or a log: first what decides the verdict, then the table, and the verdict last.
func (d *Document) Print(w io.Writer, dir string, screen Screen) {
	page := filepath.Join(dir, d.Files[0].Name)
	for _, line := range d.Lead {
		fmt.Fprintln(w, line)
	}
	commands := map[string]bool{}
	for _, s := range d.Sections {
		screen.Folds.around(w, s.Title, s.Fold, func() { s.print(w, page, screen, commands) })
	}
	if len(d.Table.Rows) > 0 {
		fmt.Fprintln(w)
		screen.table(w, d.Table)
	}
	for _, line := range strings.Split(d.Error, "\n") {
		if !strings.Contains(d.Verdict, line) {
			screen.line(w, screen.colorize(red, "error:"), line)
		}
	}
	fmt.Fprintln(w)
	for _, line := range d.Remarks {
		screen.line(w, "", line)
	}
	for _, step := range d.Next {
		screen.step(w, step)
	}
	d.PrintEnd(w, dir, screen)
}

// PrintEnd writes the last lines: the files in a folder, if there are any, and the verdict with its reason.
func (d *Document) PrintEnd(w io.Writer, dir string, screen Screen) {
	var beside []string
	for _, f := range d.Files {
		beside = append(beside, f.Name)
	}
	if len(beside) > 0 {
		screen.line(w, "reports:", filepath.Join(dir, beside[0])+", and beside it "+strings.Join(beside[1:], ", "))
	}
	word, rest := d.Verdict, ""
	if i := strings.IndexAny(word, " :"); i > 0 {
		word, rest = word[:i], word[i:]
	}
	screen.line(w, "verdict:", screen.colorize(colourOf(d.State), word)+rest)
}

// print writes a section. printed are the commands that were printed before: none is printed twice.
func (s *Section) print(w io.Writer, page string, screen Screen, printed map[string]bool) {
	if s.Intro != "" {
		screen.line(w, strings.ToLower(s.Title)+":", s.Intro)
	}
	for _, item := range s.Items[:min(len(s.Items), maxPrinted)] {
		if item.Text == screen.Said && screen.Said != "" {
			continue
		}
		begin := screen.colorize(item.Level.colour(), s.Label)
		switch {
		case item.Word != "" && s.Label != "":
			begin = screen.colorize(item.Level.colour(), strings.ToUpper(item.Word))
		case item.Word != "":
			begin = "  " + screen.colorize(item.Level.colour(), item.Word+":")
		}
		if item.Name != "" {
			begin = strings.TrimPrefix(begin+" "+screen.colorize(cyan, item.Name)+":", " ")
		}
		screen.line(w, begin, item.Text)
		for n, line := range item.Lines {
			screen.line(w, "  -", line)
			if e := item.ExampleOf(n); e != nil {
				screen.example(w, *e, printed)
			}
		}
		for _, line := range item.More {
			screen.line(w, " ", line)
		}
		if item.Waivers != "" {
			fmt.Fprintf(w, "  To waive them, paste this into the configuration file (--config):\n  %s\n",
				indented(item.Waivers))
		}
	}
	if more := Count(s.Items) - Count(s.Items[:min(len(s.Items), maxPrinted)]); more > 0 {
		fmt.Fprintf(w, "%s and %s, in %s\n", screen.colorize(s.Items[0].Level.colour(), s.Label),
			wording.Count(more, "other"), page)
	}
	if s.Rest > 0 {
		screen.line(w, "", fmt.Sprintf("and %s: see %s, or --all-findings",
			wording.Count(s.Rest, "other finding"), page))
	}
}

// example prints what shows a cause, and the commands that send it again, to copy.
func (s Screen) example(w io.Writer, e Example, printed map[string]bool) {
	name, commands := cmp.Or(e.Name, "send it again:"), strings.Split(strings.Trim(e.Commands, "\n"), "\n")
	if slices.ContainsFunc(commands, func(c string) bool { return printed[c] }) {
		name += ", see the command above"
	}
	s.line(w, "  for example", name)
	for _, command := range commands {
		if command != "" && !printed[command] {
			fmt.Fprintf(w, "    %s\n", command)
			printed[command] = true
		}
	}
}

// step prints a command that is to be copied: it breaks nowhere.
func (s Screen) step(w io.Writer, step Step) {
	begin, command := step.Purpose+": ", step.called(cmp.Or(s.Program, programName))
	if s.Width > 0 && width(begin+command) > s.Width {
		begin = step.Purpose + ":\n  "
	}
	fmt.Fprintln(w, begin+command)
}

// line prints a text after its beginning. On a terminal it breaks between words; further lines are indented.
func (s Screen) line(w io.Writer, begin, text string) {
	const indent = "    "
	line := begin
	for _, word := range strings.Split(text, " ") {
		switch {
		case line == "":
			line = word
		case s.Width > 0 && width(line)+1+width(word) > s.Width:
			fmt.Fprintln(w, line)
			line = indent + word
		default:
			line += " " + word
		}
	}
	fmt.Fprintln(w, line)
}

// colours matches what colorize adds.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// width returns how many columns a text takes on a terminal.
func width(text string) int { return uniseg.StringWidth(colours.ReplaceAllString(text, "")) }

// maxName is the least width to which the first column of a table is cut.
const maxName = 20

// table prints a table. If it is wider than the terminal, the texts of the first column are cut.
func (s Screen) table(w io.Writer, t Table) {
	rows := append([][]string{t.Heads}, t.Rows...)
	widths := make([]int, len(t.Heads))
	total := 0
	for i := range t.Heads {
		for _, row := range rows {
			widths[i] = max(widths[i], width(row[i]))
		}
		total += widths[i] + len("   ")
	}
	if excess := total - len("   ") - s.Width; s.Width > 0 && excess > 0 {
		widths[0] = max(maxName, widths[0]-excess)
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			if over := width(cell) - widths[i]; over > 0 {
				runes := []rune(cell)
				cell = string(runes[:max(0, len(runes)-over-1)]) + "…"
			}
			line += cell + strings.Repeat(" ", max(0, widths[i]-width(cell))+len("   "))
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// around prints a part of the log. It is folded under a title if fold is set and the log supports it.
func (f Folds) around(w io.Writer, title string, fold bool, part func()) {
	if !fold {
		f = NoFolds
	}
	switch f {
	case GitHub:
		fmt.Fprintf(w, "::group::%s\n", title)
		defer fmt.Fprintln(w, "::endgroup::")
	case GitLab:
		fmt.Fprintf(w, "\x1b[0Ksection_start:%d:conformance_%d[collapsed=true]\r\x1b[0K%s\n", time.Now().Unix(),
			len(title), title)
		defer func() {
			fmt.Fprintf(w, "\x1b[0Ksection_end:%d:conformance_%d\r\x1b[0K\n", time.Now().Unix(), len(title))
		}()
	}
	part()
}

func (l Level) colour() colour {
	if l == Failing {
		return red
	}
	return yellow
}

func colourOf(s State) colour {
	return cmp.Or(map[string]colour{"pass": green, "inconclusive": yellow}[s.Name], red)
}

// colour is a colour of text on a terminal, as ECMA-48 numbers it.
type colour int

const (
	red    colour = 31
	green  colour = 32
	yellow colour = 33
	cyan   colour = 36
)

// colorize colours a text if the screen has colours.
func (s Screen) colorize(c colour, text string) string {
	if !s.Colours || text == "" {
		return text
	}
	return fmt.Sprintf("\x1b[%d;1m%s\x1b[0m", c, text)
}
