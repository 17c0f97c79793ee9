package spec_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/testkit"
)

func judgeGetUserAuth(body string) *spec.Judgement {
	return newJudge().WellFormed(answeredExchange(wellFormedProbe(schemas.GetUserAuth), 200, body))
}

var _ = Describe("The fields of a record", func() {
	It("are each witnessed by a whole record", func() {
		expected := []string{recordServed, "4.1/user"}
		for _, member := range testkit.Contract().Record.Members() {
			expected = append(expected, "2.1/"+member)
		}
		for _, member := range testkit.Contract().Device.Members() {
			expected = append(expected, "2.2/"+member)
		}
		Expect(witnessedRows(judgeGetUserAuth(recordWith()))).To(ConsistOf(expected))
	})

	It("are neither witnessed nor found where each is null (J8)", func() {
		body := "{"
		for i, member := range testkit.Contract().Record.Members() {
			if i > 0 {
				body += ","
			}
			body += `"` + member + `":null`
		}
		result := judgeGetUserAuth(body + "}")
		Expect(witnessedRows(result)).To(Equal([]string{recordServed}))
		Expect(findingLines(result)).To(BeEmpty())
	})

	It("tell what would have been accepted and what came", func() {
		f := judgeGetUserAuth(recordWith("CreatedOn", `"2024-01-01"`)).Rows["2.1/CreatedOn"].Findings[0]
		Expect(expectedText(f)).To(Equal(testkit.Contract().Record.Expected("CreatedOn")))
		Expect(actualText(f)).To(ContainSubstring("2024-01-01"))
		Expect(f.Probe).To(Equal(wellFormedProbe(schemas.GetUserAuth)))
	})
})

var _ = DescribeTable("J8, a near miss of a name is noted in the row of the field that it may have meant",
	func(name, row, field string) {
		result := judgeGetUserAuth(recordWith(field, "-", name, `"x"`))
		Expect(findingLines(result)).To(BeEmpty())
		Expect(result.Rows[row].Witnesses).To(BeZero())
		Expect(notesText(result.Rows[row])).To(HaveExactElements(
			And(ContainSubstring(`"`+name+`"`), ContainSubstring("case-sensitive"))))
	},
	Entry("camel case", "createdOn", "2.1/CreatedOn", "CreatedOn"),
	Entry("upper case", "CREATEDON", "2.1/CreatedOn", "CreatedOn"),
	Entry("snake case", "created_on", "2.1/CreatedOn", "CreatedOn"),
	Entry("hyphens", "created-on", "2.1/CreatedOn", "CreatedOn"),
)

var _ = Describe("Names that are near misses", func() {
	It("in the device are noted there", func() {
		result := judgeGetUserAuth(recordWith("Device.isEnabled", "true", "Device.IsEnabled", "-"))
		Expect(notesText(result.Rows["2.2/IsEnabled"])).To(HaveLen(1))
		Expect(result.Rows["2.2/IsEnabled"].Witnesses).To(BeZero())
	})
	It("are not noted where a name is another one", func() {
		result := judgeGetUserAuth(recordWith("CreatedOnDate", "1", "Created", "1"))
		for id, row := range result.Rows {
			Expect(notesText(row)).To(BeEmpty(), id)
		}
	})
	It("are each noted once, however many records have them", func() {
		record := recordWith("flags", "1")
		Expect(notesText(judgeGetUserAuth("[" + record + "," + record + "]").Rows["2.1/Flags"])).To(HaveLen(1))
	})
})

var _ = Describe("J12, the record is the asked user's", func() {
	DescribeTable("its UserId",
		func(recordUserID string, witness, finding bool, observed ...string) {
			result := judgeGetUserAuth(recordWith("UserId", recordUserID))
			row := result.Rows["4.1/user"]
			switch {
			case finding:
				Expect(row.Count).To(Equal(1))
				Expect(row.Witnesses).To(BeZero())
				Expect(row.Findings[0].Pointer).To(Equal("/UserId"))
				Expect(expectedText(row.Findings[0])).To(ContainSubstring(userID))
			case witness:
				Expect(row.Witnesses).To(Equal(1))
				Expect(row.Count).To(BeZero())
			default:
				Expect(row).To(BeNil())
			}
			Expect(observedFacts(result, "open/2/user-id-case")).To(ConsistOf(observed))
		},
		Entry("is the one asked for", `"u-1001"`, true, false, "as asked"),
		Entry("is it in other escapes", `"\u0075-1001"`, true, false, "as asked"),
		Entry("differs in case only", `"U-1001"`, true, false, "differs from the asked one in case only"),
		Entry("is another", `"u-1002"`, false, true),
		Entry("begins with it", `"u-1001 "`, false, true),
		Entry("is empty", `""`, false, true),
		Entry("is null", `null`, false, false),
		Entry("is absent", `-`, false, false),
		Entry("is a number, which 2.1/UserId finds", `1001`, false, false),
	)
	It("holds for each record of a list", func() {
		result := judgeGetUserAuth("[" + recordWith() + "," + recordWith("UserId", `"another"`) + "]")
		Expect(findingLines(result)).To(Equal([]string{"4.1/user | /1/UserId | another user"}))
		Expect(result.Rows["4.1/user"].Witnesses).To(Equal(1))
	})
	It("is not about the record's Id: what that identifies is another matter", func() {
		Expect(findingLines(judgeGetUserAuth(recordWith("Id", `"`+guidB+`"`)))).To(BeEmpty())
	})
})
