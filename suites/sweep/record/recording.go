package record

import (
	"compress/gzip"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"errors"

	"authenticator-conformance/suites/internal/ask/recorded"
	"authenticator-conformance/suites/internal/sanitize/atomicfile"
)

// maxMember is how many bytes of lines a member of gzip has, unless one line is longer.
const maxMember = 64 << 10

// Recording writes a record during a sweep: what one version answered, a line for each user (see package recorded).
type Recording struct {
	journal
	lines    atomicfile.Watcher // looks for secrets in the lines, which are compressed in the file
	packer   *gzip.Writer
	open     bool // the member has a line
	size     int  // of its lines, in bytes
	users    int64
	withheld int64
}

// Counts are what a recording has so far. A checkpoint keeps them.
type Counts struct {
	Position
	Users    int64 `json:"users"`
	Withheld int64 `json:"withheld"`
}

// BeginRecording creates a record. A finished record and any other file is never replaced, and one that was not
// finished only with restart.
func BeginRecording(path string, guard atomicfile.Guard, header *recorded.Header, restart bool) (*Recording, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("--record: %s is a folder: name a file, such as %s", path,
			filepath.Join(path, string(header.Version)+".ndjson.gz"))
	}
	switch state, err := recorded.Peek(path); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
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
	r := &Recording{journal: j, lines: watch(guard, filepath.Base(path))}
	text, err := recorded.Encode(header)
	if err == nil {
		err = r.line(text)
	}
	if err != nil {
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
	return &Recording{journal: j, lines: watch(guard, filepath.Base(path)), users: at.Users, withheld: at.Withheld}, nil
}

// Add appends the line of a user.
func (r *Recording) Add(text []byte, withheld int64) error {
	r.users, r.withheld = r.users+1, r.withheld+withheld
	return r.line(text)
}

func (r *Recording) line(text []byte) error {
	if err := inspect(r.lines, text); err != nil {
		return err
	}
	if !r.open {
		if r.packer == nil {
			r.packer, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
		}
		r.packer.Reset(packed{r})
		r.open = true
	}
	_, err := r.packer.Write(text)
	if r.size += len(text); err == nil && r.size >= maxMember {
		err = r.closeMember()
	}
	return err
}

// packed takes the bytes of the file.
type packed struct{ *Recording }

func (p packed) Write(b []byte) (int, error) { return len(b), p.write(b) }

func (r *Recording) closeMember() error {
	if !r.open {
		return nil
	}
	r.open, r.size = false, 0
	return r.packer.Close()
}

// Counts ends the member, and returns the position and the counts so far.
func (r *Recording) Counts() (Counts, error) {
	if err := r.closeMember(); err != nil {
		return Counts{}, err
	}
	at, err := r.Position()
	return Counts{at, r.users, r.withheld}, err
}

// Size returns how many bytes the file has so far.
func (r *Recording) Size() int64 { return r.at.Size }

// Finish writes the footer.
func (r *Recording) Finish(footer *recorded.Footer) error {
	if err := r.closeMember(); err != nil {
		return err
	}
	footer.Users, footer.Withheld, footer.Digest = r.users, r.withheld, fmt.Sprintf("sha256:%x", r.digest.Sum(nil))
	text, err := recorded.Encode(footer)
	if err == nil {
		err = r.line(text)
	}
	if err == nil {
		err = r.closeMember()
	}
	if err == nil {
		err = r.end()
	}
	return err
}
