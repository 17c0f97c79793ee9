package exchange

import (
	"bytes"
	"errors"
	"net/http"
	"time"
)

// Exchange is a probe with the answer to it.
type Exchange struct {
	Probe    Probe
	Started  time.Time
	Duration time.Duration
	Status   int // 0 if no status line came
	Proto    string
	Header   http.Header
	// Body is decoded from its content encoding. If Fault is set, it is the text that came to a request that should be
	// refused, at most a mebibyte, and else nil.
	Body  []byte
	Fault *Fault // nil if the whole answer came
	Size  int    // of the body as it came, in bytes; set if Body is not what came
	Cut   *Cut   // nil if Body is whole

	// Withheld is set if the body is not kept; else nil.
	Withheld *Withheld

	// Control is what the controls around a probe that should be refused showed (J23); nil if there were none.
	Control *Control
	// Own are the GUIDs, in lower case, that only the user of a probe that should be refused was served (J13).
	Own map[string]bool
}

// Control is what the controls before and after a probe showed: whether the target served others at that time.
type Control struct {
	Served bool      // both were served, so that a refusal is the answer to the probe
	Answer *Exchange // the answer to the control before or, if only the one after was not served, to that
}

// Cut describes a body of which the evidence keeps only the beginning.
type Cut struct {
	Size   int    `json:"size"`             // of the whole body, in bytes
	Digest string `json:"digest,omitempty"` // of the whole body: "sha256:" and 64 hex digits; "" if values are hidden
}

// Length returns the size of the body as it came, in bytes.
func (e *Exchange) Length() int {
	if e.Withheld != nil {
		return e.Withheld.Size
	}
	if e.Size > 0 {
		return e.Size
	}
	return len(e.Body)
}

// Fault is why there is no whole answer to judge.
type Fault struct {
	Kind   FaultKind `json:"kind"`
	Detail string    `json:"detail"` // what happened
	Plain  string    `json:"-"`      // the same, without anything that the target sent; "" if that is not known
	// Advised is true if Detail ends with what to do, as the cause is known.
	Advised bool `json:"-"`
}

// Error returns what happened, so that a fault can be wrapped in an error.
func (f *Fault) Error() string { return f.Detail }

// FaultKind distinguishes faults that are treated differently.
type FaultKind string

// Transport faults and timeouts count towards the five in a row that end a run (J19). The other kinds do not, because
// the target did answer: past a bound (J20), or in an encoding that can't be decoded.
const (
	Transport FaultKind = "transport"
	Timeout   FaultKind = "timeout"
	Bound     FaultKind = "bound"
	Encoding  FaultKind = "encoding"
)

// ErrNotRecorded means that the evidence lacks an exchange, or has too little of it to be judged.
var ErrNotRecorded = errors.New("the evidence does not have this exchange")

// Ended is the fault of a request that was in flight when the run ended. It is kept, but never judged.
const Ended FaultKind = "ended"

// Counts are the numbers of all requests and of throttled answers; of requests sent again because the target had closed
// a kept-alive connection, or before its first answer; of controls, and of interruptions (J23).
type Counts struct {
	Requests      int64 `json:"requests"`
	Throttled     int64 `json:"throttled"`
	Repeated      int64 `json:"repeated"`
	Controls      int64 `json:"controls"`
	Interruptions int64 `json:"interruptions"`
}

// Ended returns when the answer was there, or why there is none was known.
func (e *Exchange) Ended() time.Time { return e.Started.Add(e.Duration) }

// Answered reports whether the target sent a status line, whatever followed it.
func (e *Exchange) Answered() bool {
	return e.Fault == nil || e.Fault.Kind == Bound || e.Fault.Kind == Encoding
}

// Throttled reports whether the target asked the client to try again later (J19).
func (e *Exchange) Throttled() bool {
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable
}

// Success reports whether the status is 2xx.
func (e *Exchange) Success() bool { return e.Status >= 200 && e.Status <= 299 }

// IsEmptyList reports whether the answer is 2xx with an empty array: that is no refusal of a known user (J1).
func (e *Exchange) IsEmptyList() bool {
	return e.Fault == nil && e.Success() && string(bytes.TrimSpace(e.Body)) == "[]"
}
