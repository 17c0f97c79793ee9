package sanitize_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

var person = exchange.User{ID: guid, UserID: "person-7", Name: "Ms. \x1bSeven", Enrolled: true}

// settingsOf are settings in which each text has the token.
func settingsOf(values string) *settings.Settings {
	t := "a " + token
	return &settings.Settings{Secrets: []string{token}, Values: values, Users: []exchange.User{
		{UserID: t, Enrolled: true}, person},
		Targets: map[schemas.Version]*settings.Target{schemas.V5: {URL: &url.URL{Scheme: "http", Host: "x"},
			AccessToken: token, ApplicationID: t, TokenFile: t, CAFile: t, ClientCertFile: t, ClientKeyFile: t,
			Headers: []settings.Header{{Name: "X-" + t}}, Proxy: &settings.Proxy{Shown: t}}},
		ParityMode: settings.ParityValue,
		Subject: settings.Subject{Product: t, Version: t, Build: t, Owner: t,
			Versions: map[schemas.Version]settings.Release{schemas.V6: {Version: t, Build: t}}},
		Ignore:    []settings.Ignore{{Pointer: "/Nick/" + t, Reason: t, Where: t}, {Pointer: "none"}},
		Waivers:   []ledger.Waiver{{Pattern: t, Reason: t, Where: t}},
		Effective: []settings.Effective{{Value: t, Source: t}}}
}

// hidingOutput returns a way out that hides the values of users.
var hidingOutput = sync.OnceValue(func() *sanitize.Output {
	return sanitize.New(settingsOf(settings.ValuesHide), testkit.Contract(), "")
})

