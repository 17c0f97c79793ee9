package schemas_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// go test ./schemas -update-golden rewrites the tables of the README.
var updateGolden = flag.Bool("update-golden", false, "rewrite the tables of README.md")

// catalogueTable returns the rows of a section as the README shows them.
func catalogueTable(section string) string {
	rows := "| requirement | kind | statement |\n| --- | --- | --- |\n"
	for _, r := range loadContract().Requirements {
		if r.Section == section {
			statement := r.Statement
			if r.Reason != "" {
				statement += " " + r.Reason
			}
			rows += fmt.Sprintf("| `%s` | %s | %s |\n", r.ID, r.Kind, statement)
		}
	}
	return rows
}

var _ = Describe("README of the contract", func() {
	It("has every row of the catalogue in the table of its section", func() {
		content, err := os.ReadFile("README.md")
		Expect(err).NotTo(HaveOccurred())
		readme := strings.ReplaceAll(string(content), "\r\n", "\n")
		tables := regexp.MustCompile(`(?s)<!-- catalogue ([0-9.]+) -->\n.*?<!-- end -->`)
		sections := map[string]bool{}
		updated := tables.ReplaceAllStringFunc(readme, func(table string) string {
			section := tables.FindStringSubmatch(table)[1]
			sections[section] = true
			return "<!-- catalogue " + section + " -->\n" + catalogueTable(section) + "<!-- end -->"
		})
		for _, r := range loadContract().Requirements {
			Expect(sections).To(HaveKey(r.Section), "no table for the section of %s", r.ID)
		}
		if *updateGolden {
			Expect(os.WriteFile("README.md", []byte(updated), 0o644)).To(Succeed())
			readme = updated
		}
		Expect(readme).To(Equal(updated), "if the change is meant: make golden")
	})

	It("describes each section and each judging rule that a comment, a message or a page names", func() {
		content, err := os.ReadFile("README.md")
		Expect(err).NotTo(HaveOccurred())
		named := regexp.MustCompile(`\bJ[0-9]{1,2}\b|§[0-9](?:\.[0-9])?`)
		ofOthers := regexp.MustCompile(`RFC [0-9]+[,\s/]*§[0-9.]+`)
		count := 0
		Expect(filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".." {
				return fs.SkipDir
			}
			if extension := filepath.Ext(path); extension != ".go" && extension != ".html" && extension != ".yaml" ||
				strings.HasSuffix(path, "_test.go") {
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, name := range named.FindAllString(ofOthers.ReplaceAllString(string(text), ""), -1) {
				count++
				Expect(string(content)).To(MatchRegexp(`(?m)^### `+regexp.QuoteMeta(name)+`\b`), "%s names %s", path,
					name)
			}
			return nil
		})).To(Succeed())
		Expect(count).To(BeNumerically(">", 100))
	})
})
