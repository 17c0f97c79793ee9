package population

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/input"
)

// StandardInput in place of a path stands for the standard input.
const StandardInput = "-"

// Reader gives the users of a file one by one. For CSV and NDJSON its memory does not grow with their number. Its
// methods are not safe for concurrent use, but for SizeHint.
type Reader struct {
	*validator
	source *source
	rows   rows
	index  int64
	// enrolled is true once a user came who is not marked enrolled: false.
	enrolled bool
	// key and line are those of the user before.
	key  string
	line int
	// digest has taken all users so far, through the buffer entry.
	digest hash.Hash
	entry  []byte
	ended  error
}

// Open begins to read a users file. The extension of the path tells its form: .csv, .ndjson and .jsonl are read as a
// stream, .yaml, .yml and .json, which hold a list, as a whole and up to 64 MiB; each may have .gz (gzip) or .zst
// (zstd, with a window of up to 128 MiB) after it. A line, and a record of CSV, has at most 1 MiB. The path
// StandardInput stands for stdin, whose form its first bytes tell: gzip and zstd by their marks, then NDJSON by an
// opening brace; anything else is CSV with a header line. A nil stdin is not allowed in its place.
//
// The error names the file and says what is wrong with its name, or why it can't be read.
func Open(path string, stdin io.Reader, contract *schemas.Contract) (*Reader, error) {
	source, err := open(path, stdin)
	if err != nil {
		return nil, err
	}
	v := &validator{name: source.name, idFault: IDFault(contract)}
	return &Reader{validator: v, source: source, digest: sha256.New()}, nil
}

// Next gives the next user, and io.EOF after the last. A user has id (a GUID) and userId (not empty), and optionally
// enrolled (true where absent) and name, and nothing else. A user who stands twice is an error only if the two are
// neighbours: to know all of a hundred million users takes too much memory.
//
// The error names the file ("standard input"), the line, the member, and what was expected; it is the last: every later
// call gives the same. A compressed stream that was cut, and a file without users, or of users that are all marked
// enrolled: false, are errors too, the latter two at the end of the file.
func (r *Reader) Next() (Row, error) {
	if r.ended != nil {
		return Row{}, r.ended
	}
	row, err := r.read()
	if err != nil {
		r.ended = err
		return Row{}, err
	}
	r.keep(row)
	return row, nil
}

func (r *Reader) read() (row Row, err error) {
	if r.rows == nil {
		if r.rows, err = r.source.form(r.validator, r.source.text); err != nil {
			return Row{}, err
		}
	}
	row, line, err := r.rows()
	switch key := row.Key(); {
	case err == io.EOF:
		return Row{}, r.complete()
	case err != nil:
		return Row{}, err
	case r.index > 0 && key == r.key:
		return Row{}, r.doubled(row, line, r.line)
	default:
		r.key, r.line, row.Index = key, line, r.index
	}
	r.index++
	r.enrolled = r.enrolled || row.Enrolled
	return row, nil
}

// complete judges the file as a whole.
func (r *Reader) complete() error {
	switch {
	case r.index == 0:
		return fmt.Errorf("%s: holds no user: give at least one, with id and userId", r.name)
	case !r.enrolled:
		return fmt.Errorf("%s: every user is marked enrolled: false, so nothing could be witnessed: mark at least one "+
			"user as enrolled", r.name)
	}
	return io.EOF
}

func (r *Reader) doubled(row Row, line, first int) error {
	return r.errorf(line, "the user with id %s and userId %s stands twice (first on line %d): leave one",
		input.Quote(row.ID), input.Quote(row.UserID), first)
}

// ReadAll reads a users file by the rules of Open and Next, into memory: there a user who stands twice is an error
// wherever the two are.
func ReadAll(path string, contract *schemas.Contract) ([]User, error) {
	if path == StandardInput {
		return nil, errors.New("-: only a sweep reads the standard input: name a file")
	}
	reader, err := Open(path, nil, contract)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	var users []User
	first := map[string]int{}
	for {
		row, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return users, nil
		}
		if err != nil {
			return nil, err
		}
		if line, twice := first[reader.key]; twice {
			return nil, reader.doubled(row, reader.line, line)
		}
		first[reader.key] = reader.line
		users = append(users, row.User)
	}
}

// keep adds a user to the digest. Each text comes after its length, so that no two files can look alike.
func (r *Reader) keep(row Row) {
	entry := r.entry[:0]
	for _, text := range []string{row.ID, row.UserID, row.Name} {
		entry = binary.BigEndian.AppendUint64(entry, uint64(len(text)))
		entry = append(entry, text...)
	}
	mark := byte('-')
	switch {
	case row.EnrolledGiven && row.Enrolled:
		mark = 't'
	case row.EnrolledGiven:
		mark = 'f'
	}
	r.entry = append(entry, mark)
	r.digest.Write(r.entry)
}

// Digest is "sha256:" and a hex digest over the users that were read so far: id, userId, name and enrolled (given or
// not) of each, in their order. It does not depend on the form or compression of the file. A sweep that continues
// knows by it that the users before are the same.
func (r *Reader) Digest() string { return "sha256:" + hex.EncodeToString(r.digest.Sum(nil)) }

// SizeHint tells how many bytes of the file, compressed as it is, were read, and how many it has in all; total is 0 if
// that is not known, as of standard input. Reading runs ahead of the users by some buffers. It is meant to show
// progress and may be called while another goroutine reads.
func (r *Reader) SizeHint() (done, total int64) { return r.source.raw.done.Load(), r.source.total }

// Close closes the file and frees what a decompressor holds. It leaves standard input open. No user comes after it.
func (r *Reader) Close() error {
	if r.ended == nil || r.ended == io.EOF {
		r.ended = fmt.Errorf("%s: the reader is closed", r.name)
	}
	return r.source.close()
}
