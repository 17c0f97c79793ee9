package strictjson

import "encoding/json"

// TypeOf names the JSON type of a decoded value (RFC 8259 §3): object, array, string, number, boolean or null.
func TypeOf(value any) string {
	switch value.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case json.Number:
		return "number"
	case bool:
		return "boolean"
	default:
		return "null"
	}
}
