package sweep

import (
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings/users"
	"authenticator-conformance/suites/sweep/record"
)

// laterUser is a user who is asked again at the end of a sweep, for the operations that got no answer (J22).
type laterUser struct {
	user users.Row
	record.Later
}

// maxAgain limits how many users are stored to be asked once more. A target that is down for longer stops the sweep
// before it comes to so many.
const maxAgain = 10_000

// asks reports whether an operation is to be asked. At the end it is only one that got no answer the first time.
func (u *userCheck) asks(op schemas.Operation) bool {
	return u.again == nil || slices.Contains(u.again.Operations, op)
}

// nextID names the user's next request. Numbers continue those of the first time.
func (u *userCheck) nextID() string {
	return exchangeID(u.user.Index, u.sentBefore()+len(u.durations)+1)
}

// lastID names the user's last request.
func (u *userCheck) lastID() string { return exchangeID(u.user.Index, u.sentBefore()+len(u.durations)) }

func (u *userCheck) sentBefore() int {
	if u.again == nil {
		return 0
	}
	return u.again.Requests
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
	part := &stats.Part{}
	switch {
	case u.again != nil:
		c.again = c.again[1:] // results come in the order of the users
		c.askedAgain++
		part = &u.again.Part
	case !u.isPutOff(0) && !u.isPutOff(1):
	case len(c.again) == maxAgain:
		c.leftOut++
	default:
		for i := range u.results {
			if u.isPutOff(i) {
				u.results[i] = stats.Result{}
			}
		}
		later := &laterUser{u.user, record.Later{Index: u.user.Index, Requests: len(u.durations),
			Part: stats.Part{Operations: schemas.Operations()}}}
		c.again = append(c.again, later)
		part = &later.Part
	}
	part.NotEnrolled = u.user.EnrolledGiven && !u.user.Enrolled
	return part
}

// isCountable reports whether some operation of a user has a result.
func (u *userCheck) isCountable() bool {
	return u.results[0].Outcome != "" || u.results[1].Outcome != ""
}

// last returns the users to ask once more. Their results are counted, whatever they are.
func (c *collector) last() *source {
	s := &source{late: map[int64]*laterUser{}, fromList: true, length: len(c.again)}
	for _, later := range c.again {
		s.list, s.late[later.Index] = append(s.list, later.user), later
	}
	return s
}

// laterUsers returns the users to ask once more, as a checkpoint stores them.
func (c *collector) laterUsers() []record.Later {
	var list []record.Later
	for _, later := range c.again {
		list = append(list, later.Later)
	}
	return list
}
