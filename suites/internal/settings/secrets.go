package settings

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"authenticator-conformance/suites/internal/settings/input"
)

// filesGrace is how long Secrets waits for files: one can be a pipe that blocks.
const filesGrace = 2 * time.Second

// Secrets returns those that were given, for any version and by any source, even if they or other settings are wrong:
// an error may show a secret that was given in the wrong setting. It reads the files that have secrets, and leaves
// pipes out if they can't be read soon.
func (i *Input) Secrets() []string {
	all := make(chan []string, 1)
	go func() { all <- i.secrets(false) }()
	select {
	case secrets := <-all:
		return secrets
	case <-time.After(filesGrace):
		return i.SecretsAtOnce()
	}
}

// SecretsAtOnce returns Secrets without those that are in pipes.
func (i *Input) SecretsAtOnce() []string { return i.secrets(true) }

func (i *Input) secrets(atOnce bool) []string {
	r := newResolver(i, &Settings{}, nil, time.Time{})
	r.atOnce = atOnce
	for _, s := range r.rows {
		for g := range i.values(s, atOnce) {
			if s.ofTarget && !g.empty() {
				_ = s.set(r, &Target{}, &g) // Resolve reports the error
			}
		}
	}
	r.unlessWords(i.configuration(atOnce).suspects()...)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		text, _ := r.proxyVariable(name)
		r.secret(proxySecrets(text)...)
	}
	return r.settings.Secrets
}

// content returns the content of a file, which is read once. Errors do not contain the path.
func (r *resolver) content(path string) ([]byte, error) {
	if r.atOnce && input.IsPipe(path) {
		return nil, errors.New("is not read")
	}
	read, _ := r.in.contents.LoadOrStore(path, sync.OnceValues(func() ([]byte, error) { return input.ReadFile(path) }))
	return read.(func() ([]byte, error))()
}

// secret adds texts that must be redacted from all output. Of a longer one than a secret may be, such as a wrong file,
// only the beginning is searched for.
func (r *resolver) secret(texts ...string) {
	for _, text := range texts {
		text = text[:min(len(text), maxSecret)]
		if strings.TrimSpace(text) != "" && !slices.Contains(r.settings.Secrets, text) {
			r.settings.Secrets = append(r.settings.Secrets, text)
		}
	}
}

// unlessWords adds secrets but those that are words, which appear anywhere.
func (r *resolver) unlessWords(texts ...string) {
	r.secret(slices.DeleteFunc(texts, words.MatchString)...)
}
