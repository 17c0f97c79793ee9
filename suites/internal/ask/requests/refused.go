package requests

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/settings"
)

// Refusals are the answers of versions that refused the first users: all are refusals by their look (J19).
type Refusals struct {
	Versions []schemas.Version
	First    *exchange.Exchange
	statuses map[int]int // how often each status came
}

// Add adds an answer.
func (f *Refusals) Add(ex *exchange.Exchange) {
	if f.First == nil {
		f.First, f.statuses = ex, map[int]int{}
	}
	if v := ex.Probe.Version; !slices.Contains(f.Versions, v) {
		f.Versions = append(f.Versions, v)
	}
	f.statuses[ex.Status]++
}

// Join adds the answers of other versions.
func (f *Refusals) Join(other *Refusals) {
	if f.First == nil {
		*f = Refusals{First: other.First, statuses: map[int]int{}}
	}
	f.Versions = append(f.Versions, other.Versions...)
	for status, n := range other.statuses {
		f.statuses[status] += n
	}
}

// list returns how many answers came, and how often each status: 40, "401 (40 times)".
func (f *Refusals) list() (answers int, list string) {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(f.statuses)) {
		answers += f.statuses[status]
		parts = append(parts, fmt.Sprintf("%03d (%s)", status, wording.Count(f.statuses[status], "time")))
	}
	return answers, strings.Join(parts, ", ")
}

// Refused returns the error of a target, or of some of its versions, that refused the first users. users names these,
// such as "5 enrolled users". of is how many versions were asked, and serving are those that served one of them.
func (r *Requests) Refused(f *Refusals, users string, of int, serving []schemas.Version) error {
	who, concerned, check := "the target", schemas.Version(""), "check, in this order: "
	if len(f.Versions) < of {
		who = schemas.Named(f.Versions)
	}
	if len(serving) > 0 && !f.First.Throttled() {
		if len(f.Versions) == 1 {
			concerned = f.Versions[0]
		}
		check = fmt.Sprintf("%s serves the same users, so check the settings of %s, in this order: ",
			schemas.Named(serving), who)
	}
	answers, list := f.list()
	return fmt.Errorf("%s refuses everything: none of %s of %s for %s was served, but answered with %s, so nothing "+
		"else was sent; %s got %w; %s%s%s", who, wording.Count(answers, "well-formed request"), f.First.Probe.Operation,
		users, list, r.Asked(f.First), exchange.Summary(f.First), r.urlHint(f.First), check,
		strings.Join(r.toCheck(concerned, f.First, len(serving) > 0), "; "))
}

// urlHint says what is wrong with the base URL, if that can be seen: it ends with what the suite appends to it, or the
// server wants TLS. It ends with "; " unless it is "".
func (r *Requests) urlHint(ex *exchange.Exchange) string {
	p := ex.Probe
	base := r.settings.Targets[p.Version].URL
	for _, v := range r.contract.Versions {
		for _, op := range schemas.Operations() {
			appended := schemas.Path(v, op)
			for end := len(appended); end > 0; end = strings.LastIndex(appended[:end], "/") {
				if strings.HasSuffix(base.Path, appended[:end]) {
					return fmt.Sprintf("leave %s out of the base URL, as the suite appends %s; ", appended[:end],
						p.Path())
				}
			}
		}
	}
	if base.Scheme == "http" && ex.Status == http.StatusBadRequest && bytes.Contains(ex.Body, []byte("HTTPS")) {
		return "the server there speaks TLS, so begin the base URL with https://; "
	}
	return ""
}

