package checkpoint_test

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/stats"
)

func emptyState() []byte {
	GinkgoHelper()
	state, err := sha256.New().(encoding.BinaryMarshaler).MarshalBinary()
	Expect(err).NotTo(HaveOccurred())
	return state
}

// fileNames are those of the files of a folder.
func fileNames(folder string) []string {
	GinkgoHelper()
	entries, err := os.ReadDir(folder)
	Expect(err).NotTo(HaveOccurred())
	var list []string
	for _, entry := range entries {
		list = append(list, entry.Name())
	}
	return list
}

// checkpointWith is the text of a checkpoint in which one text is another.
func checkpointWith(before, after string) []byte {
	GinkgoHelper()
	text := textOf(someCheckpoint(4))
	Expect(bytes.Count(text, []byte(before))).To(BeNumerically(">=", 1), "%s does not stand in %s", before, text)
	return bytes.Replace(text, []byte(before), []byte(after), 1)
}

var _ = Describe("A checkpoint", func() {
	It("is read as it was written, and counting continues with it", func() {
		folder := saveCheckpoint(someCheckpoint(10))
		Expect(fileNames(folder)).To(Equal([]string{checkpoint.CheckpointFile}))
		c, err := checkpoint.ReadCheckpoint(folder, sweepIdentity())
		Expect(err).NotTo(HaveOccurred())
		Expect(textOf(c)).To(Equal(textOf(someCheckpoint(10))))
		for n := 10; n < 40; n++ {
			countUser(c.Tally, n)
		}
		got, err := json.Marshal(c.Tally)
		Expect(err).NotTo(HaveOccurred())
		want, err := json.Marshal(countedUsers(40))
		Expect(err).NotTo(HaveOccurred())
		Expect(got).To(MatchJSON(want), "as if it had been counted in one go")
	})

	It("of a sweep that has looked at nobody is one too", func() {
		c, err := checkpoint.ReadCheckpoint(saveCheckpoint(someCheckpoint(0)), sweepIdentity())
		Expect(err).NotTo(HaveOccurred())
		Expect(c.Tally.Users).To(BeZero())
	})

	It("is made at once: what is counted afterwards is not in it", func() {
		c := someCheckpoint(4)
		text := textOf(c)
		before := bytes.Clone(text)
		countUser(c.Tally, 5)
		Expect(text).To(Equal(before))
	})

	It("is replaced atomically, also for concurrent readers", func() {
		folder := saveCheckpoint(someCheckpoint(1))
		path := filepath.Join(folder, checkpoint.CheckpointFile)
		open, err := os.Open(path)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(open.Close)
		for users := 2; users < 20; users++ {
			Expect(checkpoint.WriteCheckpoint(folder, nil, textOf(someCheckpoint(users)))).To(Succeed())
			Expect(fileNames(folder)).To(Equal([]string{checkpoint.CheckpointFile}), "nothing is left beside it")
		}
		old := make([]byte, 1<<16)
		n, err := open.Read(old)
		Expect(err).NotTo(HaveOccurred())
		Expect(old[:n]).To(Equal(textOf(someCheckpoint(1))), "who had opened the old one has all of it")
		info, err := os.Stat(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(info.Mode().Perm()).To(Equal(os.FileMode(0o600)), "it holds users")
	})

	It("does not mind what a process left that was killed while it wrote one", func() {
		folder := saveCheckpoint(someCheckpoint(3))
		for i, rest := range []string{"", `{"format":"1.0","sweep":"3f0c`, string(textOf(someCheckpoint(2)))} {
			Expect(os.WriteFile(filepath.Join(folder, "."+checkpoint.CheckpointFile+strings.Repeat("7", i+1)),
				[]byte(rest), 0o600)).To(Succeed())
		}
		c, err := checkpoint.ReadCheckpoint(folder, sweepIdentity())
		Expect(err).NotTo(HaveOccurred())
		Expect(c.Tally.Users).To(BeEquivalentTo(3))
		Expect(checkpoint.WriteCheckpoint(folder, nil, textOf(someCheckpoint(4)))).To(Succeed())
		c, err = checkpoint.ReadCheckpoint(folder, sweepIdentity())
		Expect(err).NotTo(HaveOccurred())
		Expect(c.Tally.Users).To(BeEquivalentTo(4))
	})

	DescribeTable("loses temporary files of a killed process when the sweep is resumed", func(named string) {
		folder := filepath.Join(GinkgoT().TempDir(), named)
		Expect(os.Mkdir(folder, 0o755)).To(Succeed())
		Expect(checkpoint.WriteCheckpoint(folder, nil, textOf(someCheckpoint(3)))).To(Succeed())
		f, err := checkpoint.Begin(folder, nil, sweepHeader())
		Expect(err).NotTo(HaveOccurred())
		at := positionOf(f)
		f.Close()
		Expect(os.WriteFile(filepath.Join(folder, "."+checkpoint.CheckpointFile+"4711"), []byte(`{"format":`), 0o600)).
			To(Succeed())
		for _, own := range []string{"." + stats.SummaryFile, checkpoint.CheckpointFile + ".mine", "sweep.txt"} {
			Expect(os.WriteFile(filepath.Join(folder, own), []byte("mine"), 0o600)).To(Succeed())
		}
		all := fileNames(folder)
		Expect(all[0]).To(HaveSuffix("4711"))
		resumeFindings(folder, at)
		Expect(fileNames(folder)).To(Equal(all[1:]))
	},
		Entry("of any name", "reports"), Entry("whose name is a pattern", "[a-z]*?"), Entry("with a backslash", `a\b`),
	)

	It("takes the place of a link, and leaves alone what the link led to", func() {
		folder := GinkgoT().TempDir()
		elsewhere := filepath.Join(folder, "mine.txt")
		Expect(os.WriteFile(elsewhere, []byte("mine"), 0o600)).To(Succeed())
		Expect(os.Symlink(elsewhere, filepath.Join(folder, checkpoint.CheckpointFile))).To(Succeed())
		Expect(checkpoint.WriteCheckpoint(folder, nil, textOf(someCheckpoint(4)))).To(Succeed())
		Expect(os.ReadFile(elsewhere)).To(Equal([]byte("mine")))
	})

	DescribeTable("can't be written", func(corrupt func(folder string) string) {
		folder := corrupt(GinkgoT().TempDir())
		err := checkpoint.WriteCheckpoint(folder, nil, textOf(someCheckpoint(4)))
		Expect(err).To(MatchError(ContainSubstring("the checkpoint can't be written")))
	},
		Entry("in no folder", func(folder string) string { return filepath.Join(folder, "none") }),
		Entry("where a folder has its name", func(folder string) string {
			Expect(os.MkdirAll(filepath.Join(folder, checkpoint.CheckpointFile, "x"), 0o755)).To(Succeed())
			return folder
		}),
	)

	It("is begun or not", func() {
		folder := GinkgoT().TempDir()
		Expect(checkpoint.Begun(folder)).To(BeFalse())
		Expect(checkpoint.Begun(filepath.Join(folder, "none"))).To(BeFalse())
		Expect(os.WriteFile(filepath.Join(folder, checkpoint.CheckpointFile), nil, 0o600)).To(Succeed())
		Expect(checkpoint.Begun(folder)).To(BeTrue(), "one that can't be read is not to be lost")
		Expect(os.Remove(filepath.Join(folder, checkpoint.CheckpointFile))).To(Succeed())
		file := filepath.Join(folder, "file")
		Expect(os.WriteFile(file, nil, 0o600)).To(Succeed())
		Expect(checkpoint.Begun(file)).To(BeTrue(), "if that is unknown, nothing may be lost either")
		Expect(os.Symlink("nowhere", filepath.Join(folder, checkpoint.CheckpointFile))).To(Succeed())
		Expect(checkpoint.Begun(folder)).To(BeTrue())
	})
})

var _ = Describe("A checkpoint is refused", func() {
	DescribeTable("of a sweep that differs", func(change func(i *stats.Identity), what string) {
		c := someCheckpoint(4)
		change(&c.Identity)
		folder := saveCheckpoint(c)
		_, err := checkpoint.ReadCheckpoint(folder, sweepIdentity())
		Expect(err).To(MatchError(And(ContainSubstring("--resume"),
			ContainSubstring(filepath.Join(folder, checkpoint.CheckpointFile)), ContainSubstring(what))))
	},
		Entry("in its contract", func(i *stats.Identity) { i.Contract = "sha256:ff" }, "another contract (sha256:ff)"),
		Entry("in the suite", func(i *stats.Identity) { i.Suite = "1.2.4" }, "another version of the suite (1.2.4)"),
		Entry("in the target of one version",
			func(i *stats.Identity) { i.Target[schemas.V6] = "http://127.0.0.1:8081" }, "another target"),
		Entry("in its rules", func(i *stats.Identity) { i.Rules = "sha256:ff" }, "other settings"),
		Entry("in its sample", func(i *stats.Identity) { i.Sample = 10 }, "another sample (--sample 10 --seed 7)"),
		Entry("in its seed", func(i *stats.Identity) { i.Seed = 8 }, "another sample (--sample 0 --seed 8)"),
		Entry("in its shard", func(i *stats.Identity) { i.Shard.Index = 4 }, "another shard (4/16)"),
		Entry("in the number of shards", func(i *stats.Identity) { i.Shard.Of = 15 }, "another number of shards (15)"),
	)

	It("where there is none", func() {
		folder := GinkgoT().TempDir()
		_, err := checkpoint.ReadCheckpoint(folder, sweepIdentity())
		Expect(err).To(MatchError(And(ContainSubstring("--resume"), ContainSubstring("no checkpoint"),
			ContainSubstring(checkpoint.CheckpointFile), ContainSubstring("--report-dir"))))
	})

	It("where a folder has its name", func() {
		folder := GinkgoT().TempDir()
		Expect(os.Mkdir(filepath.Join(folder, checkpoint.CheckpointFile), 0o755)).To(Succeed())
		_, err := checkpoint.ReadCheckpoint(folder, sweepIdentity())
		Expect(err).To(MatchError(ContainSubstring("--resume")))
	})

	It("that breaks off, wherever", func() {
		folder := GinkgoT().TempDir()
		text := textOf(someCheckpoint(2))
		for end := 0; end < len(text); end += 7 {
			Expect(os.WriteFile(filepath.Join(folder, checkpoint.CheckpointFile), text[:end], 0o600)).To(Succeed())
			_, err := checkpoint.ReadCheckpoint(folder, sweepIdentity())
			Expect(err).To(MatchError(ContainSubstring("--resume")), "%d bytes", end)
		}
	})

	DescribeTable("that no sweep wrote", func(text func() []byte) {
		folder := GinkgoT().TempDir()
		Expect(os.WriteFile(filepath.Join(folder, checkpoint.CheckpointFile), text(), 0o600)).To(Succeed())
		_, err := checkpoint.ReadCheckpoint(folder, sweepIdentity())
		Expect(err).To(MatchError(And(ContainSubstring("--resume"), ContainSubstring(checkpoint.CheckpointFile))))
	},
		Entry("null", func() []byte { return []byte("null") }),
		Entry("an empty object", func() []byte { return []byte("{}") }),
		Entry("binary", func() []byte { return []byte("\x00\xff") }),
		Entry("an unknown member", func() []byte { return checkpointWith(`{"format"`, `{"x":1,"format"`) }),
		Entry("another format", func() []byte { return checkpointWith(`"format":"1.1"`, `"format":"2.0"`) }),
		Entry("something behind it", func() []byte { return append(textOf(someCheckpoint(4)), "{}"...) }),
		Entry("no counts", func() []byte { c := someCheckpoint(4); c.Tally = nil; return textOf(c) }),
		Entry("more users than outcomes", func() []byte {
			return checkpointWith(`"tally":{"users":4`,
				`"tally":{"users":5`)
		}),
		Entry("more lines of findings than were counted",
			func() []byte { c := someCheckpoint(4); c.Findings.Findings++; return textOf(c) }),
		Entry("fewer lines of findings than were counted",
			func() []byte { c := someCheckpoint(4); c.Findings.Findings = 0; return textOf(c) }),
		Entry("time below zero", func() []byte { c := someCheckpoint(4); c.Elapsed = -1; return textOf(c) }),
		Entry("requests below zero", func() []byte {
			c := someCheckpoint(4)
			c.Traffic.Requests = -1
			return textOf(c)
		}),
		Entry("users below zero", func() []byte { c := someCheckpoint(4); c.Read.Users = -1; return textOf(c) }),
		Entry("fewer users read than looked at", func() []byte {
			c := someCheckpoint(4)
			c.Read.Users = 3
			return textOf(c)
		}),
		Entry("findings before the beginning", func() []byte {
			c := someCheckpoint(4)
			c.Findings.Size = -1
			return textOf(c)
		}),
	)
})
