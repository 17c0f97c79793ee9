package settings_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// selfSigned makes a certificate and its key, both PEM.
func selfSigned() (certificate, key string) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	Expect(err).NotTo(HaveOccurred())
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	Expect(err).NotTo(HaveOccurred())
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	Expect(err).NotTo(HaveOccurred())
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}))
}

// parseCertificate parses a certificate that a pool should trust.
func parseCertificate(certificate string) *x509.Certificate {
	block, _ := pem.Decode([]byte(certificate))
	parsed, err := x509.ParseCertificate(block.Bytes)
	Expect(err).NotTo(HaveOccurred())
	return parsed
}

var _ = Describe("TLS settings", func() {
	It("trusts every certificate of the CA file beside the system's", func() {
		first, key := selfSigned()
		second, _ := selfSigned()
		for _, content := range []string{first + second, "\ufeff" + first + "\n# the next\n" + second,
			strings.ReplaceAll(first+second, "\n", "\r\n"), key + first + second} {
			s, err := resolveRemote(nil, "--target-url", "https://auth.example", "--ca",
				filepath.Join(writeFiles("ca.pem", content), "ca.pem"))
			Expect(err).NotTo(HaveOccurred())
			for _, certificate := range []string{first, second} {
				_, err = parseCertificate(certificate).Verify(x509.VerifyOptions{Roots: s.CA})
				Expect(err).NotTo(HaveOccurred())
			}
		}
	})

	It("refuses a CA file that is no such thing", func() {
		good, key := selfSigned()
		damaged := strings.Replace(good, "\nMII", "\n!!!", 1)
		wrong := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("no certificate")}))
		for content, part := range map[string]string{
			"":                                     "has no certificate: expected at least one in PEM form",
			"no PEM":                               "has no certificate",
			key:                                    "has no certificate",
			good + damaged:                         "1 of 2 certificates are damaged",
			good + wrong:                           "certificate 2 is damaged",
			good + good[:len(good)/2]:              "1 of 2 certificates are damaged",
			strings.ReplaceAll(good, "-END ", "-"): "1 of 1 certificates are damaged",
		} {
			path := filepath.Join(writeFiles("ca.pem", content), "ca.pem")
			_, err := resolveRemote(nil, "--target-url", "https://auth.example", "--ca", path)
			expectFault(err, "--ca: "+path+": ", part)
		}
		_, err := resolveRemote([]string{"AUTHN_CA=no-such.pem"}, "--target-url", "https://auth.example")
		expectFault(err, "AUTHN_CA: no-such.pem: cannot be read: no such file")
	})

	It("reads a client certificate with its key, whose lines become secrets", func() {
		certificate, key := selfSigned()
		folder := writeFiles("cert.pem", "\ufeff"+certificate, "key.pem", strings.ReplaceAll(key, "\n", "\r\n"))
		s, err := resolveRemote([]string{"AUTHN_CLIENT_KEY=" + folder + "/key.pem"}, "--target-url",
			"https://auth.example",
			"--client-cert", folder+"/cert.pem")
		Expect(err).NotTo(HaveOccurred())
		Expect(s.ClientCertificate.Certificate).To(HaveLen(1))
		body := strings.Split(strings.TrimSpace(key), "\n")
		body = body[1 : len(body)-1]
		Expect(s.Secrets).To(ContainElements(body))
		for _, secret := range s.Secrets {
			Expect(secret).NotTo(ContainSubstring("-----"))
		}
		Expect(effectiveSetting(s, "client key").Value).To(Equal(folder + "/key.pem"))
	})

	It("keeps a certificate that shares the key's file out of the secrets", func() {
		certificate, key := selfSigned()
		both := filepath.Join(writeFiles("both.pem", key+certificate), "both.pem")
		s, err := resolveRemote(nil, "--target-url", "https://auth.example", "--client-cert", both, "--client-key",
			both)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Secrets).NotTo(ContainElement(strings.Split(certificate, "\n")[1]))
		Expect(s.Secrets).To(ContainElement(strings.Split(key, "\n")[1]))
	})
})
