package sweep

import (
	"time"

	"authenticator-conformance/suites/internal/checkpoint"
)

// checkpointer writes checkpoints beside the work: users are not kept waiting for a disk.
type checkpointer struct {
	collector *collector
	texts     chan []byte
	done      chan error // one for each text
	busy      bool
	last      time.Time
	pause     time.Duration // until the following one
}

// A checkpoint is made this often at most, and so seldom that making it takes no more than this part of the time. What
// a kill costs is what is looked at between two of them.
const (
	shortestPause = 100 * time.Millisecond
	partOfTime    = 20
)

func newSaver(k *collector) *checkpointer {
	s := &checkpointer{collector: k, texts: make(chan []byte), done: make(chan error, 1)}
	go func() {
		for text := range s.texts {
			s.done <- s.write(text)
		}
		close(s.done)
	}()
	return s
}

// write makes findings and answers durable, and then the checkpoint that says how far they go.
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

// saveSometimes begins a checkpoint where it is time for one, and none is being written.
func (s *checkpointer) saveSometimes() error {
	if s.busy {
		select {
		case err := <-s.done:
			s.busy = false
			if err != nil {
				return err
			}
		default:
			return nil
		}
	}
	if time.Since(s.last) < s.pause {
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
	s.pause = max(shortestPause, partOfTime*time.Since(s.last))
	s.texts <- text
	s.busy = true
	return nil
}

// save writes a checkpoint now.
func (s *checkpointer) save() error {
	if err := s.wait(); err != nil {
		return err
	}
	if err := s.begin(); err != nil {
		return err
	}
	return s.wait()
}

func (s *checkpointer) wait() error {
	if !s.busy {
		return nil
	}
	s.busy = false
	return <-s.done
}

// stop ends the writing, whatever came of it.
func (s *checkpointer) stop() {
	_ = s.wait() // finish has told of what failed
	close(s.texts)
	<-s.done
}
