package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/metrics"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings"
)

// writer is two commands with the files that they write.
type writer struct {
	commands []string // the first is that of a file, of an earlier release, that does not name its command
	results  []string // the first names the command
	others   []string // that are not removed when no result can be written
}

func (w writer) files() []string { return slices.Concat(w.results, w.others) }

var writers = []writer{
	{[]string{report.RunCommand, report.JudgeCommand}, append(Reports(), report.EvidenceFile),
		[]string{report.SignatureFile}},
	{[]string{stats.SweepCommand, stats.MergeCommand}, []string{stats.SummaryFile, stats.PageFile,
		stats.DifferencesFile, metrics.File}, []string{stats.AnswersFile, stats.FindingsFile, stats.CheckpointFile}},
}

// marks are the files that show that a folder is of this suite. One of them is the first that is written into it.
var marks = []string{report.JSONFile, stats.SummaryFile, stats.CheckpointFile}

// Dated returns the name of a report folder with each {date} replaced by a day and time in UTC: 2027-01-31T021500Z. It
// makes the folder. If there is one already, the new one has a number: 2027-01-31T021500Z-2.
func Dated(dir string, start time.Time) string {
	date := start.UTC().Format("2006-01-02T150405Z")
	place := date
	for n := 2; strings.Contains(dir, settings.DatePlace); n++ {
		name := strings.ReplaceAll(dir, settings.DatePlace, place)
		place = fmt.Sprintf("%s-%d", date, n)
		_ = os.MkdirAll(filepath.Dir(name), 0o755)
		if err := os.Mkdir(name, 0o755); !errors.Is(err, fs.ErrExist) {
			return name // Open meets any other error
		}
	}
	return dir
}

// claim returns an error if the folder has a signature, or files that another command or another program wrote. If they
// may be replaced, it removes those of the command instead.
func (f *Folder) claim(command string, at Place) error {
	signed := exists(f.dir, report.SignatureFile)
	for _, w := range writers {
		by := w.wrote(f.dir)
		isSigned := signed && slices.Contains(w.others, report.SignatureFile)
		switch {
		case (by == "" || by == command) && !isSigned:
		case at.Replace:
			if err := RemoveReports(f.dir, w.files()...); err != nil {
				return err
			}
		case isSigned:
			return fmt.Errorf("the report folder %q has a signed certificate (%s), which was left as it is: name "+
				"another folder by --report-dir, or replace it with --replace", f.dir, report.SignatureFile)
		default:
			return fmt.Errorf("the report folder %q has the files of conformance %s, which were left as they are: "+
				"name another folder by --report-dir, or replace them with --replace", f.dir, by)
		}
	}
	info, err := os.Stat(filepath.Join(f.dir, report.JSONFile))
	if err == nil && !at.Since.IsZero() && info.ModTime().After(at.Since) && !at.Replace {
		return fmt.Errorf("the report folder %q got the reports of another run since this program began, which were "+
			"left as they are: give each its own, such as one with %s in its name", f.dir, settings.DatePlace)
	}
	isThere := func(name string) bool { return exists(f.dir, name) }
	if at.Replace || slices.ContainsFunc(marks, isThere) {
		return nil
	}
	for _, name := range slices.Concat(writers[0].files(), writers[1].files()) {
		if isThere(name) {
			return fmt.Errorf("the report folder %q has %s, which no command of conformance wrote, and which was left "+
				"as it is: name another folder by --report-dir, or replace such files with --replace", f.dir, name)
		}
	}
	return nil
}

// commandMember is the member of report.json and sweep.json with the command. It is among the first.
var commandMember = regexp.MustCompile(`(?m)^  "command": "([a-z]+)"`)

// wrote returns the command that wrote the files in a folder, or "" if there are none.
func (w writer) wrote(dir string) string {
	if !exists(dir, w.results[0]) {
		return ""
	}
	file, err := os.Open(filepath.Join(dir, w.results[0]))
	if err != nil {
		return w.commands[0]
	}
	defer file.Close()
	head, _ := io.ReadAll(io.LimitReader(file, 512)) // if it can't be read, it does not have the member
	if match := commandMember.FindSubmatch(head); match != nil {
		return string(match[1])
	}
	return w.commands[0]
}

// CheckOutside returns an error if a flag names a file in the report folder dir, or one of the files of another report
// folder: a certificate would not hold afterwards.
func CheckOutside(flag, path, dir string) error {
	of, name := filepath.Dir(path), filepath.Base(path)
	isReport := exists(of, report.StatementFile) && slices.Contains(writers[0].files(), name) ||
		exists(of, stats.SummaryFile) && slices.Contains(writers[1].files(), name)
	if path != "" && (isReport || Same(of, dir)) {
		return fmt.Errorf("%s: %s is in the report folder %q, whose files are not replaced: name a file in another "+
			"folder", flag, path, of)
	}
	return nil
}

// IsOf reports whether a path names the report folder dir, or a file in it that commands write.
func IsOf(dir, path string) bool {
	name := filepath.Base(path)
	return Same(path, dir) || Same(filepath.Dir(path), dir) && slices.ContainsFunc(writers,
		func(w writer) bool { return slices.Contains(w.files(), name) })
}

func exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// lockFile is what is locked in a report folder on Windows, where a folder itself can't be.
const lockFile = ".lock"

// lock locks a folder for this process and returns a function that releases it. It is an error if another process has
// the lock. If the file system has no locks, it does nothing.
func lock(dir string) (release func(), err error) {
	path, flags := dir, os.O_RDONLY
	if runtime.GOOS == "windows" {
		path, flags = filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR
	}
	held := flock.New(path, flock.SetFlag(flags))
	if locked, err := held.TryLock(); !locked && err == nil {
		return nil, fmt.Errorf("the report folder %q is in use by another process, and was left as it is: wait for "+
			"its end, or name another folder by --report-dir", dir)
	}
	return func() { _ = held.Close() }, nil
}
