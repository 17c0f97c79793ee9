package schemas_test

import (
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing/fstest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

// contract is loaded once, as that takes longer than most specs.
var contract = sync.OnceValues(schemas.Load)

func loadContract() *schemas.Contract {
	GinkgoHelper()
	contract, err := contract()
	Expect(err).NotTo(HaveOccurred())
	return contract
}

// embeddedWith returns the embedded files with one of them changed.
func embeddedWith(name string, change func(string) string) fstest.MapFS {
	GinkgoHelper()
	files := fstest.MapFS{}
	names, err := fs.Glob(schemas.Files(), "*")
	Expect(err).NotTo(HaveOccurred())
	Expect(names).To(ContainElement(name))
	for _, n := range names {
		content, err := fs.ReadFile(schemas.Files(), n)
		Expect(err).NotTo(HaveOccurred())
		if n == name {
			changed := change(string(content))
			Expect(changed).NotTo(Equal(string(content)), "the change has to change something")
			content = []byte(changed)
		}
		files[n] = &fstest.MapFile{Data: content}
	}
	return files
}

func idsOfKind(kind schemas.Kind) []string {
	GinkgoHelper()
	var out []string
	for _, r := range loadContract().Requirements {
		if r.Kind == kind {
			out = append(out, r.ID)
		}
	}
	return out
}

var _ = Describe("The catalogue", func() {
	It("has exactly the documented requirements of the document", func() {
		c := loadContract()
		var want []string
		for _, member := range c.Record.Members() {
			want = append(want, "2.1/"+member)
		}
		for _, member := range c.Device.Members() {
			want = append(want, "2.2/"+member)
		}
		want = append(want, "2.3/identifiers")
		for _, op := range schemas.Operations() {
			want = append(want, "4/"+string(op)+"/served")
		}
		for _, member := range c.GetUserAuthRequest.Members() {
			want = append(want, "4.1/"+member+"/required")
		}
		want = append(want, "4.1/user")
		for _, member := range c.FindByUserIDsRequest.Members() {
			want = append(want, "4.2/"+member+"/required")
		}
		for _, op := range schemas.Operations() {
			want = append(want, "5.1/"+string(op)+"/token")
		}
		for _, op := range schemas.Operations() {
			for _, name := range []string{"shape", "values", "divergence"} {
				want = append(want, "9.3/"+string(op)+"/"+name)
			}
		}
		Expect(idsOfKind(schemas.Documented)).To(Equal(want))
	})

	It("names an open point or an exclusion for each thing that the document does not show", func() {
		Expect(idsOfKind(schemas.Open)).To(HaveLen(32))
		Expect(idsOfKind(schemas.Excluded)).To(Equal([]string{
			"excluded/3/transitions", "excluded/5.4/token-acquisition", "excluded/5.4/token-lifetime",
			"excluded/6/events", "excluded/8/size-limits", "excluded/9.4/deprecation-policy",
		}))
		open := strings.Join(slices.Concat(idsOfKind(schemas.Open), idsOfKind(schemas.Excluded)), "\n")
		for _, section := range []string{"2", "3", "4.3", "5.4", "6", "7", "8", "9.4"} {
			Expect(open).To(ContainSubstring("/"+section+"/"), "section %s leaves something open", section)
		}
	})

	It("is in the document's order, with each id once", func() {
		order := []string{"2.1", "2.2", "2.3", "2", "3", "4", "4.1", "4.2", "4.3", "5.1", "5.4", "6", "7", "8", "9.3",
			"9.4"}
		last, seen := 0, map[string]bool{}
		for _, r := range loadContract().Requirements {
			at := slices.Index(order, r.Section)
			Expect(at).To(BeNumerically(">=", last), "%s: section %s", r.ID, r.Section)
			Expect(seen).NotTo(HaveKey(r.ID))
			last, seen[r.ID] = at, true
		}
	})

	It("has for each row the members that its kind needs", func() {
		for _, r := range loadContract().Requirements {
			Expect(r.Statement).To(MatchRegexp(`^([A-Z]|getUserAuth |findByUserIds |v5 ).*\.$`), r.ID)
			Expect(r.Parity).To(Equal(r.Section == "9.3"), r.ID)
			if r.Kind == schemas.Excluded {
				Expect(r.Reason).To(MatchRegexp(`^[A-Z].*\.$`), r.ID)
				Expect(r.Operations).To(BeEmpty(), r.ID)
				continue
			}
			Expect(r.Operations).To(BeElementOf([]schemas.Operation{schemas.GetUserAuth},
				[]schemas.Operation{schemas.FindByUserIDs}, schemas.Operations()), r.ID)
			Expect(r.Reason).To(BeEmpty(), r.ID)
			for _, op := range schemas.Operations() {
				if strings.Contains(r.ID, string(op)) {
					Expect(r.Operations).To(Equal([]schemas.Operation{op}), r.ID)
				}
			}
		}
	})

	It("gives each row the risk of its probes", func() {
		for _, r := range loadContract().Requirements {
			want := schemas.Read
			switch {
			case r.Kind == schemas.Excluded:
				want = ""
			case r.Section == "5.1" || r.ID == "open/7/unknown-token":
				want = schemas.AuthFailure
			case strings.HasSuffix(r.ID, "/required") || r.Section == "7" || r.ID == "open/9.4/neighbours":
				want = schemas.Negative
			}
			Expect(r.Risk).To(Equal(want), r.ID)
		}
	})

	It("has rows that depend on a setting for the divergence only", func() {
		for _, r := range loadContract().Requirements {
			if strings.HasSuffix(r.ID, "/divergence") {
				Expect(r.Setting).To(Equal("divergence"), r.ID)
			} else {
				Expect(r.Setting).To(BeEmpty(), r.ID)
			}
		}
	})

	It("compares the versions at open points, except those that vary between identical calls", func() {
		var excluded []string
		for _, r := range loadContract().Requirements {
			if r.Kind == schemas.Open && !r.Compare {
				excluded = append(excluded, r.ID)
			}
			if r.Kind != schemas.Open {
				Expect(r.Compare).To(BeFalse(), r.ID)
			}
		}
		Expect(excluded).To(Equal([]string{"open/8/rate-limit", "open/8/size", "open/8/latency"}))
		content, err := fs.ReadFile(schemas.Files(), "requirements.yaml")
		Expect(err).NotTo(HaveOccurred())
		Expect(strings.Count(string(content), "\n  compare:")).To(Equal(len(excluded)), "only open rows have it")
	})

	It("is found by id", func() {
		r, ok := loadContract().Requirement("4.1/user")
		Expect(ok).To(BeTrue())
		Expect(r.Section).To(Equal("4.1"))
		_, ok = loadContract().Requirement("4.1/User")
		Expect(ok).To(BeFalse())
	})

	DescribeTable("refuses a faulty requirements.yaml, with the place",
		func(content string, texts ...string) {
			_, err := schemas.LoadFrom(embeddedWith("requirements.yaml", func(string) string { return content }))
			Expect(err).To(HaveOccurred())
			for _, text := range append(texts, "requirements.yaml") {
				Expect(err.Error()).To(ContainSubstring(text))
			}
		},
		Entry("empty", "", "expected a YAML list"),
		Entry("a row that is null", "- null", `requirements.yaml:1: the id ""`),
		Entry("no list", "id: 2.1/Flags"),
		Entry("two documents", "- {id: excluded/6/events, statement: A., reason: B.}\n---\n- {id: x}\n"),
		Entry("an unknown member", "- id: excluded/6/events\n  statement: A.\n  reasn: B.\n", "line 3", "reasn"),
		Entry("a member twice", "- id: excluded/6/events\n  statement: A.\n  statement: B.\n", "line 3", "statement"),
		Entry("no id", "- {statement: A.}", `requirements.yaml:1: the id ""`),
		Entry("an id of another kind", "- {id: optional/7/x, statement: A.}", `the id "optional/7/x"`),
	)
})
