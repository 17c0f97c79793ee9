package accepts_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestAccepts(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "accepts")
}
