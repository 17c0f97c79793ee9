package recorded

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// Record is the record of a version: one file, or a folder with one of each shard. It is read in its own order as far
// as users are asked for in that order; other users are found by an index. It is safe for concurrent use.
type Record struct {
	exchange.Recorded
	version schemas.Version
	shards  []*shard

	mu      sync.Mutex
	index   *index
	indexed int64
	ended   bool
	counted map[[2]int]int64 // users by shard, of those that were counted
	ahead   cursor
	random  member // the member that was read last by the index
	at      place  // of random
}

// Open opens the record of a version, and checks that it is whole and unchanged. folder is for its index, "" for that
// of temporary files. The errors say what is wrong, and with which file.
func Open(path string, v schemas.Version, contract *schemas.Contract, folder string) (*Record, error) {
	names := []string{path}
	if info, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("the record of %s can't be read: %w; name the file that conformance sweep --record wrote",
			v, err)
	} else if info.IsDir() {
		if names, err = filepath.Glob(filepath.Join(path, "*.ndjson.gz")); err != nil || len(names) == 0 {
			return nil, fmt.Errorf("%s: the folder has no record (*.ndjson.gz) of a shard; name the file or the folder that "+
				"conformance sweep --record wrote", path)
		}
	}
	r := &Record{version: v, counted: map[[2]int]int64{}}
	for _, name := range names {
		s, err := openShard(name, v, contract)
		if err == nil {
			r.shards = append(r.shards, s)
			err = r.join(s)
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

// join adds a shard to what the whole is.
func (r *Record) join(s *shard) error {
	h, f := s.header, s.footer
	if len(r.shards) == 1 {
		r.Recorded = exchange.Recorded{Target: h.Target, Subject: h.Subject, Suite: h.Suite, Contract: h.Contract,
			Settings: h.Settings, Population: f.Population, Users: f.Users, Withheld: f.Withheld,
			Started: h.Started, Finished: f.Finished, Digest: f.Digest}
		return nil
	}
	first := r.shards[0].header
	if h.Target != first.Target || h.Settings != first.Settings || h.Shards != first.Shards || h.Suite != first.Suite ||
		f.Population != r.Population {
		return errors.New("is of another sweep than the record of the first shard beside it: it has another target, " +
			"population, number of shards, settings or suite; name a folder with the shards of one sweep")
	}
	r.Users, r.Withheld = r.Users+f.Users, r.Withheld+f.Withheld
	if h.Started.Before(r.Started) {
		r.Started = h.Started
	}
	if f.Finished.After(r.Finished) {
		r.Finished = f.Finished
	}
	r.Digest = exchange.DigestOf([]byte(r.Digest + f.Digest))
	return nil
}

// checkShards returns an error unless each shard is there once.
func (r *Record) checkShards() error {
	seen, of := map[int]bool{}, r.shards[0].header.Shards
	for _, s := range r.shards {
		if n := s.header.Shard; seen[n] || n < 1 || n > of {
			return fmt.Errorf("the record of shard %d of %d is there twice, or is no shard: name a folder with one of each",
				n, of)
		}
		seen[s.header.Shard] = true
	}
	for n := 1; n <= of; n++ {
		if !seen[n] {
			return fmt.Errorf("the record of shard %d of %d is missing: put the records of all shards into one folder, "+
				"and name that", n, of)
		}
	}
	return nil
}

// shard is one file of a record.
type shard struct {
	file   *os.File
	header Header
	footer Footer
	end    int64 // where the member of the footer begins
}

func openShard(path string, v schemas.Version, contract *schemas.Contract) (*shard, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	s := &shard{file: file}
	if err := s.check(v, contract); err != nil {
		_ = file.Close()
		return nil, err
	}
	return s, nil
}

// check reads header and footer, and checks that the file is what the sweep wrote.
func (s *shard) check(v schemas.Version, contract *schemas.Contract) error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	if s.header, err = readHeader(s.file); err != nil {
		return err
	}
	tail := make([]byte, min(info.Size(), maxFooter))
	if _, err := s.file.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
		return err
	}
	footer, size, found := findFooter(tail)
	if !found {
		return errors.New("the record has no footer, so it is cut or its sweep has not ended: continue that with " +
			"--resume, or name the whole file")
	}
	s.footer, s.end = footer, info.Size()-int64(size)
	digest := sha256.New()
	if _, err := io.Copy(digest, io.NewSectionReader(s.file, 0, s.end)); err != nil {
		return err
	}
	switch found := fmt.Sprintf("sha256:%x", digest.Sum(nil)); {
	case found != footer.Digest:
		return fmt.Errorf("the record was changed: its digest is %s, and its footer says %s; name the unchanged file",
			found, footer.Digest)
	case s.header.Version != v:
		return fmt.Errorf("is a record of %s, not of %s: give it as %s=FILE", s.header.Version, v, s.header.Version)
	case !contract.Is(s.header.Contract):
		return fmt.Errorf("was recorded by another contract (%s) than that of this suite: compare with the release of "+
			"the suite that recorded it (%s)", s.header.Contract, s.header.Suite)
	}
	return nil
}

