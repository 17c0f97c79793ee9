package stats_test

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/sanitize"
)

// FuzzRead holds that no file can make reading, merging, going on, concluding or printing panic, hang, or write to a
// terminal what does something there; and that what was read can be written and read again.
func FuzzRead(f *testing.F) {
	for _, s := range everyKind() {
		var b bytes.Buffer
		if err := stats.Write(&b, s); err != nil {
			f.Fatal(err)
		}
		// Short ones only: a fuzzer makes more of them.
		if text := b.String(); len(text) < 32<<10 {
			f.Add(text)
			f.Add(strings.Replace(text, `"groups": [`, `"groups": [null,`, 1))
			f.Add(strings.Replace(text, `"seconds": 1,`, `"seconds": 36028797018963968,`, 1))
			f.Add(strings.Replace(text, `"index": 1,`, `"index": 2,`, 1))
			f.Add(strings.Replace(text, `"lumped": 0`, `"lumped": -1`, 1))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if err := acceptAndUse(text); err != nil {
			t.Fatal(err)
		}
	})
}

// lessThanNothing finds a member of a sweep.json that is a negative number.
var lessThanNothing = regexp.MustCompile(`"[^"]*": -[0-9.e+]+`)

// acceptAndUse reads a sweep.json that may hold anything and, where it is taken, does all with it that is ever done.
// The error is a fault of this suite.
func acceptAndUse(text string) error {
	s, err := stats.Read(strings.NewReader(text))
	if err != nil {
		return checkTerminal(err.Error())
	}
	if err := useSummary(s); err != nil {
		return err
	}
	// Of a shard of few, the others are made of it too.
	if of := s.Identity.Shard.Of; of >= 1 && of <= 4 {
		var list []*stats.Summary
		for i := range of {
			one := *s
			one.Identity.Shard.Index, one.Read.Users = i+1, int64(of)*one.Tally.Users
			list = append(list, &one)
		}
		if whole, err := stats.Merge(folderNames(of), list, mergedAt); err == nil {
			if err := useSummary(whole); err != nil {
				return err
			}
		}
	}
	return countOneMore(s)
}

// countOneMore counts one user more.
func countOneMore(s *stats.Summary) error {
	users := s.Tally.Users
	addUsers(s.Tally, differentUser(differenceFinding(users, "/Flags")))
	if s.Tally.Users != users+1 {
		return errors.New("a tally that was read does not go on counting")
	}
	return nil
}

// useSummary concludes a summary, looks at all of it, prints it and writes it.
func useSummary(s *stats.Summary) error {
	s.Conclude()
	for _, o := range stats.Outcomes() {
		_ = s.Tally.Count(o)
	}
	_ = check.Quantile(s.Tally.Times.Latency(), 0.95)
	var out, b bytes.Buffer
	s.Document().Print(&out, "folder", report.Screen{})
	if err := checkTerminal(out.String()); err != nil {
		return err
	}
	if err := stats.Write(&b, s); err != nil {
		return fmt.Errorf("what was read can't be written: %w", err)
	}
	if less := lessThanNothing.FindString(b.String()); less != "" {
		return fmt.Errorf("something is counted that is less than nothing: %s", less)
	}
	return nil
}

// checkTerminal tells what a text does to the terminal that shows it.
func checkTerminal(text string) error {
	if sanitize.PrintableLines(text) != text {
		return fmt.Errorf("this is not fit to be shown: %q", text)
	}
	return nil
}
