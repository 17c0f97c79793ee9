package redact

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// hiddenBegins is how the name of something hidden begins.
const hiddenBegins = "[secret:"

// Hidden stands where so many bytes were hidden.
func Hidden(size int) string { return fmt.Sprintf("%s%d]", hiddenBegins, size) }

// likeHidden is what reads like the name of something hidden, or like what Said makes of that.
var likeHidden = regexp.MustCompile(`\[(?:said-)*secret:`)

// Said marks what a target said by itself although it reads like the name of something hidden: once a text has been marked
// and then cleaned, such a name stands only where something was hidden.
func Said(text string) string {
	return likeHidden.ReplaceAllStringFunc(text, func(like string) string { return "[said-" + like[1:] })
}

// mostNames is how many different traces are told apart. Only a target that makes them up on purpose sends more.
const mostNames = 10_000

// names tells different traces apart: the first of a length is called by the length alone, the others are numbered.
type names struct {
	mu     sync.Mutex
	known  map[[sha256.Size]byte]string
	counts map[int]int // by length
	over   bool
}

func newNames() *names {
	return &names{known: map[[sha256.Size]byte]string{}, counts: map[int]int{}}
}

// of is the name of a trace. The traces themselves are not kept.
func (n *names) of(trace string) string {
	key := sha256.Sum256([]byte(trace))
	n.mu.Lock()
	defer n.mu.Unlock()
	if name, ok := n.known[key]; ok {
		return name
	}
	if len(n.known) >= mostNames {
		n.over = true
		return fmt.Sprintf("%s%d#]", hiddenBegins, len(trace))
	}
	n.counts[len(trace)]++
	name := Hidden(len(trace))
	if number := n.counts[len(trace)]; number > 1 {
		name = fmt.Sprintf("%s%d#%d]", hiddenBegins, len(trace), number)
	}
	n.known[key] = name
	return name
}

// withinHidden tells whether a secret may stand in a name of something hidden; no text is so long, and none has so many
// traces, that ten digits are needed.
func withinHidden(secret string) bool {
	digit := func(r rune) bool { return '0' <= r && r <= '9' }
	within := func(r rune) bool { return digit(r) || strings.ContainsRune(hiddenBegins+"#]", r) }
	return strings.TrimFunc(lower(secret), within) == "" && (len(secret) < 10 || strings.TrimFunc(secret, digit) != "")
}

// Apart tells whether all traces so far could be told apart: else two texts that differed may be alike once cleaned.
func (s *Secrets) Apart() bool {
	if s == nil {
		return true
	}
	if s.names == nil {
		return false
	}
	s.names.mu.Lock()
	defer s.names.mu.Unlock()
	return !s.names.over
}
