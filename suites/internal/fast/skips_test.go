package fast_test

import (
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/fast"
)

var _ = It("passes over a string to the first byte that has to be looked at", func() {
	for size := range 20 {
		for at := range size {
			for c := range 256 {
				body := slices.Repeat([]byte{' '}, size)
				body[at] = byte(c)
				if at+1 < size {
					body[at+1] = '!' // one above what is looked for, so that a borrow would show
				}
				expected := at
				if c >= ' ' && c < 0x80 && c != '"' && c != '\\' {
					expected = size
				}
				for start := range at + 1 {
					if pass := fast.Pass(body, start); pass != expected {
						Expect(pass).To(Equal(expected), "%q from %d", body, start)
					}
				}
			}
		}
	}
})