// passing are things that leave the process, by what they are, and how they pass the way out.
var passing = []struct {
	what string
	pass func(o *sanitize.Output) any
}{
	{"a text", func(o *sanitize.Output) any { return o.Text("a\x1b "+token, 0) }},
	{"a text that is cut", func(o *sanitize.Output) any { return o.Text("abcdef", 3) }},
	{"texts", func(o *sanitize.Output) any { return o.Texts([]string{"a\n", token}) }},
	{"lines", func(o *sanitize.Output) any { return o.Lines("a\n\x1b" + token) }},
	{"an id", func(o *sanitize.Output) any { return []string{o.Identifier(token), o.Identifier(guid)} }},
	{"a digest", func(o *sanitize.Output) any { return []string{o.Digest("sha256:77"), o.Digest("")} }},
	{"a key", func(o *sanitize.Output) any { return []any{o.Hides(), o.Guard() != nil} }},
	{"a secret in what a target shows of itself", func(o *sanitize.Output) any {
		return o.Observed(map[schemas.Version]exchange.Observed{schemas.V5: {Server: "person\n" + token,
			TLS: &exchange.Certificate{Key: "k", Issuer: "CN=" + token + "\n"}}, schemas.V6: {}})
	}},
	{"that no target shows anything", func(o *sanitize.Output) any { return o.Observed(nil) }},
	{"a secret in an error of several lines", func(o *sanitize.Output) any {
		return o.ErrorLines(fmt.Errorf("a\n%w\x1b, not person "+token, exchange.Sent("person "+token)))
	}},
	{"errors without and with what was sent, and faults", func(o *sanitize.Output) any {
		return []string{o.Error(errors.New("the folder\nis full")), o.Error(fmt.Errorf("x %w", exchange.Sent(""))),
			o.Error(fmt.Errorf("%w: it got %w, in %w", errors.New("e1"), exchange.Sent("person 7"), errors.New("/a"))),
			o.Error(fmt.Errorf("it got %w.", exchange.Sent(strings.Repeat("a", 300)))),
			o.Error(fmt.Errorf("it ended: %w", &exchange.Fault{Detail: `got "person"`, Plain: "no HTTP"})),
			o.Error(fmt.Errorf("it ended: %w", &exchange.Fault{Detail: `got "person"`})),
			o.Error(fmt.Errorf("users.csv:7001: it got %w", exchange.Sent("7001")))}
	}},
	{"values", func(o *sanitize.Output) any {
		return showValues(o, `"person"`, `"é"`, `42`, `null`, `[1,2]`, `{"a":1}`, `""`, `[]`, `{}`, `true`)
	}},
	{"a secret in a value", func(o *sanitize.Output) any {
		return showValues(o, `"x `+token+`"`, `["`+token+`"]`, `"`+token+strings.Repeat(" x", 4000)+`"`)
	}},
	{"a value that is cut", func(o *sanitize.Output) any {
		return []string{o.JSON("abcdefgh", 4), o.JSON(strings.Repeat("x", 5000), 4)}
	}},
	{"the beginning of a body", func(o *sanitize.Output) any {
		text := "person " + token + " and more"
		return []string{o.Body(strictjson.Beginning{Text: text, Characters: 100}, 100, 60),
			o.Body(strictjson.Beginning{}, 0, 60)}
	}},
	{"a list of values", func(o *sanitize.Output) any {
		return [][]string{o.List([]string{"a", "and 1 more"}, 2),
			o.List([]string{"a"}, 1)}
	}},
	{"pointers", func(o *sanitize.Output) any {
		var shown []string
		for _, p := range []string{"/3/Device/person~17", "/999/Nick", "/1000", "/Device/7", "/*/x", "", "no pointer",
			"/a", "/" + token, "/" + strings.Repeat("Device/", 50)} {
			shown = append(shown, o.Pointer(p))
		}
		return shown
	}},
	{"a pointer into no JSON", func(o *sanitize.Output) any { return o.Pointer("/3/Device/person~17") }},
	{"names of members", func(o *sanitize.Output) any {
		return []string{o.MemberName("user_id"), o.MemberName("person"), o.MemberName(token),
			o.MemberName("AccessToken"), o.MemberName(strings.Repeat("a", 61))}
	}},
	{"names of headers", func(o *sanitize.Output) any {
		return []string{o.HeaderName("Via"), o.HeaderName("X-Person"), o.HeaderName("X-Ratelimit-Person"),
			o.HeaderName("Ratelimit-Person"), o.HeaderName("X-Rate-Limit-Person"),
			o.HeaderName(strings.Repeat("A", 61))}
	}},
	{"the header of an answer", func(o *sanitize.Output) any {
		const date = "Sun, 22 Nov 2026 20:36:08 GMT"
		return o.Header(http.Header{"Content-Type": {"application/json; charset=utf-8", "text/html; user=person"},
			"Content-Length": {"713", "713713713", " 7 "}, "Date": {date, "person"}, "Location": {"/person", ""},
			"Retry-After":      {"120", "9999", "10021", "1002100210021", "person", "soon", date},
			"X-Request-Id":     {date},
			"Www-Authenticate": {"Bearer", `Bearer realm="person"`, "person"},
			"Cache-Control":    {"no-store", "No-Store"}})
	}},
	{"values of headers", func(o *sanitize.Output) any {
		long := strings.Repeat("a", 201)
		return []string{o.HeaderValue("Location", long), o.HeaderText("Location", long),
			o.HeaderValue("Via", "no-store")}
	}},
	{"a secret in a header", func(o *sanitize.Output) any {
		return []any{o.HeaderName("X-" + token), o.HeaderValue("Location", token), o.HeaderText("Location", token),
			o.Header(http.Header{"X-" + token: {"Basic " + token}, "Www-Authenticate": {"Basic " + token}})}
	}},
	{"a body that is withheld", func(o *sanitize.Output) any {
		return []*exchange.Withheld{o.Withheld(exchange.Withheld{Size: 9, Digest: "sha256:77", Rule: "secret"}),
			o.Withheld(exchange.Withheld{Rule: "utf-8"})}
	}},
	{"users", func(o *sanitize.Output) any {
		var shown []any
		for _, p := range []exchange.Probe{{User: person}, {User: person, Position: 1},
			{User: exchange.User{UserID: "x", Name: strings.Repeat("a", 101)}},
			{User: exchange.User{UserID: strings.Repeat("x", 81)}},
			{User: person, Kind: exchange.UnknownUser}} {
			shown = append(shown, o.User(p), o.StoredUser(p))
		}
		return append(shown, o.UserID("person-7"), o.UserID(token), o.UserID(strings.Repeat("a", 81)))
	}},
	{"a command", func(o *sanitize.Output) any {
		s := settingsOf("")
		s.Targets[schemas.V5].Headers[0].Name = "X-Tenant"
		return o.Curl(requests.New(s, testkit.Contract()), exchange.Probe{User: person, Segment: "v5",
			Version: schemas.V5, Operation: schemas.GetUserAuth})
	}},
	{"an exchange", storedParts(personExchange(`{"IsLocked":true,"Nick":["person"]}`), 1<<10)},
	{"an exchange of one byte", storedParts(personExchange("7"), 1<<10)},
	{"an exchange that is cut", storedParts(personExchange(`["person"]`), 5)},
	{"an exchange of evidence that was cut", func(o *sanitize.Output) any {
		ex := personExchange(`["per`)
		ex.Cut = &exchange.Cut{Size: 10, Digest: "sha256:77"}
		return storedParts(ex, 1<<10)(o)
	}},
	{"an exchange that is withheld", storedParts(personExchange("[\"person\xff\"]"), 1<<10)},
	{"an exchange without an answer", storedParts(&exchange.Exchange{Fault: &exchange.Fault{Detail: "got person",
		Plain: "no HTTP"}}, 1<<10)},
	{"a fault with much text and a secret", func(o *sanitize.Output) any {
		return o.Fault(exchange.Fault{Detail: "got " + token + " " + strings.Repeat("x", 500)}).Detail
	}},
}

