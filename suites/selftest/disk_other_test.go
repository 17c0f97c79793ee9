//go:build !linux

package selftest_test

import . "github.com/onsi/ginkgo/v2"

var _ = It("A full disk leads to an error", func() {
	Skip("a small disk is a tmpfs, which only Linux has")
})
