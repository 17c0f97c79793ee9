package selftest_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"

	"authenticator-conformance/schemas"
)

const (
	record      = string(schemas.GetUserAuth)
	identifiers = string(schemas.FindByUserIDs)
	both        = string(schemas.Parity)
	malformed   = "not in its form" // the kind of a finding of a member
)

// plant is a cause that a target is made to show for some users, and what a sweep has to make of it.
type plant struct {
	name     string
	users    int
	spoil    func(a *answer)
	outcomes [2]string // of the record, of the identifiers
	causes   []cause   // each shown by every one of the users, once
}

// cause is what the findings of a group have in common.
type cause struct{ Operation, Version, Requirement, Kind, Pointer string }

// answer is one that a right service would give, before it is spoilt.
type answer struct {
	operation, version string
	nth                int // of the answers of this version to this operation for this user, from 1
	status             int
	body               string
}

func (a *answer) is(operation, version string) bool {
	return a.operation == operation && (version == both || a.version == version)
}

// swap replaces what a pattern finds in the answers of one operation and version, or of both versions.
func swap(operation, version, pattern, with string) func(*answer) {
	found := regexp.MustCompile(pattern)
	return func(a *answer) {
		if !a.is(operation, version) {
			return
		}
		if !found.MatchString(a.body) {
			panic("a plant finds nothing to spoil: " + pattern)
		}
		a.body = found.ReplaceAllString(a.body, with)
	}
}

func refuse(operation, version string, status int, body string) func(*answer) {
	return func(a *answer) {
		if a.is(operation, version) {
			a.status, a.body = status, body
		}
	}
}

// plants are the causes of the 137 differing users.
func plants() []plant {
	differs := func(operation, row, kind, pointer string) cause {
		return cause{operation, both, "9.3/" + operation + "/" + row, kind, pointer}
	}
	return []plant{
		{name: "a value differs", users: 40, spoil: swap(record, "v6", `"Description":"[^"]*"`, `"Description":"changed"`),
			outcomes: [2]string{"different", "equal"}, causes: []cause{differs(record, "values", "value", "/Description")}},
		{name: "a member is missing", users: 25, spoil: swap(record, "v6", `,"Model":"[^"]*"`, ``),
			outcomes: [2]string{"different", "equal"}, causes: []cause{differs(record, "shape", "member missing", "/Device/Model")}},
		{name: "a type differs", users: 20, spoil: swap(record, "v6", `"ModeType":(\d+)`, `"ModeType":"$1"`),
			outcomes: [2]string{"different", "equal"}, causes: []cause{
				{record, "v6", "2.1/ModeType", malformed, "/ModeType"}, differs(record, "shape", "type", "/ModeType")}},
		{name: "refused in v6 as unknown", users: 15, spoil: refuse(record, "v6", http.StatusNotFound, ""),
			outcomes: [2]string{"different", "equal"}, causes: []cause{differs(record, "shape", "served against refused", "")}},
		{name: "refused in v6 by a fault", users: 7, spoil: refuse(identifiers, "v6", http.StatusInternalServerError, "<h1>oops</h1>"),
			outcomes: [2]string{"equal", "different"}, causes: []cause{
				{identifiers, "v6", "4/" + identifiers + "/served", "status", ""}, differs(identifiers, "shape", "served against refused", "")}},
		{name: "a GUID in braces in both", users: 12, spoil: swap(record, both, `"ModeId":"([^"]*)"`, `"ModeId":"{$1}"`),
			outcomes: [2]string{"both-violate", "equal"}, causes: []cause{
				{record, "v5", "2.1/ModeId", malformed, "/ModeId"}, {record, "v6", "2.1/ModeId", malformed, "/ModeId"}}},
		{name: "a date without T in v5", users: 10, spoil: swap(record, "v5", `"CreatedOn":"([^"]*)T([^"]*)"`, `"CreatedOn":"$1 $2"`),
			outcomes: [2]string{"different", "equal"}, causes: []cause{
				{record, "v5", "2.1/CreatedOn", malformed, "/CreatedOn"}, differs(record, "values", "value", "/CreatedOn")}},
		{name: "one identifier more", users: 8, spoil: swap(identifiers, "v6", `\]$`, `,"ffffffff-0000-4000-8000-000000000000"]`),
			outcomes: [2]string{"equal", "different"}, causes: []cause{differs(identifiers, "values", "element added", "/*")}},
	}
}

// restless are causes that accuse nobody.
func restless() []plant {
	return []plant{
		{name: "it differs once", users: 5, outcomes: [2]string{"drift", "equal"}, spoil: func(a *answer) {
			if a.is(record, "v6") && a.nth == 1 {
				a.body = strings.Replace(a.body, `"Comment":"made up"`, `"Comment":"at work"`, 1)
			}
		}},
		{name: "it changes from call to call", users: 5, outcomes: [2]string{"equal-under-rule", "equal"}, spoil: func(a *answer) {
			if a.is(record, both) {
				a.body = strings.Replace(a.body, `"Comment":"made up"`, `"Comment":"call `+strings.Repeat("I", a.nth)+` of `+a.version+`"`, 1)
			}
		}},
	}
}

// planting says which user shows which cause: the causes are strewn over the population by a rule.
type planting struct {
	people int
	list   []plant
	rank   int // of the first
}

// strewn tells at which place of a shuffled population a user stands: the step is prime to any number of people that is not
// a multiple of it, so each place is somebody's.
func strewn(i, people int) int { return i * 7919 % people }

// of is the cause that a user shows; nil where it shows none.
func (p planting) of(i int) *plant {
	rank := strewn(i, p.people) - p.rank
	for at := range p.list {
		if rank < 0 {
			return nil
		}
		if rank < p.list[at].users {
			return &p.list[at]
		}
		rank -= p.list[at].users
	}
	return nil
}

func (p planting) users() int {
	n := 0
	for _, one := range p.list {
		n += one.users
	}
	return n
}

// planted is a right service but for what is planted.
type planted struct {
	right     http.Handler
	plantings []planting

	mu    sync.Mutex
	calls map[string]int
}

func plantedOver(right http.Handler, plantings ...planting) *planted {
	return &planted{right: right, plantings: plantings, calls: map[string]int{}}
}

func (t *planted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // whoever asked is gone
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	one := t.of(indexIn(body))
	if one == nil {
		t.right.ServeHTTP(w, r)
		return
	}
	recorder := httptest.NewRecorder()
	t.right.ServeHTTP(recorder, r)
	segments := strings.Split(r.URL.Path, "/")
	a := &answer{operation: segments[len(segments)-1], version: segments[len(segments)-3], status: recorder.Code, body: recorder.Body.String()}
	t.mu.Lock()
	key := r.URL.Path + userIDOf(indexIn(body))
	t.calls[key]++
	a.nth = t.calls[key]
	t.mu.Unlock()
	one.spoil(a)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
}

func (t *planted) of(i int) *plant {
	for _, p := range t.plantings {
		if i >= 0 {
			if one := p.of(i); one != nil {
				return one
			}
		}
	}
	return nil
}
