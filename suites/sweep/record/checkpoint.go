package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/sanitize/atomicfile"
)

// Checkpoint is the state from which a sweep can be resumed.
type Checkpoint struct {
	Format   string           `json:"format"`
	Sweep    string           `json:"sweep"`
	Identity stats.Identity   `json:"identity"`
	Started  time.Time        `json:"started"`
	Finished time.Time        `json:"finished,omitzero"` // when all users were checked; zero: not yet
	Total    int64            `json:"total,omitzero"`    // users of the sweep; 0 if they were not counted
	Read     stats.Population `json:"population"`        // up to the last user that was counted
	Findings Position         `json:"findings"`
	Answers  Position         `json:"answers"`
	Record   Position         `json:"record,omitzero"` // of a sweep that records
	Tally    *stats.Counts    `json:"tally"`
	Traffic  stats.Traffic    `json:"traffic"`
	Elapsed  time.Duration    `json:"elapsed"` // nanoseconds spent so far, by all processes
	Controls []Control        `json:"controls,omitempty"`
}

// Control is the control of an operation and version (J23): a user who was served, by index, and when one was last.
type Control struct {
	Operation schemas.Operation `json:"operation"`
	Version   schemas.Version   `json:"version"`
	User      int64             `json:"user"`
	Served    time.Time         `json:"served"`
}

// Text returns the text of the checkpoint: a line of JSON, and its digest.
func (c *Checkpoint) Text() ([]byte, error) {
	text, err := strictjson.Encode(c)
	return fmt.Appendf(text, "\n%q", exchange.DigestOf(text)), err
}

// WriteCheckpoint atomically replaces the checkpoint in a folder and syncs it. The caller must have synced the findings
// up to it. It returns the error of the guard if it finds something. With the folder "" no file is written.
func WriteCheckpoint(folder string, guard *sanitize.Guard, text []byte) error {
	if err := inspect(guard.Watch(stats.CheckpointFile), text); err != nil {
		return err
	}
	if folder == "" {
		return nil
	}
	if err := atomicfile.Write(filepath.Join(folder, stats.CheckpointFile), text, 0o600); err != nil {
		return fmt.Errorf("the checkpoint can't be written: %w; %s", err, resumable)
	}
	return nil
}

// ReadCheckpoint reads the checkpoint in a folder. It returns an error unless contract, suite, target, settings, sample
// and shard are those of the given identity. The caller must check that the users are the same.
func ReadCheckpoint(folder string, identity stats.Identity) (*Checkpoint, error) {
	path := filepath.Join(folder, stats.CheckpointFile)
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--resume: there is no checkpoint to resume from: %w; begin the sweep without "+
			"--resume, or name its folder by --report-dir", err)
	}
	c, err := parse(content)
	if _, other := errors.AsType[*strictjson.OtherFormat](err); other {
		return nil, fmt.Errorf("--resume: %s: %w; start again with --restart", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("--resume: %s is no checkpoint that this suite wrote: %w; start again with --restart",
			path, err)
	}
	difference := identity.Differs(c.Identity)
	if difference == "" && c.Identity.Shard != identity.Shard {
		difference = "another shard (" + c.Identity.Shard.String() + ")"
	}
	if difference != "" {
		return nil, fmt.Errorf("--resume: the sweep in %s has %s: continue it with the same settings, or start "+
			"again with --restart", path, difference)
	}
	c.Tally.Restore(identity.Seed)
	return c, nil
}

// parse decodes a checkpoint. The error says why it is none. Nobody but a sweep writes one, so one that has its digest
// is right.
func parse(content []byte) (*Checkpoint, error) {
	var head struct {
		Format   string
		Identity struct{ Suite string }
	}
	if json.NewDecoder(bytes.NewReader(content)).Decode(&head) == nil { // a digest may follow
		if err := strictjson.CheckFormat(head.Format, head.Identity.Suite); err != nil {
			return nil, err
		}
	}
	text, digest, _ := bytes.Cut(content, []byte("\n"))
	if string(digest) != strconv.Quote(exchange.DigestOf(text)) {
		return nil, errors.New("it was cut off or changed, as it does not have its digest")
	}
	c := &Checkpoint{}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, err
	}
	if c.Format != stats.Format {
		return nil, fmt.Errorf("its format is %q, expected %s", c.Format, stats.Format)
	}
	return c, nil
}

// Begun reports whether a folder holds a checkpoint, readable or not.
func Begun(folder string) bool {
	return isFile(folder, stats.CheckpointFile)
}

// Earlier describes what an earlier sweep left in a folder.
type Earlier struct {
	Begun    bool  // it checked some user, or its checkpoint is unreadable
	Users    int64 // number of users it checked; 0 if the checkpoint is unreadable
	Finished bool  // sweep.json is its complete report
}

// Peek reads the state of an earlier sweep, decoding only the members it needs because a report can be large. A
// checkpoint with no users counts as none: a sweep that was refused at its beginning is simply started again.
func Peek(folder string) Earlier {
	if !Begun(folder) {
		return Earlier{}
	}
	var checkpoint struct {
		Sweep string
		Tally struct{ Users int64 }
	}
	if !readable(folder, stats.CheckpointFile, &checkpoint) {
		return Earlier{Begun: true}
	}
	var report struct {
		Sweep    string
		Complete bool
		Verdict  ledger.Verdict
		Identity struct{ LastFailed int }
	}
	ended := readable(folder, stats.SummaryFile, &report) && report.Sweep == checkpoint.Sweep &&
		(report.Complete || report.Identity.LastFailed > 0 && report.Verdict != ledger.Fault)
	return Earlier{Begun: ended || checkpoint.Tally.Users > 0, Users: checkpoint.Tally.Users, Finished: ended}
}

func readable(folder, name string, into any) bool {
	content, err := os.ReadFile(filepath.Join(folder, name))
	return err == nil && json.NewDecoder(bytes.NewReader(content)).Decode(into) == nil // a digest may follow
}
