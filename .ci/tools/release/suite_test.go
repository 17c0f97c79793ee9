package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestRelease(t *testing.T) { RegisterFailHandler(Fail); RunSpecs(t, "Release") }

// mustGet returns a value, or fails the spec with the error.
func mustGet[T any](value T, err error) T {
	GinkgoHelper()
	Expect(err).NotTo(HaveOccurred())
	return value
}

var committed = time.Date(2026, 11, 22, 17, 17, 20, 0, time.UTC)

var _ = DescribeTable("The version of a commit", func(exact, latest, expected string) {
	version, err := versionOf(exact, latest, committed, "0123456789abcdef0123")
	if expected == "" {
		Expect(err).To(MatchError(ContainSubstring("is not a version")))
		return
	}
	Expect(err).NotTo(HaveOccurred())
	Expect(version).To(Equal(expected))
},
	Entry("a tag", "v1.2.3", "v1.2.3", "1.2.3"),
	Entry("a commit after a tag", "", "v1.2.3", "1.2.4-0.20261122171720-0123456789ab"),
	Entry("no tag", "", "", "0.0.0-20261122171720-0123456789ab"),
	Entry("a tag that is not a version", "v1.2", "v1.2", ""),
	Entry("a commit after a tag that is not a version", "", "v2-final", ""),
)

var _ = Describe("An archive", func() {
	list := files{"b/run": {[]byte("binary"), 0o755}, "a": {[]byte("text"), 0o644}}

	It("has the files in order, without the machine's users and times, as tar.gz", func() {
		content := mustGet(packTarGz(list, committed))
		Expect(packTarGz(list, committed)).To(Equal(content))
		unzipped := mustGet(gzip.NewReader(bytes.NewReader(content)))
		Expect(unzipped.Header.ModTime).To(BeZero())
		r := tar.NewReader(unzipped)
		for _, name := range []string{"a", "b/run"} {
			header := mustGet(r.Next())
			Expect(header).To(And(HaveField("Name", name), HaveField("FileInfo().Mode()", list[name].mode),
				HaveField("ModTime.UTC()", committed)))
			Expect([]any{header.Uid, header.Gid, header.Uname}).To(Equal([]any{0, 0, ""}))
			Expect(io.ReadAll(r)).To(Equal(list[name].content))
		}
		_, err := r.Next()
		Expect(err).To(MatchError(io.EOF))
	})

	It("has the same content as zip", func() {
		content := mustGet(packZip(list, committed))
		Expect(packZip(list, committed)).To(Equal(content))
		r := mustGet(zip.NewReader(bytes.NewReader(content), int64(len(content))))
		Expect(r.File).To(HaveLen(2))
		for i, name := range []string{"a", "b/run"} {
			Expect(r.File[i]).To(And(HaveField("Name", name), HaveField("Mode()", list[name].mode),
				HaveField("Modified.UTC()", committed)))
		}
	})
})
