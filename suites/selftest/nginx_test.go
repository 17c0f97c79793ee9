package selftest_test

import (
	"fmt"
	"net/http"
	"path"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Through nginx, with a private CA, HTTP/2, gzip, prefixes, a port for each version", Ordered, func() {
	var f nginxProxy

	BeforeAll(func() { f = startNginx() })

	It("certifies the reference, and names suite, run and exchange in the User-Agent", func() {
		r := f.certify("--ca", f.file("ca.pem")).run()
		report := checkRun(r)
		Expect(report.Verdict).To(Equal("pass"), "%s", r)
		Expect(report.Complete).To(BeTrue())

		// nginx writes a line when a request is finished, which may be after the answer has arrived.
		Eventually(f.requests, generousTimeout).Should(HaveLen(int(report.Counts.Requests)))
		var agents, expected []string
		for i, logged := range f.requests() {
			Expect(logged.Protocol).To(Equal("HTTP/2.0"), "%+v", logged)
			Expect(logged.URI).To(HavePrefix(f.releaseAt(logged.Port).Prefix+"/api/"), "%+v", logged)
			agents = append(agents, logged.Agent)
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
		for _, logged := range f.requests()[before:] {
			release := f.releaseAt(logged.Port)
			Expect(logged.URI).To(HavePrefix(release.Prefix+"/api/"+release.Version+"/"), "%+v", logged)
			if logged.Status == http.StatusOK {
				Expect(logged.Encoding).To(Equal("gzip"), "%+v", logged)
				operations[release.Version+path.Base(logged.URI)]++
			}
		}
		Expect(operations).To(HaveLen(4), "both operations of both versions were served")
	})

	It("does not trust a private CA without --ca", func() {
		before := len(f.requests())
		r := f.certify().run()
		report := checkRun(r)
		Expect(report.Verdict).To(Equal("error"), "%s", r)
		Expect(*report.Error).To(ContainSubstring("certificate"))
		Expect(*report.Error).To(ContainSubstring("--ca"), "the error should say what to do")
		Expect(f.requests()).To(HaveLen(before), "a request, and the token, reached a server that was not trusted")
	})
})
