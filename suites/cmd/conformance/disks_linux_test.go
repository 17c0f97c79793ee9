package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/testkit"
)

// disk is a small file system, on which commands write.
type disk struct {
	*WithT
	dir     string
	environ []string // of the commands
	out     bytes.Buffer
	printed func() // called as soon as a command has printed something; nil: not
}

func (d *disk) Write(text []byte) (int, error) {
	if do := d.printed; do != nil {
		d.printed = nil
		do()
	}
	return d.out.Write(text)
}

// conformance executes a command. What it needs to read is beside the disk.
func (d *disk) conformance(args ...string) (code int, shown string) {
	d.out.Reset()
	return callProgram(args, d.environ, d, d), d.out.String()
}

// fill leaves so many KiB of the disk.
func (d *disk) fill(left int) {
	var space syscall.Statfs_t
	d.Expect(syscall.Statfs(d.dir, &space)).To(Succeed())
	free := int(space.Bavail) * int(space.Bsize)
	d.Expect(os.WriteFile(filepath.Join(d.dir, "filler"), make([]byte, max(0, free-left<<10)), 0o600)).To(Succeed())
}

// mountDisk mounts a file system of so many KiB. The test is skipped where none can be mounted.
func mountDisk(t *testing.T, kib int) *disk {
	d := &disk{WithT: NewWithT(t), dir: t.TempDir()}
	if err := syscall.Mount("tmpfs", d.dir, "tmpfs", 0, fmt.Sprintf("size=%dk", kib)); err != nil {
		t.Skipf("a file system can't be mounted here (%v): run the tests as root", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(d.dir, syscall.MNT_DETACH) })
	return d
}

// writing are the commands that write.
var writing = []struct {
	name string
	args []string
}{
	{"run", []string{"run"}},
	{"sweep", []string{"sweep"}},
	{"record", []string{"sweep", "--versions", "v5"}},
	{"merge", []string{"merge", "shards"}},
	{"judge", []string{"judge", "evidence/evidence.har"}},
}

// TestADiskThatFailsTakesNothingAway lets each command meet a disk that is full, or that can only be read.
func TestADiskThatFailsTakesNothingAway(t *testing.T) {
	t.Chdir(t.TempDir())
	g := NewWithT(t)
	prepareInputs(g)
	for _, c := range writing {
		for _, left := range []int{0, 24, 64, 128, 256} {
			t.Run(fmt.Sprintf("%s with %d KiB", c.name, left), func(t *testing.T) {
				d := mountDisk(t, 4096)
				d.fill(left)
				code, shown := d.meets(c.name, c.args)
				if left == 0 {
					d.Expect(code).To(Equal(exitError), shown)
				}
				if code != exitError {
					return
				}
				d.Expect(shown).To(And(ContainSubstring("no space left"),
					MatchRegexp("has room|make the folder writable")))
				d.Expect(os.Remove(filepath.Join(d.dir, "filler"))).To(Succeed())
				code, shown = d.continues(c.name, c.args)
				d.Expect(code).To(Equal(exitPass), shown)
			})
		}
		t.Run(c.name+" that can only be read", func(t *testing.T) {
			d := mountDisk(t, 4096)
			code, shown := d.meets(c.name, c.args)
			d.Expect(code).To(Equal(exitPass), shown)
			before := contentBelow(d, d.dir)
			d.Expect(syscall.Mount("", d.dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "")).To(Succeed())
			code, shown = d.meets(c.name, append(c.args, restartOf(c.name)...))
			d.Expect(code).To(Equal(exitError), shown)
			d.Expect(shown).To(And(ContainSubstring("read-only file system"), Not(MatchRegexp("(?m)^reports:"))))
			d.Expect(contentBelow(d, d.dir)).To(Equal(before))
		})
	}
}

