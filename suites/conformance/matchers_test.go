package conformance_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"authenticator-conformance/fixtures/messages"
	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/testkit"
)

const guid = "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13"

func TestMatchersTakeTheExamples(t *testing.T) {
	RegisterTestingT(t)
	matchers := map[string]types.GomegaMatcher{
		"authenticator.schema.json": conformance.MatchAuthenticatorSchema(),
		"device.schema.json":        conformance.MatchDeviceSchema(),
		"guid-array.schema.json":    conformance.MatchGUIDArraySchema(),
	}
	judged := 0
	for _, m := range testkit.Must(messages.All()) {
		matcher, ok := matchers[m.Schema]
		if !ok {
			continue
		}
		judged++
		Expect(matcher.Match(m.Body)).To(Equal(m.Valid), m.Name)
	}
	Expect(judged).To(BeNumerically(">", 100))
}

func TestMatchersTakeJSONInThreeTypes(t *testing.T) {
	RegisterTestingT(t)
	const list = `["` + guid + `"]`
	for _, actual := range []any{list, []byte(list), json.RawMessage(list)} {
		Expect(actual).To(conformance.MatchGUIDArraySchema())
	}
	for _, actual := range []any{nil, 7, []string{guid}, map[string]any{}} {
		_, err := conformance.MatchGUIDArraySchema().Match(actual)
		Expect(err).To(MatchError(HavePrefix(
			"expected JSON as a string, []byte or json.RawMessage, got a value of type")))
	}
	Expect([]json.RawMessage{json.RawMessage(`{"Flags":0}`), json.RawMessage(`{}`)}).To(
		HaveEach(conformance.MatchAuthenticatorSchema()))
}

// What is said of each text is a golden file. Nothing in it does something to a terminal, or to a CI server.
func TestMatchersSayWhatIsWrong(t *testing.T) {
	RegisterTestingT(t)
	record, device := conformance.MatchAuthenticatorSchema(), conformance.MatchDeviceSchema()
	list := conformance.MatchGUIDArraySchema()
	var text strings.Builder
	for _, c := range []struct {
		matcher types.GomegaMatcher
		actual  any
	}{
		{record, `{"Flags":"0","CreatedOn":"2023-02-29T00:00:00.000Z","Device":{"IsEnabled":"true"}}`},
		{record, `[{}]`},
		{record, `"x"`},
		{device, `{"Model":[7]}`},
		{device, `[{}]`},
		{list, `["` + guid + `","{` + guid + `}"]`},
		{list, `{}`},
		{device, `{"Model":7}`},
		{device, `{} junk`},
		{device, `{"Model":"a","Model":"b"}`},
		{device, ``},
		{device, "{\"Model\":[\"\\u001b[31m{{red}}\"]}\n::error::"},
		{device, 7},
		{list, "[" + strings.Repeat(`"`+strings.Repeat("x", 100)+`",`, 2) + strings.Repeat("1,", 998) + "1]"},
	} {
		matched, _ := c.matcher.Match(c.actual) // the message says of an error what it says
		Expect(matched).To(BeFalse())
		text.WriteString(c.matcher.FailureMessage(c.actual) + "\n\n")
	}
	Expect(`["x"]`).NotTo(list)
	text.WriteString(list.NegatedFailureMessage(`[]`) + "\n" + list.NegatedFailureMessage(7) + "\n")
	most := regexp.MustCompile(`(?s)  at /21\n.*(  at /998\n)`)
	short := most.ReplaceAllString(text.String(), "  …\n$1")
	Expect(short).NotTo(MatchRegexp("\x1b|{{"))
	testkit.ExpectGolden("testdata/matchers.txt", short)
}
