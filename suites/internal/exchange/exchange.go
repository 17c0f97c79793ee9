package exchange

import (
	"net/http"
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
	LetGo    bool   // the body was judged and then not kept, as there was no room for it
}

// Fault is why no whole answer can be judged.
type Fault struct {
	Kind   FaultKind
	Detail string // what happened, made safe to show
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

// Answered tells whether the target sent a status line, whatever followed it.
func (e *Exchange) Answered() bool {
	return e.Fault == nil || e.Fault.Kind == Bound || e.Fault.Kind == Encoding
}

// Success tells whether the status is 2xx.
func (e *Exchange) Success() bool { return e.Status >= 200 && e.Status <= 299 }
