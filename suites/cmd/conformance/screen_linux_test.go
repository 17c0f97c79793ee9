package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
	"unsafe"

	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/testkit"
)

// screenOf executes a command on a terminal of so many columns, without colours, and returns what it prints there.
func screenOf(g *WithT, columns uint16, environ []string, args ...string) (code int, shown string) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	g.Expect(err).NotTo(HaveOccurred())
	defer master.Close()
	control := func(request uintptr, value unsafe.Pointer) {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(value))
		g.Expect(errno).To(BeZero())
	}
	var number, locked uint32
	control(syscall.TIOCGPTN, unsafe.Pointer(&number))
	control(syscall.TIOCSPTLCK, unsafe.Pointer(&locked))
	control(syscall.TIOCSWINSZ, unsafe.Pointer(&[4]uint16{1: columns}))
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	g.Expect(err).NotTo(HaveOccurred())
	var printed bytes.Buffer
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(&printed, master) // it ends with an error, when the other end is closed
		close(ended)
	}()
	code = callProgram(args, environ, slave, io.Discard)
	g.Expect(slave.Close()).To(Succeed())
	<-ended
	return code, strings.ReplaceAll(printed.String(), "\r\n", "\n")
}

// TestThreeBugsFitOnOneScreen runs against a service with three bugs, on a terminal of 80 columns.
func TestThreeBugsFitOnOneScreen(t *testing.T) {
	const columns, lines = 80, 60
	golden, err := filepath.Abs(filepath.Join("testdata", "three-bugs.txt"))
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	RegisterTestingT(t)
	t.Chdir(t.TempDir())
	t.Setenv("NO_COLOR", "1")
	service := testkit.Changing(kit.Reference(kit.Users(), fixtures.AccessToken),
		func(v schemas.Version, record map[string]any) {
			if record["Flags"] = "1"; v == schemas.V5 {
				return
			}
			if created, is := record["CreatedOn"].(string); is {
				record["CreatedOn"] = strings.TrimSuffix(created, "Z")
			}
			if record["Description"] != nil {
				record["Description"] = "Another one"
			}
		})
	server := httptest.NewServer(service)
	defer server.Close()
	g.Expect(os.WriteFile("users.ndjson", testkit.UsersNDJSON(), 0o600)).To(Succeed())
	code, shown := screenOf(g, columns, []string{"AUTHN_USERS=users.ndjson",
		"AUTHN_ACCESS_TOKEN=" + fixtures.AccessToken,
		"AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}, "run", "--target-url", server.URL)
	g.Expect(code).To(Equal(exitFail), shown)
	rows := 0
	for line := range strings.Lines(shown) {
		rows += max(1, (utf8.RuneCountInString(line)+columns-2)/columns) // without its line break
	}
	g.Expect(rows).To(BeNumerically("<=", lines), shown)
	shown = strings.ReplaceAll(shown, server.URL, "http://target")
	for what, is := range map[string]string{
		`sha256:\w+|contract \w{8}|settings \w{8}|run \w{26}`: "…", `\d+\.\d s`: "0.1 s"} {
		shown = regexp.MustCompile(what).ReplaceAllString(shown, is)
	}
	testkit.ExpectGolden(golden, shown)
}
