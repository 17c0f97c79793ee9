//go:build unix

package input_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/settings/input"
	testkit "authenticator-conformance/suites/internal/testkit/light"
)

var _ = Describe("A file that is a pipe", func() {
	const patience = 300 * time.Millisecond
	// readPipe reads a pipe. write is the program at its other end.
	readPipe := func(write func(path string)) ([]byte, error) {
		before := input.SetPatience(patience)
		DeferCleanup(func() { input.SetPatience(before) })
		path := filepath.Join(GinkgoT().TempDir(), "pipe")
		Expect(syscall.Mkfifo(path, 0o600)).To(Succeed())
		go write(path)
		return input.ReadFile(path)
	}
	// sending opens the other end, sends texts with a pause before each, and ends after the last.
	sending := func(pause time.Duration, texts ...string) func(string) {
		return func(path string) {
			file, err := os.OpenFile(path, os.O_WRONLY, 0)
			for _, text := range texts {
				if time.Sleep(pause); err == nil {
					_, err = file.WriteString(text)
				}
			}
			_ = file.Close()
		}
	}

	DescribeTable("is an error if nothing comes from it for some time:", func(write func(string)) {
		begun := time.Now()
		_, err := readPipe(write)
		Expect(err).To(MatchError(ContainSubstring("cannot be read: it is a pipe from which nothing came for 300ms")))
		Expect(time.Since(begun)).To(BeNumerically("<", 10*time.Second))
	},
		Entry("nobody opens its other end", func(string) {}),
		Entry("its other end is open and silent", sending(time.Minute, "late")),
		Entry("it is silent after a part", func(path string) {
			defer GinkgoRecover()
			file := testkit.Must(os.OpenFile(path, os.O_WRONLY, 0))
			testkit.Must(file.WriteString("part"))
			time.Sleep(time.Minute)
			_ = file.Close()
		}),
	)

	It("may take longer than that as a whole", func() {
		Expect(readPipe(sending(patience/6, strings.Split("abcdefghijkl", "")...))).To(Equal([]byte("abcdefghijkl")))
	})

	It("has all that came from it, however much", func() {
		text := strings.Repeat("0123456789abcde\n", 1<<16)
		Expect(string(testkit.Must(readPipe(sending(0, text))))).To(Equal(text))
		Expect(readPipe(sending(0))).To(BeEmpty())
	})

	It("says why it can't be opened", func() {
		if os.Getuid() == 0 {
			Skip("root may open it")
		}
		path := filepath.Join(GinkgoT().TempDir(), "pipe")
		Expect(syscall.Mkfifo(path, 0o000)).To(Succeed())
		_, err := input.ReadFile(path)
		Expect(err).To(MatchError("cannot be read: permission denied"))
	})
})
