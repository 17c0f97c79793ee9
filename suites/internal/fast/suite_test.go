package fast_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestFast(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "fast")
}
