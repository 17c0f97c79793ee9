package sweep

import (
	"time"

	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/sweep/record"
)

// save writes a checkpoint: when a block counts. After a kill, the users since then are asked again.
func (c *collector) save() error {
	text, err := c.checkpoint()
	if err != nil {
		return err
	}
	return c.write(text)
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
	c.sweep.asker.Controls(func(p exchange.Probe, served time.Time) {
		state.Controls = append(state.Controls, record.Control{Operation: p.Operation, Version: p.Version,
			User: int64(p.Position) - 1, Served: served.UTC()})
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
