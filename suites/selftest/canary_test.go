package selftest_test

import (
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/conforming"
	"authenticator-conformance/fixtures/reference"
)

// The secrets of these runs. They look like no other text, so that what is found of them can only come from them.
const (
	plainToken  = "q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE1oXiQv5K"
	oddToken    = `W<x"Y&z'9+k/L=m%p\R;ü€😀{n}[o] v^2|T~u:8?h@j`
	headerValue = "tenant-5Gk9Qw2Lz8Xr4Vn7Hd3Ts6"
	bearer      = "kJ3nR8vT1yM6pQ4sW9zB2cF7hL5dG0xA"
	password    = "pAss+w0rd/of=the&caller!"
)

// place is where a target returns a secret that it was sent, in some encoding.
type place struct {
	name string
	// shown tells that the reports show what the target wrote there, if it is no secret.
	shown bool
	// echo answers a request; right is what the reference answers.
	echo func(w http.ResponseWriter, right *httptest.ResponseRecorder, secret string)
}

func places() []place {
	pass := func(w http.ResponseWriter, right *httptest.ResponseRecorder, body string) {
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", right.Header().Get("Content-Type"))
		}
		w.WriteHeader(right.Code)
		_, _ = w.Write([]byte(body))
	}
	header := func(name string, shown bool) place {
		return place{"the header " + name, shown, func(w http.ResponseWriter, right *httptest.ResponseRecorder, secret string) {
			w.Header().Set(name, oneLine(secret))
			pass(w, right, right.Body.String())
		}}
	}
	// within puts a secret into the JSON text of success, where mark stands.
	within := func(name, old, new string, shown bool) place {
		return place{name, shown, func(w http.ResponseWriter, right *httptest.ResponseRecorder, secret string) {
			body := right.Body.String()
			if right.Code == http.StatusOK {
				body = strings.ReplaceAll(body, old, fmt.Sprintf(new, quoted(secret)))
			}
			pass(w, right, body)
		}}
	}
	instead := func(name string, status int, form string) place {
		return place{name, true, func(w http.ResponseWriter, _ *httptest.ResponseRecorder, secret string) {
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, form, secret)
		}}
	}
	line := func(name, form string, shown bool) place {
		return place{name, shown, func(w http.ResponseWriter, right *httptest.ResponseRecorder, secret string) {
			raw(w, fmt.Sprintf(form, oneLine(secret))+fmt.Sprintf("Content-Length: %d\r\nConnection: close\r\n\r\n%s", right.Body.Len(), right.Body))
		}}
	}
	return []place{
		instead("the body of a refusal", 403, "the token %s is not known"),
		instead("a body of success that is no JSON", 200, "<p>%s</p>"),
		instead("a body of success that is no object", 200, "[\"%s\""),
		{"the body of refusals alone", false, func(w http.ResponseWriter, right *httptest.ResponseRecorder, secret string) {
			if right.Code != http.StatusOK {
				pass(w, right, "refused: "+secret)
				return
			}
			pass(w, right, right.Body.String())
		}},
		within("strings", `"Description":"`, `"Description":"%[1]s`, false),
		within("GUIDs", `"ModeId":"`, `"ModeId":"%[1]s`, true),
		within("date-times", `"CreatedOn":"`, `"CreatedOn":"%[1]s`, true),
		within("the user's name", `"UserId":"`, `"UserId":"%[1]s`, true),
		within("the device", `"Device":{`, `"Device":{"Comment2":"%[1]s","Flags":["%[1]s"],`, false),
		within("a number's place", `"Flags":`, `"Flags":"%[1]s","Was":`, true),
		within("the name of a member", `"ModeType":`, `"%[1]s":`, true),
		within("an object in the place of a string", `"ModeTypeName":`, `"ModeTypeName":{"%[1]s":["%[1]s"]},"Was":`, true),
		within("identifiers", `["`, `["%[1]s","`, true),
		within("a doubled member", `"Id":`, `"%[1]s":1,"%[1]s":2,"Id":`, true),
		header("Content-Type", true), header("WWW-Authenticate", true), header("Sunset", true), header("X-Echo", false), header("Set-Cookie", false),
		header("Retry-After", false), header("Content-Encoding", true),
		{"the name of a header", true, func(w http.ResponseWriter, right *httptest.ResponseRecorder, secret string) {
			if name := "RateLimit-" + strings.Map(asToken, secret); len(name) < 500 {
				w.Header()[name] = []string{"1"}
			}
			pass(w, right, right.Body.String())
		}},
		{"two headers, half in each", true, func(w http.ResponseWriter, right *httptest.ResponseRecorder, secret string) {
			w.Header().Set("Sunset", oneLine(secret[:len(secret)/2]))
			w.Header().Set("Deprecation", oneLine(secret[len(secret)/2:]))
			pass(w, right, right.Body.String())
		}},
		{"a redirect", true, func(w http.ResponseWriter, _ *httptest.ResponseRecorder, secret string) {
			w.Header().Set("Location", "http://127.0.0.1:1/login?token="+oneLine(secret))
			w.WriteHeader(http.StatusFound)
		}},
		line("the reason of the status", "HTTP/1.1 200 %s\r\n", false),
		line("a broken status", "HTTP/1.1 %s OK\r\n", true),
		line("a broken status line", "%s 200 OK\r\n", true),
		line("a broken header", "HTTP/1.1 200 OK\r\n%s\r\n", true),
		line("a broken transfer coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: %s\r\n", true),
		line("a broken length", "HTTP/1.1 200 OK\r\nContent-Length: %s\r\n", true),
	}
}

