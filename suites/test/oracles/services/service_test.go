package services_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"authenticator-conformance/fixtures"
)

// The fields of sections 2.1 and 2.2, by the types that the document gives them. Nothing here is taken from the
// schemas.
var (
	recordFields = map[string]string{"AuthenticationCountLimit": "integer", "CreatedOn": "created",
		"Description": "string", "ExpirationDate": "date", "Flags": "integer", "IsDisabled": "boolean",
		"IsLocked": "boolean", "ModeDeviceName": "string", "ModeId": "guid", "ModeType": "integer",
		"ModeTypeName": "string", "SerialNumber": "string", "CreatedBy": "string"}
	deviceFields = map[string]string{"Id": "guid", "AuthType": "guid", "SerialNumber": "string",
		"RegistrationDate": "date", "IsEnabled": "boolean", "LastUserId": "string", "Comment": "string",
		"Model": "string"}
)

// always are fields that every record has with a value, so that it can be told from a refusal (J13).
var always = []string{"Description", "ModeType", "IsLocked"}

// state is what a field of a record is.
type state int

const (
	right state = iota
	null
	absent
	wrong
)

// value is a field of a record: its state, and the JSON text of it.
type value struct {
	state state
	text  string
}

// record is an authenticator, with its device if that is an object.
type record struct {
	id      string
	userID  string
	fields  map[string]value
	device  value            // of the member Device; its text is not used if it is an object
	members map[string]value // of the device
}

// answers are what one version shows of a user.
type answers struct {
	records     []*record
	list        bool // the records are sent as a list
	identifiers []value
}

// service is a made-up target: what each version shows of each user, and which requests it serves though it must not.
type service struct {
	users   []fixtures.User
	shows   map[string][]*answers // by version; nil for a user without an authenticator
	lenient map[string]bool       // "v5 getUserAuth ApplicationId": served without it
}

var versions = []string{"v5", "v6"}

// generators of JSON texts for values of each type that are right, and that are wrong.
func rightText(t *rapid.T, kind string) string {
	switch kind {
	case "integer":
		return rapid.SampledFrom([]string{"0", "-0", "7", "-12", "1e3", "5.0", "90071992547409930", "120e-1"}).Draw(t,
			"integer")
	case "boolean":
		return rapid.SampledFrom([]string{"true", "false"}).Draw(t, "boolean")
	case "guid":
		return quotedJSON(drawGUID(t))
	case "created":
		zone := rapid.SampledFrom([]string{"Z", "+00:00"}).Draw(t, "zone")
		return quotedJSON(drawMoment(t) + fmt.Sprintf(".%03d", rapid.IntRange(0, 999).Draw(t, "millisecond")) + zone)
	case "date":
		return quotedJSON(drawMoment(t) + rapid.SampledFrom([]string{"", ".5", ".123456789"}).Draw(t, "fraction") +
			rapid.SampledFrom([]string{"", "Z", "+05:45", "-23:59"}).Draw(t, "zone"))
	}
	return quotedJSON(rapid.StringN(0, 12, 40).Draw(t, "text"))
}

func wrongText(t *rapid.T, kind string) string {
	texts := map[string][]string{
		"integer": {`"7"`, "1.5", "true", "[]", "{}", "1e-1"},
		"boolean": {`"true"`, "0", "1", "[true]"},
		"guid": {`""`, `"{3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13}"`, `"3f0c2a9e6b1d4c579a410d8e5f7b2c13"`, "7",
			`"3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c1g"`, `" 3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13"`},
		"created": {`"2024-02-29T12:00:00Z"`, `"2024-02-29T12:00:00.12Z"`, `"2024-02-29T12:00:00.123+01:00"`,
			`"2023-02-29T12:00:00.123Z"`, `"2024-02-29 12:00:00.123Z"`, "1709208000"},
		"date": {`"2024-02-29"`, `"2024-02-30T12:00:00"`, `"2024-02-29T24:00:00"`, `"Thu, 29 Feb 2024 12:00:00 GMT"`,
			`"2024-02-29T12:00:00z"`, "true"},
		"string": {"7", "false", `["a"]`, `{"a":1}`},
	}
	return rapid.SampledFrom(texts[kind]).Draw(t, "wrong "+kind)
}

