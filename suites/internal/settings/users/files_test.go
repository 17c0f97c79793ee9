package users_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"authenticator-conformance/suites/internal/settings/users"
	testkit "authenticator-conformance/suites/internal/testkit/light"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const usersFiles = "testdata/files.yaml"

// usersFile is a case of usersFiles.
type usersFile struct{ Name, File, Content, Says string }

// describeUsers reads all users and lists them, then the digest or the fault, with another name for the file.
func describeUsers(r *users.Reader, readName, name string) string {
	list, err := drainReader(r)
	var text strings.Builder
	for i, u := range list {
		Expect(u.Index).To(BeEquivalentTo(i))
		fmt.Fprintf(&text, "line %d: id %s, userId %q, name %q, enrolled %t, given %t\n", u.Line, u.ID, u.UserID,
			u.Name, u.Enrolled, u.EnrolledGiven)
	}
	if err != nil {
		expectFault(err)
		return text.String() + strings.Replace(err.Error(), readName, name, 1)
	}
	return text.String() + users.DigestOf(r.Sum())
}

// describeRun says what differs if a run reads the file.
func describeRun(path, sweep string) string {
	list, _, err := users.ReadAll(path, testkit.Contract(), false)
	if err == nil {
		Expect(strings.Count(sweep, "line ")).To(Equal(len(list)))
		return ""
	}
	_, _, hidden := users.ReadAll(path, testkit.Contract(), true)
	// Without a line it quotes nothing, and of a broken form neither.
	line := regexp.MustCompile(`^[^:]*:[0-9]+`).FindString(err.Error())
	Expect(hidden).To(MatchError(Or(And(Equal(err.Error()), Or(MatchRegexp("YAML|is not valid UTF-8: save"),
		Not(HavePrefix(line+":")))), Equal(line+": the users can't be read, and what is wrong would quote them: "+
		"to see it, run plan with --values show"))))
	if strings.HasSuffix(sweep, err.Error()) {
		return ""
	}
	return "\na run: " + err.Error()
}

var _ = Describe("A users file is read alike, packed or not, from disk or a pipe, with LF or a mark and CRLF:", func() {
	for _, c := range testkit.Cases[usersFile](usersFiles) {
		It(c.Name, func() {
			golden := testkit.Must(filepath.Abs(usersFiles))
			GinkgoT().Chdir(GinkgoT().TempDir())
			testkit.Write(".", c.File, []byte(c.Content))
			said := describeUsers(testkit.Must(users.OpenAny(c.File, nil, testkit.Contract())), c.File, c.File)
			testkit.Says(golden, c.Name, c.Says, errors.New(said+describeRun(c.File, said)))

			isKnownByItsStart := filepath.Ext(c.File) == ".csv" || strings.HasPrefix(strings.TrimSpace(c.Content), "{")
			for extension, compress := range packersByExtension {
				for _, text := range []string{c.Content, "\ufeff" + strings.ReplaceAll(c.Content, "\n", "\r\n")} {
					path := testkit.Write(".", c.File+extension, []byte(compress(text)))
					r := testkit.Must(users.OpenAny(path, iotest.ErrReader(io.ErrClosedPipe), testkit.Contract()))
					Expect(describeUsers(r, path, c.File)).To(Equal(said), "%q%s", text, extension)
					if isKnownByItsStart && slices.Contains([]string{".csv", ".ndjson"}, filepath.Ext(c.File)) {
						r := openInput(strings.NewReader(compress(text)))
						Expect(describeUsers(r, "standard input", c.File)).To(Equal(said), "%q%s", text, extension)
					}
				}
			}
		})
	}
})

