package stats_test

import (
	"encoding/json"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/strictjson"
)

// oddValues are values to put where something else belongs.
func oddValues() map[string]any {
	return map[string]any{
		"null": nil, "a text": "x", "-1": -1, "2^55": 1 << 55, "1e308": json.Number("1e308"),
		"[]": []any{}, "[null]": []any{nil}, "{x: null}": map[string]any{"x": nil},
	}
}

var _ = Describe("A sweep.json that may hold anything", func() {
	shard := func() string {
		return writeSummary(concludedSummary(countUsers(mixedUsers(12, 51)...), func(s *stats.Summary) {
			s.Notes, s.Suite, s.Identity.Shard, s.Read.Users = []string{"a note"},
				report.Suite{Contract: digest, Libraries: map[string]string{}, Files: map[string]string{}},
				stats.Shard{Index: 2, Of: 3}, 36
		}))
	}
	tested := func(text, what string) {
		GinkgoHelper()
		defer func() {
			if p := recover(); p != nil {
				Fail(fmt.Sprintf("panic with %s: %v", what, p))
			}
		}()
		Expect(acceptAndUse(text)).To(Succeed(), what)
	}

	It("causes no panic with any value in any place, or with any member missing", func() {
		text := shard()
		for _, place := range memberPointers("", decodeObject(text)) {
			for name, odd := range oddValues() {
				tested(changedSummary(text, place[1:], odd), fmt.Sprintf("%s at %s", name, place))
			}
			tested(changedSummary(text, place[1:], gone), "nothing at "+place)
		}
	})

	It("causes no panic with an additional member in any place", func() {
		text := shard()
		for _, place := range append(memberPointers("", decodeObject(text)), "") {
			if at, _ := strictjson.Lookup(decodeObject(text), place); !isObject(at) {
				continue
			}
			for name, odd := range oddValues() {
				tested(changedSummary(text, (place + "/x")[1:], odd), fmt.Sprintf("%s at %s/x", name, place))
			}
		}
	})

	It("does not become a pass by any one number that was changed", func() {
		text := writeSummary(concludedSummary(countUsers(differentUser(differenceFinding(0, "/Flags")), equalUser(),
			incomparableUser(2, "timeout of v6"))))
		for _, place := range memberPointers("/tally", decodeObject(text)["tally"]) {
			for name, odd := range oddValues() {
				s, err := stats.Read(strings.NewReader(changedSummary(text, place[1:], odd)))
				if err != nil {
					continue
				}
				s.Conclude()
				Expect(string(s.Verdict)).To(Equal("fail"), "%s at %s", name, place)
			}
		}
	})
})

func isObject(value any) bool {
	_, ok := value.(map[string]any)
	return ok
}
