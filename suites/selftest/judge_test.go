package selftest_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/kit"
)

// rejudged is a run, and its evidence judged again.
type rejudged struct{ run, again *result }

// judgeAgain judges the evidence of a run again, in another folder, language and time zone.
func judgeAgain(run *result) rejudged {
	return rejudged{run, command{args: []string{"judge", filepath.Join(run.reports(), "evidence.har")},
		env: []string{"LANG=tr_TR.UTF-8", "TZ=Pacific/Kiritimati", "GOMAXPROCS=1"}}.run()}
}

// judgeAndJudgeAgain lets a run judge a service, closes the service, and judges the evidence again.
func judgeAndJudgeAgain(s service, c command) rejudged {
	run, _ := s.judge(c)
	return judgeAgain(run)
}

// expectUnchanged asserts that judging again wrote the same evidence, byte for byte, and the same report. The report
// differs only in saying that it was judged again and certifies nothing.
func (r rejudged) expectUnchanged() {
	GinkgoHelper()
	checkRun(r.run)
	Expect(unreadableFiles(r.run)).To(BeEmpty())
	checkRun(r.again)
	Expect(r.again.stdout).To(ContainSubstring("judged again"))
	files, again := filesIn(r.run.reports()), filesIn(r.again.reports())
	for _, name := range reportFiles() {
		Expect(files[name]).NotTo(BeEmpty(), name)
		Expect(again[name]).NotTo(BeEmpty(), name)
	}
	Expect(files).To(HaveLen(len(reportFiles())))
	Expect(again).To(HaveLen(len(reportFiles())))
	Expect(again["evidence.har"] == files["evidence.har"]).To(BeTrue(), "the evidence differs")
	was, is := membersOf(files["report.json"]), membersOf(again["report.json"])
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(files["evidence.har"])))
	Expect(is["judgedAgain"]).To(Equal(map[string]any{"evidence": digest}))
	Expect(is["certifies"]).To(BeFalse())
	Expect(again["statement.json"]).To(And(ContainSubstring("evidence, judged again"), Not(ContainSubstring("PASSED"))))
	for _, name := range []string{"judgedAgain", "certifies"} {
		delete(was, name)
		delete(is, name)
	}
	Expect(is).To(Equal(was))
}

// membersOf returns the members of a JSON object.
func membersOf(text string) map[string]any {
	GinkgoHelper()
	var object map[string]any
	Expect(json.Unmarshal([]byte(text), &object)).To(Succeed())
	return object
}

// fullConfig is a configuration file with everything that changes verdicts, and with secrets.
const fullConfig = `parity:
  ignore:
  - {pointer: /Device/Comment, reason: free text}
  - {pointer: /Flags, reason: it was <b>, until: 2020-01-31}
waivers:
- {requirement: 2.1/Flags, version: v6, reason: to be fixed | soon, until: 2037-01-31}
- {requirement: 9.3/getUserAuth/values, reason: the same, until: 2037-01-31}
- {requirement: 2.1/Id, reason: was fixed, until: 2020-01-31}
target:
  headers:
    X-Tenant: tenant-5Gk9Qw2Lz8
    Authorization: Bearer kJ3nR8vT1yM6pQ4sW9zB2cF7hL5dG0xA
    X-Forwarded-Host: 127.0.0.1
`

