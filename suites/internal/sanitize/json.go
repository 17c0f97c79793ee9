package sanitize

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns a decoded JSON value as compact JSON on one line. Members are sorted by name and numbers keep their
// text. Characters that Printable would change become JSON escapes. The result is cut to limit characters; 0 cuts
// nothing.
//
// If the JSON is far longer than limit, only its beginning is produced; the text then ends with its least total length.
func JSON(value any, limit int) string {
	w := writeJSON(value, limit)
	return printable(string(w.out), limit, w.full())
}

// ShowJSON is JSON with secrets replaced. They are replaced before the text is cut.
func (s *Secrets) ShowJSON(value any, limit int) string {
	w := writeJSON(value, limit)
	return printable(s.Clean(string(w.out)), limit, w.full())
}

func writeJSON(value any, limit int) jsonWriter {
	w := jsonWriter{limit: limit*utf8.UTFMax + jsonBeside}
	if limit <= 0 {
		w.limit = 0
	}
	w.value(value)
	return w
}

// jsonBeside is how many bytes of JSON are produced beyond the limit, because redaction makes a text shorter.
const jsonBeside = 64 << 10

// jsonWriter writes JSON up to about limit bytes; 0 means no limit.
type jsonWriter struct {
	out   []byte
	limit int
}

func (j *jsonWriter) full() bool { return j.limit > 0 && len(j.out) > j.limit }

func (j *jsonWriter) value(value any) {
	switch v := value.(type) {
	case nil:
		j.out = append(j.out, "null"...)
	case bool:
		j.out = fmt.Append(j.out, v)
	case string:
		j.string(v)
	case json.Number:
		j.out = append(j.out, v...)
	case []any:
		j.array(v)
	case map[string]any:
		j.object(v)
	default:
		j.other(v)
	}
}

func (j *jsonWriter) array(elements []any) {
	j.out = append(j.out, '[')
	for i, element := range elements {
		if j.full() {
			return
		}
		j.comma(i)
		j.value(element)
	}
	j.out = append(j.out, ']')
}

func (j *jsonWriter) object(members map[string]any) {
	j.out = append(j.out, '{')
	for i, name := range slices.Sorted(maps.Keys(members)) {
		if j.full() {
			return
		}
		j.comma(i)
		j.string(name)
		j.out = append(j.out, ':')
		j.value(members[name])
	}
	j.out = append(j.out, '}')
}

func (j *jsonWriter) comma(i int) {
	if i > 0 {
		j.out = append(j.out, ',')
	}
}

func (j *jsonWriter) string(text string) {
	j.out = append(j.out, '"')
	for i, r := range text {
		if j.full() {
			return
		}
		switch {
		case r == utf8.RuneError:
			// A byte that is not UTF-8 is kept: Printable shows its value.
			_, width := utf8.DecodeRuneInString(text[i:])
			j.out = append(j.out, text[i:i+width]...)
		case r == '"' || r == '\\':
			j.out = append(j.out, '\\', byte(r))
		case isPlain(r):
			j.out = utf8.AppendRune(j.out, r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			j.out = fmt.Appendf(j.out, `\u%04x\u%04x`, high, low)
		default:
			j.out = append(j.out, codePoint(r)...)
		}
	}
	j.out = append(j.out, '"')
}

// other writes a value of a type that JSON does not decode to, with encoding/json.
func (j *jsonWriter) other(value any) {
	text, err := json.Marshal(value)
	if err != nil {
		j.string(fmt.Sprintf("no JSON: %v", err))
		return
	}
	j.out = append(j.out, text...)
}
