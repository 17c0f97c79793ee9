package recorded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// Record is the record of a version: one file, or a folder with one of each shard. It is read in its own order, as far
// as is needed to find the users who are asked for. It is safe for concurrent use.
type Record struct {
	exchange.Recorded
	version schemas.Version
	files   []*file

	mu     sync.Mutex
	index  *index
	reader reader
	lines  [][]byte // of the member that was read last: users near each other in the record are often asked for in turn
	keys   []key    // their users
}

// Open opens the record of a version, and checks that it is whole and unchanged. folder is for its index, "" for that
// of temporary files. The errors say what is wrong, and with which file.
func Open(path string, v schemas.Version, contract *schemas.Contract, folder string) (*Record, error) {
	names := []string{path}
	if info, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("the record of %s can't be read: %w; name the file that conformance sweep --record "+
			"wrote or, for a run, the report folder of an earlier run", v, err)
	} else if info.IsDir() {
		if names, err = filepath.Glob(filepath.Join(path, "*.ndjson.gz")); err != nil || len(names) == 0 {
			return nil, fmt.Errorf("%s: the folder has no record (*.ndjson.gz) of a shard; name the file or the "+
				"folder that conformance sweep --record wrote", path)
		}
	}
	r := &Record{version: v}
	for _, name := range names {
		f, err := openFile(name)
		if err == nil {
			r.files = append(r.files, f)
			if err = f.check(v, contract); err == nil {
				err = r.join(f.about)
			}
		}
		if err != nil {
			r.Close()
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	r.From = path
	err := r.checkShards()
	if err == nil {
		r.index, err = newIndex(folder, r.Users)
	}
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// join adds a file to what the whole is.
func (r *Record) join(a About) error {
	if len(r.files) == 1 {
		r.Recorded = a.Recorded
		return nil
	}
	if first := r.files[0].about; a.Target != first.Target || a.Settings != first.Settings ||
		a.Shards != first.Shards || a.Suite != first.Suite || a.Population != first.Population {
		return errors.New("is of another sweep than the record of the first shard beside it: it has another target, " +
			"population, number of shards, settings or suite; name a folder with the shards of one sweep")
	}
	r.Users, r.Withheld = r.Users+a.Users, r.Withheld+a.Withheld
	if a.Started.Before(r.Started) {
		r.Started = a.Started
	}
	if a.Finished.After(r.Finished) {
		r.Finished = a.Finished
	}
	r.Digest = exchange.DigestOf([]byte(r.Digest + a.Digest))
	return nil
}

// checkShards returns an error unless each shard is there once.
func (r *Record) checkShards() error {
	slices.SortFunc(r.files, func(a, b *file) int { return a.about.Shard - b.about.Shard })
	of := r.files[0].about.Shards
	for i := range max(of, len(r.files)) {
		switch {
		case i < len(r.files) && r.files[i].about.Shard < i+1:
			return fmt.Errorf("the record of shard %d of %d is there twice, or is no shard: name a folder with one "+
				"of each",
				r.files[i].about.Shard, of)
		case i == len(r.files) || r.files[i].about.Shard > i+1:
			return fmt.Errorf("the record of shard %d of %d is missing: put the records of all shards into one "+
				"folder, and name that", i+1, of)
		}
	}
	return nil
}

// Version returns the version that was recorded.
func (r *Record) Version() schemas.Version { return r.version }

// Find returns the answers of a user, or nil if the record does not have the user.
func (r *Record) Find(u exchange.User) (*Answers, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := keyOf(u)
	for more := true; more; {
		if i := slices.Index(r.keys, k); i >= 0 {
			return parse(r.lines[i], u)
		}
		s, _, err := r.index.find(k)
		switch {
		case err != nil:
		case s.file > 0:
			again := *r.files[s.file-1]
			again.next = s.offset
			if err = r.load(&again); err == nil && !slices.Contains(r.keys, k) {
				err = errors.New("the record was changed while it was read")
			}
		default:
			more, err = r.readOn()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.From, err)
		}
	}
	return nil, nil
}

// Do returns the recorded answer to a probe. The error wraps exchange.ErrNotRecorded if the record lacks it.
func (r *Record) Do(_ context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	a, err := r.Find(p.User)
	if err != nil {
		return nil, err
	}
	return a.Exchange(p)
}

// Count returns how many users of a shard, from 1, the record has. It reads the rest of the record.
func (r *Record) Count(shard, of int) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		if more, err := r.readOn(); err != nil {
			return 0, fmt.Errorf("%s: %w", r.From, err)
		} else if !more {
			return r.index.count(shard, of)
		}
	}
}

// readOn reads the next member in the record's order, and puts its users into the index. It returns false at the end.
func (r *Record) readOn() (bool, error) {
	i := slices.IndexFunc(r.files, func(f *file) bool { return f.next < f.end })
	if i < 0 {
		return false, nil
	}
	at := slot{file: uint32(i + 1), offset: r.files[i].next}
	err := r.load(r.files[i])
	for n := 0; n < len(r.keys) && err == nil; n++ {
		at.key = r.keys[n]
		err = r.index.add(at)
	}
	return true, err
}

// load reads the next member of a file.
func (r *Record) load(f *file) (err error) {
	r.keys = r.keys[:0]
	r.lines, err = r.reader.next(f)
	for i := 0; i < len(r.lines) && err == nil; i++ {
		var k key
		k, err = keyIn(r.lines[i])
		r.keys = append(r.keys, k)
	}
	return err
}

// Close closes the files.
func (r *Record) Close() {
	for _, f := range r.files {
		_ = f.Close()
	}
	if r.index != nil {
		r.index.close()
	}
}
