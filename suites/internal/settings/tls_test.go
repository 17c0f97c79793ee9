package settings_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"strings"
	"time"

	testkit "authenticator-conformance/suites/internal/testkit/light"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// selfSigned makes a certificate and its key, both PEM.
func selfSigned() (certificate, key string) {
	GinkgoHelper()
	private := testkit.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der := testkit.Must(x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private))
	keyDER := testkit.Must(x509.MarshalPKCS8PrivateKey(private))
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}))
}

var _ = Describe("TLS settings", func() {
	It("trust every certificate of the CA file beside the system's", func() {
		first, key := selfSigned()
		second, _ := selfSigned()
		for _, content := range []string{first + second, "\ufeff" + first + "\n# the next\n" + second,
			strings.ReplaceAll(first+second, "\n", "\r\n"), key + first + second} {
			path := writeFile("ca.pem", content)
			s := testkit.Must(resolveDeployed("--ca", path))
			Expect(s.Targets["v5"].CAFile).To(Equal(path))
			for _, certificate := range []string{first, second} {
				block, _ := pem.Decode([]byte(certificate))
				certificate := testkit.Must(x509.ParseCertificate(block.Bytes))
				_, err := certificate.Verify(x509.VerifyOptions{Roots: s.Targets["v6"].CA})
				Expect(err).NotTo(HaveOccurred())
			}
		}
	})

	It("refuse a CA file that is no such thing", func() {
		good, key := selfSigned()
		wrong := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("no certificate")}))
		for content, part := range map[string]string{
			"":  "has no certificate: expected at least one in PEM form",
			key: "has no certificate",
			good + strings.Replace(good, "\nMII", "\n!!!", 1): "1 of 2 certificates are damaged",
			good + wrong:                           "certificate 2 is damaged",
			good + good[:len(good)/2]:              "1 of 2 certificates are damaged",
			strings.ReplaceAll(good, "-END ", "-"): "1 of 1 certificates are damaged",
		} {
			path := writeFile("ca.pem", content)
			_, err := resolveDeployed("--ca", path)
			expectFault(err, "--ca: "+path+": ", part)
		}
	})

	It("take a client certificate with its key, of which only the lines are secret", func() {
		certificate, key := selfSigned()
		body := strings.Split(strings.TrimSpace(key), "\n")
		body = body[1 : len(body)-1]
		for _, files := range [][]string{
			{"cert.pem", "\ufeff" + certificate, "key.pem", strings.ReplaceAll(key, "\n", "\r\n")},
			{"cert.pem", key + certificate, "key.pem", key + certificate},
		} {
			folder := writeFiles(files...)
			s := testkit.Must(resolveDeployed("--client-cert", folder+"/cert.pem", "--client-key", folder+"/key.pem"))
			Expect(s.Targets["v5"].ClientCertificate.Certificate).To(HaveLen(1))
			Expect([]string{s.Targets["v6"].ClientCertFile, s.Targets["v6"].ClientKeyFile}).To(
				Equal([]string{folder + "/cert.pem", folder + "/key.pem"}))
			Expect(s.Secrets).To(ConsistOf(append([]string{token}, body...)))
			Expect(describeSettings(s, testkit.Must(resolveRun(nil)))).To(
				ContainSubstring("client key: " + folder + "/key.pem (flag --client-key)\n"))
		}
	})
})

var _ = Describe("A proxy", func() {
	It("of the environment is that of the URL's scheme, and its credentials are not part of its text", func() {
		users := writeFile("users.csv", "id,userId\n"+firstID+",u\n")
		s := testkit.Must(resolveRun(append(variablesOf("token", "application"), "AUTHN_USERS="+users,
			"AUTHN_TARGET_URL_V5=http://access.example", "AUTHN_TARGET_URL_V6=https://access.example",
			"HTTPS_PROXY=http://user:open%2Dsesame@proxy.example")))
		Expect(s.Targets["v5"].Proxy).To(BeNil())
		Expect(s.Targets["v6"].Proxy.String()).To(Equal("http://proxy.example (HTTPS_PROXY)"))
		Expect(s.Targets["v6"].Proxy.URL.User.Username()).To(Equal("user"))
	})
})
