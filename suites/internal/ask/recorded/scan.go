package recorded

import (
	"bytes"
	"errors"
	"strconv"

	"authenticator-conformance/schemas"
)

// scanner reads lines in the form in which AppendLine writes nearly all of them, several times as fast as a decoder of
// JSON.
type scanner struct {
	left   []byte
	failed bool // the line has another form
}

var errOtherForm = errors.New("the line has another form")

// scan returns the line of a user, or an error if it has a form that only a decoder of JSON reads.
func scan(text []byte) (l line, err error) {
	s := &scanner{left: text}
	l.Answers = make(map[schemas.Operation][]answer, 2)
	s.need(keyBegin)
	l.Key = s.quoted()
	s.need(`,"id":"`)
	l.ID = s.quoted()
	s.need(`,"userId":"`)
	l.UserID = s.quoted()
	s.need(`,"answers":{`)
	for !s.failed && !s.take("}}\n") {
		s.take(",")
		s.need(`"`)
		op := schemas.Operation(s.quoted())
		s.need(":[")
		list := make([]answer, 0, 2)
		for !s.failed && !s.take("]") {
			s.take(",")
			list = append(list, s.answer())
		}
		l.Answers[op] = list
	}
	if s.failed || len(s.left) > 0 {
		return line{}, errOtherForm
	}
	return l, nil
}

func (s *scanner) answer() (a answer) {
	s.need("{")
	a.Same = s.take(`"same":true,`)
	s.need(`"at":`)
	a.At = s.number()
	s.need(`,"took":`)
	a.Took = s.number()
	if s.take(`,"status":`) {
		a.Status = int(s.number())
	}
	if s.take(`,"type":["`) {
		a.Type = []string{s.quoted()}
		s.need("]")
	}
	if s.take(`,"size":`) {
		a.Size = int(s.number())
		s.need(`,"json":`)
		if s.failed = s.failed || a.Size > len(s.left); !s.failed {
			a.JSON, s.left = s.left[:a.Size], s.left[a.Size:]
		}
	}
	s.need("}")
	return a
}

// take goes past a text, if it is next.
func (s *scanner) take(text string) bool {
	found := len(s.left) >= len(text) && string(s.left[:len(text)]) == text
	if found {
		s.left = s.left[len(text):]
	}
	return found
}

func (s *scanner) need(text string) { s.failed = !s.take(text) || s.failed }

// quoted returns the rest of a string without escapes.
func (s *scanner) quoted() string {
	end := bytes.IndexByte(s.left, '"')
	if end < 0 || bytes.IndexByte(s.left[:end], '\\') >= 0 {
		s.failed = true
		return ""
	}
	text := string(s.left[:end])
	s.left = s.left[end+1:]
	return text
}

func (s *scanner) number() int64 {
	end := 0
	for end < len(s.left) && s.left[end] >= '0' && s.left[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(string(s.left[:end]), 10, 64)
	s.failed = s.failed || err != nil
	s.left = s.left[end:]
	return n
}
