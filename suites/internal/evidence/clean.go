package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"net/http"
	"strings"
	"sync"
	"unicode/utf8"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/redact"
)

// cleaner takes the secrets out of what is kept.
type cleaner struct {
	texts  *recent
	bodies *recent
}

func newCleaner(secrets *redact.Secrets) *cleaner {
	return &cleaner{
		texts:  newRecent(func(text string) (string, bool) { return secrets.Clean(redact.Said(text)), true }),
		bodies: newRecent(func(text string) (string, bool) { return secrets.CleanJSON(redact.SaidInJSON(text)) }),
	}
}

// recent remembers what became of texts that were cleaned lately: a target says the same again and again, in its headers
// and, to identical requests, in its bodies.
type recent struct {
	clean func(string) (cleaned string, faithful bool)
	seed  maphash.Seed
	slots [256]struct {
		sync.Mutex
		from, to string
		faithful bool
	}
}

func newRecent(clean func(string) (string, bool)) *recent {
	return &recent{clean: clean, seed: maphash.MakeSeed()}
}

// longestRecent bounds what is remembered: only small texts are worth the memory.
const longestRecent = 16 << 10

func (r *recent) of(text string) (cleaned string, faithful bool) {
	if len(text) > longestRecent {
		return r.clean(text)
	}
	slot := &r.slots[maphash.String(r.seed, text)%uint64(len(r.slots))]
	slot.Lock()
	from, to, faithful := slot.from, slot.to, slot.faithful
	slot.Unlock()
	if from == text {
		return to, faithful
	}
	to, faithful = r.clean(text)
	slot.Lock()
	slot.from, slot.to, slot.faithful = text, to, faithful
	slot.Unlock()
	return to, faithful
}

// cleaned is an exchange without secrets.
type cleaned struct {
	exchange.Exchange
	changed  bool // its body or header is not what came
	faithful bool // what differed before still differs
}

func (c *cleaner) exchange(ex *exchange.Exchange) cleaned {
	out := cleaned{Exchange: *ex, faithful: true}
	user := &out.Probe.User
	user.ID, user.UserID, user.Name = c.text(user.ID), c.text(user.UserID), c.text(user.Name)
	out.Proto = c.text(ex.Proto)
	out.Header, out.changed = c.header(ex.Header)
	if ex.Body == nil {
		return out
	}
	out.Size = len(ex.Body)
	if len(ex.Body) > mostBody {
		out.Body, out.Cut = []byte(c.text(string(ex.Body[:mostBody]))), cutOf(ex.Body)
		return out
	}
	body := string(ex.Body)
	kept, faithful := c.bodies.of(body)
	if kept != body {
		out.changed, out.faithful = true, faithful
	}
	out.Body = []byte(kept)
	return out
}

func (c *cleaner) text(text string) string {
	clean, _ := c.texts.of(text)
	return clean
}

// mostBody is how much of one body is kept, in bytes.
const mostBody = 1 << 20

func cutOf(body []byte) *exchange.Cut {
	digest := sha256.Sum256(body)
	return &exchange.Cut{Size: len(body), Digest: "sha256:" + hex.EncodeToString(digest[:])}
}

// header replaces traces of secrets, and the values of headers that carry credentials or cookies whatever they are. Changed
// tells whether anything else than these became another text.
func (c *cleaner) header(header http.Header) (clean http.Header, changed bool) {
	clean = make(http.Header, len(header))
	for name, values := range header {
		shown := asText(c.text(name))
		for _, value := range values {
			kept, hidden := c.value(name, value)
			clean[shown] = append(clean[shown], kept)
			changed = changed || shown != name || kept != value && !hidden
		}
	}
	return clean, changed
}

// value is what is kept of a header; hidden tells that it would not be kept whatever it held.
func (c *cleaner) value(name, value string) (kept string, hidden bool) {
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization", "authentication-info", "proxy-authentication-info", "cookie", "set-cookie", "set-cookie2":
		return redact.Hidden(len(value)), true
	case "www-authenticate", "proxy-authenticate":
		// A challenge names its scheme, which is observed (§5.4); what follows may be a nonce or a realm.
		kept = asText(c.text(value))
		if scheme, rest, found := strings.Cut(kept, " "); found {
			return scheme + " " + redact.Hidden(len(rest)), kept == value
		}
		return kept, false
	}
	return asText(c.text(value)), false
}

// asText is a header's text as JSON can hold it: bytes that are no UTF-8 become escapes.
func asText(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, text[0])
		} else {
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}
