package selftest_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/suites/internal/testkit"
)

// upgrade is a service, and the one folder in which its operator works. A run asks the users of users.ndjson, and a
// sweep asks everybody.
type upgrade struct {
	*target
	folder string
}

func newUpgrade() *upgrade {
	GinkgoHelper()
	everybody := append(people(kit.Users()), generatePeople(200)...)
	u := &upgrade{startTarget(referenceFor(everybody)), newFolder()}
	writeFile(u.folder, "users.ndjson", string(testkit.UsersNDJSON()))
	writeFile(u.folder, "everybody.ndjson", everybody.usersText())
	return u
}

// newCommand returns a command of the operator, who exports all settings of the target.
func (u *upgrade) newCommand(args ...string) command {
	return command{folder: u.folder, args: args, env: append(credentialsWith(fixtures.AccessToken),
		"AUTHN_USERS=users.ndjson", "AUTHN_TARGET_URL="+u.url)}
}

// expect runs a command that ends with a code, and returns what it prints.
func (u *upgrade) expect(code int, args ...string) string {
	GinkgoHelper()
	r := u.newCommand(args...).runToEnd()
	Expect(r.exitCode).To(Equal(code), "%q: %s", args, r)
	return r.allOutput()
}

// record records a part of what v5 answers. It is killed as soon as some users count, and then resumed.
func (u *upgrade) record(part int) {
	GinkgoHelper()
	reports := fmt.Sprintf("v5-%d", part)
	args := []string{"sweep", "--users", "everybody.ndjson", "--versions", "v5", "--record", "v5", "--shard",
		fmt.Sprintf("%d/4", part), "--report-dir", reports}
	killed := u.disturbRun(u.newCommand(args...), 120, func(p *os.Process) {
		defer GinkgoRecover()
		Eventually(filesIn).WithArguments(filepath.Join(u.folder, reports)).Should(
			HaveKeyWithValue(checkpointFile, MatchRegexp(`"tally":\{"users":[1-9]`)))
		_ = p.Kill() // it has not ended, as it waits for an answer
	})
	Expect(killed.exitCode).To(Equal(-1), "%s", killed)
	path := filepath.Join("v5", fmt.Sprintf("v5-%d-of-4.ndjson.gz", part))
	begun := u.recorded(path)
	Expect(len(begun)).To(BeNumerically(">", 1), "users who count are recorded")
	u.expect(0, append(args, "--resume")...)
	Expect(u.recorded(path)[:len(begun)]).To(Equal(begun), "what was recorded stays")
}

// recorded returns the lines of a record, without the times of its answers. One that was killed may be cut off.
func (u *upgrade) recorded(path string) []string {
	GinkgoHelper()
	packed := testkit.Must(gzip.NewReader(bytes.NewReader(testkit.Read(u.folder, path))))
	text, _ := io.ReadAll(packed)
	text = regexp.MustCompile(`"at":\d+,"took":\d+`).ReplaceAll(text, nil)
	return slices.Collect(strings.Lines(string(text)))
}

// usersOf returns the lines of users of a record: between the header and the footer.
func usersOf(lines []string) []string { return lines[1 : len(lines)-1] }

var _ = Describe("An upgrade in one folder", func() {
	It("records v5 in four parts, each killed once, compares v6 with it, gates three nights, and is verified", func() {
		u := newUpgrade()
		u.expect(0, "run", "--versions", "v5", "--report-dir", "v5-run")
		var users []string
		for part := 1; part <= 4; part++ {
			u.record(part)
			users = append(users, usersOf(u.recorded(fmt.Sprintf("v5/v5-%d-of-4.ndjson.gz", part)))...)
		}
		u.expect(0, "sweep", "--users", "everybody.ndjson", "--versions", "v5", "--record", "at-once.ndjson.gz")
		Expect(users).To(ConsistOf(usersOf(u.recorded("at-once.ndjson.gz"))), "a kill changes nothing in a record")
		Expect(u.expect(0, "merge", "v5-1", "v5-2", "v5-3", "v5-4", "--report-dir", "v5-whole")).To(
			ContainSubstring("v5 is recorded, and within the contract"))

		Expect(u.expect(0, "run", "--recorded", "v5=v5", "--report-dir", "v6-by-parts")).To(
			ContainSubstring("certifies nothing: v5 was recorded"))
		u.expect(0, "run", "--recorded", "v5=v5-run", "--report-dir", "v6-run")
		u.expect(0, "sweep", "--users", "everybody.ndjson", "--recorded", "v5=v5", "--report-dir", "v6-sweep")

		u.expect(0, "run", "--update-baseline", "baseline.json", "--report-dir", "first")
		for night := range 3 {
			c := u.newCommand("run", "--baseline", "baseline.json", "--report-dir", "night-{date}", "--metrics-file",
				"m.prom")
			if night != 1 {
				Expect(c.runToEnd().exitCode).To(Equal(0))
				continue
			}
			c.env = c.env[:len(c.env)-1] // the URL is lost
			r := c.runToEnd()
			Expect(r.exitCode).To(Equal(2), "%s", r)
			Expect(r.stderr).To(ContainSubstring("the target has no URL"))
			Expect(testkit.Read(u.folder, "m.prom")).To(ContainSubstring(`verdict="error"} 1`))
		}
		Expect(testkit.Must(filepath.Glob(filepath.Join(u.folder, "night-*")))).To(HaveLen(3), "each night has its own")
		u.expect(0, "verify", "first", "--users-at-least", "10")
	})
})
