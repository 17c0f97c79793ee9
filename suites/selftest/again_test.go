package selftest_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/mutants"
)

// reportFiles are those of a report folder.
func reportFiles() []string {
	return []string{"evidence.har", "junit.xml", "report.html", "report.json", "statement.json", "summary.md"}
}

// seen is a run whose evidence is judged again: of what, and with which settings.
type seen struct {
	name   string
	mutant string // of the reference; "" none
	right  string // a conforming service; "" none
	config string // a configuration file
	users  []fixtures.User
	args   []string
	env    []string // beside the credentials
	code   int
}

// rejudged is a run with what judging its evidence came to: in another folder, in another place of the world, and in the
// folder of the run, where the evidence stays.
type rejudged struct {
	run, elsewhere, own *outcome
	before, after       map[string]string // the files of the run's folder
}

// againSpecs show that evidence alone, without the target, comes to the same files.
func againSpecs(r *rig) {
	list := slices.Concat(seenServices(), seenSettings())
	slices.SortFunc(list, func(a, b seen) int { return strings.Compare(a.name, b.name) })
	var jobs []func() *rejudged
	for _, s := range list {
		jobs = append(jobs, func() *rejudged { return s.judge(r) })
	}
	results := runAhead(r, jobs...)

	Describe("Evidence that is judged again comes to the same files", func() {
		for i, s := range list {
			It(s.name, func() {
				j := results.result(i)
				Expect(j.run.err).NotTo(HaveOccurred())
				Expect(j.run.code).To(Equal(s.code), j.run.said())
				for where, o := range map[string]*outcome{"elsewhere": j.elsewhere, "in its own folder": j.own} {
					Expect(o.err).NotTo(HaveOccurred())
					Expect(o.code).To(Equal(s.code), "%s: %s", where, o.said())
					Expect(odd(o.stdout+o.stderr)).To(BeEmpty(), where)
					Expect(spoken(o)).To(Equal(spoken(j.run)), "%s: all but the heading", where)
					Expect(o.stdout).To(ContainSubstring("judged again"), where)
				}
				again := filesOf(filepath.Join(j.run.folder, "again"))
				for _, name := range reportFiles() {
					Expect(j.before[name]).NotTo(BeEmpty(), "%s was not written", name)
					Expect(again[name]).To(Equal(j.before[name]), "%s, judged elsewhere", name)
					Expect(j.after[name]).To(Equal(j.before[name]), "%s, judged in its own folder", name)
				}
				Expect(again).To(HaveLen(len(reportFiles())))
				Expect(j.after).To(HaveLen(len(reportFiles())))
				sound(j.run)
				Expect(unreadable(j.run)).To(BeEmpty())
			})
		}
	})
	lackingSpecs(r)
	judgeSlipSpecs(r)
}

// seenServices are the reference, mutants that differ as much as they can, and conforming services.
func seenServices() []seen {
	list := []seen{
		{name: "the reference"},
		{name: "the embedded reference", args: []string{"--concurrency", "1"}, users: []fixtures.User{}},
	}
	for _, m := range []string{
		"flags-fraction-v6",                         // a wrong type in one version
		"created-on-two-digit-fraction-one-user-v5", // a wrong format for one user
		"get-user-auth-redirect-302-v6",             // a redirect
		"find-by-user-ids-cut-short-one-user-v6",    // a body that breaks off
		"get-user-auth-closed-one-user-v6",          // no answer at all
		"get-user-auth-large-body-one-user-v5",      // a body past a bound
		"find-by-user-ids-token-unchecked-v5",       // a token that is not looked at
		"get-user-auth-values-hour-later-v5",        // a difference between the versions
		"get-user-auth-access-token-null-served-v6", // a field that is not required
		"service-echo-v5",                           // a secret that comes back
		"get-user-auth-values-changing-v6",          // a value that changes in one version, asked for five times
		"get-user-auth-unenrolled-wrong-record-v6",  // a record of a user who has none
	} {
		list = append(list, seen{name: "the mutant " + m, mutant: m, code: 1})
	}
	for _, s := range []string{
		"change-one-identifier", "throttling-429", "connection-odd-reason", "nothing-turning", "silence-refusals-differ", "value-undocumented-members",
	} {
		list = append(list, seen{name: "the service " + s, right: s})
	}
	return list
}

