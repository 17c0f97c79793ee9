//go:build unix

package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/settings/users"
	testkit "authenticator-conformance/suites/internal/testkit/light"
)

// namedPipe is a named pipe in a folder of its own that gives a text once.
func namedPipe(name, content string) string {
	GinkgoHelper()
	path := filepath.Join(GinkgoT().TempDir(), name)
	Expect(syscall.Mkfifo(path, 0o600)).To(Succeed())
	go func() { _ = os.WriteFile(path, []byte(content), 0o600) }()
	return path
}

var _ = Describe("A file of settings", func() {
	It("may be a pipe, which is read once", func() {
		args := []string{"--config", namedPipe("c.yaml", "reportDir: out\nrate: 5\n"), "--application-id", "app",
			"--access-token-file", namedPipe("token", token+"\n"), "--target-url", "http://localhost:1", "--users",
			namedPipe("u.csv", "id,userId\n"+firstID+",x\n")}
		in := settings.Read(settings.Run, nil, args, nil)
		Expect(in.ReportDir()).To(Equal("out"), "as from the working folder")
		s := testkit.Must(in.Resolve(referenceDefaults(), testkit.Contract(), noonOfToday()))
		Expect([]any{s.ReportDir, s.Rate, s.Targets["v5"].AccessToken, len(s.Users)}).To(Equal([]any{"out", 5.0, token,
			1}))
	})

	It("with the token is not read again if it is a pipe, which would block", func() {
		pipe := namedPipe("token", token+"\n")
		s, err := resolveDeployed("--access-token-file", pipe)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Cautions).To(ContainElement(HavePrefix("--access-token-file: names a pipe, which is read once")))
		Expect(s.Targets["v5"].AccessToken).To(Equal(token))
		_, read := s.Targets["v5"].ReadToken()
		Expect(read).To(BeFalse())
	})

	It("with the token is not read for a plan if it is a pipe", func() {
		pipe := filepath.Join(GinkgoT().TempDir(), "token") // that nobody writes to
		Expect(syscall.Mkfifo(pipe, 0o600)).To(Succeed())
		Expect(resolveFor(settings.Plan, nil, "--access-token-file", pipe, "--target-url", "http://localhost:1",
			"--users", writeFile("u.csv", "id,userId\n"+firstID+",x\n"))).NotTo(BeNil())
	})

	It("that is a pipe is not waited for when secrets are needed at once, and those of other files are known", func() {
		pipe := filepath.Join(GinkgoT().TempDir(), "c.yaml") // that nobody writes to
		Expect(syscall.Mkfifo(pipe, 0o600)).To(Succeed())
		args := []string{"--config", pipe, "--client-key", pipe, "--access-token-file", writeFile("token", token+"\n")}
		Expect(settings.Read(settings.Run, nil, args, nil).SecretsAtOnce()).To(Equal([]string{token}))
	})

	DescribeTable("must be no device:", func(args ...string) {
		_, err := resolveRun(nil, args...)
		expectFault(err, args[0], "it is a device: use a file or a pipe")
	},
		Entry(nil, "--config", "/dev/zero"), Entry(nil, "--access-token-file", "/dev/zero"),
		Entry(nil, "--ca", "/dev/zero"), Entry(nil, "--client-cert", "/dev/zero", "--client-key", "/dev/zero"),
	)

	It("of users must be no device either", func() {
		path := filepath.Join(GinkgoT().TempDir(), "u.csv")
		Expect(os.Symlink("/dev/zero", path)).To(Succeed())
		_, _, err := users.ReadAll(path, testkit.Contract(), false)
		expectFault(err, path, "it is a device")
	})

	It("with the token has at most 64 KiB, and is not searched for if it has more", func() {
		path := writeFile("token", strings.Repeat("0123456789abcde\n", 4<<20))
		_, err := resolveRun(nil, "--access-token-file", path)
		expectFault(err, "--access-token-file", "the token is longer than 64 KiB")
		args := []string{"--access-token-file", path}
		Expect(settings.Read(settings.Run, nil, args, nil).Secrets()).To(ConsistOf(HaveLen(64 << 10)))
	})

	It("has at most 64 MiB", func() {
		path := writeFile("file", "")
		Expect(os.Truncate(path, 5<<30)).To(Succeed(), "it takes no place")
		_, err := resolveRun(nil, "--config", path)
		expectFault(err, "--config", "64 MiB")
	})
})
