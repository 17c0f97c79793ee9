package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/schemas"
)

// lean is a target that costs as little as net/http allows: to every request it answers the same record with the UserId
// of the request put in, or the same list of identifiers. It checks nothing.
type lean struct {
	around      [][]byte // what stands around each UserId of the record
	identifiers []byte
	find        map[string]bool // the paths of findByUserIds
	mediaType   []string
	buffers     sync.Pool
}

// leanIdentifiers is how many identifiers the lean target finds for everybody.
const leanIdentifiers = 3

func newLean() (*lean, error) {
	known := person(0)
	record, err := referenceRecord(known)
	if err != nil {
		return nil, err
	}
	list := make([]string, leanIdentifiers)
	for i := range list {
		list[i] = person(i).ID
	}
	identifiers, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	l := &lean{
		around:      bytes.Split(record, []byte(`"`+known.UserID+`"`)),
		identifiers: identifiers, find: map[string]bool{}, mediaType: []string{reference.MediaType},
		buffers: sync.Pool{New: func() any { return &leanBuffer{} }},
	}
	for _, v := range schemas.Versions() {
		l.find[schemas.Path(v, schemas.FindByUserIDs)] = true
	}
	return l, nil
}

// referenceRecord is what the reference answers to getUserAuth.
func referenceRecord(u fixtures.User) ([]byte, error) {
	handler := reference.New(reference.Options{Users: []fixtures.User{u}, AccessToken: fixtures.AccessToken, ApplicationID: fixtures.ApplicationID})
	asked, err := sweepRequests("")
	if err != nil {
		return nil, err
	}
	answer := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, asked[0].URL, strings.NewReader(asked[0].of(u.ID, u.UserID)))
	r.Header.Set("Content-Type", reference.MediaType)
	handler.ServeHTTP(answer, r)
	if answer.Code != http.StatusOK {
		return nil, fmt.Errorf("the reference answered %d to %s, expected %d", answer.Code, asked[0].URL, http.StatusOK)
	}
	return answer.Body.Bytes(), nil
}

// leanBuffer holds a request's body and then the answer's.
type leanBuffer struct{ body, answer []byte }

func (l *lean) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b := l.buffers.Get().(*leanBuffer)
	defer l.buffers.Put(b)
	w.Header()["Content-Type"] = l.mediaType
	if l.find[r.URL.Path] {
		_, _ = io.Copy(io.Discard, r.Body) // a client that went away has no use for the error, here and below
		_, _ = w.Write(l.identifiers)
		return
	}
	if cap(b.body) < int(r.ContentLength) {
		b.body = make([]byte, r.ContentLength)
	}
	b.body = b.body[:max(0, r.ContentLength)]
	if _, err := io.ReadFull(r.Body, b.body); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	userID := userIDIn(b.body)
	b.answer = append(b.answer[:0], l.around[0]...)
	for _, part := range l.around[1:] {
		b.answer = append(append(append(append(b.answer, '"'), userID...), '"'), part...)
	}
	_, _ = w.Write(b.answer)
}

// userIDIn finds the UserId of a request as its text stands there: those of a population have no escapes.
func userIDIn(body []byte) []byte {
	_, rest, _ := bytes.Cut(body, []byte(`"UserId":"`))
	userID, _, _ := bytes.Cut(rest, []byte(`"`))
	return userID
}

// serveLean is the mode of the lean target.
func serveLean() error {
	l, err := newLean()
	if err != nil {
		return err
	}
	return listen(counted(l))
}
