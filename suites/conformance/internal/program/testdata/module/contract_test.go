// Package contract_test is a suite as the README shows it.
package contract_test

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/conformance"
)

var config conformance.Config

var _ = conformance.Register(&config)

var _ = BeforeSuite(func() {
	config = conformance.Config{
		TargetURL:     os.Getenv("SERVICE_URL"),
		AccessToken:   os.Getenv("SERVICE_TOKEN"),
		ApplicationID: "fixture-calling-module",
		Users:         []conformance.User{{ID: "fbc1af89-7d69-4938-84f7-18fd250c67f3", UserID: "10021"}},
	}
})

var _ = It("knows a record", func() {
	Expect(`{"Flags": 0, "IsLocked": false}`).To(conformance.MatchAuthenticatorSchema())
	Expect(`{"Model": "a", "IsEnabled": "true"}`).NotTo(conformance.MatchDeviceSchema())
	Expect([]byte(`[]`)).To(conformance.MatchGUIDArraySchema())
})

func TestContract(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "contract")
}
