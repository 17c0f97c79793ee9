package page_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/page"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/strictjson"
)

// hostileText are texts that would do something, wherever they came out as they are.
func hostileText() []string {
	return []string{
		`<script>alert(1)</script>`, `</script><script>alert(1)</script>`, `</style><img src=x onerror=alert(1)>`,
		`"><svg onload=alert(1)>`,
		`' onmouseover='alert(1)`, `javascript:alert(1)`, `{{.Policy}}{{template "page.html"}}`, `<!--`, `-->`, `]]>`,
		`</pre></title></textarea>`,
		`&lt;b&gt;&#x3c;i&#x3e;`, "\x1b[2J\x07\x00\u009b31m",
		"\u202eevil\u2066\u200b\ufeff\u2028\u2029\u00ad\U000e0041",
		"\xff\xfe\x80", "a\r\nb\tc", `${alert(1)}`, "`", `\u003cscript\u003e`,
		`//evil.example/x`, `data:text/html,<script>alert(1)</script>`, `url(https://evil.example)`,
		`@import "https://evil.example"`,
	}
}

// corruptTexts puts a text into every string of a value, whatever its type; strings that decide what is shown stay.
func corruptTexts(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			corruptTexts(v.Elem(), text)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() && v.Type().Field(i).Name != "Exchange" && v.Type().Field(i).Name != "Against" {
				corruptTexts(v.Field(i), text)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			corruptTexts(v.Index(i), text)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if v.Type().Elem().Kind() != reflect.String {
				continue
			}
			v.SetMapIndex(key, reflect.ValueOf(text).Convert(v.Type().Elem()))
			if v.Type().Key() == reflect.TypeFor[string]() {
				v.SetMapIndex(reflect.ValueOf(text+key.String()), reflect.ValueOf(text))
			}
		}
	case reflect.String:
		if v.Type() != reflect.TypeFor[ledger.Verdict]() {
			v.SetString(text)
		}
	}
}

// hostileRun is a report and its exchanges with a text in every field.
func hostileRun(text string) (*report.Report, shelf) {
	r, s := reportOfEverything(), everyExchange()
	for i := range r.Requirements {
		row := &r.Requirements[i]
		row.Causes = append(row.Causes, report.Cause{Kind: text, Pointer: text, Count: 1, Example: text})
		row.Notes = append(row.Notes, text)
	}
	corruptTexts(reflect.ValueOf(r).Elem(), text)
	for i := range r.Requirements {
		for j := range r.Requirements[i].Causes {
			r.Requirements[i].Causes[j].Pointer = strictjson.General(text)
		}
	}
	for id, k := range s {
		k.Proto, k.Method, k.URL = text, text, text
		k.Header, k.Sent = http.Header{text: {text}, "X": {text}}, http.Header{text: {text}}
		k.SentBody = `{"` + text + `":"` + text + `"}`
		k.Probe.User.ID, k.Probe.User.UserID, k.Probe.User.Name = id+text, text, text
		k.Probe.Operation, k.Probe.Version, k.Probe.Field = schemas.Operation(text), schemas.Version(text), text
		k.Probe.Kind, k.Probe.Segment = exchange.Null, text
		k.Fault = &exchange.Fault{Kind: exchange.FaultKind(text), Detail: text}
		k.Cut = &exchange.Cut{Size: 10, Digest: text}
		k.Body = []byte(text)
	}
	// JSON that holds the text as it is, in a name and in a value.
	s["e1"].Cut, s["e1"].Body = nil, []byte(fmt.Sprintf(`{%q:%q,"Flags":1}`, text, text))
	s["e5"].Cut, s["e5"].Body = nil, []byte(`{"a":"`+strings.ReplaceAll(text, `"`, `'`)+`"}`)
	return r, s
}

