package conformance_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"os"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/conformance"
)

// In a suite of your own the variable and the call of Register stand at the top level of a test file, as does
// BeforeSuite with its "var _ =". RunSpecs then runs these specs with yours.
func ExampleRegister() {
	var config conformance.Config

	var _ = conformance.Register(&config)

	var _ = BeforeSuite(func() {
		pem, err := os.ReadFile("private-ca.pem")
		Expect(err).NotTo(HaveOccurred())
		authorities := x509.NewCertPool()
		Expect(authorities.AppendCertsFromPEM(pem)).To(BeTrue())
		config = conformance.Config{
			TargetURL:     "https://access.staging.example",
			AccessToken:   os.Getenv("STAGING_TOKEN"),
			ApplicationID: "calling-module",
			TLS:           &tls.Config{RootCAs: authorities},
			Users: []conformance.User{
				{ID: "fbc1af89-7d69-4938-84f7-18fd250c67f3", UserID: "10021"},
				{ID: "06e3dfa6-4da9-487f-b480-a3145b71d72f", UserID: "not.enrolled", NotEnrolled: true},
			},
			ReportDir: "conformance-report",
		}
	})
}

// Several targets are told apart by containers. Filters then see all but the labels and the description that RunSpecs
// was given.
func ExampleRegister_several() {
	var staging, canary conformance.Config

	var _ = Describe("staging", func() { conformance.Register(&staging) })
	var _ = Describe("canary", func() { conformance.Register(&canary) })
}

// getUserAuth may answer one record or a list of records.
func ExampleMatchAuthenticatorSchema() {
	answer := []byte(`[{"Flags": 0, "IsLocked": false}, {"Flags": 1, "Device": null}]`)

	It("answers records", func() {
		var records []json.RawMessage
		Expect(json.Unmarshal(answer, &records)).To(Succeed())
		Expect(records).To(HaveEach(conformance.MatchAuthenticatorSchema()))
	})
}
