package population_test

import (
	"compress/gzip"
	"errors"
	"io"
	"runtime"
	"strings"

	"authenticator-conformance/suites/internal/population"
	"authenticator-conformance/suites/internal/testkit"

	"github.com/klauspost/compress/zstd"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// generated is a text that is made while it is read.
type generated struct {
	part     func(from, to int) string
	next, to int
	rest     *strings.Reader
}

func (g *generated) Read(p []byte) (int, error) {
	for g.rest.Len() == 0 {
		if g.next >= g.to {
			return 0, io.EOF
		}
		until := min(g.next+100, g.to)
		g.rest = strings.NewReader(g.part(g.next, until))
		g.next = until
	}
	return g.rest.Read(p)
}

func heapBytes() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// pipeThrough is what a writer makes of a text.
func pipeThrough(text io.Reader, wrap func(io.Writer) (io.WriteCloser, error)) io.Reader {
	r, w := io.Pipe()
	go func() {
		packer, err := wrap(w)
		if err == nil {
			_, err = io.Copy(packer, text)
			err = errors.Join(err, packer.Close())
		}
		w.CloseWithError(err)
	}()
	return r
}

var _ = Describe("The memory of a reader", func() {
	DescribeTable("does not grow with the users", func(users int, stdin io.Reader) {
		const most = 3 << 20
		r, err := population.Open("-", stdin, testkit.Contract())
		Expect(err).NotTo(HaveOccurred())
		first, err := r.Next()
		Expect(err).NotTo(HaveOccurred())
		Expect(first.User).To(Equal(numberedRow(0).User))
		before := heapBytes()
		for i := 1; i < users; i++ {
			user, err := r.Next()
			if err != nil || user.User != numberedRow(i).User {
				Fail("user " + numberedRow(i).UserID + " came as " + user.UserID + " or not at all")
			}
			if i%(users/8) == 0 {
				Expect(heapBytes()-before).To(BeNumerically("<", most), "after %d users", i)
			}
		}
		_, err = r.Next()
		Expect(err).To(BeIdenticalTo(io.EOF))
		Expect(r.Close()).To(Succeed())
	},
		Entry("of CSV", 60_000, io.MultiReader(strings.NewReader("id,userId\n"),
			&generated{part: csvOf, to: 60_000, rest: strings.NewReader("")})),
		Entry("of NDJSON", 60_000, &generated{part: ndjsonOf, to: 60_000, rest: strings.NewReader("")}),
		Entry("of gzip", 60_000, pipeThrough(&generated{part: ndjsonOf, to: 60_000, rest: strings.NewReader("")},
			func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })),
		Entry("of zstd", 60_000, pipeThrough(&generated{part: ndjsonOf, to: 60_000, rest: strings.NewReader("")},
			func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) })),
	)

	It("is read while progress is asked for", func() {
		r, err := population.Open(writeFile("u.csv.gz", packGzip("id,userId\n"+csvOf(0, 20_000))), nil,
			testkit.Contract())
		Expect(err).NotTo(HaveOccurred())
		wrong, stop, stopped := make(chan int64, 1), make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for last := int64(0); ; {
				done, total := r.SizeHint()
				if done < last || done > total {
					wrong <- done
					return
				}
				last = done
				select {
				case <-stop:
					return
				default:
				}
			}
		}()
		users, err := drainReader(r)
		close(stop)
		<-stopped
		Expect(err).NotTo(HaveOccurred())
		Expect(users).To(HaveLen(20_000))
		Expect(wrong).To(BeEmpty())
		done, total := r.SizeHint()
		Expect(done).To(Equal(total))
	})
})
