package settings_test

import (
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = DescribeTable("A setting is taken as it is given", func(field func(*settings.Settings) any, flag, text string,
	want any) {
	s, err := resolveRun(nil, flag, text)
	Expect(err).NotTo(HaveOccurred())
	Expect(field(s)).To(Equal(want))
},
	Entry(nil, concurrencyOf, "--concurrency", "1", 1), Entry(nil, concurrencyOf, "--concurrency", "256", 256),
	Entry(nil, rateOf, "--rate", "0", 0.0), Entry(nil, rateOf, "--rate", "0.01", 0.01), Entry(nil, rateOf, "--rate",
		"1e2",
		100.0),
	Entry(nil, timeoutOf, "--timeout", "250ms", 250*time.Millisecond), Entry(nil, timeoutOf, "--timeout", "10m",
		10*time.Minute),
	Entry(nil, deadlineOf, "--deadline", "24h", 24*time.Hour),
	Entry(nil, versionsOf, "--versions", "v5,v6", []schemas.Version{schemas.V5, schemas.V6}),
	Entry(nil, versionsOf, "--versions", "v6,v5", []schemas.Version{schemas.V5, schemas.V6}),
	Entry(nil, versionsOf, "--versions", "v5", []schemas.Version{schemas.V5}),
	Entry(nil, versionsOf, "--versions", "v6", []schemas.Version{schemas.V6}),
	Entry(nil, wordsOf, "--parity", "value", [3]string{"value", "report", "show"}),
	Entry(nil, wordsOf, "--parity", "shape", [3]string{"shape", "report", "show"}),
	Entry(nil, wordsOf, "--divergence", "fail", [3]string{"value", "fail", "show"}),
	Entry(nil, wordsOf, "--values", "hide", [3]string{"value", "report", "hide"}),
	Entry(nil, filtersOf, "--label-filter", "!auth-failure", [2]string{"!auth-failure", ""}),
	Entry(nil, filtersOf, "--focus", "served|user", [2]string{"", "served|user"}),
)

func concurrencyOf(s *settings.Settings) any { return s.Concurrency }
func rateOf(s *settings.Settings) any        { return s.Rate }
func timeoutOf(s *settings.Settings) any     { return s.Timeout }
func deadlineOf(s *settings.Settings) any    { return s.Deadline }
func versionsOf(s *settings.Settings) any    { return s.Versions }
func wordsOf(s *settings.Settings) any       { return [3]string{s.ParityMode, s.Divergence, s.Values} }
func filtersOf(s *settings.Settings) any     { return [2]string{s.LabelFilter, s.Focus} }

var _ = DescribeTable("The file has the versions as a list or as a text", func(content string,
	want ...schemas.Version) {
	s, err := resolveFile(content)
	Expect(err).NotTo(HaveOccurred())
	Expect(s.Versions).To(Equal(want))
},
	Entry(nil, "versions: [v6]\n", schemas.V6), Entry(nil, "versions:\n- v6\n- v5\n", schemas.V5, schemas.V6),
	Entry(nil, "versions: v5,v6\n", schemas.V5, schemas.V6),
)

var _ = It("An application id may have any letters", func() {
	s, err := resolveWithURL([]string{"AUTHN_ACCESS_TOKEN=" + token, "AUTHN_APPLICATION_ID=Портал 7"})
	Expect(err).NotTo(HaveOccurred())
	Expect(s.ApplicationID).To(Equal("Портал 7"))
})
