package target_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// nodeTimeout ends a spec that hangs because the client is broken.
const nodeTimeout = 30 * time.Second

const whole = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"

var _ = Describe("A redirect (J17)", func() {
	DescribeTable("is an answer and is never followed",
		func(ctx SpecContext, status int) {
			elsewhere, seen := startRecorder()
			address := startServer(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, elsewhere+"/?x", status)
			})
			c := clientFor(address)
			ex := sendProbe(ctx, c, wellFormed(schemas.GetUserAuth))
			Expect(ex.Fault).To(BeNil())
			Expect(ex.Status).To(Equal(status))
			Expect(ex.Header.Get("Location")).To(HavePrefix(elsewhere))
			Expect(seen()).To(BeEmpty())
			Expect(c.Counts().Requests).To(BeEquivalentTo(1))
		},
		Entry(nil, 301), Entry(nil, 302), Entry(nil, 303), Entry(nil, 307), Entry(nil, 308),
	)
})

var _ = Describe("A fault", func() {
	DescribeTable("of the transport has no answer",
		func(ctx SpecContext, answer func(net.Conn, *http.Request), detail string) {
			c := clientFor(startRaw(answer))
			ex := sendProbe(ctx, c, wellFormed(schemas.GetUserAuth))
			Expect(ex.Fault).NotTo(BeNil())
			Expect(ex.Fault.Kind).To(Equal(exchange.Transport))
			Expect(ex.Fault.Detail).To(ContainSubstring(detail))
			Expect(c.Counts().Requests).To(BeEquivalentTo(1), "nothing is sent again")
			Expect(ex.Body).To(BeNil())
			Expect(ex.Answered()).To(BeFalse())
		},
		Entry("closed without an answer", func(net.Conn, *http.Request) {}, "EOF"),
		Entry("not HTTP", func(c net.Conn, _ *http.Request) { respondWith(c, "SSH-2.0-OpenSSH_9.9\r\n") }, "malformed"),
		Entry("incomplete header",
			func(c net.Conn, _ *http.Request) { respondWith(c, "HTTP/1.1 200 OK\r\nContent-Le") }, "malformed"),
		Entry("incomplete body", func(c net.Conn, _ *http.Request) {
			respondWith(c, "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n[]")
		}, "broke off"),
		Entry("incomplete chunk", func(c net.Conn, _ *http.Request) {
			respondWith(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n[")
		}, "broke off"),
		Entry("two lengths", func(c net.Conn, _ *http.Request) {
			respondWith(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n[]")
		}, ""),
	)

	It("of the transport occurs if nothing listens", func(ctx SpecContext) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		address := listener.Addr().String()
		Expect(listener.Close()).To(Succeed())
		ex := sendProbe(ctx, clientFor("http://"+address), wellFormed(schemas.GetUserAuth))
		Expect(ex.Fault.Kind).To(Equal(exchange.Transport))
		Expect(ex.Fault.Detail).To(ContainSubstring("refused"))
	})

	DescribeTable("is a timeout if the request's own deadline has passed",
		func(ctx SpecContext, answer func(net.Conn, *http.Request)) {
			released := make(chan struct{})
			DeferCleanup(func() { close(released) })
			address := startRaw(func(c net.Conn, r *http.Request) {
				answer(c, r)
				<-released
			})
			ex := sendProbe(ctx, clientFor(address, func(s *settings.Settings) { s.Timeout = 100 * time.Millisecond }),
				wellFormed(schemas.GetUserAuth))
			Expect(ex.Fault).NotTo(BeNil())
			Expect(ex.Fault.Kind).To(Equal(exchange.Timeout))
			Expect(ex.Fault.Detail).To(And(ContainSubstring("100ms"), ContainSubstring("timeout")))
			Expect(ex.Answered()).To(BeFalse())
		},
		Entry("no answer", func(net.Conn, *http.Request) {}),
		Entry("half a header", func(c net.Conn, _ *http.Request) { respondWith(c, "HTTP/1.1 200 OK\r\nContent-") }),
		Entry("half a body", func(c net.Conn, _ *http.Request) {
			respondWith(c, "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n[")
		}),
	)

	// J20: a target with too large a header did answer, so this is a finding and does not end the run.
	It("names the limit if the header block is larger than 1 MiB", func(ctx SpecContext) {
		address := startRaw(func(c net.Conn, _ *http.Request) {
			respondWith(c, "HTTP/1.1 200 OK\r\n")
			for range 2 << 10 {
				respondWith(c, "X-Filler: "+strings.Repeat("x", 1<<10)+"\r\n")
			}
			respondWith(c, "\r\n[]")
		})
		ex := sendProbe(ctx, clientFor(address), wellFormed(schemas.GetUserAuth))
		Expect(ex.Fault).NotTo(BeNil())
		Expect(ex.Fault.Kind).To(Equal(exchange.Bound))
		Expect(ex.Fault.Detail).To(And(ContainSubstring("header"), ContainSubstring("1 MiB")))
		Expect(ex.Answered()).To(BeTrue())
	})

	It("names the limit if the header block is only a little larger", func(ctx SpecContext) {
		address := startRaw(func(c net.Conn, _ *http.Request) {
			respondWith(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Filler: "+strings.Repeat("x",
				1100<<10)+"\r\n\r\n[]")
		})
		ex := sendProbe(ctx, clientFor(address), wellFormed(schemas.GetUserAuth))
		Expect(ex.Fault).NotTo(BeNil())
		Expect(ex.Fault.Kind).To(Equal(exchange.Bound))
	})

	It("names the limit if the header block is a little larger over HTTP/2, of which net/http reads more",
		func(ctx SpecContext) {
			for size, over := range map[int]bool{1<<20 - 1000: false, 1 << 20: true} {
				server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("X-Filler", strings.Repeat("x", size))
					_, _ = io.WriteString(w, "[]")
				}))
				server.EnableHTTP2 = true
				server.StartTLS()
				DeferCleanup(server.Close)
				ex := sendProbe(ctx, clientFor(server.URL, func(s *settings.Settings) {
					s.CA = x509.NewCertPool()
					s.CA.AddCert(server.Certificate())
				}), wellFormed(schemas.GetUserAuth))
				Expect(ex.Fault != nil && ex.Fault.Kind == exchange.Bound).To(Equal(over), "%d bytes: %v", size,
					ex.Fault)
				if !over {
					Expect(ex.Proto).To(Equal("HTTP/2.0"))
					Expect(ex.Fault).To(BeNil())
				}
			}
		})

	It("does not occur if the header block is large, but within the limit", func(ctx SpecContext) {
		address := startRaw(func(c net.Conn, _ *http.Request) {
			respondWith(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Filler: "+strings.Repeat("x",
				900<<10)+"\r\n\r\n[]")
		})
		Expect(sendProbe(ctx, clientFor(address), wellFormed(schemas.GetUserAuth)).Fault).To(BeNil())
	})

	DescribeTable("never shows the token, whole or in part, or terminal control characters (J21)",
		func(ctx SpecContext, answer string) {
			address := startRaw(func(c net.Conn, _ *http.Request) { respondWith(c, answer) })
			ex := sendProbe(ctx, clientFor(address), wellFormed(schemas.GetUserAuth))
			Expect(ex.Fault).NotTo(BeNil())
			for _, values := range []string{settings.ValuesShow, settings.ValuesHide} {
				out := sanitize.New(&settings.Settings{AccessToken: token, Secrets: []string{token}, Values: values},
					testkit.Contract(), "")
				Expect(out.Fault(*ex.Fault).Detail).NotTo(Or(ContainSubstring(token), ContainSubstring(token[:12]),
					ContainSubstring("\x1b")))
			}
			Expect(ex.Fault.Plain).NotTo(ContainSubstring(token[:12]), "it quotes nothing of an answer")
		},
		Entry("in the status line", "HTTP/1.1 "+token+" \x1b[2J\r\n\r\n"),
		Entry("in the place of an answer", token+"\x1b[2J\r\n\r\n"),
		Entry("in a header's name", "HTTP/1.1 200 OK\r\n"+token+"\x1b\r\n\r\n"),
		Entry("as a coding", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Encoding: "+token+"\r\n\r\nx"),
		Entry("as a transfer coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: "+token+"\r\n\r\nx"),
		Entry("as a length", "HTTP/1.1 200 OK\r\nContent-Length: "+token+"\r\n\r\nx"),
	)

	It("is not the result if the run ends: that is an error with its cause", func(ctx SpecContext) {
		cause := errors.New("the run was interrupted")
		stoppable, cancel := context.WithCancelCause(ctx)
		released := make(chan struct{})
		DeferCleanup(func() { close(released) })
		address := startRaw(func(net.Conn, *http.Request) {
			cancel(cause)
			<-released
		})
		ex, err := clientFor(address).Do(stoppable, wellFormed(schemas.GetUserAuth))
		Expect(ex).To(BeNil())
		Expect(err).To(MatchError(cause))
	})
})

