package sweep

import (
	"context"
	"crypto/sha256"
	"net/http"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/recorded"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings/users"
)

// userCheck is the check of one user on its way through a block, and its result.
type userCheck struct {
	user     users.Row
	sum      [sha256.Size]byte // of the users of the file up to this one
	recorded *recorded.Answers // what a record that is read has of the user; nil if it does not have the user
	attempt  int               // of the block

	at      time.Time
	asked   [2]*comparison   // by operation, in the document's order; nil once it has a result
	results [2]*stats.Result // by operation; nil before

	calls     []call // in the order sent
	exchanges [2][]*exchange.Exchange
	line      []byte // the user's line of a record that is made
	withheld  int64  // how many of its answers have no body
	again     bool   // some request was sent again at the end of the block
	stays     bool   // one of these was refused again
}

// call is when a request was sent and answered, if it was, and whether it was refused: by anything but "nothing", or by
// that if the version served the user at last.
type call struct {
	service
	started  time.Time
	took     time.Duration
	answered bool
	refused  bool
	early    bool // it was refused by "nothing", before the operation served the user in any version: data may come
}

func (c call) ended() time.Time { return c.started.Add(c.took) }

// service is an operation, by its index, and a version.
type service struct {
	operation int
	version   schemas.Version
}

// probeOf returns the well-formed request for a user.
func probeOf(u users.Row, op schemas.Operation, v schemas.Version) exchange.Probe {
	return exchange.Probe{Operation: op, Version: v, Segment: string(v), User: u.User, Position: int(u.Index) + 1}
}

// anew returns the user as if nothing had been asked.
func (u *userCheck) anew() *userCheck {
	return &userCheck{user: u.user, sum: u.sum, recorded: u.recorded}
}

// result returns the result of an operation; an empty one if there is none yet.
func (u *userCheck) result(operation int) stats.Result {
	if r := u.results[operation]; r != nil {
		return *r
	}
	return stats.Result{}
}

// isOpen reports whether something is asked at the end of the block.
func (u *userCheck) isOpen() bool { return u.asked[0] != nil || u.asked[1] != nil }

// refusedBy returns the services that refused the user at a call.
func (u *userCheck) refusedBy() (list map[service]bool) {
	for _, c := range u.calls {
		if c.refused {
			if list == nil { // for nearly all users it is
				list = map[service]bool{}
			}
			list[c.service] = true
		}
	}
	return list
}

// wasServedBy reports whether a service served the user.
func (u *userCheck) wasServedBy(by service) bool {
	return slices.Contains(u.result(by.operation).Served, by.version)
}

// size returns how many bytes wait for the end of the block: of bodies, and of the line.
func (u *userCheck) size() int64 {
	size := len(u.line)
	for _, list := range u.exchanges {
		for _, ex := range list {
			size += len(ex.Body)
		}
	}
	return int64(size)
}

// turnedAway is how much an answer 401 or 403 counts among those that end a block early: each may count towards a
// lockout.
const turnedAway = 4

// refusing returns how much each version refused the user by anything but "nothing". It is empty for nearly all users.
func (u *userCheck) refusing() (list map[schemas.Version]int) {
	for _, c := range u.asked {
		if c == nil || len(c.refused) == 0 {
			continue
		}
		if list == nil {
			list = map[schemas.Version]int{}
		}
		for _, j := range c.lookup.Calls {
			ex := j.Answer.Exchange
			switch v := ex.Probe.Version; {
			case !slices.Contains(c.refused, v):
			case ex.Status == http.StatusUnauthorized || ex.Status == http.StatusForbidden:
				list[v] += turnedAway
			default:
				list[v]++
			}
		}
	}
	return list
}

// check asks both operations of both versions for a user, then judges and compares the answers. An error ends the
// sweep, and the user does not count as checked.
func (s *Sweep) check(ctx context.Context, k known, attempt int, u *userCheck) error {
	u.at, u.attempt, u.calls = time.Now(), attempt, make([]call, 0, 4)
	for _, op := range operationsFor(u.user.Index) {
		i := slices.Index(schemas.Operations(), op)
		c := &comparison{Sweep: s, userCheck: u, op: op, operation: i, known: k}
		u.exchanges[i] = make([]*exchange.Exchange, 0, 2)
		result, err := c.check(ctx)
		if err != nil {
			return err
		}
		if u.results[i] = result; result == nil {
			u.asked[i] = c
		}
	}
	return s.conclude(u)
}

// finishUser asks what is open for a user at the end of the block.
func (s *Sweep) finishUser(ctx context.Context, u *userCheck) (err error) {
	u.again = slices.ContainsFunc(u.asked[:], func(c *comparison) bool { return c != nil && len(c.refused) > 0 })
	for i, c := range u.asked {
		if c != nil {
			if u.results[i], err = c.finish(ctx); err != nil {
				return err
			}
			u.asked[i] = nil
		}
	}
	return s.conclude(u)
}

// conclude makes the line of a record, and keeps the exchanges of a user only if something was found.
func (s *Sweep) conclude(u *userCheck) (err error) {
	if u.isOpen() {
		return nil
	}
	if s.records() {
		err = s.encode(u)
	}
	if !hasFindings(u.results[0]) && !hasFindings(u.results[1]) {
		u.exchanges = [2][]*exchange.Exchange{}
	}
	return err
}

func hasFindings(result *stats.Result) bool {
	return slices.ContainsFunc(result.Findings, func(f stats.Finding) bool { return f.Differs() || f.Violates() })
}
