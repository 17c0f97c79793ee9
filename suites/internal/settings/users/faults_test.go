package users_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing/iotest"
	"unicode/utf16"

	"authenticator-conformance/suites/internal/settings/users"
	testkit "authenticator-conformance/suites/internal/testkit/light"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const mebibyte = 1 << 20

// paddedLine is a line of so many bytes, its ending not counted.
func paddedLine(start, tail string, size int) string {
	return start + strings.Repeat("x", size-len(start)-len(strings.TrimRight(tail, "\r\n"))) + tail
}

var _ = Describe("A population with a fault", func() {
	DescribeTable("has a line or record over the bound:", func(ok, tooLong, fault string) {
		Expect(testkit.Must(readInput(ok))).NotTo(BeEmpty())
		_, err := readInput(tooLong)
		expectFault(err, fault)
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

	It("is a gzip stream that is cut anywhere, has a byte changed or something after it", func() {
		first := packGzip("id,userId\n" + csvOf(0, 2))
		content := first + packGzip(csvOf(2, 4))
		for at := range len(content) {
			if at == len(first) {
				continue
			}
			if _, err := readInput(content[:at]); at < 5 {
				expectFault(err, "standard input:1: ")
			} else {
				expectFault(err, "standard input:", "cannot be read: the gzip stream is incomplete")
			}
			if at%16 == 5 { // what is read is the same from a file
				_, err := readFile("u.csv.gz", content[:at])
				expectFault(err, "u.csv.gz:", "gzip stream is incomplete, so the file was truncated")
			}
		}
		Expect(testkit.Must(readFile("u.csv.gz", content[:len(first)]))).To(HaveLen(2))
		Expect(testkit.Must(readFile("u.csv.gz", content))).To(HaveLen(4))

		content = packGzip("id,userId\n" + csvOf(0, 8))
		_, err := readFile("u.csv.gz", content[:len(content)-6]+"\x00"+content[len(content)-5:])
		expectFault(err, "u.csv.gz:")
		_, err = readFile("u.csv.gz", content+"something that follows")
		expectFault(err, "u.csv.gz:10: cannot be read: it is not a valid gzip stream: ")
	})

	DescribeTable("has a name that says what to use:", func(name, says string) {
		GinkgoT().Chdir(GinkgoT().TempDir())
		testkit.Write(".", "-", nil)
		_, err := users.Open(name, nil, testkit.Contract())
		expectFault(err, name+": "+says)
	},
		testkit.Entries("names"),
	)

	DescribeTable("is in UTF-16 without a mark:", func(order binary.AppendByteOrder) {
		for name, text := range map[string]string{
			"u.csv":    "id,userId,name\n" + firstID + ",ü,Zoë\n",
			"u.ndjson": `{"id":"` + firstID + `","userId":"日本語 ü"}` + "\n",
			"u.json":   "[\n" + `{"id":"` + firstID + `","userId":"a"}` + "\n]\n",
			"u.yaml":   "# ü\n- id: " + firstID + "\n  userId: a\n",
		} {
			for _, text := range []string{text, strings.ReplaceAll(text, "\n", "\r\n")} {
				var content []byte
				for _, unit := range utf16.Encode([]rune(text)) {
					content = order.AppendUint16(content, unit)
				}
				for extension, compress := range packersByExtension {
					_, err := readFile(name+extension, compress(string(content)))
					expectFault(err, name, ": is in UTF-16 without a byte order mark: save the file in UTF-8")
				}
			}
		}
	},
		Entry("the low byte first", binary.LittleEndian), Entry("the high byte first", binary.BigEndian),
	)

	It("is a folder", func() {
		folder := filepath.Join(GinkgoT().TempDir(), "folder.csv")
		Expect(os.Mkdir(folder, 0o700)).To(Succeed())
		_, err := readPath(folder)
		expectFault(err, folder+":1: cannot be read: is a directory")
	})

	DescribeTable("is a fault below, which is never the end:", func(fault error) {
		for _, compress := range packersByExtension {
			for _, list := range []string{"id,userId\n" + csvOf(0, 8), ndjsonOf(0, 8)} {
				_, err := drainReader(openInput(io.MultiReader(strings.NewReader(compress(list)),
					iotest.ErrReader(fault))))
				expectFault(err, "standard input:", "cannot be read: "+fault.Error())
			}
		}
	},
		Entry(nil, errors.New("the disk is gone")), Entry(nil, io.ErrUnexpectedEOF),
		Entry("one that wraps the end", fmt.Errorf("the line was cut: %w", io.EOF)),
	)

	It("is a list that does not fit into memory", func() {
		path := testkit.Write(GinkgoT().TempDir(), "u.json", nil)
		Expect(os.Truncate(path, 64*mebibyte)).To(Succeed())
		_, err := readPath(path)
		expectFault(err, "u.json:1: is not strict JSON")
		Expect(os.Truncate(path, 64*mebibyte+1)).To(Succeed())
		_, err = readPath(path)
		expectFault(err, "u.json: cannot be read: it is longer than 64 MiB: ", "use NDJSON or CSV")
	})

	It("says its fault again, and nothing after it", func() {
		r := openInput(strings.NewReader("id,userId\n" + csvOf(0, 1) + "x,y\n" + csvOf(1, 9)))
		testkit.Must(r.Next())
		before := users.DigestOf(r.Sum())
		_, first := r.Next()
		expectFault(first, ":3: ")
		for range 2 {
			user, err := r.Next()
			Expect(err).To(BeIdenticalTo(first))
			Expect(user).To(BeZero())
			Expect(users.DigestOf(r.Sum())).To(Equal(before))
		}
	})
})
