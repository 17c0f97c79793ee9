package spec_test

import (
	"reflect"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/spec"
)

var _ = Describe("Again", func() {
	DescribeTable("says of an equal answer what WellFormed says",
		func(op schemas.Operation, enrolled bool, status int, body string) {
			first, second := answeredExchange(wellFormedProbe(op), status, body), answeredExchange(wellFormedProbe(op),
				status,
				body)
			first.Probe.User.Enrolled, second.Probe.User.Enrolled = enrolled, enrolled
			second.Probe.ID, second.Probe.Round, second.Duration = "e3", 2, time.Second
			second.Header.Set("Deprecation", "true")
			second.Header.Set("Content-Type", "text/json")

			j := newJudge()
			earlier := j.WellFormed(first)
			again, anew := j.Again(earlier, second), j.WellFormed(second)
			Expect(again.Rows).To(Equal(anew.Rows))
			Expect(again.Facts).To(Equal(anew.Facts))
			Expect(again.Shared).To(Equal(anew.Shared))
			Expect(again.Answer.Exchange).To(BeIdenticalTo(second))
			Expect(reflect.DeepEqual(again.Answer.Value, anew.Answer.Value)).To(BeTrue())
			Expect(again.Answer.Served()).To(Equal(anew.Answer.Served()))
			Expect(again.Answer.DisclosesData()).To(Equal(anew.Answer.DisclosesData()))
			Expect(earlier.Answer.Exchange).To(BeIdenticalTo(first), "the earlier one stays as it was")
			for _, row := range earlier.Rows {
				for _, f := range row.Findings {
					Expect(f.Probe.ID).To(Equal("e1"))
				}
			}
		},
		Entry("a record", schemas.GetUserAuth, true, 200, recordWith()),
		Entry("a record with findings", schemas.GetUserAuth, true, 200,
			recordWith("Flags", "1.5", "Device.Id", `"x"`, "createdOn", "1")),
		Entry("a record of another user", schemas.GetUserAuth, true, 200, recordWith("UserId", `"another"`)),
		Entry("a record of the user in another case", schemas.GetUserAuth, true, 200, recordWith("UserId", `"U-1001"`)),
		Entry("a list of records", schemas.GetUserAuth, true, 200, "["+recordWith()+",0,"+recordWith("Extra", "1")+"]"),
		Entry("identifiers", schemas.FindByUserIDs, true, 200, `["`+guidA+`","x"]`),
		Entry("many wrong identifiers", schemas.FindByUserIDs, true, 200, "["+strings.Repeat("1,", 99)+"1]"),
		Entry("a refusal", schemas.GetUserAuth, true, 404, `{"error":1}`),
		Entry("no JSON", schemas.FindByUserIDs, true, 200, `[`),
		Entry("nothing of a user who is not enrolled", schemas.GetUserAuth, false, 404, ``),
		Entry("a record of a user who is not enrolled", schemas.GetUserAuth, false, 200, recordWith()),
	)

	// Observations count how often a field was null: an answer must not count less for having been seen before.
	It("observes what WellFormed observes also where the earlier answer's value was let go", func() {
		j := newJudge()
		body := recordWith("Flags", "null", "Device.Model", "-")
		var earlier *spec.Judgement = j.WellFormed(answeredExchange(wellFormedProbe(schemas.GetUserAuth), 200, body))
		expected := observedFacts(earlier, "open/2/null-or-absent")
		earlier.Answer.Drop()
		Expect(observedFacts(j.Again(earlier, answeredExchange(wellFormedProbe(schemas.GetUserAuth), 200, body)),
			"open/2/null-or-absent")).To(
			ConsistOf(expected))
	})
})
