package main

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
	if documents["README.md"], err = os.ReadFile(filepath.Join(b.root, "README.md")); err != nil {
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

// addPlatform adds the archive and the SBOM of a platform.
func (b *builder) addPlatform(all artifacts, p platform, documents map[string][]byte) error {
	path, binary, err := b.binary(p)
	if err != nil {
		return err
	}
	list := files{p.command(): {binary, 0o755}}
	for name, content := range documents {
		list[name] = file{content, 0o644}
	}
	name, extension, pack := "conformance_"+b.version+"_"+p.String(), ".tar.gz", packTarGz
	if p.os == "windows" {
		extension, pack = ".zip", packZip
	}
	if all[name+extension], err = pack(list, b.time); err != nil {
		return err
	}
	all[name+".cdx.json"], err = sbom(b, path)
	return err
}
