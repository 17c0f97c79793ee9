package selftest_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	cryptorand "crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/suites/internal/testkit"
)

// writeKeys writes a key pair (key.pem, public.pem), as openssl does.
func writeKeys(folder string) {
	GinkgoHelper()
	key := testkit.Must(ecdsa.GenerateKey(elliptic.P384(), cryptorand.Reader))
	for name, block := range map[string]*pem.Block{
		"key.pem":    {Type: "EC PRIVATE KEY", Bytes: testkit.Must(x509.MarshalECPrivateKey(key))},
		"public.pem": {Type: "PUBLIC KEY", Bytes: testkit.Must(x509.MarshalPKIXPublicKey(key.Public()))},
	} {
		writeFile(folder, name, string(pem.EncodeToMemory(block)))
	}
}

var _ = Describe("A signed certificate", func() {
	// certified returns calls in a folder with a certificate, and one that verifies it.
	certified := func(folder string) (others []command, verifies func()) {
		GinkgoHelper()
		t := startTarget(delayAnswers(referenceFor(kit.Users()), answerDelay))
		writeKeys(folder)
		in := func(args ...string) command {
			c := certifyTarget(t.url)
			if args[0] != "run" && args[0] != "sweep" {
				c.args = nil
			} else {
				c.args = c.args[1:]
			}
			c.folder, c.args = folder, append(append([]string{args[0]}, c.args...), args[1:]...)
			return c
		}
		sweep := func(args ...string) command {
			c := in(append([]string{"sweep"}, args...)...)
			c.args[4] = usersNDJSON()
			return c
		}
		for _, c := range []command{in("run"), in("sign", defaultReports, "--key", "key.pem"),
			sweep("--shard", "1/1", "--report-dir", "shards/1")} {
			Expect(c.runToEnd().exitCode).To(Equal(0))
		}
		verify := in("verify", defaultReports, "--key", "public.pem", "--versions", "v5,v6", "--users-at-least", "11")
		verifies = func() {
			GinkgoHelper()
			r := verify.runToEnd()
			Expect(r.exitCode).To(Equal(0), "%s", r)
		}
		verifies()
		evidence := filepath.Join(defaultReports, "evidence.har")
		return []command{in("run"), sweep("--restart"), in("judge", evidence), in("merge", "shards"),
			sweep("--report-dir", defaultReports), in("judge", evidence, "--report-dir", defaultReports),
			in("merge", "shards", "--report-dir", defaultReports), in("run", "--report-dir", defaultReports)}, verifies
	}

	It("still verifies whatever other commands in its folder are killed, at any moment", func() {
		others, verifies := certified(newFolder())
		for i := range 24 {
			c := others[i%len(others)]
			ended := make(chan struct{})
			c.onStart = func(p process) {
				go func() {
					select {
					case <-time.After(time.Duration(rand.IntN(300)) * time.Millisecond):
						_ = p.Signal(syscall.SIGKILL)
					case <-ended:
					}
				}()
			}
			c.runUnchecked()
			close(ended)
			verifies()
		}
		for _, c := range others {
			c.runToEnd()
			verifies()
		}
	})

	It("still verifies if the disk is full", func() {
		folder := filepath.Join(testkit.Disk(8192), "work")
		mustSucceed(os.Mkdir(folder, 0o755))
		others, verifies := certified(folder)
		for left := range 4 {
			testkit.Fill(filepath.Dir(folder), left*left*20)
			for _, c := range others {
				c.runUnchecked()
			}
			testkit.Empty(filepath.Dir(folder))
			verifies()
		}
	})
})
