package selftest_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"authenticator-conformance/schemas"
)

// mebibyte is what large bodies are counted in.
const mebibyte = 1 << 20

// bodyOf answers each request with 200 and a body that is made once, as late as it is needed.
func bodyOf(coding string, body func() []byte) http.Handler {
	once := sync.OnceValue(body)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if coding != "" {
			w.Header().Set("Content-Encoding", coding)
		}
		_, _ = w.Write(once())
	})
}

func repeated(begin, piece string, times int, end string) func() []byte {
	return func() []byte { return []byte(begin + strings.Repeat(piece, times) + end) }
}

func zipped(body func() []byte) func() []byte {
	return func() []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(body()) // a buffer takes everything
		_ = w.Close()
		return b.Bytes()
	}
}

// bodyHostiles send bodies that are to exhaust time or memory.
func bodyHostiles() []hostile {
	plain := func(name string, body func() []byte) hostile {
		return hostile{name: "sends " + name, handler: bodyOf("", body), heavy: true, codes: failing()}
	}
	coded := func(name, coding string, body func() []byte) hostile {
		return hostile{name: "sends " + name, handler: bodyOf(coding, body), heavy: true, codes: failing()}
	}
	zeros := func() []byte { return make([]byte, 64*mebibyte) }
	return []hostile{
		plain("17 MiB", repeated("[\"", "x", 17*mebibyte, "\"]")),
		plain("17 MiB of white space", repeated("", " ", 17*mebibyte, "")),
		plain("a hundred thousand levels of lists", repeated("", "[", 100_000, strings.Repeat("]", 100_000))),
		plain("a hundred thousand levels of objects", repeated("", `{"a":`, 100_000, "1"+strings.Repeat("}", 100_000))),
		plain("levels without end", repeated("", "[", 15*mebibyte, "")),
		plain("a number of a million digits", repeated(`{"Id":null,"Flags":`, "7", 1_000_000, "}")),
		plain("a fraction of a million digits", repeated(`{"Flags":1.`, "0", 1_000_000, "}")),
		plain("a number of fifteen million digits", repeated("[", "9", 15*mebibyte, "]")),
		plain("an exponent of a billion", repeated(`[{"Flags":1e1000000000,"ModeType":-1e-1000000000,"AuthenticationCountLimit":1e`, "9", 30, "}]")),
		plain("numbers with large exponents", repeated("[", `{"Flags":1e9999},`, 200_000, `{"Flags":1e-9999}]`)),
		plain("five million wrong identifiers", repeated("[", "1,", 5_000_000, "1]")),
		plain("five million empty lists", repeated("[", "[],", 5*mebibyte, "[]]")),
		plain("five million empty objects", repeated("[", "{},", 5*mebibyte, "{}]")),
		plain("five million empty texts", repeated("[", `"",`, 5*mebibyte, `""]`)),
		plain("a million wrong records", repeated("[", `{"Flags":"x"},`, 1_000_000, `{"Flags":"x"}]`)),
		plain("records that are wrong in every field", repeated("[", wrongRecord+",", 60_000, wrongRecord+"]")),
		plain("a million doubled members", repeated(`{"Id":1`, `,"Id":1`, 1_000_000, "}")),
		plain("a million members", func() []byte { return members(900_000) }),
		plain("a name of fifteen MiB", repeated(`{"Id":null,"`, "n", 15*mebibyte, `":1}`)),
		plain("a text of fifteen MiB for a GUID", repeated(`{"Id":"`, "0", 15*mebibyte, `"}`)),
		plain("a fraction of a second of fifteen MiB", repeated(`{"ExpirationDate":"2034-12-31T23:59:59.`, "1", 15*mebibyte, `Zx"}`)),
		plain("escapes of fifteen MiB", repeated(`{"CreatedOn":"`, `\u202e`, 2_500_000, `"}`)),
		plain("a text that does not end", repeated(`{"CreatedOn":"`, "x", 15*mebibyte, "")),
		plain("bytes that are no UTF-8", repeated(`["`, "\xff", mebibyte, `"]`)),
		plain("unpaired surrogates", repeated(`["`, `\ud800`, mebibyte, `"]`)),
		plain("control characters", repeated("", "\x1b[2J\x00\x07", mebibyte, "")),
		coded("a compression bomb", "gzip", zipped(zeros)),
		coded("a compression bomb of JSON", "gzip", zipped(repeated("", "[", 64*mebibyte, ""))),
		coded("a compression bomb that is compressed twice", "gzip, gzip", zipped(zipped(zeros))),
		coded("a large answer, compressed", "gzip", zipped(repeated("[", "1,", 300_000, "1]"))),
		coded("no gzip where it says so", "gzip", repeated("{}", "", 0, "")),
		coded("half a gzip", "gzip", func() []byte { b := zipped(repeated("[", "1,", 10_000, "1]"))(); return b[:len(b)/2] }),
		coded("a gzip with a wrong checksum", "gzip", func() []byte { b := zipped(repeated("{}", "", 0, ""))(); b[len(b)-5] ^= 1; return b }),
		coded("a gzip with junk after it", "gzip", func() []byte { return append(zipped(repeated("{}", "", 0, ""))(), "junk"...) }),
		coded("a coding that nobody asked for", "br", repeated("{}", "", 0, "")),
		coded("a hundred thousand codings", strings.Repeat("gzip,", 100_000)+"gzip", repeated("{}", "", 0, "")),
		coded("a coding with an escape in its name", "\u202egz\u2066ip", repeated("{}", "", 0, "")),
	}
}

