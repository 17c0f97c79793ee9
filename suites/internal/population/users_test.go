package population_test

import (
	"strings"

	"authenticator-conformance/suites/internal/population"
	"authenticator-conformance/suites/internal/testkit"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// readAll reads a users file of its own, as a run does.
func readAll(name, content string) ([]population.User, error) {
	return population.ReadAll(writeFile(name, content), testkit.Contract(), false)
}

var _ = Describe("A users file of a run", func() {
	It("takes what is odd but right", func() {
		users, err := readAll("u.csv", joinLines("userId,id", "x,"+firstID, "y,"+firstID, "x,"+secondID, " ,"+secondID))
		Expect(err).NotTo(HaveOccurred())
		Expect(users).To(HaveLen(4))
		users, err = readAll("u.json", `[{"id":"`+firstID+`","userId":"\ud83d\ude00\u0000","name":""}]`)
		Expect(err).NotTo(HaveOccurred())
		Expect(users).To(ConsistOf(population.User{ID: firstID, UserID: "😀\x00", Enrolled: true}))
		users, err = readAll("u.yaml", "- &u {id: &i "+firstID+", userId: a}\n- {id: *i, userId: b, name: ''}\n")
		Expect(err).NotTo(HaveOccurred())
		Expect(users).To(HaveLen(2))
		users, err = readAll("u.yaml", "# two\n- {id: "+firstID+", userId: !!str 007}\n- {id: "+secondID+
			", userId: b, enrolled: False}\n")
		Expect(err).NotTo(HaveOccurred())
		Expect(users[0].UserID).To(Equal("007"))
		Expect(users[1].Enrolled).To(BeFalse())
		users, err = readAll("u.csv", "id,userId\n"+firstID+",\"two\nlines\"\n"+secondID+",b")
		Expect(err).NotTo(HaveOccurred())
		Expect(users[0].UserID).To(Equal("two\nlines"))
	})

	DescribeTable("in CSV is refused with line and column", func(content string, parts ...string) {
		_, err := readAll("users.csv", content)
		expectFault(err, append([]string{"users.csv:"}, parts...)...)
	},
		testkit.Entries("csv"),
		Entry("twice in another case", "id,userId\n"+strings.ToUpper(secondID)+",a\n"+secondID+",a\n",
			":3: the user with id", "already on line 2"),
		Entry("no UTF-8", "id,userId\n"+firstID+",a\xff\n", ":2: is not valid UTF-8"),
	)

	DescribeTable("in NDJSON is refused with line and member", func(line string, parts ...string) {
		valid := `{"id":"` + firstID + `","userId":"good"}`
		for _, ending := range []string{"\n", "\r\n"} {
			_, err := readAll("users.ndjson", valid+ending+ending+line+ending)
			expectFault(err, append([]string{"users.ndjson:3: "}, parts...)...)
		}
	},
		testkit.Entries("ndjson"),
		Entry("no GUID", `{"id":"`+secondID[1:]+`","userId":"a"}`, `member "id": expected `, `GUID`,
			`got "`+secondID[1:]),
		Entry("twice", `{"id":"`+strings.ToUpper(firstID)+`","userId":"good"}`,
			`and userId "good" is already on line 1: remove one`),
	)

	DescribeTable("in JSON is refused with the right line", func(content string, parts ...string) {
		_, err := readAll("users.json", content)
		expectFault(err, append([]string{"users.json:"}, parts...)...)
	},
		testkit.Entries("json"),
	)

	DescribeTable("in YAML is refused with the right line", func(content string, parts ...string) {
		_, err := readAll("users.yaml", content)
		expectFault(err, append([]string{"users.yaml:"}, parts...)...)
	},
		testkit.Entries("yaml"),
		Entry("no UTF-8", "- id: "+firstID+"\n  userId: \xff\n", ":2: is not valid UTF-8"),
	)

	It("shows a long value cut, and what can't be printed escaped", func() {
		_, err := readAll("users.json", `[{"id":"\u001b`+strings.Repeat("x", 10000)+`","userId":"a"}]`)
		expectFault(err, `got "\x1bxxx`, `x"…`)
		Expect(len(err.Error())).To(BeNumerically("<", 600))
		_, err = readAll("users.json", `[{"id":"`+firstID+`","userId":`+strings.Repeat("7", 900)+`}]`)
		expectFault(err, "got the number 777", "7…: put it in quotes")
		Expect(len(err.Error())).To(BeNumerically("<", 400))
	})

	DescribeTable("is refused with its line", func(name, content string, parts ...string) {
		_, err := readAll(name, content)
		expectFault(err, append([]string{name}, parts...)...)
	},
		Entry("nothing in NDJSON", "u.ndjson", "", "has no users"),
		Entry("blank lines", "u.jsonl", "\n\n", "has no users"),
		Entry("an empty text in YAML", "u.yaml", "- id: "+firstID+"\n  userId: ''\n", `:2: member "userId" is empty`),
		Entry("a number for a GUID", "u.yaml", "- id: 10021\n  userId: a\n", `:1: member "id"`),
		Entry("a GUID in braces in CSV", "u.csv", "id,userId\n{"+firstID+"},a\n", `:2: member "id"`),
		Entry("YAML by the name of JSON", "u.json", "- id: "+firstID+"\n  userId: a\n", ":1: is not strict JSON"),
		Entry("binary", "u.json", "\x00\x01\xff", ":1: "),
		Entry("UTF-16", "u.csv", "\xff\xfei\x00d\x00", "is not valid UTF-8"),
	)
})
