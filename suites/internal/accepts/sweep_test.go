package accepts_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The same comparison as in FuzzAccepts, over all small changes of a right record and a right list, so that each of
// them is made in every test run.
var _ = Describe("Acceptance and the judge", func() {
	first, identifiers := ofReference()[0], findByUserIDsAnswer(`["`+guidA+`","`+guidB+`"]`)

	It("agree whatever token stands in the place of another", func() {
		accepted, all := 0, 0
		for _, a := range []answer{first, identifiers} {
			for at := range oneToken.FindAllStringIndex(a.body, -1) {
				for other := range tokenStock() {
					for _, kind := range []int{putToken, putMember} {
						changed := answer{a.op, a.userID, changedBody(a.body, kind, at, other, "x")}
						checkBothJudges(GinkgoTB(), changed)
						all++
						if changed.accepted() {
							accepted++
						}
					}
				}
			}
		}
		Expect(accepted).To(BeNumerically(">", all/4), "right ones")
		Expect(all-accepted).To(BeNumerically(">", all/4), "others")
	})

	It("agree whatever byte stands in the place of another, or is missing", func() {
		for _, a := range []answer{first, identifiers} {
			for at := range len(a.body) {
				for _, c := range []string{"\x00", "\n", " ", `"`, `\`, "0", "9", ".", "e", "-", ",", ":", "]", "}",
					"{", "[", "a",
					"\x7f", "\x80", "\xc3"} {
					checkBothJudges(GinkgoTB(), answer{a.op, a.userID, a.body[:at] + c + a.body[at+1:]})
				}
				checkBothJudges(GinkgoTB(), answer{a.op, a.userID, a.body[:at] + a.body[at+1:]})
			}
		}
	})
})
