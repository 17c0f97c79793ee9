package population_test

import (
	"compress/gzip"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"authenticator-conformance/suites/internal/population"
	"authenticator-conformance/suites/internal/testkit"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// generated is a text that is made while it is read.
type generated struct {
	part     func(from, to int) string
	next, to int
	rest     strings.Reader
}

func (g *generated) Read(p []byte) (int, error) {
	for g.rest.Len() == 0 {
		if g.next >= g.to {
			return 0, io.EOF
		}
		until := min(g.next+100, g.to)
		g.rest.Reset(g.part(g.next, until))
		g.next = until
	}
	return g.rest.Read(p)
}

// generatedCSV is a users file of so many users.
func generatedCSV(users int) io.Reader {
	return io.MultiReader(strings.NewReader("id,userId\n"), &generated{part: csvOf, to: users})
}

func heapBytes() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

var _ = Describe("The memory of a reader", func() {
	DescribeTable("does not grow with the users:", func(text func(users int) io.Reader) {
		const users, most = 20_000, 1 << 20
		r := openInput(text(users))
		testkit.Must(r.Next())
		before := heapBytes()
		for i := 1; i < users; i++ {
			if user, err := r.Next(); err != nil || user.User != numberedRow(i).User {
				Fail("user " + numberedRow(i).UserID + " came as " + user.UserID + " or not at all")
			}
			if i%(users/4) == 0 {
				Expect(heapBytes()-before).To(BeNumerically("<", most), "after %d users", i)
			}
		}
		_, err := r.Next()
		Expect(err).To(BeIdenticalTo(io.EOF))
	},
		Entry("of CSV", generatedCSV),
		Entry("of NDJSON that is packed", func(users int) io.Reader {
			r, w := io.Pipe()
			go func() {
				packer := gzip.NewWriter(w)
				_, err := io.Copy(packer, &generated{part: ndjsonOf, to: users})
				w.CloseWithError(errors.Join(err, packer.Close()))
			}()
			return r
		}),
	)
})

var _ = Describe("A reader", func() {
	It("is read while progress is asked for", func() {
		path := testkit.Write(GinkgoT().TempDir(), "u.csv.gz", []byte(packGzip("id,userId\n"+csvOf(0, 20_000))))
		r := testkit.Must(population.Open(path, nil, testkit.Contract()))
		ended, wrong := make(chan struct{}), make(chan bool)
		go func() {
			last, isWrong := int64(0), false
			for isRead := true; isRead; {
				done, total := r.SizeHint()
				isWrong = isWrong || done < last || done > total
				last = done
				select {
				case <-ended:
					isRead = false
				default:
				}
			}
			wrong <- isWrong || last == 0
		}()
		Expect(testkit.Must(drainReader(r))).To(HaveLen(20_000))
		close(ended)
		Expect(<-wrong).To(BeFalse())
	})
})

// BenchmarkReader measures what one user costs to be read, before any request is sent.
func BenchmarkReader(b *testing.B) {
	for name, text := range map[string]func(users int) io.Reader{"csv": generatedCSV,
		"ndjson": func(users int) io.Reader { return &generated{part: ndjsonOf, to: users} }} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			r, err := population.Open(population.StandardInput, text(b.N), testkit.Contract())
			if err != nil {
				b.Fatal(err)
			}
			for range b.N {
				if _, err := r.Next(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
