package asker

import (
	"context"
	"time"
)

// RetryAfter returns how long an answer asks to wait, and whether it says so.
var RetryAfter = retryAfter

// Pass waits until a request may be sent.
func (a *Asker) Pass(ctx context.Context) error { return a.gate.pass(ctx) }

// Pause lets nothing pass for a time.
func (a *Asker) Pause(d time.Duration) { a.gate.pause(d) }

// ChangePace changes how fast requests are sent.
func (a *Asker) ChangePace(to func(Pace) Pace) { a.gate.change(to) }

// Back notes that a request that passed is answered.
func (a *Asker) Back() { a.gate.back() }
