package redact

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// CleanJSON is Clean of a text that may be JSON: it then stays JSON. Each string is cleaned by itself, in a number that has
// a trace each digit becomes 1, and all else stays as it was written. Faithful tells whether texts that differ still differ:
// not where a number was changed, or where JSON could not be cleaned string by string.
func (s *Secrets) CleanJSON(text string) (cleaned string, faithful bool) {
	if !s.Found(text) {
		return text, true
	}
	if json.Valid([]byte(text)) && utf8.ValidString(text) {
		if cleaned, faithful = s.cleanTokens(text); !s.Found(cleaned) {
			return cleaned, faithful
		}
		return s.Clean(text), false
	}
	return s.Clean(text), true
}

// SaidInJSON is Said of each string of a text that is JSON, and of any other text as a whole.
func SaidInJSON(text string) string {
	if !strings.Contains(text, "secret:") && !strings.Contains(text, `\`) {
		return text
	}
	if !json.Valid([]byte(text)) || !utf8.ValidString(text) {
		return Said(text)
	}
	return eachToken(text, func(literal string) string { return eachString(literal, Said) }, func(number string) string { return number })
}

// ShowBody is Printable of the cleaned body of an answer.
func (s *Secrets) ShowBody(text string, limit int) string {
	cleaned, _ := s.CleanJSON(text)
	return Printable(cleaned, limit)
}

// cleanTokens cleans a text that is JSON, string by string.
func (s *Secrets) cleanTokens(text string) (cleaned string, faithful bool) {
	faithful = true
	cleaned = eachToken(text, func(literal string) string {
		if !s.Found(literal) {
			return literal
		}
		return eachString(literal, s.Clean)
	}, func(number string) string {
		if !s.Found(number) {
			return number
		}
		faithful = false
		return strings.Map(digitToOne, number)
	})
	return cleaned, faithful
}

func digitToOne(r rune) rune {
	if '0' <= r && r <= '9' {
		return '1'
	}
	return r
}

// eachToken gives a text that is JSON with its string literals and its numbers changed.
func eachToken(text string, literal, number func(string) string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		end := i + 1
		switch c := text[i]; {
		case c == '"':
			end = i + endOfString(text[i:])
			out.WriteString(literal(text[i:end]))
		case c == '-' || '0' <= c && c <= '9':
			for end < len(text) && strings.IndexByte("0123456789+-.eE", text[end]) >= 0 {
				end++
			}
			out.WriteString(number(text[i:end]))
		default:
			out.WriteByte(c)
		}
		i = end
	}
	return out.String()
}

// eachString gives a string literal with its value changed; one whose value stays the same stays as it was written.
func eachString(literal string, change func(string) string) string {
	var value string
	if json.Unmarshal([]byte(literal), &value) != nil {
		return literal
	}
	changed := change(value)
	if changed == value {
		return literal
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(changed) // a string always has a JSON form
	return strings.TrimSuffix(out.String(), "\n")
}

// endOfString is the length of the string literal that a text begins with.
func endOfString(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
