package run_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/suites/internal/ledger"
)

// relayThatCloses starts a relay in front of a service. It closes each connection some time after an answer, without
// notice (RFC 9112, section 9.6), and reads nothing meanwhile.
func relayThatCloses(after time.Duration, handler http.Handler) (address string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(listener.Close)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				req, err := http.ReadRequest(bufio.NewReader(conn))
				if err != nil {
					return
				}
				answer := httptest.NewRecorder()
				handler.ServeHTTP(answer, req)
				result := answer.Result()
				result.ContentLength = int64(answer.Body.Len())
				if result.Write(conn) == nil {
					time.Sleep(after)
				}
				_, _ = io.Copy(io.Discard, result.Body)
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

var _ = DescribeTable("A target that closes each connection some time after an answer passes (RFC 9112, section 9.6)",
	func(ctx SpecContext, after time.Duration) {
		users := threeUsers()
		handler := reference.New(reference.Options{Users: users, AccessToken: fixtures.AccessToken,
			ApplicationID: fixtures.ApplicationID})
		for range 3 { // how many requests cross with a close is up to chance
			r := against(relayThatCloses(after, handler), users, concurrently(8))
			Expect(r.Execute(ctx)).To(Succeed())
			for _, row := range r.Ledger.Rows() {
				Expect(row.Verdict()).NotTo(Equal(ledger.Fail), row.Key.String())
			}
		}
	},
	Entry("after 1 ms", time.Millisecond), Entry("after 10 ms", 10*time.Millisecond),
	Entry("after 30 ms", 30*time.Millisecond), Entry("after 100 ms", 100*time.Millisecond),
)
