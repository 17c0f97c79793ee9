package population_test

import (
	"io"
	"strings"
	"testing"

	"authenticator-conformance/suites/internal/population"
	"authenticator-conformance/suites/internal/testkit"
)

// BenchmarkReader tells what one user costs to be read, before any request is sent.
func BenchmarkReader(b *testing.B) {
	for name, text := range map[string]func(users int) io.Reader{
		"csv": func(users int) io.Reader {
			return io.MultiReader(strings.NewReader("id,userId\n"),
				&generated{part: csvOf, to: users, rest: strings.NewReader("")})
		},
		"ndjson": func(users int) io.Reader {
			return &generated{part: ndjsonOf, to: users,
				rest: strings.NewReader("")}
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			r, err := population.Open(population.StandardInput, text(b.N), testkit.Contract())
			if err != nil {
				b.Fatal(err)
			}
			for range b.N {
				if _, err := r.Next(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
