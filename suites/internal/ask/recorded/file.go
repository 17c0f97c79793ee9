package recorded

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"authenticator-conformance/schemas"
)

// Bounds in bytes on the lines of one member, as a user's answers are in one, and on the member of the footer.
const (
	maxMember = 64 << 20
	maxFooter = 4 << 10
)

// file is one file of a record: that of all users, or of a shard.
type file struct {
	*os.File
	about    About
	finished bool  // it has a footer
	next     int64 // where the member begins that is read next
	end      int64 // of the lines of users
}

// openFile opens a file, and reads its header and its footer. The error wraps fs.ErrNotExist if there is none.
func openFile(path string) (*file, error) {
	opened, err := os.Open(path)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	f := &file{File: opened}
	if err = f.readAbout(); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func (f *file) readAbout() error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	f.end = info.Size()
	lines, err := new(reader).next(f)
	if err != nil || len(lines) > 1 || f.about.read(lines[0]) != nil || f.about.Line != headerLine ||
		f.about.Format != Format {
		return errors.New("is no record that this version of the suite wrote: name the file that conformance sweep " +
			"--record wrote")
	}
	tail := make([]byte, min(f.end, maxFooter))
	if _, err = f.ReadAt(tail, f.end-int64(len(tail))); err != nil {
		return err
	}
	begin := []byte{0x1f, 0x8b, 0x08} // of a member, and perhaps of what else is compressed
	for at := bytes.LastIndex(tail, begin); at >= 0 && !f.finished; at = bytes.LastIndex(tail[:at], begin) {
		reader, err := gzip.NewReader(bytes.NewReader(tail[at:]))
		if err != nil {
			continue
		}
		text, err := io.ReadAll(io.LimitReader(reader, maxFooter))
		if f.finished = err == nil && f.about.read(text) == nil && f.about.Line == footerLine; f.finished {
			f.end -= int64(len(tail) - at)
		}
	}
	return nil
}

// read adds what a line says.
func (a *About) read(line []byte) error {
	return json.Unmarshal(line, a, jsontext.AllowInvalidUTF8(true))
}

// reader reads members, and uses its memory again.
type reader struct {
	compressed bufio.Reader // gzip reads no more than its member from an io.ByteReader
	member     gzip.Reader
	text       bytes.Buffer
}

// next returns the lines of the next member of gzip. They are valid until the next call.
func (r *reader) next(f *file) ([][]byte, error) {
	section := io.NewSectionReader(f, f.next, f.end-f.next)
	r.compressed.Reset(section)
	r.text.Reset()
	err := r.member.Reset(&r.compressed)
	if err == nil {
		r.member.Multistream(false)
		_, err = r.text.ReadFrom(io.LimitReader(&r.member, maxMember+1))
	}
	if err != nil {
		return nil, fmt.Errorf("the record was changed while it was read: %w", err)
	}
	if r.text.Len() > maxMember || !bytes.HasSuffix(r.text.Bytes(), []byte("\n")) {
		return nil, errors.New("the record has a part that is not of whole lines, or too large")
	}
	read, err := section.Seek(0, io.SeekCurrent)
	f.next += read - int64(r.compressed.Buffered())
	lines := bytes.SplitAfter(r.text.Bytes(), []byte("\n"))
	return lines[:len(lines)-1], err // nothing follows the last line break
}

// check returns an error unless the file is what a sweep of the version wrote to its end, by the same contract.
func (f *file) check(v schemas.Version, contract *schemas.Contract) error {
	if !f.finished {
		return errors.New("the record has no footer, so it is cut or its sweep has not ended: continue that with " +
			"--resume, or name the whole file")
	}
	digest := sha256.New()
	if _, err := io.Copy(digest, io.NewSectionReader(f, 0, f.end)); err != nil {
		return err
	}
	a := f.about
	switch found := fmt.Sprintf("sha256:%x", digest.Sum(nil)); {
	case found != a.Digest:
		return fmt.Errorf("the record was changed: its digest is %s, and its footer says %s; name the unchanged file",
			found, a.Digest)
	case a.Version != v:
		return fmt.Errorf("is a record of %s, not of %s: give it as %s=FILE", a.Version, v, a.Version)
	case !contract.Is(a.Contract):
		return fmt.Errorf("was recorded by another contract (%s) than that of this suite: compare with the release of "+
			"the suite that recorded it (%s)", a.Contract, a.Suite)
	}
	return nil
}

// State is what a file at the path of a record is.
type State int

// The states. A record without a user counts as none.
const (
	None State = iota
	Unfinished
	Finished
)

// Peek returns the state of a file. The error means that it is there, and no record.
func Peek(path string) (State, error) {
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return None, nil
	}
	f, err := openFile(path)
	if err != nil {
		return None, errors.New("is no record, and is not replaced")
	}
	defer f.Close()
	switch {
	case f.finished:
		return Finished, nil
	case f.next == f.end:
		return None, nil
	}
	return Unfinished, nil
}
