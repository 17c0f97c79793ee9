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
		Entry("no header line", firstID+",a\n", `:1: column "`+firstID+
			`" is unknown: expected the header line id,userId[,enrolled][,name]`),
		Entry("other separator", "id;userId\n", `:1: column "id;userId" is unknown`,
			"the columns are separated by commas"),
		Entry("a name in capitals", "ID,userId\n", `:1: column "ID" is unknown`, `did you mean "id"?`),
		Entry("doubled column", "id,userId,id\n", `:1: column "id" occurs twice`),
		Entry("missing column", "id,name\n", `:1: column "userId" is missing: expected the header line`),
		Entry("too few fields", "id,userId\n"+firstID+",a\n"+secondID+"\n",
			":3: expected 2 fields as in the header line, got 1"),
		Entry("too many fields", "id,userId\n"+firstID+",a,b\n", ":2: expected 2 fields as in the header line, got 3"),
		Entry("bare quote", "id,userId\n"+firstID+",a\"b\n", ":2: is not CSV (RFC 4180): bare \""),
		Entry("open quote", "id,userId\n"+firstID+",\"a\n", ":2: is not CSV (RFC 4180): extraneous or missing"),
		Entry("open quote, lines on", "id,userId\n"+firstID+",\"a\n"+secondID+",b\n", ":3: is not CSV",
			"starts on line 2"),
		Entry("empty userId", "id,userId\n"+firstID+",\n", `:2: member "userId" is empty`),
		Entry("enrolled in words", "id,userId,enrolled\n"+firstID+",a,yes\n",
			`:2: member "enrolled": expected true or false, got the text "yes"`),
		Entry("twice, with another user between", "id,userId\n"+firstID+",a\n\n"+secondID+",a\n"+firstID+",a\n",
			":5: the user with id", "is already on line 2"),
		Entry("twice in another case", "id,userId\n"+strings.ToUpper(secondID)+",a\n"+secondID+",a\n",
			":3: the user with id", "already on line 2"),
		Entry("no UTF-8", "id,userId\n"+firstID+",a\xff\n", ":2: is not valid UTF-8"),
		Entry("a NUL", "id,userId\n"+firstID+",a\x00b\n", ":2: has a NUL or another control character"),
		Entry("a control character in a quoted cell", "id,userId\n"+firstID+",\"a\n\x1b[2J\"\n",
			":3: has a NUL or another"),
		Entry("line after a field of two lines", "id,userId\n"+firstID+",\"a\nb\"\nwrong,c\n", `:4: member "id"`),
	)

	DescribeTable("in NDJSON is refused with line and member", func(line string, parts ...string) {
		valid := `{"id":"` + firstID + `","userId":"good"}`
		for _, ending := range []string{"\n", "\r\n"} {
			_, err := readAll("users.ndjson", valid+ending+ending+line+ending)
			expectFault(err, append([]string{"users.ndjson:3: "}, parts...)...)
		}
	},
		Entry("no JSON", "id,userId", "is not strict JSON"),
		Entry("junk after", `{"id":"`+secondID+`","userId":"a"} x`, "is not strict JSON"),
		Entry("doubled member", `{"id":"`+secondID+`","userId":"a","userId":"b"}`, "is not strict JSON",
			`"userId" a second time`),
		Entry("unpaired surrogate", `{"id":"`+secondID+`","userId":"\ud800"}`, "is not strict JSON", "surrogates"),
		Entry("a list", `[{"id":"`+secondID+`","userId":"a"}]`, "expected a user, {…}, got a list or object"),
		Entry("null", `null`, "expected a user, {…}, got null"),
		Entry("unknown member", `{"id":"`+secondID+`","userId":"a","user":"b"}`,
			`member "user" is unknown: a user has id, userId, enrolled, name; did you mean "userId"?`),
		Entry("member in another case", `{"Id":"`+secondID+`","userId":"a"}`, `member "Id" is unknown`,
			`did you mean "id"?`),
		Entry("missing userId", `{"id":"`+secondID+`"}`, `member "userId" is missing: each user needs id and userId`),
		Entry("number for a text", `{"id":"`+secondID+`","userId":12345}`,
			`member "userId": expected a text, got the number 12345: put it in quotes`),
		Entry("null for a text", `{"id":"`+secondID+`","userId":null}`, `member "userId": expected a text, got null`),
		Entry("list for a text", `{"id":"`+secondID+`","userId":["a"]}`,
			`member "userId": expected a text, got a list or object`),
		Entry("text for a boolean", `{"id":"`+secondID+`","userId":"a","enrolled":"false"}`,
			`member "enrolled": expected true or false, got the text "false"`),
		Entry("empty userId", `{"id":"`+secondID+`","userId":""}`, `member "userId" is empty`),
		Entry("no GUID", `{"id":"`+secondID[1:]+`","userId":"a"}`, `member "id": expected `, `GUID`,
			`got "`+secondID[1:]),
		Entry("twice", `{"id":"`+strings.ToUpper(firstID)+`","userId":"good"}`,
			`and userId "good" is already on line 1: remove one`),
	)

	DescribeTable("in JSON is refused with the right line", func(content string, parts ...string) {
		_, err := readAll("users.json", content)
		expectFault(err, append([]string{"users.json:"}, parts...)...)
	},
		Entry("empty", "", ":1: is not strict JSON"),
		Entry("one user", `{"id":"`+firstID+`","userId":"a"}`, ":1: expected a list of users"),
		Entry("empty list", "[]", "has no users"),
		Entry("a comma too many", "[\n{\"id\":\""+firstID+"\",\n\"userId\":\"a\"},\n]", ":4: is not strict JSON"),
		Entry("no object", "[\n\n1]", ":3: expected a user, {…}, got the number 1"),
		Entry("wrong member", "[{\n\"id\":\""+firstID+"\",\n\"userId\":\n7}]", `:3: member "userId": expected a text`),
		Entry("missing member, at the entry's first line",
			"[\n{\"id\":\""+firstID+"\",\"userId\":\"a\"},\n{\n\"id\":\""+secondID+"\"\n}]",
			`:3: member "userId" is missing`),
		Entry("twice", "[{\"id\":\""+firstID+"\",\"userId\":\"a\"},\n{\"id\":\""+firstID+"\",\n\"userId\":\"a\"}]",
			":2: the user", "already on line 1"),
		Entry("junk after", "[]\n\nx", ":3: is not strict JSON"),
	)

	DescribeTable("in YAML is refused with the right line", func(content string, parts ...string) {
		_, err := readAll("users.yaml", content)
		expectFault(err, append([]string{"users.yaml:"}, parts...)...)
	},
		Entry("empty", "# none\n", "has no users"), Entry("empty list", "[]\n", "has no users"),
		Entry("members", "users:\n- id: a\n", ":1: expected a list of users, got members"),
		Entry("no YAML", "- id: a\n b\n", "is not YAML"),
		Entry("a second document", "- {id: "+firstID+", userId: a}\n---\n- {}\n",
			":2: expected one YAML document, got a second one"),
		Entry("a text in the list", "- {id: "+firstID+", userId: a}\n- b\n",
			":2: expected a user with id and userId, got a text"),
		Entry("number for a text", "- id: "+firstID+"\n  userId: 0123\n",
			`:2: member "userId": expected a text, got the number 0123: put it in quotes`),
		Entry("date for a text", "- id: "+firstID+"\n  userId: 2027-01-31\n",
			`:2: member "userId": expected a text, got the date 2027-01-31: put it in quotes`),
		Entry("boolean for a text", "- id: "+firstID+"\n  userId: true\n", `got the boolean true: put it in quotes`),
		Entry("null for a text", "- id: "+firstID+"\n  userId:\n", `:2: member "userId": expected a text, got nothing`),
		Entry("list for a text", "- id: "+firstID+"\n  userId: [a]\n",
			`:2: member "userId": expected a text, got a list`),
		Entry("yes for a boolean", "- id: "+firstID+"\n  userId: a\n  enrolled: yes\n",
			`:3: member "enrolled": expected true or false, got the text "yes"`),
		Entry("doubled member", "- id: "+firstID+"\n  userId: a\n  userId: b\n",
			`:3: member "userId" occurs twice in one user`),
		Entry("unknown member", "- id: "+firstID+"\n  userID: a\n", `:2: member "userID" is unknown`,
			`did you mean "userId"?`),
		Entry("missing member", "\n- id: "+firstID+"\n", `:2: member "userId" is missing`),
		Entry("merge key", "- &a {id: "+firstID+", userId: a}\n- {<<: *a, userId: b}\n",
			`:2: member "<<" is unknown`),
		Entry("an alias twice", "- &a {id: "+firstID+", userId: a}\n- *a\n", ":2: the user", "already on line 1"),
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
