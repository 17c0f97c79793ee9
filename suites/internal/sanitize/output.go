package sanitize

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/judge/wording"
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
	key       []byte                // of digests, if values are hidden
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
	o.guard = NewGuard(vocabulary()+suite, given...)
	o.known().Ignore(slices.Concat(contract.Record.Members(), contract.Device.Members()))
	if s.Values == settings.ValuesHide {
		o.hideValues(s, contract)
	}
	return o
}

// Of returns a way out that takes these secrets out, and hides nothing.
func Of(secrets ...string) *Output {
	o := &Output{}
	o.secrets.Store(NewSecrets(secrets...))
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
	o.key = keyOf(strings.Join(s.Tokens(), "\n"))
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

// Digest returns the digest of the list of users as it may be shown: keyed, if values are hidden. Nobody can then find
// out by trial what has it.
func (o *Output) Digest(digest string) string {
	if !o.Hides() || digest == "" {
		return digest
	}
	mac := hmac.New(sha256.New, o.key)
	mac.Write([]byte(digest))
	return "sha256:" + hex.EncodeToString(mac.Sum(nil))
}

// Clean returns a text without secrets. It may have characters that are not safe to print.
func (o *Output) Clean(text string) string { return o.known().Clean(text) }

// Identifier returns a text, such as the id of a user, that is replaced as a whole if it has a secret.
func (o *Output) Identifier(id string) string { return o.known().String(id) }

// Text returns a text on one line, without secrets and safe to print. If limit is over 0 it has at most that many
// characters.
func (o *Output) Text(text string, limit int) string { return Printable(o.Clean(text), limit) }

// Texts is Text for each text of a list.
func (o *Output) Texts(list []string) []string {
	shown := make([]string, len(list))
	for i, text := range list {
		shown[i] = o.Text(text, 0)
	}
	return shown
}

// Observed returns what a target showed of itself, each text as Text. Of a header, which may have a user's value, only
// what can be shown of that.
func (o *Output) Observed(all map[schemas.Version]exchange.Observed) map[schemas.Version]exchange.Observed {
	shown := map[schemas.Version]exchange.Observed{}
	for v, one := range all {
		if one.Server = o.Text(one.Server, maxSent); o.Hides() && one.Server != "" {
			one.Server = describe(one.Server)
		}
		if one.TLS != nil {
			one.TLS = new(*one.TLS)
			one.TLS.Issuer = o.Text(one.TLS.Issuer, maxSent)
		}
		shown[v] = one
	}
	return shown
}

// Lines is Text for a text of several lines.
func (o *Output) Lines(text string) string { return PrintableLines(o.Clean(text)) }

// Error returns the text of an error on one line. What a target or a users file sent in it (exchange.Sent) is cut or,
// if values are hidden, described.
func (o *Output) Error(err error) string { return o.Text(o.message(err), 0) }

// ErrorLines is Error for an error of several lines.
func (o *Output) ErrorLines(err error) string { return o.Lines(o.message(err)) }

func (o *Output) message(err error) string {
	text, places := err.Error(), 1
	if o.Hides() {
		places = -1 // the text before a value may have the same characters
	}
	for _, part := range sentIn(err) {
		shown := ""
		switch sent := part.(type) {
		case *exchange.Fault:
			shown = o.Fault(*sent).Detail
		case exchange.Sent:
			if shown = o.Text(string(sent), maxSent); o.Hides() {
				shown = describe(o.Clean(string(sent)))
			}
		}
		text = strings.Replace(text, part.Error(), shown, places)
	}
	return text
}

// maxSent is how many characters of what a target sent an error shows.
const maxSent = 200

// sentIn returns the parts of an error that have text from a target or a users file: faults, and what was sent.
func sentIn(err error) (list []error) {
	switch e := err.(type) {
	case *exchange.Fault, exchange.Sent:
		if e.Error() != "" {
			list = append(list, e)
		}
	case interface{ Unwrap() error }:
		list = sentIn(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			list = append(list, sentIn(one)...)
		}
	}
	return list
}

// Value returns a value of an answer as JSON of at most limit characters or, if values are hidden, its type and length.
func (o *Output) Value(e strictjson.Excerpt, limit int) string {
	switch {
	case !o.Hides():
		return printable(o.beginning(e.Beginning), limit)
	case o.known().Found(e.Text): // not even the length of a secret is shown
		return o.known().redacted
	}
	return describeExcerpt(e)
}

// JSON is Value for a value of which everything up to the limit is shown.
func (o *Output) JSON(value any, limit int) string {
	if o.Hides() {
		return o.Value(strictjson.ExcerptOf(value), limit)
	}
	return o.known().ShowJSON(value, limit)
}

// Body returns the beginning of a body or, if values are hidden, its size.
func (o *Output) Body(begin strictjson.Beginning, size, limit int) string {
	if o.Hides() {
		return wording.Count(size, "byte")
	}
	return printable(o.beginning(begin), limit)
}

// beginning returns a beginning without secrets. The whole text has as many characters more than it as before.
func (o *Output) beginning(b strictjson.Beginning) strictjson.Beginning {
	rest := max(0, b.Characters-utf8.RuneCountInString(b.Text))
	b.Text = o.Clean(b.Text)
	b.Characters = utf8.RuneCountInString(b.Text) + rest
	return b
}

// List returns what was seen at an open point that shows values of users.
func (o *Output) List(parts []string, different int) []string {
	if !o.Hides() {
		return parts
	}
	return []string{wording.Count(different, "different value")}
}

// Pointer returns a JSON Pointer into an answer. If values are hidden it has no number, which may be the name of a
// member.
func (o *Output) Pointer(pointer string) string {
	tokens, _ := strictjson.Tokens(pointer) // none if it is no pointer
	shown := ""
	for _, token := range tokens {
		if _, err := strconv.ParseUint(token, 10, 64); o.Hides() && (err == nil || token == "*") {
			token = "*"
		} else if o.Hides() {
			token = o.names.shown(token)
		}
		shown = strictjson.Pointer(shown, o.Identifier(token))
	}
	return Printable(shown, maxPointer)
}

// maxPointer is how many characters of a pointer are shown.
const maxPointer = 300

// MemberName returns the name of an undocumented member, quoted.
func (o *Output) MemberName(name string) string {
	if o.Hides() {
		name = o.names.shown(name)
	}
	return o.known().ShowJSON(o.Identifier(name), 60)
}

// Withheld describes a body that is not kept; if values are hidden without its digest.
func (o *Output) Withheld(w exchange.Withheld) *exchange.Withheld {
	if o.Hides() {
		w.Digest = ""
	}
	return &w
}

// Fault returns the reason why there is no whole answer. If values are hidden it quotes nothing of the answer.
func (o *Output) Fault(f exchange.Fault) exchange.Fault {
	if o.Hides() {
		f.Detail = cmp.Or(f.Plain, "no whole answer came; why is hidden (setting values)")
	}
	f.Detail = o.Text(f.Detail, 500)
	return f
}

// Curl returns a command that sends a probe again; "" if values are hidden and the command would need those of a user.
func (o *Output) Curl(r *requests.Requests, p exchange.Probe) string {
	if o.Hides() && p.Kind != exchange.UnknownUser {
		return ""
	}
	p.User = o.StoredUser(p)
	return o.Text(r.Curl(p, o.Clean), 0)
}
