package exchange

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
)

// Exchange is a probe with what came back for it.
type Exchange struct {
	Probe    Probe
	Started  time.Time
	Duration time.Duration
	Status   int // 0 when no status line came back
	Proto    string
	Header   http.Header
	Body     []byte // with the content encoding undone; nil when Fault is not
	Fault    *Fault // nil when an answer came back whole
	Size     int    // of the body as it came, in bytes, where Body is not that any more: cut, or freed of secrets
	Dropped  bool   // the body was judged and then not kept, as there was no room for it
	Cut      *Cut   // nil where Body is whole

	// UserID is that of the probe's user as a redacted answer would have it; "" if it is the same.
	UserID string

	// Withheld stands for the body where it is not kept; nil else. Body is then the first JSON value that can be read in
	// it, written anew, or empty where there is none.
	Withheld *Withheld
}

// Cut tells of a body of which the evidence keeps only the beginning.
type Cut struct {
	Size   int    `json:"size"`   // of the whole body, in bytes
	Digest string `json:"digest"` // of the whole body: "sha256:" and 64 hex digits
}

// AskedUserID is the UserId of the request, comparable with what the redacted answer has.
func (e *Exchange) AskedUserID() string { return cmp.Or(e.UserID, e.Probe.User.UserID) }

// Length is the size of the body as it came, in bytes.
func (e *Exchange) Length() int {
	if e.Withheld != nil {
		return e.Withheld.Size
	}
	if e.Size > 0 {
		return e.Size
	}
	return len(e.Body)
}

// Fault is why no whole answer can be judged.
type Fault struct {
	Kind   FaultKind `json:"kind"`
	Detail string    `json:"detail"` // what happened, made safe to show
}

// FaultKind tells the faults apart that are treated differently.
type FaultKind string

// A transport fault and a timeout count towards the five in a row that end a run (J19); past a bound (J20), or in an
// encoding that cannot be undone, the target did answer.
const (
	Transport FaultKind = "transport"
	Timeout   FaultKind = "timeout"
	Bound     FaultKind = "bound"
	Encoding  FaultKind = "encoding"
)

// ErrNotKept says that the evidence lacks an exchange, or keeps too little of it to be judged.
var ErrNotKept = errors.New("the evidence does not keep this exchange")

// Ended is the fault of a request that was under way when the run ended. It is kept, but never judged.
const Ended FaultKind = "ended"

// Counts says how much was sent: all requests, those among them that were sent again as the target had closed a kept
// connection, and how many answers told to come again later.
type Counts struct {
	Requests  int64 `json:"requests"`
	Throttled int64 `json:"throttled"`
	Repeated  int64 `json:"repeated"`
}

// Answered tells whether the target sent a status line, whatever followed it.
func (e *Exchange) Answered() bool {
	return e.Fault == nil || e.Fault.Kind == Bound || e.Fault.Kind == Encoding
}

// Throttled tells whether the target asked to come again later (J19).
func (e *Exchange) Throttled() bool {
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable &&
		strings.TrimSpace(e.Header.Get("Retry-After")) != ""
}

// Success tells whether the status is 2xx.
func (e *Exchange) Success() bool { return e.Status >= 200 && e.Status <= 299 }

// Pacer says when each request may be sent, also one that is sent again.
type Pacer interface {
	// Admit waits for the request's turn, and asks ready as the last thing before it may be sent. An error ends what the
	// request is part of.
	Admit(ctx context.Context, ready func(context.Context) error) (Turn, error)
	// Another tells whether the request under way may be sent once more, as its connection was closed before an answer.
	Another(ctx context.Context) bool
}

// Turn is a request under way; it ends with Done or Abandon.
type Turn interface {
	// Done takes what came back. An error ends what the request is part of.
	Done(ex *Exchange) error
	// Abandon takes a request whose answer nobody waits for any more.
	Abandon()
}
