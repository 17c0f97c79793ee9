package settings

import (
	"cmp"
	"errors"
	"fmt"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"golang.org/x/net/http/httpguts"

	"authenticator-conformance/suites/internal/settings/input"
)

// ownHeaders returns the headers that the suite or the HTTP transport sets. A user can't set them.
func ownHeaders() []string {
	return []string{"User-Agent", "Content-Type", "Content-Length", "Accept-Encoding", "Host", "Connection",
		"Transfer-Encoding", "Te", "Trailer", "Upgrade"}
}

// words matches values made of words, such as application/json; q=high. A random secret rarely matches: no word has
// over 16 letters, and only its first may be a capital unless all are.
var words = regexp.MustCompile(`^(\p{Lu}{1,16}|\p{Lu}?\p{Ll}{1,15})([-/._,;=* ]+(\p{Lu}{1,16}|\p{Lu}?\p{Ll}{1,15}))*$`)

// setHeaders reads the extra headers. No error shows a value, and only the valid start of a wrong name: a misplaced
// value may be part of it.
func (r *resolver) setHeaders(g rawValue) error {
	var faults []error
	first := map[string]int{}
	for name, value := range input.Members(g.node) {
		canonical := textproto.CanonicalMIMEHeaderKey(name.Value)
		line, twice := first[canonical]
		first[canonical] = cmp.Or(line, name.Line)
		fault := r.addHeader(name.Value, func() (string, string) {
			if twice {
				return "", fmt.Sprintf("header %s is already on line %d: remove one", name.Value, line)
			}
			return r.headerValue(g, name.Value, value)
		})
		if fault != "" {
			faults = append(faults, fmt.Errorf("%s: %s", g.fileLine(name.Line), fault))
		}
	}
	r.showHeaders(g.source)
	return errors.Join(faults...)
}

// addHeader validates a header and adds it to the settings. It returns what is wrong, or "", and never shows the value.
// valueOf returns the value, or what is wrong with it.
func (r *resolver) addHeader(name string, valueOf func() (value, fault string)) (fault string) {
	if fault = headerFault(name); fault != "" {
		return fault
	}
	value, fault := valueOf()
	header := "header " + name
	switch {
	case fault != "":
		return fault
	case strings.TrimSpace(value) == "":
		return header + " is empty: leave it out or give a value"
	case !utf8.ValidString(value):
		return header + ": its value is not valid UTF-8: give it in UTF-8"
	case strings.ContainsFunc(value, unicode.IsControl):
		return header + ": its value contains a control character or line break: expected one line"
	case strings.TrimSpace(value) != value:
		return header + ": its value begins or ends with white space, which no header keeps: remove it"
	}
	r.settings.Headers = append(r.settings.Headers, Header{Name: name, Value: value})
	if strings.HasSuffix(strings.ToLower(name), "authorization") || !words.MatchString(value) {
		r.secret(value) // words appear anywhere
	}
	return ""
}

// showHeaders sorts the headers by name and shows their names, each followed by "(set)".
func (r *resolver) showHeaders(source string) {
	slices.SortFunc(r.settings.Headers, func(a, b Header) int { return strings.Compare(a.Name, b.Name) })
	var names []string
	for _, h := range r.settings.Headers {
		names = append(names, h.Name+" (set)")
	}
	r.show(nameHeaders, strings.Join(names, ", "), source)
}

// notInToken reports whether a header's name may not contain the character (RFC 9110 section 5.6.2).
func notInToken(r rune) bool { return !httpguts.IsTokenRune(r) }

// headerFault returns what is wrong with a header's name, or "".
func headerFault(name string) string {
	if at := strings.IndexFunc(name, notInToken); at >= 0 || name == "" {
		return fmt.Sprintf("a header name that begins with %s is no token of RFC 9110: expected letters, digits and "+
			"hyphens, such as X-Tenant", input.Quote(name[:max(at, 0)]))
	}
	if slices.Contains(ownHeaders(), textproto.CanonicalMIMEHeaderKey(name)) {
		return fmt.Sprintf("header %s is set by the suite itself: remove it", name)
	}
	return ""
}

// headerValue returns a header's value, or what is wrong with its source. The source is a text, an environment
// variable, or a file, whose final line break is dropped.
func (r *resolver) headerValue(g rawValue, name string, from *yaml.Node) (value, fault string) {
	header := "header " + name + ": "
	value, err := kindHeader.text(from)
	switch {
	case err != nil:
		return "", header + err.Error()
	case placeholder.MatchString(value):
		return "", fmt.Sprintf("%s${…} is not replaced in this file: to take the value from a variable of the "+
			"environment, write {env: %s}", header, placeholder.FindStringSubmatch(value)[1])
	case from.Kind != yaml.MappingNode:
		return value, ""
	}
	var source struct {
		Env  string `yaml:"env"`
		File string `yaml:"file"`
	}
	if err := from.Load(&source, yaml.WithKnownFields()); err != nil || (source.Env == "") == (source.File == "") {
		return "", header + "expected a text, {env: NAME} or {file: PATH}, and nothing else"
	}
	if source.Env != "" {
		value, ok := r.in.variable(source.Env)
		if !ok {
			return "", header + "the variable " + plainName(source.Env) + " is not set: set it, or correct its name"
		}
		return value, ""
	}
	data, err := r.content(g.relativeTo(source.File))
	if err != nil {
		return "", fmt.Sprintf("%sthe file %s %v", header, input.Quote(g.relativeTo(source.File)), err)
	}
	return withoutLineBreak(string(data)), ""
}

// placeholder is how other tools name a variable inside a text.
var placeholder = regexp.MustCompile(`\$\{(\w+)[^}]*\}`)
