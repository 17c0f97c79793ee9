package selftest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

// difference is one thing in which v6 answers otherwise than v5, for the first user or for all.
type difference struct {
	name      string
	operation schemas.Operation
	lists     bool   // both versions answer getUserAuth with a list of two records
	old, new  string // of the text of v6's answer
	everybody bool

	// What the report must say: this cause in this row, and no other failure.
	row, kind, pointer string
	count              int
}

// differences has each kind of difference, in the record, the device, the second element of a list and the identifiers.
// The numbers and texts are those of the first user in fixtures/records.json.
func differences() []difference {
	const device, last = `"Comment":"handed out in person"`, `"CreatedBy":"enrolment.desk"}`
	const shape, values = "9.3/getUserAuth/shape", "9.3/getUserAuth/values"
	const listed = "9.3/findByUserIds/values"
	record := func(name, old, new, row, kind, pointer string) difference {
		return difference{name: name, operation: schemas.GetUserAuth, old: old, new: new, row: row, kind: kind, pointer: pointer, count: 1}
	}
	identifiers := func(name, old, new, kind, pointer string) difference {
		return difference{name: name, operation: schemas.FindByUserIDs, old: old, new: new, row: listed, kind: kind, pointer: pointer, count: 1}
	}
	second := func(d difference) difference {
		d.lists, d.pointer, d.name = true, "/*"+d.pointer, d.name+", in the second element of a list"
		d.old, d.new = d.old+secondMark, d.new+secondMark
		return d
	}
	inDevice := record("another value in the device", device, `"Comment":"handed out by post"`, values, "value", "/Device/Comment")
	inRecord := record("another value", last, `"CreatedBy":"somebody else"}`, values, "value", "/CreatedBy")
	everybody := record("a member that all users lack", `,"UserId":`, `,"Extra":1,"UserId":`, shape, "member added", "/Extra")
	everybody.everybody, everybody.count = true, 12
	return []difference{
		inRecord,
		inDevice,
		second(inRecord),
		everybody,
		record("a missing member", `"Flags":6,`, ``, shape, "member missing", "/Flags"),
		record("an added member in the device", device, device+`,"Extra":"x"`, shape, "member added", "/Device/Extra"),
		record("null for a value", `"Flags":6`, `"Flags":null`, shape, "type", "/Flags"),
		record("null for an absent member", last, `"CreatedBy":"enrolment.desk","Extra":null}`, shape, "null against absent", "/Extra"),
		record("no device", `"IsEnabled":true`, `"IsEnabled":null`, shape, "type", "/Device/IsEnabled"),
		record("a number off by one, past 2^53", `"Flags":6`, `"Flags":9007199254740993`, values, "value", "/Flags"),
		record("composed for decomposed letters", `"Description":"Smartcard`, `"Description":"Smartcárd`, values, "value", "/Description"),
		record("the same GUID in the other case", `"Id":"efb6fbfe-8de4-4b47-9582-98e214b044d7"`, `"Id":"EFB6FBFE-8DE4-4B47-9582-98E214B044D7"`, values, "representation", "/Id"),
		record("the same instant with another offset", `"ExpirationDate":"2034-12-31T23:59:59Z"`, `"ExpirationDate":"2035-01-01T00:59:59+01:00"`, values, "representation", "/ExpirationDate"),
		identifiers("an identifier less", `,"21e6a46f-1c67-4ea9-8d24-3a163cee5e2c"`, ``, "element missing", "/*"),
		identifiers("an identifier more", `c"]`, `c","5d1f3b70-1f3c-4b5e-9d55-0c1e7c7e6a10"]`, "element added", "/*"),
		identifiers("an identifier twice", `c"]`, `c","21e6a46f-1c67-4ea9-8d24-3a163cee5e2c"]`, "element added", "/*"),
		identifiers("an identifier in the other case", `"21e6a46f`, `"21E6A46F`, "representation", "/*"),
	}
}

