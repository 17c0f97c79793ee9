package report_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report"
)

var _ = It("The line that repeats what failed has the flags that were given, quoted, and another folder", func() {
	d := &report.Document{}
	given := []report.Setting{{Name: "target URL", Value: "https://x.example", Source: "flag --target-url"},
		{Name: "access token", Value: "set", Source: "environment AUTHN_ACCESS_TOKEN"},
		{Name: "users", Value: "my users.yaml", Source: "flag --users"},
		{Name: "rate", Value: "9", Source: "file c.yaml:1"},
		{Name: "report folder", Value: "a", Source: "flag --report-dir"},
		{Name: "configuration file", Value: "c.yaml", Source: "flag --config"},
		{Name: "record file", Value: "r", Source: "flag --record"}}
	d.SuggestLastFailed("run", "a", given, map[schemas.Version]*exchange.Recorded{schemas.V5: {From: "v5-run"}})
	Expect(d.Next).To(Equal([]report.Step{{Purpose: "To repeat only what failed", Arguments: "run --last-failed a " +
		"--target-url https://x.example --users 'my users.yaml' --config c.yaml --recorded v5=v5-run " +
		"--report-dir a-again"}}))
})
