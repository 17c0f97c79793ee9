package selftest_test

import (
	"slices"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/testkit"
)

// documentedIDs repeats the ids of the documented requirements, so that one that is removed by accident is noticed.
func documentedIDs() []string {
	fields := func(section, names string) (list []string) {
		for _, name := range strings.Fields(names) {
			list = append(list, section+"/"+name)
		}
		return list
	}
	list := slices.Concat(
		fields("2.1", "AuthenticationCountLimit CreatedOn Description ExpirationDate Flags Id IsDisabled IsLocked "+
			"ModeDeviceName ModeId ModeType ModeTypeName UserId SerialNumber Device CreatedBy"),
		fields("2.2", "Id AuthType SerialNumber RegistrationDate IsEnabled LastUserId Comment Model"),
		fields("2.3", "identifiers"),
		fields("4.1", "Id/required UserId/required AccessToken/required ApplicationId/required user"),
		fields("4.2", "UserId/required AccessToken/required ApplicationId/required"))
	for _, operation := range []string{getUserAuth, findByUserIDs} {
		list = append(list, "4/"+operation+"/served", "5.1/"+operation+"/token",
			"9.3/"+operation+"/shape", "9.3/"+operation+"/values", "9.3/"+operation+"/divergence")
	}
	return list
}

var _ = Describe("The command", func() {
	catalogue := startEarly(&otherJobs, func() *result { return command{args: []string{"requirements"}}.run() })
	It("requirements lists every documented requirement", func() {
		Expect(catalogue().exitCode).To(BeZero(), "%s", catalogue())
		var documented []string
		for line := range strings.Lines(catalogue().stdout) {
			columns := strings.Fields(line)
			Expect(len(columns)).To(BeNumerically(">", 4), line)
			Expect(columns[1]).To(HavePrefix("§"))
			if columns[2] == "documented" {
				documented = append(documented, columns[0])
				continue
			}
			Expect(columns[2]).To(BeElementOf("open", "excluded"))
			Expect(columns[0]).To(HavePrefix(columns[2] + "/"))
		}
		Expect(documented).To(ConsistOf(documentedIDs()))
	})

	type inOneFolder struct {
		run, again *result
		files      map[string]string // that the run left
	}
	embedded := startEarly(&otherJobs, func() inOneFolder {
		folder := newFolder()
		run := command{args: []string{"run", "--divergence", "fail"}, folder: folder}.run()
		files := filesIn(run.reports())
		again := command{args: []string{"judge", defaultReports + "/evidence.har"}, folder: folder}.run()
		return inOneFolder{run, again, files}
	})
	It("run without a target judges the embedded reference: every row passes, and every open point is observed",
		func() {
			report := checkRun(embedded().run)
			Expect(report.Verdict).To(Equal("pass"), "%s", embedded().run)
			Expect(report.Complete).To(BeTrue())
			Expect(report.rows("pass")).To(ConsistOf(documentedRows()))
			observed := map[string]bool{}
			for _, o := range report.Observations {
				observed[o.ID+" "+o.Operation] = true
				Expect([]string{o.V5, o.V6}).To(HaveEach(Not(BeElementOf("", "not asked"))), "%s %s", o.ID, o.Operation)
			}
			contract := testkit.Contract()
			for _, requirement := range contract.Requirements {
				if requirement.Kind != schemas.Open {
					continue
				}
				for _, operation := range requirement.Operations {
					Expect(observed).To(HaveKey(requirement.ID + " " + string(operation)))
				}
			}
		})
	It("judge in the folder of the run keeps the evidence, and leaves no other files there", func() {
		Expect(checkRun(embedded().again).Verdict).To(Equal("pass"))
		again := filesIn(embedded().again.reports())
		Expect(embedded().files).To(HaveLen(len(reportFiles())))
		Expect(again).To(HaveLen(len(reportFiles())))
		Expect(again["evidence.har"] == embedded().files["evidence.har"]).To(BeTrue(), "the evidence differs")
	})

	type planned struct {
		plan, run      *result
		planned, total int64 // requests
	}
	plan := startEarly(&otherJobs, func() planned {
		t := startTarget(referenceFor(kit.Users()))
		defer t.Close()
		c := certifyTarget(t.URL, "--label-filter", "!auth-failure")
		run := c
		c.args = append([]string{"plan"}, c.args[1:]...)
		p := planned{plan: c.run()}
		p.planned = t.requests.Load()
		p.run = run.run()
		p.total = t.requests.Load()
		return p
	})
	It("plan lists as many requests as the run sends, and sends none", func() {
		p := plan()
		Expect(p.plan.exitCode).To(BeZero(), "%s", p.plan)
		Expect(p.planned).To(BeZero())
		lines := strings.Split(strings.TrimSpace(p.plan.stdout), "\n")
		Expect(lines[len(lines)-1]).To(Equal(strconv.Itoa(len(lines) - 1)))
		Expect(p.plan.stdout).NotTo(ContainSubstring("auth-failure"))
		report := checkRun(p.run)
		Expect(report.Counts.Requests).To(BeNumerically("==", len(lines)-1))
		Expect(p.total).To(Equal(report.Counts.Requests))
		Expect(report.Complete).To(BeFalse())
		Expect(report.rows("inconclusive")).To(HaveEach(ContainSubstring(" 5.1/")),
			"only the rows of the token are left out")
	})

	verbose := startEarly(&otherJobs, func() *result {
		return command{args: []string{"run", "-v", "--focus", "2.1/CreatedOn"}}.run()
	})
	It("run with -v shows each spec, as Ginkgo does", func() {
		Expect(checkRun(verbose()).Verdict).To(Equal("pass"), "%s", verbose())
		Expect(verbose().stdout).To(And(
			ContainSubstring("§2.1 Authenticator record v5 2.1/CreatedOn"),
			ContainSubstring("§2.1 Authenticator record v6 2.1/CreatedOn"),
			ContainSubstring("2 Passed"),
			ContainSubstring("verdict: pass"),
		))
	})

	coloured := startEarly(&otherJobs, func() []*result {
		const folder = "d\x1b[31m\u202e\x07"
		run := command{args: []string{"run", "--report-dir", folder}}.run()
		return []*result{run, command{args: []string{"sweep", "--report-dir", folder}}.run()}
	})
	It("run and sweep escape control characters in the name of a folder", func() {
		for _, r := range coloured() {
			checkStreams(r)
			Expect(r.exitCode).To(BeZero(), "%s", r)
			Expect(r.stdout).To(ContainSubstring(`d\u001b[31m`))
		}
	})

	undecided := startEarly(&otherJobs, func() *result {
		t := startTarget(rewriteBodies(referenceFor(kit.Users()), func(_, body string) string {
			return strings.ReplaceAll(body, `"Description":`, `"Text":`)
		}))
		defer t.Close()
		return certifyTarget(t.URL).run()
	})
	It("run is inconclusive about a field that the service never shows", func() {
		report := checkRun(undecided())
		Expect(undecided().exitCode).To(Equal(3), "%s", undecided())
		Expect(report.rows("inconclusive")).To(ConsistOf("v5 2.1/Description", "v6 2.1/Description"))
	})
})
