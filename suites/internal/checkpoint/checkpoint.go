package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"authenticator-conformance/suites/internal/atomicfile"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/strictjson"
)

// CheckpointFile is where a sweep notes in its report folder how far it has come.
const CheckpointFile = "sweep.checkpoint.json"

// Checkpoint is all that is needed to go on.
type Checkpoint struct {
	Format   string           `json:"format"`
	Sweep    string           `json:"sweep"`
	Identity stats.Identity   `json:"identity"`
	Started  time.Time        `json:"started"`
	Read     stats.Population `json:"population"` // as far as its users were looked at
	Served   bool             `json:"served"`     // somebody was
	Findings Mark             `json:"findings"`
	Answers  Mark             `json:"answers"`
	Tally    *stats.Counts    `json:"tally"`
	Traffic  stats.Traffic    `json:"traffic"`
	Elapsed  time.Duration    `json:"elapsed"` // nanoseconds spent so far
}

// Text is the checkpoint as it stands in its file. It is made at once, so that it can be written while counting goes
// on. Nothing is escaped for HTML, so that the guard sees what stands there.
func (c *Checkpoint) Text() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(c)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err // so that what breaks off is no checkpoint
}

// WriteCheckpoint replaces the checkpoint in a folder, whole and synced. The findings up to it must be on disk before.
// With the folder "" no file is written.
func WriteCheckpoint(folder string, guard *redact.Guard, text []byte) error {
	watch := guard.LeakWriter()
	_, _ = watch.Write(text) // it can't fail
	if hit := watch.Found(); hit != "" {
		return &redact.Leak{File: CheckpointFile, Form: hit}
	}
	if folder == "" {
		return nil
	}
	if err := atomicfile.Write(filepath.Join(folder, CheckpointFile), text, 0o600); err != nil {
		return fmt.Errorf("the checkpoint can't be written: %w", err)
	}
	return nil
}

// ReadCheckpoint reads what an earlier sweep left in a folder, which must have been one of the identity given: of the
// same contract, target, settings, sample and shard. Whether the users are the same is for the caller to find out.
func ReadCheckpoint(folder string, identity stats.Identity) (*Checkpoint, error) {
	path := filepath.Join(folder, CheckpointFile)
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--resume: there is no checkpoint to go on from: %w; begin the sweep without --resume, or name its folder by --report-dir", err)
	}
	c, err := parse(content)
	if err != nil {
		return nil, fmt.Errorf("--resume: %s is no checkpoint that this suite wrote: %w; begin anew with --restart", path,
			err)
	}
	difference := identity.Differs(c.Identity)
	if difference == "" && c.Identity.Shard != identity.Shard {
		difference = "another shard (" + c.Identity.Shard.String() + ")"
	}
	if difference != "" {
		return nil, fmt.Errorf("--resume: the sweep that stands in %s is of %s: go on with it as it was begun, or begin anew with --restart", path, difference)
	}
	c.Tally.Restored(identity.Seed)
	return c, nil
}

// longest is what no sweep takes.
const longest = 100 * 365 * 24 * time.Hour

// parse reads a checkpoint; the error says what makes it none.
func parse(content []byte) (*Checkpoint, error) {
	if err := strictjson.Valid(content); err != nil {
		return nil, err
	}
	c := &Checkpoint{}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(c); err != nil {
		return nil, err
	}
	if c.Format != stats.Format {
		return nil, fmt.Errorf("its format is %q, expected %s", c.Format, stats.Format)
	}
	if c.Elapsed < 0 || c.Elapsed > longest || !c.Read.Sound() || c.Findings.Size < 1 || c.Findings.Findings < 0 ||
		!c.Traffic.Sound() {
		return nil, fmt.Errorf("it counts what can't be counted")
	}
	if err := c.Tally.Sound(); err != nil {
		return nil, err
	}
	if c.Read.Users < c.Tally.Users {
		return nil, fmt.Errorf("it has looked at %d users, and read %d", c.Tally.Users, c.Read.Users)
	}
	if found := c.Tally.Found(); c.Findings.Findings != found.Differences+found.Violations+found.Waived+found.Open {
		return nil, fmt.Errorf("it has %d lines of findings, and counts others", c.Findings.Findings)
	}
	return c, nil
}

// Begun tells whether a folder holds a checkpoint, readable or not.
func Begun(folder string) bool {
	_, err := os.Lstat(filepath.Join(folder, CheckpointFile))
	return !errors.Is(err, fs.ErrNotExist)
}
