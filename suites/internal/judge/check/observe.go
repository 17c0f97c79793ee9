package check

import (
	"encoding/json"
	"maps"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
)

// The functions below observe one answer, one record, or all answers for one user. They return nil if there is nothing
// to observe.

// StatusCode returns the status of a served request for an enrolled user (§4.3, J2).
func StatusCode(a *Answer) []any { return ifServed(a, a.Exchange.Status) }

// MediaType returns the Content-Type of a served request for an enrolled user (§4.3, J2).
func MediaType(a *Answer) []any { return ifServed(a, contentType(a.Exchange)) }

func ifServed(a *Answer, seen any) []any {
	if !a.Served() || !a.Exchange.Probe.User.Enrolled {
		return nil
	}
	return []any{seen}
}

// EmptyResult describes the answer for a user who has nothing enrolled (§4.3).
func EmptyResult(a *Answer) []any {
	if a.Exchange.Probe.User.Enrolled {
		return nil
	}
	return []any{a.ending("")}
}

// Cardinality returns whether getUserAuth answered one record or an array (§4.3, J11).
func Cardinality(a *Answer) []any {
	switch {
	case a.Count == 0:
		return nil
	case a.List:
		return []any{"an array of records"}
	}
	return []any{"one record"}
}

// Size returns the answer's size in bytes (§8).
func Size(a *Answer) []any { return ifAnswered(a, a.Exchange.Length()) }

// Latency returns how long an answer took, rounded to 0.1 ms (§8).
func Latency(a *Answer) []any { return ifAnswered(a, a.Exchange.Duration.Round(100*time.Microsecond)) }

func ifAnswered(a *Answer, seen any) []any {
	if !a.Exchange.Answered() {
		return nil
	}
	return []any{seen}
}

// AuthenticationHeaders returns the headers by which an answer asks for authentication (§5.4).
func AuthenticationHeaders(a *Answer) []any {
	return eachHeader(a, func(name, lower, value string) any {
		switch lower {
		case "www-authenticate", "proxy-authenticate":
			scheme, _, _ := strings.Cut(value, " ")
			return Header{name, clip(scheme)}
		case "authentication-info", "set-cookie":
			return Header{Name: name}
		}
		return nil
	})
}

// RateLimitHeaders returns the names of the headers about rate limits (§8).
func RateLimitHeaders(a *Answer) []any {
	return eachHeader(a, func(name, lower, _ string) any {
		if strings.HasPrefix(lower, "ratelimit") || strings.HasPrefix(lower, "x-ratelimit") ||
			strings.HasPrefix(lower, "x-rate-limit") || lower == "retry-after" {
			return Header{Name: clip(name)}
		}
		return nil
	})
}

// DeprecationHeaders returns the headers by which an answer announces the end of a version (§9.4).
func DeprecationHeaders(a *Answer) []any {
	return eachHeader(a, func(name, lower, value string) any {
		if lower == "deprecation" || lower == "sunset" {
			return Header{name, clip(value)}
		}
		return nil
	})
}

// eachHeader calls a function for each header, by name, and returns its results except nil.
func eachHeader(a *Answer, observe func(name, lower, value string) any) []any {
	var list []any
	for _, name := range slices.Sorted(maps.Keys(a.Exchange.Header)) {
		if seen := observe(name, strings.ToLower(name), a.Exchange.Header.Get(name)); seen != nil {
			list = append(list, seen)
		}
	}
	return list
}

// HowRefused describes the answer to a request that is not well-formed (§7, §9.4).
func HowRefused(a *Answer) []any {
	return []any{a.ending(probePrefix(a.Exchange.Probe))}
}

// probePrefix names the probe that an observation is about, if an open point has several probes.
func probePrefix(p exchange.Probe) string {
	switch p.Kind {
	case exchange.Absent, exchange.Null, exchange.WrongType:
		return p.Field + ": "
	case exchange.RandomToken, exchange.ChangedToken:
		return string(p.Kind) + ": "
	case exchange.AdjacentVersion:
		return p.Segment + ": "
	default:
		return ""
	}
}

// ending describes how an exchange ended: status, media type and shape of the body.
func (a *Answer) ending(about string) ContentType {
	ex := a.Exchange
	status := about + strconv.Itoa(ex.Status) + ", "
	switch {
	case ex.Fault != nil && ex.Fault.Kind == exchange.Timeout:
		return ContentType{Before: about + "no answer in time"}
	case ex.Fault != nil && ex.Fault.Kind == exchange.Transport:
		return ContentType{Before: about + "no answer: the connection failed"}
	case ex.Fault != nil && ex.Fault.Kind == exchange.Encoding:
		return ContentType{Before: status + "a body that can't be decoded"}
	case ex.Fault != nil:
		return ContentType{Before: status + "a body past what the suite reads"}
	case ex.Empty():
		return ContentType{Before: status + "empty body"}
	}
	media := contentType(ex)
	media.Before, media.After = status+media.Before, ", "+a.shape
	return media
}

