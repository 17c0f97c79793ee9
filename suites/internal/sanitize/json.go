package sanitize

import (
	"unicode/utf8"

	"authenticator-conformance/suites/internal/judge/strictjson"
)

// JSON returns a decoded JSON value as compact JSON on one line. Members are sorted by name and numbers keep their
// text. Characters that Printable would change become JSON escapes. The result is cut to limit characters; 0 cuts
// nothing.
//
// If the JSON is far longer than limit, only its beginning is produced; the text then ends with its least total length.
func JSON(value any, limit int) string { return (*Secrets)(nil).ShowJSON(value, limit) }

// ShowJSON is JSON with secrets replaced. They are replaced before the text is cut.
func (s *Secrets) ShowJSON(value any, limit int) string {
	atMost := 0
	if limit > 0 {
		atMost = limit*utf8.UTFMax + jsonBeside
	}
	text, more := strictjson.Text(value, atMost)
	text = s.Clean(text)
	return printable(strictjson.Beginning{Text: text, Characters: utf8.RuneCountInString(text), AtLeast: more}, limit)
}

// jsonBeside is how many bytes of JSON are produced beyond the limit, because redaction makes a text shorter.
const jsonBeside = 64 << 10
