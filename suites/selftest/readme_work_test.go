package selftest_test

import (
	"crypto/tls"
	"encoding/csv"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
)

// startTLS serves a handler over HTTPS, with the certificate of writeCertificates.
func startTLS(folder string, handler http.Handler) *httptest.Server {
	GinkgoHelper()
	certificate, err := tls.LoadX509KeyPair(filepath.Join(folder, "server.pem"), filepath.Join(folder, "server.key"))
	Expect(err).NotTo(HaveOccurred())
	server := httptest.NewUnstartedServer(handler)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	server.StartTLS()
	return server
}

// Two jobs, done with the README's files and commands only.
var _ = Describe("With the README alone", func() {
	It("a service with a private CA is judged with waivers", func() {
		folder := newFolder()
		writeCertificates(folder)
		Expect(os.Rename(filepath.Join(folder, "ca.pem"), filepath.Join(folder, "private-ca.pem"))).To(Succeed())
		writeFile(folder, "token.txt", fixtures.AccessToken+"\n")
		writeFile(folder, "signature.txt", "signature-of-the-readme\n")
		readmeFile(folder, "users.yaml")

		device := regexp.MustCompile(`"Device":\{[^}]*\}`)
		time := regexp.MustCompile(`("ExpirationDate":"[0-9-]+)T[^"]*"`)
		server := startTLS(folder, rewriteBodies(referenceFor(kit.Users()), func(path, body string) string {
			body = device.ReplaceAllString(body, `"Device":null`)
			if !isV6(path) {
				body = time.ReplaceAllString(body, `$1"`)
			}
			return body
		}))
		defer server.Close()
		config, err := os.ReadFile(readmeFile(folder, "conformance.yaml"))
		Expect(err).NotTo(HaveOccurred())
		here := strings.NewReplacer("https://access.example.com/8.2", server.URL, "https://access.example.com/9.2",
			server.URL, "applicationId: conformance", "applicationId: "+fixtures.ApplicationID)
		writeFile(folder, "conformance.yaml", here.Replace(string(config)))

		r := command{args: []string{"run", "--config", "conformance.yaml"}, folder: folder,
			env: []string{"GATEWAY_KEY=key-of-the-readme"}}.run()
		Expect(r.exitCode).To(Equal(0), "%s", r)
		Expect(r.stdout).To(And(ContainSubstring("WAIVED 2.1/ExpirationDate v5: fail until 2027-06-30"),
			ContainSubstring("verdict: pass (certifies nothing: 20 checks waived (until 2027-06-30))")))
	})

	It("a sweep lists the users for whom v5 and v6 differ, and in which field", func() {
		users := generatePeople(20, func(int) bool { return true })
		locked := []string{users[3].UserID, users[11].UserID}
		server := startTarget(rewriteBodies(referenceFor(users), func(path, body string) string {
			for _, userID := range locked {
				if isV6(path) && strings.Contains(body, `"`+userID+`"`) {
					body = strings.ReplaceAll(body, `"IsLocked":false`, `"IsLocked":true`)
				}
			}
			return body
		}))
		defer server.Close()
		folder := newFolder()
		writeFile(folder, "everybody.csv.gz", string(kit.Gzip([]byte(users.csv()))))
		sweeps := slices.DeleteFunc(readmeCommands(readmeText), func(c []string) bool { return c[0] != "sweep" })
		args := strings.Split(strings.Replace(strings.Join(sweeps[0], " "), "https://access.example.com", server.URL,
			1), " ")
		window := slices.Index(args, "--window")
		args = slices.Delete(args, window, window+2) // the current time may be outside it

		r := command{args: args, folder: folder, env: credentialsOfReference()}.run()
		Expect(r.exitCode).To(Equal(1), "%s", r)
		file, err := os.Open(filepath.Join(folder, "conformance-report", "differences.csv"))
		Expect(err).NotTo(HaveOccurred())
		defer file.Close()
		rows, err := csv.NewReader(file).ReadAll()
		Expect(err).NotTo(HaveOccurred())
		found := map[string]int{}
		for _, row := range rows[1:] {
			line := strings.Join(row, " ")
			Expect(line).To(ContainSubstring("/IsLocked"))
			for _, userID := range locked {
				if slices.Contains(row, userID) {
					found[userID]++
				}
			}
		}
		Expect(found).To(HaveLen(2))
		Expect(rows).To(HaveLen(1 + 2))
	})
})
