package population_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing/iotest"

	"authenticator-conformance/suites/internal/population"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const mebibyte = 1 << 20

var _ = Describe("A population with a fault", func() {
	// expectEverywhere reads a text from a file, packed files and standard input: the fault is the same, the name differs.
	expectEverywhere := func(name, content string, parts ...string) {
		GinkgoHelper()
		for extension, pack := range packers() {
			_, err := readFile(name+extension, pack(content))
			expectFault(err, parts...)
			Expect(err.Error()).To(ContainSubstring(name + extension + ":"))
			_, err = readInput(pack(content))
			expectFault(err, parts...)
			Expect(err.Error()).To(HavePrefix("standard input:"))
		}
	}

	DescribeTable("in CSV is named with line and member", func(content string, parts ...string) {
		expectEverywhere("users.csv", content, parts...)
	},
		Entry("empty", "", ":1: the header line is missing: expected id,userId[,enrolled][,name]"),
		Entry("blank", "\n \n", `:2: column " " is not known`),
		Entry("header alone", "id,userId\n", "holds no user: give at least one, with id and userId"),
		Entry("no header line", csvOf(0, 2), ":1: column ", "is not known: expected the header line"),
		Entry("unknown column", "id,userId,user\n", `:1: column "user" is not known`),
		Entry("missing column", "id\n", `:1: column "userId" is missing`),
		Entry("no GUID", "id,userId\n"+csvOf(0, 3)+"x,a\n", `:5: member "id": expected `, `GUID`, `got "x"`),
		Entry("empty userId", "id,userId\n"+csvOf(0, 1)+firstID+",\n", `:3: member "userId" is empty`),
		Entry("wrong enrolled", "id,userId,enrolled\n"+firstID+",a,TRUE\n", `:2: member "enrolled": expected true or false, got the text "TRUE"`),
		Entry("too many fields", "id,userId\n"+firstID+",a,b\n", ":2: expected 2 fields as in the header line, got 3"),
		Entry("open quote", "id,userId\n"+firstID+",\"a\n"+csvOf(0, 2), ":4: is not CSV (RFC 4180)", "begins on line 2"),
		Entry("doubled neighbours", "id,userId\n"+csvOf(0, 2)+"\n"+csvOf(1, 3), ":5: the user with id", `userId "user 1" stands twice (first on line 3): leave one`),
		Entry("doubled neighbours in another case", "id,userId\n"+firstID+",a\n"+strings.ToUpper(firstID)+",a\n", ":3: the user with id", "stands twice (first on line 2)"),
		Entry("no UTF-8", "id,userId\n"+csvOf(0, 2)+firstID+",\xff\n", ":4: is not valid UTF-8: save the file in UTF-8"),
		Entry("nobody enrolled", "id,userId,enrolled\n"+firstID+",a,false\n"+firstID+",b,false\n", "every user is marked enrolled: false, so nothing could be witnessed"),
	)

	DescribeTable("in NDJSON is named with line and member", func(line string, parts ...string) {
		expectEverywhere("users.ndjson", ndjsonOf(0, 1)+"\n"+line+"\n", parts...)
	},
		Entry("no JSON", "id,userId", ":3: is not strict JSON"),
		Entry("doubled member", `{"id":"`+secondID+`","userId":"a","userId":"b"}`, `:3: is not strict JSON`, `"userId" a second time`),
		Entry("unpaired surrogate", `{"id":"`+secondID+`","userId":"\ud800"}`, ":3: is not strict JSON", "surrogates"),
		Entry("a list", `[{"id":"`+secondID+`","userId":"a"}]`, ":3: expected a user, {…}, got a list or object"),
		Entry("unknown member", `{"id":"`+secondID+`","userId":"a","user":"b"}`, `:3: member "user" is not known`, `did you mean "userId"?`),
		Entry("missing member", `{"id":"`+secondID+`"}`, `:3: member "userId" is missing: each user needs id and userId`),
		Entry("number for a text", `{"id":"`+secondID+`","userId":1}`, `:3: member "userId": expected a text, got the number 1: put it in quotes`),
		Entry("text for a boolean", `{"id":"`+secondID+`","userId":"a","enrolled":"true"}`, `:3: member "enrolled": expected true or false, got the text "true"`),
		Entry("doubled neighbours", ndjsonOf(0, 1), `:3: the user with id`, "stands twice (first on line 1)"),
		Entry("no UTF-8", "{\"id\":\"\xff\"}", ":3: is not valid UTF-8"),
	)

	It("is one of a list too, with its line", func() {
		for extension, pack := range packers() {
			_, err := readFile("u.json"+extension, pack("[\n{\"id\":\""+firstID+"\",\n\"userId\":7}]"))
			expectFault(err, `:3: member "userId": expected a text, got the number 7`)
			_, err = readFile("u.yaml"+extension, pack("- id: "+firstID+"\n  userID: a\n"))
			expectFault(err, `:2: member "userID" is not known`)
			_, err = readFile("u.json"+extension, pack("[]"))
			expectFault(err, "holds no user")
			_, err = readFile("u.yml"+extension, pack("- id: "+firstID+"\n  userId: \xff\n"))
			expectFault(err, ":2: is not valid UTF-8")
		}
	})

	It("takes a doubled user that is no neighbour, which it can't know", func() {
		users, err := readInput("id,userId\n" + csvOf(0, 2) + csvOf(0, 1))
		Expect(err).NotTo(HaveOccurred())
		Expect(users).To(HaveLen(3))
	})

	It("takes users of one id or one userId, and neighbours that only look alike when joined", func() {
		users, err := readInput("id,userId\n" + firstID + ",a\n" + firstID + ",A\n" + firstID + ",a \n" + firstID + ", a\n" + secondID + ", a\n")
		Expect(err).NotTo(HaveOccurred())
		Expect(users).To(HaveLen(5))
	})

	DescribeTable("has a line or record over the bound", func(ok, over string, parts ...string) {
		users, err := readInput(ok)
		Expect(err).NotTo(HaveOccurred())
		Expect(users).NotTo(BeEmpty())
		expectEverywhere(map[bool]string{true: "users.ndjson", false: "users.csv"}[ok[0] == '{'], over, parts...)
	},
		Entry("a line of CSV", "id,userId\n"+padded(firstID+",", "", mebibyte), "id,userId\n"+padded(firstID+",", "", mebibyte+1),
			":2: the line is longer than 1 MiB: expected one user per line"),
		Entry("a line of CSV with its ending", "id,userId\n"+padded(firstID+",", "\r\n", mebibyte)+csvOf(0, 1),
			"id,userId\n"+padded(firstID+",", "\n", mebibyte+1)+csvOf(0, 1), ":2: the line is longer than 1 MiB"),
		Entry("a line of NDJSON", padded(`{"id":"`+firstID+`","userId":"`, `"}`+"\r\n", mebibyte)+ndjsonOf(0, 1),
			ndjsonOf(0, 1)+padded(`{"id":"`+firstID+`","userId":"`, `"}`+"\n", mebibyte+1), ":2: the line is longer than 1 MiB"),
		Entry("a line without an end", "id,userId\n"+csvOf(0, 1), strings.Repeat("x", 3*mebibyte), ":1: the line is longer than 1 MiB"),
		Entry("a record of CSV", "id,userId\n"+firstID+",\""+strings.Repeat("half a line\n", mebibyte/12-10)+"\"\n",
			"id,userId\n"+firstID+",\""+strings.Repeat("half a line\n", mebibyte/12)+"\"\n"+csvOf(0, 1),
			"the record that begins on line 2 is longer than 1 MiB: is a quote left open?"),
		Entry("blank lines in a quote", "id,userId\n"+strings.Repeat("\r\n", mebibyte)+csvOf(0, 1)+strings.Repeat("\n", mebibyte+1)+csvOf(1, 2),
			"id,userId\n\n"+firstID+",\""+strings.Repeat("\n", mebibyte+1), "the record that begins on line 3 is longer than 1 MiB"),
	)

	DescribeTable("is a compressed stream that is not whole", func(extension string) {
		content := packers()[extension]("id,userId\n" + csvOf(0, 8))
		for at := range len(content) {
			path := write("u.csv"+extension, content[:at])
			r, err := population.Open(path, nil, contract())
			Expect(err).NotTo(HaveOccurred())
			users, err := drain(r)
			expectFault(err, path+":", "cannot be read: the ", " stream ends before it is complete", "cut short")
			Expect(len(users)).To(BeNumerically("<=", 8))
			if at > 4 {
				_, err = readInput(content[:at])
				expectFault(err, "standard input:", " stream ends before it is complete")
			}
		}
		users, err := readFile("u.csv"+extension, content)
		Expect(err).NotTo(HaveOccurred())
		Expect(users).To(HaveLen(8))
	},
		Entry(nil, ".gz"), Entry(nil, ".zst"),
	)

	DescribeTable("is standard input that is cut within the mark of a compression", func(extension string) {
		content := packers()[extension]("id,userId\n" + csvOf(0, 8))
		for at := range 5 {
			_, err := readInput(content[:at])
			expectFault(err, "standard input:1: ")
		}
	},
		Entry(nil, ".gz"), Entry(nil, ".zst"),
	)

	DescribeTable("is a second part that is cut", func(extension string) {
		pack := packers()[extension]
		first, second := pack("id,userId\n"+csvOf(0, 8)), pack(csvOf(8, 16))
		for at := 1; at < len(second); at++ {
			_, err := readFile("u.csv"+extension, first+second[:at])
			expectFault(err, "u.csv"+extension+":", " stream ends before it is complete")
		}
	},
		Entry(nil, ".gz"), Entry(nil, ".zst"),
	)

	DescribeTable("is a compressed stream with a byte changed or something after it", func(extension, word string) {
		content := packers()[extension]("id,userId\n" + csvOf(0, 8))
		_, err := readFile("u.csv"+extension, content[:len(content)-6]+"\x00"+content[len(content)-5:])
		expectFault(err, "u.csv"+extension+":")
		_, err = readFile("u.csv"+extension, content+"something that follows")
		expectFault(err, "u.csv"+extension+":10: cannot be read: it is no right "+word+" stream: ")
		_, err = readFile("u.csv"+extension, "id,userId\n"+csvOf(0, 8))
		expectFault(err, "u.csv"+extension+":1: cannot be read: it is no right "+word+" stream: ")
	},
		Entry(nil, ".gz", "gzip"), Entry(nil, ".zst", "zstd"),
	)

	It("is a zstd stream that asks for too much memory", func() {
		const window129MiB = "\x28\xb5\x2f\xfd\x00\x89\x01\x00\x00"
		_, err := readFile("u.csv.zst", window129MiB)
		expectFault(err, "u.csv.zst:1: cannot be read: the zstd stream needs a window of more than 128 MiB: compress it without a long window")
		const single = "\x28\xb5\x2f\xfd\xa0\x00\x00\x00\x10\x01\x00\x00"
		_, err = readFile("u.csv.zst", single)
		expectFault(err, "needs a window of more than 128 MiB")
	})

	DescribeTable("names what its name should be", func(name, content string, parts ...string) {
		path := write(name, content)
		_, err := population.Open(path, nil, contract())
		expectFault(err, append([]string{path + ": "}, parts...)...)
	},
		Entry(nil, "users.txt", "", `the extension ".txt" tells no form`, ".ndjson, .jsonl or .csv, each of them also with .gz or .zst"),
		Entry(nil, "users.gz", "", `the extension "" tells no form`), Entry(nil, "users", "", `the extension "" tells no form`),
		Entry(nil, "users.csv.bz2", "", `the extension ".bz2" tells no form`),
		Entry(nil, "users.csv.gz.zst", "", `the extension ".gz" tells no form`),
		Entry(nil, "users.csv", gzipped("id,userId\n"+csvOf(0, 1)), "begins like gzip: name it ", "users.csv.gz"),
		Entry(nil, "users.ndjson", zstandard(ndjsonOf(0, 1)), "begins like zstd: name it ", "users.ndjson.zst"),
	)

	It("is a file that can't be read", func() {
		_, err := readPath("no-such.csv")
		Expect(err).To(MatchError("no-such.csv: cannot be read: no such file or directory"))
		folder := filepath.Join(GinkgoT().TempDir(), "folder.csv")
		Expect(os.Mkdir(folder, 0o700)).To(Succeed())
		_, err = readPath(folder)
		expectFault(err, folder+":1: cannot be read: is a directory")
	})

	DescribeTable("is a fault below, which is never the end", func(fault error) {
		for extension, pack := range packers() {
			for _, whole := range []string{"id,userId\n" + csvOf(0, 8), ndjsonOf(0, 8)} {
				stdin := io.MultiReader(strings.NewReader(pack(whole)), iotest.ErrReader(fault))
				r, err := population.Open("-", stdin, contract())
				Expect(err).NotTo(HaveOccurred(), extension)
				_, err = drain(r)
				expectFault(err, "standard input:", "cannot be read: "+fault.Error())
			}
		}
	},
		Entry(nil, errors.New("the disk is gone")), Entry(nil, io.ErrUnexpectedEOF),
		Entry("one that wraps the end", fmt.Errorf("the line was cut: %w", io.EOF)),
	)

	It("is a list that does not fit into memory", func() {
		entry := `{"id":"` + firstID + `","userId":"a"},` + "\n"
		for extension, pack := range packers() {
			_, err := readFile("u.json"+extension, pack("["+strings.Repeat(entry, 17*mebibyte/len(entry))))
			expectFault(err, "u.json"+extension+": cannot be read: it is longer than 16 MiB", "one user per line, as NDJSON or CSV")
		}
		_, err := readFile("u.yaml", strings.Repeat("#\n", 8*mebibyte)+"#")
		expectFault(err, "u.yaml: cannot be read: it is longer than 16 MiB")
		_, err = readFile("u.yaml", strings.Repeat("#\n", 8*mebibyte))
		expectFault(err, "holds no user")
	})

	It("tells its fault again, and nothing after it", func() {
		r, err := population.Open("-", strings.NewReader("id,userId\n"+csvOf(0, 1)+"x,y\n"+csvOf(1, 9)), contract())
		Expect(err).NotTo(HaveOccurred())
		_, err = r.Next()
		Expect(err).NotTo(HaveOccurred())
		before := r.Digest()
		_, first := r.Next()
		expectFault(first, ":3: ")
		for range 3 {
			user, err := r.Next()
			Expect(err).To(BeIdenticalTo(first))
			Expect(user).To(BeZero())
		}
		Expect(r.Digest()).To(Equal(before))
		Expect(r.Close()).To(Succeed())
		_, err = r.Next()
		Expect(err).To(BeIdenticalTo(first))
	})

	It("is one that was closed, which may be done twice", func() {
		for extension, pack := range packers() {
			r, err := population.Open(write("u.csv"+extension, pack("id,userId\n"+csvOf(0, 9))), nil, contract())
			Expect(err).NotTo(HaveOccurred())
			_, err = r.Next()
			Expect(err).NotTo(HaveOccurred())
			Expect(r.Close()).To(Succeed())
			_, err = r.Next()
			expectFault(err, "u.csv"+extension+": the reader is closed")
			Expect(r.Close()).To(Succeed())
		}
	})
})

// padded is a line of so many bytes, its ending not counted.
func padded(head, tail string, size int) string {
	return head + strings.Repeat("x", size-len(head)-len(strings.TrimRight(tail, "\r\n"))) + tail
}
