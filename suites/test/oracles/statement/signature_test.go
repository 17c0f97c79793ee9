package statement_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	cryptorand "crypto/rand"
	"crypto/rsa"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	bundle "github.com/sigstore/protobuf-specs/gen/pb-go/bundle/v1"
	envelope "github.com/sigstore/protobuf-specs/gen/pb-go/dsse"
	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
	"github.com/sigstore/sigstore/pkg/signature/dsse"
	"google.golang.org/protobuf/encoding/protojson"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/suites/internal/command/verify"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/testkit"
)

const (
	inToto     = "application/vnd.in-toto+json"
	bundleFile = "statement.sigstore.json"
)

// newKey makes a key pair with the library that cosign uses: the private key, encrypted, and the public key, in PEM.
func newKey(kind string) (signature.Signer, []byte) {
	GinkgoHelper()
	password := func(bool) ([]byte, error) { return []byte("password"), nil }
	var private, public []byte
	var err error
	switch kind {
	case "ECDSA":
		private, public, err = cryptoutils.GeneratePEMEncodedECDSAKeyPair(elliptic.P256(), password)
	case "RSA":
		private, public, err = cryptoutils.GeneratePEMEncodedRSAKeyPair(2048, password)
	case "Ed25519":
		verifier, key, generated := ed25519.GenerateKey(cryptorand.Reader)
		Expect(generated).To(Succeed())
		public, private = testkit.Must(cryptoutils.MarshalPublicKeyToPEM(verifier)),
			testkit.Must(cryptoutils.MarshalPrivateKeyToPEM(key))
	}
	Expect(err).NotTo(HaveOccurred())
	key := testkit.Must(cryptoutils.UnmarshalPEMToPrivateKey(private, password))
	return testkit.Must(signature.LoadSigner(key, crypto.SHA256)), public
}

// writeBundle puts a Sigstore bundle into a folder: a payload in a DSSE envelope that the library has signed.
func writeBundle(dir string, key signature.Signer, payloadType string, payload []byte) {
	GinkgoHelper()
	signed := testkit.Must(dsse.WrapSigner(key, payloadType).SignMessage(bytes.NewReader(payload)))
	var e envelope.Envelope
	Expect(protojson.Unmarshal(signed, &e)).To(Succeed())
	testkit.Write(dir, bundleFile, testkit.Must(protojson.Marshal(&bundle.Bundle{
		MediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
		Content:   &bundle.Bundle_DsseEnvelope{DsseEnvelope: &e}})))
}

// verifyFolder is what verify says of a folder: its exit code, and what does not hold.
func verifyFolder(ctx context.Context, dir string, key []byte) (*verify.Result, error) {
	files, err := verify.Open(dir)
	if err != nil {
		return nil, err
	}
	return verify.Check(ctx, files, testkit.Suite(), key, verify.Policy{}, time.Now())
}

