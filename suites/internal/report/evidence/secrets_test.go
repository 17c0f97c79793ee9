package evidence_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

const (
	tenant = "tenant-5Gk9Qw2Lz8Xr4Vn7Hd3Ts6"
	bearer = "kJ3nR8vT1yM6pQ4sW9zB2cF7hL5dG0xA"
)

// rightRecord is a record of a right service.
const rightRecord = `{"AuthenticationCountLimit":12,"CreatedOn":"2019-03-06T21:00:21.514Z","Description":"Smartcard",` +
	`"Flags":6,"Id":"efb6fbfe-8de4-4b47-9582-98e214b044d7","IsDisabled":false,` +
	`"ModeId":"8fa6aa43-dc44-4995-9ae9-007f4d0b1912","UserId":"alice"}`

// recordWith is the right record, with another value of a member.
func recordWith(member, value string) string {
	old := regexp.MustCompile(`"` + member + `":[^,}]+`)
	return old.ReplaceAllLiteralString(rightRecord, `"`+member+`":`+value)
}

// findingsIn lists what is found in an exchange, as a report names it: the texts may have another place of a broken
// byte.
func findingsIn(out *sanitize.Output, ex *exchange.Exchange) []string {
	var list []string
	for id, row := range testkit.Suite().Judge(ex).Rows {
		for _, f := range row.Findings {
			list = append(list, fmt.Sprintf("%s: %s %s", id, f.Kind, report.PointerOf(out, f, f.Pointer)))
		}
	}
	slices.Sort(list)
	return list
}

// expectJudgedAlike expects what is kept of an exchange to be judged as what came, to be JSON if that was, and to hold
// no secret, though a header had it first.
func expectJudgedAlike(f *fixture, secret string, ex *exchange.Exchange) (again *exchange.Exchange) {
	GinkgoHelper()
	ex.Header.Set("X-Echo", secret)
	k := f.readBack(ex)
	Expect(sanitize.NewSecrets(secret).Found(string(k.Body))).To(BeFalse())
	Expect(sanitize.NewSecrets(secret).Found(string(f.makeArchive()))).To(BeFalse())
	Expect(json.Valid(k.Body) || !json.Valid(ex.Body)).To(BeTrue(), string(k.Body))
	p := ex.Probe
	p.User.ID, p.User.UserID = f.out.Identifier(p.User.ID), f.out.Identifier(p.User.UserID)
	again = testkit.Must(parseArchive(f.makeArchive()).Do(GinkgoT().Context(), p))
	Expect(verdictsOn(again)).To(Equal(verdictsOn(ex)))
	Expect(findingsIn(f.out, again)).To(Equal(findingsIn(f.out, ex)))
	return again
}

// judgedCase is an answer with a secret. Its body is a record, if there is no other.
type judgedCase struct {
	Name, Secret, User, Kind, Field, Member, Value, Body string
	Status                                               int
	Identifiers                                          bool
}

