package settings

import (
	"encoding/base64"
	"fmt"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// ownHeaders are those that the suite or the transport sets by itself.
func ownHeaders() []string {
	return []string{"User-Agent", "Content-Type", "Content-Length", "Accept-Encoding", "Host", "Connection",
		"Transfer-Encoding", "Te", "Trailer", "Upgrade"}
}

// words matches values such as application/json; q=high. No word is longer than sixteen letters, and letters at random
// are seldom all small.
var words = regexp.MustCompile(`^(\p{Lu}{1,16}|\p{Lu}?\p{Ll}{1,15})([-/._,;=* ]+(\p{Lu}{1,16}|\p{Lu}?\p{Ll}{1,15}))*$`)

// takeHeaders reads the extra headers. No error shows a value, nor more of a wrong name than its good beginning: a
// name may be wrong because the value got into it.
func takeHeaders(r *resolver, g given) (shown string, faults []error) {
	var names []string
	first := map[string]int{}
	for _, member := range pairs(g.node) {
		name := textproto.CanonicalMIMEHeaderKey(member.name)
		line, twice := first[name]
		if !twice {
			first[name] = member.line
		}
		fault, value := headerFault(member.name, name), ""
		if fault == "" {
			value, fault = r.headerValue(g, member)
		}
		if fault != "" {
			faults = append(faults, fmt.Errorf("%s: %s", g.at(member.line), fault))
			continue
		}
		if twice {
			faults = append(faults, fmt.Errorf("%s: header %s stands twice (first on line %d): leave one",
				g.at(member.line), member.name, line))
			continue
		}
		names = append(names, member.name+" (set)")
		r.settings.Headers = append(r.settings.Headers, Header{Name: member.name, Value: value})
		r.secret(headerSecrets(member.name, value)...)
	}
	slices.SortFunc(r.settings.Headers, func(a, b Header) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(names)
	return strings.Join(names, ", "), faults
}

// headerFault says what is wrong with a header's name; empty means nothing.
func headerFault(name, canonical string) string {
	if at := strings.IndexFunc(name, func(r rune) bool { return !isTokenRune(r) }); at >= 0 || name == "" {
		return fmt.Sprintf("a header name that begins with %s is no token of RFC 9110: expected letters, digits and "+
			"hyphens, such as X-Tenant", quote(name[:max(at, 0)]))
	}
	if slices.Contains(ownHeaders(), canonical) {
		return fmt.Sprintf("header %s is set by the suite itself: take it out", name)
	}
	return ""
}

// Where the value of a header may come from, instead of a text.
const (
	sourceEnv  = "env"
	sourceFile = "file"
)

// headerValue is the value of a header, and what is wrong with it; empty means nothing.
func (r *resolver) headerValue(g given, member pair) (value, fault string) {
	header := "header " + member.name
	from := member.value
	switch tag := tagOf(from); {
	case tag == tagMapping:
		if value, fault = r.valueFrom(g, from); fault != "" {
			return "", header + ": " + fault
		}
	case tag == tagNull:
	case tag != tagText:
		return "", fmt.Sprintf("%s: expected a text, {%s: NAME} or {%s: PATH}, got %s%s", header, sourceEnv, sourceFile, kindOf(from),
			textForm("").hint(tag))
	case placeholder.MatchString(from.Value):
		return "", fmt.Sprintf("%s: ${…} is not replaced in this file: to take the value from a variable of the environment, write "+
			"{%s: %s}", header, sourceEnv, placeholder.FindStringSubmatch(from.Value)[1])
	default:
		value = from.Value
	}
	return value, headerValueFault(header, value)
}

// headerValueFault says what is wrong with a header's value, without showing it; empty means nothing. What the header
// is called begins the text.
func headerValueFault(header, value string) string {
	switch {
	case strings.TrimSpace(value) == "":
		return header + " is empty: leave it out or give a value"
	case !utf8.ValidString(value):
		return header + ": its value is not valid UTF-8: give it in UTF-8"
	case strings.ContainsFunc(value, unicode.IsControl):
		return header + ": its value holds a control character or line break: expected one line"
	case strings.TrimSpace(value) != value:
		return header + ": its value begins or ends with white space, which no header keeps: take it out"
	}
	return ""
}

// placeholder is how other tools name a variable inside a text.
var placeholder = regexp.MustCompile(`\$\{(\w+)[^}]*\}`)

// valueFrom reads a value from a variable of the environment, or from a file without its final line break.
func (r *resolver) valueFrom(g given, from *yaml.Node) (value, fault string) {
	members := pairs(from)
	if len(members) != 1 || members[0].name != sourceEnv && members[0].name != sourceFile || tagOf(members[0].value) != tagText || members[0].value.Value == "" {
		return "", fmt.Sprintf("expected a text, {%s: NAME} or {%s: PATH}, and nothing else", sourceEnv, sourceFile)
	}
	name := members[0].value.Value
	if members[0].name == sourceEnv {
		value, ok := r.variable(name)
		if !ok {
			return "", fmt.Sprintf("the variable %s is not set: set it, or correct its name", shownName(name))
		}
		return value, ""
	}
	path := given{text: name, folder: g.folder}.path()
	data, err := r.files.content(path)
	if err != nil {
		return "", fmt.Sprintf("the file %s %v", quote(path), err)
	}
	return withoutLineBreak(string(data)), ""
}

// variable is the value of a variable of the environment; of two with one name the later counts.
func (r *resolver) variable(name string) (value string, ok bool) {
	for _, entry := range r.environ {
		if before, after, found := strings.Cut(entry, "="); found && before == name {
			value, ok = after, true
		}
	}
	return value, ok
}

// isTokenRune tells whether a character may stand in a header's name (RFC 9110 section 5.6.2).
func isTokenRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

// headerSecrets are the texts that a header's value must not leave behind: the whole, what follows a scheme such as
// Bearer, and the user and password of Basic (RFC 7617) as they were before their encoding. A value made of words leaves
// nothing behind: words stand anywhere.
func headerSecrets(name, value string) []string {
	if !strings.HasSuffix(strings.ToLower(name), "authorization") && words.MatchString(value) {
		return nil
	}
	secrets := []string{value}
	scheme, credentials, ok := strings.Cut(value, " ")
	credentials = strings.TrimSpace(credentials)
	if !ok || strings.ContainsFunc(scheme, func(r rune) bool { return !isTokenRune(r) }) {
		return secrets
	}
	secrets = append(secrets, credentials)
	if !strings.EqualFold(scheme, "Basic") {
		return secrets
	}
	if pair, err := base64.StdEncoding.DecodeString(credentials); err == nil {
		_, password, _ := strings.Cut(string(pair), ":")
		secrets = append(secrets, string(pair), password)
	}
	return secrets
}
