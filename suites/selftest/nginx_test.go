package selftest_test

import (
	"fmt"
	"net/http"
	"path"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Through nginx, with a private CA, HTTP/2, gzip, prefixes, a port for each version", Ordered, func() {
	var f front

	BeforeAll(func() { f = startFront() })

	It("certifies the reference, and says in each request who sends it", func() {
		r := f.certify("--ca", f.file("ca.pem")).run()
		report := checkRun(r)
		Expect(report.Verdict).To(Equal("pass"), "%s", r)
		Expect(report.Complete).To(BeTrue())

		// A line is written when nginx is done with a request, which may be after the answer has arrived.
		Eventually(f.requests, generousTimeout).Should(HaveLen(int(report.Counts.Requests)))
		var agents, expected []string
		for i, seen := range f.requests() {
			Expect(seen.Protocol).To(Equal("HTTP/2.0"), "%+v", seen)
			Expect(seen.URI).To(HavePrefix(f.at(seen.Port).Prefix+"/api/"), "%+v", seen)
			agents = append(agents, seen.Agent)
			expected = append(expected, fmt.Sprintf("authenticator-conformance/%s (run %s; exchange e%d)",
				report.Suite.Version, report.Run, i+1))
		}
		Expect(agents).To(ConsistOf(expected))
	})

	It("sends each version to its own port and path, and reads compressed answers", func() {
		before := len(f.requests())
		r := f.certify("--ca", f.file("ca.pem"), "--label-filter", "read").run()
		report := checkRun(r)
		Expect(report.Verdict).To(Equal("pass"), "%s", r)

		Eventually(f.requests, generousTimeout).Should(HaveLen(before + int(report.Counts.Requests)))
		operations := map[string]int{}
		for _, seen := range f.requests()[before:] {
			release := f.at(seen.Port)
			Expect(seen.URI).To(HavePrefix(release.Prefix+"/api/"+release.Version+"/"), "%+v", seen)
			if seen.Status == http.StatusOK {
				Expect(seen.Encoding).To(Equal("gzip"), "%+v", seen)
				operations[release.Version+path.Base(seen.URI)]++
			}
		}
		Expect(operations).To(HaveLen(4), "both operations of both versions were served")
	})

	It("trusts no certificate that it was not told to", func() {
		before := len(f.requests())
		r := f.certify().run()
		report := checkRun(r)
		Expect(report.Verdict).To(Equal("error"), "%s", r)
		Expect(*report.Error).To(ContainSubstring("certificate"))
		Expect(*report.Error).To(ContainSubstring("--ca"), "the error should say what to do")
		Expect(f.requests()).To(HaveLen(before), "a request, and the token, reached a server that was not trusted")
	})
})
