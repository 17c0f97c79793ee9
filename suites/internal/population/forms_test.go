package population_test

import (
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

// threeRows are the users that each content below holds.
func threeRows() []population.Row {
	return []population.Row{
		{User: population.User{ID: firstID, UserID: "a,\"b\" ü", Enrolled: true, Name: "first"}, EnrolledGiven: true},
		{User: population.User{ID: secondID, UserID: "007"}, EnrolledGiven: true, Index: 1},
		{User: population.User{ID: secondID, UserID: "two\nlines", Enrolled: true}, Index: 2},
	}
}

const (
	ndjsonContent = "\n" + `{"id": "` + firstID + `", "userId": "a,\"b\" ü", "name": "first", "enrolled": true}` +
		"\n \t\n" + `{"id":"` + secondID + `","userId":"007","enrolled":false}` +
		"\n" + `{"name":"","userId":"two\nlines","id":"` + secondID + `"}`
	jsonContent = "[\n" + `{"id": "` + firstID + `", "userId": "a,\"b\" \u00fc", "name": "first", "enrolled": true},` +
		"\n" + `{"id":"` + secondID + `","userId":"007","enrolled":false},` +
		"\n" + `{"userId":"two\nlines","id":"` + secondID + `"}]`
	yamlContent = "- {id: " + firstID + ", userId: 'a,\"b\" ü', name: first, enrolled: true}\n- id: " + secondID +
		"\n  userId: '007'\n  enrolled: false\n" + `- {id: ` + secondID + `, userId: "two\nlines"}` + "\n"
)

var _ = Describe("A population", func() {
	DescribeTable("of every form, plain or packed, gives the same users and digest", func(name, content string) {
		for extension, compress := range packersByExtension() {
			for _, text := range []string{content, "\ufeff" + strings.ReplaceAll(content, "\n", "\r\n")} {
				path := writeFile(name+extension, compress(text))
				r, err := population.Open(path, iotest.ErrReader(io.ErrClosedPipe), testkit.Contract())
				Expect(err).NotTo(HaveOccurred(), extension)
				users, err := drainReader(r)
				Expect(err).NotTo(HaveOccurred(), extension)
				Expect(withoutLines(users)).To(Equal(threeRows()), extension)
				Expect(r.Digest()).To(Equal("sha256:56b4e841623794b3659a9e925cd16a5a905ad3ff37116df75ae612e14bbde03b"),
					extension)
				info, err := os.Stat(path)
				Expect(err).NotTo(HaveOccurred())
				done, total := r.SizeHint()
				Expect(done).To(Equal(info.Size()))
				Expect(total).To(Equal(info.Size()))
			}
		}
	},
		Entry("u.ndjson", "u.ndjson", ndjsonContent), Entry("u.jsonl", "u.jsonl", ndjsonContent),
		Entry("u.json", "u.json", jsonContent), Entry("u.yaml", "u.yaml", yamlContent),
		Entry("u.yml", "u.yml", yamlContent),
	)

	DescribeTable("has with each user the line at which the entry starts", func(name, content string, want ...int) {
		users, err := readFile(name, content)
		Expect(err).NotTo(HaveOccurred())
		var at []int
		for _, u := range users {
			at = append(at, u.Line)
		}
		Expect(at).To(Equal(want))
	},
		Entry("CSV, with a line break in quotes", "u.csv", "id,userId\n\n"+firstID+",a\n"+secondID+",\"b\nc\"\n"+
			firstID+",d\n", 3, 4, 6),
		Entry("NDJSON", "u.ndjson", "\n"+ndjsonOf(0, 1)+"\n"+ndjsonOf(1, 2), 2, 4),
	)

	// A record of CSV has no way to leave out a field that the others have.
	csvContent := joinLines("", "name,enrolled,userId,id", `first,true,"a,""b"" ü",`+firstID, "",
		`"",false,007,`+secondID,
		",true,\"two\nlines\","+secondID)

	DescribeTable("in CSV, plain or packed, gives them too", func(name, byteOrderMark string) {
		want := threeRows()
		want[2].EnrolledGiven = true
		for extension, compress := range packersByExtension() {
			users, err := readFile(name+extension, compress(byteOrderMark+csvContent))
			Expect(err).NotTo(HaveOccurred(), extension)
			Expect(withoutLines(users)).To(Equal(want), extension)
			users, err = readFile(name+strings.ToUpper(extension),
				compress(strings.ReplaceAll(byteOrderMark+csvContent, "\n", "\r\n")))
			Expect(err).NotTo(HaveOccurred(), extension)
			Expect(withoutLines(users)).To(Equal(want), extension)
		}
	},
		Entry(nil, "u.csv", ""), Entry(nil, "u.CSV", "\ufeff"), Entry(nil, "gz.csv", "\n\n"),
	)

	DescribeTable("from standard input is known by its first bytes", func(content string, want []population.Row) {
		for extension, compress := range packersByExtension() {
			for _, slow := range []bool{false, true} {
				var stdin io.Reader = strings.NewReader(compress(content))
				if slow {
					stdin = iotest.OneByteReader(stdin)
				}
				r, err := population.Open("-", stdin, testkit.Contract())
				Expect(err).NotTo(HaveOccurred(), extension)
				users, err := drainReader(r)
				Expect(err).NotTo(HaveOccurred(), extension)
				Expect(withoutLines(users)).To(Equal(want), extension)
				done, total := r.SizeHint()
				Expect(done).To(BeEquivalentTo(len(compress(content))))
				Expect(total).To(BeZero())
			}
		}
	},
		Entry("NDJSON", ndjsonOf(0, 3), []population.Row{numberedRow(0), numberedRow(1), numberedRow(2)}),
		Entry("NDJSON after a mark and blank lines", "\ufeff\r\n \n\t"+ndjsonContent, threeRows()),
		Entry("CSV", "id,userId\n"+csvOf(0, 2), []population.Row{numberedRow(0), numberedRow(1)}),
		Entry("CSV after a mark and blank lines", "\ufeff\n\nid,userId\n"+csvOf(0, 1),
			[]population.Row{numberedRow(0)}),
		Entry("CSV with a column in quotes", "\"id\",userId\n"+csvOf(0, 1), []population.Row{numberedRow(0)}),
	)

	It("may be packed in several parts, one after the other, and begin with a frame to be skipped", func() {
		start, tail := "id,userId\n"+csvOf(0, 1), csvOf(1, 3)
		want := []population.Row{numberedRow(0), numberedRow(1), numberedRow(2)}
		skipped := "\x5a\x2a\x4d\x18\x04\x00\x00\x00skip"
		for name, content := range map[string]string{
			"u.csv.gz":  packGzip(start) + packGzip("") + packGzip(tail),
			"u.csv.zst": skipped + packZstd(start) + skipped + packZstd(tail),
		} {
			users, err := readFile(name, content)
			Expect(err).NotTo(HaveOccurred())
			Expect(withoutLines(users)).To(Equal(want))
			users, err = readInput(content)
			Expect(err).NotTo(HaveOccurred())
			Expect(withoutLines(users)).To(Equal(want))
		}
	})

	It("takes each extension in any case, and a path with dots", func() {
		folder := filepath.Dir(writeFile("x", ""))
		Expect(os.Mkdir(filepath.Join(folder, "a.gz"), 0o700)).To(Succeed())
		path := filepath.Join(folder, "a.gz", "users.2027.JSONL.GZ")
		Expect(os.WriteFile(path, []byte(packGzip(ndjsonOf(0, 1))), 0o600)).To(Succeed())
		users, err := readPath(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(withoutLines(users)).To(Equal([]population.Row{numberedRow(0)}))
	})

	It("takes a file named like standard input where the path says so", func() {
		GinkgoT().Chdir(GinkgoT().TempDir())
		Expect(os.WriteFile("-", nil, 0o600)).To(Succeed())
		_, err := readPath("./-")
		expectFault(err, "./-: the extension")
	})

	It("has a digest that depends on every member, on their order, and on nothing else", func() {
		digest := func(content string) string {
			r, err := population.Open("-", strings.NewReader(content), testkit.Contract())
			Expect(err).NotTo(HaveOccurred())
			_, err = drainReader(r)
			Expect(err).NotTo(HaveOccurred())
			return r.Digest()
		}
		a, b := `{"id":"`+firstID+`","userId":"a"}`+"\n", `{"id":"`+secondID+`","userId":"b"}`+"\n"
		same := digest(a + b)
		Expect(digest("\n" + a + "\n" + strings.ReplaceAll(b, ":", " : "))).To(Equal(same))
		Expect(digest("userId,id\na," + firstID + "\nb," + secondID + "\n")).To(Equal(same))
		seen := map[string]string{same: a + b}
		for _, other := range []string{
			b + a, a, strings.ToUpper(firstID), `"userId":"a","enrolled":true`, `"userId":"a","enrolled":false`,
			`"userId":"a","name":"n"`,
			`"userId":"an"`,
		} {
			content := other
			if !strings.HasPrefix(other, "{") {
				content = strings.Replace(a, `"userId":"a"`, other, 1) + b
			}
			if other == strings.ToUpper(firstID) {
				content = strings.Replace(a, firstID, other, 1) + b
			}
			Expect(seen).NotTo(HaveKey(digest(content)), content)
			seen[digest(content)] = content
		}
	})

	It("has a digest of the users read so far", func() {
		digests := func(content string) (all []string) {
			r, err := population.Open("-", strings.NewReader(content), testkit.Contract())
			Expect(err).NotTo(HaveOccurred())
			for {
				all = append(all, r.Digest())
				if _, err := r.Next(); err != nil {
					return all
				}
			}
		}
		long, short := digests(ndjsonOf(0, 4)), digests("id,userId\n"+csvOf(0, 2))
		Expect(long).To(HaveLen(5))
		Expect(long[:3]).To(Equal(short))
		Expect(long[0]).To(Equal("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
		Expect(long[3]).NotTo(BeElementOf(long[:3]))
	})
})