func drawGUID(t *rapid.T) string {
	text := rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`).Draw(t, "guid")
	if rapid.Bool().Draw(t, "capitals") {
		return strings.ToUpper(text)
	}
	return text
}

func drawMoment(t *rapid.T) string {
	return fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d", rapid.IntRange(1, 9999).Draw(t, "year"),
		rapid.IntRange(1, 12).Draw(t, "month"), rapid.IntRange(1, 28).Draw(t, "day"), rapid.IntRange(0, 23).Draw(t,
			"hour"),
		rapid.IntRange(0, 59).Draw(t, "minute"), rapid.IntRange(0, 59).Draw(t, "second"))
}

func quotedJSON(text string) string {
	content, _ := json.Marshal(text) // a text can be written
	return string(content)
}

// drawValue draws a field that keeps the contract.
func drawValue(t *rapid.T, kind string, mayBeAbsent bool) value {
	if mayBeAbsent {
		switch rapid.IntRange(0, 9).Draw(t, "present") {
		case 0:
			return value{null, "null"}
		case 1:
			return value{absent, ""}
		}
	}
	return value{right, rightText(t, kind)}
}

func drawRecord(t *rapid.T, userID string) *record {
	r := &record{id: drawGUID(t), userID: userID, fields: map[string]value{}, members: map[string]value{}}
	for _, name := range sortedNames(recordFields) {
		r.fields[name] = drawValue(t, recordFields[name], !slices.Contains(always, name))
	}
	switch rapid.IntRange(0, 5).Draw(t, "device") {
	case 0:
		r.device = value{null, "null"}
	case 1:
		r.device = value{absent, ""}
	default:
		for _, name := range sortedNames(deviceFields) {
			r.members[name] = drawValue(t, deviceFields[name], true)
		}
	}
	return r
}

// drawService draws a service that keeps the contract, the same in both versions, and then breaks it here and there.
func drawService(t *rapid.T) *service {
	s := &service{shows: map[string][]*answers{}, lenient: map[string]bool{}}
	for i := range rapid.IntRange(1, 4).Draw(t, "users") {
		u := fixtures.User{ID: drawGUID(t), UserID: fmt.Sprintf("user.%d", i), Enrolled: i == 0 ||
			rapid.IntRange(0, 3).Draw(t, "enrolled") > 0}
		s.users = append(s.users, u)
		var a *answers
		if u.Enrolled {
			a = &answers{list: rapid.Bool().Draw(t, "list")}
			records := 1
			if a.list {
				records = rapid.IntRange(1, 3).Draw(t, "records")
			}
			for range records {
				a.records = append(a.records, drawRecord(t, u.UserID))
			}
			for range rapid.IntRange(1, 3).Draw(t, "identifiers") {
				a.identifiers = append(a.identifiers, value{right, quotedJSON(drawGUID(t))})
			}
		}
		s.shows["v5"] = append(s.shows["v5"], a)
		s.shows["v6"] = append(s.shows["v6"], a.clone())
	}
	for range rapid.IntRange(0, 3).Draw(t, "faults") {
		s.drawFault(t)
	}
	return s
}

// drawFault breaks something in one version or both.
func (s *service) drawFault(t *rapid.T) {
	in := versions
	if k := rapid.IntRange(0, 2).Draw(t, "version"); k < 2 {
		in = versions[k : k+1]
	}
	user := rapid.IntRange(0, len(s.users)-1).Draw(t, "user")
	if !s.users[user].Enrolled {
		return
	}
	which := rapid.IntRange(0, len(s.shows["v5"][user].records)-1).Draw(t, "record")
	kind := rapid.SampledFrom([]string{"field", "member", "other field", "other member", "without", "device", "user",
		"identifier", "other identifier", "lenient"}).Draw(t, "fault")
	field := rapid.SampledFrom(sortedNames(recordFields)).Draw(t, "field")
	member := rapid.SampledFrom(sortedNames(deviceFields)).Draw(t, "member")
	faulty := value{wrong, wrongText(t, recordFields[field])}
	faultyMember := value{wrong, wrongText(t, deviceFields[member])}
	other, otherMember := value{right, rightText(t, recordFields[field])}, value{right,
		rightText(t, deviceFields[member])}
	identifier := value{right, quotedJSON(drawGUID(t))}
	operation := rapid.SampledFrom([]string{"getUserAuth", "findByUserIds"}).Draw(t, "operation")
	required := rapid.SampledFrom([]string{"ApplicationId", "AccessToken"}).Draw(t, "required")
	if slices.Contains(always, field) && kind != "other field" {
		field, faulty, other = "CreatedBy", value{wrong, "7"}, value{right, `"other"`}
	}
	for _, v := range in {
		a := s.shows[v][user]
		r := a.records[which]
		isObject := r.device.text == "" && r.device.state == right
		switch kind {
		case "field":
			r.fields[field] = faulty
		case "member":
			if isObject {
				r.members[member] = faultyMember
			}
		case "other field":
			r.fields[field] = other
		case "other member":
			if isObject {
				r.members[member] = otherMember
			}
		case "without":
			r.fields[field] = value{absent, ""}
		case "device":
			r.device = value{wrong, `"a device"`}
		case "user":
			r.userID = "somebody else"
		case "identifier":
			a.identifiers[0] = value{wrong, `"no GUID"`}
		case "other identifier":
			a.identifiers[0] = identifier
		case "lenient":
			s.lenient[v+" "+operation+" "+required] = true
		}
	}
}

func (a *answers) clone() *answers {
	if a == nil {
		return nil
	}
	c := &answers{list: a.list, identifiers: slices.Clone(a.identifiers)}
	for _, r := range a.records {
		n := *r
		n.fields, n.members = map[string]value{}, map[string]value{}
		for k, v := range r.fields {
			n.fields[k] = v
		}
		for k, v := range r.members {
			n.members[k] = v
		}
		c.records = append(c.records, &n)
	}
	return c
}

func sortedNames(fields map[string]string) []string {
	var names []string
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ServeHTTP answers as the service is made, with 403 to what it must refuse, and 404 where a user has nothing.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	part := strings.Split(r.URL.Path, "/") // "", api, v5, authenticator, getUserAuth
	content, _ := io.ReadAll(r.Body)       // what is missing is no JSON
	var request map[string]any
	if len(part) != 5 || json.Unmarshal(content, &request) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	version, operation := part[2], part[4]
	if !slices.Contains(versions, version) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	needed := []string{"UserId", "AccessToken", "ApplicationId"}
	if operation == "getUserAuth" {
		needed = append(needed, "Id")
	}
	for _, name := range needed {
		if given, _ := request[name].(string); given == "" && !s.lenient[version+" "+operation+" "+name] ||
			name == "AccessToken" && given != "" && given != fixtures.AccessToken {
			w.WriteHeader(http.StatusForbidden)
			return
		}
	}
	i := slices.IndexFunc(s.users, func(u fixtures.User) bool { return u.UserID == request["UserId"] })
	if i < 0 || s.shows[version][i] == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, s.shows[version][i].body(operation)) // a client that went away has no use for the error
}

func (a *answers) body(operation string) string {
	var texts []string
	if operation == "findByUserIds" {
		for _, identifier := range a.identifiers {
			texts = append(texts, identifier.text)
		}
		return "[" + strings.Join(texts, ",") + "]"
	}
	for _, r := range a.records {
		texts = append(texts, r.body())
	}
	if a.list {
		return "[" + strings.Join(texts, ",") + "]"
	}
	return texts[0]
}

func (r *record) body() string {
	members := []string{`"Id":` + quotedJSON(r.id), `"UserId":` + quotedJSON(r.userID)}
	members = append(members, textsOf(r.fields)...)
	switch {
	case r.device.state == right:
		members = append(members, `"Device":{`+strings.Join(textsOf(r.members), ",")+"}")
	case r.device.state != absent:
		members = append(members, `"Device":`+r.device.text)
	}
	return "{" + strings.Join(members, ",") + "}"
}

func textsOf(fields map[string]value) []string {
	var list []string
	for name, v := range fields {
		if v.state != absent {
			list = append(list, quotedJSON(name)+":"+v.text)
		}
	}
	slices.Sort(list)
	return list
}