// wrongRecord breaks every field.
const wrongRecord = `{"AuthenticationCountLimit":"","CreatedOn":1,"Description":1,"ExpirationDate":"","Flags":"","Id":"","IsDisabled":"","IsLocked":1,"ModeDeviceName":1,"ModeId":1,"ModeType":"","ModeTypeName":1,"UserId":1,"SerialNumber":1,"Device":1,"CreatedBy":1}`

func members(n int) []byte {
	b := bytes.NewBufferString(`{"Id":null`)
	for i := range n {
		fmt.Fprintf(b, `,"%07d":1`, i)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// evil holds what could reach a terminal, a page, an XML file or a log unescaped.
const evil = `</script><img src=x onerror=alert(1)>]]><![CDATA[ &lt; " ' ::error file=x:: ##[error] | ` + "\x1b[2J\x1b]0;owned\x07\x9b31m\u0085\r\b\x00\x7f\u202e\u2066\u2028\u200f\u061c\ufeff\ufffe\uffff \n::set-output name=x::y\n"

// valueHostiles put such text everywhere.
func valueHostiles() []hostile {
	put := func(name, form string) hostile {
		return hostile{name: "puts markup and control characters into " + name, codes: failing(), handler: bodyOf("", func() []byte {
			return []byte(fmt.Sprintf(form, string(encoded(evil))))
		})}
	}
	everywhere := func(quote func() string) func() []byte {
		return func() []byte {
			var parts []string
			for _, name := range strings.Fields("AuthenticationCountLimit CreatedOn Description ExpirationDate Flags Id IsDisabled IsLocked ModeDeviceName ModeId ModeType ModeTypeName UserId SerialNumber CreatedBy") {
				parts = append(parts, fmt.Sprintf("%q:%s", name, quote()))
			}
			return []byte("{" + strings.Join(parts, ",") + `,"Device":{"Id":` + quote() + `,"RegistrationDate":` + quote() + `,"IsEnabled":` + quote() + `}}`)
		}
	}
	list := []hostile{
		put("every field", `{"Id":%[1]s,"CreatedOn":%[1]s,"ModeId":%[1]s,"Flags":%[1]s,"UserId":%[1]s,"IsLocked":%[1]s,"Device":{"Id":%[1]s,"AuthType":%[1]s}}`),
		put("identifiers", `[%[1]s,%[1]s]`),
		put("the names of members", `{"Id":1,%[1]s:{%[1]s:1}}`),
		put("a doubled member", `{"Id":1,%[1]s:1,%[1]s:2}`),
		put("a text alone", `%s`),
		put("the end", `{} %s`),
		{name: "puts unescaped control characters into texts", codes: failing(), handler: bodyOf("", func() []byte { return []byte(`{"Id":"` + evil + `"}`) })},
		{name: "puts long texts into every field", codes: failing(), handler: bodyOf("", everywhere(func() string { return string(encoded(strings.Repeat(evil, 2000))) }))},
		{name: "puts markup into its headers", codes: failing(), handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			const text = `<b>"x"</b>]]>&amp;|` + "`::error::\u202e\u0085"
			for _, name := range []string{"Content-Type", "WWW-Authenticate", "Location", "Sunset", "Deprecation", "RateLimit", "Server", "Set-Cookie"} {
				w.Header().Set(name, text)
			}
			w.WriteHeader(http.StatusFound)
			_, _ = w.Write([]byte(evil))
		})},
	}
	return append(list, changingHostiles()...)
}

// encoded is a text as JSON, with all but what JSON forbids as it is.
func encoded(text string) []byte {
	var b bytes.Buffer
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.Bytes()
}

// changingHostiles answer the same request otherwise each time, with much to compare.
func changingHostiles() []hostile {
	changing := func(name string, operation schemas.Operation, codes []int, make func(n int64, body []byte) []byte) hostile {
		var n counter
		return hostile{name: "changes " + name + " at each call", codes: codes, heavy: true, handler: succeeding(operation, func(body []byte) []byte { return make(n.Add(1), body) })}
	}
	guids := func(n int64, many int) string {
		var b strings.Builder
		for i := range many {
			fmt.Fprintf(&b, `"%08x-0000-4000-8000-%012x",`, n, i)
		}
		return b.String()
	}
	return []hostile{
		changing("a hundred thousand identifiers", schemas.FindByUserIDs, []int{0, 1, 3}, func(n int64, _ []byte) []byte {
			return []byte("[" + guids(n, 100_000) + `"fbc1af89-7d69-4938-84f7-18fd250c67f3"]`)
		}),
		changing("ten thousand records", schemas.GetUserAuth, []int{0, 1, 3}, func(n int64, body []byte) []byte {
			var b bytes.Buffer
			b.WriteByte('[')
			for i := range 10_000 {
				fmt.Fprintf(&b, `{"Id":"%08x-0000-4000-8000-%012x","Description":"%d"},`, n, i, n)
			}
			return append(append(b.Bytes(), body...), ']')
		}),
		changing("ten thousand undocumented members", schemas.GetUserAuth, []int{0, 1, 3}, func(n int64, body []byte) []byte {
			var b bytes.Buffer
			for i := range 10_000 {
				fmt.Fprintf(&b, `"%d-%d":%d,`, n, i, n)
			}
			return slices.Insert(slices.Clone(body), 1, b.Bytes()...)
		}),
		changing("ten thousand values", schemas.GetUserAuth, []int{0, 1, 3}, func(n int64, body []byte) []byte {
			var b bytes.Buffer
			for i := range 10_000 {
				fmt.Fprintf(&b, `"Undocumented%d":%d,`, i, n)
			}
			return slices.Insert(slices.Clone(body), 1, b.Bytes()...)
		}),
	}
}

// succeeding is the reference with altered bodies of one operation's success.
func succeeding(operation schemas.Operation, alter func([]byte) []byte) http.Handler {
	return altered(func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/"+string(operation)) }, alter)
}
