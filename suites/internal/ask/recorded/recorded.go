package recorded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
)

// Record is the record of a version: one file, or a folder with one of each shard. It is read in its own order, as far
// as is needed to find the users who are asked for.
type Record struct {
	exchange.Recorded
	Version schemas.Version
	files   []*file // their lines of users follow each other: an offset is one in all of them
	index   *index  // of the lines before next

	next, end int64 // offset of the first member that was not read, and of the end
	// lines are those of the member that was read last: users near each other are often asked for in turn.
	lines map[uint64][]byte
}

// Open opens the record of a version, and checks that it is whole and unchanged. folder is for its index, "" for that
// of temporary files. The errors say what is wrong, and with which file.
func Open(path string, v schemas.Version, contract *schemas.Contract, folder string) (*Record, error) {
	names := []string{path}
	if info, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("the record of %s can't be read: %w; name the file that conformance sweep --record "+
			"wrote or, for a run, the report folder of an earlier run", v, err)
	} else if info.IsDir() {
		if names, err = filesIn(path); err != nil || len(names) == 0 {
			return nil, fmt.Errorf("%s: the folder has no record (*.ndjson.gz) of a shard; name the file or the "+
				"folder that conformance sweep --record wrote", path)
		}
	}
	r := &Record{Version: v, lines: map[uint64][]byte{}}
	for _, name := range names {
		if err := r.add(name, contract); err != nil {
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

// add opens and checks a file, and adds it to what the whole is.
func (r *Record) add(name string, contract *schemas.Contract) error {
	f, err := openFile(name)
	if _, other := errors.AsType[*strictjson.OtherFormat](err); other {
		return fmt.Errorf("%w; compare with that release, or record again", err)
	} else if err != nil {
		return fmt.Errorf("%w; name the file as conformance sweep --record wrote it", err)
	}
	r.files, r.end = append(r.files, f), r.end+f.end-f.begin
	if err := f.check(r.Version, contract); err != nil {
		return err
	}
	a := f.about
	if len(r.files) == 1 {
		r.Recorded = a.Recorded
		return nil
	}
	if difference := r.files[0].about.differs(&a); difference != "" {
		return fmt.Errorf("is of another sweep than %s: they differ in %s; name a folder with the parts of one sweep",
			filepath.Base(r.files[0].Name()), difference)
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

// Find returns the answers of a user, or nil if the record does not have the user.
func (r *Record) Find(u exchange.User) (*Answers, error) {
	k := u.Hash()
	for {
		if line := r.lines[k]; line != nil {
			return parse(line, u)
		}
		at, _, err := r.index.find(k)
		switch known := at >= 0; {
		case err != nil:
		case !known && r.next == r.end:
			return nil, nil
		case !known:
			err = r.readOn()
		default:
			if _, err = r.load(at); err == nil && r.lines[k] == nil {
				err = errors.New("the record was changed while it was read")
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.From, err)
		}
	}
}

// Do returns the recorded answer to a probe. The error is exchange.ErrNotRecorded if the record lacks it.
func (r *Record) Do(_ context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	a, err := r.Find(p.User)
	if err != nil {
		return nil, err
	}
	if ex := a.Exchange(p); ex != nil {
		return ex, nil
	}
	return nil, exchange.ErrNotRecorded
}

// Count returns how many users of a shard, from 1, the record has. If there are several shards, it reads the record
// again.
func (r *Record) Count(shard, of int) (users int64, err error) {
	if of == 1 {
		return r.Users, nil
	}
	for at, size := int64(0), int64(0); at < r.end; at += size {
		if size, err = r.load(at); err != nil {
			return 0, fmt.Errorf("%s: %w", r.From, err)
		}
		for k := range r.lines {
			if k%uint64(of) == uint64(shard-1) {
				users++
			}
		}
	}
	return users, nil
}

// readOn reads the next member in the record's order, and puts its users into the index.
func (r *Record) readOn() error {
	size, err := r.load(r.next)
	for k := range r.lines {
		if err == nil {
			err = r.index.add(k, r.next)
		}
	}
	r.next += size
	return err
}

// load reads the member at an offset, and returns its size.
func (r *Record) load(at int64) (size int64, err error) {
	var lines [][]byte
	for _, f := range r.files {
		if at += f.begin; at < f.end {
			lines, size, err = f.member(at)
			break
		}
		at -= f.end
	}
	clear(r.lines)
	for _, line := range lines {
		k, err := keyIn(line)
		if err != nil {
			return 0, err
		}
		r.lines[k] = line
	}
	return size, err
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
