package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"authenticator-conformance/suites/internal/judge/strictjson"
)

// An observation at an open point is a comparable value, as it was seen: words of the suite (a string), a number (an
// int or a json.Number), a time.Duration, or one of the types below.
type (
	// Presence is whether a member was present, null or absent.
	Presence struct{ Member, State string }
	// MemberName is the name of an undocumented member, with what precedes it, such as "Device.".
	MemberName struct{ Prefix, Name string }
	// Header is a header of an answer; its value is "" if only the name is observed.
	Header struct{ Name, Value string }
	// ContentType is the media type of an answer, "" if there is none, with words around it: what the probe was about
	// and the status, or what stands in its place, and what the body is.
	ContentType struct{ Before, Value, After string }
)

// Shower makes texts of what a target sent. The way out makes them safe to show.
type Shower interface {
	MemberName(name string) string // quoted
	HeaderName(name string) string
	HeaderValue(name, value string) string
}

// Text returns an observation in words.
func Text(seen any, show Shower) string {
	switch seen := seen.(type) {
	case string:
		return seen
	case Presence:
		return seen.Member + " " + seen.State
	case MemberName:
		return seen.Prefix + show.MemberName(seen.Name)
	case Header:
		if seen.Value == "" {
			return show.HeaderName(seen.Name)
		}
		return show.HeaderName(seen.Name) + ": " + show.HeaderValue(seen.Name, seen.Value)
	case ContentType:
		if seen.Value == "" {
			return seen.Before + seen.After
		}
		return seen.Before + show.HeaderValue("Content-Type", seen.Value) + seen.After
	}
	return fmt.Sprint(seen)
}

// AsSent is a Shower that shows everything as it was sent, to compare observations.
type AsSent struct{}

func (AsSent) MemberName(name string) string      { return strconv.Quote(name) }
func (AsSent) HeaderName(name string) string      { return name }
func (AsSent) HeaderValue(_, value string) string { return value }

// Compare orders two observations of one open point.
func Compare(a, b any) int {
	switch a := a.(type) {
	case time.Duration:
		if b, ok := b.(time.Duration); ok {
			return cmp.Compare(a, b)
		}
	case json.Number:
		if b, ok := b.(json.Number); ok {
			return strictjson.ParseDecimal(a).Compare(strictjson.ParseDecimal(b))
		}
	}
	return strings.Compare(Text(a, AsSent{}), Text(b, AsSent{}))
}

// maxSeen is how many bytes of a name or a value an observation keeps.
const maxSeen = 1 << 10

func clip(text string) string { return text[:min(len(text), maxSeen)] }

// Observed is what was seen at one open point.
type Observed struct {
	Count   map[any]int // how often
	Summary Summary
	Shows   string // as the catalogue's row says: "values" of users, "names" of members, or ""
}

// Parts returns what was seen in parts to be listed, with at most limit different ones.
func (o *Observed) Parts(show Shower, limit int) []string {
	return o.Summary(o.Count, func(seen any) string { return Text(seen, show) }, limit)
}
