package ledger

import (
	"net/http"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
)

// userResult is what the well-formed requests for a user showed.
type userResult struct {
	number int                       // in this ledger
	served bool                      // in any call
	shown  map[operationVersion]bool // what was asked, and whether it served something in any call (J22)
	calls  []call                    // what each well-formed request was answered
}

// readResult is what the well-formed requests of an operation and version showed.
type readResult struct {
	served    bool
	asked     bool           // for an enrolled user
	disclosed bool           // a record or identifiers, in any call
	missing   bool           // the evidence lacks one, which might have been served
	eligible  *exchange.User // for requests that must be refused; nil if there is none
}

type operationVersion struct {
	operation schemas.Operation
	version   schemas.Version
}

// user returns the result of a user.
func (l *Ledger) user(user exchange.User) *userResult {
	if l.users[user] == nil {
		l.users[user] = &userResult{number: len(l.users), shown: map[operationVersion]bool{}}
	}
	return l.users[user]
}

// readsOf returns the result of the well-formed requests of an operation and version.
func (l *Ledger) readsOf(at operationVersion) *readResult {
	if l.reads[at] == nil {
		l.reads[at] = &readResult{}
	}
	return l.reads[at]
}

// NoteRead notes that the planned well-formed requests for one user and operation were sent, and whether the user is
// eligible (J13). It returns the answers.
func (l *Ledger) NoteRead(user exchange.User, op schemas.Operation, judgements []*spec.Judgement) []*check.Answer {
	l.read[question{operation: op, user: user}] = true
	answers := make([]*check.Answer, len(judgements))
	for i, j := range judgements {
		answers[i] = j.Answer
	}
	for _, v := range l.options.Versions {
		if read := l.readsOf(operationVersion{op, v}); read.eligible == nil && user.Enrolled &&
			allDisclose(answers, v) {
			read.eligible = &user
		}
	}
	return answers
}

// allDisclose reports whether every call to a version returned a record or identifiers.
func allDisclose(answers []*check.Answer, v schemas.Version) bool {
	calls := 0
	for _, a := range answers {
		if a.Exchange.Probe.Version != v {
			continue
		}
		if !a.DisclosesData() {
			return false
		}
		calls++
	}
	return calls > 0
}

// Eligible returns the user for requests that must be refused: the first for whom every call of the operation and
// version returned data (J13). It returns false if there is none.
func (l *Ledger) Eligible(op schemas.Operation, v schemas.Version) (exchange.User, bool) {
	if user := l.readsOf(operationVersion{op, v}).eligible; user != nil {
		return *user, true
	}
	return exchange.User{}, false
}

// WasRead reports whether well-formed requests were sent for a user.
func (l *Ledger) WasRead(op schemas.Operation, user exchange.User) bool {
	return l.read[question{operation: op, user: user}]
}

// Unknown reports whether no version served the user in any call. The target may not know that user.
func (l *Ledger) Unknown(user exchange.User) bool {
	result := l.users[user]
	return result != nil && !result.served
}

// call is what one answer shows of whether its user is there.
type call struct {
	sent    time.Time
	version schemas.Version
	served  bool
	unknown bool // it says that there is no such user
}

// noteCalls notes the answers to the well-formed requests for a user.
func (l *Ledger) noteCalls(user exchange.User, judgements []*spec.Judgement) {
	result := l.user(user)
	for _, j := range judgements {
		ex := j.Answer.Exchange
		result.calls = append(result.calls, call{ex.Started, ex.Probe.Version, j.Answer.ServesSomething(),
			ex.Status == http.StatusNotFound || ex.Status == http.StatusGone})
	}
}

// Gone reports whether a user was served at first, and from some call on no version knew the user, of either operation.
func (l *Ledger) Gone(user exchange.User) bool {
	result := l.users[user]
	if result == nil {
		return false
	}
	calls := slices.Clone(result.calls)
	slices.SortStableFunc(calls, func(a, b call) int { return a.sent.Compare(b.sent) })
	first := slices.IndexFunc(calls, func(c call) bool { return !c.served })
	if first <= 0 || slices.ContainsFunc(calls[first:], func(c call) bool { return !c.unknown }) {
		return false
	}
	since := map[schemas.Version]bool{}
	for _, c := range calls[first:] {
		since[c.version] = true
	}
	return len(since) == len(l.options.Versions)
}

// Refused returns the user ids of the enrolled users whom an operation of a version refused at every call, and of those
// whom it served something.
func (l *Ledger) Refused(op schemas.Operation, v schemas.Version) (refused, served []string) {
	for user, result := range l.users {
		switch shown, asked := result.shown[operationVersion{op, v}]; {
		case shown:
			served = append(served, user.UserID)
		case asked && user.Enrolled:
			refused = append(refused, user.UserID)
		}
	}
	return refused, served
}

// UserCounts are the numbers of users for whom well-formed requests were sent.
type UserCounts struct {
	Asked, Known      int // all, and those whom some version served in some call
	Enrolled, Unknown int // those who are enrolled, and those of them whom no version served
	// ServedBy is how many each operation of each version served something in some call, of those that were asked.
	// Served is, for each version, the smallest of these numbers (J22).
	ServedBy map[schemas.Operation]map[schemas.Version]int
	Served   map[schemas.Version]int
}

// Users counts the users.
func (l *Ledger) Users() UserCounts {
	counts := UserCounts{Asked: len(l.users), ServedBy: map[schemas.Operation]map[schemas.Version]int{},
		Served: map[schemas.Version]int{}}
	for user, result := range l.users {
		if result.served {
			counts.Known++
		}
		if user.Enrolled {
			counts.Enrolled++
		}
		if user.Enrolled && !result.served {
			counts.Unknown++
		}
		for at, served := range result.shown {
			counts.add(at, served)
		}
	}
	for _, v := range l.options.Versions {
		counts.Served[v] = counts.smallest(v)
	}
	return counts
}

// add counts whether an operation of a version served a user something.
func (c *UserCounts) add(at operationVersion, served bool) {
	if c.ServedBy[at.operation] == nil {
		c.ServedBy[at.operation] = map[schemas.Version]int{}
	}
	if c.ServedBy[at.operation][at.version] += 0; served {
		c.ServedBy[at.operation][at.version]++
	}
}

// smallest returns how many users each operation of a version served that was asked; 0 if none was.
func (c *UserCounts) smallest(v schemas.Version) int {
	least, known := 0, false
	for _, versions := range c.ServedBy {
		if n, asked := versions[v]; asked && (!known || n < least) {
			least, known = n, true
		}
	}
	return least
}

// servedNobody reports whether an operation of a version that was asked for enrolled users disclosed data of none.
func (l *Ledger) servedNobody() bool {
	for _, read := range l.reads {
		if read.asked && !read.disclosed {
			return true
		}
	}
	return false
}
