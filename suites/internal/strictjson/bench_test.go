package strictjson_test

import (
	"encoding/json"
	"strings"
	"testing"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/suites/internal/strictjson"
)

// BenchmarkRead measures each way to read two ordinary answers, of about 1 and 8 KiB, and one of numbers alone.
func BenchmarkRead(b *testing.B) {
	records, err := fixtures.Records()
	if err != nil {
		b.Fatal(err)
	}
	var list []json.RawMessage
	for _, record := range records {
		list = append(list, record.Authenticator)
	}
	compact := func(value any) []byte {
		text, err := json.Marshal(value)
		if err != nil {
			b.Fatal(err)
		}
		return text
	}
	for _, body := range []struct {
		name string
		text []byte
	}{
		{"record", compact(list[0])}, {"list", compact(list)},
		{"numbers", []byte("[" + strings.Repeat("1,", 1<<17) + "1]")},
	} {
		for _, call := range []struct {
			name string
			read func(body []byte) bool
		}{
			{"Decode", func(body []byte) bool { _, err := strictjson.Decode(body); return err == nil }},
			{"Valid", func(body []byte) bool { return strictjson.Valid(body) == nil }},
			{"First", func(body []byte) bool { _, ok := strictjson.First(body); return ok }},
			{"FirstText", func(body []byte) bool { return strictjson.FirstText(body) != nil }},
		} {
			b.Run(body.name+"/"+call.name, func(b *testing.B) {
				b.SetBytes(int64(len(body.text)))
				b.ReportAllocs()
				for b.Loop() {
					if !call.read(body.text) {
						b.Fatal("refused")
					}
				}
			})
		}
	}
}
