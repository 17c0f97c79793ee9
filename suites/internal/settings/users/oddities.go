package users

import (
	"crypto/sha256"
	"regexp"
	"strings"
	"sync/atomic"

	"authenticator-conformance/suites/internal/judge/wording"
)

// repeats finds users that a file has twice. It remembers the first users and the last one, because a hundred million
// take too much memory. So a user is found who is one of the first, or who follows directly.
type repeats struct {
	first map[userDigest]int // the lines of the first users
	most  int                // of them
	// The key of the previous user, and its line.
	last     string
	lastLine int
}

// userDigest is the beginning of the SHA-256 of a user's key. No two users of a file have the same.
type userDigest [16]byte

// maxFirst is how many users are remembered unless all are. They take some 10 MiB.
const maxFirst = 1 << 18

// add adds the next user. If it is known to be a repeated one, it returns the line of the one before.
func (f *repeats) add(row Row) (line int, isRepeated bool) {
	key := row.Key()
	if key == f.last {
		return f.lastLine, true
	}
	f.last, f.lastLine = key, row.Line
	if f.most == 0 {
		return 0, false
	}
	sum := sha256.Sum256([]byte(key))
	digest := userDigest(sum[:])
	if line, isRepeated = f.first[digest]; isRepeated {
		return line, true
	}
	if f.first == nil {
		f.first = map[userDigest]int{}
	}
	if len(f.first) < f.most {
		f.first[digest] = row.Line
	}
	return 0, false
}

// oddities counts what is probably not meant in a users file, but is no error. Only the notes are safe for concurrent
// use.
type oddities struct {
	mangled atomic.Int64
	padded  atomic.Int64
}

// asSpreadsheets matches what a spreadsheet makes of an identifier, or writes for none.
var asSpreadsheets = regexp.MustCompile(`^(\d([.,]\d+)?E\+\d+|NULL|#N/A|=".*")$`)

func (o *oddities) add(row Row) {
	if asSpreadsheets.MatchString(row.UserID) {
		o.mangled.Add(1)
	}
	if strings.TrimSpace(row.UserID) != row.UserID {
		o.padded.Add(1)
	}
}

// Notes returns a sentence about each oddity of the users that were read so far.
func (o *oddities) Notes() (notes []string) {
	if n := o.mangled.Load(); n > 0 {
		notes = append(notes, wording.Plural(n, "value of userId is", "values of userId are")+
			` what a spreadsheet writes, such as 1.2E+12, NULL or ="007": export the column as text, which keeps `+
			`leading zeros too`)
	}
	if n := o.padded.Load(); n > 0 {
		notes = append(notes, wording.Plural(n, "value of userId begins or ends with white space",
			"values of userId begin or end with white space")+
			", which is sent as it is: trim the column, unless that is meant")
	}
	return notes
}
