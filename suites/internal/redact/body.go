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

// ShowBody is Printable of the cleaned body of an answer.
func (s *Secrets) ShowBody(text string, limit int) string {
	cleaned, _ := s.CleanJSON(text)
	return Printable(cleaned, limit)
}

// cleanTokens goes through a text that is JSON.
func (s *Secrets) cleanTokens(text string) (cleaned string, faithful bool) {
	var out strings.Builder
	faithful = true
	for i := 0; i < len(text); {
		end := i + 1
		switch c := text[i]; {
		case c == '"':
			end = i + endOfString(text[i:])
			out.WriteString(s.cleanLiteral(text[i:end]))
		case c == '-' || '0' <= c && c <= '9':
			for end < len(text) && strings.IndexByte("0123456789+-.eE", text[end]) >= 0 {
				end++
			}
			number := s.cleanNumber(text[i:end])
			faithful = faithful && number == text[i:end]
			out.WriteString(number)
		default:
			out.WriteByte(c)
		}
		i = end
	}
	return out.String(), faithful
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

func (s *Secrets) cleanLiteral(literal string) string {
	var value string
	if !s.Found(literal) || json.Unmarshal([]byte(literal), &value) != nil {
		return literal
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s.Clean(value)) // a string always has a JSON form
	return strings.TrimSuffix(out.String(), "\n")
}

func (s *Secrets) cleanNumber(number string) string {
	if !s.Found(number) {
		return number
	}
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return '1'
		}
		return r
	}, number)
}
