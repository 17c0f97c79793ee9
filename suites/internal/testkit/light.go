package testkit

import (
	. "github.com/onsi/ginkgo/v2" //lint:ignore ST1001 as in all tests

	"authenticator-conformance/suites/internal/testkit/light"
)

// What package light has.
var (
	Specs               = light.Specs
	Serve               = light.Serve
	Settings            = light.Settings
	EachTarget          = light.EachTarget
	Write               = light.Write
	Read                = light.Read
	UpdateGolden        = light.UpdateGolden
	ExpectGolden        = light.ExpectGolden
	ExpectNoOtherGolden = light.ExpectNoOtherGolden
	Says                = light.Says
	Entries             = light.Entries
	Contract            = light.Contract
)

// Must returns a value, or fails the spec with the error.
func Must[T any](value T, err error) T {
	GinkgoHelper()
	return light.Must(value, err)
}

// Cases reads a YAML file of cases. It panics if that is wrong, as specs are made of it.
func Cases[Case any](path string) []Case { return light.Cases[Case](path) }
