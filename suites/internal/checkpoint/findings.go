// Package checkpoint is what a sweep leaves on disk while it goes on: findings.ndjson, to which each finding is added as it
// is made, and the checkpoint, from which a sweep that was stopped at any moment can be gone on with.
package checkpoint

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"time"

	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/stats"
)

// The kinds of lines of findings.ndjson, each line's first member. A file without its footer is not complete.
const (
	HeaderLine  = "header"
	FindingLine = "finding"
	FooterLine  = "footer"
)

// Header is the first line: it says whose findings follow.
type Header struct {
	Format   string         `json:"format"`
	Suite    string         `json:"suite"`
	Sweep    string         `json:"sweep"`
	Started  time.Time      `json:"started"`
	Identity stats.Identity `json:"identity"`
}

// Footer is the last line.
type Footer struct {
	Users    int64  `json:"users"`    // that were looked at
	Findings int64  `json:"findings"` // lines between the header and this one
	Complete bool   `json:"complete"` // the population was looked at to its end
	Digest   string `json:"digest"`   // of all lines before this one: "sha256:" and 64 hex digits
}

// Findings writes findings.ndjson, line by line.
type Findings struct{ journal }

// Begin begins findings.ndjson anew in a folder. Nothing that the guard knows is ever written. With the folder "" no
// file is written: the findings are counted and hashed only.
func Begin(folder string, guard *redact.Guard, header Header) (*Findings, error) {
	j, err := beginJournal(folder, stats.FindingsFile, guard)
	if err != nil {
		return nil, err
	}
	f := &Findings{j}
	if err := f.line(HeaderLine, header); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Resume goes on behind a mark. What a process wrote after it, before it was stopped, is cut off.
func Resume(folder string, guard *redact.Guard, at Mark) (*Findings, error) {
	j, err := resumeJournal(folder, stats.FindingsFile, guard, at)
	if err != nil {
		return nil, err
	}
	return &Findings{j}, nil
}

// Add adds a finding.
func (f *Findings) Add(one *stats.Finding) error {
	err := f.line(FindingLine, one)
	if err == nil {
		f.at.Findings++
	}
	return err
}

// line writes an object, with the kind of line as its first member.
func (f *Findings) line(kind string, value any) error {
	var b bytes.Buffer
	b.WriteString(`{"line":"` + kind + `",`)
	begin := b.Len()
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return err
	}
	return f.write(append(b.Bytes()[:begin:begin],
		b.Bytes()[begin+1:]...)) // without the brace with which the value begins
}

// Finish writes the footer, the last line.
func (f *Findings) Finish(users int64, complete bool) (Footer, error) {
	last := Footer{Users: users, Findings: f.at.Findings, Complete: complete, Digest: "sha256:" +
		hex.EncodeToString(f.digest.Sum(nil))}
	err := f.line(FooterLine, last)
	if err == nil {
		err = f.end()
	}
	return last, err
}
