package sweep

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"time"

	"authenticator-conformance/suites/internal/ask/asker"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/settings/users"
)

// source yields the users to check in the population's order: those of a shard, of a sample, or all.
type source struct {
	reader *users.Reader // nil for a list
	shard  stats.Shard
	whole  *stats.Population // what a list or a sample is of; nil if the file is read as it is swept
	length int64             // of the list or sample, in this shard
	users  int64             // users that were taken so far, also of other shards
	sum    [sha256.Size]byte // of these users of the file
	ahead  []readRow         // users that were read, and not taken: all of a list or sample
	// firstUsers are the first users of the population who may be enrolled.
	firstUsers []users.Row
	digest     func(string) string // makes a digest of the users as it may be shown
}

// open opens the population. A sample is drawn in one pass over the file before anything is sent.
func (s *Sweep) open(ctx context.Context) (*source, error) {
	opened := &source{shard: s.Options.Shard, digest: s.out.Digest}
	list, digest := s.lastFailed, "the embedded reference"
	switch {
	case s.lastFailed != nil:
		digest = opened.digest(users.DigestOfRows(list))
	case s.Settings.UsersFile == "":
		for i, user := range s.Settings.Users {
			list = append(list, users.Row{User: user, EnrolledGiven: true, Index: int64(i)})
		}
	default:
		return s.openFile(ctx, opened)
	}
	for _, user := range list {
		opened.noteFirst(user)
	}
	opened.useList(list, stats.Population{Users: int64(len(list)), Digest: digest})
	return opened, nil
}

func (s *Sweep) openFile(ctx context.Context, opened *source) (_ *source, err error) {
	stdin := s.stdin
	if stdin != nil && s.Settings.UsersFile == settings.StandardInput {
		stdin = until(ctx, stdin)
	}
	if opened.reader, err = users.Open(s.Settings.UsersFile, stdin, s.Contract); err != nil {
		return nil, err
	}
	if s.out.Hides() {
		opened.reader.HideValues()
	}
	if s.Options.Sample > 0 {
		if err := opened.sampleUsers(ctx, s.Options); err != nil {
			opened.close()
			return nil, err
		}
	}
	return opened, nil
}

// until returns a reader that ends with the input or with the context: a terminal or a pipe may block for any time.
func until(ctx context.Context, input io.Reader) io.Reader {
	reader, writer := io.Pipe()
	context.AfterFunc(ctx, func() { _ = writer.CloseWithError(context.Cause(ctx)) })
	go func() {
		_, err := io.Copy(writer, input)
		_ = writer.CloseWithError(err) // nil becomes io.EOF
	}()
	return reader
}

// useList makes the source yield the given users of a population.
func (s *source) useList(list []users.Row, whole stats.Population) {
	s.whole = &whole
	for _, user := range list {
		s.ahead = append(s.ahead, readRow{Row: user})
		if s.contains(user) {
			s.length++
		}
	}
}

func (s *source) sampleUsers(ctx context.Context, o Options) error {
	sample := users.NewSample(o.Sample, o.Seed)
	for ctx.Err() == nil {
		user, err := s.next()
		if errors.Is(err, io.EOF) {
			s.useList(sample.Users(), s.read())
			return nil
		}
		if err != nil {
			return err
		}
		sample.Add(user)
	}
	return context.Cause(ctx)
}

func (s *source) contains(u users.Row) bool {
	return users.Shard(u.User, s.shard.Of) == s.shard.Index-1
}

// next returns the next user, or io.EOF after the last.
func (s *source) next() (users.Row, error) {
	for {
		row, err := s.readRow()
		if err != nil {
			return row.Row, err
		}
		s.users++
		s.sum = row.sum
		if s.contains(row.Row) {
			return row.Row, nil
		}
	}
}

// nextCheck returns the check of the next user, or io.EOF after the last.
func (s *source) nextCheck() (*userCheck, error) {
	user, err := s.next()
	return &userCheck{user: user, sum: s.sum}, err
}

// readRow is a user of the file, with the sum of all users up to this one.
type readRow struct {
	users.Row
	sum [sha256.Size]byte
}

func (s *source) readRow() (readRow, error) {
	if len(s.ahead) > 0 {
		row := s.ahead[0]
		s.ahead = s.ahead[1:]
		return row, nil
	}
	return s.readAhead()
}

