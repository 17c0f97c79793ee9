package report

import (
	"fmt"
	"io"
	"time"
)

// Folds is the syntax with which a log folds long parts.
type Folds string

// The kinds of logs. The zero value folds nothing.
const (
	NoFolds Folds = ""
	GitHub  Folds = "GitHub Actions" // ::group::
	GitLab  Folds = "GitLab CI"      // section_start and section_end
)

// around prints a part of the log. It is folded under a title if fold is set and the log supports it.
func (f Folds) around(w io.Writer, title string, fold bool, part func()) {
	if !fold {
		f = NoFolds
	}
	now := time.Now().Unix()
	switch f {
	case GitHub:
		fmt.Fprintf(w, "::group::%s\n", title)
		defer fmt.Fprintln(w, "::endgroup::")
	case GitLab:
		fmt.Fprintf(w, "\x1b[0Ksection_start:%d:conformance_%d[collapsed=true]\r\x1b[0K%s\n", now, len(title), title)
		defer func() {
			fmt.Fprintf(w, "\x1b[0Ksection_end:%d:conformance_%d\r\x1b[0K\n", time.Now().Unix(), len(title))
		}()
	}
	part()
}
