package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/schemas"
)

// lean is a target that costs little more than net/http itself. It answers every request with the same record,
// containing the UserId of the request, or with the same list of identifiers. It validates nothing.
type lean struct {
	record      [][]byte // the parts of the record between the UserIds
	identifiers []byte
}

// leanIdentifiers is how many identifiers the lean target returns for every user.
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
	return &lean{bytes.Split(record, []byte(known.UserID)), identifiers}, err
}

// referenceRecord returns the reference's answer to getUserAuth.
func referenceRecord(u fixtures.User) ([]byte, error) {
	handler := reference.New(reference.Options{Users: []fixtures.User{u}, AccessToken: fixtures.AccessToken,
		ApplicationID: fixtures.ApplicationID})
	requests, err := sweepRequests("")
	if err != nil {
		return nil, err
	}
	asked := requests[0].forUser(u.ID, u.UserID)
	answer := httptest.NewRecorder()
	r := httptest.NewRequest(asked.Method, asked.URL, strings.NewReader(asked.Body))
	r.Header.Set("Content-Type", asked.ContentType)
	handler.ServeHTTP(answer, r)
	if answer.Code != http.StatusOK {
		return nil, fmt.Errorf("the reference answered %d to %s, expected %d", answer.Code, asked.URL, http.StatusOK)
	}
	return answer.Body.Bytes(), nil
}

func (l *lean) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", reference.MediaType)
	if strings.HasSuffix(r.URL.Path, string(schemas.FindByUserIDs)) {
		_, _ = w.Write(l.identifiers) // if the client has gone, the error does not matter, here and below
		return
	}
	_, rest, _ := bytes.Cut(body, []byte(`"UserId":"`))
	userID, _, _ := bytes.Cut(rest, []byte(`"`)) // the UserIds of a population have no escapes
	_, _ = w.Write(bytes.Join(l.record, userID))
}
