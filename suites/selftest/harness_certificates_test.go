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
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// writeCertificates makes a private CA (ca.pem) and a certificate signed by it (server.pem, server.key) in a folder.
func writeCertificates(folder string) {
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
	writePEM(folder, "ca.pem", "CERTIFICATE", certificate)

	server, serverKey := template(2, "front"), newKey()
	server.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	server.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	certificate, err = x509.CreateCertificate(rand.Reader, server, authority, serverKey.Public(), authorityKey)
	Expect(err).NotTo(HaveOccurred())
	writePEM(folder, "server.pem", "CERTIFICATE", certificate)
	key, err := x509.MarshalPKCS8PrivateKey(serverKey)
	Expect(err).NotTo(HaveOccurred())
	writePEM(folder, "server.key", "PRIVATE KEY", key)
}

// writePEM writes one PEM block into a file.
func writePEM(folder, name, kind string, content []byte) {
	writeFile(folder, name, string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content})))
}
