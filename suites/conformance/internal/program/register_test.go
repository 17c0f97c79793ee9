package program_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
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
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
)

// mutant breaks one requirement in one version, and that requirement is broken.
const (
	mutant = "created-on-two-digit-fraction-one-user-v5"
	broken = "v5 2.1/CreatedOn"
)

// all is how many specs there are if both versions are under test.
const all = 144

// recordV5 records v5 of a target, for all users of the fixtures.
func recordV5(ctx context.Context, target, path string) {
	GinkgoHelper()
	s := testkit.Settings(testkit.Must(url.Parse(target)), nil)
	delete(s.Targets, "v6")
	s.Versions, s.Record, s.ReportDir = []schemas.Version{"v5"}, path, GinkgoT().TempDir()
	in := sweep.Input{Out: sanitize.New(s, testkit.Contract(), report.Name)}
	for _, u := range kit.Users() {
		s.Users = append(s.Users, exchange.User(u))
	}
	w := sweep.New(s, testkit.Suite(), sweep.Options{Shard: stats.Shard{Index: 1, Of: 1}}, in)
	Expect(w.Execute(ctx, sweep.Watch{})).To(Succeed())
	Expect(w.Ended).To(BeTrue())
}

func describePrograms() {
	Describe("A program that registers the specs", func() {
		It("sees the requirement fail that a service breaks, with all that is needed to understand it",
			func(ctx SpecContext) {
				o := runConfig(ctx, configFor(serveService(mutant).url))
				Expect(o.code).To(Equal(1))
				Expect(o.rowsIn(types.SpecStateFailed)).To(And(ContainElement(broken),
					Not(ContainElement("v6 2.1/CreatedOn"))))
				Expect(o.output).To(And(ContainSubstring("at /CreatedOn: got "),
					ContainSubstring("the token of Config.AccessToken}\"; printf %s")))
				Expect(o.junit).To(ContainSubstring(broken))
				Expect(o.output).To(ContainSubstring("ended \x1b[0m"))
			})

		It("prints one block for each of three bugs, and what failed for the same cause is skipped",
			func(ctx SpecContext) {
				target := testkit.Serve(testkit.Changing(kit.Reference(kit.Users(), fixtures.AccessToken),
					func(v schemas.Version, record map[string]any) {
						record["CreatedOn"] = "2023-11-14"
						record["Flags"] = "1"
						if v == schemas.V6 && record["Description"] != nil {
							record["Description"] = "Another one"
						}
					}))
				o := runProgram(ctx, program{Configs: []conformance.Config{configFor(target.String())}},
					"-ginkgo.v=false", "-ginkgo.succinct")
				Expect(o.code).To(Equal(1))
				Expect(o.rowsIn(types.SpecStateFailed)).To(ConsistOf("v5 2.1/CreatedOn", "v5 2.1/Flags",
					"v5=v6 9.3/getUserAuth/values"))
				for _, spec := range o.inState(types.SpecStateSkipped) {
					Expect(spec.Failure.Message).To(HavePrefix("failed, for the same cause as v5 2.1/"))
				}
				failures, _, _ := strings.Cut(o.output[strings.Index(o.output, "[FAILED]"):], "Summarizing")
				Expect(strings.Count(failures, "\n")).To(BeNumerically("<=", 30), "%s", failures)
				Expect(strings.Count(failures, "curl ")).To(Equal(3), "%s", failures)
			})

		It("tests one version alone, and trusts a private CA", func(ctx SpecContext) {
			server := httptest.NewTLSServer(kit.Reference(kit.Users(), fixtures.AccessToken))
			DeferCleanup(server.Close)
			config := configFor(server.URL)
			config.Versions = []string{"v6"}
			o := runProgram(ctx, program{
				Configs: []conformance.Config{config}, Early: true,
				CA: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})),
			})
			Expect(o.code).To(BeZero(), o.output)
			Expect(o.rowsIn(types.SpecStatePassed)).To(HaveEach(HavePrefix("v6 ")))
		})

		It("asks two installations, each with its own token, application and header", func(ctx SpecContext) {
			config := configFor("")
			config.AccessToken, config.ApplicationID, config.Header = "", "", nil
			config.Targets = map[string]conformance.Target{}
			for _, v := range []string{"v5", "v6"} {
				target := conformance.Target{AccessToken: "token-of-" + v + "-5Gt8Hn", ApplicationID: "module of " + v,
					Header: http.Header{"X-Gateway": {"gateway-of-" + v + "-2Wp6"}}}
				service := reference.New(reference.Options{Users: kit.Users(), AccessToken: target.AccessToken,
					ApplicationID: target.ApplicationID})
				target.URL = testkit.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Header.Get("X-Gateway") != target.Header.Get("X-Gateway") || !strings.Contains(r.URL.Path, v) {
						w.WriteHeader(http.StatusForbidden)
						return
					}
					service.ServeHTTP(w, r)
				})).String()
				config.Targets[v] = target
			}
			o := runConfig(ctx, config)
			Expect(o.code).To(BeZero(), o.output)
			Expect(o.rowsIn(types.SpecStatePassed)).To(ContainElement("v5=v6 9.3/getUserAuth/values"))
			Expect(o.output).NotTo(Or(ContainSubstring("token-of-v"), ContainSubstring("gateway-of-v")))
		})

		It("reads v5 from the record of a sweep, asks v6 alone, and sees where both differ", func(ctx SpecContext) {
			path := filepath.Join(GinkgoT().TempDir(), "v5.ndjson.gz")
			recordV5(ctx, serveService("").url, path)
			for mutant, failed := range map[string]OmegaMatcher{"": BeEmpty(),
				"authentication-count-limit-fraction-one-user-v6": ConsistOf("v6 2.1/AuthenticationCountLimit")} {
				target := serveService(mutant)
				config := configFor(target.url)
				config.Targets = map[string]conformance.Target{"v5": {Recorded: path}}
				o := runProgram(ctx, program{Configs: []conformance.Config{config}, Early: true})
				Expect(o.rowsIn(types.SpecStateFailed)).To(failed, o.output)
				Expect(o.rowsIn(types.SpecStatePassed)).To(And(ContainElement("v5=v6 9.3/findByUserIds/values"),
					Not(ContainElement(HavePrefix("v5 ")))))
				asks := func(v schemas.Version) bool {
					return slices.ContainsFunc(target.sentCalls(),
						func(c call) bool { return strings.Contains(c.path, string(v)) })
				}
				Expect([]bool{asks("v5"), asks("v6")}).To(Equal([]bool{false, true}))
			}
		})

		It("holds several configs", func(ctx SpecContext) {
			right, wrong := serveService(""), serveService(mutant)
			long := "/no-such-prefix/" + strings.Repeat("x", 100-len(right.url))
			o := runProgram(ctx, program{Early: true, Configs: []conformance.Config{configFor(right.url),
				configFor(wrong.url), configFor(right.url + long), configFor("http://[::1")}})
			failed := map[string][]string{}
			for _, spec := range o.inState(types.SpecStateFailed) {
				target := strings.TrimPrefix(spec.ContainerHierarchyTexts[0], "Authenticator API at ")
				failed["http://"+target] = append(failed["http://"+target], rowOf(spec))
			}
			Expect(failed).To(HaveLen(3))
			Expect(failed[wrong.url]).To(ContainElement(broken))
			name := strings.TrimPrefix(right.url+long, "http://")
			Expect(failed["http://"+name[:100]+fmt.Sprintf("… (%d characters in all)", len(name))]).To(
				HaveLen(1), "nothing is served there")
			Expect(failed["http://Authenticator API"]).To(HaveLen(1), "it is no URL")
			Expect(o.inState(types.SpecStateSkipped)).To(HaveLen(2*(all-1)+1), "one failed for the cause of another")
		})
	})

	DescribeTable("What is wrong fails the first spec, and the others are skipped for the same reason",
		func(ctx SpecContext, sentence, change string) {
			target := serveService("")
			p := program{Configs: []conformance.Config{configFor(target.url)}}
			p.applyChange(change)
			o := runProgram(ctx, p, "-ginkgo.flake-attempts=2")
			Expect(o.code).To(Equal(1))
			Expect(o.ranOwn).To(BeTrue(), "the program's own specs go on")
			Expect(o.inState(types.SpecStateFailed)).To(HaveLen(1))
			Expect(o.inState(types.SpecStateFailed)[0].Failure.Message).To(MatchRegexp("(?m)^" + sentence))
			Expect(o.inState(types.SpecStatePassed)).To(BeEmpty())
			for _, spec := range o.inState(types.SpecStateSkipped) {
				Expect(spec.Failure.Message).To(MatchRegexp("(?m)^(not judged: )?" + sentence))
			}
			Expect(target.sentCalls()).To(BeEmpty())
			Expect(o.left).To(BeEmpty())
		},
		testkit.Entries("wrong"),
	)

	DescribeTable("The fields of a config decide what fails: they",
		func(ctx SpecContext, mutant, change, state, row, output string) {
			// Parity and divergence are read early.
			p := program{Early: true, Configs: []conformance.Config{configFor(serveService(mutant).url)}}
			p.applyChange(change)
			o := runProgram(ctx, p)
			Expect(o.code == 1).To(Equal(state == "failed"), o.output)
			states := map[string]types.SpecState{"failed": types.SpecStateFailed, "passed": types.SpecStatePassed,
				"skipped": types.SpecStateSkipped}
			Expect(o.rowsIn(states[state])).To(ContainElement(HavePrefix(row)))
			Expect(o.output).To(MatchRegexp(output))
			Expect(strings.Contains(o.output, "could not be decided")).To(Equal(strings.Contains(output, "be decided")))
			if strings.Contains(output, "stale") {
				Expect(o.inState(types.SpecStateFailed)).To(HaveLen(1))
			}
		},
		testkit.Entries("decisions"),
	)

	It("The baseline of a config decides what fails: only what is not known from it", func(ctx SpecContext) {
		config := configFor(serveService(mutant).url)
		config.ReportDir = GinkgoT().TempDir()
		Expect(runConfig(ctx, config).code).To(Equal(1))
		config.Baseline, config.ReportDir = filepath.Join(config.ReportDir, "report.json"), ""
		o := runConfig(ctx, config)
		Expect(o.code).To(BeZero(), o.output)
		Expect(o.rowsIn(types.SpecStateSkipped)).To(ContainElement(broken))
		config.TargetURL = serveService("created-on-microseconds-v6").url
		Expect(runConfig(ctx, config).rowsIn(types.SpecStateFailed)).To(ContainElement("v6 2.1/CreatedOn"))
	})

	It("A token that travels in clear text, and a proxy, are cautions in the output", func(ctx SpecContext) {
		proxy := testkit.Must(url.Parse(serveService("").url))
		host := proxy.Host
		proxy.User = url.UserPassword("anyone", header)
		GinkgoT().Setenv("HTTP_PROXY", proxy.String())
		GinkgoT().Setenv("NO_PROXY", "")
		o := runConfig(ctx, configFor("http://service.example"))
		Expect(o.code).To(BeZero(), o.output)
		Expect(o.output).To(And(
			ContainSubstring("the access token travels in clear text to http://service.example: anyone on the network"),
			ContainSubstring("requests went through the proxy http://"+host+" (HTTP_PROXY): anything that it")))
	})

	DescribeTable("A filter selects what is sent:",
		func(ctx SpecContext, within, says string, specs int, path string, tokens, flags []string) {
			target := serveService("")
			p := program{Within: within, Configs: []conformance.Config{configFor(target.url)}}
			o := runProgram(ctx, p, flags...)
			Expect(o.code == 0).To(Equal(says == ""), o.output)
			Expect(o.output).To(ContainSubstring(says))
			Expect(o.inState(types.SpecStatePassed)).To(HaveLen(specs))
			Expect(len(target.sentCalls()) == 0).To(Equal(specs == 0))
			if specs == 0 && says != "" {
				Expect(o.inState(types.SpecStateFailed)).To(HaveLen(1), "the others are skipped")
			}
			for _, c := range target.sentCalls() {
				Expect(c.path).To(HavePrefix(path))
				if len(tokens) > 0 {
					Expect(strings.ReplaceAll(c.token, fixtures.AccessToken, "right")).To(BeElementOf(tokens))
				}
			}
		},
		testkit.Entries("filters"),
	)
}

