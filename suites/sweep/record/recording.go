package record

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"

	"authenticator-conformance/suites/internal/ask/recorded"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/sanitize"
)

// maxMember is how many bytes of lines a member of gzip has, unless one line is longer.
const maxMember = 64 << 10

// Recording writes a record during a sweep: what one version answered, a line for each user (see package recorded). Its
// findings are the users.
type Recording struct {
	journal
	inspected *sanitize.LeakWriter // of the lines, which are compressed in the file
	lines     []byte               // of the next member
	packer    *gzip.Writer
	withheld  int64
}

// Counts are what a recording has so far. A checkpoint keeps them.
type Counts struct {
	Position
	Withheld int64 `json:"withheld"`
}

// OpenRecording creates a record, or continues it from a checkpoint. A finished record and any other file is never
// replaced, and one that was not finished only with restart.
func OpenRecording(path string, guard *sanitize.Guard, about recorded.About, restart bool, at *Counts) (
	r *Recording, err error) {
	folder, name := filepath.Split(path)
	folder = filepath.Clean(folder)
	packer, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	r = &Recording{inspected: guard.Watch(name), packer: packer}
	if at != nil {
		r.withheld = at.Withheld
		r.journal, err = open(folder, name, nil, &at.Position, nil)
		return r, err
	}
	if err = checkFree(path, about, restart); err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	if r.journal, err = open(folder, name, nil, nil, nil); err == nil {
		if err = r.member(about.Header()); err != nil {
			r.Close()
		}
	}
	return r, err
}

// checkFree returns an error unless a record can be created at a path, and creates the folder.
func checkFree(path string, about recorded.About, restart bool) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: name a file, such as %s", path,
			filepath.Join(path, string(about.Version)+".ndjson.gz"))
	}
	if err := recorded.CheckFree(path, restart); err != nil {
		return err
	}
	return os.MkdirAll(filepath.Dir(path), 0o700)
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
