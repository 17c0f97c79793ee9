// Package history reads any number of reports, and shows the states of each requirement over time: since when it fails,
// when it last passed, and how often it changed.
package history

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/input"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/strictjson"
)

// The names of the files.
const (
	PageFile = "history.html"
	JSONFile = "history.json"
)

// format is the version of history.json.
const format = "1.0"

// History is history.json: reports from the oldest to the newest, and the states of each requirement in them.
type History struct {
	Format       string        `json:"format"`
	Reports      []Report      `json:"reports"`
	Requirements []Requirement `json:"requirements"`
}

// Report is what is kept of one report.
type Report struct {
	File       string                     `json:"file"`
	Command    string                     `json:"command"` // run or sweep
	ID         string                     `json:"id"`
	Ended      time.Time                  `json:"ended"` // or when it was begun, if it did not end
	Verdict    ledger.Verdict             `json:"verdict"`
	Certifies  bool                       `json:"certifies"`
	ValidUntil string                     `json:"validUntil,omitempty"`
	Subject    string                     `json:"subject,omitempty"`
	Target     map[schemas.Version]string `json:"target"`
	Suite      string                     `json:"suite"`
	Contract   string                     `json:"contract"`
	Users      string                     `json:"users"`
	// Comparable is false if the contract or the users are others than those of the newest report of the same command.
	Comparable bool `json:"comparable"`

	states map[string]string
}

// Requirement is one requirement in one version over time. Times are those of comparable reports.
type Requirement struct {
	ID      string          `json:"id"`
	Version schemas.Version `json:"version"`
	Command string          `json:"command"`
	// States has the state in each of the reports: pass, fail, inconclusive, waived, known, not-run; "" if it has none.
	States       []string   `json:"states"`
	FailingSince *time.Time `json:"failingSince"` // null if it does not fail now
	LastPassed   *time.Time `json:"lastPassed"`
	Changes      int        `json:"changes"` // how often the state became another one
}

// Read reads reports: report folders, and files report.json and sweep.json, in any order. A report that is named twice
// counts once. The error names the first that is none.
func Read(paths []string) (*History, error) {
	h := &History{Format: format, Reports: []Report{}, Requirements: []Requirement{}}
	seen := map[string]bool{}
	for _, path := range paths {
		files, err := filesIn(path)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			one, err := read(file)
			if err != nil {
				return nil, fmt.Errorf("%s: %s", file, report.Printable(err.Error(), 300))
			}
			if id := one.Command + " " + one.ID; one.ID == "" || !seen[id] {
				seen[id] = true
				h.Reports = append(h.Reports, *one)
			}
		}
	}
	slices.SortStableFunc(h.Reports, func(a, b Report) int {
		return cmp.Or(a.Ended.Compare(b.Ended),
			strings.Compare(a.File, b.File))
	})
	h.compare()
	return h, nil
}

// filesIn returns the reports of a folder, or the file itself.
func filesIn(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%w; name report folders, or files report.json and sweep.json", err)
	}
	switch {
	case info.Mode().IsRegular():
		return []string{path}, nil
	case !info.IsDir():
		return nil, fmt.Errorf("%s is neither a folder nor a file: name report folders, or files report.json and sweep.json",
			path)
	}
	var files []string
	for _, name := range []string{report.JSONFile, stats.SummaryFile} {
		file := filepath.Join(path, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has neither %s nor %s: name report folders of runs and sweeps", path,
			report.JSONFile,
			stats.SummaryFile)
	}
	return files, nil
}

func read(file string) (*Report, error) {
	content, err := input.ReadFile(file)
	if err != nil {
		return nil, err
	}
	value, err := strictjson.Decode(content)
	if err != nil {
		return nil, fmt.Errorf("it is no report: %w", err)
	}
	if members, _ := value.(map[string]any); members["sweep"] != nil {
		var s stats.Summary
		if err := report.Decode(&s, "summary of a sweep", schemas.SweepSchema, content, value); err != nil {
			return nil, err
		}
		return ofSweep(file, &s), nil
	}
	var r report.Report
	if err := report.Decode(&r, "report", schemas.ReportSchema, content, value); err != nil {
		return nil, err
	}
	return ofRun(file, &r), nil
}

