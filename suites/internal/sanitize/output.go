package sanitize

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/settings"
)

// Output is the way out of one run or sweep. Everything that leaves the process passes it once: it takes secrets out,
// hides the values of users if the settings say so, and makes texts safe to print. Answers are judged and compared as
// they were sent, before they come here. It is safe for concurrent use.
//
// A nil *Output knows no secrets and hides nothing: it is for texts from before the settings are known.
type Output struct {
	secrets   atomic.Pointer[Secrets]
	renewing  sync.Mutex
	names     names                 // of members that are shown; nil if values are shown
	positions map[exchange.User]int // in the users file, from 1; nil if values are shown
	guard     *Guard
}

// New returns the way out for a run with these settings. suite is the name and the version of the suite, which are no
// secrets.
func New(s *settings.Settings, contract *schemas.Contract, suite string) *Output {
	given := secretsOf(s)
	secrets := slices.Clone(given)
	for _, token := range s.Tokens() { // the altered token differs from it in one character, so it is secret too
		secrets = append(secrets, exchange.BadTokens(token).Changed)
	}
	o := Of(secrets...)
	o.guard = NewGuard(vocabulary()+suite+strings.Join(settings.Names(), "\n"), given...)
	o.known().Ignore(slices.Concat(contract.Record.Members(), contract.Device.Members()))
	if s.Values == settings.ValuesHide {
		o.hideValues(s, contract)
	}
	return o
}

// Of returns a way out that takes these secrets out, and hides nothing. The names of settings are not looked for (J21):
// an error names the setting that has a wrong value, such as the whole answer with the member access_token.
func Of(secrets ...string) *Output {
	o, known := &Output{}, NewSecrets(secrets...)
	known.Ignore(settings.Names())
	o.secrets.Store(known)
	return o
}

// Renew makes the way out take another token out, too: the target's token was renewed. Call it before that is sent.
func (o *Output) Renew(token string) {
	o.renewing.Lock()
	defer o.renewing.Unlock()
	if secrets := o.known(); secrets != nil {
		more := NewSecrets(append(slices.Clip(secrets.values), exchange.BadTokens(token).Changed, token)...)
		more.Ignore(secrets.ignored)
		o.secrets.Store(more)
	}
	if o.guard != nil {
		o.guard.Add(token)
	}
}

// known returns the secrets; nil if there are none.
func (o *Output) known() *Secrets {
	if o == nil {
		return nil
	}
	return o.secrets.Load()
}

// WithHole returns a way out that takes nothing out, for tests of the scan of finished files, the second lock.
func WithHole(secrets ...string) *Output { return &Output{guard: NewGuard("", secrets...)} }

// hideValues makes the way out hide the values of users. The members that parity ignores are named by the settings, and
// so are not hidden.
func (o *Output) hideValues(s *settings.Settings, contract *schemas.Contract) {
	list := slices.Concat(contract.Record.Members(), contract.Device.Members())
	for _, op := range schemas.Operations() {
		list = append(list, contract.Request(op).Members()...)
	}
	for _, i := range s.Ignore {
		tokens, _ := strictjson.Tokens(i.Pointer) // none if it is no pointer
		list = append(list, tokens...)
	}
	o.names, o.positions = names{}, make(map[exchange.User]int, len(s.Users))
	for _, name := range list {
		o.names[schemas.FoldName(name)] = true
	}
	for i, user := range s.Users {
		o.positions[user] = i + 1
	}
}

// vocabulary returns the text of the contract. A secret that occurs in it can't be searched for.
func vocabulary() string {
	var text strings.Builder
	files := schemas.Files()
	names, _ := fs.Glob(files, "*") // the pattern is valid
	for _, name := range names {
		content, _ := fs.ReadFile(files, name) // they are embedded
		text.Write(content)
	}
	return text.String()
}

// Guard returns the search for secrets in finished files.
func (o *Output) Guard() *Guard {
	if o == nil {
		return nil
	}
	return o.guard
}

// Hides reports whether the values of users are hidden.
func (o *Output) Hides() bool { return o != nil && o.names != nil }

// Values returns the setting of values as reports have it: hide, or "" if they are shown.
func (o *Output) Values() string { return o.either("", settings.ValuesHide) }

// either returns a text that can have values of users or, if they are hidden, what takes its place.
func (o *Output) either(shown, hidden string) string {
	if o.Hides() {
		return hidden
	}
	return shown
}

// Digest returns the digest of the list of users as it may be shown: another one, if values are hidden, so that it
// can't be looked up among digests of lists. It depends on no secret: a gate, a resumed sweep and the shards of one
// must tell that they have the same list, also after a token was renewed (J21).
func (o *Output) Digest(digest string) string {
	if !o.Hides() || digest == "" {
		return digest
	}
	return HiddenDigest(digest)
}

// HiddenDigest returns what stands in the place of the digest of a list of users whose values are hidden.
func HiddenDigest(digest string) string {
	return exchange.DigestOf([]byte("a list of users whose values are hidden: " + digest))
}

// secretsOf returns the secrets of the settings. What the value of a header, such as Origin or X-Tenant, has in common
// with the address of a target is no secret (J21): reports show that address.
func secretsOf(s *settings.Settings) (secrets []string) {
	var headers []string
	for _, t := range s.Targets {
		for _, h := range t.Headers {
			headers = append(headers, h.Value)
		}
	}
	address := string(fold([]byte(addressesOf(s))))
	for _, value := range s.Secrets {
		if slices.Contains(headers, value) && !slices.Contains(s.Tokens(), value) {
			secrets = append(secrets, withoutAddress(value, address)...)
		} else {
			secrets = append(secrets, value)
		}
	}
	return secrets
}

// addressesOf returns the URLs that are asked, one a line, each with and without its port.
func addressesOf(s *settings.Settings) string {
	var text strings.Builder
	for v, t := range s.Targets {
		if t.URL == nil {
			continue
		}
		port := cmp.Or(t.URL.Port(), map[string]string{"http": "80", "https": "443"}[t.URL.Scheme])
		for _, op := range schemas.Operations() {
			path := exchange.Probe{Operation: op, Version: v, Segment: string(v)}.Path()
			for _, host := range []string{t.URL.Host, t.URL.Hostname(), t.URL.Hostname() + ":" + port} {
				text.WriteString(t.URL.Scheme + "://" + host + t.URL.EscapedPath() + path + "\n")
				text.WriteString(t.URL.Scheme + "://" + host + path + "\n")
			}
		}
	}
	return text.String()
}

// withoutAddress returns the longest parts of a value of which no run (maxRun) is in the address, which is folded.
func withoutAddress(value, address string) (parts []string) {
	length, begin := min(maxRun, len(value)), -1
	for i := 0; i+length <= len(value); i++ {
		switch isOwn := strings.Contains(address, string(fold([]byte(value[i:i+length])))); {
		case isOwn:
			begin = -1
		case begin < 0:
			begin, parts = i, append(parts, value[i:i+length])
		default:
			parts[len(parts)-1] = value[begin : i+length]
		}
	}
	return parts
}
