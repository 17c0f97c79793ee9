package folder_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/testkit"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A disk", func() {
	It("that is full keeps the report of the beginning, whole, whichever file it is that does not fit", func() {
		dir := testkit.Disk(4096)
		reports := filepath.Join(dir, "reports")
		f := openFolder(reports)
		Expect(f.Write(unfinishedContent())).To(Succeed())
		before := contentsOf(reports)
		content := passingContent(strings.Repeat("evidence ", 4000))
		refused := 0
		for left := 0; ; left += 12 {
			testkit.Fill(dir, left)
			err := f.Write(content)
			testkit.Empty(dir)
			if err == nil {
				break
			}
			refused++
			Expect(err).To(MatchError(And(ContainSubstring(reports), ContainSubstring("no space left"))), "%d KiB left",
				left)
			Expect(contentsOf(reports)).To(Equal(before), "%d KiB left", left)
		}
		Expect(refused).To(BeNumerically(">", 3), "the disk was never full")
		expectWhole(reports, true)
	})

	It("that can only be read any more keeps what stood there", func() {
		dir := testkit.Disk(4096)
		reports := filepath.Join(dir, "reports")
		f := openFolder(reports)
		Expect(f.Write(unfinishedContent())).To(Succeed())
		before := contentsOf(reports)
		Expect(syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "")).To(Succeed())
		Expect(f.Write(passingContent("the evidence"))).To(
			MatchError(And(ContainSubstring(reports), ContainSubstring("read-only"))))
		Expect(contentsOf(reports)).To(Equal(before))
	})

	It("that can only be read any more is no place of which a file is named", func() {
		dir := testkit.Disk(4096)
		f := openFolder(filepath.Join(dir, "reports"))
		Expect(f.Write(passingContent("the evidence"))).To(Succeed())
		Expect(syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "")).To(Succeed())
		kind := folder.Run{CI: func(*report.Report) error {
			Fail("nobody else gets a report that is not in the folder")
			return nil
		}}
		at := folder.Place{Dir: f.Dir(), MetricsFile: func() string { return "" }}
		Expect(folder.Live(at, kind, error.Error, nil)).To(MatchError(And(ContainSubstring("read-only"),
			HaveSuffix("; what is in it is not the result of this command"))))
	})

	It("that is full keeps no pass of an earlier run in the metrics beside the folder", func() {
		disk := testkit.Disk(64)
		path := filepath.Join(disk, "m.prom")
		kind := &folder.Run{Contract: runDigest, Started: noonOfSpecs, CI: func(*report.Report) error { return nil }}
		at := folder.Place{Dir: filepath.Join(GinkgoT().TempDir(), "reports"),
			MetricsFile: func() string { return path }}
		passes := func(f *folder.Folder) error { return f.Write(passingContent("the evidence")) }
		Expect(folder.Live(at, kind, error.Error, passes)).To(Succeed())
		passed := string(testkit.Read(path))
		Expect(passed).To(MatchRegexp(`verdict="pass"[^}]*} 1`))
		testkit.Fill(disk, 0)
		Expect(folder.Live(at, kind, error.Error, func(*folder.Folder) error {
			Expect(string(testkit.Read(path))).To(MatchRegexp(`verdict="error"[^}]*} 1`), "it is unfinished")
			return errors.New("the token is wrong")
		})).To(MatchError("the token is wrong"))
		Expect(string(testkit.Read(path))).To(MatchRegexp(`verdict="error"[^}]*} 1`))

		Expect(os.Remove(path)).To(Succeed())
		testkit.Write(disk, "filler2", make([]byte, 4<<10))
		Expect(os.WriteFile(path, nil, 0o600)).To(Succeed(), "a place without room for anything")
		Expect(folder.Live(at, kind, error.Error, passes)).To(MatchError(ContainSubstring("no space left")))
		Expect(path).NotTo(BeAnExistingFile())
	})

	It("with a folder that may not be written to keeps what stood there", func() {
		if os.Geteuid() == 0 {
			Skip("root may write everywhere")
		}
		f, dir := begunFolder()
		before := contentsOf(dir)
		Expect(os.Chmod(dir, 0o555)).To(Succeed())
		DeferCleanup(os.Chmod, dir, os.FileMode(0o755))
		Expect(f.Write(passingContent("the evidence"))).To(
			MatchError(And(ContainSubstring(dir), ContainSubstring("permission denied"))))
		Expect(contentsOf(dir)).To(Equal(before))
	})
})
