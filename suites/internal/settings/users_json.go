package settings

import (
	"bytes"
	"encoding/json"
	"errors"

	"authenticator-conformance/suites/internal/strictjson"
)

// readJSONUsers reads one JSON text: a list of objects.
func readJSONUsers(l *userList, data []byte) error {
	r, err := newJSONReader(l, data, 1)
	if err != nil {
		return err
	}
	if r.next() != json.Delim('[') {
		return l.errorf(r.line, "expected a list of users, [{…}, …]")
	}
	for r.decoder.More() {
		if err := r.user(); err != nil {
			return err
		}
	}
	return nil
}

// readNDJSONUsers reads one object per line; blank lines are skipped.
func readNDJSONUsers(l *userList, data []byte) error {
	line := 0
	for text := range bytes.Lines(data) {
		line++
		if text = bytes.Trim(text, " \t\r\n"); len(text) == 0 {
			continue
		}
		r, err := newJSONReader(l, text, line)
		if err != nil {
			return err
		}
		if err := r.user(); err != nil {
			return err
		}
	}
	return nil
}

// jsonReader walks a JSON text that was judged as a whole before, and knows the line it is at.
type jsonReader struct {
	list    *userList
	data    []byte
	decoder *json.Decoder
	line    int
	counted int
}

// newJSONReader judges a text that begins at a line: encoding/json alone would take doubled members and unpaired
// surrogates.
func newJSONReader(l *userList, data []byte, line int) (*jsonReader, error) {
	if err := strictjson.Valid(data); err != nil {
		var fault *strictjson.Error
		if errors.As(err, &fault) {
			return nil, l.errorf(line+lineAt(data, fault.Offset)-1, "is not strict JSON: %s", fault.Detail)
		}
		return nil, l.errorf(line, "is not JSON: %v", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return &jsonReader{list: l, data: data, decoder: decoder, line: line}, nil
}

// next yields the next token and moves on to its line. The text was judged before, so that nothing can be wrong.
func (r *jsonReader) next() json.Token {
	token, _ := r.decoder.Token()
	end := int(r.decoder.InputOffset())
	r.line += bytes.Count(r.data[r.counted:end], []byte("\n"))
	r.counted = end
	return token
}

// user reads one object.
func (r *jsonReader) user() error {
	if token := r.next(); token != json.Delim('{') {
		return r.list.errorf(r.line, "expected a user, {…}, got %s", shownValue(jsonValue(token)))
	}
	begin := r.line
	var members []member
	for r.decoder.More() {
		name, _ := r.next().(string)
		line := r.line
		value := jsonValue(r.next())
		if value == container() {
			return r.list.errorf(line, "member %s: expected a text or boolean, got %s", quote(name), shownValue(value))
		}
		members = append(members, member{name: name, line: line, value: value})
	}
	r.next()
	return r.list.add(begin, members)
}

// container is a value that holds others: no member of a user is one.
func container() kind { return kind{words: "a list or object"} }

// jsonValue is a token as a member's value.
func jsonValue(token json.Token) any {
	switch token := token.(type) {
	case string, bool:
		return token
	case json.Number:
		return kind{words: "the number " + shortened(token.String()), quotable: true}
	case nil:
		return kind{words: "null"}
	default:
		return container()
	}
}

// shortened shows a number: cut where it is long, but without quotes, which would make a text of it.
func shortened(number string) string {
	if len(number) > shownRunes {
		return number[:shownRunes] + "…"
	}
	return number
}