// A server may close a connection after an answer without notice (RFC 9112 §9.3). That must cause no fault.
var _ = Describe("A target that closes each connection after its answer", func() {
	closing := func() string {
		return startRaw(func(c net.Conn, _ *http.Request) { respondWith(c, whole) })
	}
	It("causes no fault in 200 sequential requests", func(ctx SpecContext) {
		c := clientFor(closing())
		for i := range 200 {
			ex := sendProbe(ctx, c, wellFormed(schemas.GetUserAuth))
			Expect(ex.Fault).To(BeNil(), fmt.Sprint("request ", i))
			Expect(string(ex.Body)).To(Equal("[]"))
		}
		Expect(c.Counts().Requests).To(BeEquivalentTo(200+c.Counts().Repeated),
			"each answer cost one request, but for those that met a closing connection")
		Expect(c.Counts().Repeated).To(BeNumerically("<=", 2), "one close is enough to learn from")
	})
	It("causes no fault in 200 concurrent requests", func(ctx SpecContext) {
		c := clientFor(closing())
		var mu sync.Mutex
		var faults []string
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				for range 50 {
					ex, err := c.Do(ctx, wellFormed(schemas.GetUserAuth))
					if err == nil && ex.Fault == nil {
						continue
					}
					mu.Lock()
					faults = append(faults, fmt.Sprint(err, ex))
					mu.Unlock()
				}
			})
		}
		wait.Wait()
		Expect(faults).To(BeEmpty())
	})
	It("causes no fault after the second answer either", func(ctx SpecContext) {
		// Each connection answers twice, and closes right after the second answer.
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			count, _ := r.Context().Value(perConnection{}).(*int)
			if *count++; *count == 2 {
				conn, buffer, err := http.NewResponseController(w).Hijack()
				if err != nil {
					return
				}
				_, _ = buffer.WriteString(whole)
				_ = buffer.Flush()
				_ = conn.Close()
			}
		}), ConnContext: func(ctx context.Context, _ net.Conn) context.Context {
			return context.WithValue(ctx, perConnection{}, new(int))
		}}
		go func() { _ = server.Serve(listener) }()
		DeferCleanup(server.Close)
		c := clientFor("http://" + listener.Addr().String())
		faults := 0
		for range 100 {
			if sendProbe(ctx, c, wellFormed(schemas.GetUserAuth)).Fault != nil {
				faults++
			}
		}
		Expect(faults).To(BeZero())
	})
})

type perConnection struct{}
