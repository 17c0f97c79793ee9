package sweep_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

// reply is one answer of a stage.
type reply struct {
	status int
	header string // "Name: value", or ""
	body   string
	act    func(http.ResponseWriter, *http.Request) // in place of an answer
}

func okReply(body string) reply { return reply{status: http.StatusOK, body: body} }
func statusReply(code int, body ...string) reply {
	return reply{status: code, body: strings.Join(body, "")}
}

// replies are the answers to the same request, one after the other; the last stays.
type replies []reply

func alwaysReply(r reply) replies { return replies{r} }

func (r replies) nth(n int) reply { return r[min(n, len(r)-1)] }

// answersInTurn gives replies over and over again.
func answersInTurn(times int, list ...reply) replies {
	var all replies
	for range times {
		all = append(all, list...)
	}
	return all
}

func (r reply) write(w http.ResponseWriter, req *http.Request) {
	if r.act != nil {
		r.act(w, req)
		return
	}
	if name, value, given := strings.Cut(r.header, ": "); given {
		w.Header().Set(name, value)
	}
	if r.status != http.StatusNoContent {
		w.Header().Set("Content-Length", strconv.Itoa(len(r.body)))
	}
	w.WriteHeader(r.status)
	if r.status != http.StatusNoContent {
		_, _ = io.WriteString(w, r.body) // a client that went away has no use for the error
	}
}

// The witness is a user for whom everything is right, so that the verdict depends on the subject.
const (
	witness   = "witness"
	witnessID = "5b1d4c1e-6a53-4b7a-9a76-27a1f2a1b001"
	subject   = "subject"
	subjectID = "5b1d4c1e-6a53-4b7a-9a76-27a1f2a1b002"
)

// A record of the subject, and its identifiers.
var (
	record      = recordOf(subject, `"Description":"desk"`)
	identifiers = `["0f8fad5b-d9cb-469f-a165-70867728950e","7c9e6679-7425-40de-944b-e07fc1f90ae7"]`
)

// recordOf makes a record; the members come last, and what they say again is said once.
func recordOf(userID string, members string) string {
	return `{"Id":"0f8fad5b-d9cb-469f-a165-70867728950e","UserId":"` + userID +
		`","ModeType":3,"IsLocked":false,"CreatedOn":"2024-02-29T23:59:59.999Z",` + members + `}`
}

// stage is a target that answers the subject as a spec says, and the witness as it should.
type stage struct {
	op     schemas.Operation // at which the subject is answered otherwise
	v5, v6 replies

	mu  sync.Mutex
	log []string // versions of the subject's requests at op
}

func (s *stage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	var asked struct{ UserID string }
	if err == nil {
		err = json.Unmarshal(text, &asked)
	}
	if err != nil {
		w.WriteHeader(http.StatusTeapot) // the suite sent what it never should
		return
	}
	for _, v := range schemas.Versions() {
		if r.URL.Path == schemas.Path(v, s.op) && asked.UserID == subject {
			s.next(v).write(w, r)
			return
		}
	}
	body := `["0f8fad5b-d9cb-469f-a165-70867728950e"]`
	if strings.HasSuffix(r.URL.Path, string(schemas.GetUserAuth)) {
		body = recordOf(asked.UserID, `"Description":"right"`)
	}
	okReply(body).write(w, r)
}

func (s *stage) next(v schemas.Version) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := strings.Count(strings.Join(s.log, " "), string(v))
	s.log = append(s.log, string(v))
	if v == schemas.V5 {
		return s.v5.nth(before)
	}
	return s.v6.nth(before)
}

// asked are the versions of the subject's requests, in the order sent.
func (s *stage) asked() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.log, " ")
}

func (s *stage) serve() string {
	GinkgoHelper()
	Expect(s.op).NotTo(BeEmpty())
	return serveUntilEnd(httptest.NewServer(s))
}
