package parity_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/parity"
)

var _ = DescribeTable("Two texts that may be one instant",
	func(left, right string, kind parity.Kind) {
		found := parity.Records(decodeText(`{"a":"`+left+`"}`), decodeText(`{"a":"`+right+`"}`))
		Expect(found).To(HaveLen(1))
		Expect(found[0].Kind).To(Equal(kind))
	},
	Entry("another offset", "2024-05-01T10:00:00Z", "2024-05-01T12:00:00+02:00", parity.Representation),
	Entry("more zeros", "2024-05-01T10:00:00.5Z", "2024-05-01T10:00:00.500Z", parity.Representation),
	Entry("zeros only", "2024-05-01T10:00:00Z", "2024-05-01T10:00:00.000Z", parity.Representation),
	Entry("a nine before the zeros", "2024-05-01T10:00:00.9Z", "2024-05-01T10:00:00.900Z", parity.Representation),
	Entry("a zero in front", "2024-05-01T10:00:00.09Z", "2024-05-01T10:00:00.090Z", parity.Representation),
	Entry("another fraction", "2024-05-01T10:00:00.5Z", "2024-05-01T10:00:00.6Z", parity.Value),
	Entry("a fraction on the left only", "2024-05-01T10:00:00.5Z", "2024-05-01T10:00:00Z", parity.Value),
	Entry("a fraction on the right only", "2024-05-01T10:00:00Z", "2024-05-01T10:00:00.5Z", parity.Value),
	Entry("another digit past the ninth", "2024-05-01T10:00:00.1234567891Z", "2024-05-01T10:00:00.1234567892Z",
		parity.Value),
	Entry("no digit behind the dot", "2024-05-01T10:00:00.Z", "2024-05-01T12:00:00.+02:00", parity.Value),
	Entry("a dot in front", ".5Z", ".50Z", parity.Value),
	Entry("no offset: it is no instant", "2024-05-01T10:00:00.5", "2024-05-01T10:00:00.50", parity.Value),
	Entry("no date-times", "1.5", "1.50", parity.Value),
	Entry("the first instant of all against no date-time", "0001-01-01T00:00:00Z", "none", parity.Value),
	Entry("no date-time against the first instant of all", "none", "0001-01-01T00:00:00Z", parity.Value),
)

var _ = Describe("Calls that all brought the same", func() {
	DescribeTable("are concluded undecoded, as decoded ones are",
		func(rule parity.Rule, v5, v6 []string) {
			c := callsOfVersions(v5, v6)
			Expect(rule.Identical(c)).To(Equal(rule.Conclude(c, parity.Calls{})))
		},
		Entry("served", parity.Rule{}, []string{`{"a":1}`}, []string{`{"a":1}`}),
		Entry("served, by shape", parity.Rule{ShapeOnly: true}, []string{`{"a":1}`}, []string{`{"a":1}`}),
		Entry("refused", parity.Rule{}, []string{""}, []string{""}),
		Entry("one version not asked", parity.Rule{}, []string{`{"a":1}`}, nil),
		Entry("the other not asked", parity.Rule{}, nil, []string{`{"a":1}`}),
	)

	It("compares bodies that were let go of by decoding them again", func() {
		let := func(text string) parity.Call { return parity.Call{Served: true, Body: []byte(text)} }
		c := parity.Calls{Operation: schemas.GetUserAuth, From: []parity.Call{let(`{"a":1}`)},
			To: []parity.Call{let(`{"a":2}`)}}
		Expect(differenceLines(parity.Rule{}.Conclude(c,
			parity.Calls{}).Differences)).To(Equal([]string{"/a | value | 1 | 2"}))
	})
})
