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

func (c *canonicalWriter) text(kind, text string) {
	c.written += len(text) + 1
	_, _ = c.out.WriteString(kind + strconv.Itoa(len(text)) + ":")
	_, _ = c.out.WriteString(text)
}

func (c *canonicalWriter) value(value any) {
	if c.written > c.limit {
		return
	}
	switch v := value.(type) {
	case string:
		c.text(`"`, v)
	case json.Number:
		c.text("#", ParseDecimal(v).String())
	case bool:
		c.text("?", strconv.FormatBool(v))
	case []any:
		c.text("[", strconv.Itoa(len(v)))
		for _, element := range v {
			c.value(element)
		}
	case map[string]any:
		c.text("{", strconv.Itoa(len(v)))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			c.text(`"`, name)
			c.value(v[name])
		}
	default:
		c.text("0", "")
	}
}
