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
	"authenticator-conformance/suites/internal/settings"
)

// guidToken is a token that may stand where a GUID is meant.
const guidToken = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"

// record is one of a right service, with a member in the place of another.
func record(member, value string) string {
	members := map[string]string{
		"AuthenticationCountLimit": `12`, "CreatedOn": `"2019-03-06T21:00:21.514Z"`, "Description": `"Smartcard"`,
		"Flags": `6`, "Id": `"efb6fbfe-8de4-4b47-9582-98e214b044d7"`, "IsDisabled": `false`,
		"ModeId": `"8fa6aa43-dc44-4995-9ae9-007f4d0b1912"`, "UserId": `"alice"`,
	}
	members[member] = value
	var parts []string
	for _, name := range []string{"AuthenticationCountLimit", "CreatedOn", "Description", "Flags", "Id", "IsDisabled", "ModeId", "UserId"} {
		parts = append(parts, fmt.Sprintf("%q:%s", name, members[name]))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

var _ = Describe("An exchange that would be judged otherwise without its secrets", func() {
	quoted := func(s string) string {
		text, err := json.Marshal(s)
		Expect(err).NotTo(HaveOccurred())
		return string(text)
	}
	secret := func(value string) func(*settings.Settings) {
		return func(s *settings.Settings) { s.AccessToken, s.Secrets = value, []string{value} }
	}
	findBy := func(ex *exchange.Exchange) { ex.Probe.Operation = schemas.FindByUserIDs }

	DescribeTable("is marked, and not judged again", func(secretValue string, ex *exchange.Exchange, change func(*exchange.Exchange), marked bool) {
		if change != nil {
			change(ex)
		}
		d := newDesk(secret(secretValue))
		d.keep(ex)
		archive := d.archive()
		entry := onlyEntry(archive)
		Expect(traces(string(archive), secretValue)).To(BeEmpty())
		again, err := parsed(archive).Do(GinkgoT().Context(), ex.Probe)
		if marked {
			Expect(entry.Unjudgeable).NotTo(BeEmpty())
			Expect(err).To(MatchError(exchange.ErrNotKept))
			return
		}
		Expect(entry.Unjudgeable).To(BeEmpty())
		Expect(err).NotTo(HaveOccurred())
		Expect(d.run.Alike(ex, again)).To(BeTrue())
	},
		Entry("a GUID in the place of a GUID", guidToken, answered("e1", record("ModeId", quoted(guidToken))), nil, true),
		Entry("a GUID as an identifier", guidToken, answered("e1", `["`+guidToken+`"]`), findBy, true),
		Entry("a date in the place of a date", "2019-03-06T21:00:21.514Z", answered("e1", record("Flags", "6")), nil, true),
		Entry("a number in a member whose numbers are observed", "4815162342", answered("e1", record("Flags", "4815162342")), nil, true),
		Entry("a secret as the name of a member that is documented", "AuthenticationCountLimit", answered("e1", record("Flags", "6")), nil, true),
		Entry("a secret in a text that is no JSON, of which nothing is shown but that", token, answered("e1", "the token "+token), func(ex *exchange.Exchange) {
			ex.Status = 403
			ex.Probe.Alteration, ex.Probe.Field = exchange.Null, "UserId"
		}, false),
		Entry("a secret in a string", token, answered("e1", record("UserId", `"alice"`)), nil, false),
		Entry("nothing of a secret", guidToken, answered("e1", record("Flags", "6")), nil, false),
		Entry("nothing at all", token, answered("e1", ""), func(ex *exchange.Exchange) {
			ex.Body, ex.Status, ex.Header = nil, 0, nil
			ex.Fault = &exchange.Fault{Kind: exchange.Transport, Detail: "reset"}
		}, false),
		Entry("a refusal that is JSON", token, answered("e1", `{"error":"`+token+`"}`), func(ex *exchange.Exchange) {
			ex.Status = http.StatusForbidden
			ex.Probe.Alteration, ex.Probe.Field = exchange.Absent, "Id"
		}, false),
	)

	It("is still shown to whoever reads a finding", func() {
		d := newDesk(secret(guidToken))
		d.keep(answered("e1", record("ModeId", quoted(guidToken))))
		k, err := parsed(d.archive()).Kept("e1")
		Expect(err).NotTo(HaveOccurred())
		Expect(string(k.Body)).To(ContainSubstring(`"Flags":6`))
	})

	It("is the one that counts, of several for one request", func() {
		d := newDesk(secret(guidToken))
		throttled := answered("e1", "")
		throttled.Status = http.StatusTooManyRequests
		last := answered("e1", record("ModeId", quoted(guidToken)))
		d.keep(throttled, last)
		_, err := parsed(d.archive()).Do(GinkgoT().Context(), last.Probe)
		Expect(err).To(MatchError(exchange.ErrNotKept), "the earlier answer must not pass for the last one")
	})

	It("tells two users apart whose identifiers are parts of the token", func() {
		d := newDesk(secret("abcdefghijklmnop"))
		var list []*exchange.Exchange
		for i, user := range []string{"abcdefgh", "ijklmnop"} {
			ex := answered(fmt.Sprintf("e%d", i+1), record("UserId", quoted(user)))
			ex.Probe.User = settings.User{ID: alice.ID, UserID: user, Enrolled: true}
			list = append(list, ex)
		}
		d.keep(list...)
		e := parsed(d.archive())
		seen := map[string]bool{}
		for i, entry := range entriesOf(d.archive()) {
			p := list[i].Probe
			p.User.UserID = entry.Probe.User.UserID
			if ex, err := e.Do(GinkgoT().Context(), p); err == nil {
				seen[ex.Probe.ID] = true
			}
		}
		// Either both are found, each by its own, or none is: one must not stand for the other.
		Expect(seen).To(Or(BeEmpty(), HaveLen(2)))
	})
})
