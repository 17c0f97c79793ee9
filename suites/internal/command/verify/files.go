package verify

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"authenticator-conformance/suites/internal/report"
)

// Limits on what is read: of one file, of all files of an archive, and how many files there may be.
const (
	maxFile  = 512 << 20
	maxFiles = 1000
)

var maxArchive int64 = 512 << 20 // a spec has less

// Files are the regular files of a folder or of an archive: each opens by its name. Nothing is unpacked to the disk.
type Files map[string]func() (io.ReadCloser, error)

// Open opens a folder, or an archive of one: .zip, .tar, .tar.gz or .tgz. The error says what was expected.
func Open(name string) (Files, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w; name the report folder of a run, or an archive of it", err)
	case info.IsDir():
		return openFolder(name)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is neither a folder nor an archive: name the report folder of a run", name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	files := Files{}
	switch lower := strings.ToLower(name); {
	case strings.HasSuffix(lower, ".zip"):
		err = files.addZip(file, info.Size())
	case strings.HasSuffix(lower, ".tar"):
		err = files.addTar(file)
	case strings.HasSuffix(lower, ".tar.gz"), strings.HasSuffix(lower, ".tgz"):
		var plain io.Reader
		if plain, err = gzip.NewReader(file); err == nil {
			err = files.addTar(plain)
		}
	default:
		return nil, fmt.Errorf("%s is neither a folder nor an archive (.zip, .tar, .tar.gz, .tgz): "+
			"name the report folder of a run", name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s can't be read: %s", name, report.Printable(err.Error(), 300))
	}
	return files, nil
}

// read returns the content of a file.
func (f Files) read(name string) ([]byte, error) {
	opened, err := f[name]()
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	switch content, err := io.ReadAll(io.LimitReader(opened, maxFile+1)); {
	case err != nil:
		return nil, fmt.Errorf("%s can't be read: %w", name, err)
	case len(content) > maxFile:
		return nil, fmt.Errorf("%s is larger than %d MiB, more than is read", report.Printable(name, 100), maxFile>>20)
	default:
		return content, nil
	}
}

func openFolder(dir string) (Files, error) {
	entries, err := os.ReadDir(dir)
	files := Files{}
	for _, e := range entries {
		if e.Type().IsRegular() && !ofCarrier(e.Name()) {
			files[e.Name()] = func() (io.ReadCloser, error) { return os.Open(filepath.Join(dir, e.Name())) }
		}
	}
	return files, err
}

// add reads a file of an archive. All files are in one folder, which has any name.
func (f Files) add(name string, content io.Reader) error {
	if ofCarrier(name) {
		return nil
	}
	shown := report.Printable(name, 100)
	if name != path.Clean(name) && "./"+path.Clean(name) != name || strings.HasPrefix(name, "/") ||
		strings.HasPrefix(name, "..") || strings.Contains(name, `\`) {
		return fmt.Errorf("the name %q leads out of the folder", shown)
	}
	if strings.Count(path.Clean(name), "/") > 1 {
		return fmt.Errorf("%q is in a folder within a folder: expected the files of one report folder", shown)
	}
	base := path.Base(name)
	if f[base] != nil {
		return fmt.Errorf("%q occurs twice", shown)
	}
	read, err := io.ReadAll(content)
	if err == nil && len(f) == maxFiles {
		err = fmt.Errorf("it has over %d files", maxFiles)
	}
	f[base] = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(read)), nil }
	return err
}

func (f Files) addZip(from io.ReaderAt, size int64) error {
	opened, err := zip.NewReader(from, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return err
	}
	left := maxArchive
	for _, file := range opened.File {
		if !file.Mode().IsRegular() {
			continue
		}
		content, err := file.Open()
		if err != nil {
			return err
		}
		name := strings.ReplaceAll(file.Name, `\`, "/") // as old programs of Windows wrote it
		if err := f.add(name, &bounded{content, &left}); err != nil {
			return err
		}
	}
	return nil
}

// addTar bounds the whole archive: what is skipped in it may have no end.
func (f Files) addTar(from io.Reader) error {
	left := maxArchive
	opened := tar.NewReader(&bounded{from, &left})
	for {
		header, err := opened.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil && !errors.Is(err, tar.ErrInsecurePath):
			return err
		case header.Typeflag != tar.TypeReg:
			continue
		}
		if err := f.add(header.Name, opened); err != nil {
			return err
		}
	}
}

// bounded reads what is left of an archive's limit.
type bounded struct {
	from io.Reader
	left *int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if *b.left -= int64(n); *b.left < 0 {
		return n, fmt.Errorf("its files are larger than %d MiB, more than is read", maxArchive>>20)
	}
	return n, err
}
