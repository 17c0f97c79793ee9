package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// artifacts are the files of a release by name.
type artifacts map[string][]byte

// digest returns the SHA-256 digest of a file in hexadecimal.
func (a artifacts) digest(name string) string {
	sum := sha256.Sum256(a[name])
	return hex.EncodeToString(sum[:])
}

// names returns the names, sorted.
func (a artifacts) names() []string { return slices.Sorted(maps.Keys(a)) }

// sums returns the content of SHA256SUMS: the digests of all files, as sha256sum -c reads them.
func (a artifacts) sums() []byte {
	var text strings.Builder
	for _, name := range a.names() {
		fmt.Fprintf(&text, "%s  %s\n", a.digest(name), name)
	}
	return []byte(text.String())
}

// writeArchives writes an archive and an SBOM for each platform, the provenance of these, and SHA256SUMS for all.
// It returns the names of the files.
func writeArchives(b *builder, out string) ([]string, error) {
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
	all["SHA256SUMS"] = all.sums()
	for _, name := range all.names() {
		if err := os.WriteFile(filepath.Join(out, name), all[name], 0o644); err != nil {
			return nil, err
		}
	}
	return all.names(), nil
}

// addPlatform adds the archive and the SBOM of a platform.
func (b *builder) addPlatform(all artifacts, p platform, documents map[string][]byte) error {
	path, err := b.binary(p)
	if err != nil {
		return err
	}
	binary, err := os.ReadFile(path)
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
