package trail

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/tally"
)

// CheckpointFile is where a sweep notes in its report folder how far it has come.
const CheckpointFile = "sweep.checkpoint.json"

// Checkpoint is all that is needed to go on.
type Checkpoint struct {
	Format   string           `json:"format"`
	Sweep    string           `json:"sweep"`
	Identity tally.Identity   `json:"identity"`
	Started  time.Time        `json:"started"`
	Ended    bool             `json:"ended"`      // the population was looked at to its end
	Read     tally.Population `json:"population"` // as far as its users were looked at
	Findings Mark             `json:"findings"`
	Tally    *tally.Tally     `json:"tally"`
	Traffic  tally.Traffic    `json:"traffic"`
	Elapsed  time.Duration    `json:"elapsed"` // nanoseconds spent so far
}

// Text is the checkpoint as it stands in its file. It is made at once, so that it can be written while counting goes on.
func (c *Checkpoint) Text() ([]byte, error) { return json.Marshal(c) }

// WriteCheckpoint replaces the checkpoint in a folder, whole and synced. The findings up to it must be on disk before.
func WriteCheckpoint(folder string, guard *redact.Guard, text []byte) error {
	watch := guard.Watch()
	_, _ = watch.Write(text) // it can't fail
	if hit := watch.Hit(); hit != "" {
		return &redact.Leak{File: CheckpointFile, Form: hit}
	}
	if err := renameio.WriteFile(filepath.Join(folder, CheckpointFile), text, 0o644, renameio.WithTempDir(folder)); err != nil {
		return fmt.Errorf("the checkpoint can't be written: %w", err)
	}
	return nil
}

// ReadCheckpoint reads what an earlier sweep left in a folder, which must have been one of the identity given: of the same
// contract, target, settings, sample and shard. Whether the users are the same is for the caller to find out.
func ReadCheckpoint(folder string, identity tally.Identity) (*Checkpoint, error) {
	path := filepath.Join(folder, CheckpointFile)
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--resume: there is no checkpoint to go on from: %w; begin the sweep without --resume, or name its folder by --report-dir", err)
	}
	c := &Checkpoint{}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(c); err != nil {
		return nil, fmt.Errorf("--resume: %s can't be read: %w; begin the sweep anew, without --resume", path, err)
	}
	difference := identity.Differs(c.Identity)
	if difference == "" && c.Identity.Shard != identity.Shard {
		difference = "another shard (" + c.Identity.Shard.String() + ")"
	}
	if difference != "" {
		return nil, fmt.Errorf("--resume: the sweep that stands in %s is of %s: go on with it as it was begun, or begin anew without --resume", path, difference)
	}
	if err := c.Tally.Sound(); err != nil {
		return nil, fmt.Errorf("--resume: %s is no checkpoint that this suite wrote: %w; begin the sweep anew, without --resume", path, err)
	}
	c.Tally.Restored(identity.Seed)
	return c, nil
}

// Begun tells whether a folder holds a checkpoint, readable or not.
func Begun(folder string) bool {
	_, err := os.Lstat(filepath.Join(folder, CheckpointFile))
	return !errors.Is(err, fs.ErrNotExist)
}
