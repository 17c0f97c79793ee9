package check_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
)

const (
	served = "7a0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13" // no request has it
	device = "c0ffee00-41aa-4e0b-b6a3-5c1e0f2d3b4a"
	mode   = "11111111-41aa-4e0b-b6a3-5c1e0f2d3b4a"
	zero   = "00000000-0000-0000-0000-000000000000"
)

// servedTo is the answer to a well-formed request of a user.
func servedTo(user string, status int, body string) *check.Answer {
	op := schemas.GetUserAuth
	if strings.HasPrefix(body, `["`) {
		op = schemas.FindByUserIDs
	}
	ex := answerTo(op, status, body)
	ex.Probe.User.UserID = user
	return contract().Read(ex)
}

// judgeRefusal judges what alice's request without a field gets, after these answers to well-formed requests.
func judgeRefusal(refusal string, served bool, answers []*check.Answer, texts ...string) check.Outcome {
	var owners check.Owners
	for _, a := range answers {
		owners.Note(a)
	}
	ex := answerTo(schemas.GetUserAuth, 401, refusal)
	ex.Probe.Kind, ex.Probe.Field = exchange.Null, "UserId"
	ex.Control = &exchange.Control{Served: served}
	ex.Own = owners.Own(ex.Probe.User, texts...)
	return check.DisclosesNothing(contract().ReadRefusal(ex))
}

// packed returns a text as gzip.
func packed(text string) string {
	var buffer bytes.Buffer
	writer := gzip.NewWriter(&buffer)
	_, _ = writer.Write([]byte(text)) // to memory, where nothing fails
	_ = writer.Close()
	return buffer.String()
}

var _ = DescribeTable("What a user alone was served is found in a refusal, in any form (J13)",
	func(answer, refusal string, disclosed bool) {
		out := judgeRefusal(refusal, true, []*check.Answer{servedTo("alice", 200, answer)})
		Expect([]int{out.Count, out.Witnesses}).To(Equal(map[bool][]int{true: {1, 0}, false: {0, 1}}[disclosed]))
	},
	Entry("in an envelope", `{"Id":"`+served+`"}`, `{"data":{"Id":"`+served+`"}}`, true),
	Entry("in a page", `[{"Id":"`+served+`"}]`, `<pre>`+strings.ToUpper(served)+`</pre>`, true),
	Entry("cut off", `["`+served+`"]`, `["`+served+`","`, true),
	Entry("packed by gzip", `["`+served+`"]`, packed(`{"data":["`+served+`"]}`), true),
	Entry("with a mebibyte of white space", `{"Id":"`+served+`"}`,
		`{"data":{"Id":"`+served+`"}}`+strings.Repeat(" ", 1<<20), true),
	Entry("a record in an envelope, with the Id of the request", `{"Id":"`+guid+`"}`,
		`{"status":"error","data":[{"Id":"`+guid+`","Flags":1,"ModeType":2,"IsLocked":true}]}`, true),
	Entry("but not two members of a record", `{"Id":"`+guid+`"}`,
		`{"data":{"Id":"`+guid+`","Flags":1,"ModeType":2,"IsLocked":null}}`, false),
	Entry("but not a name that is no GUID", `{"Id":"refused"}`, `{"error":"refused"}`, false),
)

var _ = It("What a user alone was served is found in a header of a refusal, too (J13)", func() {
	for _, name := range []string{"Location", "Etag", "X-Authenticator"} {
		var owners check.Owners
		owners.Note(servedTo("alice", 200, `{"Id":"`+served+`"}`))
		ex := answerTo(schemas.GetUserAuth, 302, "")
		ex.Probe.Kind, ex.Header = exchange.RandomToken, http.Header{name: {"/users/" + strings.ToUpper(served)}}
		ex.Control, ex.Own = &exchange.Control{Served: true}, owners.Own(ex.Probe.User)
		out := check.DisclosesNothing(contract().ReadRefusal(ex))
		Expect(out.Findings).To(HaveLen(1), name)
		Expect(out.Findings[0].Actual).To(Equal(check.Disclosed{Status: 302, Value: served}))
	}
})

