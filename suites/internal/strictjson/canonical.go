package strictjson

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strconv"
)

// WriteCanonical writes a decoded value in a form that is the same for equal values only: numbers by their exact
// values, members sorted by name. The writer must not fail. After limit bytes of an array or object it leaves out what
// follows.
func WriteCanonical(out io.StringWriter, value any, limit int) {
	w := canonicalWriter{out: out, limit: limit}
	w.value(value)
}

type canonicalWriter struct {
	out            io.StringWriter
	written, limit int
}

func (w *canonicalWriter) text(kind, text string) {
	w.written += len(text) + 1
	_, _ = w.out.WriteString(kind + strconv.Itoa(len(text)) + ":")
	_, _ = w.out.WriteString(text)
}

func (w *canonicalWriter) value(value any) {
	if w.written > w.limit {
		return
	}
	switch v := value.(type) {
	case string:
		w.text(`"`, v)
	case json.Number:
		w.text("#", ParseDecimal(v).String())
	case bool:
		w.text("?", strconv.FormatBool(v))
	case []any:
		w.text("[", strconv.Itoa(len(v)))
		for _, element := range v {
			w.value(element)
		}
	case map[string]any:
		w.text("{", strconv.Itoa(len(v)))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			w.text(`"`, name)
			w.value(v[name])
		}
	default:
		w.text("0", "")
	}
}
