//go:build !linux

package selftest_test

import . "github.com/onsi/ginkgo/v2"

// sweepDiskSpecs need a small disk, which is made with Linux's tmpfs.
func sweepDiskSpecs(*rig) {
	It("on a small disk goes on where there is room", func() { Skip("a small disk is made with tmpfs, which is Linux's") })
}
