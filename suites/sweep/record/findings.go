// Package record writes the files from which a sweep can be resumed after it was stopped at any moment. They are
// findings.ndjson and differences.har, which grow during the sweep, and the checkpoint.
package record

import (
	"fmt"
	"path/filepath"
	"time"

	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/sanitize/atomicfile"
)

// The kinds of lines of findings.ndjson, in the first member of each line. A file without a footer is incomplete.
const (
	headerLine  = "header"
	findingLine = "finding"
	footerLine  = "footer"
)

// Header is the first line. It identifies the sweep.
type Header struct {
	Format   string         `json:"format"`
	Suite    string         `json:"suite"`
	Sweep    string         `json:"sweep"`
	Started  time.Time      `json:"started"`
	Identity stats.Identity `json:"identity"`
}

// footer is the last line.
type footer struct {
	Users    int64  `json:"users"`    // users that were checked
	Findings int64  `json:"findings"` // lines between the header and this one
	Complete bool   `json:"complete"` // the whole population was checked
	Digest   string `json:"digest"`   // of all lines before this one: "sha256:" and 64 hex digits
}

// Findings writes findings.ndjson line by line.
type Findings struct{ journal }

// Open creates findings.ndjson in a folder, replacing an older one, or continues it from a position. A line that
// contains a secret of the guard is refused with an error. With the folder "" no file is written: the findings are only
// counted and hashed. A killed process may have left a part of a checkpoint there, which is removed.
func Open(folder string, guard *sanitize.Guard, header Header, at *Position) (*Findings, error) {
	head, err := lineOf(headerLine, header)
	if err != nil {
		return nil, err
	}
	if folder != "" {
		atomicfile.Clean(filepath.Join(folder, stats.CheckpointFile))
	}
	j, err := open(folder, stats.FindingsFile, guard, at, head, nil)
	return &Findings{j}, err
}

// Add appends a finding.
func (f *Findings) Add(one *stats.Finding) error {
	err := f.line(findingLine, one)
	if err == nil {
		f.at.Findings++
	}
	return err
}

// line writes an object as a line.
func (f *Findings) line(kind string, value any) error {
	text, err := lineOf(kind, value)
	if err != nil {
		return err
	}
	return f.write(text)
}

// lineOf returns an object as one line, with the kind of line as its first member.
func lineOf(kind string, value any) ([]byte, error) {
	text, err := strictjson.Encode(value)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "{\"line\":%q,%s\n", kind, text[1:]), nil // without the opening brace of the value
}

// Finish writes the footer, the last line, and returns the digest of all lines before it.
func (f *Findings) Finish(users int64, complete bool) (digest string, err error) {
	last := footer{Users: users, Findings: f.at.Findings, Complete: complete, Digest: f.sum()}
	if err = f.line(footerLine, last); err == nil {
		err = f.end()
	}
	return last.Digest, err
}
