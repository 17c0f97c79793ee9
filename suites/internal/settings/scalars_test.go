package settings_test

import (
	"time"

	"authenticator-conformance/schemas"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Numbers, durations and words", func() {
	DescribeTable("concurrency", func(text string, want int) {
		s, err := resolve(nil, "--concurrency", text)
		if want == 0 {
			expectFault(err, "--concurrency: expected a whole number from 1 to 256")
			return
		}
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Concurrency).To(Equal(want))
	},
		Entry(nil, "1", 1), Entry(nil, "256", 256),
		Entry(nil, "0", 0), Entry(nil, "257", 0), Entry(nil, "+8", 0), Entry(nil, "0x8", 0), Entry(nil, "1e2", 0),
	)

	DescribeTable("rate", func(text string, want float64, ok bool) {
		s, err := resolve([]string{"AUTHN_RATE=" + text})
		if !ok {
			expectFault(err, "AUTHN_RATE: expected 0 (unlimited) or a number of at least 0.01")
			return
		}
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Rate).To(Equal(want))
	},
		Entry(nil, "0", 0.0, true), Entry(nil, "0.01", 0.01, true), Entry(nil, "1e2", 100.0, true),
		Entry(nil, "0.009", 0.0, false), Entry(nil, "-1", 0.0, false), Entry(nil, "NaN", 0.0, false),
		Entry(nil, "Inf", 0.0, false), Entry(nil, "1e309", 0.0, false), Entry(nil, "0x1p4", 0.0, false),
		Entry(nil, "5/s", 0.0, false),
	)

	DescribeTable("timeout and deadline", func(flag, text string, want time.Duration) {
		s, err := resolve(nil, flag, text)
		if want == 0 {
			expectFault(err, flag+": expected a duration over 0 and up to ", " such as 10s")
			return
		}
		Expect(err).NotTo(HaveOccurred())
		if flag == "--timeout" {
			Expect(s.Timeout).To(Equal(want))
		} else {
			Expect(s.Deadline).To(Equal(want))
		}
	},
		Entry(nil, "--timeout", "250ms", 250*time.Millisecond), Entry(nil, "--timeout", "10m", 10*time.Minute),
		Entry(nil, "--timeout", "10m1s", time.Duration(0)), Entry(nil, "--timeout", "0s", time.Duration(0)),
		Entry(nil, "--timeout", "10 s", time.Duration(0)), Entry(nil, "--timeout", "1d", time.Duration(0)),
		Entry(nil, "--deadline", "24h", 24*time.Hour), Entry(nil, "--deadline", "24h1ns", time.Duration(0)),
	)

	DescribeTable("tells how to write a number without unit as a duration", func(text, better string) {
		_, err := resolve(nil, "--timeout", text)
		expectFault(err, "--timeout: ", "has no unit", `write "`+better+`"`)
	},
		Entry(nil, "10", "10s"), Entry(nil, "1.5", "1.5s"),
	)

	It("tells the same of a number in the file", func() {
		_, err := resolveFile("rate: 1\ndeadline: 600\n")
		expectFault(err, "conformance.yaml:2: deadline: ", `write "600s"`)
	})

	DescribeTable("versions", func(text string, want ...schemas.Version) {
		s, err := resolve(nil, "--versions", text)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Versions).To(Equal(want))
	},
		Entry(nil, "v5,v6", schemas.V5, schemas.V6), Entry(nil, "v6,v5", schemas.V5, schemas.V6),
		Entry(nil, "v5", schemas.V5), Entry(nil, "v6", schemas.V6),
	)

	DescribeTable("wrong versions", func(text, part string) {
		_, err := resolve(nil, "--versions", text)
		expectFault(err, "--versions: ", part)
	},
		Entry(nil, "v4", `"v4" is not a version of the API: expected v5 or v6`),
		Entry(nil, "v5,v5", "v5 occurs twice"), Entry(nil, "v5,", "is empty"),
	)

	DescribeTable("versions in the file", func(content string, want ...schemas.Version) {
		s, err := resolveFile(content)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Versions).To(Equal(want))
	},
		Entry(nil, "versions: [v6]\n", schemas.V6), Entry(nil, "versions:\n- v6\n- v5\n", schemas.V5, schemas.V6),
		Entry(nil, "versions: v5,v6\n", schemas.V5, schemas.V6),
	)

	DescribeTable("parity, divergence and values", func(flag, text string, ok bool) {
		s, err := resolve(nil, flag, text)
		if !ok {
			expectFault(err, flag+": expected ")
			return
		}
		Expect(err).NotTo(HaveOccurred())
		Expect([]string{s.ParityMode, s.Divergence, s.Values}).To(ContainElement(text))
	},
		Entry(nil, "--parity", "value", true), Entry(nil, "--parity", "shape", true),
		Entry(nil, "--parity", "Shape", false),
		Entry(nil, "--divergence", "report", true), Entry(nil, "--divergence", "fail", true),
		Entry(nil, "--divergence", "true", false),
		Entry(nil, "--values", "show", true), Entry(nil, "--values", "hide", true),
		Entry(nil, "--values", "hidden", false),
	)

	It("takes the filters as they are, and refuses a focus that is not a regular expression", func() {
		s, err := resolve(nil, "--label-filter", "!auth-failure", "--focus", "served|user")
		Expect(err).NotTo(HaveOccurred())
		Expect(s.LabelFilter).To(Equal("!auth-failure"))
		Expect(s.Focus).To(Equal("served|user"))
		_, err = resolve(nil, "--focus", "(")
		expectFault(err, "--focus: ", `"("`, "not a regular expression")
	})

	It("refuses an application id of several lines", func() {
		_, err := resolve([]string{"AUTHN_APPLICATION_ID=app\n"})
		expectFault(err, "AUTHN_APPLICATION_ID: ", "line break")
		s, err := resolveWithURL([]string{"AUTHN_ACCESS_TOKEN=" + token, "AUTHN_APPLICATION_ID=Портал 7"})
		Expect(err).NotTo(HaveOccurred())
		Expect(s.ApplicationID).To(Equal("Портал 7"))
	})
})
