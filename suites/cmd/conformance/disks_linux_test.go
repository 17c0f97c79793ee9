package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"
)

// disk is a small file system, on which commands write.
type disk struct {
	*WithT
	dir string
}

// conformance executes a command. What it needs to read is beside the disk.
func (d *disk) conformance(args ...string) (code int, shown string) {
	var out bytes.Buffer
	return execute(context.Background(), args, nil, &out, &out), out.String()
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
	d := &disk{NewWithT(t), t.TempDir()}
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
		g.Expect(execute(context.Background(), args, nil, &out, io.Discard)).To(Equal(exitPass), out.String())
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
