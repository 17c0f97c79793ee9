package users

import (
	"fmt"
	"hash/maphash"
	"regexp"
	"sync/atomic"

	"authenticator-conformance/suites/internal/judge/wording"
)

// oddities counts what is probably not meant in a users file, but no error. Only the notes are safe for concurrent use.
type oddities struct {
	seed     maphash.Seed
	seen     map[uint64]struct{} // hashes of the first users
	repeated atomic.Int64
	mangled  atomic.Int64
}

// maxSeen is how many users are remembered to find repeated ones. They take some 10 MiB.
const maxSeen = 1 << 18

// asSpreadsheets matches what a spreadsheet makes of an identifier, or writes for none.
var asSpreadsheets = regexp.MustCompile(`^(\d([.,]\d+)?E\+\d+|NULL|#N/A|=".*")$`)

func (o *oddities) add(row Row, key string) {
	if asSpreadsheets.MatchString(row.UserID) {
		o.mangled.Add(1)
	}
	if o.seen == nil {
		o.seed, o.seen = maphash.MakeSeed(), map[uint64]struct{}{}
	}
	hash := maphash.String(o.seed, key)
	if _, twice := o.seen[hash]; twice {
		o.repeated.Add(1)
	} else if len(o.seen) < maxSeen {
		o.seen[hash] = struct{}{}
	}
}

// Notes returns a sentence about each oddity of the users that were read so far.
func (o *oddities) Notes() (notes []string) {
	if n := o.repeated.Load(); n > 0 {
		notes = append(notes, fmt.Sprintf("%s of the users file repeat a user, who is asked and counted again; "+
			"only repeats of the first %s users are counted", wording.Plural(n, "entry", "entries"),
			wording.Number(maxSeen)))
	}
	if n := o.mangled.Load(); n > 0 {
		notes = append(notes, fmt.Sprintf(`%s of userId look as a spreadsheet writes them, such as 1.2E+12, NULL or `+
			`="007": export the column as text, which keeps leading zeros too`, wording.Count(n, "value")))
	}
	return notes
}