func quoted(s string) string { return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) }

func oneLine(s string) string { return strings.NewReplacer("\r", "", "\n", "").Replace(s) }

// asToken leaves of a text what may stand in the name of a header.
func asToken(r rune) rune {
	if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("!#$%&'*+-.^_`|~", r) {
		return r
	}
	return -1
}

// raw takes the connection over and writes bytes that net/http would not.
func raw(w http.ResponseWriter, text string) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	_, _ = c.Write([]byte(text))
	_ = c.(*net.TCPConn).CloseWrite()
	_ = c.Close()
}

func canarySpecs(r *rig) {
	secretsOf := func(token string) []string { return []string{token, headerValue, bearer, password} }
	var names []string
	var jobs []func() *outcome
	for _, token := range []string{plainToken, oddToken} {
		for _, p := range places() {
			names = append(names, fmt.Sprintf("%.8s… in %s", token, p.name))
			jobs = append(jobs, func() *outcome { return p.judged(r, token, secretsOf(token)) })
		}
	}
	results := runAhead(r, jobs...)

	Describe("A secret leaves no trace where the target returns it", Label(proof), func() {
		for i, name := range names {
			It(name, func() {
				o := results.result(i)
				sound(o)
				secrets := secretsOf([]string{plainToken, oddToken}[i/len(places())])
				Expect(tracesIn(o, secrets...)).To(BeEmpty())
			})
		}

		It("which is seen there if it is no secret", func() {
			const other = "hG3kLp9QwErTyUiOaSdF7ZxCvBnM1jK2bV5cX8zN"
			for _, p := range places() {
				if p.shown {
					Expect(tracesIn(p.judged(r, plainToken, []string{other}), other)).NotTo(BeEmpty(), p.name)
				}
			}
		})

		It("a client key", func() {
			service, ok := find("host-client-certificate")
			Expect(ok).To(BeTrue())
			folder := r.work()
			running, err := service.Start(folder)
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(running.Close)
			o := r.call(command{args: append([]string{"run", "--users", r.users}, running.Arguments...), env: credentials(), folder: folder})
			sound(o)
			Expect(tracesIn(o, lines(folder, "client.key")...)).To(BeEmpty())
		})
	})

	Describe("A secret leaves no trace where it is given wrongly", Label(proof), func() {
		const secret = plainToken
		for name, s := range map[string]slip{
			"a token with a control character":     {args: full(), env: []string{"AUTHN_ACCESS_TOKEN=" + secret + "\x01", "AUTHN_APPLICATION_ID=a"}},
			"a token of two lines":                 {args: full("--access-token-file", "t"), env: []string{"AUTHN_APPLICATION_ID=a"}, files: map[string]string{"t": secret + "\n" + secret}},
			"a token for the name of its file":     {args: full("--access-token-file", secret), env: []string{"AUTHN_APPLICATION_ID=a"}},
			"a token as a flag":                    {args: full("--access-token=" + secret), env: credentials()},
			"a token in an unknown variable":       {args: full(), env: append(credentials(), "AUTHN_TOKEN="+secret)},
			"a token in the configuration file":    {args: full("--config", "c.yaml"), env: credentials(), files: map[string]string{"c.yaml": "target:\n  accessToken: " + secret + "\n"}},
			"a token in a file that is no YAML":    {args: full("--config", "c.yaml"), env: credentials(), files: map[string]string{"c.yaml": "target: {accessToken: *" + secret + "\n"}},
			"a password in a URL":                  {args: []string{"--target-url", "http://user:" + secret + "@127.0.0.1/", "--users", "{users}"}, env: credentials()},
			"a password in a URL that is wrong":    {args: []string{"--target-url", "user:" + secret + "@127.0.0.1", "--users", "{users}"}, env: credentials()},
			"a password in a query":                {args: []string{"--target-url", "{target}/?key=" + secret, "--users", "{users}"}, env: credentials()},
			"a header whose value is in its name":  {args: full("--config", "c.yaml"), env: credentials(), files: map[string]string{"c.yaml": "target:\n  headers:\n    'Authorization: Bearer " + secret + "': x\n"}},
			"a header of two lines":                {args: full("--config", "c.yaml"), env: credentials(), files: map[string]string{"c.yaml": "target:\n  headers:\n    Authorization: \"Bearer " + secret + "\\n\"\n"}},
			"a token beside a slip":                {args: full("--rate", "-1"), env: []string{"AUTHN_ACCESS_TOKEN=" + secret, "AUTHN_APPLICATION_ID=a"}},
			"a token where the target is no where": {args: []string{"--target-url", "http://127.0.0.1:1", "--users", "{users}"}, env: []string{"AUTHN_ACCESS_TOKEN=" + secret, "AUTHN_APPLICATION_ID=a"}},
		} {
			It(name, func() {
				o, _ := s.make(r)
				Expect(o.code).To(Equal(2), o.said())
				Expect(tracesIn(o, secret)).To(BeEmpty())
			})
		}
	})

	DescribeTable("The search for traces finds what is there", func(encode func(string) string) {
		for _, secret := range append(secretsOf(plainToken), oddToken) {
			Expect(traces("before "+encode(secret)+" after", secret)).NotTo(BeEmpty(), secret)
			Expect(traces("before "+encode("something else that is as long as a secret")+" after", secret)).To(BeEmpty(), secret)
		}
	}, func() (entries []TableEntry) {
		for _, e := range encodings() {
			entries = append(entries, Entry(e.name, e.encode))
		}
		return entries
	}())
}

