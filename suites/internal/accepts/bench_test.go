package accepts_test

import (
	"encoding/json"
	"testing"

	"authenticator-conformance/suites/internal/strictjson"
	"authenticator-conformance/suites/internal/testkit"
)

// BenchmarkAnswer measures one look at an ordinary record and at an ordinary list of identifiers, beside what the same
// bytes cost elsewhere: a check that they are JSON at all, and the strict decoding and gojsonschema's judgement that
// acceptance saves.
func BenchmarkAnswer(b *testing.B) {
	for _, a := range ofReference()[:2] {
		body := []byte(a.body)
		schema := testkit.Contract().Record
		if body[0] == '[' {
			schema = testkit.Contract().Identifiers
		}
		for name, judges := range map[string]func() bool{
			"accepts":    func() bool { return testkit.Contract().AcceptsAnswer(a.op, a.userID, body) },
			"json.Valid": func() bool { return json.Valid(body) },
			"gojsonschema": func() bool {
				value, err := strictjson.Decode(body)
				return err == nil && len(schema.Check(value)) == 0
			},
			"judge": func() bool { return isRight(a.judged(true)) },
		} {
			b.Run(string(a.op)+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					if !judges() {
						b.Fatalf("%s does not take a right answer", name)
					}
				}
			})
		}
	}
}
