package sweep

import (
	"time"

	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/sweep/record"
)

// Checkpoints are written in the background, so that no user waits for the disk. They are not written more often than
// this, and writing takes at most this share of the time. After a kill, the users checked since the last checkpoint are
// checked again.
const (
	shortestPause = 100 * time.Millisecond
	partOfTime    = 20
)

// saveSometimes starts writing a checkpoint if one is due and none is being written. It waits while users may be
// hidden who were counted: a sweep is resumed before them (J23).
func (c *collector) saveSometimes() error {
	if time.Now().Before(c.due) || c.sweep.controls.MayHideUsers() || c.writing != nil && len(c.writing) == 0 {
		return nil
	}
	return c.startCheckpoint()
}

// save writes a checkpoint now and waits for it.
func (c *collector) save() error {
	if err := c.startCheckpoint(); err != nil {
		return err
	}
	return c.wait()
}

// startCheckpoint starts writing a checkpoint, once the one before is written.
func (c *collector) startCheckpoint() error {
	if err := c.wait(); err != nil {
		return err
	}
	begun := time.Now()
	text, err := c.checkpoint()
	if err != nil {
		return err
	}
	c.due = begun.Add(max(shortestPause, partOfTime*time.Since(begun)))
	writing := make(chan error, 1)
	go func() { writing <- c.write(text) }()
	c.writing = writing
	return nil
}

// wait waits for the checkpoint that is being written.
func (c *collector) wait() (err error) {
	if c.writing != nil {
		err = <-c.writing
	}
	c.writing = nil
	return err
}

// checkpoint returns the current state as the text of a checkpoint.
func (c *collector) checkpoint() (text []byte, err error) {
	state := c.Checkpoint
	if state.Findings, err = c.findings.Position(); err != nil {
		return nil, err
	}
	if state.Answers, err = c.answers.Position(); err != nil {
		return nil, err
	}
	if c.recording != nil {
		if state.Record, err = c.recording.Position(); err != nil {
			return nil, err
		}
	}
	state.Total = max(state.Total, c.sweep.counted.Load())
	state.Traffic, state.Elapsed, state.Controls = c.sent(), c.elapsed(), nil
	c.sweep.controls.Each(func(p exchange.Probe, served time.Time) {
		state.Controls = append(state.Controls, record.Control{Operation: p.Operation, Version: p.Version,
			User: int64(p.Position) - 1, Served: served})
	})
	return state.Text()
}

// write syncs the files to disk, then writes the checkpoint that refers to them.
func (c *collector) write(text []byte) error {
	for _, file := range c.files {
		if err := file.Sync(); err != nil {
			return err
		}
	}
	return record.WriteCheckpoint(c.sweep.Settings.ReportDir, c.sweep.out.Guard(), text)
}
