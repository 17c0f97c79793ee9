package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/schemas"
)

// planted is how many users of a population v6 answers otherwise than v5.
const planted = 137

// plant is a way in which v6 answers otherwise, and the groups of findings that come of it.
type plant struct {
	operation schemas.Operation
	from      *regexp.Regexp
	to        string
	groups    []string // "requirement version pointer"
}

// plants are dealt out to the planted users in turn: a value, a shape, a breach of the contract and a list.
func plants() []plant {
	return []plant{
		{schemas.GetUserAuth, regexp.MustCompile(`"CreatedBy":"[^"]*"`), `"CreatedBy":"planted"`,
			[]string{"9.3/getUserAuth/values v5=v6 /CreatedBy"}},
		{schemas.GetUserAuth, regexp.MustCompile(`"Comment":"[^"]*",`), ``,
			[]string{"9.3/getUserAuth/shape v5=v6 /Device/Comment"}},
		{schemas.GetUserAuth, regexp.MustCompile(`"ModeType":(\d+)`), `"ModeType":$1.5`,
			[]string{"2.1/ModeType v6 /ModeType", "9.3/getUserAuth/values v5=v6 /ModeType"}},
		{schemas.FindByUserIDs, regexp.MustCompile(`\[`), `["00000000-0000-4000-8000-000000000000",`,
			[]string{"9.3/findByUserIds/values v5=v6 /*"}},
	}
}

// plantedAt tells whether the user at a place is planted, and as which one. They are spread evenly over a population.
func plantedAt(place, population int) (number int, is bool) {
	apart := population / planted
	return place / apart, place%apart == 0 && place/apart < planted
}

// servePlanted is the mode of a target that is the reference, but for the planted users.
func servePlanted(population int) error {
	return listen(counted(newPlanted(population)))
}

func newPlanted(population int) *plantedTarget {
	return &plantedTarget{
		right: reference.New(reference.Options{Users: people(population), AccessToken: fixtures.AccessToken, ApplicationID: fixtures.ApplicationID}),
		users: population, plants: plants(),
	}
}

type plantedTarget struct {
	right  http.Handler
	users  int
	plants []plant
}

func (p *plantedTarget) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	one := p.of(userIDIn(body))
	if one == nil || r.URL.Path != schemas.Path(schemas.V6, one.operation) {
		p.right.ServeHTTP(w, r)
		return
	}
	answer := httptest.NewRecorder()
	p.right.ServeHTTP(answer, r)
	w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
	w.WriteHeader(answer.Code)
	_, _ = io.WriteString(w, one.from.ReplaceAllString(answer.Body.String(), one.to)) // a client that went away has no use for the error
}

// of is the plant of a user, or nil.
func (p *plantedTarget) of(userID []byte) *plant {
	place, err := strconv.Atoi(strings.TrimPrefix(string(userID), userIDPrefix))
	if err != nil {
		return nil
	}
	if number, is := plantedAt(place, p.users); is {
		return &p.plants[number%len(p.plants)]
	}
	return nil
}
