package sweep

import (
	"time"

	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/sweep/record"
)

// Checkpoints are written in the background, so that no user waits for the disk. After a kill, the users checked since
// the last one are checked again. They are not written more often than this, and writing takes at most this share of
// the time.
const (
	shortestPause = 100 * time.Millisecond
	partOfTime    = 20
)

// saveSometimes starts writing a checkpoint if one is due and none is being written. It waits while users may be
// hidden who were counted: a sweep is resumed before them (J23).
func (c *collector) saveSometimes() error {
	if c.writing != nil && len(c.writing) == 0 {
		return nil
	}
	if err := c.wait(); err != nil {
		return err
	}
	if time.Now().Before(c.due) || c.sweep.controls.MayHideUsers() {
		return nil
	}
	return c.beginCheckpoint()
}

// save writes a checkpoint now and waits for it.
func (c *collector) save() error {
	err := c.wait()
	if err == nil {
		err = c.beginCheckpoint()
	}
	if err == nil {
		err = c.wait()
	}
	return err
}

// wait waits for the checkpoint that is being written.
func (c *collector) wait() error {
	if c.writing == nil {
		return nil
	}
	defer func() { c.writing = nil }()
	return <-c.writing
}

func (c *collector) beginCheckpoint() error {
	begun := time.Now()
	text, err := c.checkpoint()
	if err != nil {
		return err
	}
	c.due = begun.Add(max(shortestPause, partOfTime*time.Since(begun)))
	c.writing = make(chan error, 1)
	go func() { c.writing <- c.write(text) }()
	return nil
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