// readAhead reads the next user of the file. An error stays.
func (s *source) readAhead() (readRow, error) {
	if s.reader == nil {
		return readRow{}, io.EOF
	}
	user, err := s.reader.Next()
	if err == nil {
		s.noteFirst(user)
	}
	return readRow{user, s.reader.Sum()}, err
}

// noteFirst notes one of the first users of the population who may be enrolled.
func (s *source) noteFirst(user users.Row) {
	if len(s.firstUsers) < asker.FirstUnmarked && (!user.EnrolledGiven || user.Enrolled) {
		s.firstUsers = append(s.firstUsers, user)
	}
}

// maxAhead is how many users are read to find the first ones who may be enrolled.
const maxAhead = 1000

// first returns the user with an index from 0 among the first of the population who may be enrolled. It reads no
// further than it needs, as the input may be idle.
func (s *source) first(i int) (users.Row, bool) {
	for len(s.firstUsers) <= i && len(s.ahead) < maxAhead {
		row, err := s.readAhead()
		if err != nil {
			break // it is met again when the user is taken
		}
		s.ahead = append(s.ahead, row)
	}
	if i >= len(s.firstUsers) {
		return users.Row{}, false
	}
	return s.firstUsers[i], true
}

// read returns what was read of the population so far.
func (s *source) read() stats.Population { return s.readUpTo(s.users, s.sum) }

// readUpTo returns what the first users of the population are, of which the file has this sum.
func (s *source) readUpTo(first int64, sum [sha256.Size]byte) stats.Population {
	switch {
	case s.whole != nil:
		return *s.whole
	case first == 0:
		return stats.Population{}
	}
	return stats.Population{Users: first, Digest: s.digest(users.DigestOf(sum))}
}

// skip passes over the users who were asked before. It returns an error if they are not the same users.
func (s *source) skip(count int64, read stats.Population, passed func(users.Row)) error {
	for range count {
		user, err := s.next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("--resume: the population has fewer users now than were checked before (%d): give "+
				"the users file with which the sweep was begun, or start again with --restart", count)
		} else if err != nil {
			return fmt.Errorf("--resume: %w", err)
		}
		passed(user)
	}
	if count > 0 && s.read() != read {
		return fmt.Errorf("--resume: the users of the population up to number %s are not those that were checked "+
			"before: give the users file with which the sweep was begun, or start again with --restart",
			wording.Number(read.Users))
	}
	return nil
}

// maxCounting limits how long countUsers takes, since somebody has stopped the sweep and waits.
const maxCounting = 2 * time.Second

// countUsers counts the users that the sweep would check. It returns 0 if that takes too long, or the input can be read
// only once.
func (s *Sweep) countUsers() int64 {
	begun := time.Now()
	// An error is met by the sweep itself.
	users, _, _ := s.readAgain(func() bool { return time.Since(begun) > maxCounting })
	return users
}

// readAgain reads the users file from its beginning, apart from the sweep. It returns how many users the sweep would
// check, and what the file's users are; nothing if enough reports that it is to stop, or the input can be read only
// once.
func (s *Sweep) readAgain(enough func() bool) (count int64, whole stats.Population, err error) {
	if s.source.whole != nil {
		return s.source.length, *s.source.whole, nil
	}
	if _, size := s.source.size(); size == 0 {
		return 0, whole, nil
	}
	again := &source{shard: s.Options.Shard, digest: s.out.Digest}
	if again.reader, err = users.Open(s.Settings.UsersFile, nil, s.Contract); err != nil {
		return 0, whole, err
	}
	defer again.close()
	again.reader.WithoutNotes()
	for ; !enough(); count++ {
		if _, err := again.next(); errors.Is(err, io.EOF) {
			return count, again.read(), nil
		} else if err != nil {
			return 0, whole, err
		}
	}
	return 0, whole, nil
}

// size returns how many bytes of the users file were read and its length; 0, 0 if that is not known.
func (s *source) size() (done, total int64) {
	if s.reader == nil {
		return 0, 0
	}
	return s.reader.SizeHint()
}

func (s *source) close() {
	if s.reader != nil {
		_ = s.reader.Close() // the data has been read, so an error does not matter
	}
}