// noJSON is the shape of a body that is not exactly one JSON text.
const noJSON = "no JSON"

func (r *Reader) shapeOf(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case map[string]any:
		switch {
		case r.isDisclosedRecord(value):
			return "a record"
		case len(value) == 0:
			return "{}"
		}
		return "an object"
	case []any:
		switch {
		case len(value) == 0:
			return "[]"
		case r.discloses(value):
			return "an array with records or identifiers"
		}
		return "an array"
	default:
		return "a " + strictjson.TypeOf(value)
	}
}

// contentType returns the Content-Type header in one spelling, so that equal media types and parameters compare equal.
func contentType(ex *exchange.Exchange) ContentType {
	values := ex.Header[http.CanonicalHeaderKey("Content-Type")]
	switch {
	case len(values) == 0:
		return ContentType{Before: "no content type"}
	case len(values) == 1 && values[0] == "application/json":
		return ContentType{Value: values[0]} // by far the most frequent spelling
	case strings.Trim(strings.Join(values, ""), " \t") == "":
		return ContentType{Before: "an empty content type"}
	}
	if media, parameters, err := mime.ParseMediaType(values[0]); err == nil && len(values) == 1 {
		for name, value := range parameters {
			parameters[name] = strings.ToLower(value)
		}
		if text := mime.FormatMediaType(media, parameters); text != "" {
			return ContentType{Value: clip(text)}
		}
	}
	return ContentType{Value: clip(strings.Join(values, ", "))}
}

// Number returns a function that observes the value of a member, if it is a number (§2).
func Number(name string) func(record, device *Object) []any {
	return func(record, _ *Object) []any {
		if number, ok := record.Members[name].(json.Number); ok {
			return []any{json.Number(strictjson.ParseDecimal(number).String())}
		}
		return nil
	}
}

// Present returns, for each documented member of a record and its device, whether it is present, null or absent (§2,
// J8).
func Present(record, device *Object) []any {
	list := make([]any, 0, len(record.documented.names))
	withDevice(record, device, func(prefix string, o *Object) {
		for _, name := range o.documented.names {
			state := "present"
			if value, found := o.Members[name]; !found {
				state = "absent"
			} else if value == nil {
				state = "null"
			}
			list = append(list, Presence{prefix + name, state})
		}
	})
	return list
}

// UndocumentedMembers returns the names of members of a record and its device that are not in the document (§2, J9).
func UndocumentedMembers(record, device *Object) []any {
	var list []any
	withDevice(record, device, func(prefix string, o *Object) {
		for _, name := range o.undocumented {
			list = append(list, MemberName{prefix, clip(name)})
		}
	})
	return list
}

// withDevice calls a function for a record and for its device, if it has one, with what precedes names of members.
func withDevice(record, device *Object, observe func(prefix string, o *Object)) {
	observe("", record)
	if device != nil {
		observe("Device.", device)
	}
}

var (
	digits = regexp.MustCompile(`^[0-9]+$`)
	email  = regexp.MustCompile(`^[^@\s]+@[^@\s]+$`)
)

// FormOfUserID returns the form of a record's UserId, which the document leaves open (§2).
func FormOfUserID(record, _ *Object) []any {
	user, ok := record.Members["UserId"].(string)
	switch {
	case !ok:
		return nil
	case user == "":
		return []any{"empty"}
	case schemas.IsGUID(user):
		return []any{"GUID"}
	case digits.MatchString(user):
		return []any{"digits"}
	case email.MatchString(user):
		return []any{"like a mail address"}
	}
	return []any{"other text"}
}

// CaseOfUserID returns whether a record's UserId equals the request's exactly, or only without regard to case (§2,
// J12).
func CaseOfUserID(record, _ *Object) []any {
	user, _ := record.Members["UserId"].(string)
	asked := record.Answer.Exchange.Probe.User.UserID
	switch {
	case user == asked:
		return []any{"as asked"}
	case strings.EqualFold(user, asked):
		return []any{"differs from the asked one in case only"}
	}
	return nil
}

// States returns the state indicators of a record and its device (§3).
func States(record, device *Object) []any {
	state := func(o *Object, name string) string {
		if o != nil {
			if value, ok := o.Members[name].(bool); ok {
				return strconv.FormatBool(value)
			}
		}
		return "not shown"
	}
	return []any{"IsDisabled " + state(record, "IsDisabled") + ", IsLocked " + state(record, "IsLocked") +
		", Device.IsEnabled " + state(device, "IsEnabled")}
}