// Version returns the version that was recorded.
func (r *Record) Version() schemas.Version { return r.version }

// Take returns the line of a user, to be parsed by Parse, or nil if the record does not have the user.
func (r *Record) Take(u exchange.User) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	wanted := keyOf(u)
	if text, k, err := r.peek(); err != nil || text != nil && k == wanted {
		if err == nil {
			err = r.pass(k)
		}
		return text, err
	}
	if at, found, err := r.index.find(wanted); err != nil || found {
		if err != nil {
			return nil, err
		}
		return r.readAt(at)
	}
	for {
		text, k, err := r.peek()
		if err != nil || text == nil {
			return nil, err
		}
		if err := r.pass(k); err != nil || k == wanted {
			return text, err
		}
	}
}

// Parse returns the answers in the line of a user; nil if there is none, or it is of another user.
func (r *Record) Parse(text []byte, u exchange.User) (*Answers, error) {
	if text == nil {
		return nil, nil
	}
	a, err := parse(text)
	if err != nil || (exchange.User{ID: a.ID, UserID: a.UserID}).Key() != u.Key() {
		return nil, err
	}
	return a, nil
}

// Do returns the recorded answer to a probe. The error wraps exchange.ErrNotRecorded if the record lacks it.
func (r *Record) Do(_ context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	text, err := r.Take(p.User)
	if err != nil {
		return nil, err
	}
	a, err := r.Parse(text, p.User)
	if err != nil {
		return nil, err
	}
	return a.Exchange(p)
}

// Count returns how many users of a shard, from 1, the record has. It reads the rest of the record.
func (r *Record) Count(shard, of int) (n int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		text, k, err := r.peek()
		if err != nil {
			return 0, err
		}
		if text == nil {
			return r.counted[[2]int{shard, of}], nil
		}
		if err := r.pass(k); err != nil {
			return 0, err
		}
	}
}

// CountFor makes Count ready for a shard. It is called before the first user is taken.
func (r *Record) CountFor(shard, of int) { r.counted[[2]int{shard, of}] = 0 }

// peek returns the next line in the record's order, and the key of its user; nil at the end.
func (r *Record) peek() ([]byte, key, error) {
	for !r.ended {
		text, ok := r.ahead.line()
		if ok {
			k, err := keyIn(text)
			return text, k, err
		}
		more, err := r.ahead.next(r.shards)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", r.From, err)
		}
		r.ended = !more
	}
	return nil, 0, nil
}

// pass goes past the next line, and puts it into the index.
func (r *Record) pass(k key) error {
	if r.indexed++; r.indexed > r.Users {
		return fmt.Errorf("%s: the record has more users than its footer says (%d)", r.From, r.Users)
	}
	at := r.ahead.place()
	r.ahead.number++
	for shard := range r.counted {
		if of := shard[1]; of < 2 || int(uint64(k)%uint64(of)) == shard[0]-1 {
			r.counted[shard]++
		}
	}
	return r.index.add(k, at)
}

// readAt returns the line at a place. Users who are near each other in the record are often asked for one after the
// other, so that the last member is kept.
func (r *Record) readAt(at place) ([]byte, error) {
	if r.random.lines == nil || r.at.file != at.file || r.at.offset != at.offset {
		one, _, err := readMember(r.shards[at.file], at.offset)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.From, err)
		}
		r.random, r.at = one, at
	}
	if at.line >= len(r.random.lines) {
		return nil, fmt.Errorf("%s: was changed while it was read", r.From)
	}
	return r.random.lines[at.line], nil
}

// keyIn returns the key in the line of a user.
func keyIn(text []byte) (key, error) {
	if bytes.HasPrefix(text, []byte(keyBegin)) && len(text) > len(keyBegin)+keySize {
		if n, err := strconv.ParseUint(string(text[len(keyBegin):len(keyBegin)+keySize]), 16, 64); err == nil {
			return key(n), nil
		}
	}
	return 0, errors.New("the record has a line that is not of a user")
}

// Close closes the files.
func (r *Record) Close() {
	for _, s := range r.shards {
		_ = s.file.Close()
	}
	if r.index != nil {
		r.index.close()
	}
}
