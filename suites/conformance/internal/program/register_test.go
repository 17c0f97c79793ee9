package program_test

import (
	"encoding/json"
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/hostile"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/report"
)

// mutant breaks one requirement in one version, and that requirement is broken.
const (
	mutant = "created-on-two-digit-fraction-one-user-v5"
	broken = "v5 2.1/CreatedOn"
)

// all is how many specs there are if both versions are under test.
const all = 142

var _ = Describe("A program that registers the specs", func() {
	It("sees all of them pass against a right service, and finds no files", func(ctx SpecContext) {
		o := runProgram(ctx, program{Configs: []conformance.Config{configFor(serveService("").url)}})
		Expect(o.code).To(BeZero(), o.output)
		Expect(o.in(types.SpecStatePassed)).To(HaveLen(all))
		Expect(o.ran()).To(BeTrue())
		Expect(o.left).To(BeEmpty())
	})

	It("sees the requirement fail that a service breaks, with all that is needed to understand it",
		func(ctx SpecContext) {
			o := runProgram(ctx, program{Configs: []conformance.Config{configFor(serveService(mutant).url)}})
			Expect(o.code).To(Equal(1))
			Expect(rowsOfSpecs(o.in(types.SpecStateFailed))).To(ContainElement(broken))
			Expect(rowsOfSpecs(o.in(types.SpecStateFailed))).NotTo(ContainElement("v6 2.1/CreatedOn"))
			Expect(o.output).To(And(ContainSubstring("at        /CreatedOn"), ContainSubstring("expected  "),
				ContainSubstring("repeat    printf %s")))
			Expect(o.junit).To(ContainSubstring(broken))
		})

	It("tests one version alone", func(ctx SpecContext) {
		target := serveService("")
		o := runProgram(ctx, program{Configs: []conformance.Config{configFor(target.url,
			func(c *conformance.Config) { c.Versions = []string{"v6"} })}})
		Expect(o.code).To(BeZero(), o.output)
		Expect(rowsOfSpecs(o.in(types.SpecStatePassed))).To(HaveEach(HavePrefix("v6 ")))
	})

	It("holds several configs", func(ctx SpecContext) {
		right, wrong := serveService(""), serveService(mutant)
		p := program{Early: true, Configs: []conformance.Config{configFor(right.url), configFor(wrong.url),
			configFor(right.url + "/no-such-prefix")}}
		o := runProgram(ctx, p)
		failed := map[string][]string{}
		for _, spec := range o.in(types.SpecStateFailed) {
			row, _, _ := strings.Cut(spec.LeafNodeText, ": ")
			failed[spec.ContainerHierarchyTexts[0]] = append(failed[spec.ContainerHierarchyTexts[0]], row)
		}
		name := func(url string) string { return "Authenticator API at " + strings.TrimPrefix(url, "http://") }
		Expect(failed).NotTo(HaveKey(name(right.url)))
		Expect(failed[name(wrong.url)]).To(ContainElement(broken))
		Expect(failed[name(right.url+"/no-such-prefix")]).To(HaveLen(1), "nothing is served there")
		Expect(o.in(types.SpecStateSkipped)).To(HaveLen(all - 1))
	})

	It("trusts a private CA", func(ctx SpecContext) {
		server := httptest.NewTLSServer(kit.Reference(kit.Users(), fixtures.AccessToken))
		DeferCleanup(server.Close)
		p := program{Configs: []conformance.Config{configFor(server.URL)}}
		p.CA = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
		Expect(runProgram(ctx, p).code).To(BeZero())
	})
})

// waiversOfMutant is the waiver of what the mutant breaks, and of the differences that follow from it.
func waiversOfMutant(verdict string, until time.Time) []conformance.Waiver {
	return []conformance.Waiver{{Requirement: "2.1/CreatedOn", Version: "v5", Verdict: verdict, Reason: "known",
		Until: until},
		{Requirement: "9.3/*", Verdict: verdict, Reason: "follows from it", Until: until}}
}

