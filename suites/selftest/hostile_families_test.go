package selftest_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/hostile"
)

// worstOfFamilies lists one hostile target of each family: the one that needs the most memory, or is the most
// dangerous. Package suites/proof judges all of them in process. Only a process shows its memory, its end and its
// streams.
func worstOfFamilies() []string {
	return []string{
		"answers-unasked", "body-many-levels", "bound-body-at", "changing-records", "chunk-extension-endless",
		"coding-bomb-of-members", "fickle-dies", "flood-many-headers", "header-half-a-mebibyte", "http2-endless-body",
		"length-largest", "lure-other-service", "no-listener", "redirect-endless", "reset-in-body",
		"returns-in-member-name", "silent-in-body", "slow-body", "status-line-terminal", "text-long",
		"throttle-429-huge", "tls-long-chain",
	}
}

// familyOf returns the part of a target's name before its first dash.
func familyOf(name string) string {
	before, _, _ := strings.Cut(name, "-")
	return before
}

var _ = Describe("A hostile target, one of each family", func() {
	for _, name := range worstOfFamilies() {
		t := hostileNamed(name)
		outcome := startEarly(&otherJobs, func() hostileRun {
			if t.ReturnsSecrets {
				return runHostile(t, oddToken)
			}
			return runHostile(t, fixtures.AccessToken)
		})
		It(name, func() { outcome().check(t) })
	}

	It("is tested for every family", func() {
		var chosen []string
		for _, name := range worstOfFamilies() {
			chosen = append(chosen, familyOf(name))
		}
		for _, t := range hostile.All() {
			Expect(chosen).To(ContainElement(familyOf(t.Name)))
		}
	})
})
