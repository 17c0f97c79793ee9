package record

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"

	"authenticator-conformance/suites/internal/ask/recorded"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/sanitize/atomicfile"
)

// maxMember is how many bytes of lines a member of gzip has, unless one line is longer.
const maxMember = 64 << 10

// Recording writes a record during a sweep: what one version answered, a line for each user (see package recorded). Its
// findings are the users.
type Recording struct {
	journal
	inspected atomicfile.Watcher // of the lines, which are compressed in the file
	lines     []byte             // of the next member
	packer    *gzip.Writer
	withheld  int64
}

// Counts are what a recording has so far. A checkpoint keeps them.
type Counts struct {
	Position
	Withheld int64 `json:"withheld"`
}

// BeginRecording creates a record. A finished record and any other file is never replaced, and one that was not
// finished only with restart.
func BeginRecording(path string, guard atomicfile.Guard, about recorded.About, restart bool) (*Recording, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("--record: %s is a folder: name a file, such as %s", path,
			filepath.Join(path, string(about.Version)+".ndjson.gz"))
	}
	switch state, err := recorded.Peek(path); {
	case err != nil:
		return nil, fmt.Errorf("--record: %s: %w; name another file", path, err)
	case state == recorded.Finished:
		return nil, fmt.Errorf("--record: %s is a finished record, which is never replaced: name another file, or move "+
			"it away", path)
	case state == recorded.Unfinished && !restart:
		return nil, fmt.Errorf("--record: %s is a record that was not finished: continue its sweep with --resume, or "+
			"give it up with --restart", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	j, err := beginJournal(filepath.Dir(path), filepath.Base(path), nil)
	if err != nil {
		return nil, err
	}
	r := newRecording(j, path, guard)
	if err := r.member(about.Header()); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// ResumeRecording continues a record from a checkpoint.
func ResumeRecording(path string, guard atomicfile.Guard, at Counts) (*Recording, error) {
	j, err := resumeJournal(filepath.Dir(path), filepath.Base(path), nil, at.Position)
	if err != nil {
		return nil, err
	}
	r := newRecording(j, path, guard)
	r.withheld = at.Withheld
	return r, nil
}

func newRecording(j journal, path string, guard atomicfile.Guard) *Recording {
	packer, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return &Recording{journal: j, inspected: watch(guard, filepath.Base(path)), packer: packer}
}

// Add appends the line of a user, so many of whose answers have no body.
func (r *Recording) Add(line []byte, withheld int64) error {
	r.at.Findings, r.withheld = r.at.Findings+1, r.withheld+withheld
	if r.lines = append(r.lines, line...); len(r.lines) < maxMember {
		return nil
	}
	return r.flush()
}

// flush writes the lines that were added as a member.
func (r *Recording) flush() error {
	if len(r.lines) == 0 {
		return nil
	}
	err := r.member(r.lines, nil)
	r.lines = r.lines[:0]
	return err
}

// member writes lines as a member of gzip, unless there is an error.
func (r *Recording) member(lines []byte, err error) error {
	if err != nil {
		return err
	}
	if err := inspect(r.inspected, lines); err != nil {
		return err
	}
	var packed bytes.Buffer
	r.packer.Reset(&packed)
	_, err = r.packer.Write(lines)
	if err == nil {
		err = r.packer.Close()
	}
	if err == nil {
		err = r.write(packed.Bytes())
	}
	return err
}

// Counts writes what was added, and returns the position and the counts so far.
func (r *Recording) Counts() (Counts, error) {
	if err := r.flush(); err != nil {
		return Counts{}, err
	}
	at, err := r.Position()
	return Counts{at, r.withheld}, err
}

// Size returns how many bytes the file has so far.
func (r *Recording) Size() int64 { return r.at.Size }

// Finish writes the footer, and returns what was recorded: about, with counts and digest.
func (r *Recording) Finish(about recorded.About) (*exchange.Recorded, error) {
	if err := r.flush(); err != nil {
		return nil, err
	}
	about.Users, about.Withheld = r.at.Findings, r.withheld
	about.Digest = fmt.Sprintf("sha256:%x", r.digest.Sum(nil))
	err := r.member(about.Footer())
	if err == nil {
		err = r.end()
	}
	if err != nil {
		return nil, err
	}
	return &about.Recorded, nil
}
