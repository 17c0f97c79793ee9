package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"authenticator-conformance/suites/internal/strictjson"
)

// jsonRows reads one JSON text: a list of objects.
type jsonRows struct {
	judge  *rowJudge
	text   io.Reader
	reader *jsonReader
}

func (r *jsonRows) next() (UserRow, error) {
	if r.reader == nil {
		if err := r.open(); err != nil {
			return UserRow{}, err
		}
	}
	if !r.reader.decoder.More() {
		return UserRow{}, io.EOF
	}
	return r.reader.user()
}

func (r *jsonRows) open() error {
	data, err := r.judge.whole(r.text)
	if err != nil {
		return err
	}
	if r.reader, err = newJSONReader(r.judge, data, 1); err != nil {
		return err
	}
	if r.reader.next() != json.Delim('[') {
		return r.judge.errorf(r.reader.line, "expected a list of users, [{…}, …]")
	}
	return nil
}

// ndjsonRows reads one object per line; blank lines are skipped.
type ndjsonRows struct {
	judge *rowJudge
	lines *lineReader
}

func (r *ndjsonRows) next() (UserRow, error) {
	for {
		line, err := r.lines.next()
		if err != nil {
			return UserRow{}, err
		}
		if line = bytes.Trim(line, " \t\r\n"); len(line) == 0 {
			continue
		}
		reader, err := newJSONReader(r.judge, line, r.lines.line)
		if err != nil {
			return UserRow{}, err
		}
		return reader.user()
	}
}

// jsonReader walks a JSON text that was judged as a whole before, and knows the line it is at.
type jsonReader struct {
	judge   *rowJudge
	data    []byte
	decoder *json.Decoder
	line    int
	counted int
}

// newJSONReader judges a text that begins at a line: encoding/json alone would take doubled members and unpaired
// surrogates.
func newJSONReader(j *rowJudge, data []byte, line int) (*jsonReader, error) {
	if err := strictjson.Valid(data); err != nil {
		var fault *strictjson.Error
		if errors.As(err, &fault) {
			return nil, j.errorf(line+lineAt(data, fault.Offset)-1, "is not strict JSON: %s", fault.Detail)
		}
		return nil, j.errorf(line, "is not JSON: %v", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return &jsonReader{judge: j, data: data, decoder: decoder, line: line}, nil
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
func (r *jsonReader) user() (UserRow, error) {
	if token := r.next(); token != json.Delim('{') {
		return UserRow{}, r.judge.errorf(r.line, "expected a user, {…}, got %s", shownValue(jsonValue(token)))
	}
	begin := r.line
	var members []member
	for r.decoder.More() {
		name, _ := r.next().(string)
		line := r.line
		value := jsonValue(r.next())
		if value == container() {
			return UserRow{}, r.judge.errorf(line, "member %s: expected a text or boolean, got %s", quote(name), shownValue(value))
		}
		members = append(members, member{name: name, line: line, value: value})
	}
	r.next()
	return r.judge.row(begin, members)
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
