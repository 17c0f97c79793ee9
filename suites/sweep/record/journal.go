package record

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"authenticator-conformance/suites/internal/sanitize"
)

// journal is a file that only grows during a sweep and can be continued from a position.
type journal struct {
	path    string
	file    *os.File // nil: no file is written
	out     *bufio.Writer
	watcher *sanitize.LeakWriter
	pack    func([]byte) []byte // if set, what compresses a text before it is written
	digest  hash.Hash           // of all that was written so far
	at      Position
}

// Position is a position in a file from which writing can continue.
type Position struct {
	Size     int64  `json:"size"`              // in bytes
	Findings int64  `json:"findings"`          // lines of findings, entries of an archive, or users of a record
	Withheld int64  `json:"withheld,omitzero"` // answers of a record that have no body
	Digest   []byte `json:"digest"`            // of the file up to this position
}

// open creates a file in a folder, replacing an older one, and begins it with a text. With a position it continues the
// file there: what an earlier process wrote after that is cut off. Text that contains a secret of the guard is refused.
// pack, unless it is nil, compresses each text. With the folder "" no file is written.
func open(folder, name string, guard *sanitize.Guard, at *Position, head []byte, pack func([]byte) []byte) (j journal,
	err error) {
	j = journal{path: filepath.Join(folder, name), out: bufio.NewWriterSize(io.Discard, 1<<16),
		watcher: guard.Watch(name), pack: pack, digest: sha256.New()}
	if folder == "" {
		return j, j.write(head)
	}
	if at == nil {
		err = j.create(head)
	} else if err = j.resume(*at); err != nil {
		step := "start again with --restart"
		if errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission) { // it is as it was
			step = resumable
		}
		err = fmt.Errorf("--resume: %w; %s", err, step)
	}
	if err != nil {
		j.Close()
	}
	return j, err
}

// resumable is what follows an error of the disk.
const resumable = "nothing that was counted is lost: make the folder writable, with room, then continue with " +
	"--resume=if-begun"

func (j *journal) unwritten(err error) error {
	return fmt.Errorf("%s can't be written: %w; %s", filepath.Base(j.path), err, resumable)
}

// create removes whatever has the path and creates a new file. Writing through a link would overwrite another file.
func (j *journal) create(head []byte) error {
	if info, err := os.Lstat(j.path); err == nil && !info.IsDir() {
		if err := os.Remove(j.path); err != nil {
			return j.unwritten(err)
		}
	}
	file, err := os.OpenFile(j.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return j.unwritten(err)
	}
	j.file = file
	j.out.Reset(file)
	return j.write(head)
}

// resume opens an existing file, checks that it has the digest of the position, and truncates it there.
func (j *journal) resume(at Position) error {
	info, err := os.Lstat(j.path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		err = fmt.Errorf("%s is a link", j.path)
	}
	if err == nil {
		j.file, err = os.OpenFile(j.path, os.O_RDWR, 0)
	}
	if err != nil {
		return fmt.Errorf("%s of the sweep can't be continued: %w", filepath.Base(j.path), err)
	}
	if at.Size < 1 {
		return fmt.Errorf("the checkpoint knows of no line of %s", j.path)
	}
	switch n, err := io.Copy(j.digest, io.LimitReader(j.file, at.Size)); {
	case err != nil:
		return err
	case n < at.Size:
		return fmt.Errorf("%s has %d bytes, and had %d when the checkpoint was written: it was changed meanwhile",
			j.path, n, at.Size)
	case !bytes.Equal(j.digest.Sum(nil), at.Digest):
		return fmt.Errorf("%s is not what it was when the checkpoint was written: it was changed meanwhile", j.path)
	}
	j.at = at
	j.out.Reset(j.file)
	if err := j.file.Truncate(at.Size); err != nil {
		return err
	}
	_, err = j.file.Seek(at.Size, io.SeekStart)
	return err
}

// write appends a text. It returns the error of the guard if it finds something.
func (j *journal) write(text []byte) error {
	if err := inspect(j.watcher, text); err != nil {
		return err
	}
	if j.pack != nil {
		text = j.pack(text)
	}
	_, _ = j.digest.Write(text) // a hash never fails
	j.at.Size += int64(len(text))
	if _, err := j.out.Write(text); err != nil {
		return j.unwritten(err)
	}
	return nil
}

// Position brings all that was written to the disk and returns the position.
func (j *journal) Position() (Position, error) {
	err := j.out.Flush()
	if err == nil && j.file != nil {
		err = j.file.Sync()
	}
	if err != nil {
		return Position{}, j.unwritten(err)
	}
	j.at.Digest = j.digest.Sum(nil)
	return j.at, nil
}

// sum returns the digest of all that was written: "sha256:" and 64 hex digits.
func (j *journal) sum() string { return fmt.Sprintf("sha256:%x", j.digest.Sum(nil)) }

// end brings the file to the disk and reads it again. If somebody removed or changed it during the sweep, the summary
// must not refer to it.
func (j *journal) end() error {
	if _, err := j.Position(); err != nil || j.file == nil {
		return err
	}
	was, err := j.file.Stat()
	if err != nil {
		return err
	}
	digest := sha256.New()
	if now, err := os.Stat(j.path); err == nil && os.SameFile(was, now) {
		if _, err := io.Copy(digest, io.NewSectionReader(j.file, 0, was.Size())); err != nil {
			return fmt.Errorf("%s can't be read again: %w", j.path, err)
		}
	}
	if !bytes.Equal(digest.Sum(nil), j.digest.Sum(nil)) {
		return fmt.Errorf("%s was removed or changed while the sweep went on: sweep again, and leave the report "+
			"folder alone", j.path)
	}
	return nil
}

// Close closes the file.
func (j *journal) Close() {
	if j.file != nil {
		_ = j.file.Close() // all that matters was synced before
	}
}

// inspect shows a text to the watcher of its file, and returns the watcher's error.
func inspect(w *sanitize.LeakWriter, text []byte) error {
	_, _ = w.Write(text) // it never fails
	return w.Err()
}
