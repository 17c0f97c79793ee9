package control

import "authenticator-conformance/suites/internal/judge/exchange"

// maxEarly is how many requests are noted that were refused before others were served.
const maxEarly = 10_000

// noteEarly notes a request that was refused, and sent before its operation and version served anybody.
func (c *Controls) noteEarly(p exchange.Probe) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.early) < maxEarly {
		c.early[p] = true
	}
}

// IsEarly reports whether a request was refused, and sent before its operation and version served anybody.
func (c *Controls) IsEarly(p exchange.Probe) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.early[p]
}

// WasLate reports whether a target, or a part of it, began to serve late: it refused a burst of requests before it
// served others. That is an interruption, and these requests are sent again (J23).
func (c *Controls) WasLate() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	count, users := 0, map[exchange.User]bool{}
	for p := range c.early {
		if c.states[key{p.Operation, p.Version}].probe.Load() != nil {
			count++
			users[p.User] = true
		}
	}
	late := count >= burst && len(users) > 1
	if late {
		c.interruptions.Add(1)
	}
	return late
}
