package selftest_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// writeCertificates makes a private CA (ca.pem) and, signed by it, the front's certificate (server.pem, server.key).
func (f front) writeCertificates() {
	GinkgoHelper()
	now := time.Now()
	template := func(number int64, name string) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(number),
			Subject:      pkix.Name{CommonName: name},
			NotBefore:    now.Add(-time.Hour),
			NotAfter:     now.Add(24 * time.Hour),
		}
	}
	newKey := func() *ecdsa.PrivateKey {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		Expect(err).NotTo(HaveOccurred())
		return key
	}

	authority, authorityKey := template(1, "private CA of the front"), newKey()
	authority.IsCA, authority.BasicConstraintsValid, authority.KeyUsage = true, true, x509.KeyUsageCertSign
	certificate, err := x509.CreateCertificate(rand.Reader, authority, authority, authorityKey.Public(), authorityKey)
	Expect(err).NotTo(HaveOccurred())
	f.writePEM("ca.pem", "CERTIFICATE", certificate)

	server, serverKey := template(2, "front"), newKey()
	server.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	server.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	certificate, err = x509.CreateCertificate(rand.Reader, server, authority, serverKey.Public(), authorityKey)
	Expect(err).NotTo(HaveOccurred())
	f.writePEM("server.pem", "CERTIFICATE", certificate)
	key, err := x509.MarshalPKCS8PrivateKey(serverKey)
	Expect(err).NotTo(HaveOccurred())
	f.writePEM("server.key", "PRIVATE KEY", key)
}

func (f front) writePEM(name, kind string, content []byte) {
	GinkgoHelper()
	text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content})
	Expect(os.WriteFile(f.file(name), text, 0o600)).To(Succeed())
}