// likenesses are ways to write the same answer: none of them is a difference.
func likenesses() []difference {
	alike := func(name string, op schemas.Operation, old, new string) difference {
		return difference{name: name, operation: op, old: old, new: new}
	}
	return []difference{
		alike("an escaped letter", schemas.GetUserAuth, `"Smartcard`, `"\u0053martcard`),
		alike("white space", schemas.GetUserAuth, `"Flags":6`, "\"Flags\" : \n\t6 "),
		alike("a number written otherwise", schemas.GetUserAuth, `"Flags":6`, `"Flags":0.6e1`),
		alike("members in another order", schemas.GetUserAuth, `"IsDisabled":false,"IsLocked":false`, `"IsLocked":false,"IsDisabled":false`),
		alike("identifiers in another order", schemas.FindByUserIDs, `"efb6fbfe-8de4-4b47-9582-98e214b044d7","21e6a46f-1c67-4ea9-8d24-3a163cee5e2c"`,
			`"21e6a46f-1c67-4ea9-8d24-3a163cee5e2c","efb6fbfe-8de4-4b47-9582-98e214b044d7"`),
	}
}

// secondMark stands behind the second record of a list while the answers are made.
const secondMark = "\x00"

func differenceSpecs(r *rig) {
	Describe("Two versions that differ in one thing", func() {
		for _, d := range differences() {
			It(d.name, func() {
				report, o := d.judged(r)
				Expect(o.code).To(Equal(1), o.said())
				Expect(report.rows("fail", "inconclusive")).To(Equal([]string{"v5=v6 " + d.row}), o.said())
				Expect(report.causes(d.row)).To(Equal([]string{fmt.Sprintf("%s at %s: %d", d.kind, d.pointer, d.count)}), o.said())
			})
		}
	})
	Describe("Two versions that only write alike answers otherwise", func() {
		for _, d := range likenesses() {
			It(d.name, func() {
				report, o := d.judged(r)
				Expect(o.code).To(Equal(0), o.said())
				Expect(report.rows("fail", "inconclusive")).To(BeEmpty(), o.said())
			})
		}
	})
}

// causes lists the causes of one row of parity.
func (r *report) causes(id string) []string {
	var list []string
	for _, row := range r.Requirements {
		if row.ID != id {
			continue
		}
		for _, c := range row.Causes {
			list = append(list, fmt.Sprintf("%s at %s: %d", c.Kind, c.Pointer, c.Count))
		}
	}
	return list
}

func (d difference) judged(r *rig) (*report, *outcome) {
	var changed atomic.Bool
	server := httptest.NewServer(d.serve(referenceOf(knownUsers()), &changed))
	defer server.Close()
	o := r.call(r.certify(server.URL))
	Expect(changed.Load()).To(BeTrue(), "the answer holds no %q to change", d.old)
	return sound(o), o
}

// serve changes the text of v6's answers over the reference's.
func (d difference) serve(reference http.Handler, changed *atomic.Bool) http.Handler {
	first := knownUsers()[0]
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		content, err := io.ReadAll(request.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		var asked struct{ UserID string }
		_ = json.Unmarshal(content, &asked) // what is no JSON asks for nobody
		request.Body = io.NopCloser(bytes.NewReader(content))
		answer := httptest.NewRecorder()
		reference.ServeHTTP(answer, request)
		text := strings.TrimSpace(answer.Body.String())
		operation := path.Base(request.URL.Path)
		if answer.Code == http.StatusOK && d.lists && operation == string(schemas.GetUserAuth) {
			// The Id of the second record is another one, so that each is matched with its own.
			text = "[" + text + "," + strings.Replace(text, `"Id":"`, `"Id":"00000000-0000-0000-0000-000000000000","Was":"`, 1) + secondMark + "]"
		}
		if answer.Code == http.StatusOK && operation == string(d.operation) && strings.Contains(request.URL.Path, "/v6/") &&
			(d.everybody || asked.UserID == first.UserID) {
			altered := strings.Replace(text, d.old, d.new, 1)
			if altered != text {
				changed.Store(true)
			}
			text = altered
		}
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		w.WriteHeader(answer.Code)
		_, _ = w.Write([]byte(strings.ReplaceAll(text, secondMark, "")))
	})
}
