package record

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/sanitize/atomicfile"
)

// journal is a file that only grows during a sweep and can be continued from a position.
type journal struct {
	path    string
	file    *os.File // nil: no file is written
	out     *bufio.Writer
	watcher *sanitize.LeakWriter
	digest  hash.Hash // of all that was written so far
	at      Position
}

// Position is a position in a file from which writing can continue.
type Position struct {
	Size     int64  `json:"size"`     // in bytes
	Findings int64  `json:"findings"` // lines of findings, or entries of an archive
	Digest   []byte `json:"digest"`   // state of the hash up to this position
}

// open creates a file in a folder, replacing an older one, and begins it with a text. With a position it continues the
// file there: what an earlier process wrote after that is cut off. Text that contains a secret of the guard is refused.
// With the folder "" no file is written.
func open(folder, name string, guard *sanitize.Guard, at *Position, head []byte) (j journal, err error) {
	j = journal{path: filepath.Join(folder, name), out: bufio.NewWriterSize(io.Discard, 1<<16),
		watcher: guard.Watch(name), digest: sha256.New()}
	if folder == "" {
		return j, j.write(head)
	}
	atomicfile.Clean(filepath.Join(folder, CheckpointFile))
	switch {
	case at == nil:
		if j.file, err = create(j.path); err != nil {
			return j, unwritten(name, err)
		}
		j.out.Reset(j.file)
		err = j.write(head)
	default:
		if j.file, err = reopen(j.path); err != nil {
			return j, fmt.Errorf("--resume: %s of the sweep can't be continued: %w; start again with --restart",
				name, err)
		}
		j.out.Reset(j.file)
		j.at = *at
		if err = j.truncate(); err != nil {
			err = fmt.Errorf("--resume: %w; start again with --restart", err)
		}
	}
	if err != nil {
		j.Close()
	}
	return j, err
}

func unwritten(name string, err error) error { return fmt.Errorf("%s can't be written: %w", name, err) }

// create removes whatever has the path and creates a new file. Writing through a link would overwrite another file.
func create(path string) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && !info.IsDir() {
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// reopen opens an existing file. It returns an error if the path is a link.
func reopen(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil {
		var named fs.FileInfo
		if named, err = os.Lstat(path); err == nil && !os.SameFile(info, named) {
			err = fmt.Errorf("%s is a link", path)
		}
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// truncate checks that the file has the digest of the position, and truncates it there.
func (j *journal) truncate() error {
	if j.at.Size < 1 {
		return fmt.Errorf("the checkpoint knows of no line of %s", j.path)
	}
	was := j.digest
	if n, err := io.Copy(was, io.LimitReader(j.file, j.at.Size)); err != nil {
		return err
	} else if n < j.at.Size {
		return fmt.Errorf("%s has %d bytes, and had %d when the checkpoint was written: it was changed meanwhile",
			j.path, n, j.at.Size)
	}
	state, err := was.(encoding.BinaryMarshaler).MarshalBinary() // crypto/sha256 implements it
	if err != nil {
		return err
	}
	if !bytes.Equal(state, j.at.Digest) {
		return fmt.Errorf("%s is not what it was when the checkpoint was written: it was changed meanwhile", j.path)
	}
	if err := j.file.Truncate(j.at.Size); err != nil {
		return err
	}
	_, err = j.file.Seek(j.at.Size, io.SeekStart)
	return err
}

// write appends a text. It returns the error of the guard if it finds something.
func (j *journal) write(text []byte) error {
	if err := inspect(j.watcher, text); err != nil {
		return err
	}
	_, _ = j.digest.Write(text) // a hash never fails
	j.at.Size += int64(len(text))
	if _, err := j.out.Write(text); err != nil {
		return unwritten(filepath.Base(j.path), err)
	}
	return nil
}

// Position flushes all that was written to the operating system and returns the position.
func (j *journal) Position() (Position, error) {
	if err := j.out.Flush(); err != nil {
		return Position{}, unwritten(filepath.Base(j.path), err)
	}
	state, err := j.digest.(encoding.BinaryMarshaler).MarshalBinary() // crypto/sha256 implements it
	at := j.at
	at.Digest = state
	return at, err
}

// Sync syncs what was flushed to disk. It may be called while more is written.
func (j *journal) Sync() error {
	if j.file == nil {
		return nil
	}
	if err := j.file.Sync(); err != nil {
		return unwritten(filepath.Base(j.path), err)
	}
	return nil
}

// end syncs the file and reads it again. If somebody removed or changed it during the sweep, the summary must not refer
// to it.
func (j *journal) end() error {
	if _, err := j.Position(); err != nil {
		return err
	}
	if err := j.Sync(); err != nil || j.file == nil {
		return err
	}
	changed := fmt.Errorf("%s was removed or changed while the sweep went on: sweep again, and leave the report "+
		"folder alone", j.path)
	file, err := os.Open(j.path)
	if err != nil {
		return changed
	}
	defer file.Close()
	was, err := j.file.Stat()
	if err != nil {
		return err
	}
	if now, err := file.Stat(); err != nil || !os.SameFile(was, now) {
		return changed
	}
	digest := sha256.New()
	if n, err := io.Copy(digest, file); err != nil {
		return fmt.Errorf("%s can't be read again: %w", j.path, err)
	} else if n != j.at.Size || !bytes.Equal(digest.Sum(nil), j.digest.Sum(nil)) {
		return changed
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