// seenSettings are runs of which the settings decide what is judged, and how.
func seenSettings() []seen {
	const config = "parity:\n  ignore:\n  - pointer: /Device/Comment\n    reason: free text\n  - pointer: /Flags\n    reason: it was <b>\n    until: 2020-01-31\n" +
		"waivers:\n- requirement: 2.1/Flags\n  version: v6\n  reason: to be mended | soon\n  until: 2037-01-31\n- requirement: 9.3/getUserAuth/values\n  reason: the same\n  until: 2037-01-31\n- requirement: 2.1/Id\n  reason: was mended\n  until: 2020-01-31\n" +
		"target:\n  headers:\n    X-Tenant: tenant-5Gk9Qw2Lz8\n    Authorization: Bearer kJ3nR8vT1yM6pQ4sW9zB2cF7hL5dG0xA\n    X-Forwarded-Host: 127.0.0.1\n"
	named := slices.Clone(knownUsers())
	for i := range named {
		named[i].Name = fmt.Sprintf("user %d <b>`|\u202e\x1b[31m %s", i, fixtures.AccessToken)
	}
	const broken = "flags-fraction-v6"
	return []seen{
		{name: "shapes only", mutant: "get-user-auth-values-hour-later-v5", args: []string{"--parity", "shape"}},
		{name: "divergence fails", right: "silence-refusals-differ", args: []string{"--divergence", "fail"}, code: 1},
		{name: "v5 only", mutant: broken, args: []string{"--versions", "v5"}},
		{name: "a label filter", mutant: broken, args: []string{"--label-filter", "!auth-failure"}, code: 1},
		{name: "a focus", args: []string{"--focus", "4.1/UserId/required"}},
		{name: "waivers, ignored places and headers", mutant: broken, config: config},
		{name: "users with names", mutant: broken, users: named, code: 1},
	}
}

// judge has the run carried out, ends the target, and judges the evidence twice.
func (s seen) judge(r *rig) *rejudged {
	folder := r.work()
	users := s.users
	if users == nil {
		users = knownUsers()
	}
	args := append([]string{"run"}, s.args...)
	end := func() {}
	switch {
	case s.right != "":
		service, ok := find(s.right)
		if !ok {
			return &rejudged{run: &outcome{err: fmt.Errorf("there is no conforming service %q any more", s.right)}}
		}
		running, err := service.Start(folder)
		if err != nil {
			return &rejudged{run: &outcome{err: err}}
		}
		args, users, end = slices.Concat(args, running.Arguments, service.Flags), service.Users(), running.Close
	case len(users) > 0:
		handler := referenceOf(knownUsers())
		if s.mutant != "" {
			m, ok := mutants.Find(s.mutant)
			if !ok {
				return &rejudged{run: &outcome{err: fmt.Errorf("there is no mutant %q any more", s.mutant)}}
			}
			handler = m.Serve(handler)
		}
		server := httptest.NewServer(handler)
		args, end = append(args, "--target-url", server.URL), server.Close
	}
	env := append(credentials(), s.env...)
	if len(users) > 0 {
		args = append(args, "--users", usersFile(folder, users))
	} else {
		env = nil
	}
	if s.config != "" {
		args = append(args, "--config", write(folder, "c.yaml", []byte(s.config)))
	}
	j := &rejudged{}
	j.run = r.call(command{args: args, env: env, folder: folder})
	end() // judging again asks no target: this one is gone
	j.before = filesOf(j.run.reports())
	evidence := filepath.Join(defaultReports, "evidence.har")
	j.elsewhere = r.call(command{args: []string{"judge", evidence, "--report-dir", "again"}, folder: folder,
		env: []string{"LANG=tr_TR.UTF-8", "LC_ALL=de_DE.UTF-8", "TZ=Pacific/Kiritimati", "GOMAXPROCS=1"}})
	j.own = r.call(command{args: []string{"judge", evidence}, folder: folder, env: []string{"TZ=America/St_Johns"}})
	j.after = filesOf(j.run.reports())
	return j
}

// filesOf are the files of a folder by name, hidden ones too; none where there is no folder.
func filesOf(folder string) map[string]string {
	files := map[string]string{}
	entries, _ := os.ReadDir(folder) // what is missing is missed where it is looked for
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			content = []byte(err.Error())
		}
		files[entry.Name()] = string(content)
	}
	return files
}

// spoken is what a process said after its heading, without the name of the report folder.
func spoken(o *outcome) string {
	_, rest, found := strings.Cut(o.stdout, "\n\n")
	if !found {
		return "no heading: " + o.stdout
	}
	return strings.NewReplacer("again/", "reports/", defaultReports+"/", "reports/").Replace(rest)
}