// judged runs against a target that returns each of the secrets, in each encoding in turn.
func (p place) judged(r *rig, token string, secrets []string) *outcome {
	right := reference.New(reference.Options{Users: knownUsers(), AccessToken: token, ApplicationID: fixtures.ApplicationID})
	ways := encodings()
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		n := int(calls.Add(1)) - 1
		answer := httptest.NewRecorder()
		right.ServeHTTP(answer, request)
		p.echo(w, answer, ways[n%len(ways)].encode(secrets[n/len(ways)%len(secrets)]))
	}))
	defer server.Close()
	folder := r.work()
	config := fmt.Sprintf("target:\n  headers:\n    X-Tenant: %q\n    Authorization: %q\n    X-Caller: %q\n", headerValue, "Bearer "+bearer,
		"Basic "+base64.StdEncoding.EncodeToString([]byte("caller:"+password)))
	c := r.certify(server.URL, "--config", write(folder, "c.yaml", []byte(config)))
	c.folder, c.env = folder, []string{"AUTHN_ACCESS_TOKEN=" + token, "AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}
	return r.call(c)
}

// lines are those of a PEM file that hold its content.
func lines(folder, name string) []string {
	GinkgoHelper()
	content, err := os.ReadFile(filepath.Join(folder, name))
	Expect(err).NotTo(HaveOccurred())
	var list []string
	for _, line := range strings.Fields(string(content)) {
		if len(line) > 20 {
			list = append(list, line)
		}
	}
	Expect(list).NotTo(BeEmpty())
	return list
}

// find gives a conforming service by its name.
func find(name string) (conforming.Service, bool) {
	for _, s := range conforming.All() {
		if s.Name == name {
			return s, true
		}
	}
	return conforming.Service{}, false
}
