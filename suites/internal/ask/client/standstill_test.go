package client_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math"
	"net"
	"net/http/httptest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/net/http2"

	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
	testkit "authenticator-conformance/suites/internal/testkit/light"
)

// answerFrames writes frames as the answer to the request of a stream.
type answerFrames func(frames *http2.Framer, stream uint32) error

func beginAnswer(frames *http2.Framer, stream uint32) error {
	const statusOK = "\x88"
	return frames.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: []byte(statusOK),
		EndHeaders: true})
}

// serveFrames answers the requests of a connection until that ends.
func serveFrames(conn net.Conn, answer answerFrames) {
	defer conn.Close()
	if _, err := io.CopyN(io.Discard, conn, int64(len(http2.ClientPreface))); err != nil {
		return
	}
	frames := http2.NewFramer(conn, conn)
	err := frames.WriteSettings()
	for err == nil {
		var frame http2.Frame
		if frame, err = frames.ReadFrame(); err == nil && frame.Header().Flags.Has(http2.FlagDataEndStream) &&
			frame.Header().StreamID > 0 {
			err = answer(frames, frame.Header().StreamID)
		}
	}
}

// startOverflowing returns a client for a target that overflows the window of each stream after the start of an answer.
func startOverflowing(start answerFrames, change ...func(*settings.Settings)) *client.Client {
	GinkgoHelper()
	certified := httptest.NewTLSServer(nil)
	DeferCleanup(certified.Close)
	listener := testkit.Must(tls.Listen("tcp", "127.0.0.1:0",
		&tls.Config{Certificates: certified.TLS.Certificates, NextProtos: []string{"h2"}}))
	serveConnections(listener, func(conn net.Conn) {
		serveFrames(conn, func(frames *http2.Framer, stream uint32) error {
			return errors.Join(start(frames, stream), frames.WriteWindowUpdate(stream, math.MaxInt32),
				frames.WriteWindowUpdate(stream, math.MaxInt32))
		})
	})
	return clientFor("https://"+listener.Addr().String(), append(change, trustOf(certified))...)
}

// If the window of an HTTP/2 stream overflows, net/http's client deadlocks (Go 1.26).
var _ = Describe("A target that deadlocks the HTTP client (J18)", func() {
	silent := func(*http2.Framer, uint32) error { return nil }
	BeforeEach(func() {
		grace := *client.HangGrace
		DeferCleanup(func() { *client.HangGrace = grace })
		*client.HangGrace = 50 * time.Millisecond
	})

	DescribeTable("ends the run with an error that names the request and its time-out",
		func(ctx SpecContext, start answerFrames, p exchange.Probe) {
			c := startOverflowing(start, func(s *settings.Settings) { s.Timeout = 400 * time.Millisecond })
			ex, err := c.Send(ctx, p)
			Expect(ex).To(BeNil())
			Expect(err).To(MatchError(MatchRegexp("^e17 to https://.* did not end 50ms after its time-out of 400ms " +
				`\(setting timeout\); this is not the target's answer: the HTTP library did not return`)))
			c.Reconnect() // it ends, too
		},
		Entry("before it answers", answerFrames(silent), wellFormed, SpecTimeout(limit)),
		Entry("in the middle of a body", answerFrames(beginAnswer), wellFormed, SpecTimeout(limit)),
		Entry("at a probe that should be refused", answerFrames(silent), withoutID, SpecTimeout(limit)),
	)

	It("does not prevent the end of a run", func(ctx SpecContext) {
		ended, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		defer cancel()
		_, err := startOverflowing(silent).Send(ended, wellFormed)
		Expect(err).To(MatchError(context.DeadlineExceeded))
	}, SpecTimeout(limit))
})