var _ = Describe("A population", func() {
	It("has the same digest in every form", func() {
		const digest = "sha256:56b4e841623794b3659a9e925cd16a5a905ad3ff37116df75ae612e14bbde03b"
		var forms []string
		for _, c := range testkit.Cases[usersFile](usersFiles) {
			if strings.HasSuffix(c.Says, digest) {
				forms = append(forms, c.File)
			}
		}
		Expect(forms).To(ConsistOf("u.ndjson", "u.json", "u.yaml"))
	})

	It("has a size in bytes, and may have any case in its extension and dots in its path", func() {
		folder := filepath.Join(GinkgoT().TempDir(), "a.gz")
		Expect(os.Mkdir(folder, 0o700)).To(Succeed())
		for name, content := range map[string]string{"gz.csv": "id,userId\n" + csvOf(0, 3),
			"users.2027.JSONL.GZ": packGzip(ndjsonOf(0, 3))} {
			r := testkit.Must(users.Open(testkit.Write(folder, name, []byte(content)), nil, testkit.Contract()))
			Expect(testkit.Must(drainReader(r))).To(HaveLen(3))
			done, total := r.SizeHint()
			Expect([]int64{done, total}).To(HaveEach(BeEquivalentTo(len(content))))
		}
	})

	DescribeTable("from a pipe is known by its first bytes, even if they come one by one:", func(content string) {
		for _, compress := range packersByExtension {
			packed := compress(content)
			r := openInput(iotest.OneByteReader(strings.NewReader(packed)))
			Expect(testkit.Must(drainReader(r))).To(HaveLen(3))
			done, total := r.SizeHint()
			Expect([]int64{done, total}).To(Equal([]int64{int64(len(packed)), 0}))
		}
	},
		Entry("NDJSON", ndjsonOf(0, 3)),
		Entry("NDJSON after a mark and blank lines", "\ufeff\r\n \n\t"+ndjsonOf(0, 3)),
		Entry("CSV", "id,userId\n"+csvOf(0, 3)),
		Entry("CSV after a mark and blank lines", "\ufeff\n\nid,userId\n"+csvOf(0, 3)),
	)

	It("may be packed in several parts, one after the other", func() {
		content := packGzip("id,userId\n"+csvOf(0, 1)) + packGzip("") + packGzip(csvOf(1, 3))
		Expect(testkit.Must(readFile("u.csv.gz", content))).To(HaveLen(3))
		Expect(testkit.Must(readFile("u.csv", content))).To(HaveLen(3), "whatever its name")
		Expect(testkit.Must(readFile("u.csv.gz", "id,userId\n"+csvOf(0, 8)))).To(HaveLen(8), "whatever its name")
		Expect(testkit.Must(readInput(content))).To(HaveLen(3))
	})

	It("has a digest that depends on every member and on their order", func() {
		line := func(id, members string) string { return `{"id":"` + id + `","userId":` + members + "}\n" }
		a, b, seen := line(firstID, `"a"`), line(secondID, `"b"`), map[string]string{}
		for _, content := range []string{a + b, b + a, a, line(strings.ToUpper(firstID), `"a"`) + b,
			line(firstID, `"a","enrolled":true`) + b, line(firstID, `"a","enrolled":false`) + b,
			line(firstID, `"a","name":"n"`) + b, line(firstID, `"an"`) + b} {
			r := openInput(strings.NewReader(content))
			testkit.Must(drainReader(r))
			Expect(seen).NotTo(HaveKey(users.DigestOf(r.Sum())), content)
			seen[users.DigestOf(r.Sum())] = content
		}
	})

	It("has a digest of the users read so far", func() {
		digests := func(content string) (all []string) {
			r := openInput(strings.NewReader(content))
			for err := error(nil); err == nil; _, err = r.Next() {
				all = append(all, users.DigestOf(r.Sum()))
			}
			return all
		}
		long, short := digests(ndjsonOf(0, 4)), digests("id,userId\n"+csvOf(0, 2))
		Expect(long).To(HaveLen(5))
		Expect(long[:3]).To(Equal(short))
		Expect(long[0]).To(Equal("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
		Expect(long[3]).NotTo(BeElementOf(long[:3]))
	})
})

func heapBytes() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

var _ = Describe("The memory of a reader", func() {
	const total, most = 20_000, 1 << 20
	DescribeTable("does not grow with the users:", func(text string) {
		r := openInput(strings.NewReader(text))
		r.Remember(total / 4)
		testkit.Must(r.Next())
		before := heapBytes()
		for i := 1; i < total; i++ {
			if user, err := r.Next(); err != nil || user.User != numberedRow(i).User {
				Fail("user " + numberedRow(i).UserID + " came as " + user.UserID + " or not at all")
			}
			if i%(total/4) == 0 {
				Expect(heapBytes()-before).To(BeNumerically("<", most), "after %d users", i)
			}
		}
		_, err := r.Next()
		Expect(err).To(BeIdenticalTo(io.EOF))
	},
		Entry("of CSV", "id,userId\n"+csvOf(0, total)),
		Entry("of NDJSON that is packed", packGzip(ndjsonOf(0, total))),
	)
})

var _ = Describe("A reader", func() {
	DescribeTable("ends with an error if its file is written meanwhile", func(write func(path string) error) {
		path := testkit.Write(GinkgoT().TempDir(), "u.csv", []byte("id,userId\n"+csvOf(1_000, 6_000)))
		r := testkit.Must(users.Open(path, nil, testkit.Contract()))
		testkit.Must(r.Next())
		Expect(write(path)).To(Succeed())
		_, err := drainReader(r)
		expectFault(err, path, "was changed while it was read", "copy")
	},
		Entry("cut at the end of a line", func(path string) error {
			return os.Truncate(path, int64(len("id,userId\n"+csvOf(1_000, 4_000))))
		}),
		Entry("longer", func(path string) error {
			return os.WriteFile(path, []byte("id,userId\n"+csvOf(1_000, 7_000)), 0o600)
		}),
		Entry("with other users, as many", func(path string) error {
			text := []byte("id,userId\n" + csvOf(4_000, 9_000))
			err := os.WriteFile(path, text, 0o600)
			return errors.Join(err, os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)))
		}),
	)

	It("is read while progress is asked for", func() {
		path := testkit.Write(GinkgoT().TempDir(), "u.csv.gz", []byte(packGzip("id,userId\n"+csvOf(0, 20_000))))
		r := testkit.Must(users.Open(path, nil, testkit.Contract()))
		var isEnded atomic.Bool
		wrong := make(chan bool)
		go func() {
			last, isWrong := int64(0), false
			for isRead := true; isRead; isRead = !isEnded.Load() {
				done, total := r.SizeHint()
				isWrong = isWrong || done < last || done > total
				last = done
			}
			wrong <- isWrong || last == 0
		}()
		Expect(testkit.Must(drainReader(r))).To(HaveLen(20_000))
		isEnded.Store(true)
		Expect(<-wrong).To(BeFalse())
	})
})

// BenchmarkReader measures what one user costs to be read, before any request is sent.
func BenchmarkReader(b *testing.B) {
	for name, text := range map[string]func(from, to int) string{"ndjson": ndjsonOf,
		"csv": func(from, to int) string { return "id,userId\n" + csvOf(from, to) }} {
		b.Run(name, func(b *testing.B) {
			r, err := users.Open(users.StandardInput, strings.NewReader(text(0, b.N)), testkit.Contract())
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				if _, err := r.Next(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
