package schemas_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

// breaks tells whether the schema of a request finds a text wrong as one of its members.
func breaks(request *schemas.Schema, member, text string) bool {
	for _, violation := range request.Check(map[string]any{member: text}) {
		if violation.Pointer == "/"+member {
			return true
		}
	}
	return false
}

// idTexts are texts that may be meant as ids.
func idTexts() []string {
	const right = "0F8fad5b-d9cb-469f-a165-70867728950e"
	return []string{right, "", " ", right + " ", " " + right, "{" + right + "}", "urn:uuid:" + right, right[1:], right +
		"0", "00000000-0000-0000-0000-000000000000",
		"0f8fad5bd9cb469fa16570867728950e", "0f8fad5b-d9cb-469f-a165-70867728950g",
		"0f8fad5b_d9cb_469f_a165_70867728950e",
		right[:35] + "\x00", right[:35] + "é"}
}

var _ = Describe("A text of a request", func() {
	It("is proved to be right only where the schema says so, as nearly all are", func() {
		request := load().GetUserAuthRequest
		Expect(request.AcceptsText("Id", idTexts()[0])).To(BeTrue())
		for _, text := range idTexts() {
			Expect(request.AcceptsText("Id", text)).To(Equal(!breaks(request, "Id", text)), "%q", text)
		}
	})

	It("is never proved to be right as a member that the schema does not have", func() {
		Expect(load().GetUserAuthRequest.AcceptsText("id", idTexts()[0])).To(BeFalse())
		Expect(load().Identifiers.AcceptsText("Id", idTexts()[0])).To(BeFalse())
	})
})

// FuzzText: what is proved to be right, the schema finds nothing wrong with.
func FuzzText(f *testing.F) {
	RegisterTestingT(f)
	for _, text := range idTexts() {
		f.Add(text)
	}
	request := load().GetUserAuthRequest
	f.Fuzz(func(t *testing.T, text string) {
		if request.AcceptsText("Id", text) && breaks(request, "Id", text) {
			t.Fatalf("%q is proved to be right, and is not", text)
		}
	})
}
