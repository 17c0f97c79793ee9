package sweep

import (
	"time"

	"authenticator-conformance/suites/sweep/record"
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

// write syncs the files to disk, then writes the checkpoint that refers to them.
func (c *checkpointer) write(text []byte) error {
	for _, file := range c.collector.files {
		if err := file.Sync(); err != nil {
			return err
		}
	}
	w := c.collector.sweep
	return record.WriteCheckpoint(w.Settings.ReportDir, w.out.Guard(), text)
}

// saveSometimes starts writing a checkpoint if one is due and none is being written. It waits while users may be
// hidden who were counted: a sweep is resumed before them (J23).
func (c *checkpointer) saveSometimes() error {
	if c.running {
		select {
		case err := <-c.done:
			c.running = false
			if err != nil {
				return err
			}
		default:
			return nil
		}
	}
	if time.Since(c.last) < c.interval || c.collector.sweep.controls.MayHideUsers() {
		return nil
	}
	return c.begin()
}

func (c *checkpointer) begin() error {
	c.last = time.Now()
	text, err := c.collector.checkpoint()
	if err != nil {
		return err
	}
	c.interval = max(shortestPause, partOfTime*time.Since(c.last))
	c.done, c.running = make(chan error, 1), true
	go func() { c.done <- c.write(text) }()
	return nil
}

// save writes a checkpoint now and waits for it.
func (c *checkpointer) save() error {
	if err := c.wait(); err != nil {
		return err
	}
	if err := c.begin(); err != nil {
		return err
	}
	return c.wait()
}

// wait waits for the checkpoint that is being written.
func (c *checkpointer) wait() error {
	if !c.running {
		return nil
	}
	c.running = false
	return <-c.done
}
