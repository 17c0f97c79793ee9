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
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/judge/wording"
)

// Bounds in bytes on the lines of one member, as a user's answers are in one, and on the member of the footer.
const (
	maxMember = 64 << 20
	maxFooter = 4 << 10
)

// file is one file of a record: that of all users, or of a shard.
type file struct {
	*os.File
	about      About
	finished   bool  // it has a footer
	begin, end int64 // of the lines of users
	members    memberReader
}

// openFile opens a file, and reads its header and its footer. The error wraps fs.ErrNotExist if there is none, and is a
// *strictjson.OtherFormat if another release wrote it. It has neither the name of the file nor advice.
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
	lines, size, err := f.member(0)
	switch {
	case err != nil && !errors.Is(err, gzip.ErrHeader):
		return errors.New("is no record, or was changed or cut")
	case err != nil || f.about.read(lines[0]) != nil || f.about.Line != headerLine:
		return errors.New("is no record")
	case f.about.Format != Format:
		return strictjson.OtherFormatOf(f.about.Format, f.about.Suite)
	case len(lines) > 1:
		return errors.New("was unpacked and packed again, so that it may have been changed")
	}
	f.begin = size
	tail := make([]byte, min(f.end, maxFooter))
	before := f.end - int64(len(tail))
	if _, err = f.ReadAt(tail, before); err != nil {
		return err
	}
	begin := []byte{0x1f, 0x8b, 0x08} // of a member, and perhaps of what else is compressed
	for at := bytes.LastIndex(tail, begin); at >= 0 && !f.finished; at = bytes.LastIndex(tail[:at], begin) {
		footer := before + int64(at)
		lines, size, err = f.member(footer)
		if err != nil || f.about.read(lines[0]) != nil || f.about.Line != footerLine {
			continue
		}
		if more := f.end - footer - size; more > 0 {
			return fmt.Errorf("was changed: %s after its end", wording.Plural(more, "byte follows", "bytes follow"))
		}
		f.finished, f.end = true, footer
	}
	return nil
}

// read adds what a line says.
func (a *About) read(line []byte) error {
	return json.Unmarshal(line, a, jsontext.AllowInvalidUTF8(true))
}

// memberReader reads members of gzip, with the memory of the one before.
type memberReader struct {
	compressed bufio.Reader // gzip reads no more than its member from an io.ByteReader
	gzip       gzip.Reader
	text       bytes.Buffer
}

// member returns the lines of the member of gzip at an offset, and its size. The lines are valid until the next call.
func (f *file) member(at int64) (lines [][]byte, size int64, err error) {
	m, section := &f.members, io.NewSectionReader(f, at, f.end-at)
	m.compressed.Reset(section)
	m.text.Reset()
	if err = m.gzip.Reset(&m.compressed); err == nil {
		m.gzip.Multistream(false)
		_, err = m.text.ReadFrom(io.LimitReader(&m.gzip, maxMember+1))
	}
	if err != nil {
		return nil, 0, fmt.Errorf("the record was changed while it was read: %w", err)
	}
	if m.text.Len() > maxMember || !bytes.HasSuffix(m.text.Bytes(), []byte("\n")) {
		return nil, 0, errors.New("the record has a part that is not of whole lines, or too large")
	}
	read, err := section.Seek(0, io.SeekCurrent)
	lines = bytes.SplitAfter(m.text.Bytes(), []byte("\n"))
	return lines[:len(lines)-1], read - int64(m.compressed.Buffered()), err // nothing follows the last line break
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

// CheckFree returns an error unless a record may be written to a path: there is none, or none of any user. One that was
// not finished is given up with restart. A finished one and any other file are never replaced.
func CheckFree(path string, restart bool) error {
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	f, err := openFile(path)
	if err != nil {
		return fmt.Errorf("%s: %w; it is not replaced: name another file", path, err)
	}
	defer f.Close()
	switch {
	case f.finished:
		return fmt.Errorf("%s is a finished record, which is never replaced: name another file, or move it away", path)
	case f.begin < f.end && !restart:
		return fmt.Errorf("%s is a record that was not finished: continue its sweep with --resume, or give it up with "+
			"--restart", path)
	}
	return nil
}
