package evidence_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf16"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report/evidence"
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

// expectNotJudgedAgain expects of an exchange with a secret that nothing of it is in the archive, and that the archive
// has it, but not to be judged again.
func expectNotJudgedAgain(f *fixture, secret string, ex *exchange.Exchange) *evidence.Entry {
	GinkgoHelper()
	k := f.readBack(ex)
	archive := f.makeArchive()
	Expect(sanitize.NewSecrets(secret).Found(string(archive))).To(BeFalse())
	Expect([]any{k.Status, k.Length()}).To(Equal([]any{ex.Status, len(ex.Body)}))
	e := parseArchive(archive)
	_, err := e.Do(GinkgoT().Context(), k.Probe)
	Expect(err).To(MatchError(exchange.ErrNotRecorded))
	Expect(e.Unfit(k.Probe)).To(BeTrue())
	return k
}

// judgedCase is an answer with a secret. Its body is a record, if there is no other.
type judgedCase struct {
	Name, Secret, User, Kind, Field, Member, Value, Body string
	Status                                               int
	Identifiers                                          bool
}

var _ = Describe("An answer with a secret is not judged again", func() {
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
			k := expectNotJudgedAgain(newFixture(withSecret(secret)), secret, ex)
			Expect(k.Withheld).To(HaveValue(Equal(exchange.Withheld{Size: len(ex.Body),
				Digest: exchange.DigestOf(ex.Body), Rule: exchange.SecretRule})))
			Expect(k.Body).To(BeEmpty())
		})
	}

	It("if it is in the media type, and is if it is in another header", func(ctx SpecContext) {
		ex := answeredExchange("e1", rightRecord)
		ex.Header.Set("Content-Type", token)
		Expect(string(expectNotJudgedAgain(newFixture(), token, ex).Body)).To(Equal(rightRecord))
		ex = answeredExchange("e1", rightRecord)
		ex.Header.Set("Set-Cookie", "session="+token)
		ex.Header.Set("X-Echo", token)
		f := newFixture()
		f.keepAll(ex)
		again := testkit.Must(parseArchive(f.makeArchive()).Do(ctx, ex.Probe))
		Expect(verdictsOn(again)).To(Equal(verdictsOn(ex)))
	})

	DescribeTable("nor is one that is not UTF-8", func(write func(string) string) {
		for _, text := range []string{"the token " + token + " is unknown", recordWith("Description", `"`+token+`"`)} {
			for _, kind := range []exchange.Kind{exchange.NoMutation, exchange.EmptyToken} {
				ex := answeredExchange("e1", write(text))
				ex.Probe.Kind = kind
				k := expectNotJudgedAgain(newFixture(), token, ex)
				Expect(k.Withheld).To(HaveValue(Equal(exchange.Withheld{Size: len(ex.Body),
					Digest: exchange.DigestOf(ex.Body), Rule: "utf-8"})))
				Expect(k.Body).To(BeEmpty())
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

	It("nor is one for a user whose identifier has it", func() {
		f := newFixture(withSecret("abcdefghijklmnop"))
		for i, user := range []string{"abcdefghijkl", "efghijklmnop"} {
			ex := answeredExchange(fmt.Sprintf("e%d", i+1), "[]")
			ex.Probe.User.UserID = user
			k := expectNotJudgedAgain(f, "abcdefghijklmnop", ex)
			Expect(k.Probe.User.UserID).To(Equal("[redacted]"))
		}
	})
})

var _ = Describe("A secret", func() {
	headers := withHeaders(settings.Header{Name: "Authorization", Value: "Bearer " + bearer},
		settings.Header{Name: "X-Tenant", Value: tenant})

	// These are a few of the encodings that package sanitize knows, whose tests have all.
	DescribeTable("that comes back stands nowhere", func(write func(string) string) {
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
			Expect(k.Withheld.Rule).To(Equal(exchange.SecretRule))
			Expect(k.Header.Get("Content-Type")).To(Equal("application/json; [redacted]"))
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