// toCheck returns what to check if the target refuses every request as this one: the settings of a version, or with ""
// those of all. The likeliest cause is first. served is true if another version served the same users.
func (r *Requests) toCheck(v schemas.Version, ex *exchange.Exchange, served bool) []string {
	var (
		url    = "the base URL with its path prefix (" + r.named(v, "TargetURL", "--target-url") + ")"
		token  = "the access token (" + r.namedToken(v) + ")"
		app    = "the application id (" + r.named(v, "ApplicationID", "--application-id") + ")"
		client = "the client certificate and the headers, if a gateway asks for them (" +
			r.named(v, "TLS", "--client-cert") + ", " + r.named(v, "Header", "target.headers") + ")"
		users  = "the users file, if the target does not know them (" + r.settings.Named("--users", "Users") + ")"
		health = "whether the service works at all: its log says why it answers so"
		limit  = "what limits requests in front of it: send less (" + r.settings.Slower() + ")"
	)
	// An object or a text in a 2xx answer more likely is an error: it is no reason to mark users.
	saysNothing := check.NewReader(r.contract.Of(ex.Probe.Version)).SaysNothing
	if !served && (isEmpty(ex) || !ex.Success() && saysNothing(ex)) {
		users = "the users file, if the target does not know them or they have no authenticators: then mark them " +
			"enrolled: false, or list others first (" + r.settings.Named("--users", "Users") + ")"
	}
	order := []string{token, app, url, client, users}
	switch status := ex.Status; {
	case isEmpty(ex) && !served:
		order = []string{users, token, app, url, client}
	case status == http.StatusNotFound, status == http.StatusGone, status == http.StatusMethodNotAllowed,
		status/100 == 3:
		order = []string{url, users, token, app, client}
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity:
		order = []string{app, url, users, token, client}
	case status == http.StatusTooManyRequests:
		order = []string{limit, health, url, token, app, client, users}
	case status == http.StatusServiceUnavailable:
		order = []string{health, limit, url, token, app, client, users}
	case status/100 == 5:
		order = []string{health, url, token, app, client, users}
	case ex.Success() && strictjson.IsPage(bytes.TrimSpace(ex.Body)):
		order = []string{url, token, app, client, users}
	}
	if asksForWindows(ex) {
		order = append([]string{"what is in front of the service, or IIS itself: let it allow anonymous " +
			"authentication for this path, as the token is in the body, or ask past it (" +
			r.named(v, "TargetURL", "--target-url") + ")"}, order...)
	}
	if proxy := r.proxyToCheck(ex); proxy != "" {
		order = append([]string{proxy}, order...)
	}
	return order
}

// isEmpty reports whether an answer is 2xx, and its body can only mean "there is no data".
func isEmpty(ex *exchange.Exchange) bool {
	switch string(bytes.TrimSpace(ex.Body)) {
	case "", "null", "[]", "{}", `""`:
		return ex.Fault == nil && ex.Success()
	}
	return false
}

// asksForWindows reports whether an answer asks for Windows authentication (RFC 4559, [MS-NTHT]).
func asksForWindows(ex *exchange.Exchange) bool {
	return slices.ContainsFunc(ex.Header.Values("WWW-Authenticate"), func(challenge string) bool {
		scheme, _, _ := strings.Cut(strings.TrimSpace(challenge), " ")
		return strings.EqualFold(scheme, "Negotiate") || strings.EqualFold(scheme, "NTLM")
	})
}

// proxyToCheck names the proxy in use if it may be the proxy that answered: with a page of its own, or because it can't
// reach the target.
func (r *Requests) proxyToCheck(ex *exchange.Exchange) string {
	switch ex.Status {
	case http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout:
	default:
		if ex.Success() || !strictjson.IsPage(bytes.TrimSpace(ex.Body)) {
			return ""
		}
	}
	proxy := r.settings.Targets[ex.Probe.Version].Proxy
	if proxy == nil {
		return ""
	}
	return fmt.Sprintf("whether the proxy %s answered instead of the target: let it pass this host, or %s", proxy,
		proxy.Around())
}

// Unreachable returns the error of a target, or of one of its versions, that has not answered one request. first is the
// first of these.
func (r *Requests) Unreachable(who string, first *exchange.Exchange) error {
	v := first.Probe.Version
	target, own := r.settings.Targets[v], schemas.Version("")
	switch {
	case first.Status != 0:
		return fmt.Errorf("%s gave no whole answer: %s got status %03d, and then: %w; see the log of the service and "+
			"of what is in front of it", who, r.Asked(first), first.Status, first.Fault)
	case first.Fault.Advised:
		return fmt.Errorf("%s can't be reached: no request was answered; %s ended with: %w", who, r.Asked(first),
			first.Fault)
	case target.HasOwnURL:
		own = v
	}
	if first.Fault.Kind == exchange.Timeout {
		return fmt.Errorf("%s can't be reached: no request was answered in time; %s ended with: %w; see why it is "+
			"slow or silent, or raise %s; a firewall in between is silent, too", who, r.Asked(first), first.Fault,
			r.settings.Named("--timeout (AUTHN_TIMEOUT, timeout)", "Timeout"))
	}
	hint := ""
	closed := []string{"EOF", "connection reset", "broken pipe", "malformed HTTP response"}
	if target.URL.Scheme == "http" && slices.ContainsFunc(closed,
		func(text string) bool { return strings.Contains(first.Fault.Detail, text) }) {
		hint = "; does the server there speak TLS? Then the URL begins with https://"
	}
	setting := r.named(own, "TargetURL", "--target-url")
	if !r.settings.Program {
		setting = fmt.Sprintf("the setting %s (%s, %s)", settings.ForVersion("target.url", own), setting,
			settings.ForVersion("AUTHN_TARGET_URL", own))
	}
	return fmt.Errorf("%s can't be reached: no request was answered; %s ended with: %w%s; check %s and the network, "+
		"proxy and TLS settings", who, r.Asked(first), first.Fault, hint, setting)
}
