package ledger

import "authenticator-conformance/schemas"

// Observe notes what the target did at an open point.
func (l *Ledger) Observe(id string, op schemas.Operation, v schemas.Version, text string) {
	l.observe(question{operation: op}, position{id, operationVersion{op, v}}, text, 1)
}

// Asked notes that an exchange could have shown something at an open point, and showed nothing.
func (l *Ledger) Asked(id string, op schemas.Operation, v schemas.Version) {
	l.observe(question{operation: op}, position{id, operationVersion{op, v}}, "", 0)
}

// AddVolatile lists a volatile place.
func (l *Ledger) AddVolatile(op schemas.Operation, pointer string) { l.addVolatile(op, pointer) }
