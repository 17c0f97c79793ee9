package fast_test

import (
	"encoding/json"
	"testing"

	"authenticator-conformance/suites/internal/strictjson"
)

// BenchmarkRecord measures one look at an ordinary record, beside what the same bytes cost elsewhere: a check that they
// are JSON at all, and the strict decoding and gojsonschema's judgement that the fast path spares.
func BenchmarkRecord(b *testing.B) {
	first := ofReference()[0]
	body := []byte(first.body)
	for name, looks := range map[string]func() bool{
		"fast":       func() bool { ok, _ := theChecker().Accepts(first.op, first.userID, body); return ok },
		"json.Valid": func() bool { return json.Valid(body) },
		"gojsonschema": func() bool {
			value, err := strictjson.Decode(body)
			return err == nil && len(contract().Record.Check(value)) == 0
		},
		"judge": func() bool { return right(first.judged(true)) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if !looks() {
					b.Fatalf("%s does not take a right record", name)
				}
			}
		})
	}
}
