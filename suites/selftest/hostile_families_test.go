package selftest_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/hostile"
)

// worstOfFamilies lists one hostile target of each family: the one that costs most memory, or risks most. All of them
// are judged in process in suites/proof; what only a process can show is its memory, its end and its streams.
func worstOfFamilies() []string {
	return []string{
		"answers-unasked", "body-many-levels", "bound-body-at", "changing-records", "chunk-extension-endless",
		"coding-bomb-of-members", "fickle-dies", "flood-many-headers", "header-half-a-mebibyte", "http2-endless-body",
		"length-largest", "lure-other-service", "no-listener", "redirect-endless", "reset-in-body",
		"returns-in-member-name", "silent-in-body", "slow-body", "status-line-terminal", "text-long",
		"throttle-429-huge", "tls-long-chain",
	}
}

// family is the part of a target's name before its first dash.
func family(name string) string {
	before, _, _ := strings.Cut(name, "-")
	return before
}

var _ = Describe("A hostile target, one of each family", func() {
	for _, name := range worstOfFamilies() {
		t := hostileNamed(name)
		outcome := startEarly(&otherJobs, func() hostileRun {
			if t.Returns {
				return runHostile(t, oddToken)
			}
			return runHostile(t, fixtures.AccessToken)
		})
		It(name, func() { outcome().check(t) })
	}

	It("is of every family that there is", func() {
		var chosen []string
		for _, name := range worstOfFamilies() {
			chosen = append(chosen, family(name))
		}
		for _, t := range hostile.All() {
			Expect(chosen).To(ContainElement(family(t.Name)))
		}
	})
})