var _ = Describe("The fields of a config that decide what fails", func() {
	soon := time.Now().AddDate(0, 1, 0)
	// noDevice is the only user of a config: nobody has a device, so that no field of one can be judged.
	noDevice := func(c *conformance.Config) {
		c.Users = slices.DeleteFunc(c.Users, func(u conformance.User) bool { return u.UserID != "no.device" })
	}

	It("skip what is waived, with the reason", func(ctx SpecContext) {
		o := runProgram(ctx, program{Configs: []conformance.Config{configFor(serveService(mutant).url,
			func(c *conformance.Config) { c.Waivers = waiversOfMutant("", soon) })}})
		Expect(o.code).To(BeZero(), o.output)
		skipped := o.in(types.SpecStateSkipped)
		Expect(rowsOfSpecs(skipped)).To(ContainElement(broken))
		Expect(skipped[0].Failure.Message).To(ContainSubstring("waived"))
	})

	It("fail for a stale waiver", func(ctx SpecContext) {
		o := runProgram(ctx, program{Configs: []conformance.Config{configFor(serveService("").url,
			func(c *conformance.Config) { c.Waivers = waiversOfMutant("", soon) })}})
		Expect(o.code).To(Equal(1))
		Expect(o.output).To(And(ContainSubstring("2 waivers are stale"), ContainSubstring("Config.Waivers[0]")))
	})

	It("name a wrong waiver by its field and index", func(ctx SpecContext) {
		o := runProgram(ctx, program{Configs: []conformance.Config{configFor(serveService("").url,
			func(c *conformance.Config) {
				c.Waivers = []conformance.Waiver{{Requirement: "2.1/CreateOn", Reason: "r", Until: soon}}
			})}})
		Expect(o.code).To(Equal(1))
		Expect(o.output).To(And(ContainSubstring("Config.Waivers[0]: "),
			ContainSubstring(`did you mean "2.1/CreatedOn"?`)))
	})

	It("skip what could not be decided, and say so at the end", func(ctx SpecContext) {
		o := runProgram(ctx, program{Configs: []conformance.Config{configFor(serveService("").url, noDevice)}})
		Expect(o.code).To(BeZero(), o.output)
		Expect(o.output).To(MatchRegexp(
			`Authenticator API.*: [0-9]+ checks could not be decided and are skipped; Config\.FailInconclusive makes them fail`))
	})

	It("fail what could not be decided, if they say so", func(ctx SpecContext) {
		o := runProgram(ctx, program{Configs: []conformance.Config{configFor(serveService("").url, noDevice,
			func(c *conformance.Config) { c.FailInconclusive = true })}})
		Expect(o.code).To(Equal(1))
		Expect(rowsOfSpecs(o.in(types.SpecStateFailed))).To(ContainElement("v5 2.2/Model"))
	})

	It("compare shapes only, or leave out places", func(ctx SpecContext) {
		const otherValues = "get-user-auth-values-locked-v6"
		o := runProgram(ctx, program{Early: true, Configs: []conformance.Config{configFor(serveService(otherValues).url,
			func(c *conformance.Config) { c.Parity = "shape" })}})
		Expect(o.code).To(BeZero(), o.output)
		o = runProgram(ctx, program{Configs: []conformance.Config{configFor(serveService(otherValues).url,
			func(c *conformance.Config) {
				c.Ignore = []conformance.Ignored{{Pointer: "/IsLocked", Reason: "r"}, {Pointer: "/*/IsLocked",
					Reason: "r"}}
			})}})
		Expect(o.code).To(BeZero(), o.output)
	})

	It("skip what is known from the baseline, and fail what is not", func(ctx SpecContext) {
		dir := GinkgoT().TempDir()
		baseline := func(c *conformance.Config) { c.Baseline = filepath.Join(dir, "report.json") }
		o := runProgram(ctx, program{Configs: []conformance.Config{configFor(serveService(mutant).url,
			func(c *conformance.Config) { c.ReportDir = dir })}})
		Expect(o.code).To(Equal(1))
		o = runProgram(ctx, program{Configs: []conformance.Config{configFor(serveService(mutant).url, baseline)}})
		Expect(o.code).To(BeZero(), o.output)
		Expect(rowsOfSpecs(o.in(types.SpecStateSkipped))).To(ContainElement(broken))
		o = runProgram(ctx, program{Configs: []conformance.Config{configFor(serveService("created-on-microseconds-v6").url,
			baseline)}})
		Expect(o.code).To(Equal(1))
		Expect(rowsOfSpecs(o.in(types.SpecStateFailed))).To(ContainElement("v6 2.1/CreatedOn"))
	})
})

