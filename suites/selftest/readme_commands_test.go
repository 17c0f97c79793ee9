package selftest_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/kit"
)

// readmeCommands returns the calls of the binary in the README's shell blocks, without comments.
func readmeCommands(text string) (list [][]string) {
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(block[1]) {
			line, _, _ = strings.Cut(line, "#")
			if arguments, found := strings.CutPrefix(line, "bin/conformance "); found {
				for i, word := range strings.Fields(arguments) {
					if i == 0 {
						list = append(list, nil)
					}
					list[len(list)-1] = append(list[len(list)-1], strings.Trim(word, "'"))
				}
			}
		}
	}
	return list
}

var _ = Describe("The README's commands", func() {
	type call struct {
		args []string
		*result
	}
	calls := startEarly(&otherJobs, func() (list []call) {
		users := generatePeople(20, func(int) bool { return true })
		t := startTarget(referenceFor(slices.Concat(users, kit.Users())))
		defer t.Close()
		folder := newFolder()
		writeFile(folder, "everybody.csv.gz", string(kit.Gzip([]byte(users.csv()))))
		now := func(d time.Duration) string { return time.Now().UTC().Add(d).Format("15:04") }
		fill := strings.NewReplacer("https://access.example.com", t.URL, "22:00-06:00", now(-time.Hour)+"-"+
			now(time.Hour))
		env := append(credentialsOfReference(), "AUTHN_USERS="+usersFile, "TZ=UTC")
		first := command{args: []string{"run", "--target-url", t.URL}, folder: folder, env: env}
		list = append(list, call{first.args, first.run()})
		for _, args := range readmeCommands(readmeText + proofText) {
			c := command{folder: folder, env: env}
			for _, argument := range args {
				c.args = append(c.args, fill.Replace(argument))
			}
			if args[0] == "plan" {
				c.env = append(slices.Clone(env), "AUTHN_TARGET_URL="+t.URL)
			}
			if args[0] == "serve" {
				c.onStart = func(p process) { go whenServing(p, func(string) {}) }
			}
			list = append(list, call{args, c.run()})
		}
		return list
	})

	It("work unchanged, in their order", func() {
		shown := map[string]int{}
		for _, c := range calls() {
			shown[c.args[0]]++
			checkStreams(c.result)
			checkNoDefect(c.result)
			expected := 0
			if c.args[0] == "merge" { // all shards but one are missing here
				expected = 2
				Expect(c.stderr).To(ContainSubstring("shard 1/16 is missing"))
			}
			Expect(c.exitCode).To(Equal(expected), "conformance %s: %s", strings.Join(c.args, " "), c)
		}
		Expect(fmt.Sprint(shown)).To(Equal("map[explain:1 history:1 judge:1 merge:1 openapi:1 plan:2 run:3 serve:3 suggest-users:1 sweep:4 verify:1]"))
	})
})
