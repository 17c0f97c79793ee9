package ledger

import "authenticator-conformance/schemas"

// Observe notes what the target did at an open point.
func (l *Ledger) Observe(id string, op schemas.Operation, v schemas.Version, seen any) {
	l.observe(question{operation: op}, position{id, operationVersion{op, v}}, seen, 1)
}

// Asked notes that an exchange could have shown something at an open point, and showed nothing.
func (l *Ledger) Asked(id string, op schemas.Operation, v schemas.Version) {
	l.observe(question{operation: op}, position{id, operationVersion{op, v}}, nil, 0)
}
