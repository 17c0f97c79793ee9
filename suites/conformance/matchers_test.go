package conformance_test

import (
	"encoding/json"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"authenticator-conformance/fixtures/messages"
	"authenticator-conformance/suites/conformance"
)

const guid = "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13"

func TestMatchersTakeTheExamples(t *testing.T) {
	g := NewWithT(t)
	matchers := map[string]types.GomegaMatcher{
		"authenticator.schema.json": conformance.MatchAuthenticatorSchema(),
		"device.schema.json":        conformance.MatchDeviceSchema(),
		"guid-array.schema.json":    conformance.MatchGUIDArraySchema(),
	}
	all, err := messages.All()
	g.Expect(err).NotTo(HaveOccurred())
	judged := 0
	for _, m := range all {
		matcher, ok := matchers[m.Schema]
		if !ok {
			continue
		}
		judged++
		matched, err := matcher.Match(m.Body)
		g.Expect(err).NotTo(HaveOccurred(), m.Name)
		g.Expect(matched).To(Equal(m.Valid), m.Name)
	}
	g.Expect(judged).To(BeNumerically(">", 100))
}

func TestMatchersTakeJSONInThreeTypes(t *testing.T) {
	g := NewWithT(t)
	const list = `["` + guid + `"]`
	for _, actual := range []any{list, []byte(list), json.RawMessage(list)} {
		g.Expect(actual).To(conformance.MatchGUIDArraySchema())
	}
	for _, actual := range []any{nil, 7, []string{guid}, map[string]any{}} {
		_, err := conformance.MatchGUIDArraySchema().Match(actual)
		g.Expect(err).To(MatchError(HavePrefix(
			"expected JSON as a string, []byte or json.RawMessage, got a value of type")))
	}
	g.Expect([]json.RawMessage{json.RawMessage(`{"Flags":0}`), json.RawMessage(`{}`)}).To(
		HaveEach(conformance.MatchAuthenticatorSchema()))
}

func TestMatchersListEachViolation(t *testing.T) {
	for name, c := range map[string]struct {
		matcher types.GomegaMatcher
		actual  string
		message []string
	}{
		"members": {conformance.MatchAuthenticatorSchema(), `{"Flags":"0","Id":"` + guid +
			`","CreatedOn":"2023-02-29T00:00:00.000Z","Device":{"IsEnabled":"true"}}`, []string{
			"to match the schema of an authenticator record (§2.1), but found 3 violations:",
			"at /CreatedOn\n", `actual    "2023-02-29T00:00:00.000Z"`,
			"at /Device/IsEnabled\n    expected  true or false, or null\n    actual    \"true\"",
			"at /Flags\n", `actual    "0"`}},
		"an array of records": {conformance.MatchAuthenticatorSchema(), `[{}]`,
			[]string{"found 1 violation:", "as a whole\n",
				"actual    [{}]; this is an array: match each of its elements, with HaveEach(MatchAuthenticatorSchema())"}},
		"an element": {conformance.MatchGUIDArraySchema(), `["` + guid + `","{` + guid + `}"]`,
			[]string{"at /1\n", `actual    "{` + guid + `}"`}},
		"a device": {conformance.MatchDeviceSchema(), `{"Model":7}`,
			[]string{"a device (§2.2)", "at /Model\n", "actual    7"}},
		"no JSON": {conformance.MatchDeviceSchema(), `{} junk`,
			[]string{"as a whole\n    expected  exactly one JSON text\n    actual    ", "at byte 3"}},
		"a name twice": {conformance.MatchDeviceSchema(), `{"Model":"a","Model":"b"}`,
			[]string{"exactly one JSON text"}},
		"nothing": {conformance.MatchDeviceSchema(), ``, []string{"exactly one JSON text"}},
		"what does something on a terminal": {conformance.MatchDeviceSchema(),
			"{\"Model\":[\"\\u001b[31m{{red}}\"]}\n::error::", []string{
				`\n::error::`}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(c.matcher.Match(c.actual)).To(BeFalse())
			message := c.matcher.FailureMessage(c.actual)
			for _, part := range c.message {
				g.Expect(message).To(ContainSubstring(part))
			}
			g.Expect(message).NotTo(MatchRegexp("\x1b|{{"))
		})
	}
}

func TestMatchersBoundWhatTheyShow(t *testing.T) {
	g := NewWithT(t)
	list := "[" + strings.Repeat(`"`+strings.Repeat("x", 100)+`",`, 2500) + "1]"
	message := conformance.MatchGUIDArraySchema().FailureMessage(list)
	g.Expect(message).To(ContainSubstring("found 2,501 violations:"))
	g.Expect(message).To(HaveSuffix("and 1,501 more"))
	g.Expect(strings.Count(message, "\n  at /")).To(Equal(1000))
	g.Expect(message).To(ContainSubstring("characters in all)"))
}

func TestMatchersCanBeNegated(t *testing.T) {
	g := NewWithT(t)
	g.Expect(`["x"]`).NotTo(conformance.MatchGUIDArraySchema())
	g.Expect(conformance.MatchGUIDArraySchema().NegatedFailureMessage(`[]`)).To(Equal(
		"Expected\n    []\nnot to match the schema of an array of GUID strings (§2.3), but it does"))
}
