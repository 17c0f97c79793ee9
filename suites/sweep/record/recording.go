package record

import (
	"bytes"
	"cmp"
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
	lines []byte // of the next member
}

// OpenRecording creates a record, or continues it from a position. A finished record and any other file is never
// replaced, and one that was not finished only with restart. A part that does not belong to those in its folder is an
// error.
func OpenRecording(path string, guard *sanitize.Guard, about recorded.About, restart bool, at *Position) (*Recording,
	error) {
	var err error
	if at == nil {
		err = checkFree(path, about, restart)
	}
	if err = cmp.Or(err, recorded.CheckBeside(path, about)); err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	head, err := about.Header()
	if err != nil {
		return nil, err
	}
	folder, name := filepath.Split(path)
	j, err := open(filepath.Clean(folder), name, guard, at, head, packer())
	return &Recording{journal: j}, err
}

// packer returns a function that compresses lines as a member of gzip. The text is valid until the next call.
func packer() func(lines []byte) []byte {
	var packed bytes.Buffer
	member, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed) // the level is valid
	return func(lines []byte) []byte {
		packed.Reset()
		member.Reset(&packed)
		_, _ = member.Write(lines) // into memory
		_ = member.Close()
		return packed.Bytes()
	}
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
	r.at.Findings, r.at.Withheld = r.at.Findings+1, r.at.Withheld+withheld
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
	err := r.write(r.lines)
	r.lines = r.lines[:0]
	return err
}

// Position writes what was added, and returns the position.
func (r *Recording) Position() (Position, error) {
	if err := r.flush(); err != nil {
		return Position{}, err
	}
	return r.journal.Position()
}

// Size returns how many bytes the file has so far.
func (r *Recording) Size() int64 { return r.at.Size }

// Finish writes the footer, and returns what was recorded: about, with counts and digest. If another part was recorded
// meanwhile that does not belong to this one, that is an error; the record is whole all the same.
func (r *Recording) Finish(about recorded.About) (*exchange.Recorded, error) {
	err := r.flush()
	about.Users, about.Withheld = r.at.Findings, r.at.Withheld
	about.Digest = r.sum()
	footer, encoded := about.Footer()
	if err = cmp.Or(err, encoded); err == nil {
		err = r.write(footer)
	}
	if err == nil {
		err = r.end()
	}
	if err == nil {
		if err = recorded.CheckBeside(r.path, about); err != nil {
			err = fmt.Errorf("--record: %w", err)
		}
	}
	return &about.Recorded, err
}
