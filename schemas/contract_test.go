package schemas_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

var _ = Describe("The contract", func() {
	c := contract()

	It("has the document's paths, versions, operations and members, in its order", func() {
		Expect(schemas.Path(schemas.V5, schemas.GetUserAuth)).To(Equal("/api/v5/authenticator/getUserAuth"))
		Expect(schemas.Path(schemas.V6, schemas.FindByUserIDs)).To(Equal("/api/v6/authenticator/findByUserIds"))
		Expect(schemas.Versions()).To(HaveExactElements(schemas.V5, schemas.V6))
		Expect(schemas.Operations()).To(HaveExactElements(schemas.GetUserAuth, schemas.FindByUserIDs))
		Expect(c.Record.Members()).To(Equal([]string{
			"AuthenticationCountLimit", "CreatedOn", "Description", "ExpirationDate", "Flags", "Id", "IsDisabled",
			"IsLocked", "ModeDeviceName", "ModeId", "ModeType", "ModeTypeName", "UserId", "SerialNumber", "Device",
			"CreatedBy",
		}))
		Expect(c.Device.Members()).To(Equal([]string{
			"Id", "AuthType", "SerialNumber", "RegistrationDate", "IsEnabled", "LastUserId", "Comment", "Model",
		}))
		Expect(c.Identifiers.Members()).To(BeEmpty())
		Expect(c.Request(schemas.GetUserAuth).Members()).To(
			HaveExactElements("Id", "UserId", "AccessToken", "ApplicationId"))
		Expect(c.Request(schemas.FindByUserIDs).Members()).To(
			HaveExactElements("UserId", "AccessToken", "ApplicationId"))
		Expect(c.Request("getUser")).To(BeNil())
	})

	It("returns copies of its lists, so that a caller can't change it", func() {
		c.Record.Members()[0] = "Changed"
		Expect(c.Record.Members()[0]).To(Equal("AuthenticationCountLimit"))
		schemas.Versions()[0], schemas.Pairs()[0].From = "v1", "v1"
		Expect(schemas.Versions()[0]).To(Equal(schemas.V5))
		Expect(schemas.Pairs()[0].From).To(Equal(schemas.V5))
	})

	It("names its schemas by their files, and describes each member, with null if that is accepted", func() {
		for file, schema := range map[string]*schemas.Schema{
			"authenticator": c.Record, "device": c.Device, "guid-array": c.Identifiers,
			"get-user-auth-request":    c.Request(schemas.GetUserAuth),
			"find-by-user-ids-request": c.Request(schemas.FindByUserIDs),
		} {
			Expect(schema.File()).To(Equal(file + ".schema.json"))
			for _, member := range schema.Members() {
				refusesNull := slices.Contains(pointersOf(checkText(schema, `{"`+member+`":null}`)), "/"+member)
				Expect(refusesNull).To(Equal(strings.HasSuffix(file, "request")), member)
				Expect(schema.Expected(member)).NotTo(BeEmpty(), member)
				Expect(strings.HasSuffix(schema.Expected(member), ", or null")).To(Equal(!refusesNull), member)
			}
		}
		Expect(c.Record.Expected("createdOn")).To(BeEmpty())
		Expect(c.Record.Default("createdOn")).To(BeEmpty())
	})

	It("has a digest that changes with each of its files, and not with the schemas of what the suite writes", func() {
		Expect(schemas.Digest()).To(Equal(c.Digest))
		hash := sha256.New()
		names := Must(fs.Glob(schemas.Files(), "*"))
		Expect(names).To(HaveLen(12))
		for _, name := range names {
			content := string(Must(fs.ReadFile(schemas.Files(), name)))
			changed := loadWith(name, "", content+"\n")
			isWritten := regexp.MustCompile(`^(baseline|findings|report|sweep)\.`).MatchString(name)
			Expect(changed.Digest == c.Digest).To(Equal(isWritten), name)
			if !isWritten {
				fmt.Fprintf(hash, "%d %s %d %s", len(name), name, len(content), content)
			}
		}
		Expect(c.Digest).To(Equal(fmt.Sprintf("sha256:%x", hash.Sum(nil))))
	})

	It("can be judged against concurrently", func() {
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				defer GinkgoRecover()
				Expect(c.Record.Check(map[string]any{"Id": "x", "IsLocked": "y"})).To(HaveLen(2))
				Expect(c.Identifiers.Check([]any{"x"})).To(HaveLen(1))
			})
		}
		group.Wait()
	})

	DescribeTable("names the file that is missing", func(name, text string) {
		files := filesWith()
		delete(files, name)
		_, err := schemas.LoadFiles(files)
		Expect(err).To(MatchError(HavePrefix(text + name + " can't be read")))
	},
		Entry("a schema", "device.schema.json", "the schema "),
		Entry("the catalogue", "requirements.yaml", "the catalogue "),
		Entry("the versions", "versions.yaml", "the versions in "),
	)

	It("refuses wrong files, and says which and where", func() {
		var text strings.Builder
		cases := readCases("refused")
		for _, name := range slices.Sorted(maps.Keys(cases)) {
			c := cases[name]
			_, err := schemas.LoadFiles(filesWith(c[0].(string), c[1].(string), c[2].(string)))
			Expect(err).To(HaveOccurred(), name)
			// Package json says it in one way or the other, at random.
			fmt.Fprintf(&text, "%s:\n  %s\n", name, strings.ReplaceAll(err.Error(), "unable to ", "cannot "))
		}
		expectGolden("testdata/refused.txt", text.String())
	})
})

