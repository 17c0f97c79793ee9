// Package recorded reads a record: what one version of a target answered for a population, kept by a sweep to be
// compared with another version later.
//
// A record is gzip with NDJSON in it: a header, a line for each user in the population's order, and a footer. It is
// written in members of gzip (RFC 1952) of whole lines, so that it can be continued after each of them, and the lines
// of one member can be read without those before it. The footer is a member of its own. Its digest covers all bytes
// before that member.
package recorded

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
)

// Format is the version of the format.
const Format = "1.0"

// Header is the first line. It says what was recorded.
type Header struct {
	Line     string          `json:"line"` // header
	Format   string          `json:"format"`
	Version  schemas.Version `json:"version"`
	Target   string          `json:"target"`
	Subject  string          `json:"subject"`
	Suite    string          `json:"suite"`
	Contract string          `json:"contract"`
	Settings string          `json:"settings"`
	Sweep    string          `json:"sweep"`
	Started  time.Time       `json:"started"`
	Shard    int             `json:"shard"` // from 1
	Shards   int             `json:"shards"`
}

// Footer is the last line. A record without it is not whole.
type Footer struct {
	Line       string    `json:"line"`       // footer
	Users      int64     `json:"users"`      // lines of users
	Withheld   int64     `json:"withheld"`   // answers whose body was not kept
	Population string    `json:"population"` // digest of the users of the users file, in all shards
	Finished   time.Time `json:"finished"`
	Digest     string    `json:"digest"` // of all bytes before this member: "sha256:" and 64 hex digits
}

const (
	headerLine = "header"
	footerLine = "footer"
)

// Encode returns a header or a footer as a line.
func Encode(line any) ([]byte, error) {
	switch l := line.(type) {
	case *Header:
		l.Line, l.Format = headerLine, Format
	case *Footer:
		l.Line = footerLine
	}
	text, err := strictjson.Encode(line)
	return append(text, '\n'), err
}

// key identifies a user: the first 8 bytes of the SHA-256 of the user's Key, as in users.Shard.
type key uint64

func keyOf(u exchange.User) key {
	sum := sha256.Sum256([]byte(u.Key()))
	return key(binary.BigEndian.Uint64(sum[:]))
}

const (
	keyBegin = `{"key":"`
	keySize  = 16 // hex digits
)

// answer is an answer in a line. One that equals the answer before it has only its time.
type answer struct {
	Same     bool               `json:"same,omitempty"`
	At       int64              `json:"at"` // Unix milliseconds
	Took     int64              `json:"took"`
	Status   int                `json:"status,omitempty"`
	Type     []string           `json:"type,omitempty"` // Content-Type
	Body     string             `json:"body,omitempty"`
	Size     int                `json:"size,omitempty"`
	JSON     json.RawMessage    `json:"json,omitempty"` // the body, of so many bytes, if it is JSON on one line
	Fault    *exchange.Fault    `json:"fault,omitempty"`
	Cut      *exchange.Cut      `json:"cut,omitempty"`
	Withheld *exchange.Withheld `json:"withheld,omitempty"`
}

// isKept reports whether the whole answer is in the record.
func (a *answer) isKept() bool { return a.Cut == nil && a.Withheld == nil }

// line is the line of a user.
type line struct {
	Key     string                         `json:"key"`
	ID      string                         `json:"id"`
	UserID  string                         `json:"userId"`
	Answers map[schemas.Operation][]answer `json:"answers"`
}

// AppendLine appends the line of a user. The exchanges are those of the user, in the order sent, and have passed the
// way out. isJSON reports whether the body of one is known to be one JSON text. withheld is how many of the answers
// have no body.
func AppendLine(to []byte, u exchange.User, exchanges []*exchange.Exchange, isJSON func(*exchange.Exchange) bool) (
	text []byte, withheld int64, err error) {
	to = fmt.Appendf(to, `%s%0*x","id":`, keyBegin, keySize, uint64(keyOf(u)))
	to = strictjson.AppendQuoted(to, u.ID)
	to = append(to, `,"userId":`...)
	to = strictjson.AppendQuoted(to, u.UserID)
	to = append(to, `,"answers":{`...)
	separator := ""
	for _, op := range schemas.Operations() {
		var last *exchange.Exchange
		for _, ex := range exchanges {
			if ex.Probe.Operation != op {
				continue
			}
			switch {
			case last == nil:
				to = append(append(strictjson.AppendQuoted(append(to, separator...), string(op)), ':'), '[')
				separator = ","
			default:
				to = append(to, ',')
			}
			if to, err = appendAnswer(to, last, ex, isJSON(ex)); err != nil {
				return nil, 0, err
			}
			if ex.Cut != nil || ex.Withheld != nil {
				withheld++
			}
			last = ex
		}
		if last != nil {
			to = append(to, ']')
		}
	}
	return append(to, "}}\n"...), withheld, nil
}