var _ = DescribeTable("A GUID in a refusal discloses data if the user was served it, and nobody else (J13)",
	func(guidInRefusal string, disclosed bool, answers ...*check.Answer) {
		refusal := fmt.Sprintf(`{"error":"no","about":%q}`, guidInRefusal)
		for _, controlled := range []bool{true, false} {
			out := judgeRefusal(refusal, controlled, answers, "calling module "+other)
			if disclosed {
				Expect(out).To(outcomeOf(0, "null "), "also if the target serves nobody else at that time")
				Expect(out.Findings[0].Actual).To(Equal(check.Disclosed{Status: 401, Value: guidInRefusal}))
			} else if controlled {
				Expect(out).To(outcomeOf(1))
			}
		}
	},
	Entry("that of the device", device, true, record("alice", served, device, mode)),
	Entry("in another operation than that of the refusal", served, true, servedTo("alice", 200, `["`+served+`"]`)),
	Entry("a mode that another user has not", mode, true, record("alice", served, device, mode),
		record("bob", other, other, other)),
	Entry("a mode that another user has not, and the user is served again", mode, true,
		record("alice", served, device, mode), record("bob", other, other, other),
		record("alice", served, device, mode)),
	Entry("not a mode, if another user was not served records", mode, false,
		record("alice", served, device, mode), servedTo("bob", 200, `[{"Flags":1},7]`)),
	Entry("not a mode that another user has, too", mode, false, record("bob", other, other, mode),
		record("alice", served, device, mode)),
	Entry("nor the device of two", device, false, record("alice", served, device, mode),
		record("bob", other, device, mode)),
	Entry("nor an identifier of two", served, false, servedTo("alice", 200, `["`+served+`"]`),
		servedTo("bob", 200, `["`+strings.ToUpper(served)+`"]`)),
	Entry("nor a mode, if records were served to one user only", mode, false, record("alice", served, device, mode),
		record("alice", served, device, mode), servedTo("bob", 200, `["`+other+`"]`)),
	Entry("nor an incident, of a time when the user was refused", served, false, servedTo("alice", 503, `"`+served+`"`),
		servedTo("alice", 200, `["`+served+`"]`), record("bob", other, other, other)),
	Entry("nor the Id of the request", guid, false, record("alice", guid, device, mode)),
	Entry("nor one in the application id", other, false, record("alice", served, other, mode)),
	Entry("nor the zero GUID", zero, false, record("alice", served, zero, mode)),
	Entry("nor one that nobody was served", other, false, record("alice", served, device, mode)),
)

// record is the answer to a user who has one authenticator.
func record(user, id, device, mode string) *check.Answer {
	return servedTo(user, 200, fmt.Sprintf(`{"Id":%q,"ModeId":%q,"Device":{"Id":%q}}`, id, mode, device))
}

var _ = It("A GUID within the UserId of the request is no data in the answer that refuses it (J13)", func() {
	a := servedTo("alice-"+served, 200, `["`+served+`"]`)
	var owners check.Owners
	owners.Note(a)
	Expect(owners.Own(a.Exchange.Probe.User)).To(BeEmpty())
})

var _ = It("More GUIDs than are remembered count as served to several users, and those before them do not", func() {
	var list strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&list, `,"%08d-41aa-4e0b-b6a3-5c1e0f2d3b4a"`, i)
	}
	var owners check.Owners
	for _, list := range []string{`["` + served + `","` + device + `"]`, `["` + other + `"` + list.String() + `]`} {
		owners.Note(servedTo("alice", 200, list))
	}
	owners.Note(servedTo("bob", 200, `["`+device+`","`+mode+`"]`))
	own := owners.Own(exchange.User{ID: guid, UserID: "alice"})
	Expect(own).To(And(HaveKey(served), HaveKey(other), Not(HaveKey(device))))
	Expect(len(own)).To(BeNumerically("<", 50_000))
	Expect(owners.Own(exchange.User{ID: guid, UserID: "bob"})).To(BeEmpty())
})
