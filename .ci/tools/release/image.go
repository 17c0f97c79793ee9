package main

import (
	"bytes"
	"encoding/pem"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user is the user and group of the image, the same as in other images without a shell.
const user = "65532:65532"

// image returns the image for linux as an OCI archive: an index with an image for each architecture.
func image(b *builder) (artifacts, error) {
	certificates, err := layer(files{
		"etc": folder, "etc/ssl": folder, "etc/ssl/certs": folder,
		"etc/ssl/certs/ca-certificates.crt": {rootCertificates(), 0o644},
	}, b)
	if err != nil {
		return nil, err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range platforms {
		if p.os != "linux" {
			continue
		}
		image, err := b.platformImage(p, certificates)
		if err != nil {
			return nil, err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: p.os, Architecture: p.arch}},
		})
	}
	content, err := b.ociArchive(index)
	return artifacts{"conformance_" + b.version + "_image.tar": content}, err
}

// platformImage returns the image for a platform: the CA certificates, and the binary as its entry point.
func (b *builder) platformImage(p platform, certificates v1.Layer) (v1.Image, error) {
	_, content, err := b.binary(p)
	if err != nil {
		return nil, err
	}
	binary, err := layer(files{"conformance": {content, 0o755}}, b)
	if err != nil {
		return nil, err
	}
	image := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	image = mutate.ConfigMediaType(image, types.OCIConfigJSON)
	image, err = mutate.ConfigFile(image, &v1.ConfigFile{
		OS: p.os, Architecture: p.arch, Created: v1.Time{Time: b.time}, RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{User: user, Entrypoint: []string{"/conformance"}, WorkingDir: "/", Labels: map[string]string{
			"org.opencontainers.image.title": "conformance", "org.opencontainers.image.version": b.version,
			"org.opencontainers.image.revision": b.commit, "org.opencontainers.image.source": b.uri,
		}},
	})
	if err != nil {
		return nil, err
	}
	return mutate.AppendLayers(image, certificates, binary)
}

// ociArchive returns an OCI layout with the index as a tar archive. Podman and Docker name what they load from it
// conformance:VERSION.
func (b *builder) ociArchive(index v1.ImageIndex) ([]byte, error) {
	oci := filepath.Join(b.folder, "oci")
	written, err := layout.Write(oci, empty.Index)
	if err != nil {
		return nil, err
	}
	name := "conformance:" + b.version
	annotations := map[string]string{
		"org.opencontainers.image.ref.name": name, "io.containerd.image.name": "docker.io/library/" + name,
	}
	if err := written.AppendIndex(index, layout.WithAnnotations(annotations)); err != nil {
		return nil, err
	}
	list := files{}
	err = filepath.WalkDir(oci, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(oci, path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		list[filepath.ToSlash(name)] = file{content, 0o644}
		return err
	})
	if err != nil {
		return nil, err
	}
	return packTar(list, b.time)
}

// layer returns a compressed layer with the files.
func layer(list files, b *builder) (v1.Layer, error) {
	content, err := packTar(list, b.time)
	if err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer))
}

// rootCertificates returns Mozilla's root certificates as PEM, in the version of go.mod. It omits a root that Mozilla
// trusts for older certificates only, because PEM can't express that condition.
func rootCertificates() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			out.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
		}
	}
	return out.Bytes()
}