func describeReports() {
	It("The report folder of a program has the files of the command, and no pass of yesterday once something is wrong",
		func(ctx SpecContext) {
			dir := filepath.Join(GinkgoT().TempDir(), "reports")
			readReport := func() (r report.Report) {
				Expect(json.Unmarshal(testkit.Read(dir, report.JSONFile), &r)).To(Succeed())
				return r
			}
			config := configFor(serveService("").url)
			config.ReportDir = dir
			o := runConfig(ctx, config)
			Expect(o.code).To(BeZero(), o.output)
			Expect(o.ranOwn).To(BeTrue())
			Expect(o.inState(types.SpecStatePassed)).To(HaveLen(all))
			Expect(o.left).To(BeEmpty())
			var names []string
			for _, entry := range testkit.Must(os.ReadDir(dir)) {
				names = append(names, entry.Name())
				expectNoSecret(string(testkit.Read(dir, entry.Name())))
			}
			Expect(names).To(ConsistOf(append(folder.Reports(), report.EvidenceFile)))
			Expect(readReport()).To(And(HaveField("Verdict", BeEquivalentTo("pass")), HaveField("Certifies", true)))

			config.Rate = -1
			Expect(runConfig(ctx, config).inState(types.SpecStateFailed)[0].Failure.Message).To(
				HavePrefix("Config.Rate: "))
			Expect(readReport()).To(And(HaveField("Verdict", BeEquivalentTo("error")), HaveField("Certifies", false),
				HaveField("Error", HaveValue(HavePrefix("Config.Rate: ")))))
			config.Rate, config.TargetURL = 0, "http://127.0.0.1:1"
			Expect(runConfig(ctx, config).code).To(Equal(1))
			Expect(readReport().Error).To(HaveValue(HavePrefix("the target can't be reached")))
		})

	// What a process writes is searched for secrets wherever one runs; here the targets send them back.
	DescribeTable("A target that returns secrets gets none of them into the output",
		func(ctx SpecContext, name string, reports bool) {
			i := slices.IndexFunc(hostile.All(), func(t hostile.Target) bool { return t.Name == name })
			running := testkit.Must(hostile.All()[i].Start(GinkgoT().TempDir(),
				hostile.Options{FewerParts: true, Returned: []string{fixtures.AccessToken, header}}))
			DeferCleanup(running.Close)
			config := configFor(running.Arguments[slices.Index(running.Arguments, "--target-url")+1])
			config.Timeout = time.Second
			if reports {
				config.ReportDir = GinkgoT().TempDir()
			}
			Expect(runConfig(ctx, config).specs).To(HaveLen(all))
		},
		Entry(nil, "returns-in-refusal", false), Entry(nil, "returns-in-refusal", true),
		Entry(nil, "returns-in-gzip-page", false), Entry(nil, "returns-in-guids", false),
		Entry(nil, "returns-in-member-name", false), Entry(nil, "returns-in-doubled-member", false),
		Entry(nil, "returns-in-identifiers", false), Entry(nil, "returns-in-two-headers", false),
		Entry(nil, "returns-in-second-answer", false), Entry(nil, "returns-in-greeting", false),
	)
}