var _ = DescribeTable("What is wrong fails the first spec, and the others are skipped for the same reason",
	func(ctx SpecContext, change func(*program, *conformance.Config), sentence string) {
		target := serveService("")
		p := program{Configs: []conformance.Config{configFor(target.url)}}
		change(&p, &p.Configs[0])
		o := runProgram(ctx, p, "-ginkgo.flake-attempts=2")
		Expect(o.code).To(Equal(1))
		Expect(o.ran()).To(BeTrue(), "the program's own specs go on")
		Expect(o.in(types.SpecStateFailed)).To(HaveLen(1))
		Expect(o.in(types.SpecStateFailed)[0].Failure.Message).To(MatchRegexp("(?m)^" + sentence))
		Expect(o.in(types.SpecStatePassed)).To(BeEmpty())
		for _, spec := range o.in(types.SpecStateSkipped) {
			Expect(spec.Failure.Message).To(MatchRegexp("(?m)^(not judged: )?" + sentence))
		}
		Expect(target.sent()).To(BeEmpty())
		Expect(o.left).To(BeEmpty())
	},
	Entry("no config", func(p *program, _ *conformance.Config) { *p = program{Nil: true} },
		`Config\.TargetURL: is empty`),
	Entry("no user", func(_ *program, c *conformance.Config) { c.Users = nil }, `Config\.Users: is empty`),
	Entry("no token", func(_ *program, c *conformance.Config) { c.AccessToken = "" }, `Config\.AccessToken: is empty`),
	Entry("a doubled user", func(_ *program, c *conformance.Config) { c.Users = append(c.Users, c.Users[0]) },
		`Config\.Users\[13\]: the user .* is the same as`),
	Entry("a URL without a scheme", func(_ *program, c *conformance.Config) { c.TargetURL = "auth.example" },
		`Config\.TargetURL: does not begin with`),
	Entry("an unknown version", func(_ *program, c *conformance.Config) { c.Versions = []string{"v7"} },
		`Config\.Versions: "v7" is not a version`),
	Entry("a negative duration", func(_ *program, c *conformance.Config) { c.Deadline = -time.Second },
		`Config\.Deadline: expected a duration`),
	Entry("TLS that is not verified", func(p *program, _ *conformance.Config) { p.Unverified = true },
		`Config\.TLS: InsecureSkipVerify is set`),
	Entry("a token in a wrong field", func(_ *program, c *conformance.Config) { c.Users[0].ID = c.AccessToken },
		`Config\.Users\[0\]\.ID: expected a .*GUID`),
	Entry("nobody there", func(_ *program, c *conformance.Config) { c.TargetURL = "http://127.0.0.1:1" },
		`the run could not be carried out: the target can't be reached`),
	Entry("a report folder that can't be made", func(_ *program,
		c *conformance.Config) {
		c.ReportDir = "/dev/null/reports"
	}, `Config\.ReportDir: .*can't be written`),
)

var _ = DescribeTable("A filter selects what is sent",
	func(ctx SpecContext, p program, flags []string, specs int, allowed func(call) bool) {
		target := serveService("")
		p.Configs = []conformance.Config{configFor(target.url)}
		o := runProgram(ctx, p, flags...)
		Expect(o.code).To(BeZero(), o.output)
		Expect(o.in(types.SpecStatePassed)).To(HaveLen(specs))
		Expect(target.sent()).NotTo(BeEmpty())
		Expect(target.sent()).To(HaveEach(Satisfy(allowed)))
	},
	Entry("one version", program{}, []string{"-ginkgo.label-filter=v5 && read"}, 47,
		func(c call) bool { return strings.HasPrefix(c.path, "/api/v5/") && c.token == fixtures.AccessToken }),
	Entry("no bad tokens", program{}, []string{"-ginkgo.label-filter=!auth-failure && documented"}, 74,
		func(c call) bool { return c.token == fixtures.AccessToken || c.token == "" }),
	Entry("one requirement", program{}, []string{"-ginkgo.focus=v6 2.1/CreatedOn"}, 1,
		func(c call) bool { return c.path == "/api/v6/authenticator/getUserAuth" }),
	Entry("the description, and what is left out", program{},
		[]string{"-ginkgo.focus=^the program Authenticator API §2", "-ginkgo.skip=v5", "-ginkgo.skip=2.3/"}, 31,
		func(c call) bool { return strings.HasPrefix(c.path, "/api/v6/") }),
	Entry("a label of the suite", program{}, []string{"-ginkgo.label-filter=integration && v6 && 2.3"}, 1,
		func(c call) bool { return c.path == "/api/v6/authenticator/findByUserIds" }),
	Entry("within a container", program{Within: "staging"},
		[]string{"-ginkgo.label-filter=v5 && 2.3", "-ginkgo.focus=staging Auth"}, 1,
		func(c call) bool { return c.path == "/api/v5/authenticator/findByUserIds" }),
)

