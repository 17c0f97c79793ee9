package schemas_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

// violatesRequest reports whether a text breaks the schema of a request as one of its members.
func violatesRequest(request *schemas.Schema, member, text string) bool {
	for _, violation := range request.Check(map[string]any{member: text}) {
		if violation.Pointer == "/"+member {
			return true
		}
	}
	return false
}

// idTexts are a valid GUID and near misses.
func idTexts() []string {
	const guid = "0F8fad5b-d9cb-469f-a165-70867728950e"
	return []string{guid, "", " ", guid + " ", " " + guid, "{" + guid + "}", "urn:uuid:" + guid, guid[1:], guid +
		"0", "00000000-0000-0000-0000-000000000000",
		"0f8fad5bd9cb469fa16570867728950e", "0f8fad5b-d9cb-469f-a165-70867728950g",
		"0f8fad5b_d9cb_469f_a165_70867728950e",
		guid[:35] + "\x00", guid[:35] + "é"}
}

var _ = Describe("A text of a request", func() {
	It("is accepted by AcceptsText exactly if Check finds no violation", func() {
		request := loadContract().GetUserAuthRequest
		Expect(request.AcceptsText("Id", idTexts()[0])).To(BeTrue())
		for _, text := range idTexts() {
			Expect(request.AcceptsText("Id", text)).To(Equal(!violatesRequest(request, "Id", text)), "%q", text)
		}
	})

	It("is never accepted for a member that the schema does not have", func() {
		Expect(loadContract().GetUserAuthRequest.AcceptsText("id", idTexts()[0])).To(BeFalse())
		Expect(loadContract().Identifiers.AcceptsText("Id", idTexts()[0])).To(BeFalse())
	})
})

// FuzzText: Check finds no violation in what AcceptsText accepts.
func FuzzText(f *testing.F) {
	RegisterTestingT(f)
	for _, text := range idTexts() {
		f.Add(text)
	}
	request := loadContract().GetUserAuthRequest
	f.Fuzz(func(t *testing.T, text string) {
		if request.AcceptsText("Id", text) && violatesRequest(request, "Id", text) {
			t.Fatalf("AcceptsText accepts %q, but Check finds a violation", text)
		}
	})
}
