package program_test

import (
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
)

var _ = Describe("The suite of another module", func() {
	contract := func(ctx SpecContext, mutant string) outcome {
		return startSuite(ctx, contractBinary, nil, "SERVICE_URL="+serveService(mutant).url,
			"SERVICE_TOKEN="+fixtures.AccessToken)
	}

	It("is green for a right service", func(ctx SpecContext) {
		o := contract(ctx, "")
		Expect(o.code).To(BeZero(), o.output)
		Expect(o.in(types.SpecStatePassed)).To(HaveLen(all + 1))
		Expect(o.left).To(BeEmpty())
	})

	It("is red for a wrong one, at the requirement that it breaks", func(ctx SpecContext) {
		o := contract(ctx, "created-on-as-rfc-1123-v6")
		Expect(o.code).To(Equal(1))
		Expect(rowsOfSpecs(o.in(types.SpecStateFailed))).To(ContainElement("v6 2.1/CreatedOn"))
		Expect(rowsOfSpecs(o.in(types.SpecStateFailed))).NotTo(ContainElement(HavePrefix("v5 ")))
	})

	It("is what the README shows", func() {
		readme, err := os.ReadFile(filepath.Join(repository, "README.md"))
		Expect(err).NotTo(HaveOccurred())
		_, snippet, found := strings.Cut(string(readme), "```go\n")
		Expect(found).To(BeTrue())
		snippet, _, _ = strings.Cut(snippet, "```\n")
		suite, err := os.ReadFile(filepath.Join("testdata", "module", "contract_test.go"))
		Expect(err).NotTo(HaveOccurred())
		Expect(string(suite)).To(ContainSubstring(snippet))
	})
})