func appendAnswer(to []byte, before, ex *exchange.Exchange, isJSON bool) ([]byte, error) {
	a := answer{At: ex.Started.UnixMilli(), Took: ex.Duration.Microseconds(), Status: ex.Status,
		Type: ex.Header["Content-Type"], Fault: ex.Fault, Cut: ex.Cut, Withheld: ex.Withheld}
	plain := a.isKept() && a.Fault == nil
	if before != nil && plain && before.SameAnswer(ex) {
		return fmt.Appendf(to, `{"same":true,"at":%d,"took":%d}`, a.At, a.Took), nil
	}
	if plain && len(a.Type) < 2 { // nearly all, written without reflection
		to = fmt.Appendf(to, `{"at":%d,"took":%d,"status":%d`, a.At, a.Took, a.Status)
		if len(a.Type) == 1 {
			to = append(strictjson.AppendQuoted(append(to, `,"type":[`...), a.Type[0]), ']')
		}
		if isJSON && isOnOneLine(ex.Body) {
			to = fmt.Appendf(to, `,"size":%d,"json":%s`, len(ex.Body), ex.Body)
		} else {
			to = strictjson.AppendQuoted(append(to, `,"body":`...), string(ex.Body))
		}
		return append(to, '}'), nil
	}
	if a.isKept() {
		a.Body = string(ex.Body)
	}
	text, err := strictjson.Encode(a)
	return append(to, text...), err
}

// isOnOneLine reports whether a JSON text can stand in a line as it is.
func isOnOneLine(text []byte) bool {
	return len(text) > 1 && len(bytes.TrimSpace(text)) == len(text) && !bytes.ContainsAny(text, "\r\n")
}

// Answers are the recorded answers of one user.
type Answers struct{ line }

// parse reads the line of a user.
func parse(text []byte) (a *Answers, err error) {
	a = &Answers{}
	if a.line, err = scan(text); err == nil {
		return a, nil
	}
	if err := json.Unmarshal(text, &a.line); err != nil {
		return nil, fmt.Errorf("a line of a user is no JSON that the suite wrote: %w", err)
	}
	return a, nil
}

// Exchange returns the answer to a probe, by its operation and round. The error wraps exchange.ErrNotRecorded if there
// is none, or only a part of it was kept.
func (a *Answers) Exchange(p exchange.Probe) (*exchange.Exchange, error) {
	if a == nil {
		return nil, fmt.Errorf("%w: the record of %s does not have the user", exchange.ErrNotRecorded, p.Version)
	}
	list := a.line.Answers[p.Operation]
	if p.Round < 1 || p.Round > len(list) {
		return nil, fmt.Errorf("%w: the record of %s has no call %d of the user", exchange.ErrNotRecorded, p.Version,
			p.Round)
	}
	sent, kept := list[p.Round-1], p.Round-1
	for list[kept].Same && kept > 0 {
		kept--
	}
	one := list[kept]
	if !one.isKept() {
		return nil, fmt.Errorf("%w: the record of %s has only a digest of the answer", exchange.ErrNotRecorded,
			p.Version)
	}
	ex := &exchange.Exchange{Probe: p, Started: time.UnixMilli(sent.At),
		Duration: time.Duration(min(sent.Took, math.MaxInt64/1000)) * time.Microsecond, Status: one.Status,
		Body: []byte(one.Body), Fault: one.Fault}
	if one.Size > 0 && one.Size == len(one.JSON) {
		ex.Body = one.JSON
	}
	if len(one.Type) > 0 {
		ex.Header = map[string][]string{"Content-Type": one.Type}
	}
	return ex, nil
}

// maxFooter is the maximum size in bytes of the member of the footer.
const maxFooter = 4 << 10

// findFooter returns the footer in the last bytes of a record, and how many of them its member takes; false if there is
// none.
func findFooter(tail []byte) (f Footer, size int, found bool) {
	magic := []byte{0x1f, 0x8b, 0x08}
	for at := bytes.LastIndex(tail, magic); at >= 0; at = bytes.LastIndex(tail[:at], magic) {
		reader, err := gzip.NewReader(bytes.NewReader(tail[at:]))
		if err != nil {
			continue
		}
		text, err := io.ReadAll(io.LimitReader(reader, maxFooter))
		if err == nil && json.Unmarshal(text, &f) == nil && f.Line == footerLine {
			return f, len(tail) - at, true
		}
	}
	return f, 0, false
}
