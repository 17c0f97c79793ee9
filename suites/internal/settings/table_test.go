package settings_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/settings"
	testkit "authenticator-conformance/suites/internal/testkit/light"
)

var _ = Describe("The table of settings", func() {
	It("gives each command its flags, with the variables and the defaults in their help", func() {
		var text strings.Builder
		for _, name := range []string{"", "plan", "sweep", "judge", "merge"} {
			fmt.Fprintf(&text, "%s:\n%s\n", name, newFlags(commands[name]).FlagUsages())
		}
		testkit.ExpectGolden(filepath.Join("testdata", "flags.txt"), text.String())
	})

	It("stands in README.md of this folder between its markers", func() {
		const path = "README.md"
		before, rest, begins := strings.Cut(string(testkit.Read(path)), "<!-- settings: written by make golden -->\n")
		table, after, ends := strings.Cut(rest, "<!-- end of settings -->")
		Expect(begins && ends).To(BeTrue(), "the markers of the table are missing")
		if *testkit.UpdateGolden {
			text := strings.Replace(string(testkit.Read(path)), table, settings.Table(), 1)
			Expect(os.WriteFile(path, []byte(text), 0o644)).To(Succeed())
			return
		}
		Expect(before + after).NotTo(ContainSubstring("| setting | flag |"))
		Expect(table).To(Equal(settings.Table()), "to write it: make golden")
	})
})

var _ = Describe("Waivers", func() {
	DescribeTable("and ignored places hold to the end of their last day, UTC:", func(now string, isActive bool) {
		moment := testkit.Must(time.Parse(time.RFC3339Nano, now))
		until := time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)
		Expect(ledger.Waiver{Until: until}.Active(moment)).To(Equal(isActive))
		Expect(settings.Ignore{Until: until}.Active(moment)).To(Equal(isActive))
		Expect(settings.Ignore{}.Active(moment)).To(BeTrue())
	},
		Entry(nil, "2026-06-01T00:00:00Z", true), Entry(nil, "2027-01-31T23:59:59.999999999Z", true),
		Entry(nil, "2027-02-01T00:00:00Z", false), Entry(nil, "2027-01-31T23:30:00-01:00", false),
		Entry(nil, "2027-02-01T00:30:00+01:00", true),
	)

	It("may name every documented requirement, those of parity too, and no other", func() {
		waive := func(requirement string) (*settings.Settings, error) {
			return resolveRun(nil, "--config", writeFile("c.yaml", "waivers:\n- {requirement: '"+requirement+
				"', reason: known, until: 2027-12-31}\n"))
		}
		var documented []string
		for _, r := range testkit.Contract().Requirements {
			if r.Kind == schemas.Documented {
				documented = append(documented, r.ID)
				continue
			}
			_, err := waive(r.ID)
			expectFault(err, `c.yaml:2: member "requirement": `+r.ID, "nothing to set aside")
			if r.Kind == schemas.Excluded {
				expectFault(err, r.Reason)
			}
		}
		var waived []string
		for _, w := range testkit.Must(waive("*")).Waivers {
			waived = append(waived, w.Requirement)
		}
		Expect(waived).To(Equal(documented))
	})

	It("and ignored places are named once they have ended, and once for a pattern", func() {
		ended := time.Date(2026, 6, 14, 0, 0, 0, 0, time.UTC)
		waiver := ledger.Waiver{Requirement: "2.1/Id", Pattern: "2.1/*", Until: ended, Where: "file:1"}
		other := waiver
		other.Requirement = "2.1/Flags"
		s := settings.Settings{Waivers: []ledger.Waiver{waiver, other},
			Ignore: []settings.Ignore{{Pointer: "/a", Until: ended, Where: "file:3"}, {Pointer: "/b", Where: "file:4"}}}
		Expect(s.Ended(ended.Add(23*time.Hour))).To(BeEmpty(), "the last day is included")
		Expect(s.Ended(ended.AddDate(0, 0, 1))).To(Equal([]string{
			"the waiver of 2.1/* (file:1) ended on 2026-06-14 (UTC) and no longer holds",
			"parity.ignore /a (file:3) ended on 2026-06-14 (UTC) and no longer holds"}))
	})
})

var _ = Describe("ReportDir", func() {
	DescribeTable("reads arguments, variables and a file that may hold any fault:",
		func(want, content string, environ, args []string) {
			GinkgoT().Chdir(writeFiles("c.yaml", content))
			Expect(settings.Read(settings.Run, nil, args, environ).ReportDir()).To(Equal(want))
		},
		testkit.Entries("reportdir"),
	)

	It("knows the values of the command's other flags, and gives them", func() {
		fs := newFlags(settings.Sweep)
		fs.String("other", "", "")
		fs.Lookup("other").NoOptDefVal = "none"
		fs.IntP("number", "n", 0, "")
		in := settings.Read(settings.Sweep, fs, []string{"--number", "--report-dir", "--rate=1", "--other",
			"--report-dir=out", "-n5", "--other=b"}, nil)
		Expect(in.ReportDir()).To(Equal("out"))
		for name, want := range map[string]string{"number": "5", "other": "b", "rate": "1", "timeout": ""} {
			text, given := in.Flag(name)
			Expect(text).To(Equal(want), name)
			Expect(given).To(Equal(want != ""), name)
		}
	})
})