var _ = Describe("A filter", func() {
	It("that can't be followed within a container fails, and nothing is sent", func(ctx SpecContext) {
		target := serveService("")
		o := runProgram(ctx, program{Within: "staging", Configs: []conformance.Config{configFor(target.url)}},
			"-ginkgo.label-filter=integration && v5")
		Expect(o.code).To(Equal(1))
		Expect(o.output).To(ContainSubstring("call it there, outside of any container"))
		Expect(target.sent()).To(BeEmpty())
	})

	It("that leaves nothing of a config sends nothing", func(ctx SpecContext) {
		target := serveService("")
		Expect(runProgram(ctx, program{Configs: []conformance.Config{configFor(target.url)}},
			"-ginkgo.focus="+own).code).To(
			BeZero())
		Expect(target.sent()).To(BeEmpty())
	})
})

var _ = Describe("The report folder of a program", func() {
	It("has the files of the command, and no pass of yesterday once the config is wrong", func(ctx SpecContext) {
		target, dir := serveService(""), filepath.Join(GinkgoT().TempDir(), "reports")
		config := configFor(target.url, func(c *conformance.Config) { c.ReportDir = dir })
		o := runProgram(ctx, program{Configs: []conformance.Config{config}})
		Expect(o.code).To(BeZero(), o.output)
		Expect(o.left).To(BeEmpty())
		entries, err := os.ReadDir(dir)
		Expect(err).NotTo(HaveOccurred())
		var names []string
		for _, entry := range entries {
			names = append(names, entry.Name())
			content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
			Expect(err).NotTo(HaveOccurred())
			expectNoSecret(string(content))
		}
		Expect(names).To(ConsistOf(append(folder.Reports(), report.EvidenceFile)))
		verdict, certifies, _ := verdictIn(dir)
		Expect(verdict).To(Equal("pass"))
		Expect(certifies).To(BeTrue())

		config.Concurrency = -1
		Expect(runProgram(ctx, program{Configs: []conformance.Config{config}}).code).To(Equal(1))
		verdict, certifies, why := verdictIn(dir)
		Expect(verdict).To(Equal("error"))
		Expect(certifies).To(BeFalse())
		Expect(why).To(HavePrefix("Config.Concurrency: "))
	})

	It("says of a target that is not there what there is to say", func(ctx SpecContext) {
		dir := filepath.Join(GinkgoT().TempDir(), "reports")
		config := configFor("http://127.0.0.1:1", func(c *conformance.Config) { c.ReportDir = dir })
		Expect(runProgram(ctx, program{Configs: []conformance.Config{config}}).code).To(Equal(1))
		_, _, why := verdictIn(dir)
		Expect(why).To(HavePrefix("the target can't be reached"))
	})
})

// verdictIn reads the report of a folder.
func verdictIn(dir string) (verdict string, certifies bool, why string) {
	GinkgoHelper()
	content, err := os.ReadFile(filepath.Join(dir, report.JSONFile))
	Expect(err).NotTo(HaveOccurred())
	var r struct {
		Verdict   string
		Certifies bool
		Error     string
	}
	Expect(json.Unmarshal(content, &r)).To(Succeed())
	return r.Verdict, r.Certifies, r.Error
}

// What a process writes is searched for secrets wherever one runs; here the targets send them back.
var _ = DescribeTable("A target that returns secrets gets none of them into the output",
	func(ctx SpecContext, name string, reports bool) {
		var target hostile.Target
		for _, t := range hostile.All() {
			if t.Name == name {
				target = t
			}
		}
		Expect(target.Name).To(Equal(name))
		running, err := target.Start(GinkgoT().TempDir(),
			hostile.Options{FewerParts: true, Returned: []string{fixtures.AccessToken, header}})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(running.Close)
		config := configFor(running.Arguments[slices.Index(running.Arguments, "--target-url")+1],
			func(c *conformance.Config) {
				c.Timeout = time.Second
				if reports {
					c.ReportDir = GinkgoT().TempDir()
				}
			})
		o := runProgram(ctx, program{Configs: []conformance.Config{config}})
		Expect(len(o.in(types.SpecStateFailed)) + len(o.in(types.SpecStateSkipped)) +
			len(o.in(types.SpecStatePassed))).To(Equal(all))
	},
	Entry(nil, "returns-in-refusal", false),
	Entry(nil, "returns-in-refusal", true),
	Entry(nil, "returns-in-gzip-page", false),
	Entry(nil, "returns-in-guids", false),
	Entry(nil, "returns-in-member-name", false),
	Entry(nil, "returns-in-doubled-member", false),
	Entry(nil, "returns-in-identifiers", false),
	Entry(nil, "returns-in-two-headers", false),
	Entry(nil, "returns-in-second-answer", false),
	Entry(nil, "returns-in-greeting", false),
)
