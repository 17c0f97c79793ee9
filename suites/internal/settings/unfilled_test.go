package settings_test

import (
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"strings"

	"authenticator-conformance/suites/internal/settings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Settings are refused", func() {
	DescribeTable("if a secret, an application id or a URL was never filled in, as by", func(placeholder string) {
		const says = " is a placeholder that was never filled in"
		_, err := resolveDeployed("--application-id", placeholder)
		expectFault(err, "--application-id: the identifier"+says)
		_, err = resolveDeployed("--access-token-file", writeFile("token", placeholder+"\n"))
		expectFault(err, "--access-token-file: the token"+says)
		config := writeFile("c.yaml", "target: {headers: {X-Key: {env: KEY}}}")
		_, err = resolveRun([]string{"KEY=" + placeholder, "AUTHN_ACCESS_TOKEN=" + placeholder}, "--config", config)
		expectFault(err, "AUTHN_ACCESS_TOKEN: the token"+says, "c.yaml:1: header X-Key: its value"+says)
		_, err = resolveDeployed("--target-url-v6", placeholder)
		expectFault(err, "--target-url-v6:"+says)
	},
		Entry(nil, "$(TOKEN)"), Entry(nil, "${TOKEN}"), Entry(nil, "${{ secrets.TOKEN }}"), Entry(nil, "{{ token }}"),
		Entry(nil, "#{Token}#"), Entry(nil, "%TOKEN%"), Entry(nil, "%env.TOKEN%"), Entry(nil, "<token>"),
		Entry(nil, "__TOKEN__"), Entry(nil, "$TOKEN"), Entry(nil, "null"), Entry(nil, "None"), Entry(nil, "undefined"),
		Entry(nil, "*"), Entry(nil, "***"), Entry(nil, "xxxxxxxx"), Entry(nil, "[MASKED]"), Entry(nil, "[redacted]"),
		Entry(nil, "op://vault/item/field"), Entry(nil, "vault:secret/data/am#token"), Entry(nil, "ref+vault://am#/t"),
		Entry(nil, "@Microsoft.KeyVault(SecretUri=https://x.example/)"),
		Entry(nil, "arn:aws:secretsmanager:eu-1:1:secret:am"), Entry(nil, "projects/1/secrets/am/versions/latest"),
		Entry(nil, "…"), Entry(nil, "changeme"), Entry(nil, "your-token-here"), Entry(nil, "YOUR_ACCESS_TOKEN"),
		Entry(nil, "$env:TOKEN"), Entry(nil, "@TOKEN@"), Entry(nil, "@@TOKEN@@"), Entry(nil, "%env(TOKEN)%"),
		Entry(nil, "%!s(MISSING)"), Entry(nil, "[FILTERED]"), Entry(nil, "(null)"), Entry(nil, "[object Object]"),
		Entry(nil, "System.Security.SecureString"), Entry(nil, "System.String[]"), Entry(nil, "secrets.TOKEN"),
		Entry(nil, "env.TOKEN"), Entry(nil, "process.env.TOKEN"), Entry(nil, "ENC(q7Zt2mVx9RkL)"),
		Entry(nil, "ENC[AES256_GCM,data:q7Zt]"), Entry(nil, "!Ref Token"), Entry(nil, "!vault |"),
		Entry(nil, "file:///run/secrets/token"), Entry(nil, "$ANSIBLE_VAULT;1.1;AES256"),
	)

	DescribeTable("if a token or an application id is none, but", func(says string, list ...string) {
		for _, text := range list {
			Expect(settings.TokenFault(text)).To(MatchError("the token "+says), text)
			Expect(settings.IdentifierFault(text)).To(MatchError("the identifier "+says), text)
		}
	},
		Entry("a word for no value", "is a placeholder that was never filled in: give the value itself", "-", "--", "?",
			"n/a", "N/A", "NaN", "true", "False", "unset", "TBD", "REDACTED", "placeholder", "secret", "****-****"),
		Entry("a line of settings or of a header", "begins with the name of a setting or header: give what follows it",
			"AUTHN_ACCESS_TOKEN=q7Zt2mVx", "AUTHN_ACCESS_TOKEN_V5=q7Zt2mVx", "access_token=q7Zt2mVx&expires_in=60",
			"export TOKEN=q7Zt2mVx", `$env:TOKEN = "q7Zt2mVx"`, "--application-id=q7Zt", "client_id: q7Zt",
			"Authorization: Bearer q7Zt2mVx", "X-Api-Key: q7Zt2mVx"),
		Entry("the name of a file", "is the name of a file: give what is in the file", "/run/secrets/token",
			"/var/run/secrets/kubernetes.io/serviceaccount/token", `C:\Users\me\token.txt`),
		Entry("a page", "is an HTML page, such as that of a login: expected it alone, on one line",
			"<!DOCTYPE html><title>Log in</title>", "<html><body>Log in</body></html>", "<html lang=en>\n</html>"),
		Entry("a key", "is a key or certificate (PEM): expected it alone, on one line", "-----BEGIN PRIVATE KEY-----",
			"-----BEGIN CERTIFICATE-----\nMIIB\n"),
	)

	It("if a token is a header with another scheme", func() {
		for _, text := range []string{"Basic dXNlcjpwYXNzd29yZA==", "token q7Zt2mVx"} {
			scheme, _, _ := strings.Cut(text, " ")
			Expect(settings.TokenFault(text)).To(MatchError(
				`the token begins with "` + scheme + ` ", as a header does: give a token alone`))
		}
	})

	It("but no token that a server may issue", func() {
		random := rand.New(rand.NewChaCha8([32]byte{}))
		bytes := func() []byte {
			text := make([]byte, 16+random.IntN(200))
			for i := range text {
				text[i] = byte(random.Uint32())
			}
			return text
		}
		ofCharacters := func(set string) string {
			text := bytes()
			for i := range text {
				text[i] = set[int(text[i])%len(set)]
			}
			return string(text)
		}
		const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
		part := base64.RawURLEncoding.EncodeToString
		for range 500 {
			id := hex.EncodeToString(bytes()[:16])
			for _, token := range []string{
				base64.StdEncoding.EncodeToString(bytes()), base64.URLEncoding.EncodeToString(bytes()),
				base64.RawStdEncoding.EncodeToString(bytes()), part(bytes()), hex.EncodeToString(bytes()),
				strings.ToUpper(hex.EncodeToString(bytes())),
				part([]byte(`{"alg":"RS256"}`)) + "." + part(bytes()) + "." + part(bytes()),
				id[:8] + "-" + id[8:12] + "-" + id[12:16] + "-" + id[16:20] + "-" + id[20:],
				ofCharacters(letters+"-._~+/") + strings.Repeat("=", random.IntN(3)), // token68 of RFC 9110
				"v2.local." + part(bytes()), "ghp_" + ofCharacters(letters), "glpat-" + ofCharacters(letters+"-_"),
				"AQIC5w" + ofCharacters(letters) + "*AAJTSQACMDE.*",
				"token-" + part(bytes()), "secret." + part(bytes()),
				base64.StdEncoding.EncodeToString(bytes()[:16]) + "." + base64.StdEncoding.EncodeToString(bytes()),
			} {
				Expect(settings.TokenFault(token)).To(Succeed(), token)
				Expect(settings.IdentifierFault(token)).To(Succeed(), token)
			}
		}
	})

	DescribeTable("but no value of a header that only a token can't have:", func(value string) {
		config := writeFile("c.yaml", "target: {headers: {X-Key: '"+value+"'}}")
		_, err := resolveDeployed("--config", config)
		Expect(err).NotTo(HaveOccurred())
	},
		Entry(nil, "true"), Entry(nil, "-"), Entry(nil, "access_token=q7Zt2mVx"), Entry(nil, "/run/secrets/token"),
		Entry(nil, "Basic dXNlcjpwYXNzd29yZA=="), Entry(nil, "hidden"),
	)

	DescribeTable("if a part of a URL was never filled in, as in", func(url string) {
		_, err := resolveDeployed("--target-url-v6", url)
		expectFault(err, "--target-url-v6: is a placeholder that was never filled in")
	},
		Entry(nil, "https://<host>/am"), Entry(nil, "https://$(HOST)/am"), Entry(nil, "https://{host}/am"),
		Entry(nil, "https://%HOST%/am"), Entry(nil, "https://x.example/${PREFIX}"), Entry(nil,
			"https://{{ .Host }}:443"),
	)

	DescribeTable("but not a value that only looks a little like that:", func(value string) {
		_, err := resolveDeployed("--application-id", value)
		Expect(err).NotTo(HaveOccurred())
	},
		Entry(nil, "nullable"), Entry(nil, "x"), Entry(nil, "my-app-id"), Entry(nil, "p$ss"), Entry(nil, "a<b>c"),
		Entry(nil, "vault"), Entry(nil, "100%"), Entry(nil, "module.auth"), Entry(nil, "env.prod"),
		Entry(nil, "https://apps.example.com/iam"), Entry(nil, "api://0f6a2f4e"), Entry(nil, "Portal(Prod)"),
		Entry(nil, "System.Billing"), Entry(nil, "urn:token:iam"), Entry(nil, "日本語"), Entry(nil, "Basic Portal"),
	)
})