// TestAFolderThatIsGoneIsNamedWithTheNextStep removes the folder of a command, or unmounts its disk, while it works.
func TestAFolderThatIsGoneIsNamedWithTheNextStep(t *testing.T) {
	t.Chdir(t.TempDir())
	prepareInputs(NewWithT(t))
	for _, c := range writing {
		for _, how := range []string{"removed", "unmounted"} {
			t.Run(c.name+" whose folder is "+how, func(t *testing.T) {
				d := mountDisk(t, 4096)
				reports := filepath.Join(d.dir, "reports")
				d.meanwhile(t, c.name, func() {
					if how == "removed" {
						d.Expect(os.RemoveAll(reports)).To(Succeed())
						return
					}
					d.Expect(syscall.Unmount(d.dir, syscall.MNT_DETACH)).To(Succeed())
				})
				args := c.args
				if c.name == "merge" {
					args = append([]string{"merge", "--wait"}, c.args[1:]...)
				}
				code, shown := d.meets(c.name, args)
				d.Expect(code).To(Equal(exitError), shown)
				d.Expect(shown).To(And(ContainSubstring("error: the report folder %q was removed or replaced "+
					"meanwhile, and what was found is lost; start again (a sweep with --restart)\n", reports),
					MatchRegexp(`(?m)^reports: .*/(report|sweep)\.html`), ContainSubstring("verdict: error: ")))
				left := stats.SummaryFile
				if c.name == "run" || c.name == "judge" {
					left = report.JSONFile
				}
				d.Expect(os.ReadFile(filepath.Join(reports, left))).To(
					ContainSubstring("removed or replaced meanwhile"))
				code, shown = d.meets(c.name, append(c.args, restartOf(c.name)...))
				d.Expect(code).To(Equal(exitPass), shown)
			})
		}
		t.Run(c.name+" that can't make its folder", func(t *testing.T) {
			d := &disk{WithT: NewWithT(t), dir: filepath.Join(t.TempDir(), "file")}
			d.Expect(os.WriteFile(d.dir, nil, 0o600)).To(Succeed())
			code, shown := d.meets(c.name, c.args)
			d.Expect(code).To(Equal(exitError), shown)
			d.Expect(shown).To(And(ContainSubstring("not a directory; name a folder that you may write to"),
				Not(MatchRegexp("(?m)^reports:"))))
		})
	}
}

// meanwhile does something once in the middle of a command: at its 40th request or, if it sends none, as soon as it
// prints something. A merge waits then for a shard, which comes afterwards.
func (d *disk) meanwhile(t *testing.T, name string, do func()) {
	switch name {
	case "judge":
		d.printed = do
		return
	case "merge":
		d.Expect(os.Rename("shards/2", "late")).To(Succeed())
		d.printed = func() {
			do()
			d.Expect(os.Rename("late", "shards/2")).To(Succeed())
		}
		return
	}
	var requests atomic.Int64
	service := kit.Reference(kit.Users(), fixtures.AccessToken)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == 40 {
			do()
		}
		service.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	d.Expect(os.WriteFile("users.ndjson", testkit.UsersNDJSON(), 0o600)).To(Succeed())
	d.environ = []string{"AUTHN_TARGET_URL=" + server.URL, "AUTHN_USERS=users.ndjson",
		"AUTHN_ACCESS_TOKEN=" + fixtures.AccessToken, "AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}
}

func restartOf(name string) []string {
	if name == "sweep" || name == "record" {
		return []string{"--restart"}
	}
	return nil
}

// meets executes a command that writes to the disk.
func (d *disk) meets(name string, args []string) (code int, shown string) {
	args = append(append([]string{}, args...), "--report-dir", filepath.Join(d.dir, "reports"))
	if name == "record" {
		args = append(args, "--record", filepath.Join(d.dir, "v5.ndjson.gz"))
	}
	return d.conformance(args...)
}

// continues executes a command again, after room was made: a sweep goes on.
func (d *disk) continues(name string, args []string) (code int, shown string) {
	if name == "sweep" || name == "record" {
		args = append(append([]string{}, args...), "--resume=if-begun")
	}
	return d.meets(name, args)
}

// prepareInputs makes what the commands read: evidence, and the shards of a sweep.
func prepareInputs(g *WithT) {
	for _, args := range [][]string{
		{"run", "--report-dir", "evidence"},
		{"sweep", "--shard", "1/2", "--report-dir", "shards/1"},
		{"sweep", "--shard", "2/2", "--report-dir", "shards/2"},
	} {
		var out bytes.Buffer
		g.Expect(callProgram(args, nil, &out, io.Discard)).To(Equal(exitPass), out.String())
	}
}

// contentBelow returns the content of all files below a folder, by path.
func contentBelow(d *disk, dir string) map[string]string {
	content := map[string]string{}
	d.Expect(filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			text, err := os.ReadFile(path)
			content[path] = string(text)
			return err
		}
		return err
	})).To(Succeed())
	return content
}
