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
	"authenticator-conformance/suites/internal/testkit"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const mebibyte = 1 << 20

var _ = Describe("A population with a fault", func() {
	// expectEverywhere reads a text from a file, packed files and standard input: the fault is the same, the name
	// differs.
	expectEverywhere := func(name, content string, parts ...string) {
		GinkgoHelper()
		for extension, compress := range packersByExtension() {
			_, err := readFile(name+extension, compress(content))
			expectFault(err, parts...)
			Expect(err.Error()).To(ContainSubstring(name + extension + ":"))
			_, err = readInput(compress(content))
			expectFault(err, parts...)
			Expect(err.Error()).To(HavePrefix("standard input:"))
		}
	}

	// What a text may have wrong is in the tables of users_test.go, as one reader serves runs and sweeps.
	DescribeTable("is named with its line", func(name, content string, parts ...string) {
		expectEverywhere(name, content, parts...)
	},
		Entry("empty", "users.csv", "", ":1: the header line is missing: expected id,userId[,enrolled][,name]"),
		Entry("header alone", "users.csv", "id,userId\n", "has no users: expected at least one, with id and userId"),
		Entry("doubled neighbours", "users.csv", "id,userId\n"+csvOf(0, 2)+"\n"+csvOf(1, 3), ":5: the user with id",
			`userId "user 1" is already on line 3: remove one`),
		Entry("doubled neighbours in another case", "users.csv",
			"id,userId\n"+firstID+",a\n"+strings.ToUpper(firstID)+",a\n",
			":3: the user with id", "is already on line 2"),
		Entry("nobody enrolled", "users.csv", "id,userId,enrolled\n"+firstID+",a,false\n"+firstID+",b,false\n",
			"every user is marked enrolled: false, so no requirement can pass"),
		Entry("of NDJSON", "users.ndjson", ndjsonOf(0, 1)+"\n"+`{"id":"`+secondID+`"}`+"\n",
			`:3: member "userId" is missing: each user needs id and userId`),
	)

	It("is one of a list too, with its line", func() {
		_, err := readFile("u.json.gz", packGzip("[\n{\"id\":\""+firstID+"\",\n\"userId\":7}]"))
		expectFault(err, `:3: member "userId": expected a text, got the number 7`)
		_, err = readFile("u.yaml", "- id: "+firstID+"\n  userID: a\n")
		expectFault(err, `:2: member "userID" is unknown`)
	})

	It("may have something after its last user", func() {
		for extension, compress := range packersByExtension() {
			_, err := readFile("u.csv"+extension, compress("id,userId\n"+csvOf(0, 300)+"\x00\x01"))
			expectFault(err, "u.csv"+extension+":302: ")
			users, err := readInput(compress(ndjsonOf(0, 300) + "\x00\x01"))
			expectFault(err, "standard input:301: ")
			Expect(users).To(HaveLen(300))
		}
	})

	It("takes a doubled user that is no neighbour, which it can't know", func() {
		users, err := readInput("id,userId\n" + csvOf(0, 2) + csvOf(0, 1))
		Expect(err).NotTo(HaveOccurred())
		Expect(users).To(HaveLen(3))
	})

	It("takes users of one id or one userId, and neighbours that only look alike when joined", func() {
		users, err := readInput("id,userId\n" + firstID + ",a\n" + firstID + ",A\n" + firstID + ",a \n" +
			firstID + ", a\n" + secondID + ", a\n")
		Expect(err).NotTo(HaveOccurred())
		Expect(users).To(HaveLen(5))
	})

	DescribeTable("has a line or record over the bound", func(ok, tooLong string, parts ...string) {
		users, err := readInput(ok)
		Expect(err).NotTo(HaveOccurred())
		Expect(users).NotTo(BeEmpty())
		_, err = readInput(tooLong)
		expectFault(err, parts...)
	},
		Entry("a line of CSV", "id,userId\n"+paddedLine(firstID+",", "", mebibyte),
			"id,userId\n"+paddedLine(firstID+",", "", mebibyte+1),
			":2: the line is longer than 1 MiB: expected one user per line"),
		Entry("a line of CSV with its ending", "id,userId\n"+paddedLine(firstID+",", "\r\n", mebibyte)+csvOf(0, 1),
			"id,userId\n"+paddedLine(firstID+",", "\n", mebibyte+1)+csvOf(0, 1), ":2: the line is longer than 1 MiB"),
		Entry("a line of NDJSON", paddedLine(`{"id":"`+firstID+`","userId":"`, `"}`+"\r\n", mebibyte)+ndjsonOf(0, 1),
			ndjsonOf(0, 1)+paddedLine(`{"id":"`+firstID+`","userId":"`, `"}`+"\n", mebibyte+1),
			":2: the line is longer than 1 MiB"),
		Entry("a line without an end", "id,userId\n"+csvOf(0, 1), strings.Repeat("x", 3*mebibyte),
			":1: the line is longer than 1 MiB"),
		Entry("a record of CSV", "id,userId\n"+firstID+",\""+strings.Repeat("half a line\n", mebibyte/12-10)+"\"\n",
			"id,userId\n"+firstID+",\""+strings.Repeat("half a line\n", mebibyte/12)+"\"\n"+csvOf(0, 1),
			"the record that starts on line 2 is longer than 1 MiB: is a closing quote missing?"),
		Entry("blank lines in a quote", "id,userId\n"+strings.Repeat("\r\n", mebibyte)+csvOf(0, 1)+
			strings.Repeat("\n", mebibyte+1)+csvOf(1, 2),
			"id,userId\n\n"+firstID+",\""+strings.Repeat("\n", mebibyte+1),
			"the record that starts on line 3 is longer than 1 MiB"),
	)

	DescribeTable("is a compressed stream that is not whole", func(extension string) {
		content := packersByExtension()[extension]("id,userId\n" + csvOf(0, 8))
		for at := range len(content) {
			if at > 4 {
				_, err := readInput(content[:at])
				expectFault(err, "standard input:", " stream is incomplete")
			}
			if at%16 > 1 {
				continue // what is read is the same from a file
			}
			path := writeFile("u.csv"+extension, content[:at])
			r, err := population.Open(path, nil, testkit.Contract())
			Expect(err).NotTo(HaveOccurred())
			users, err := drainReader(r)
			expectFault(err, path+":", "cannot be read: the ", " stream is incomplete", "truncated")
			Expect(len(users)).To(BeNumerically("<=", 8))
		}
		users, err := readFile("u.csv"+extension, content)
		Expect(err).NotTo(HaveOccurred())
		Expect(users).To(HaveLen(8))
	},
		Entry(nil, ".gz"), Entry(nil, ".zst"),
	)

	DescribeTable("is standard input that is cut within the mark of a compression", func(extension string) {
		content := packersByExtension()[extension]("id,userId\n" + csvOf(0, 8))
		for at := range 5 {
			_, err := readInput(content[:at])
			expectFault(err, "standard input:1: ")
		}
	},
		Entry(nil, ".gz"), Entry(nil, ".zst"),
	)

	DescribeTable("is a second part that is cut", func(extension string) {
		compress := packersByExtension()[extension]
		first, second := compress("id,userId\n"+csvOf(0, 8)), compress(csvOf(8, 16))
		for at := 1; at < len(second); at++ {
			_, err := readInput(first + second[:at])
			expectFault(err, "standard input:", " stream is incomplete")
		}
	},
		Entry(nil, ".gz"), Entry(nil, ".zst"),
	)

	DescribeTable("is a compressed stream with a byte changed or something after it", func(extension, noun string) {
		content := packersByExtension()[extension]("id,userId\n" + csvOf(0, 8))
		_, err := readFile("u.csv"+extension, content[:len(content)-6]+"\x00"+content[len(content)-5:])
		expectFault(err, "u.csv"+extension+":")
		_, err = readFile("u.csv"+extension, content+"something that follows")
		expectFault(err, "u.csv"+extension+":10: cannot be read: it is not a valid "+noun+" stream: ")
		_, err = readFile("u.csv"+extension, "id,userId\n"+csvOf(0, 8))
		expectFault(err, "u.csv"+extension+":1: cannot be read: it is not a valid "+noun+" stream: ")
	},
		Entry(nil, ".gz", "gzip"), Entry(nil, ".zst", "zstd"),
	)

	It("is a zstd stream that asks for too much memory", func() {
		const window129MiB = "\x28\xb5\x2f\xfd\x00\x89\x01\x00\x00"
		_, err := readFile("u.csv.zst", window129MiB)
		expectFault(err, "u.csv.zst:1: cannot be read: the zstd stream needs a window of more than 128 MiB: compress it with a smaller window")
		const single = "\x28\xb5\x2f\xfd\xa0\x00\x00\x00\x10\x01\x00\x00"
		_, err = readFile("u.csv.zst", single)
		expectFault(err, "needs a window of more than 128 MiB")
	})

	DescribeTable("names what its name should be", func(name, content string, parts ...string) {
		path := writeFile(name, content)
		_, err := population.Open(path, nil, testkit.Contract())
		expectFault(err, append([]string{path + ": "}, parts...)...)
	},
		Entry(nil, "users.txt", "", `the extension ".txt" is not that of a users file`,
			".ndjson, .jsonl or .csv, each of them also with .gz or .zst"),
		Entry(nil, "users.gz", "", `the extension "" is not that of a users file`),
		Entry(nil, "users", "", `the extension "" is not that of a users file`),
		Entry(nil, "users.csv.bz2", "", `the extension ".bz2" is not that of a users file`),
		Entry(nil, "users.csv.gz.zst", "", `the extension ".gz" is not that of a users file`),
		Entry(nil, "users.csv", packGzip("id,userId\n"+csvOf(0, 1)), "begins like gzip: name it ", "users.csv.gz"),
		Entry(nil, "users.ndjson", packZstd(ndjsonOf(0, 1)), "begins like zstd: name it ", "users.ndjson.zst"),
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
		for extension, compress := range packersByExtension() {
			for _, readList := range []string{"id,userId\n" + csvOf(0, 8), ndjsonOf(0, 8)} {
				stdin := io.MultiReader(strings.NewReader(compress(readList)), iotest.ErrReader(fault))
				r, err := population.Open("-", stdin, testkit.Contract())
				Expect(err).NotTo(HaveOccurred(), extension)
				_, err = drainReader(r)
				expectFault(err, "standard input:", "cannot be read: "+fault.Error())
			}
		}
	},
		Entry(nil, errors.New("the disk is gone")), Entry(nil, io.ErrUnexpectedEOF),
		Entry("one that wraps the end", fmt.Errorf("the line was cut: %w", io.EOF)),
	)

	It("is a list that does not fit into memory", func() {
		entry := `{"id":"` + firstID + `","userId":"a"},` + "\n"
		for extension, compress := range packersByExtension() {
			_, err := readFile("u.json"+extension, compress("["+strings.Repeat(entry, 65*mebibyte/len(entry))))
			expectFault(err, "u.json"+extension+": cannot be read: it is longer than 64 MiB",
				"use NDJSON or CSV, with one user per line")
		}
		_, err := readFile("u.yaml", strings.Repeat("#\n", 32*mebibyte)+"#")
		expectFault(err, "u.yaml: cannot be read: it is longer than 64 MiB")
		_, err = readFile("u.yaml", strings.Repeat("#\n", 32*mebibyte))
		expectFault(err, "has no users")
	})

	It("tells its fault again, and nothing after it", func() {
		r, err := population.Open("-", strings.NewReader("id,userId\n"+csvOf(0, 1)+"x,y\n"+csvOf(1, 9)),
			testkit.Contract())
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
		for extension, compress := range packersByExtension() {
			r, err := population.Open(writeFile("u.csv"+extension, compress("id,userId\n"+csvOf(0, 9))), nil,
				testkit.Contract())
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

// paddedLine is a line of so many bytes, its ending not counted.
func paddedLine(start, tail string, size int) string {
	return start + strings.Repeat("x", size-len(start)-len(strings.TrimRight(tail, "\r\n"))) + tail
}
