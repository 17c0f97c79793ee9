package main

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// artifacts are the files of a release by name.
type artifacts map[string][]byte

// digest returns the SHA-256 digest of a file in hexadecimal.
func (a artifacts) digest(name string) string {
	return fmt.Sprintf("%x", sha256.Sum256(a[name]))
}

// names returns the names, sorted.
func (a artifacts) names() []string { return slices.Sorted(maps.Keys(a)) }

// archives returns an archive and an SBOM for each platform, the provenance of these, and SHA256SUMS for all.
func archives(b *builder) (artifacts, error) {
	documents, err := b.documents()
	if err != nil {
		return nil, err
	}
	if err := b.addSources(documents); err != nil {
		return nil, err
	}
	all := artifacts{}
	for _, p := range platforms {
		if err := b.addPlatform(all, p, documents); err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
	}
	if all["conformance_"+b.version+".provenance.json"], err = provenance(b, all); err != nil {
		return nil, err
	}
	var sums []byte // as sha256sum -c reads them
	for _, name := range all.names() {
		sums = fmt.Appendf(sums, "%s  %s\n", all.digest(name), name)
	}
	all["SHA256SUMS"] = sums
	return all, nil
}

// addSources adds README.md and what it and its links lead to: the READMEs of the folders, the recipes with the action,
// the schemas and the files for Kubernetes.
func (b *builder) addSources(documents map[string][]byte) error {
	list := exec.Command("git", "ls-files", "-z", "--", "*.md", ".github/actions", "suites/recipes",
		"suites/sweep/kubernetes", "schemas/*.json", "schemas/*.yaml", "fixtures/users.yaml", ":!*.go",
		":!*/go.mod", ":!*/go.sum", ":!*/testdata/*")
	list.Dir = b.root
	names, err := output(list)
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimRight(names, "\x00"), "\x00") {
		if documents[name], err = os.ReadFile(filepath.Join(b.root, name)); err != nil {
			return err
		}
	}
	return nil
}

// addPlatform adds the archive and the SBOM of a platform.
func (b *builder) addPlatform(all artifacts, p platform, documents map[string][]byte) error {
	path, binary, err := b.binary(p)
	if err != nil {
		return err
	}
	name, extension, pack := "conformance_"+b.version+"_"+p.String(), ".tar.gz", packTarGz
	list := files{name + "/" + p.command(): {binary, 0o755}}
	for document, content := range documents {
		list[name+"/"+document] = file{content, 0o644}
	}
	if p.os == "windows" {
		extension, pack = ".zip", packZip
	}
	if all[name+extension], err = pack(list, b.time); err != nil {
		return err
	}
	all[name+".cdx.json"], err = sbom(b, path)
	return err
}
