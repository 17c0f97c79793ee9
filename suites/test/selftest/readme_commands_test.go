package selftest_test

import (
	"crypto/tls"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/testkit"
)

// readmeCommands returns the calls of the binary in the README's shell blocks, without comments.
func readmeCommands(text string) (list [][]string) {
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
		for _, line := range regexp.MustCompile(`(?m)^bin/conformance ([^#\n]+)`).FindAllStringSubmatch(block[1], -1) {
			list = append(list, strings.Fields(strings.ReplaceAll(line[1], "'", "")))
		}
	}
	return list
}

var _ = Describe("The README's commands", func() {
	It("work unchanged, in their order, and the sweep lists those for whom v5 and v6 differ, and where", func() {
		users := generatePeople(20)
		locked := []string{users[3].UserID, users[11].UserID}
		t := startTarget(testkit.Changing(referenceFor(slices.Concat(users, kit.Users())),
			func(v schemas.Version, record map[string]any) {
				if v == schemas.V6 && slices.Contains(locked, record["UserId"].(string)) {
					record["IsLocked"] = true
				}
			}))
		folder := newFolder()
		csv := "id,userId\n"
		for _, u := range users {
			csv += u.ID + "," + u.UserID + "\n"
		}
		writeFile(folder, "everybody.csv.gz", string(kit.Gzip([]byte(csv))))
		now := func(d time.Duration) string { return time.Now().UTC().Add(d).Format("15:04") }
		fill := strings.NewReplacer("https://access.example.com", t.url,
			"22:00-06:00", now(-time.Hour)+"-"+now(time.Hour))
		shown := map[string]int{}
		calls := readmeCommands(readmeText + proofText)
		for _, args := range append([][]string{{"run", "--target-url", t.url}}, calls...) {
			c := command{folder: folder, env: append(credentialsWith(fixtures.AccessToken), "AUTHN_USERS="+usersFile(),
				"TZ=UTC")}
			for _, argument := range args {
				c.args = append(c.args, fill.Replace(argument))
			}
			expected := 0
			switch args[0] {
			case "serve":
				if !slices.Contains(args, "--list") {
					c.onStart = whenServing(func(string) {})
				}
			case "sweep":
				// One shard has one user, who is equal, and one version alone differs from none.
				if expected = 1; slices.Contains(args, "--shard") || slices.Contains(args, "--record") {
					expected = 0
				}
			case "merge": // all shards but one are missing here
				expected = 2
			}
			r := c.runToEnd()
			Expect(r.exitCode).To(Equal(expected), "conformance %s: %s", strings.Join(args, " "), r)
			if shown[args[0]]++; args[0] == "sweep" && shown["sweep"] == 1 {
				list := string(testkit.Read(r.reportFolder(), listFile))
				Expect(strings.Split(strings.TrimSpace(list), "\n")[1:]).To(HaveExactElements(
					And(ContainSubstring(locked[0]), ContainSubstring("/IsLocked")),
					And(ContainSubstring(locked[1]), ContainSubstring("/IsLocked"))))
			}
		}
		Expect(fmt.Sprint(shown)).To(Equal(
			"map[explain:1 judge:1 merge:1 plan:2 run:6 serve:3 sweep:6 verify:1]"))
	})

	It("and its files judge a service with a private CA, with waivers", func() {
		folder := newFolder()
		config := readmeSettings(folder, fixtures.AccessToken)
		server := httptest.NewUnstartedServer(testkit.Changing(referenceFor(kit.Users()),
			func(v schemas.Version, record map[string]any) {
				record["Device"] = nil
				if date, _ := record["ExpirationDate"].(string); v == schemas.V5 && date != "" {
					record["ExpirationDate"], _, _ = strings.Cut(date, "T")
				}
			}))
		server.TLS = &tls.Config{Certificates: []tls.Certificate{testkit.Must(tls.LoadX509KeyPair(
			filepath.Join(folder, "server.pem"), filepath.Join(folder, "server.key")))}}
		server.StartTLS()
		DeferCleanup(server.Close)
		fill := strings.NewReplacer("https://access.example.com/8.2", server.URL, "https://access.example.com/9.2",
			server.URL, "applicationId: conformance", "applicationId: "+fixtures.ApplicationID)
		writeFile(folder, "conformance.yaml", fill.Replace(string(testkit.Read(config))))
		r := command{args: []string{"run", "--config", "conformance.yaml"}, folder: folder,
			env: []string{"GATEWAY_KEY=key-of-the-readme"}}.runToEnd()
		Expect(r.exitCode).To(Equal(0), "%s", r)
		Expect(r.stdout).To(And(ContainSubstring("WAIVED 2.1/ExpirationDate v5: fail until 2027-06-30 (UTC)"),
			ContainSubstring("verdict: pass (certifies nothing: 20 checks waived (until 2027-06-30 UTC))")))
	})
})