var _ = Describe("An answer with a secret is judged as it came", func() {
	for _, c := range testkit.Cases[judgedCase]("testdata/judged.yaml") {
		It("which is "+c.Name, func() {
			secret := cmp.Or(c.Secret, token)
			ex := answeredExchange("e1", cmp.Or(c.Body, recordWith(cmp.Or(c.Member, "Flags"), cmp.Or(c.Value, "6"))))
			ex.Status = cmp.Or(c.Status, 200)
			ex.Probe.Kind, ex.Probe.Field = exchange.Kind(c.Kind), c.Field
			ex.Probe.User.UserID = cmp.Or(c.User, alice.UserID)
			if c.Identifiers {
				ex.Probe.Operation = schemas.FindByUserIDs
			}
			expectJudgedAlike(newFixture(withSecret(secret)), secret, ex)
		})
	}

	DescribeTable("and withheld if it is not UTF-8", func(write func(string) string) {
		for _, text := range []string{"the token " + token + " is unknown", recordWith("Description", `"`+token+`"`)} {
			for _, kind := range []exchange.Kind{exchange.NoMutation, exchange.EmptyToken} {
				ex := answeredExchange("e1", write(text))
				ex.Probe.Kind = kind
				again := expectJudgedAlike(newFixture(), token, ex)
				Expect([]any{again.Withheld.Size, again.Length(), again.Withheld.Digest}).To(
					Equal([]any{len(ex.Body), len(ex.Body), exchange.DigestOf(ex.Body)}))
				Expect(utf8.Valid(again.Body)).To(BeTrue())
				Expect(json.Valid(again.Body) || len(again.Body) == 0).To(BeTrue(), string(again.Body))
			}
		}
	},
		Entry("but UTF-16", func(text string) string {
			out := []byte{0xff, 0xfe}
			for _, unit := range utf16.Encode([]rune(text)) {
				out = append(out, byte(unit), byte(unit>>8))
			}
			return string(out)
		}),
		Entry("but gzip", func(text string) string {
			var out bytes.Buffer
			w := gzip.NewWriter(&out)
			_, _ = w.Write([]byte(text)) // a buffer takes everything
			_ = w.Close()
			return out.String()
		}),
		Entry("but Latin-1", func(text string) string { return text + "\xe9" }),
		Entry("but a record and bytes after it", func(text string) string { return text + " \x01\xff\x02" }),
		Entry("and past a MiB", func(text string) string { return strings.Repeat("a ", 1<<19) + "\xff" + text }),
	)

	It("and two users whose identifiers are parts of the token are told apart", func(ctx SpecContext) {
		f := newFixture(withSecret("abcdefghijklmnop"))
		seen := map[string]bool{}
		for i, user := range []string{"abcdefgh", "ijklmnop"} {
			ex := answeredExchange(fmt.Sprintf("e%d", i+1), recordWith("UserId", fmt.Sprintf("%q", user)))
			ex.Probe.User.UserID = user
			k := f.readBack(ex)
			seen[k.Probe.User.UserID] = true
			Expect(testkit.Must(parseArchive(f.makeArchive()).Do(ctx, k.Probe)).Probe.ID).To(Equal(ex.Probe.ID))
		}
		Expect(seen).To(HaveLen(2))
	})
})

var _ = Describe("A secret", func() {
	headers := withHeaders(settings.Header{Name: "Authorization", Value: "Bearer " + bearer},
		settings.Header{Name: "X-Tenant", Value: tenant})

	// These are a few of the encodings that package sanitize knows, whose tests have all.
	DescribeTable("that comes back stands nowhere, and JSON stays JSON", func(write func(string) string) {
		for _, secret := range []string{token, tenant, bearer} {
			written := write(secret)
			f := newFixture(headers, func(s *settings.Settings) {
				s.Users[0].Name = "known by " + written
				testkit.EachTarget(func(t *settings.Target) { t.ApplicationID = "app " + written })(s)
			})
			ex := answeredExchange("e1", fmt.Sprintf(`{"Description":"it is %s","%[1]s":[1,"%[1]s"]}`, written))
			ex.Probe.User = exchange.User{ID: alice.ID, UserID: "u " + written, Enrolled: true, Name: written}
			ex.Header = http.Header{"X-" + written: {"1"}, "X-Echo": {"a", written},
				"Location":         {"http://elsewhere.example/?t=" + written},
				"Content-Type":     {"application/json; t=" + written},
				"Www-Authenticate": {"Bearer realm=\"" + written + "\"", written}}
			f.keepAll(answeredExchange("e2", "refused: "+written), answeredExchange("e3", "\xff"+written))
			k := f.readBack(ex)
			Expect(sanitize.NewSecrets(secret).Found(string(f.makeArchive()))).To(BeFalse())
			Expect(string(k.Body)).To(MatchRegexp(
				`(?i)^{"Description":"(redacted-[a-z]{16})","(redacted-[a-z]{16})":\[1,"redacted-[a-z]{16}"\]}$`))
			Expect(k.Length()).To(Equal(len(ex.Body)), "its length is noted")
		}
	},
		Entry("as it is", strings.Clone),
		Entry("in JSON escapes", func(s string) string {
			var b strings.Builder
			for _, c := range []byte(s) {
				fmt.Fprintf(&b, `\u%04x`, c)
			}
			return b.String()
		}),
		Entry("in base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte("?" + s + ">")) }),
	)

	It("is in no request of a mutation", func() {
		f := newFixture(headers)
		base := exchange.Probe{Operation: schemas.GetUserAuth, Version: schemas.V6, User: alice}
		for i, p := range mutatedProbes(base) {
			ex := answeredExchange("", "{}")
			ex.Probe = p
			ex.Probe.ID = fmt.Sprintf("e%d", i+1)
			f.keepAll(ex)
		}
		for _, secret := range []string{token, tenant, bearer} {
			Expect(sanitize.NewSecrets(secret).Found(string(f.makeArchive()))).To(BeFalse())
		}
	})
})
