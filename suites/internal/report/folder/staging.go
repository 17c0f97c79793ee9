package folder

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"authenticator-conformance/suites/internal/ask/bounded"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/metrics"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/sanitize/atomicfile"
)

// staging writes files under temporary names, side by side. They get their final names only when all are complete,
// synced to disk and free of secrets.
type staging struct {
	dir         string
	guard       *sanitize.Guard
	provisional bool // the files are not synced
	files       []*staged
	written     sync.WaitGroup // files being written
	synced      sync.WaitGroup // files being written or synced
}

// staged is a file that does not have its final name yet.
type staged struct {
	name   string
	file   *atomicfile.File
	digest string // sha256:…
	err    error
}

// stage starts to write one file with the function given, and to check it for secrets.
func (s *staging) stage(name string, content func(io.Writer) error) {
	one := &staged{name: name}
	s.files = append(s.files, one)
	s.written.Add(1)
	s.synced.Go(func() {
		one.err = bounded.Guarded(func() error { return s.write(one, content) })
		s.written.Done()
		if one.err == nil && !s.provisional {
			one.err = s.unwritable(one.file.Finish())
		}
	})
}

func (s *staging) write(one *staged, content func(io.Writer) error) (err error) {
	path := filepath.Join(s.dir, one.name)
	atomicfile.Clean(path)
	if one.file, err = atomicfile.Create(path, modeOf(one.name)); err != nil {
		return s.unwritable(err)
	}
	digest := sha256.New()
	watcher := s.guard.Watch(one.name)
	out := bufio.NewWriterSize(io.MultiWriter(one.file, digest, watcher), 1<<16)
	if err = content(out); err == nil {
		err = out.Flush()
	}
	one.digest = fmt.Sprintf("sha256:%x", digest.Sum(nil))
	switch {
	case err != nil:
		return fmt.Errorf("making %s: %w", one.name, s.unwritable(err))
	case watcher.Err() != nil:
		return watcher.Err()
	case s.provisional:
		return s.unwritable(one.file.Close())
	}
	return nil
}

// err waits for all files and returns the first error, in the order of the files.
func (s *staging) err() error {
	s.synced.Wait()
	for _, one := range s.files {
		if one.err != nil {
			return one.err
		}
	}
	return nil
}

// modeOf returns the mode of a file: only the owner may read answers and users (J21). The statement and the metrics
// contain neither.
func modeOf(name string) fs.FileMode {
	if name == report.StatementFile || name == metrics.File {
		return 0o644
	}
	return 0o600
}

// digests returns the names and digests of the files so far, once they are written.
func (s *staging) digests() map[string]string {
	s.written.Wait()
	digests := map[string]string{}
	for _, one := range s.files {
		digests[one.name] = one.digest
	}
	return digests
}

// commit gives the files their final names, in the order in which they were staged. In a new folder a mark is the
// first: what an interrupted command leaves is not taken for files of another program.
func (s *staging) commit() error {
	if err := s.err(); err != nil {
		return err
	}
	isNewMark := func(f *staged) bool { return slices.Contains(marks, f.name) && !exists(s.dir, f.name) }
	if at := slices.IndexFunc(s.files, isNewMark); at > 0 {
		s.files[0], s.files[at] = s.files[at], s.files[0]
	}
	for _, one := range s.files {
		if err := one.file.Replace(); err != nil {
			return unwritable(s.dir, err)
		}
	}
	return nil
}

// cleanup removes the files that did not get their final name.
func (s *staging) cleanup() {
	s.synced.Wait()
	for _, one := range s.files {
		if one.file != nil {
			one.file.Discard()
		}
	}
}

// unwritable explains an error of a file in the folder. Any other stays as it is, such as that of a file elsewhere that
// a report is made from.
func (s *staging) unwritable(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) && filepath.Dir(of.Path) == filepath.Clean(s.dir) {
		return unwritable(s.dir, err)
	}
	return err
}
