package evidence_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
)

// guidToken is a token that may stand where a GUID is meant.
const guidToken = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"

// recordWith is one of a right service, with a member in the place of another.
func recordWith(member, value string) string {
	members := map[string]string{
		"AuthenticationCountLimit": `12`, "CreatedOn": `"2019-03-06T21:00:21.514Z"`, "Description": `"Smartcard"`,
		"Flags": `6`, "Id": `"efb6fbfe-8de4-4b47-9582-98e214b044d7"`, "IsDisabled": `false`,
		"ModeId": `"8fa6aa43-dc44-4995-9ae9-007f4d0b1912"`, "UserId": `"alice"`,
	}
	members[member] = value
	var parts []string
	for _, name := range []string{"AuthenticationCountLimit", "CreatedOn", "Description", "Flags", "Id", "IsDisabled",
		"ModeId", "UserId"} {
		parts = append(parts, fmt.Sprintf("%q:%s", name, members[name]))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

var _ = Describe("An answer with a secret", func() {
	quoted := func(s string) string {
		text, err := json.Marshal(s)
		Expect(err).NotTo(HaveOccurred())
		return string(text)
	}
	secret := func(value string) func(*settings.Settings) {
		return func(s *settings.Settings) { s.AccessToken, s.Secrets = value, []string{value} }
	}
	findBy := func(ex *exchange.Exchange) { ex.Probe.Operation = schemas.FindByUserIDs }

	DescribeTable("is judged as it came", func(secretValue string, ex *exchange.Exchange,
		change func(*exchange.Exchange)) {
		if change != nil {
			change(ex)
		}
		answered := *ex
		d := newFixture(secret(secretValue))
		d.keep(ex)
		archive := d.archive()
		Expect(sanitize.NewSecrets(secretValue).Found(onlyEntry(archive).Response.Content.Text)).To(BeFalse())
		p := ex.Probe
		p.User.ID, p.User.UserID = d.out.Identifier(p.User.ID), d.out.Identifier(p.User.UserID)
		again, err := parseArchive(archive).Do(GinkgoT().Context(), p)
		Expect(err).NotTo(HaveOccurred())
		Expect(kindsOfFindings(again)).To(Equal(kindsOfFindings(&answered)))
		Expect(findingsIn(d.out, again)).To(Equal(findingsIn(d.out, ex)),
			"what the run says is what judging again says")
	},
		Entry("a GUID in the place of a GUID", guidToken, answeredExchange("e1", recordWith("ModeId",
			quoted(guidToken))),
			nil),
		Entry("a GUID as an identifier", guidToken, answeredExchange("e1", `["`+guidToken+`"]`), findBy),
		Entry("a date in the place of a date", "2019-03-06T21:00:21.514Z", answeredExchange("e1", recordWith("Flags",
			"6")),
			nil),
		Entry("the day of a date", "2019-03-06", answeredExchange("e1", recordWith("Flags", "6")), nil),
		Entry("a number in a member whose numbers are observed", "4815162342",
			answeredExchange("e1", recordWith("Flags", "4815162342")), nil),
		Entry("the user who was asked for", "alice-7Qm2Zr8K", answeredExchange("e1", recordWith("UserId",
			`"alice-7Qm2Zr8K"`)),
			func(ex *exchange.Exchange) {
				ex.Probe.User.UserID = "alice-7Qm2Zr8K"
			}),
		Entry("another user, in the other case", "alice-7Qm2Zr8K", answeredExchange("e1", recordWith("UserId",
			`"ALICE-7Qm2Zr8K"`)),
			func(ex *exchange.Exchange) {
				ex.Probe.User.UserID = "alice-7Qm2Zr8K"
			}),
		Entry("a secret in a text that is no JSON, of which nothing is shown but that", token,
			answeredExchange("e1", "the token "+token), func(ex *exchange.Exchange) {
				ex.Status = 403
				ex.Probe.Kind, ex.Probe.Field = exchange.Null, "UserId"
			}),
		Entry("a record with a secret, and more after it", token,
			answeredExchange("e1", "\ufeff"+recordWith("Description",
				quoted(token))+" "+token+"\""), func(ex *exchange.Exchange) {
				ex.Probe.Kind, ex.Probe.Field = exchange.Null, "UserId"
			}),
		Entry("a name that stands twice", token, answeredExchange("e1", `{"Id":"x","`+token+`":1,"`+token+`":2}`), nil),
		Entry("half of a surrogate pair", token, answeredExchange("e1", recordWith("Description", `"`+token+`\ud800"`)),
			nil),
		Entry("a line break in a string", token, answeredExchange("e1", recordWith("Description", "\""+token+"\n\"")),
			nil),
		Entry("an unknown escape", token, answeredExchange("e1", recordWith("Description", `"`+token+`\z"`)), nil),
		Entry("a secret in a string", token, answeredExchange("e1", recordWith("UserId", `"alice"`)), nil),
		Entry("nothing of a secret", guidToken, answeredExchange("e1", recordWith("Flags", "6")), nil),
		Entry("nothing at all", token, answeredExchange("e1", ""), func(ex *exchange.Exchange) {
			ex.Body, ex.Status, ex.Header = nil, 0, nil
			ex.Fault = &exchange.Fault{Kind: exchange.Transport, Detail: "reset"}
		}),
		Entry("a refusal that is JSON", token, answeredExchange("e1", `{"error":"`+token+`"}`),
			func(ex *exchange.Exchange) {
				ex.Status = http.StatusForbidden
				ex.Probe.Kind, ex.Probe.Field = exchange.Absent, "Id"
			}),
	)

	It("is not judged if it throttles and the run ends before the request is repeated", func() {
		throttled := answeredExchange("e1", "")
		throttled.Status = http.StatusTooManyRequests
		d := newFixture()
		d.keep(throttled)
		_, err := parseArchive(d.archive()).Do(GinkgoT().Context(), throttled.Probe)
		Expect(err).To(MatchError(exchange.ErrNotRecorded))
	})

	It("tells two users apart whose identifiers are parts of the token", func() {
		d := newFixture(secret("abcdefghijklmnop"))
		var list []*exchange.Exchange
		for i, user := range []string{"abcdefgh", "ijklmnop"} {
			ex := answeredExchange(fmt.Sprintf("e%d", i+1), recordWith("UserId", quoted(user)))
			ex.Probe.User = settings.User{ID: alice.ID, UserID: user, Enrolled: true}
			list = append(list, ex)
		}
		d.keep(list...)
		e := parseArchive(d.archive())
		seen := map[string]bool{}
		for i, entry := range entriesOf(d.archive()) {
			p := list[i].Probe
			p.User.UserID = entry.Probe.User.UserID
			if ex, err := e.Do(GinkgoT().Context(), p); err == nil {
				seen[ex.Probe.ID] = true
			}
		}
		Expect(seen).To(HaveLen(2), "each is found by its own name")
	})
})
