package page_test

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/page"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/testkit"
)

// hostileTexts are texts that would do something, wherever they came out as they are.
func hostileTexts() []string {
	return append(testkit.Cases[string]("testdata/hostile-texts.yaml"), "\xff\xfe=\x80") // YAML has only UTF-8
}

// corruptTexts puts a text into every string of a value; strings that decide what is shown stay.
func corruptTexts(value any, text string) {
	testkit.EachText(value, func(field string, v reflect.Value) {
		if field != "Exchange" && field != "Against" && v.Type() != reflect.TypeFor[ledger.Verdict]() {
			v.SetString(text)
		}
	})
}

// hostileRun is a report and its exchanges with a text in every field.
func hostileRun(text string) (*report.Report, shelf) {
	r, s := reportOf("everything"), everyExchange()
	for i := range r.Requirements {
		row := &r.Requirements[i]
		row.Causes = append(row.Causes, report.Cause{Key: check.Key{Kind: text, Pointer: text}, Count: 1,
			Example: text})
		row.Notes = append(row.Notes, text)
	}
	corruptTexts(r, text)
	r.Headings[text+"2.1"] = text
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

// hostileSweep is a summary with a text in every field.
func hostileSweep(text string) *stats.Summary {
	s := mixedSweep(1400)
	s.Complete = false
	corruptTexts(s, text)
	for _, g := range s.Tally.Groups {
		g.Requirement, g.Kind, g.Pointer, g.Operation, g.Version = text, text, text, schemas.Operation(text),
			schemas.Version(text)
	}
	for _, shares := range s.Tally.Outcomes {
		for _, share := range shares {
			share.Why = map[string]int64{text: 1, "x" + text: 2}
		}
	}
	for _, bucket := range s.Tally.Times.Buckets {
		bucket.Outcomes[stats.Outcome(text)] = 1
	}
	why := text
	s.Error = &why
	s.Settings = append(s.Settings, report.Setting{Name: text, Value: text, Source: "flag --" + text})
	return s
}

// partsOf lists the elements and attributes of a page, without their values, its links that lead out of it, and the
// characters in it that do something instead of being shown.
func partsOf(text string) map[string]bool {
	parts := map[string]bool{}
	for _, e := range parsePage(text).findAll(func(element) bool { return true }) {
		parts["<"+e.Data+">"] = true
		for _, a := range e.Attr {
			parts[e.Data+" "+a.Key] = true
		}
		href := e.attributeValue("href")
		if !slices.Contains([]string{"", "data:,", stats.FindingsFile}, href) && !strings.ContainsAny(href[:1], "#?") {
			parts["a link to "+href] = true
		}
		if e.Data == "script" {
			parts["a script: "+e.readText()] = true
		}
	}
	for _, c := range text {
		if unicode.IsControl(c) && c != '\n' || unicode.In(c, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp) ||
			c == unicode.ReplacementChar {
			parts[fmt.Sprintf("%U", c)] = true
		}
	}
	return parts
}

// expectHarmless expects that a page has no part that is not ordinary, and stays within its size.
func expectHarmless(ordinary map[string]bool, text string) {
	GinkgoHelper()
	var found []string
	for part := range partsOf(text) {
		if !ordinary[part] {
			found = append(found, part)
		}
	}
	Expect(found).To(BeEmpty(), "of the page, and not of its templates")
	Expect(len(text)).To(BeNumerically("<=", page.MaxSize))
}

// FuzzWrite: whatever a hostile target sends in a report and an exchange (J20), the page parses, has no element or
// attribute that its templates do not have, shows no character that does something, and stays within its size.
func FuzzWrite(f *testing.F) {
	for _, text := range hostileTexts() {
		f.Add(text, text, text)
	}
	f.Add(`{"Flags":"x"}`, "/Flags", "type")
	f.Add(`[{"Id":"a"},{"Id":"b"}]`, "/1/Id", "element added")
	f.Add(`{"a":`, "/a", "value")
	RegisterTestingT(f)
	ordinary := map[string]bool{}
	for _, r := range []*report.Report{reportOf("everything"), report.Failed("", ended, ended, "x")} {
		maps.Copy(ordinary, partsOf(pageOf(r, everyExchange())))
	}
	f.Fuzz(func(t *testing.T, body, pointer, text string) {
		RegisterTestingT(t)
		r, s := hostileRun(text)
		expectHarmless(ordinary, pageOf(r, s))
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
		expectHarmless(ordinary, pageOf(r, s))
		r.Error = &text
		expectHarmless(ordinary, pageOf(r, s))
	})
}

// FuzzWriteSweep: the same of a page of a sweep, whatever texts and numbers its summary holds.
func FuzzWriteSweep(f *testing.F) {
	for i, text := range hostileTexts() {
		f.Add(text, int64(i), int64(i*i), 1.5)
	}
	f.Add("x", int64(math.MaxInt64), int64(math.MinInt64), math.Inf(1))
	f.Add("", int64(0), int64(-1), math.NaN())
	f.Add("/0/Id", int64(1<<40), int64(1<<62), 1e300)
	RegisterTestingT(f)
	ordinary := map[string]bool{}
	for _, s := range []*stats.Summary{mixedSweep(1400), allEqual(10), hostileSweep("x")} {
		maps.Copy(ordinary, partsOf(sweptPage(s)))
	}
	f.Fuzz(func(t *testing.T, text string, width, count int64, seconds float64) {
		RegisterTestingT(t)
		s := hostileSweep(text)
		s.Seconds, s.Tally.Times.Seconds, s.Tally.Ungrouped, s.Read.Users = seconds, width, count, width
		s.Tally.Times.Buckets = s.Tally.Times.Buckets[:min(len(s.Tally.Times.Buckets), 1+int(uint64(width)%150))]
		for i := range s.Tally.Times.Buckets {
			bucket := &s.Tally.Times.Buckets[i]
			bucket.Users, bucket.Outcomes[stats.Different] = count, count
			bucket.Latency[uint64(count)%uint64(len(bucket.Latency))] = width
		}
		for _, g := range s.Tally.Groups {
			g.Users, g.Count = count, width
		}
		for _, shares := range s.Tally.Outcomes {
			shares[stats.Equal].Count = count
		}
		expectHarmless(ordinary, sweptPage(s))
	})
}