var _ = Describe("A certificate that is signed as cosign signs", func() {
	var dir string
	var statement []byte
	BeforeEach(func(ctx SpecContext) {
		target := testkit.Serve(kit.Reference(kit.Users(), fixtures.AccessToken))
		dir = testkit.ReportFolder(ctx, testkit.Settings(target, kit.Users()))
		statement = testkit.Read(dir, report.StatementFile)
	})

	It("names its signer, and nobody else", func(ctx SpecContext) {
		for _, kind := range []string{"ECDSA", "Ed25519", "RSA"} { // cosign makes the first
			By(kind)
			key, public := newKey(kind)
			_, another := newKey(kind)
			fails := func(key []byte) []string { return testkit.Must(verifyFolder(ctx, dir, key)).Fails }
			writeBundle(dir, key, inToto, statement)
			result := testkit.Must(verifyFolder(ctx, dir, public))
			Expect(result.Code()).To(Equal(0), result.String())
			Expect(result.String()).To(ContainSubstring("the owner of the key signed statement.json"))
			Expect(fails(another)).To(ConsistOf("signature"), "another key")
			Expect(fails(nil)).To(BeEmpty(), "nobody asked who signed")
			if kind != "ECDSA" {
				continue
			}
			writeBundle(dir, key, inToto, bytes.Replace(statement, []byte("PASSED"), []byte("WARNED"), 1))
			Expect(fails(public)).To(ConsistOf("signature"), "another statement")
			writeBundle(dir, key, "text/plain", statement)
			Expect(fails(public)).To(ConsistOf("signature"), "another type")
			testkit.Write(dir, bundleFile, []byte("{}"))
			Expect(fails(public)).To(ConsistOf("signature"), "no envelope")
			Expect(os.Remove(filepath.Join(dir, bundleFile))).To(Succeed())
			Expect(fails(public)).To(ConsistOf("signature"), "no signature")
			_, err := verifyFolder(ctx, dir, []byte("no key"))
			Expect(err).To(MatchError(ContainSubstring("--key")))
		}
	})

	It("does not hold after a change of any byte of any of its files", func(ctx SpecContext) {
		key, public := newKey("ECDSA")
		writeBundle(dir, key, inToto, statement)
		random := rand.New(rand.NewPCG(1, uint64(GinkgoRandomSeed())))
		changes := 0
		for _, entry := range testkit.Must(os.ReadDir(dir)) {
			original := testkit.Read(dir, entry.Name())
			for range 12 {
				at, changed := random.IntN(len(original)), bytes.Clone(original)
				changed[at] ^= byte(1 + random.IntN(255))
				if entry.Name() == bundleFile && !isProtected(original, at) {
					continue
				}
				testkit.Write(dir, entry.Name(), changed)
				changes++
				result, err := verifyFolder(ctx, dir, public)
				if err == nil {
					Expect(result.Code()).To(Equal(1), "byte %d of %s, %q for %q: %s", at, entry.Name(), changed[at],
						original[at], result)
				}
			}
			testkit.Write(dir, entry.Name(), original)
		}
		Expect(changes).To(BeNumerically(">=", 60))
		Expect(testkit.Must(verifyFolder(ctx, dir, public)).Code()).To(Equal(0))
	})

	It("names its signer with any digest that such keys are used with", func(ctx SpecContext) {
		for _, curve := range []elliptic.Curve{elliptic.P256(), elliptic.P384(), elliptic.P521()} {
			private := testkit.Must(ecdsa.GenerateKey(curve, cryptorand.Reader))
			public := testkit.Must(cryptoutils.MarshalPublicKeyToPEM(private.Public()))
			for _, hash := range []crypto.Hash{crypto.SHA256, crypto.SHA384, crypto.SHA512} {
				writeBundle(dir, testkit.Must(signature.LoadSigner(private, hash)), inToto, statement)
				Expect(testkit.Must(verifyFolder(ctx, dir, public)).Code()).To(Equal(0), "%s with %s",
					curve.Params().Name, hash)
			}
			writeBundle(dir, testkit.Must(signature.LoadSigner(private, crypto.SHA224)), inToto, statement)
			result := testkit.Must(verifyFolder(ctx, dir, public))
			Expect(result.Fails).To(ConsistOf("signature"))
			Expect(result.String()).To(ContainSubstring("is not by this key"))
			Expect(result.String()).To(ContainSubstring("or with a digest that is not supported"))
		}
	})

	It("is signed by conformance sign so that the library that cosign uses accepts it", func(ctx SpecContext) {
		_, edwards, err := ed25519.GenerateKey(cryptorand.Reader)
		Expect(err).NotTo(HaveOccurred())
		keys := map[string]crypto.Signer{"Ed25519": edwards, "RSA": testkit.Must(rsa.GenerateKey(cryptorand.Reader,
			2048))}
		for _, curve := range []elliptic.Curve{elliptic.P256(), elliptic.P384(), elliptic.P521()} {
			keys[curve.Params().Name] = testkit.Must(ecdsa.GenerateKey(curve, cryptorand.Reader))
		}
		for name, key := range keys {
			By(name)
			private := testkit.Must(cryptoutils.MarshalPrivateKeyToPEM(key))
			public := testkit.Must(cryptoutils.MarshalPublicKeyToPEM(key.Public()))
			files := testkit.Must(verify.Open(dir))
			text := testkit.Must(verify.Sign(files, private))
			var made bundle.Bundle
			Expect(protojson.Unmarshal(text, &made)).To(Succeed())
			Expect(made.GetVerificationMaterial().GetPublicKey().GetHint()).NotTo(BeEmpty())
			verifier := testkit.Must(signature.LoadDefaultVerifier(key.Public()))
			signed := testkit.Must(protojson.Marshal(made.GetDsseEnvelope()))
			Expect(dsse.WrapVerifier(verifier).VerifySignature(bytes.NewReader(signed), nil)).To(Succeed())
			Expect(made.GetDsseEnvelope().GetPayload()).To(Equal(statement))
			testkit.Write(dir, bundleFile, text)
			Expect(testkit.Must(verifyFolder(ctx, dir, public)).Code()).To(Equal(0))
		}
		for _, refused := range []string{"no key",
			"-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
			"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"} {
			_, err := verify.Sign(testkit.Must(verify.Open(dir)), []byte(refused))
			Expect(err).To(MatchError(And(ContainSubstring("--key"), Not(ContainSubstring("AAAA")))))
		}
		testkit.Write(dir, report.SummaryFile, []byte("changed"))
		private := testkit.Must(cryptoutils.MarshalPrivateKeyToPEM(keys["P-256"]))
		_, err = verify.Sign(testkit.Must(verify.Open(dir)), private)
		Expect(err).To(MatchError(ContainSubstring("the folder was not signed: changed since the statement was made")))
	})
})

// isProtected reports whether a byte of a Sigstore bundle is of the payload or the signature. The last character of a
// base64 text may have bits without meaning.
func isProtected(bundle []byte, at int) bool {
	for _, name := range []string{`"payload":`, `"sig":`} {
		begin := bytes.Index(bundle, []byte(name)) + len(name)
		begin += bytes.IndexByte(bundle[begin:], '"') + 1
		end := begin + bytes.IndexByte(bundle[begin:], '"')
		if at >= begin && at < end-4 {
			return true
		}
	}
	return false
}
