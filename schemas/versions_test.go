package schemas_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

var _ = Describe("The contract of a version", func() {
	const v5, v6, v7 = schemas.V5, schemas.V6, schemas.Version("v7")
	five, seven := schemas.Pair{From: v5, To: v6}, schemas.Pair{From: v6, To: v7}

	// withThree is the contract with three versions, with changes.
	withThree := func(changes ...string) *schemas.Contract {
		GinkgoHelper()
		return loadWith(append(changes, "versions.yaml", "",
			"versions: [{name: v5}, {name: v6}, {name: v7}]\npairs: [{from: v5, to: v6}, {from: v6, to: v7}]")...)
	}

	It("is that of all versions if no row and no member says otherwise", func() {
		c := contract()
		for _, v := range append(schemas.Versions(), "v8") {
			Expect(c.Of(v)).To(BeIdenticalTo(&c.Shapes))
		}
		Expect(c.InOne(c.Pairs[0])).To(BeEmpty())
		before, after := c.Neighbours()
		Expect([]string{before, after}).To(HaveExactElements("v4", "v7"))
	})

	It("has the members of its own, in the document's order", func() {
		c := withThree("authenticator.schema.json", `"CreatedOn": {`, `"Colour": {"description": "a colour, or null",
			"type": ["string", "null"], "since": "v7"}, "CreatedOn": { "until": "v6",`)
		Expect(c.Of(v5)).To(BeIdenticalTo(c.Of(v6)))
		for v, members := range map[schemas.Version]string{v5: "CreatedOn Description", v7: "Colour Description"} {
			Expect(strings.Join(c.Of(v).Record.Members()[:3], " ")).To(Equal("AuthenticationCountLimit " + members))
		}
		Expect(c.Record.Members()[:4]).To(HaveExactElements("AuthenticationCountLimit", "Colour", "CreatedOn",
			"Description"))
		Expect(c.InOne(five)).To(BeEmpty())
		Expect(c.InOne(seven)).To(ConsistOf("/Colour", "/CreatedOn", "/*/Colour", "/*/CreatedOn"))
		for body, wrongIn := range map[string]schemas.Version{ // what is not documented may have any value
			`{"UserId":"u","Colour":"red"}`: "", `{"UserId":"u","Colour":7}`: v7, `{"Flags":1,"CreatedOn":"x"}`: v6,
		} {
			for _, v := range []schemas.Version{v6, v7} {
				of, right := c.Of(v), v != wrongIn
				Expect(of.AcceptsAnswer(schemas.GetUserAuth, "u", []byte(body))).To(Equal(right), "%s %s", v, body)
				Expect(len(checkText(of.Record, body)) == 0).To(Equal(right), "%s %s", v, body)
			}
		}
	})

	It("has the members of its own below a record and in elements, and requires none that it does not have", func() {
		c := withThree("device.schema.json", `"Model": {`, `"Model": { "since": "v6",`,
			"find-by-user-ids-request.schema.json", `"ApplicationId": {`,
			`"ApplicationId": { "until": "v6", "default": "x",`,
			"guid-array.schema.json", `"items": {`, `"items": { "properties": {"Old": {"until": "v5"}},`)
		Expect(c.Of(v5).Device.Members()).NotTo(ContainElement("Model"))
		Expect(pointersOf(checkText(c.Of(v5).Record, `{"Device":{"Model":1}}`))).To(BeEmpty())
		Expect(pointersOf(checkText(c.Of(v6).Record, `{"Device":{"Model":1}}`))).To(HaveExactElements("/Device/Model"))
		Expect(c.InOne(five)).To(ConsistOf("/Device/Model", "/*/Device/Model"))
		Expect(c.Of(v6).Request(schemas.FindByUserIDs).Members()).To(HaveLen(3))
		Expect(c.Of(v6).Request(schemas.FindByUserIDs).Default("ApplicationId")).To(Equal("x"))
		Expect(c.Of(v7).Request(schemas.FindByUserIDs).Members()).To(HaveLen(2))
		found := checkText(c.Of(v7).Request(schemas.FindByUserIDs), `{"UserId":"u"}`)
		Expect(pointersOf(found)).To(HaveExactElements("/AccessToken"))
		list := "guid-array.schema.json"
		Expect(string(c.Of(v5).Files[list])).To(ContainSubstring(`"Old"`))
		Expect(string(c.Of(v6).Files[list])).NotTo(ContainSubstring(`"Old"`))
		for name, schema := range c.Of(v5).Files {
			Expect(string(schema) + string(c.Of(v7).Files[name])).NotTo(MatchRegexp(`"since"|"until"`))
		}
	})

	It("has the rows that hold in it, and in both versions of a pair", func() {
		c := withThree("requirements.yaml", "- id: 4.1/user\n", "- id: 4.1/user\n  since: v6\n")
		row, _ := c.Requirement("4.1/user")
		Expect(row.Versions).To(HaveExactElements(v6, v7))
		for v, holds := range map[schemas.Version]bool{v5: false, v6: true, v7: true, "v5=v6": false, "v6=v7": true} {
			Expect(row.In(v)).To(Equal(holds), string(v))
		}
		Expect(c.Of(v5)).NotTo(BeIdenticalTo(c.Of(v6)), "an answer is not judged once for both")
		row, _ = c.Requirement("9.3/getUserAuth/shape")
		Expect(row.Statement).To(HavePrefix("v5, v6 and v7 answer getUserAuth"))
		Expect(row.StatementOf("v6=v7")).To(HavePrefix("v6 and v7 answer getUserAuth"))
	})

	It("is named alone or as a pair, in order of age", func() {
		Expect(schemas.Pairs()).To(HaveExactElements(five))
		pair := five.Version()
		Expect(pair).To(Equal(schemas.Parity))
		Expect([]bool{pair.IsPair(), v5.IsPair(), pair.Covers(v5), pair.Covers(v6), pair.Covers(v7), v7.Covers(v7)}).To(
			HaveExactElements(true, false, true, true, false, true))
		Expect(schemas.InOrder(map[schemas.Version]int{"v10": 1, "v9": 1, "v5": 1})).To(HaveExactElements(v5,
			schemas.Version("v9"), schemas.Version("v10")))
		for versions, name := range map[string]string{"v5": "v5", "v5 v6": "v5 and v6", "v5 v6 v7": "v5, v6 and v7"} {
			var list []schemas.Version
			for v := range strings.FieldsSeq(versions) {
				list = append(list, schemas.Version(v))
			}
			Expect(schemas.Named(list)).To(Equal(name))
		}
	})

	It("is compared with another only if both are under test", func() {
		Expect(contract().PairsOf([]schemas.Version{v5, v6})).To(HaveExactElements(five))
		for _, alone := range [][]schemas.Version{{v5}, {v6}, {}} {
			Expect(contract().PairsOf(alone)).To(BeEmpty())
		}
	})

	It("is the same as that of earlier files, if the file of versions says so", func() {
		c := contract()
		Expect(c.Is(c.Digest)).To(BeTrue())
		Expect(c.Is("sha256:981951cabfc92e0726a33c6aeeacc9468aefe927f358f2148f14d7d985bcd317")).To(BeTrue())
		Expect(c.Is("sha256:" + strings.Repeat("0", 64))).To(BeFalse())
	})
})
