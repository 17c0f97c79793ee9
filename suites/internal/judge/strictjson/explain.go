package strictjson

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// explain returns an *Error for a fault that jsontext reported. The decoder reads from a buffer that has the whole
// text, so its offset and pointer are those of the fault.
func (r *reader) explain(err error) *Error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &Error{len(r.text), "", ruleSyntax, "JSON that is cut off"}
	}
	refused := &jsontext.SyntacticError{} // stays empty for io.EOF, after an empty body
	errors.As(err, &refused)
	e := &Error{int(refused.ByteOffset), string(refused.JSONPointer), ruleSyntax, ""}
	rest := r.text[e.Offset:]
	char, width := utf8.DecodeRuneInString(rest)
	switch unit, isUnit := surrogateAt(rest); {
	case errors.Is(err, jsontext.ErrDuplicateName):
		e.Rule, e.Detail = ruleDuplicate, "the member "+quote(refused.JSONPointer.LastToken())+" twice in one object"
	case char == utf8.RuneError && width == 1:
		e.Rule, e.Detail = ruleUTF8, fmt.Sprintf("the byte 0x%02X, which is not UTF-8", rest[0])
	case isUnit:
		e.Rule = ruleSurrogate
		e.Detail = fmt.Sprintf(`\u%04X alone, where surrogates come in pairs (RFC 7493, section 2.1)`, unit)
	default:
		e.Detail = "text that is not JSON: " + beginning(rest)
	}
	return e
}

// surrogateAt returns the UTF-16 code unit of the escape \uhhhh at the start of a text that jsontext refuses there.
func surrogateAt(text string) (unit uint64, ok bool) {
	if len(text) < len(`\uhhhh`) || text[:2] != `\u` {
		return 0, false
	}
	unit, err := strconv.ParseUint(text[2:6], 16, 16)
	return unit, err == nil
}
