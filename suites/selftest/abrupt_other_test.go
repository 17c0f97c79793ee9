//go:build !linux

package selftest_test

import . "github.com/onsi/ginkgo/v2"

// fullDiskSpecs need a small disk, which is made with Linux's tmpfs.
func fullDiskSpecs(*rig) {
	It("A disk that is too small for the reports holds no pass", func() { Skip("a small disk is made with tmpfs, which is Linux's") })
}
