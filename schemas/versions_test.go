package schemas_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

var _ = Describe("The contract of a version", func() {
	const v5, v6, v7 = schemas.Version("v5"), schemas.Version("v6"), schemas.Version("v7")

	// edition returns the contract with three versions, with a text of a file replaced.
	edition := func(file, old, replacement string) (*schemas.Contract, error) {
		files := embeddedWith(file, func(s string) string {
			Expect(strings.Count(s, old)).To(BeNumerically(">=", 1), "%s has to be in %s", old, file)
			return strings.Replace(s, old, replacement, 1)
		})
		files["versions.yaml"] = embeddedWith("versions.yaml", func(string) string {
			return "versions: [{name: v5}, {name: v6}, {name: v7}]\npairs: [{from: v5, to: v6}, {from: v6, to: v7}]"
		})["versions.yaml"]
		return schemas.LoadFrom(files)
	}
	const member = `"CreatedOn": {`

	It("is that of all versions where no row and no member says otherwise", func() {
		c := loadContract()
		for _, v := range c.Versions {
			Expect(c.Of(v)).To(BeIdenticalTo(&c.Shapes))
		}
		Expect(c.InOne(c.Pairs[0])).To(BeEmpty())
		before, after := c.Neighbours()
		Expect([]string{before, after}).To(Equal([]string{"v4", "v7"}))
	})

	It("has the members of its own, in the document's order", func() {
		c, err := edition("authenticator.schema.json", member, `"Colour": {"description": "a colour, or null",
			"type": ["string", "null"], "since": "v7"}, "CreatedOn": { "until": "v6",`)
		Expect(err).NotTo(HaveOccurred())
		Expect(c.Record.Members()[:4]).To(Equal([]string{"AuthenticationCountLimit", "Colour", "CreatedOn",
			"Description"}))
		Expect(c.Of(v5)).To(BeIdenticalTo(c.Of(v6)))
		Expect(c.Of(v6).Record.Members()[:3]).To(Equal([]string{"AuthenticationCountLimit", "CreatedOn",
			"Description"}))
		Expect(c.Of(v7).Record.Members()[:3]).To(Equal([]string{"AuthenticationCountLimit", "Colour", "Description"}))
		Expect(c.InOne(schemas.Pair{From: v5, To: v6})).To(BeEmpty())
		Expect(c.InOne(schemas.Pair{From: v6, To: v7})).To(ConsistOf("/Colour", "/CreatedOn", "/*/Colour",
			"/*/CreatedOn"))

		red := []byte(`{"UserId": "u", "Colour": "red"}`)
		seven := []byte(`{"UserId": "u", "Colour": 7}`)
		for _, v := range []schemas.Version{v5, v6} { // not documented there, so anything goes
			Expect(c.Of(v).AcceptsAnswer(schemas.GetUserAuth, "u", red)).To(BeTrue())
			Expect(c.Of(v).AcceptsAnswer(schemas.GetUserAuth, "u", seven)).To(BeTrue())
			Expect(c.Of(v).Record.Check(map[string]any{"Colour": true})).To(BeEmpty())
			Expect(c.Of(v).Record.Check(map[string]any{"CreatedOn": "today"})).To(HaveLen(1))
		}
		Expect(c.Of(v7).AcceptsAnswer(schemas.GetUserAuth, "u", red)).To(BeTrue())
		Expect(c.Of(v7).AcceptsAnswer(schemas.GetUserAuth, "u", seven)).To(BeFalse())
		Expect(c.Of(v7).Record.Check(map[string]any{"Colour": true})).To(HaveLen(1))
		Expect(c.Of(v7).Record.Check(map[string]any{"CreatedOn": "today"})).To(BeEmpty())
	})

	It("has the device's members of its own", func() {
		c, err := edition("device.schema.json", `"Model": {`, `"Model": { "since": "v6",`)
		Expect(err).NotTo(HaveOccurred())
		Expect(c.Of(v5).Device.Members()).NotTo(ContainElement("Model"))
		Expect(c.Of(v5).Record.Check(map[string]any{"Device": map[string]any{"Model": 1}})).To(BeEmpty())
		Expect(c.Of(v6).Record.Check(map[string]any{"Device": map[string]any{"Model": true}})).To(HaveLen(1))
		Expect(c.InOne(schemas.Pair{From: v5, To: v6})).To(ConsistOf("/Device/Model", "/*/Device/Model"))
	})

	It("requires no field that its requests do not have", func() {
		c, err := edition("find-by-user-ids-request.schema.json", `"ApplicationId": {`,
			`"ApplicationId": { "until": "v6",`)
		Expect(err).NotTo(HaveOccurred())
		Expect(c.Of(v6).Request(schemas.FindByUserIDs).Members()).To(HaveLen(3))
		Expect(c.Of(v7).Request(schemas.FindByUserIDs).Members()).To(HaveLen(2))
		Expect(c.Of(v7).FindByUserIDsRequest.Check(map[string]any{"UserId": "u", "AccessToken": "t"})).To(BeEmpty())
	})

	It("has the rows that hold in it, and in both versions of a pair", func() {
		c, err := edition("requirements.yaml", "- id: 4.1/user\n", "- id: 4.1/user\n  since: v6\n")
		Expect(err).NotTo(HaveOccurred())
		row, _ := c.Requirement("4.1/user")
		Expect(row.Versions).To(Equal([]schemas.Version{v6, v7}))
		Expect(row.In(v5)).To(BeFalse())
		Expect(row.In("v5=v6")).To(BeFalse())
		Expect(row.In("v6=v7")).To(BeTrue())
		Expect(c.Of(v5)).NotTo(BeIdenticalTo(c.Of(v6)), "an answer is not judged once for both")
	})

	It("names the versions of a pair in the statements of its rows", func() {
		c, err := edition("requirements.yaml", "# The catalogue", "# A catalogue")
		Expect(err).NotTo(HaveOccurred())
		row, _ := c.Requirement("9.3/getUserAuth/shape")
		Expect(row.Statement).To(HavePrefix("v5, v6 and v7 answer getUserAuth"))
		Expect(row.StatementOf("v6=v7")).To(HavePrefix("v6 and v7 answer getUserAuth"))
	})

	DescribeTable("is refused if it names versions that are not listed", func(file, old, replacement string) {
		_, err := edition(file, old, replacement)
		Expect(err).To(MatchError(And(ContainSubstring(file), ContainSubstring("versions.yaml"))))
	},
		Entry("a member from an unknown one on", "authenticator.schema.json", member, member+`"since": "v8",`),
		Entry("a member that ends before it begins", "authenticator.schema.json", member,
			member+`"since": "v6", "until": "v5",`),
		Entry("a row until an unknown one", "requirements.yaml", "- id: 4.1/user\n", "- id: 4.1/user\n  until: v8\n"),
	)

	It("is named alone or as a pair, in order of age", func() {
		Expect(schemas.Pairs()).To(Equal([]schemas.Pair{{From: v5, To: v6}}))
		pair := schemas.Pairs()[0].Version()
		Expect(pair).To(BeEquivalentTo("v5=v6"))
		Expect([]bool{pair.IsPair(), v5.IsPair(), pair.Covers(v5), pair.Covers(v6), pair.Covers(v7), v7.Covers(v7)}).To(
			Equal([]bool{true, false, true, true, false, true}))
		Expect(schemas.InOrder(map[schemas.Version]int{"v10": 1, "v9": 1, "v5": 1})).To(
			Equal([]schemas.Version{"v5", "v9", "v10"}))
		c := loadContract()
		found, ok := c.PairOf([]schemas.Version{v5, v6})
		Expect(ok).To(BeTrue())
		Expect(found).To(Equal(schemas.Pairs()[0]))
		for _, alone := range [][]schemas.Version{{v5}, {v6}, {}} {
			_, ok = c.PairOf(alone)
			Expect(ok).To(BeFalse())
			Expect(c.PairsOf(alone)).To(BeEmpty())
		}
	})

	It("has another digest if any of its files is another", func() {
		c, err := edition("requirements.yaml", "# The catalogue", "# A catalogue")
		Expect(err).NotTo(HaveOccurred())
		other, err := edition("requirements.yaml", "# The catalogue", "# The other catalogue")
		Expect(err).NotTo(HaveOccurred())
		Expect(c.Digest).NotTo(Equal(other.Digest))
		Expect(c.Digest).NotTo(Equal(loadContract().Digest))
	})

	It("is the same as that of earlier files, if the file of versions says so", func() {
		c := loadContract()
		Expect(c.Is(c.Digest)).To(BeTrue())
		Expect(c.Is("sha256:981951cabfc92e0726a33c6aeeacc9468aefe927f358f2148f14d7d985bcd317")).To(BeTrue())
		Expect(c.Is("sha256:" + strings.Repeat("0", 64))).To(BeFalse())
	})
})
