package lastfailed

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/settings/input"
	"authenticator-conformance/suites/internal/settings/users"
	"authenticator-conformance/suites/sweep/record"
)

// OfSweep reads the report folder of a sweep, or of merged shards, or a differences.csv alone. It returns the users
// with a line in findings.ndjson: they differ, break the contract, waived or not, or could not be compared. Without
// that file it takes the users of differences.csv, which has neither waived findings nor those who could not be
// compared.
//
// Users are in the population's order; those of differences.csv are numbered anew. Whether they are enrolled is not
// known. It is an error if there is no user, or if the values of users are hidden.
func OfSweep(dir string, contract *schemas.Contract) ([]users.Row, error) {
	path, read := filepath.Join(dir, stats.FindingsFile), usersOfFindings
	if !exists(path) {
		path, read = filepath.Join(dir, stats.DifferencesFile), usersOfDifferences
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		path, read = dir, usersOfDifferences
	}
	if !exists(path) {
		return nil, fmt.Errorf("%s is no report folder of a sweep that has ended: it has neither %s nor %s", dir,
			stats.FindingsFile, stats.DifferencesFile)
	}
	if err := input.RefuseDevice(path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	found, err := read(path)
	if errors.Is(err, errHidden) {
		return nil, hidden(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if summary, err := summaryBeside(path); len(found) == 0 && err == nil && summary != nil && summary.Error != nil {
		return nil, fmt.Errorf("what is wrong with the users in %s is not known, as its sweep was not carried out "+
			"(%s): sweep again without --%s", dir, report.Printable(*summary.Error, 200), settings.LastFailedFlag)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("nothing was found in %s, so there is nobody to sweep again", path)
	}
	known, list := map[string]bool{}, []users.Row{}
	for _, u := range found {
		if err := checkUser(u, users.IDFault(contract)); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		row := users.Row{User: exchange.User{ID: u.ID, UserID: u.UserID, Enrolled: true}, Index: u.Index}
		if !known[row.Key()] {
			known[row.Key()], list = true, append(list, row)
		}
	}
	slices.SortStableFunc(list, func(a, b users.Row) int { return cmp.Compare(a.Index, b.Index) })
	return list, nil
}

// errHidden means that the values of users are hidden.
var errHidden = errors.New("hidden")

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// checkUser returns an error for a user whose ids a report does not have in full.
func checkUser(u stats.User, idFault func(string) string) error {
	if expected := idFault(u.ID); expected != "" {
		return fmt.Errorf("the id %s is no id of a user: expected %s", input.Quote(u.ID), expected)
	}
	if u.UserID == "" || sanitize.IsCut(u.UserID) {
		return fmt.Errorf("the userId of %s is not there in full: sweep the users file again", u.ID)
	}
	if escaped.MatchString(u.UserID) {
		return fmt.Errorf("the userId of %s, %s, has an escape: a report shows so what can't be seen, and another "+
			"user may be meant; sweep a users file with those who failed", u.ID, input.Quote(u.UserID))
	}
	return nil
}

// escaped matches the escapes that an id has in the files of a sweep.
var escaped = regexp.MustCompile(`\\(u[0-9a-f]{4}|x[0-9a-f]{2})`)

// usersOfFindings returns the users of a findings.ndjson, each perhaps more than once.
func usersOfFindings(path string) (users []stats.User, err error) {
	header, _, err := record.ReadFindings(path, func(f stats.Finding) {
		if len(users) == 0 || users[len(users)-1] != f.User {
			users = append(users, f.User)
		}
	})
	if header.Identity.Values == settings.ValuesHide {
		return nil, errHidden
	}
	if errors.Is(err, record.ErrNotComplete) {
		err = fmt.Errorf("%w: continue the sweep with --resume", err)
	}
	return users, err
}

// usersOfDifferences returns the users of a differences.csv, numbered by line. A sweep.json beside it shows whether
// their values are hidden. Without one, hidden ids are refused as none.
func usersOfDifferences(path string) (users []stats.User, err error) {
	switch summary, err := summaryBeside(path); {
	case err != nil:
		return nil, err
	case summary != nil && summary.Identity.Values == settings.ValuesHide:
		return nil, errHidden
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	reader := csvOf(file)
	head, err := reader.Read()
	if err != nil || len(head) < 2 || !slices.Equal(head[:2], record.DifferencesHead()[:2]) {
		return nil, fmt.Errorf("its first line is not that of a %s", stats.DifferencesFile)
	}
	for {
		line, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return users, nil
		}
		if err != nil {
			return nil, err
		}
		users = append(users, stats.User{Index: int64(len(users)), UserID: unguard(line[0]), ID: unguard(line[1])})
	}
}

// summaryBeside returns the sweep.json beside a file, or nil if there is none.
func summaryBeside(path string) (*stats.Summary, error) {
	file, err := os.Open(filepath.Join(filepath.Dir(path), stats.SummaryFile))
	if err != nil {
		return nil, nil
	}
	defer file.Close()
	summary, err := stats.Read(file)
	if err != nil {
		return nil, fmt.Errorf("the %s beside it %w", stats.SummaryFile, err)
	}
	return summary, nil
}

// csvOf returns a reader of CSV that a spreadsheet or an editor may have saved: with a byte order mark, semicolons
// between cells, or more than one carriage return before a line break.
func csvOf(file io.Reader) *csv.Reader {
	text := bufio.NewReader(file)
	const mark = "\xef\xbb\xbf"
	if begin, _ := text.Peek(len(mark)); string(begin) == mark {
		_, _ = text.Discard(len(mark)) // they were read
	}
	reader := csv.NewReader(&lines{text: text})
	const firstName = len(`"user";`)
	if begin, _ := text.Peek(firstName); bytes.ContainsRune(begin, ';') {
		reader.Comma = ';'
	}
	return reader
}

// lines reads a text without the carriage returns before its line breaks.
type lines struct {
	text *bufio.Reader
	rest []byte // of a line
}

func (l *lines) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		line, err := l.text.ReadBytes('\n')
		if len(line) == 0 {
			return 0, err
		}
		l.rest = append(bytes.TrimRight(line, "\r\n"), '\n')
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// unguard removes the apostrophe with which a cell is no formula.
func unguard(cell string) string {
	if rest, ok := strings.CutPrefix(cell, "'"); ok && record.IsFormula(rest) {
		return rest
	}
	return cell
}
