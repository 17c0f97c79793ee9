package target_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math"
	"net/http/httptest"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/net/http2"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/target"
)

// If the window of an HTTP/2 stream overflows, net/http's client deadlocks (Go 1.26).
var _ = Describe("A target that deadlocks the HTTP client (J18)", func() {
	const statusOK = "\x88"
	begin := func(frames *http2.Framer, stream uint32) error {
		return frames.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: []byte(statusOK),
			EndHeaders: true})
	}
	silent := func(*http2.Framer, uint32) error { return nil }
	// overflowing returns a client for a target that overflows the window of each stream of its first connections,
	// before or after the start of its answer. Later connections answer.
	overflowing := func(connections int64, first func(*http2.Framer, uint32) error,
		change ...func(*settings.Settings)) *target.Client {
		GinkgoHelper()
		certified := httptest.NewTLSServer(nil)
		DeferCleanup(certified.Close)
		config := &tls.Config{Certificates: certified.TLS.Certificates, NextProtos: []string{"h2"}}
		listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(listener.Close)
		go func() {
			var made atomic.Int64
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				go func() {
					defer conn.Close()
					if _, err := io.CopyN(io.Discard, conn, int64(len(http2.ClientPreface))); err != nil {
						return
					}
					frames, overflows := http2.NewFramer(conn, conn), made.Add(1) <= connections
					err := frames.WriteSettings()
					for err == nil {
						var frame http2.Frame
						if frame, err = frames.ReadFrame(); err != nil || !endsRequest(frame) {
							continue
						}
						stream := frame.Header().StreamID
						if overflows {
							err = errors.Join(first(frames, stream), frames.WriteWindowUpdate(stream, math.MaxInt32),
								frames.WriteWindowUpdate(stream, math.MaxInt32))
							continue
						}
						err = errors.Join(begin(frames, stream), frames.WriteData(stream, true, []byte("[]")))
					}
				}()
			}
		}()
		return clientFor("https://"+listener.Addr().String(), append(change, func(s *settings.Settings) {
			s.CA = x509.NewCertPool()
			s.CA.AddCert(certified.Certificate())
		})...)
	}
	short := func(s *settings.Settings) { s.Timeout = 100 * time.Millisecond }

	DescribeTable("lets one request time out, but not the next",
		func(ctx SpecContext, first func(*http2.Framer, uint32) error) {
			c := overflowing(1, first, short)
			ex := sendProbe(ctx, c, wellFormed(schemas.GetUserAuth))
			Expect(ex.Fault).NotTo(BeNil())
			Expect(ex.Fault.Kind).To(Equal(exchange.Timeout))
			Expect(ex.Fault.Detail).To(ContainSubstring("100ms"))
			ex = sendProbe(ctx, c, wellFormed(schemas.GetUserAuth))
			Expect(ex.Fault).To(BeNil())
			Expect(string(ex.Body)).To(Equal("[]"))
		},
		Entry("before it answers", silent, SpecTimeout(nodeTimeout)),
		Entry("in the middle of a body", begin, SpecTimeout(nodeTimeout)),
	)

	It("lets one request with its own connection time out, but not the next", func(ctx SpecContext) {
		c := overflowing(1, silent, short)
		Expect(sendProbe(ctx, c, withoutField("Id")).Fault.Kind).To(Equal(exchange.Timeout))
		Expect(sendProbe(ctx, c, withoutField("Id")).Fault).To(BeNil())
	}, SpecTimeout(nodeTimeout))

	It("does not prevent the end of a run", func(ctx SpecContext) {
		ended, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		defer cancel()
		_, err := overflowing(math.MaxInt64, silent).Do(ended, wellFormed(schemas.GetUserAuth))
		Expect(err).To(MatchError(context.DeadlineExceeded))
	}, SpecTimeout(nodeTimeout))
})

// endsRequest reports whether a frame is the last one of a request.
func endsRequest(frame http2.Frame) bool {
	switch f := frame.(type) {
	case *http2.HeadersFrame:
		return f.StreamEnded()
	case *http2.DataFrame:
		return f.StreamEnded()
	}
	return false
}