// storedParts are what is stored of an exchange: its user, header, body and what is said of that.
func storedParts(ex *exchange.Exchange, limit int) func(o *sanitize.Output) any {
	return func(o *sanitize.Output) any {
		stored := o.Exchange(ex, limit)
		return []any{stored.Probe.User, stored.Header, string(stored.Body), stored.Length(), stored.Cut,
			stored.Withheld, stored.Fault}
	}
}

func showValues(o *sanitize.Output, texts ...string) (shown []string) {
	for _, text := range texts {
		value := testkit.Must(strictjson.Decode([]byte(text)))
		shown = append(shown, o.Value(strictjson.ExcerptOf(value), 40), o.JSON(value, 40))
	}
	return shown
}

// personExchange is an exchange in whose header stands what is never stored, and no UTF-8.
func personExchange(body string) *exchange.Exchange {
	return &exchange.Exchange{Probe: exchange.Probe{User: person}, Body: []byte(body),
		Header: http.Header{"Set-Cookie": {"a"}, "Www-Authenticate": {"Basic x",
			`Bearer realm="canary error=\"canary\"", x-error="canary", error="invalid_token", ` +
				`error_description="it ended, at noon", error_uri=canary, nonce="canary"`},
			"Proxy-Authenticate": {"Basic"},
			"Via":                {"\x9bü\uFFFD"}, "Cookie\x9b": {"b"}}}
}

var _ = It("What leaves the process is without secrets and, if that is set, without the values of users", func() {
	shown := sanitize.New(settingsOf(settings.ValuesShow), testkit.Contract(), "")
	var text strings.Builder
	write := func(how string, value any) {
		fmt.Fprintf(&text, "  %s: %s\n", how, testkit.Must(strictjson.Encode(value)))
	}
	for _, p := range passing {
		fmt.Fprintln(&text, p.what)
		write("shown", p.pass(shown))
		write("hidden", p.pass(hidingOutput()))
		write("before settings", p.pass(nil))
	}
	for _, out := range []*sanitize.Output{shown, hidingOutput()} {
		requests := requests.New(settingsOf(""), testkit.Contract())
		fmt.Fprintln(&text, "requests, and settings")
		for _, kind := range []exchange.Kind{"", exchange.WrongMethod} {
			url, header, body := out.Request(requests, exchange.Probe{User: person, Version: schemas.V5,
				Segment: "v5", Operation: schemas.FindByUserIDs, Kind: kind}, "agent")
			write("URL, header and body", []any{url, header, body})
		}
		write("settings", out.Settings(settingsOf("")))
	}
	testkit.ExpectGolden("testdata/passed.txt", text.String())
})