// structureOf adds the elements and attributes of a page, without their values, to those seen, and links that lead out
// of the page and scripts that are not its own.
func structureOf(text string, visited map[string]bool) error {
	doc, err := parseHTML(text)
	if err != nil {
		return err
	}
	for _, e := range doc.all(func(element) bool { return true }) {
		visited["<"+e.Data+">"] = true
		for _, a := range e.Attr {
			visited[e.Data+" "+a.Key] = true
		}
		if href := e.value("href"); href != "" && href != "data:," && href != stats.FindingsFile &&
			!strings.HasPrefix(href, "#") && !strings.HasPrefix(href, "?") {
			visited["a link to "+href] = true
		}
		if e.Data == "script" && !strings.HasPrefix(e.text(), "\"use strict\";") {
			visited["another script"] = true
		}
	}
	return nil
}

// ordinaryStructure is the skeleton of pages without any harm.
func ordinaryStructure() (map[string]bool, error) {
	visited := map[string]bool{}
	for _, r := range []*report.Report{reportOfEverything(), report.Failed("", ended, ended, "x")} {
		var out strings.Builder
		if err := page.Write(&out, r, everyExchange()); err != nil {
			return nil, err
		}
		if err := structureOf(out.String(), visited); err != nil {
			return nil, err
		}
	}
	return visited, nil
}

// hostileName lists what a page has beside the ordinary, and the characters in it that do something.
func hostileName(text string, ordinary map[string]bool) ([]string, error) {
	visited := map[string]bool{}
	if err := structureOf(text, visited); err != nil {
		return nil, err
	}
	found := unsafeText(text)
	for part := range visited {
		if !ordinary[part] {
			found = append(found, part)
		}
	}
	return found, nil
}

// unsafeText lists the characters that do something instead of being shown.
func unsafeText(text string) []string {
	found := []string{}
	for _, c := range text {
		if unicode.IsControl(c) && c != '\n' || unicode.In(c, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp) ||
			c == unicode.ReplacementChar {
			found = append(found, fmt.Sprintf("%U", c))
		}
	}
	return found
}

var _ = It("What a hostile target sends is only shown (J20), in every part of the page", func() {
	expected, err := ordinaryStructure()
	Expect(err).NotTo(HaveOccurred())
	for _, text := range hostileText() {
		r, s := hostileRun(text)
		Expect(hostileName(pageOf(r, s), expected)).To(BeEmpty(), "%q", text)
		r.Error = &text
		Expect(hostileName(pageOf(r, s), expected)).To(BeEmpty(), "%q, of a run that broke off", text)
	}
})

// FuzzWrite: whatever texts a report and an exchange hold, the page parses, has no element or attribute that its
// templates do not have, shows no character that does something, and stays within its size.
func FuzzWrite(f *testing.F) {
	for _, text := range hostileText() {
		f.Add(text, text, text)
	}
	f.Add(`{"Flags":"x"}`, "/Flags", "type")
	f.Add(`[{"Id":"a"},{"Id":"b"}]`, "/1/Id", "element added")
	f.Add(`{"a":`, "/a", "value")
	expected, err := ordinaryStructure()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body, pointer, text string) {
		r, s := hostileRun(text)
		// One of each kind will do: a finding by itself, and a difference.
		r.Requirements = append(r.Requirements[:1], r.Requirements[len(r.Requirements)-1])
		for i := range r.Requirements {
			for j := range r.Requirements[i].Findings {
				r.Requirements[i].Findings[j].Pointer = pointer
				r.Requirements[i].Causes[0].Pointer = strictjson.General(pointer)
			}
		}
		for _, k := range s {
			k.Cut, k.Body, k.SentBody = nil, []byte(body), body
		}
		s["e6"].Body = []byte(text)
		var out strings.Builder
		if err := page.Write(&out, r, s); err != nil {
			t.Fatal(err)
		}
		if found, err := hostileName(out.String(), expected); err != nil || len(found) > 0 {
			t.Errorf("the page has %q, which its templates do not: %v", found, err)
		}
		if out.Len() > page.MaxSize {
			t.Errorf("the page has %d bytes", out.Len())
		}
	})
}
