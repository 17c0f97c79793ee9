// Package recorded reads a record: what one version of a target answered for a population, kept by a sweep to be
// compared with another version later.
//
// A record is gzip with NDJSON in it: a header, a line for each user in the population's order, and a footer. It is
// written in members of gzip (RFC 1952) of whole lines, so that it can be continued after each of them, and the lines
// of one member can be read without those before it. Header and footer are members of their own. The digest covers all
// bytes before the footer's member.
package recorded

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// Format is the version of the format.
const Format = "1.0"

// About is what a record says of itself. Its first line has what is known at the beginning. Its last line has the rest:
// counts, digests and the time. A record without that is not whole.
type About struct {
	Line    string          `json:"line"` // header or footer
	Format  string          `json:"format"`
	Version schemas.Version `json:"version"`
	Sweep   string          `json:"sweep"`
	Shard   int             `json:"shard"` // from 1
	Shards  int             `json:"shards"`
	exchange.Recorded
}

const (
	headerLine = "header"
	footerLine = "footer"
)

// Header returns the first line.
func (a About) Header() ([]byte, error) {
	a.Line, a.Format = headerLine, Format
	return encode(a)
}

// Footer returns the last line.
func (a About) Footer() ([]byte, error) {
	return encode(About{Line: footerLine, Recorded: exchange.Recorded{Users: a.Users, Withheld: a.Withheld,
		Population: a.Population, Finished: a.Finished, Digest: a.Digest}})
}

// encode returns a line. Members that are zero are left out.
func encode(line any) ([]byte, error) {
	text, err := json.Marshal(line, json.OmitZeroStructFields(true),
		jsontext.AllowInvalidUTF8(true)) // of a header or a fault; bodies are UTF-8
	return append(text, '\n'), err
}

// keyIn returns the key of a user, which is the Hash: the first member of the line, without reading the rest.
func keyIn(line []byte) (uint64, error) {
	if text, found := bytes.CutPrefix(line, []byte(`{"key":"`)); found && len(text) > keySize {
		if n, err := strconv.ParseUint(string(text[:keySize]), 16, 64); err == nil {
			return n, nil
		}
	}
	return 0, errors.New("the record has a line that is not of a user")
}

const keySize = 16 // hex digits

// Answers is the line of a user.
type Answers struct {
	Key    string   `json:"key"`
	ID     string   `json:"id"`
	UserID string   `json:"userId"`
	List   []answer `json:"answers"` // in the order sent, one operation after the other
}

// answer is an answer in a line. One that equals the answer before it has only its time.
type answer struct {
	Operation schemas.Operation  `json:"operation"`
	Same      bool               `json:"same"`
	At        int64              `json:"at"` // Unix milliseconds
	Took      int64              `json:"took"`
	Status    int                `json:"status"`
	Type      []string           `json:"type"` // Content-Type
	Body      string             `json:"body"`
	Fault     *exchange.Fault    `json:"fault"`
	Cut       *exchange.Cut      `json:"cut"`
	Withheld  *exchange.Withheld `json:"withheld"`
}

// Encode returns the line of a user. The exchanges are those of the user, in the order sent, one operation after the
// other; clean returns them as they may leave the process. withheld is how many of the answers have no body.
func Encode(u exchange.User, exchanges []*exchange.Exchange, clean func(*exchange.Exchange) exchange.Exchange) (
	line []byte, withheld int64, err error) {
	a := Answers{Key: fmt.Sprintf("%0*x", keySize, u.Hash()), ID: u.ID, UserID: u.UserID}
	partial := false
	for i, ex := range exchanges {
		op := ex.Probe.Operation
		one := answer{Operation: op, At: ex.Started.UnixMilli(), Took: ex.Duration.Microseconds()}
		if i > 0 && exchanges[i-1].Probe.Operation == op && exchanges[i-1].SameAnswer(ex) {
			one.Same = true
		} else {
			kept := clean(ex)
			one.Status, one.Type, one.Fault = kept.Status, kept.Header["Content-Type"], kept.Fault
			one.Cut, one.Withheld = kept.Cut, kept.Withheld
			if partial = kept.Partial(); !partial {
				one.Body = string(kept.Body)
			}
		}
		if partial {
			withheld++
		}
		a.List = append(a.List, one)
	}
	line, err = encode(a)
	return line, withheld, err
}

// parse returns the answers in a line, or nil if it is of another user with the same key.
func parse(line []byte, u exchange.User) (*Answers, error) {
	a := &Answers{}
	if err := json.Unmarshal(line, a); err != nil {
		return nil, fmt.Errorf("a line of a user is no JSON that the suite wrote: %w", err)
	}
	if (exchange.User{ID: a.ID, UserID: a.UserID}).Key() != u.Key() {
		return nil, nil
	}
	return a, nil
}

// Exchange returns the answer to a probe, by its operation and round. It returns nil if there is none, or only a part
// of it was kept.
func (a *Answers) Exchange(p exchange.Probe) *exchange.Exchange {
	if a == nil {
		return nil // the record does not have the user
	}
	round := 0
	var sent, one answer // and the one that it equals
	for i := 0; i < len(a.List) && round < p.Round; i++ {
		if sent = a.List[i]; sent.Operation == p.Operation {
			if round++; !sent.Same {
				one = sent
			}
		}
	}
	if p.Round < 1 || round < p.Round || one.Cut != nil || one.Withheld != nil {
		return nil
	}
	ex := &exchange.Exchange{Probe: p, Started: time.UnixMilli(sent.At),
		Duration: time.Duration(min(sent.Took, math.MaxInt64/1000)) * time.Microsecond, Status: one.Status,
		Body: []byte(one.Body), Fault: one.Fault}
	if len(one.Type) > 0 {
		ex.Header = map[string][]string{"Content-Type": one.Type}
	}
	return ex
}
