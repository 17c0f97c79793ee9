package sweep

import (
	"io"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/sweep/record"
)

// maxAgain limits how many users are stored to be asked once more. A target that is down for longer stops the sweep
// before it comes to so many.
const maxAgain = 10_000

// asks reports whether an operation is to be asked. At the end it is only one that got no answer the first time.
func (u *userCheck) asks(op schemas.Operation) bool {
	return u.again == nil || slices.Contains(u.again.Operations, op)
}

// isPutOff reports whether an operation is to be asked once more: it got no answer, and nothing was found in it.
func (u *userCheck) isPutOff(operation int) bool {
	if u.line != nil { // the line of a record has both operations
		return u.again == nil && (u.faulted[0] || u.faulted[1]) && !u.hasFindings()
	}
	return u.again == nil && u.faulted[operation] && !hasFindings(&u.results[operation])
}

// putOff stores a user of whom an operation is to be asked once more at the end (J22). It takes the results of these
// operations out of what is counted now, and returns what was counted of the user before.
func (c *collector) putOff(u *userCheck) *stats.Part {
	later := &record.Later{}
	switch {
	case u.again != nil:
		later, c.Again = u.again, c.Again[1:] // results come in the order of the users
		c.Traffic.AskedAgain++
	case !u.isPutOff(0) && !u.isPutOff(1):
	case len(c.Again) == maxAgain:
		c.leftOut++
	default:
		for i := range u.results {
			if u.isPutOff(i) {
				u.results[i] = stats.Result{}
			}
		}
		c.Again = append(c.Again, record.Later{Index: u.user.Index, User: u.user, Requests: u.sent,
			Part: stats.Part{Operations: schemas.Operations()}})
		later = &c.Again[len(c.Again)-1]
	}
	later.NotEnrolled = u.user.EnrolledGiven && !u.user.Enrolled
	return &later.Part
}

// isCountable reports whether some operation of a user has a result.
func (u *userCheck) isCountable() bool {
	return u.results[0].Outcome != "" || u.results[1].Outcome != ""
}

// last yields the users to ask once more, and io.EOF after the last. Their results are counted, whatever they are.
func (c *collector) last() func() (*userCheck, error) {
	left := c.Again
	return func() (*userCheck, error) {
		if len(left) == 0 {
			return nil, io.EOF
		}
		later := &left[0]
		left = left[1:]
		return &userCheck{user: later.User, again: later, sent: later.Requests}, nil
	}
}