func ofRun(file string, r *report.Report) *Report {
	one := &Report{File: file, Command: "run", ID: r.Run, Ended: r.Started, Verdict: r.Verdict, Certifies: r.Certifies,
		Subject: r.Subject.String(), Target: r.Target, Suite: r.Suite.Version, Contract: r.Suite.Contract,
		states: map[string]string{}}
	if r.Finished != nil {
		one.Ended = *r.Finished
	}
	if r.ValidUntil != nil {
		one.ValidUntil = *r.ValidUntil
	}
	if r.Users != nil {
		one.Users = r.Users.Digest
	}
	for i := range r.Requirements {
		row := &r.Requirements[i]
		one.states[ledger.Key{ID: row.ID, Version: row.Version}.String()] = row.State().Name
	}
	return one
}

// ofSweep keeps the verdict, and the rows that have findings: of others a sweep does not say whether they were judged.
func ofSweep(file string, s *stats.Summary) *Report {
	one := &Report{File: file, Command: "sweep", ID: s.Sweep, Ended: s.Started, Verdict: s.Verdict,
		Target: s.Identity.Target, Subject: s.Subject.String(),
		Suite: s.Suite.Version, Contract: s.Suite.Contract, Users: s.Read.Digest, states: map[string]string{}}
	if s.Finished != nil {
		one.Ended = *s.Finished
	}
	if s.Tally != nil {
		for _, g := range s.Tally.Groups {
			if g.Requirement != "" && !g.Waived {
				one.states[ledger.Key{ID: g.Requirement, Version: g.Version}.String()] = string(ledger.Fail)
			}
		}
	}
	return one
}

// compare marks the reports that can be compared with the newest, and lists the requirements.
func (h *History) compare() {
	newest := map[string]*Report{}
	for i := range h.Reports {
		if r := &h.Reports[i]; r.Verdict != ledger.Fault { // one that was not carried out names no users
			newest[r.Command] = r
		}
	}
	keys := map[string]map[string]bool{"run": {}, "sweep": {}}
	for i := range h.Reports {
		r := &h.Reports[i]
		last := newest[r.Command]
		r.Comparable = last != nil && r.Verdict != ledger.Fault && r.Contract == last.Contract && r.Users == last.Users
		for key := range r.states {
			keys[r.Command][key] = true
		}
	}
	for _, command := range []string{"run", "sweep"} {
		for _, key := range slices.Sorted(maps.Keys(keys[command])) {
			h.Requirements = append(h.Requirements, h.requirement(command, key))
		}
	}
}

func (h *History) requirement(command, key string) Requirement {
	id, version, _ := strings.Cut(key, " ")
	q := Requirement{ID: id, Version: schemas.Version(version), Command: command,
		States: make([]string, len(h.Reports))}
	last := ""
	for i := range h.Reports {
		r := &h.Reports[i]
		if r.Command != command {
			continue
		}
		state := r.states[key]
		if state == "" && command == "sweep" && r.Verdict != ledger.Fault {
			state = string(ledger.Pass) // nothing was found
		}
		q.States[i] = state
		if !r.Comparable || state == "" {
			continue
		}
		switch {
		case state != string(ledger.Fail):
			q.FailingSince = nil
		case q.FailingSince == nil:
			q.FailingSince = &r.Ended
		}
		if state == string(ledger.Pass) {
			q.LastPassed = &r.Ended
		}
		if last != "" && state != last {
			q.Changes++
		}
		last = state
	}
	return q
}

// Certificates returns the reports that certify, from the newest to the oldest.
func (h *History) Certificates() (list []Report) {
	for _, r := range slices.Backward(h.Reports) {
		if r.Certifies {
			list = append(list, r)
		}
	}
	return list
}
