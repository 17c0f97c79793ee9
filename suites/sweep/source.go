package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"authenticator-conformance/suites/internal/population"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/wording"
)

// source gives the users to look at, in the population's order: those of a shard, of a sample, or all.
type source struct {
	reader *population.Reader // nil where the users were known before
	shard  stats.Shard
	listed bool             // the users are those of list
	list   []population.Row // that are left: a sample, or those of the embedded reference
	length int              // of the list at its beginning
	all    stats.Population // where they are listed
	users  int64            // of the file, as far as it was read
}

// open begins to read the population. A sample is drawn in one pass before anything is sent.
func (w *Sweep) open(ctx context.Context) (*source, error) {
	s := &source{shard: w.Options.Shard}
	if w.Settings.UsersFile == "" {
		return s.of(w.known), nil
	}
	reader, err := population.Open(w.Settings.UsersFile, until(ctx, w.stdin), w.Contract)
	if err != nil {
		return nil, err
	}
	s.reader = reader
	if w.Options.Sample == 0 {
		return s, nil
	}
	if err := s.draw(ctx, w.Options); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// until reads an input to its end or that of the context: a terminal, or a pipe, may bring nothing for as long as it
// likes.
func until(ctx context.Context, input io.Reader) io.Reader {
	if input == nil {
		return nil
	}
	reader, writer := io.Pipe()
	started := sync.OnceFunc(func() {
		context.AfterFunc(ctx, func() { _ = writer.CloseWithError(context.Cause(ctx)) })
		go func() {
			_, err := io.Copy(writer, input)
			_ = writer.CloseWithError(err) // nil is the end
		}()
	})
	return readerFunc(func(b []byte) (int, error) {
		started() // an input that nobody reads is left alone
		return reader.Read(b)
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// of makes a source of known users, of whom is known who is enrolled.
func (s *source) of(known []settings.User) *source {
	s.listed, s.all = true, stats.Population{Users: int64(len(known)), Digest: "the embedded reference"}
	for i, user := range known {
		if u := (population.Row{User: user, EnrolledGiven: true, Index: int64(i)}); s.has(u) {
			s.list = append(s.list, u)
		}
	}
	s.length = len(s.list)
	return s
}

func (s *source) draw(ctx context.Context, o Options) error {
	sample := population.NewSample(o.Sample, o.Seed)
	for ctx.Err() == nil {
		user, err := s.next()
		if errors.Is(err, io.EOF) {
			s.list, s.all = sample.Users(), s.read()
			s.listed, s.length = true, len(s.list)
			return nil
		}
		if err != nil {
			return err
		}
		sample.Add(user)
	}
	return context.Cause(ctx)
}

func (s *source) has(u population.Row) bool {
	return population.Shard(u.User, s.shard.Of) == s.shard.Index-1
}

// next gives the next user, and io.EOF behind the last.
func (s *source) next() (population.Row, error) {
	if s.listed {
		if len(s.list) == 0 {
			return population.Row{}, io.EOF
		}
		user := s.list[0]
		s.list = s.list[1:]
		return user, nil
	}
	for {
		user, err := s.reader.Next()
		if err != nil {
			return user, err
		}
		s.users++
		if s.has(user) {
			return user, nil
		}
	}
}

// read is what was read of the population so far.
func (s *source) read() stats.Population {
	if s.listed {
		return s.all
	}
	return stats.Population{Users: s.users, Digest: s.reader.Digest()}
}

// skip passes over the users that were looked at before, and makes sure that they are the same.
func (s *source) skip(users int64, read stats.Population) error {
	for range users {
		if _, err := s.next(); errors.Is(err, io.EOF) {
			return fmt.Errorf("--resume: the population has fewer users now than were looked at before (%d): give the users file with which the sweep was begun, or begin anew with --restart", users)
		} else if err != nil {
			return fmt.Errorf("--resume: %w", err)
		}
	}
	if users > 0 && s.read() != read {
		return fmt.Errorf("--resume: the users of the population up to number %s are not those that were looked at before: give the users file with which the sweep was begun, or begin anew with --restart", wording.Number(read.Users))
	}
	return nil
}

// mostCounting bounds how long users are counted, of a sweep that somebody stopped and waits for.
const mostCounting = 2 * time.Second

// countUsers counts the users that the sweep would look at; 0 if they can't be counted soon, or come from an input that
// is read once.
func (w *Sweep) countUsers() int64 {
	if w.source.listed {
		return int64(w.source.length)
	}
	if _, size := w.source.size(); size == 0 {
		return 0
	}
	reader, err := population.Open(w.Settings.UsersFile, nil, w.Contract)
	if err != nil {
		return 0
	}
	s := &source{shard: w.Options.Shard, reader: reader}
	defer s.close()
	for n, begun := int64(0), time.Now(); time.Since(begun) < mostCounting; n++ {
		if _, err := s.next(); errors.Is(err, io.EOF) {
			return n
		} else if err != nil {
			return 0
		}
	}
	return 0
}

// size tells how far the users file was read, in bytes, and how long it is; 0 where that is not known.
func (s *source) size() (done, total int64) {
	if s.reader == nil {
		return 0, 0
	}
	return s.reader.SizeHint()
}

func (s *source) close() {
	if s.reader != nil {
		_ = s.reader.Close() // what could be read has been
	}
}
