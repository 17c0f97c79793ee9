package strictjson

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Canonical returns a text that is the same for equal decoded values only: numbers by their exact values, members
// sorted by name.
func Canonical(value any) string {
	var b strings.Builder
	writeCanonical(&b, value)
	return b.String()
}

func writeCanonical(b *strings.Builder, value any) {
	switch v := value.(type) {
	case string:
		fmt.Fprintf(b, `"%d:%s`, len(v), v)
	case json.Number:
		fmt.Fprintf(b, "#%s ", ParseDecimal(v))
	case []any:
		fmt.Fprintf(b, "[%d:", len(v))
		for _, element := range v {
			writeCanonical(b, element)
		}
	case map[string]any:
		fmt.Fprintf(b, "{%d:", len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			writeCanonical(b, name)
			writeCanonical(b, v[name])
		}
	default:
		fmt.Fprint(b, v, " ")
	}
}
