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
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/report"
)

// Limits on what is read: of one file, of all files of an archive, and how many files there may be.
const (
	maxFile  = 512 << 20
	maxFiles = 1000
)

var maxArchive int64 = 512 << 20 // a spec has less

// Files are the regular files of a folder or of an archive. Nothing is unpacked to the disk.
type Files interface {
	Names() []string // sorted
	Open(name string) (io.ReadCloser, error)
}

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
	var files archive
	switch lower := strings.ToLower(name); {
	case strings.HasSuffix(lower, ".zip"):
		files, err = readZip(file, info.Size())
	case strings.HasSuffix(lower, ".tar"):
		files, err = readTar(file)
	case strings.HasSuffix(lower, ".tar.gz"), strings.HasSuffix(lower, ".tgz"):
		var plain io.Reader
		if plain, err = gzip.NewReader(file); err == nil {
			files, err = readTar(plain)
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

func tooLarge(name string) error {
	return fmt.Errorf("%s is larger than %d MiB, more than is read", report.Printable(name, 100), maxFile>>20)
}

// read returns the content of a file.
func read(files Files, name string) ([]byte, error) {
	opened, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	content, err := io.ReadAll(io.LimitReader(opened, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s can't be read: %w", name, err)
	case len(content) > maxFile:
		return nil, tooLarge(name)
	}
	return content, nil
}

type folder struct {
	dir   string
	names []string
}

func openFolder(dir string) (Files, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	f := folder{dir: dir}
	for _, e := range entries {
		if e.Type().IsRegular() && !ofCarrier(e.Name()) {
			f.names = append(f.names, e.Name())
		}
	}
	return f, nil
}

func (f folder) Names() []string { return f.names }

func (f folder) Open(name string) (io.ReadCloser, error) { return os.Open(filepath.Join(f.dir, name)) }

// archive has the contents of the files by their names.
type archive map[string][]byte

func (a archive) Names() []string {
	var names []string
	for name := range a {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (a archive) Open(name string) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(a[name])), nil
}

// add reads a file of an archive. All files are in one folder, which has any name.
func (a archive) add(name string, content io.Reader) error {
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
	if _, twice := a[base]; twice {
		return fmt.Errorf("%q occurs twice", shown)
	}
	left := maxArchive
	for _, other := range a {
		left -= int64(len(other))
	}
	read, err := io.ReadAll(io.LimitReader(content, left+1))
	switch {
	case err != nil:
		return err
	case int64(len(read)) > left:
		return archiveTooLarge()
	case len(a) == maxFiles:
		return fmt.Errorf("it has over %d files", maxFiles)
	}
	a[base] = read
	return nil
}

func archiveTooLarge() error {
	return fmt.Errorf("its files are larger than %d MiB, more than is read", maxArchive>>20)
}

func readZip(from io.ReaderAt, size int64) (archive, error) {
	opened, err := zip.NewReader(from, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, err
	}
	all := archive{}
	for _, f := range opened.File {
		if !f.Mode().IsRegular() {
			continue
		}
		content, err := f.Open()
		if err != nil {
			return nil, err
		}
		name := strings.ReplaceAll(f.Name, `\`, "/") // as old programs of Windows wrote it
		if err := all.add(name, content); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// bounded reads up to left bytes. What is skipped in an archive counts, too: it may have no end.
type bounded struct {
	from io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n, archiveTooLarge()
	}
	return n, err
}

func readTar(from io.Reader) (archive, error) {
	all, opened := archive{}, tar.NewReader(&bounded{from, 2 * maxArchive})
	for {
		header, err := opened.Next()
		switch {
		case err == io.EOF:
			return all, nil
		case err != nil && !errors.Is(err, tar.ErrInsecurePath):
			return nil, err
		case header.Typeflag != tar.TypeReg:
			continue
		}
		if err := all.add(header.Name, opened); err != nil {
			return nil, err
		}
	}
}
