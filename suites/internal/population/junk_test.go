package population_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A population with something after its last user", func() {
	It("names that line, in each form and compression", func() {
		for extension, compress := range packers() {
			_, err := readFile("u.csv"+extension, compress("id,userId\n"+csvOf(0, 300)+"\x00\x01"))
			expectFault(err, "u.csv"+extension+":302: ")
			users, err := readInput(compress(ndjsonOf(0, 300) + "\x00\x01"))
			expectFault(err, "standard input:301: ")
			Expect(users).To(HaveLen(300))
		}
	})
})
