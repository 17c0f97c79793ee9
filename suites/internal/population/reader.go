// Package population reads the users of a sweep: as a stream, for there may be a hundred million of them, by the very
// same rules as the users file of a run. It splits them among shards and draws samples of them.
package population

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"
)

// User is one user of a population.
type User struct {
	settings.User
	// EnrolledGiven tells whether enrolled stood in the file. Where it did not, Enrolled is true and says nothing: a
	// population holds users without authenticators.
	EnrolledGiven bool
	// Index counts the users of the file from 0.
	Index int64
}

// Reader yields the users of a population one by one, in memory that does not grow with their number. Its methods are
// not safe for concurrent use, but for SizeHint.
type Reader struct {
	source *source
	rows   *settings.UserRows
	index  int64
	// key and line are those of the user before.
	key  string
	line int
	// digest has taken all users so far, through the buffer entry.
	digest hash.Hash
	entry  []byte
	ended  error
}

// Open begins to read a population. The extension of the path tells its form: .csv, .ndjson and .jsonl are read as a
// stream, .yaml, .yml and .json, which hold a list, as a whole and up to 16 MiB; each may have .gz (gzip) or .zst
// (zstd, with a window of up to 128 MiB) after it. A path of settings.StandardInput stands for stdin, whose form its
// first bytes tell: gzip and zstd their marks, then an opening brace NDJSON, and anything else CSV with a header line.
// stdin is used in no other case.
//
// The error names the file and says what is wrong with its name, or why it can't be read.
func Open(path string, stdin io.Reader, contract *schemas.Contract) (*Reader, error) {
	source, err := open(path, stdin)
	if err != nil {
		return nil, err
	}
	return &Reader{
		source: source,
		rows:   settings.NewUserRows(source.name, source.form, source.text, contract),
		digest: sha256.New(),
	}, nil
}

// Next yields the next user, and io.EOF after the last. The rules are those of settings.ReadUsers, with one difference:
// that a user stands twice is an error only where the two are neighbours. To know all of a hundred million users takes
// more memory than there is: any other doubled user is looked at twice.
//
// The error names the file ("standard input"), the line, the member, and what was expected; it is the last: every later
// call gives the same. A compressed stream that was cut, and a population without users, or of users that are all
// marked enrolled: false, are errors too, the latter two at the end of the file.
func (r *Reader) Next() (User, error) {
	if r.ended != nil {
		return User{}, r.ended
	}
	row, err := r.rows.Next()
	key := row.Key()
	if err == nil && r.index > 0 && key == r.key {
		err = r.rows.Doubled(row, r.line)
	}
	if err != nil {
		r.ended = err
		return User{}, err
	}
	user := User{User: row.User, EnrolledGiven: row.EnrolledGiven, Index: r.index}
	r.key, r.line, r.index = key, row.Line, r.index+1
	r.take(user)
	return user, nil
}

// take adds a user to the digest. Each text comes after its length, so that no two populations can look alike.
func (r *Reader) take(user User) {
	entry := r.entry[:0]
	for _, text := range []string{user.ID, user.UserID, user.Name} {
		entry = binary.BigEndian.AppendUint64(entry, uint64(len(text)))
		entry = append(entry, text...)
	}
	r.entry = append(entry, enrolledMark(user))
	r.digest.Write(r.entry)
}

func enrolledMark(user User) byte {
	switch {
	case !user.EnrolledGiven:
		return '-'
	case user.Enrolled:
		return 't'
	}
	return 'f'
}

// Digest is "sha256:" and a hex digest over the users that were read so far: id, userId, name and enrolled (given or
// not) of each, in their order. It does not depend on the form or compression of the file. By it, whoever goes on where
// an earlier reader stopped knows that the users before that place are the same.
func (r *Reader) Digest() string { return "sha256:" + hex.EncodeToString(r.digest.Sum(nil)) }

// SizeHint tells how many bytes of the file, compressed as it is, were read, and how many it has in all; total is 0
// where that is not known, as of standard input. Reading runs ahead of the users by some buffers. It is meant to show
// progress and may be called while another goroutine reads.
func (r *Reader) SizeHint() (done, total int64) { return r.source.raw.done.Load(), r.source.total }

// Close closes the file and frees what a decompressor holds. It leaves standard input open. No user comes after it.
func (r *Reader) Close() error {
	if r.ended == nil || r.ended == io.EOF {
		r.ended = fmt.Errorf("%s: the reader is closed", r.source.name)
	}
	return r.source.close()
}
