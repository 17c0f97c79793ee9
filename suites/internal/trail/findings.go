// Package trail is what a sweep leaves on disk while it goes on: findings.ndjson, to which each finding is added as it is
// made, and the checkpoint, from which a sweep that was stopped at any moment can be gone on with.
package trail

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"time"

	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/tally"
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
	Identity tally.Identity `json:"identity"`
}

// Footer is the last line.
type Footer struct {
	Users    int64  `json:"users"`    // that were looked at
	Findings int64  `json:"findings"` // lines between the header and this one
	Complete bool   `json:"complete"` // the population was looked at to its end
	Digest   string `json:"digest"`   // of all lines before this one: "sha256:" and 64 hex digits
}

// Findings writes findings.ndjson, line by line.
type Findings struct {
	path   string
	file   *os.File
	out    *bufio.Writer
	watch  *redact.Watch
	digest hash.Hash // of all lines so far
	at     Mark
}

// Mark is a place in findings.ndjson to go on from.
type Mark struct {
	Size     int64  `json:"size"`     // in bytes
	Findings int64  `json:"findings"` // lines
	Digest   []byte `json:"digest"`   // the state of the hash of all lines up to here
}

// Begin begins findings.ndjson anew in a folder. Nothing that the guard knows is ever written.
func Begin(folder string, guard *redact.Guard, header Header) (*Findings, error) {
	sweepUp(folder)
	path := filepath.Join(folder, tally.FindingsFile)
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("the findings can't be written: %w", err)
	}
	f := newFindings(path, file, guard)
	if err := f.line(HeaderLine, header); err != nil {
		_ = file.Close()
		return nil, err
	}
	return f, nil
}

func newFindings(path string, file *os.File, guard *redact.Guard) *Findings {
	return &Findings{path: path, file: file, out: bufio.NewWriterSize(file, 1<<16), watch: guard.Watch(), digest: sha256.New()}
}

// Resume goes on behind a mark. What a process wrote after it, before it was stopped, is cut off.
func Resume(folder string, guard *redact.Guard, at Mark) (*Findings, error) {
	sweepUp(folder)
	path := filepath.Join(folder, tally.FindingsFile)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("--resume: the findings of the sweep can't be gone on with: %w; begin it anew, without --resume", err)
	}
	f := newFindings(path, file, guard)
	f.at = at
	if err := f.rewind(); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("--resume: %w; begin the sweep anew, without --resume", err)
	}
	return f, nil
}

// rewind makes sure that the file is the one of the mark, and cuts it off there.
func (f *Findings) rewind() error {
	if f.at.Size < 1 {
		return fmt.Errorf("the checkpoint knows of no line of %s", f.path)
	}
	was := f.digest
	if n, err := io.Copy(was, io.LimitReader(f.file, f.at.Size)); err != nil {
		return err
	} else if n < f.at.Size {
		return fmt.Errorf("%s has %d bytes, and had %d when the checkpoint was written: it was changed meanwhile", f.path, n, f.at.Size)
	}
	state, err := was.(encoding.BinaryMarshaler).MarshalBinary() // SHA-256 has this form
	if err != nil {
		return err
	}
	if !bytes.Equal(state, f.at.Digest) {
		return fmt.Errorf("%s is not what it was when the checkpoint was written: it was changed meanwhile", f.path)
	}
	if err := f.file.Truncate(f.at.Size); err != nil {
		return err
	}
	_, err = f.file.Seek(f.at.Size, io.SeekStart)
	return err
}

// Add adds a finding.
func (f *Findings) Add(one *tally.Finding) error {
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
	text := append(b.Bytes()[:begin:begin], b.Bytes()[begin+1:]...) // without the brace with which the value begins
	_, _ = f.watch.Write(text)                                      // it can't fail
	if hit := f.watch.Hit(); hit != "" {
		return &redact.Leak{File: tally.FindingsFile, Form: hit}
	}
	_, _ = f.digest.Write(text) // a hash takes everything
	f.at.Size += int64(len(text))
	if _, err := f.out.Write(text); err != nil {
		return fmt.Errorf("the findings can't be written: %w", err)
	}
	return nil
}

// Mark hands all lines to the system, and says where they end.
func (f *Findings) Mark() (Mark, error) {
	if err := f.out.Flush(); err != nil {
		return Mark{}, fmt.Errorf("the findings can't be written: %w", err)
	}
	state, err := f.digest.(encoding.BinaryMarshaler).MarshalBinary() // SHA-256 has this form
	at := f.at
	at.Digest = state
	return at, err
}

// Sync makes durable what was handed to the system. It may be called while lines are added.
func (f *Findings) Sync() error {
	if err := f.file.Sync(); err != nil {
		return fmt.Errorf("the findings can't be written: %w", err)
	}
	return nil
}

// Finish writes the footer, the last line.
func (f *Findings) Finish(users int64, complete bool) (Footer, error) {
	end := Footer{Users: users, Findings: f.at.Findings, Complete: complete, Digest: "sha256:" + hex.EncodeToString(f.digest.Sum(nil))}
	err := f.line(FooterLine, end)
	if err == nil {
		_, err = f.Mark()
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = f.verify()
	}
	return end, err
}

// verify reads the file again: whoever removed or changed it meanwhile has no use for a summary that names its digest.
func (f *Findings) verify() error {
	changed := fmt.Errorf("%s was removed or changed while the sweep went on: sweep again, and leave the report folder alone", f.path)
	file, err := os.Open(f.path)
	if err != nil {
		return changed
	}
	defer file.Close()
	was, err := f.file.Stat()
	if err != nil {
		return err
	}
	if now, err := file.Stat(); err != nil || !os.SameFile(was, now) {
		return changed
	}
	digest := sha256.New()
	if n, err := io.Copy(digest, file); err != nil {
		return fmt.Errorf("%s can't be read again: %w", f.path, err)
	} else if n != f.at.Size || !bytes.Equal(digest.Sum(nil), f.digest.Sum(nil)) {
		return changed
	}
	return nil
}

// Close lets go of the file.
func (f *Findings) Close() { _ = f.file.Close() } // what matters was synced
