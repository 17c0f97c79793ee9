package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fatih/color"

	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/wording"
)

// Screen is the output device of a report.
type Screen struct {
	Colours bool // set for a terminal, not for a pipe
	Verbose bool // print every finding, not only the first of each kind
	Folds   Folds
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

// Print writes the report of a finished run, short enough for one screen. With Screen.Verbose it has all findings.
func Print(w io.Writer, r *Report, dir string, screen Screen) {
	d := r.Document()
	if screen.Verbose || r.Error != nil { // partial results must not count against the target
		d.Sections = slices.DeleteFunc(d.Sections, func(s Section) bool { return s.Name == "failures" })
	}
	if screen.Verbose {
		for _, row := range r.rows() {
			if row.Verdict == ledger.Fail {
				word := screen.colorize(color.FgRed, strings.ToUpper(row.State().Word))
				fmt.Fprintf(w, "%s %s\n\n", word, row.Explain())
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
	for _, line := range d.Lead {
		fmt.Fprintln(w, line)
	}
	for _, s := range d.Sections {
		screen.Folds.around(w, s.Title, s.Fold, func() { s.print(w, filepath.Join(dir, d.Files[0].Name), screen) })
	}
	if len(d.Table.Rows) > 0 {
		t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
		for _, row := range append([][]string{d.Table.Heads}, d.Table.Rows...) {
			fmt.Fprintln(t, strings.Join(row, "\t"))
		}
		_ = t.Flush() // a closed terminal does not change the verdict
	}
	for _, line := range strings.Split(d.Error, "\n") {
		if line != "" {
			fmt.Fprintf(w, "%s %s\n", screen.colorize(color.FgRed, "error:"), line)
		}
	}
	word, rest := d.Verdict, ""
	if i := strings.IndexAny(word, " :"); i > 0 {
		word, rest = word[:i], word[i:]
	}
	fmt.Fprintf(w, "\nverdict: %s%s\n", screen.colorize(colourOf(d.State), word), rest)
	for _, line := range d.Remarks {
		fmt.Fprintln(w, line)
	}
	var beside []string
	for _, f := range d.Files[1:] {
		beside = append(beside, f.Name)
	}
	fmt.Fprintf(w, "reports: %s, and beside it %s\n", filepath.Join(dir, d.Files[0].Name), strings.Join(beside, ", "))
}

func (s *Section) print(w io.Writer, page string, screen Screen) {
	if s.Intro != "" {
		fmt.Fprintf(w, "%s: %s\n", strings.ToLower(s.Title), s.Intro)
	}
	example := ""
	for i, item := range s.Items[:min(len(s.Items), maxPrinted)] {
		begin := screen.colorize(item.Level.colour(), s.Label)
		switch {
		case item.Word != "" && s.Label != "":
			begin = screen.colorize(item.Level.colour(), strings.ToUpper(item.Word))
		case item.Word != "":
			begin = "  " + screen.colorize(item.Level.colour(), item.Word+":")
		}
		if item.Name != "" {
			begin = strings.TrimPrefix(begin+" "+item.Name+":", " ")
		}
		fmt.Fprintf(w, "%s %s\n", begin, item.Text)
		if !s.Brief {
			for _, line := range item.More {
				fmt.Fprintf(w, "  %s\n", line)
			}
		}
		if item.Lang == "yaml" && item.Code != "" {
			fmt.Fprintf(w, "  To waive them, paste this into the configuration file (--config):\n\n  %s\n\n",
				indented(item.Code))
		}
		if i == 0 {
			example = item.Example
		}
	}
	if more := Count(s.Items) - Count(s.Items[:min(len(s.Items), maxPrinted)]); more > 0 {
		fmt.Fprintf(w, "%s and %s, in %s\n", screen.colorize(s.Items[0].Level.colour(), s.Label),
			wording.Count(more, "other"), page)
	}
	if example != "" {
		fmt.Fprintf(w, "\n  %s, for example: %s\n", s.Items[0].Name, indented(example))
	}
	if s.Rest > 0 {
		fmt.Fprintf(w, "  and %s: see %s, or run with --verbose\n", wording.Count(s.Rest, "other finding"), page)
	}
	if example != "" {
		fmt.Fprintln(w)
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

func (l Level) colour() color.Attribute {
	if l == Failing {
		return color.FgRed
	}
	return color.FgYellow
}

func colourOf(s State) color.Attribute {
	switch s.Name {
	case "pass":
		return color.FgGreen
	case "inconclusive":
		return color.FgYellow
	}
	return color.FgRed
}

// colorize colours a text if the screen has colours.
func (s Screen) colorize(attribute color.Attribute, text string) string {
	if !s.Colours || text == "" {
		return text
	}
	c := color.New(attribute, color.Bold)
	c.EnableColor()
	return c.Sprint(text)
}