var _ = Describe("Judging again", func() {
	waived := startEarly(&otherJobs, func() rejudged {
		s := mutantService(mutantNamed("flags-fraction-v6"))
		s.users = slices.Clone(s.users)
		for i := range s.users {
			s.users[i].Name = fmt.Sprintf("user %d <b>`|\u202e\x1b[31m %s", i, plainToken)
		}
		c := command{folder: newFolder()}
		c.args = []string{"run", "--config", writeFile(c.folder, "c.yaml", fullConfig)}
		return judgeAndJudgeAgain(s, c)
	})
	It("with waivers, ignored pointers, headers and names of users gives the same evidence and report", func() {
		waived().expectUnchanged()
		Expect(waived().run.exitCode).To(Equal(0), "what fails is waived: %s", waived().run)
	})

	incomplete := startEarly(&otherJobs, func() *result {
		run, _ := mutantService(mutantNamed("flags-fraction-v6")).judge(command{args: []string{"run"}})
		content, err := withoutExchange(filesIn(run.reports())["evidence.har"], "e1")
		if err != nil {
			return &result{err: err}
		}
		folder := newFolder()
		writeFile(folder, "e.har", content)
		baseline := filepath.Join(run.reports(), "report.json")
		return command{args: []string{"judge", "e.har", "--baseline", baseline}, folder: folder}.run()
	})
	It("evidence with a missing exchange is inconclusive, and failures of the baseline are not stale", func() {
		r := incomplete()
		report := checkRun(r)
		Expect(r.exitCode).To(Equal(3), "%s", r)
		Expect(report.Complete).To(BeFalse())
		Expect(report.Lacking).To(ConsistOf(HavePrefix("e1: ")))
		Expect(report.Baseline.Stale).To(BeEmpty())
		Expect(r.stdout).To(ContainSubstring("lacking"))
		Expect(filesIn(r.reports())["statement.json"]).NotTo(ContainSubstring("PASSED"))
	})

	hidden := startEarly(&otherJobs, func() rejudged {
		s := hiddenDifferences()
		c := command{args: []string{"run"}, env: credentialsWith(plainToken)}
		return judgeAndJudgeAgain(s, c)
	})
	It("versions that differ only within secrets passes no row that failed before", func() {
		was, now := checkRun(hidden().run), checkRun(hidden().again)
		var pointers []string
		for _, row := range was.Requirements {
			for _, c := range row.Causes {
				pointers = append(pointers, c.Pointer)
			}
		}
		for i := range secretPairs() {
			Expect(pointers).To(ContainElement(HavePrefix(fmt.Sprintf("/Extra%d", i))))
		}
		Expect(now.Verdict).NotTo(Equal("pass"))
		for _, row := range was.rows("fail") {
			Expect(now.rows("pass")).NotTo(ContainElement(row))
		}
	})
})

// secretPairs are JSON texts of v5 and of v6 that differ only in a secret.
func secretPairs() [][2]string {
	plain := `"` + plainToken + `"`
	return [][2]string{
		{plain, `"` + base64.StdEncoding.EncodeToString([]byte(plainToken)) + `"`},
		{plain, `"Q` + plainToken[1:] + `"`},
		{`{` + plain + `:1}`, `{"redacted-abcdefghijklmnop":1}`},
		{plain, `"$AUTHN_ACCESS_TOKEN"`},
		{plain, `"redacted-abcdefghijklmnop"`},
		{`"` + plainToken[:20] + `"`, `"` + plainToken[20:] + `"`},
	}
}

// hiddenDifferences is a service with secretPairs as values of undocumented members.
func hiddenDifferences() service {
	handler := rewriteBodies(kit.Reference(kit.Users(), plainToken), func(path, body string) string {
		var members strings.Builder
		for i, pair := range secretPairs() {
			value := pair[0]
			if isV6(path) {
				value = pair[1]
			}
			fmt.Fprintf(&members, `"Extra%d":%s,`, i, value)
		}
		return strings.Replace(body, `"Description":`, members.String()+`"Description":`, 1)
	})
	return service{users: kit.Users(), start: func(folder string) (*kit.Running, error) {
		return kit.Start(folder, func(r *kit.Running) error { return r.SetTarget(r.ServePlain(handler)) })
	}}
}

// withoutExchange removes the entries of an exchange from an archive.
func withoutExchange(archive, exchange string) (string, error) {
	var har struct {
		Log map[string]json.RawMessage `json:"log"`
	}
	if err := json.Unmarshal([]byte(archive), &har); err != nil {
		return "", err
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(har.Log["entries"], &entries); err != nil {
		return "", err
	}
	entries = slices.DeleteFunc(entries, func(text json.RawMessage) bool {
		var entry struct {
			Exchange string `json:"_exchange"`
		}
		return json.Unmarshal(text, &entry) == nil && entry.Exchange == exchange
	})
	content, err := json.Marshal(entries)
	if err != nil {
		return "", err
	}
	har.Log["entries"] = content
	content, err = json.Marshal(har)
	return string(content), err
}
