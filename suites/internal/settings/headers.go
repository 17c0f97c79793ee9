package settings

import (
	"encoding/base64"
	"fmt"
	"net/textproto"
	"slices"
	"strings"
	"unicode"
)

// ownHeaders are those that the suite or the transport sets by itself.
func ownHeaders() []string {
	return []string{"User-Agent", "Content-Type", "Content-Length", "Accept-Encoding", "Host", "Connection",
		"Transfer-Encoding", "Te", "Trailer", "Upgrade"}
}

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
		if fault := headerFault(member, name); fault != "" {
			faults = append(faults, fmt.Errorf("%s: %s", g.at(member.line), fault))
			continue
		}
		if twice {
			faults = append(faults, fmt.Errorf("%s: header %s stands twice (first on line %d): leave one",
				g.at(member.line), member.name, line))
			continue
		}
		names = append(names, member.name+" (set)")
		r.settings.Headers = append(r.settings.Headers, Header{Name: member.name, Value: member.value.Value})
		r.secret(headerSecrets(member.value.Value)...)
	}
	slices.SortFunc(r.settings.Headers, func(a, b Header) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(names)
	return strings.Join(names, ", "), faults
}

// headerFault says what is wrong with a header; empty means nothing.
func headerFault(member pair, canonical string) string {
	if at := strings.IndexFunc(member.name, func(r rune) bool { return !isTokenRune(r) }); at >= 0 || member.name == "" {
		return fmt.Sprintf("a header name that begins with %s is no token of RFC 9110: expected letters, digits and "+
			"hyphens, such as X-Tenant", quote(member.name[:max(at, 0)]))
	}
	if slices.Contains(ownHeaders(), canonical) {
		return fmt.Sprintf("header %s is set by the suite itself: take it out", member.name)
	}
	value := member.value
	switch {
	case tagOf(value) == tagText && strings.TrimSpace(value.Value) == "", tagOf(value) == tagNull:
		return fmt.Sprintf("header %s is empty: leave it out or give a value", member.name)
	case tagOf(value) != tagText:
		return fmt.Sprintf("header %s: expected a text, got %s%s", member.name, kindOf(value),
			textForm("").hint(tagOf(value)))
	case strings.ContainsFunc(value.Value, unicode.IsControl):
		return fmt.Sprintf("header %s: its value holds a control character or line break: expected one line", member.name)
	case strings.TrimSpace(value.Value) != value.Value:
		return fmt.Sprintf("header %s: its value begins or ends with white space, which no header keeps: take it out",
			member.name)
	}
	return ""
}

// isTokenRune tells whether a character may stand in a header's name (RFC 9110 section 5.6.2).
func isTokenRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

// headerSecrets are the texts that a header's value must not leave behind: the whole, what follows a scheme such as
// Bearer, and the user and password of Basic (RFC 7617) as they were before their encoding.
func headerSecrets(value string) []string {
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
