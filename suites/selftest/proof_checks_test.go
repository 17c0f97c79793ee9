package selftest_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/hostile"
)

// The checks of files and streams find each fault, and accept correct files.
var _ = Describe("The checks of a run's files and streams", Label(proofLabel), func() {
	DescribeTable("judge a file by its extension", func(name, content string, right bool) {
		if err := checkFile(name, []byte(content)); right {
			Expect(err).NotTo(HaveOccurred())
		} else {
			Expect(err).To(HaveOccurred())
		}
	},
		Entry(nil, "a.json", `{"a": "\u202e <img src=x>"}`, true),
		Entry(nil, "a.json", `{"a": 1} {}`, false),
		Entry(nil, "a.json", "{\"a\": \"\u202e\"}", false),
		Entry(nil, "a.har", "{\"a\": \"\u202e\"}", true),
		Entry(nil, "a.har", "{\"a\": \"\x9b\"}", false),
		Entry(nil, "a.har", `{"a": `, false),
		Entry(nil, "a.xml", `<a b="&lt;img src=x">]]&gt;</a>`, true),
		Entry(nil, "a.xml", `<a><b></a>`, false),
		Entry(nil, "a.xml", "<a>\x1b</a>", false),
		Entry(nil, "a.xml", "<a>\u009b</a>", false),
		Entry(nil, "a.md", "a\rb", false),
		Entry(nil, "a.html", `<!doctype html><p title="&lt;img src=x onerror=">on</p>`, true),
		Entry(nil, "a.html", `<!doctype html><p onclick="x()">`, false),
		Entry(nil, "a.html", `<!doctype html><IMG alt="">`, false),
		Entry(nil, "a.html", `<!doctype html><textarea>`+hostile.Markup+`</textarea>`, false),
		Entry(nil, "a.html", "<!doctype html>\u2066", false),
		Entry(nil, "a.txt", "a", false),
	)

	DescribeTable("find a line that a target has forged", func(line string, found bool) {
		list := forgedLines("verdict: fail (complete)\n"+line+"\n", "fail")
		if found {
			Expect(list).To(HaveLen(1))
		} else {
			Expect(list).To(BeEmpty())
		}
	},
		Entry(nil, "verdict: pass (complete), 1 requests", true),
		Entry(nil, "  ::error::x", true),
		Entry(nil, "a ##[error]x", true),
		Entry(nil, "a ##vso[task.complete]x", true),
		Entry(nil, "##teamcity[x]", true),
		Entry(nil, "PASS", true),
		Entry(nil, "--- PASS: TestX", true),
		Entry(nil, "ok  \tx", true),
		Entry(nil, "actual  \"::error::x\" and PASS", false),
		Entry(nil, "v5 PASSED", false),
		Entry(nil, "2.1/Id: verdict: pass", false),
	)
})