var _ = Describe("The catalogue", func() {
	It("has the document's order, a row for each member of a message, and in each row what its kind needs", func() {
		c := contract()
		order := []string{"2.1", "2.2", "2.3", "2", "3", "4", "4.1", "4.2", "4.3", "5.1", "5.4", "6", "7", "8", "9.3",
			"9.4"}
		last, found, notCompared := 0, map[string]bool{}, []string{}
		for _, r := range c.Requirements {
			at := slices.Index(order, r.Section)
			Expect(at).To(BeNumerically(">=", last), "%s: section %s", r.ID, r.Section)
			Expect(found).NotTo(HaveKey(r.ID))
			last, found[r.ID] = at, true
			Expect(r.Statement).To(MatchRegexp(`^([A-Z]|getUserAuth |findByUserIds |v5 ).*\.$`), r.ID)
			Expect(r.Parity).To(Equal(r.Section == "9.3"), r.ID)
			Expect(r.Setting == "divergence").To(Equal(strings.HasSuffix(r.ID, "/divergence")), r.ID)
			Expect(r.Setting).To(BeElementOf("", "divergence"), r.ID)
			excluded := r.Kind == schemas.Excluded
			Expect(r.Reason != "").To(Equal(excluded), r.ID)
			Expect(len(r.Operations) == 0).To(Equal(excluded), r.ID)
			Expect(r.Risk == "").To(Equal(excluded), r.ID)
			Expect(r.Compare && r.Kind != schemas.Open).To(BeFalse(), r.ID)
			Expect(len(r.Rules) > 0 || r.Kind != schemas.Documented).To(BeTrue(), r.ID)
			for _, rule := range r.Rules {
				heading, text := schemas.Rule(rule)
				Expect(heading).NotTo(BeEmpty())
				Expect(heading+text).NotTo(MatchRegexp(`\bJ\d`), "a reader knows no number of a rule")
				for line := range strings.Lines(text) {
					Expect(utf8.RuneCountInString(line)).To(BeNumerically("<=", 132), line)
				}
				Expect(text).To(And(HaveSuffix("."), Not(ContainSubstring("#"))), r.ID)
			}
			if r.Kind == schemas.Open && !r.Compare {
				notCompared = append(notCompared, r.ID)
			}
		}
		for form, schema := range map[string]*schemas.Schema{"2.1/%s": c.Record, "2.2/%s": c.Device,
			"4.1/%s/required": c.Request(schemas.GetUserAuth), "4.2/%s/required": c.Request(schemas.FindByUserIDs)} {
			for _, member := range schema.Members() {
				Expect(found).To(HaveKey(fmt.Sprintf(form, member)))
			}
		}
		Expect(notCompared).To(HaveExactElements("open/8/rate-limit", "open/8/size", "open/8/latency"))
	})

	It("has no other rules than those of its README", func() {
		for _, id := range []string{"J0", "J", "", "J4 Date-time\n"} {
			heading, text := schemas.Rule(id)
			Expect(heading+text).To(BeEmpty(), id)
		}
	})

	It("has names that near misses are compared with", func() {
		Expect(schemas.FoldName("Created_On-x")).To(Equal("createdonx"))
	})

	It("is found by id", func() {
		r, ok := contract().Requirement("open/4.3/status")
		Expect(ok).To(BeTrue())
		Expect([]string{r.ID, r.Section, string(r.Kind)}).To(HaveExactElements("open/4.3/status", "4.3", "open"))
		r, ok = contract().Requirement("4.1/User")
		Expect(ok).To(BeFalse())
		Expect(r).To(BeZero())
	})
})

var _ = Describe("README of the contract", func() {
	It("has every row of the catalogue in the table of its section", func() {
		tables := map[string]string{}
		for _, r := range contract().Requirements {
			statement := strings.TrimSpace(r.Statement + " " + r.Reason)
			tables[r.Section] += fmt.Sprintf("| `%s` | %s | %s |\n", r.ID, r.Kind, statement)
		}
		found := regexp.MustCompile(`(?s)<!-- catalogue ([0-9.]+) -->\n.*?<!-- end -->`)
		updated := found.ReplaceAllStringFunc(string(Must(os.ReadFile("README.md"))), func(table string) string {
			section := found.FindStringSubmatch(table)[1]
			rows := tables[section]
			delete(tables, section)
			return "<!-- catalogue " + section + " -->\n| requirement | kind | statement |\n| --- | --- | --- |\n" +
				rows + "<!-- end -->"
		})
		Expect(tables).To(BeEmpty(), "sections without a table")
		expectGolden("README.md", updated)
	})

	It("describes each section and each judging rule that a comment, a message or a page names", func() {
		name := regexp.MustCompile(`\bJ[0-9]{1,2}\b|(?:RFC [0-9]+[, /]*)?§[0-9](?:\.[0-9])?`)
		named := map[string]string{}
		Expect(filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".." {
				return fs.SkipDir
			}
			if !slices.Contains([]string{".go", ".html", ".yaml"}, filepath.Ext(path)) ||
				strings.HasSuffix(path, "_test.go") {
				return nil
			}
			text, err := os.ReadFile(path)
			for line := range strings.Lines(string(text)) {
				if strings.ContainsAny(line, "J§") {
					for _, n := range name.FindAllString(line, -1) {
						named[n] = path
					}
				}
			}
			return err
		})).To(Succeed())
		Expect(len(named)).To(BeNumerically(">", 20))
		readme := string(Must(os.ReadFile("README.md")))
		for n, path := range named {
			if strings.HasPrefix(n, "RFC") {
				continue
			}
			Expect(readme).To(MatchRegexp(`(?m)^### `+regexp.QuoteMeta(n)+`\b`), "%s names %s", path, n)
		}
	})
})
