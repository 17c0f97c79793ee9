package sweep

import (
	"time"

	"authenticator-conformance/suites/internal/checkpoint"
)

// checkpointer writes checkpoints in the background, so that no user waits for the disk.
type checkpointer struct {
	collector *collector
	done      chan error // the result of the one that is being written
	running   bool
	last      time.Time
	interval  time.Duration // until the next checkpoint
}

// How often a checkpoint is written: not more often than this, and writing takes at most this share of the time. After
// a kill, the users checked since the last checkpoint are checked again.
const (
	shortestPause = 100 * time.Millisecond
	partOfTime    = 20
)

// write syncs findings and answers to disk, then writes the checkpoint that refers to them.
func (s *checkpointer) write(text []byte) error {
	if err := s.collector.findings.Sync(); err != nil {
		return err
	}
	if err := s.collector.answers.Sync(); err != nil {
		return err
	}
	w := s.collector.sweep
	return checkpoint.WriteCheckpoint(w.Settings.ReportDir, w.guard, text)
}

// saveSometimes starts writing a checkpoint if one is due and none is being written.
func (s *checkpointer) saveSometimes() error {
	if s.running {
		select {
		case err := <-s.done:
			s.running = false
			if err != nil {
				return err
			}
		default:
			return nil
		}
	}
	if time.Since(s.last) < s.interval {
		return nil
	}
	return s.begin()
}

func (s *checkpointer) begin() error {
	s.last = time.Now()
	text, err := s.collector.checkpoint()
	if err != nil {
		return err
	}
	s.interval = max(shortestPause, partOfTime*time.Since(s.last))
	s.done, s.running = make(chan error, 1), true
	go func() { s.done <- s.write(text) }()
	return nil
}

// save writes a checkpoint now and waits for it.
func (s *checkpointer) save() error {
	if err := s.wait(); err != nil {
		return err
	}
	if err := s.begin(); err != nil {
		return err
	}
	return s.wait()
}

// wait waits for the checkpoint that is being written.
func (s *checkpointer) wait() error {
	if !s.running {
		return nil
	}
	s.running = false
	return <-s.done
}
