package folder

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sync"

	"authenticator-conformance/suites/internal/atomicfile"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/statement"
)

// staging writes each file under a temporary name. They get their final names only when all are complete, synced to
// disk and free of secrets. Syncing runs in the background while the next file is written. Waiting for each of eleven
// syncs would take a tenth of a run of 190 requests.
type staging struct {
	dir     string
	guard   *redact.Guard
	files   []*staged
	err     error // the first error; no file is started after it
	durable sync.WaitGroup
}

// staged is a file that is written but does not have its final name yet.
type staged struct {
	name   string
	file   *atomicfile.File
	digest [sha256.Size]byte
	err    error // why it could not be synced
}

// stage writes one file with the function given, and checks it for secrets.
func (s *staging) stage(name string, content func(io.Writer) error) {
	if s.err != nil {
		return
	}
	path := filepath.Join(s.dir, name)
	atomicfile.Clean(path)
	file, err := atomicfile.Create(path, modeOf(name))
	if err != nil {
		s.err = unwritable(s.dir, err)
		return
	}
	digest, leaks := sha256.New(), s.guard.LeakWriter()
	out := bufio.NewWriterSize(io.MultiWriter(file, digest, leaks), 1<<16)
	if err = content(out); err == nil {
		err = out.Flush()
	}
	one := &staged{name: name, file: file}
	digest.Sum(one.digest[:0])
	s.files = append(s.files, one)
	switch {
	case err != nil:
		s.err = fmt.Errorf("making %s: %w", name, unwritable(s.dir, err))
	case leaks.Found() != "":
		s.err = &redact.Leak{File: name, Encoding: leaks.Found()}
	default:
		s.durable.Go(func() { one.err = file.Finish() })
	}
}

// modeOf returns the mode of a file: only the owner may read answers and users (J21). The statement contains neither.
func modeOf(name string) fs.FileMode {
	if name == report.StatementFile {
		return 0o644
	}
	return 0o600
}

// digests returns the names and digests of the files written so far.
func (s *staging) digests() []statement.File {
	var list []statement.File
	for _, one := range s.files {
		list = append(list, statement.File{Name: one.name, Digest: one.digest})
	}
	return list
}

// commit gives the files their final names, in the order in which they were staged.
func (s *staging) commit() error {
	s.durable.Wait()
	for _, one := range s.files {
		if s.err == nil && one.err != nil {
			s.err = unwritable(s.dir, one.err)
		}
	}
	for _, one := range s.files {
		if s.err == nil {
			if err := one.file.Replace(); err != nil {
				s.err = unwritable(s.dir, err)
			}
		}
	}
	return s.err
}

// cleanup removes the files that did not get their final name.
func (s *staging) cleanup() {
	s.durable.Wait()
	for _, one := range s.files {
		one.file.Discard()
	}
}
