package record

import (
	"fmt"

	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/sanitize"
)

// Bounds on differences.har: number of entries, and bytes.
const (
	MostAnswers    = 1000
	maxAnswersSize = 32 << 20
)

// Answers writes differences.har during a sweep: an HTTP Archive (HAR 1.2). It has the exchanges of users who differ or
// for whom the contract is broken, the first ones up to the bounds.
type Answers struct{ journal }

// OpenAnswers creates the archive in a folder, replacing an older one, or continues it from a position. It starts with
// head, which opens the list of entries. With the folder "" no file is written.
func OpenAnswers(folder string, guard *sanitize.Guard, head []byte, at *Position) (*Answers, error) {
	j, err := open(folder, stats.AnswersFile, guard, at, append(head, '\n'), nil)
	return &Answers{j}, err
}

// Full reports whether the bounds are reached: Add then ignores further entries.
func (a *Answers) Full() bool { return a.at.Findings >= MostAnswers || a.at.Size >= maxAnswersSize }

// Add appends an entry, given as JSON.
func (a *Answers) Add(entry []byte) error {
	if a.Full() {
		return nil
	}
	if a.at.Findings > 0 {
		entry = append([]byte(",\n"), entry...)
	}
	err := a.write(entry)
	if err == nil {
		a.at.Findings++
	}
	return err
}

// Finish ends the archive with a comment on whether exchanges were left out.
func (a *Answers) Finish() error {
	comment := "the exchanges of users who differ, or for whom the contract is broken"
	if a.Full() {
		comment = fmt.Sprintf("the first %s of users who differ, or for whom the contract is broken; the list of all "+
			"is %s", wording.Count(a.at.Findings, "exchange"), stats.DifferencesFile)
	}
	err := a.write(fmt.Appendf(nil, "\n],\n\"comment\":%q\n}}\n", comment))
	if err == nil {
		err = a.end()
	}
	return err
}
