package sanitize_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"authenticator-conformance/suites/internal/sanitize"
)

var (
	hiddenValue = regexp.MustCompile(`^(string, 0 characters|string, [0-9,]+ characters?, #[0-9a-f]{10}|` +
		`(number|boolean), #[0-9a-f]{10})$`)
	hiddenMember = regexp.MustCompile(`^undocumented-[0-9a-f]{16}$`)
	hiddenBody   = regexp.MustCompile(`^no JSON: [0-9,]+ bytes?(, #[0-9a-f]{10})?$`)
)

// onlyHidden reports whether a stored body has nothing but what is shown of hidden values, and names that are shown.
func onlyHidden(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return hiddenValue.MatchString(v)
	case []any:
		for _, element := range v {
			if !onlyHidden(element) {
				return false
			}
		}
		return true
	case map[string]any:
		for name, member := range v {
			if !hiddenMember.MatchString(name) && !shownName(name) || !onlyHidden(member) {
				return false
			}
		}
		return true
	}
	return false
}

func shownName(name string) bool {
	plain := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
	for _, known := range names {
		if plain == strings.ToLower(known) {
			return true
		}
	}
	return false
}

func FuzzHiddenBody(f *testing.F) {
	for _, body := range []string{`{"Id":"x","y":[1,true,null]}`, "<h1>x</h1>", `{"a":1,"a":2}`, "\"\xff\"", `[[[]]] `,
		`{} 1`, `{"a":"\ud800"}`, `1e400`, "\xef\xbb\xbf{}", ""} {
		f.Add([]byte(body))
	}
	values := sanitize.NewValues(key, names...)
	f.Fuzz(func(t *testing.T, body []byte) {
		out, cut := values.Body(body, "i", "u", 1<<20)
		if cut || hiddenBody.Match(out) {
			return
		}
		var value any
		if err := json.Unmarshal(out, &value); err != nil || !onlyHidden(value) {
			t.Errorf("%q became %q: %v", body, out, err)
		}
	})
}
