package check_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
)

var _ = DescribeTable("An answer can mean that the user has no data (J22)", func(status int, body string, can bool) {
	for _, op := range schemas.Operations() {
		Expect(contract().SaysNothing(answerTo(op, status, body))).To(Equal(can), "%s", op)
	}
},
	Entry("400", 400, `{"error":"unknown"}`, true),
	Entry("404", 404, "", true),
	Entry("410", 410, "", true),
	Entry("422", 422, "", true),
	Entry("200 without a body", 200, "", true),
	Entry("204", 204, "", true),
	Entry("200 with white space", 200, " \n", true),
	Entry("200 with a mebibyte of white space", 200, strings.Repeat(" ", 1<<20)+"[]", true),
	Entry("200 with null", 200, "null", true),
	Entry("200 with an empty list", 200, "[]", true),
	Entry("200 with an empty object", 200, "{}", true),
	Entry("200 with a text", 200, `"User has no authenticators"`, true),
	Entry("200 with an error", 200, `{"Code":"NotFound","Message":"none","Details":[]}`, true),
	Entry("200 with an envelope of nothing", 200, `{"Code":0,"Data":null}`, true),
	Entry("200 with a page does not", 200, "<!DOCTYPE html><p>Sign in", false),
	Entry("200 with plain text does not", 200, "Service is starting", false),
	Entry("200 with broken JSON does not", 200, `{"Code":`, false),
	Entry("200 with a number does not", 200, "0", false),
	Entry("200 with a list of an error does not", 200, `[{"Code":"NotFound"}]`, false),
	Entry("200 with an object with a GUID does not", 200, `{"trace":"`+served+`"}`, false),
	Entry("200 with a record does not", 200, `{"Flags":1}`, false),
	Entry("200 with a record in an envelope does not", 200, `{"Code":0,"Data":{"Flags":1}}`, false),
	Entry("200 with more than a mebibyte does not", 200, `"`+strings.Repeat("a", 1<<20)+`"`, false),
	Entry("302 does not", 302, "", false),
	Entry("401 does not", 401, "", false),
	Entry("403 does not", 403, "", false),
	Entry("429 does not", 429, "", false),
	Entry("500 does not", 500, "", false),
)

var _ = It("An answer that did not come whole does not mean that the user has no data", func() {
	for _, status := range []int{0, 200, 404} {
		ex := answerTo(schemas.GetUserAuth, status, "")
		ex.Fault = &exchange.Fault{Kind: exchange.Timeout}
		Expect(contract().SaysNothing(ex)).To(BeFalse(), "status %d", status)
	}
})
