package requests_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = It("The end of a token is known: a warning before it, and the first thing to check after it", func() {
	tokenUntil := func(end int64) string {
		claims := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"exp":%d}`, end))
		return "eyJhbGciOiJub25lIn0." + claims + ".c2lnbmF0dXJl"
	}
	expected := time.Date(2100, 1, 31, 12, 0, 0, 0, time.UTC)
	s := testkit.Settings(&url.URL{Scheme: "https", Host: "x"}, nil)
	s.Targets[schemas.V6].AccessToken = tokenUntil(expected.Add(-time.Hour).Unix())
	s.Targets[schemas.V6].HasOwnToken = true
	r := requests.New(s, testkit.Contract())
	Expect(r.TokenWarning(expected)).To(And(HavePrefix("the access token of v6 ends at 2100-01-31T11:00:00Z, before "+
		"the expected end at 2100-01-31T12:00:00Z: "), Not(ContainSubstring(s.Targets[schemas.V6].AccessToken))))
	Expect(r.TokenWarning(expected.Add(-2 * time.Hour))).To(BeEmpty())

	Expect(r.ToCheckLater(answered(503, ""), tokenUntil(4105080000))).To(HavePrefix(
		"a limit in front of the service"), "it has not ended")
	Expect(r.ToCheckLater(answered(503, ""), tokenUntil(1600000000))).To(HavePrefix(
		"the access token, which ended at 2020-09-13T12:26:40Z: get a new one (AUTHN_ACCESS_TOKEN_V6 or "))
})

var _ = It("Two versions with the same token are warned about once, and with two tokens each", func() {
	soon, later := "eyJhbGciOiJub25lIn0.eyJleHAiOjE2MDAwMDAwMDB9.YQ", "eyJhbGciOiJub25lIn0.eyJleHAiOjE2MDAwMDAwMDB9.Yg"
	for other, warnings := range map[string]int{soon: 1, later: 2} {
		s := testkit.Settings(&url.URL{Scheme: "https", Host: "x"}, nil)
		s.Targets[schemas.V5].AccessToken, s.Targets[schemas.V6].AccessToken = soon, other
		text := requests.New(s, testkit.Contract()).TokenWarning(time.Now())
		Expect(strings.Count(text, "ends at 2020-09-13T12:26:40Z")).To(Equal(warnings), text)
		Expect(text).To(And(ContainSubstring("v5"), ContainSubstring("v6")))
	}
})
