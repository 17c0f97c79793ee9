package input_test

import (
	"testing"

	"authenticator-conformance/suites/internal/settings/input"
	"authenticator-conformance/suites/internal/testkit"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestInput(t *testing.T) { testkit.Specs(t, "Input") }

var _ = DescribeTable("The nearest known name is right for", func(name, similar string) {
	known := []string{"requirement", "version", "verdict", "reason", "until", "pointer", "target-url", "rate", "ca",
		"2.1/Id", "deadline"}
	Expect(input.Nearest(name, known)).To(Equal(similar))
},
	testkit.Entries("names"),
)
