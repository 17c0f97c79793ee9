package users

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings/input"
)

// StandardInput as a path means standard input.
const StandardInput = "-"

// Reader returns the users of a file one by one. For CSV and NDJSON its memory does not grow with their number. Only
// SizeHint is safe for concurrent use.
type Reader struct {
	name     string // of the file, in errors
	hidden   bool   // errors quote nothing of the file
	contract *schemas.Contract
	idFault  func(string) string
	file     io.Closer // nil for standard input
	regular  *os.File  // the file if it is a regular one; opened is what it was then
	opened   os.FileInfo
	// raw is the file before decompression. total is its size in bytes, or 0 if unknown, as for a pipe.
	raw   *counter
	total int64
	// text is the decompressed text, and rows reads its users once the first is requested.
	text   *bufio.Reader
	format format
	rows   rows
	index  int64
	// enrolled is true after the first user that is not marked enrolled: false.
	enrolled bool
	repeats
	// digest covers all users read so far.
	digest hash.Hash
	ended  error
	oddities
}

// Open opens a users file that is read as a stream. The extension selects the format: CSV (.csv) or NDJSON (.ndjson,
// .jsonl), which may be compressed by gzip (.gz follows). A line and a CSV record have at most 1 MiB.
//
// For the path StandardInput, which needs stdin, the first bytes select the format. Gzip has its magic number, NDJSON
// starts with a brace, and anything else is CSV with a header line.
//
// The error names the file, and what is wrong with its name or why it can't be read.
func Open(path string, stdin io.Reader, contract *schemas.Contract) (*Reader, error) {
	return open(path, stdin, contract, false)
}

// open opens a file as Open does, or, if lists is true, one with a list in YAML (.yaml, .yml) or JSON (.json), which is
// read as a whole, up to 64 MiB.
func open(path string, stdin io.Reader, contract *schemas.Contract, lists bool) (*Reader, error) {
	r := &Reader{name: path, contract: contract, idFault: IDFault(contract), digest: sha256.New(),
		repeats: repeats{most: maxFirst}}
	if path == StandardInput {
		r.name, r.format = "standard input", readCSV
		if r.begin(stdin); firstByte(r.text) == '{' {
			r.format = readNDJSON
		}
	} else if err := r.openFile(path, lists); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// HideValues makes the errors name only file and line, and quote nothing of the file.
func (r *Reader) HideValues() { r.hidden = true }

// WithoutNotes makes the reader remember no users, for a file that another reader checks. Then a repeated user is an
// error only directly after the first.
func (r *Reader) WithoutNotes() { r.most = 0 }

// Next returns the next user, and io.EOF after the last. A user has id (a GUID), userId (not empty), and optionally
// enrolled (default true) and name. Other members are errors, and so is a user whom repeats finds a second time.
//
// The error names the file ("standard input"), the line, the member and what was expected; later calls return it again.
// A truncated compressed stream is an error too. At the end of the file it is an error if there was no user, or none
// that is enrolled.
func (r *Reader) Next() (Row, error) {
	if r.ended != nil {
		return Row{}, r.ended
	}
	row, err := r.read()
	r.ended = err
	return row, err
}

func (r *Reader) read() (row Row, err error) {
	if r.rows == nil {
		if r.rows, err = r.format(r); err != nil {
			return Row{}, err
		}
	}
	row, err = r.rows()
	switch {
	case err == io.EOF && r.wasChanged():
		return Row{}, fmt.Errorf("%s: was changed while it was read, so that users may be missing: start again with a "+
			"copy that nobody writes", r.name)
	case err == io.EOF && r.index == 0:
		return Row{}, fmt.Errorf("%s: has no users: expected at least one, with id and userId", r.name)
	case err == io.EOF && !r.enrolled:
		return Row{}, fmt.Errorf("%s: every user is marked enrolled: false, so no requirement can pass: mark at least "+
			"one user as enrolled", r.name)
	case err != nil:
		return Row{}, err
	}
	if line, isRepeated := r.repeats.add(row); isRepeated {
		return Row{}, r.errorf(row.Line, "the user with id %s and userId %s is already on line %d: remove one",
			input.Quote(row.ID), input.Quote(row.UserID), line)
	}
	row.Index = r.index
	r.oddities.add(row)
	addToDigest(r.digest, row)
	r.index, r.enrolled = r.index+1, r.enrolled || row.Enrolled
	return row, nil
}

// wasChanged reports whether the file was written since it was opened.
func (r *Reader) wasChanged() bool {
	if r.regular == nil {
		return false
	}
	now, err := r.regular.Stat()
	return err == nil && (now.Size() != r.opened.Size() || !now.ModTime().Equal(r.opened.ModTime()))
}

// ReadAll reads a users file into memory by the rules of Open and Next. The file may also be a list in YAML or JSON.
// It remembers all users to find repeated ones. If values are hidden, errors quote nothing of the file. The notes are
// sentences about what is odd in it.
func ReadAll(path string, contract *schemas.Contract, hidden bool) (users []exchange.User, notes []string, err error) {
	if path == StandardInput {
		return nil, nil, errors.New("-: only a sweep reads standard input: use a file")
	}
	reader, err := open(path, nil, contract, true)
	if err != nil {
		return nil, nil, err
	}
	defer reader.Close()
	reader.hidden, reader.most = hidden, math.MaxInt
	for {
		row, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return users, reader.Notes(), nil
		}
		if err != nil {
			return nil, nil, err
		}
		users = append(users, row.User)
	}
}

// addToDigest adds a user to a digest. Each text follows its length, so that different files never give the same
// input.
func addToDigest(digest hash.Hash, row Row) {
	var entry []byte
	for _, text := range []string{row.ID, row.UserID, row.Name} {
		entry = binary.BigEndian.AppendUint64(entry, uint64(len(text)))
		entry = append(entry, text...)
	}
	enrolled := byte('-')
	switch {
	case row.EnrolledGiven && row.Enrolled:
		enrolled = 't'
	case row.EnrolledGiven:
		enrolled = 'f'
	}
	digest.Write(append(entry, enrolled))
}

// DigestOfRows returns the digest of a file with these users.
func DigestOfRows(rows []Row) string {
	digest := sha256.New()
	for _, row := range rows {
		addToDigest(digest, row)
	}
	return DigestOf([sha256.Size]byte(digest.Sum(nil)))
}

// Sum returns a digest over the users read so far, in their order. It covers id, userId, name and enrolled (given or
// not), but not the format or compression of the file. A resumed sweep uses it to check that the earlier users are the
// same.
func (r *Reader) Sum() (sum [sha256.Size]byte) {
	r.digest.Sum(sum[:0])
	return sum
}

// DigestOf returns a Sum as "sha256:" and hex digits.
func DigestOf(sum [sha256.Size]byte) string { return "sha256:" + hex.EncodeToString(sum[:]) }

// SizeHint returns how many bytes of the file were read and its size, both compressed. total is 0 if unknown, as for
// standard input. Reading is some buffers ahead of the users. It is for progress and may be called while another
// goroutine reads.
func (r *Reader) SizeHint() (done, total int64) { return r.raw.done.Load(), r.total }

// Close closes the file, but leaves standard input open.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
