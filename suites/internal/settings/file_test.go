package settings_test

import (
	"path/filepath"
	"time"

	"authenticator-conformance/schemas"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The configuration file", func() {
	It("gives every setting that has a key", func() {
		s, err := resolveFile(lines(
			"target:", "  url: https://auth.example/", "  v6: {url: 'https://six.example'}", "  accessTokenFile: token",
			"  applicationId: app", "  headers: {X-Tenant: one}",
			"users: users.yaml", "versions: [v5, v6]", "reportDir: out", "concurrency: 3", "rate: 2.5", "timeout: 1s",
			"deadline: 2m", "parity:", "  mode: shape", "  ignore:", "    - {pointer: /Comment, reason: changes}",
			"divergence: fail", "waivers:", "  - {requirement: 2.1/CreatedOn, reason: known, until: 2027-03-01}",
			"baseline: base.json"),
			"token", token, "users.yaml", "- {id: "+firstID+", userId: a}\n")
		Expect(err).NotTo(HaveOccurred())
		Expect(s.URLs[schemas.V5].String()).To(Equal("https://auth.example"))
		Expect(s.URLs[schemas.V6].String()).To(Equal("https://six.example"))
		Expect(s.AccessToken).To(Equal(token))
		Expect(s.ApplicationID).To(Equal("app"))
		Expect(s.Headers).To(HaveLen(1))
		Expect(s.Users).To(HaveLen(1))
		Expect(filepath.Base(s.ReportDir)).To(Equal("out"))
		Expect(s.Concurrency).To(Equal(3))
		Expect(s.Rate).To(Equal(2.5))
		Expect(s.Timeout).To(Equal(time.Second))
		Expect(s.Deadline).To(Equal(2 * time.Minute))
		Expect(s.ParityMode).To(Equal("shape"))
		Expect(s.Ignore).To(HaveLen(1))
		Expect(s.Divergence).To(Equal("fail"))
		Expect(s.Waivers).To(HaveLen(1))
		Expect(filepath.Base(s.Baseline)).To(Equal("base.json"))
		Expect(effective(s, "headers").Value).To(Equal("X-Tenant (set)"))
		Expect(effective(s, "waivers").Value).To(Equal("1"))
	})

	DescribeTable("is taken in every ordinary shape", func(content string) {
		s, err := resolveFileWithURL(content)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Concurrency).To(Equal(3))
		Expect(s.ApplicationID).To(Equal("app"))
	},
		Entry("CRLF", "concurrency: 3\r\ntarget:\r\n  applicationId: app\r\n"),
		Entry("byte order mark", "\ufeffconcurrency: 3\ntarget: {applicationId: app}\n"),
		Entry("JSON", `{"concurrency": 3, "target": {"applicationId": "app"}}`),
		Entry("an alias", "divergence: report\nconcurrency: 3\nparity: {ignore: [{pointer: /a, reason: &r app}]}\ntarget: {applicationId: *r}\n"),
		Entry("empty lists",
			"concurrency: 3\ntarget: {applicationId: app, headers: {}}\nwaivers: []\nparity: {ignore: []}\n"),
	)

	DescribeTable("is refused with the line and the member", func(content string, parts ...string) {
		_, err := resolveFile(content)
		expectFault(err, append([]string{"conformance.yaml:"}, parts...)...)
	},
		Entry("empty", "", ":1: has no settings"),
		Entry("no members", "{}\n", ":1: the file has no settings"),
		Entry("a list", "- rate: 1\n", ":1: the file: expected members, got a list"),
		Entry("unknown at the top", "rate: 1\nconcurency: 2\n",
			`:2: member "concurency" is unknown: remove it or correct its name; did you mean "concurrency"?`),
		Entry("unknown in a group", "target:\n  urll: x\n", `:2: member "target.urll" is unknown`,
			`; did you mean "target.url"?`),
		Entry("unknown two deep", "target:\n  v5:\n    uri: x\n", `:3: member "target.v5.uri"`, `"target.v5.url"?`),
		Entry("right name, wrong place", "url: https://auth.example\n", `:1: member "url"`,
			`did you mean "target.url"?`),
		Entry("wrong case", "reportdir: x\n", `:1: member "reportdir"`, `did you mean "reportDir"?`),
		Entry("a flag-only setting", "focus: x\n", `:1: member "focus" is unknown`),
		Entry("a dotted name", "target.url: https://auth.example\n", `:1: member "target.url" is unknown`),
		Entry("a merge key", "a: &a {rate: 1}\n<<: *a\n", `:1: member "a" is unknown`,
			`:2: member "<<" is unknown`),
		Entry("a number for a name", "1: x\n", `:1: member "1" is unknown`),
		Entry("doubled at the top", "rate: 1\n\nrate: 2\n", `:3: member "rate" is already on line 1`),
		Entry("a doubled group", "target: {url: a}\ntarget: {applicationId: b}\n",
			`:2: member "target" is already on line 1`),
		Entry("an empty group", "rate: 1\ntarget:\n", ":2: target has no settings"),
		Entry("a text for a group", "target: https://auth.example\n", ":1: target: expected members, got a text"),
		Entry("text for a number", "rate: '5'\n", ":1: rate: expected a number without quotes, got a text"),
		Entry("number for a text", "target: {applicationId: 007}\n",
			":1: target.applicationId: expected a text, got a number: put it in quotes"),
		Entry("date for a text", "baseline: 2027-01-31\n",
			":1: baseline: expected a text, got a date: put it in quotes"),
		Entry("boolean for a duration", "timeout: true\n",
			":1: timeout: expected a duration such as 10s, got a boolean"),
		Entry("numbers among versions", "versions: [v5, 6]\n",
			":1: versions: expected a list of words, got a number among them"),
		Entry("text for entries", "waivers: none\n", ":1: waivers: expected a list of entries, got a text"),
		Entry("list for headers", "target:\n  headers: ['Authorization: "+token+"']\n",
			":2: target.headers: expected headers, each as name: value, got a list"),
		Entry("a tag of its own", "baseline: !path x\n",
			":1: baseline: expected a text, got a value with another tag"),
		Entry("a text that claims to be a list", "waivers: !!seq none\n",
			":1: waivers: expected a list of entries, got a value with another tag"),
		Entry("a second document", "rate: 1\n---\nrate: 2\n", ":2: expected one YAML document, got a second one"),
		Entry("no YAML", "rate: 1\n  x: 2\n", ":2: is not YAML: mapping values are not allowed"),
		Entry("an alias without anchor", "rate: 1\nbaseline: *"+token+"\n", ":2: is not YAML: an alias"),
		Entry("a control character", "rate: 1\nbaseline: a\x01b\n", ":2: is not YAML: control characters"),
		Entry("no UTF-8", "rate: 1\nbaseline: a\xffb\n", ":2: is not valid UTF-8"),
	)

	DescribeTable("names an empty setting with its line", func(content, place string) {
		_, err := resolveFile(content)
		expectFault(err, "conformance.yaml:"+place+": is empty: leave it out or give a value")
	},
		Entry(nil, "rate: 1\ntarget:\n  url: ''\n", "3: target.url"),
		Entry(nil, "users: ' '\n", "1: users"),
		Entry(nil, "versions: []\n", "1: versions"),
		Entry(nil, "waivers:\n", "1: waivers"),
	)

	It("names the place of a wrong value", func() {
		_, err := resolveFile("target:\n  url: https://admin:" + token + "@auth.example\nrate: 0.001\n")
		expectFault(err, "conformance.yaml:2: target.url: has credentials", "conformance.yaml:3: rate: expected 0")
	})

	It("names all faults of its form at once, and those of values beside them", func() {
		_, err := resolveFile("ratte: 1\nusers: [1]\nconcurrency: 0\n")
		expectFault(err, `:1: member "ratte"`, ":2: users: ", ":3: concurrency: ")
	})

	It("says which file can't be read, and judges nothing else then", func() {
		_, err := resolve([]string{"AUTHN_CONFIG=no-such.yaml"}, "--target-url", "https://auth.example")
		expectFault(err, "AUTHN_CONFIG: no-such.yaml: cannot be read: no such file or directory")
		Expect(err.Error()).NotTo(ContainSubstring("missing"))
		_, err = resolve(nil, "--config", GinkgoT().TempDir())
		expectFault(err, "--config: ", "cannot be read: is a directory")
	})

	It("survives aliases that hold themselves or each other", func() {
		_, err := resolveFile("waivers: &w\n- *w\n")
		expectFault(err, "conformance.yaml:2: expected an entry")
		_, err = resolveFile("target: &t\n  v5: *t\n")
		expectFault(err, `member "target.v5.v5" is unknown`)
	})
})
