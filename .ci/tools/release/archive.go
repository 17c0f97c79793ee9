package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"
)

// file is one file of an archive.
type file struct {
	content []byte
	mode    fs.FileMode // with fs.ModeDir for a folder
}

// folder is the archive entry of a folder.
var folder = file{mode: fs.ModeDir | 0o755}

// files maps names in an archive to files. An archive has them sorted by name.
type files map[string]file

// packTar returns a tar archive with all times set to modified and user and group 0.
func packTar(list files, modified time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(list)) {
		f := list[name]
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: name, Size: int64(len(f.content)), Mode: int64(f.mode.Perm()),
			ModTime: modified,
		}
		if f.mode.IsDir() {
			header.Typeflag, header.Name = tar.TypeDir, strings.TrimSuffix(name, "/")+"/"
		}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// packTarGz returns a tar archive, compressed.
func packTarGz(list files, modified time.Time) ([]byte, error) {
	content, err := packTar(list, modified)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression) // its header has neither a name nor a time
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// packZip returns a zip archive with all times set to modified.
func packZip(list files, modified time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(list)) {
		header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: modified}
		header.SetMode(list[name].mode)
		entry, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(list[name].content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}
