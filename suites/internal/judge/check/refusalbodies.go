package check

import (
	"crypto/sha256"
	"sync"
)

// refusalBody is what the body of an answer shows that should be a refusal.
type refusalBody struct {
	discloses bool   // it holds a record or identifiers (J13)
	value     any    // an excerpt of what it discloses; nil if it discloses nothing
	shape     string // in words
}

// refusalBodies remembers what the last bodies showed, so that equal ones are decoded once. Most refusals are equal,
// and a hostile target may answer each of some hundred requests with the same 16 MiB. It is safe for concurrent use.
type refusalBodies struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]refusalBody
}

// maxRefusalBodies limits how many bodies are remembered, of which excerpts are kept.
const maxRefusalBodies = 64

// read returns what a body shows. It calls read for a body that is not remembered.
func (b *refusalBodies) read(body []byte, read func(body []byte) refusalBody) refusalBody {
	key := sha256.Sum256(body)
	b.mu.Lock()
	found, known := b.known[key]
	b.mu.Unlock()
	if known {
		return found
	}
	found = read(body)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known == nil || len(b.known) >= maxRefusalBodies {
		b.known = map[[sha256.Size]byte]refusalBody{}
	}
	b.known[key] = found
	return found
}
