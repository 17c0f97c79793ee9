package sweep_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/stats"
)

var _ = Describe("The values of a finding", func() {
	long := strings.Repeat("long ", 1000)
	member := func(text string) string { return recordOf(subject, text) }

	DescribeTable("are what both versions answered, whole", func(left, right reply, requirement, v5, v6 string) {
		s := &stage{op: schemas.GetUserAuth, v5: alwaysReply(left), v6: alwaysReply(right)}
		out := finishSweep(s.serve(), []testUser{{ID: subjectID, UserID: subject}})
		var found []stats.Finding
		for _, f := range out.lines {
			if f.Requirement == requirement {
				found = append(found, f)
			}
		}
		Expect(found).NotTo(BeEmpty(), out.text)
		Expect(found[0].Values[schemas.V5]).To(Equal(v5))
		Expect(found[0].Values[schemas.V6]).To(Equal(v6))
		for _, g := range out.Tally.Groups {
			Expect(g.Sample[0].Values).To(BeEmpty(), "a report and a checkpoint hold many samples")
		}
	},
		Entry("two texts", okReply(member(`"Description":"`+long+`"`)), okReply(member(`"Description":"-1"`)),
			"9.3/getUserAuth/values", `"`+long+`"`, `"-1"`),
		Entry("a member that one lacks", okReply(member(`"Description":"x","Flags":null`)),
			okReply(member(`"Description":"x"`)),
			"9.3/getUserAuth/shape", "null", ""),
		Entry("a record and a refusal",
			okReply(`{"Id":"0f8fad5b-d9cb-469f-a165-70867728950e","UserId":"subject","Flags":1}`),
			statusReply(404, "no"), "9.3/getUserAuth/shape",
			`{"Flags":1,"Id":"0f8fad5b-d9cb-469f-a165-70867728950e","UserId":"subject"}`, "status 404"),
		Entry("a breach of the contract by one version", okReply(member(`"Flags":1`)), okReply(member(`"Flags":"1"`)),
			"2.1/Flags", "", `"1"`),
	)

	It("change from call to call in one version only", func() {
		s := &stage{op: schemas.GetUserAuth, v5: alwaysReply(okReply(member(`"Flags":1`)))}
		s.v6 = answersInTurn(5, okReply(member(`"Flags":2`)), okReply(member(`"Flags":3`)))
		out := finishSweep(s.serve(), []testUser{{ID: subjectID, UserID: subject}})
		Expect(out.lines).To(HaveLen(1))
		Expect(out.lines[0].Values[schemas.V5]).To(BeEmpty())
		Expect(out.lines[0].Values[schemas.V6]).To(MatchRegexp("^[23], then [23]$"))
	})
})
