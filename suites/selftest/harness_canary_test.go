package selftest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"authenticator-conformance/fixtures"
)

// The canaries are values of users that occur nowhere else. A file that holds a part of one holds data of a user.

// canaryUsers is how many users the canary service has. It answers differently for each.
const canaryUsers = 13

func canaryID(i int) string     { return fmt.Sprintf("%s%04d", canaryBeginnings()[0], i) }
func canaryUserID(i int) string { return fmt.Sprintf("%s%02d", canaryBeginnings()[1], i) }
func canaryName(i int) string   { return fmt.Sprintf("%s%02d", canaryBeginnings()[2], i) }

// The canaries in answers, by number.
func canaryText(n int) string   { return fmt.Sprintf("%s%03d", canaryBeginnings()[3], n) }
func canaryGUID(n int) string   { return fmt.Sprintf("%s%08d", canaryBeginnings()[4], n) }
func canaryNumber(n int) string { return fmt.Sprintf("%s%03d", canaryBeginnings()[5], n) }
func canaryTime(n int) string   { return fmt.Sprintf("%s%02d.517Z", canaryBeginnings()[6], n) }

// canaryBeginnings are the beginnings of all canaries, for a search. The last is a text in the case of a header name.
func canaryBeginnings() []string {
	return []string{"5afec4a4-4bca-4a17-9a17-7e57ab1e", "pk7xqvUserLwzTq", "label of Mrs ZwqxKrtlBnm",
		"VqzKanariWertYx", "b16b00b5-4bad-4bad-8bad-cafe", "730114662951", "1931-07-14T03:12:", "Vqzkanariwertyx",
		"B16B00B5-4BAD-4BAD",
		"vqzkanariwertyx"}
}

// canaryService answers for the canary users with records that differ, break the contract, or are no answers at all.
type canaryService struct {
	calls atomic.Int64 // makes values volatile
}

// record is the record of a user as JSON. Members replace or follow the right ones.
func (c *canaryService) record(i int, replaced map[string]string) string {
	quoted := func(text string) string { return `"` + text + `"` }
	members := []struct{ name, value string }{
		{"AuthenticationCountLimit", canaryNumber(1)}, {"CreatedOn", quoted(canaryTime(1))},
		{"Description", quoted(canaryText(1))}, {"ExpirationDate", quoted(canaryTime(2))}, {"Flags", canaryNumber(2)},
		{"Id", quoted(canaryGUID(i))}, {"IsDisabled", "false"}, {"IsLocked", "false"},
		{"ModeDeviceName", quoted(canaryText(2))}, {"ModeId", quoted(canaryGUID(20))}, {"ModeType", canaryNumber(3)},
		{"ModeTypeName", quoted(canaryText(3))}, {"UserId", quoted(canaryUserID(i))},
		{"SerialNumber", quoted(canaryText(4))}, {"Device", fmt.Sprintf(`{"Id":%q,"AuthType":%q,"SerialNumber":%q,`+
			`"RegistrationDate":%q,"IsEnabled":true,"LastUserId":%q,"Comment":%q,"Model":%q,%q:%q}`, canaryGUID(21),
			canaryGUID(22), canaryText(5), canaryTime(3), canaryUserID(i), canaryText(6), canaryText(7), canaryText(8),
			canaryText(9))},
		{"CreatedBy", quoted(canaryText(10))},
	}
	text := ""
	for _, m := range members {
		value := m.value
		if other, ok := replaced[m.name]; ok {
			value = other
			delete(replaced, m.name)
		}
		text += fmt.Sprintf(",%q:%s", m.name, value)
	}
	for name, value := range replaced {
		text += fmt.Sprintf(",%q:%s", name, value)
	}
	return "{" + text[1:] + "}"
}

func (c *canaryService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fields := map[string]any{}
	wellFormed := json.NewDecoder(r.Body).Decode(&fields) == nil && r.Method == http.MethodPost
	i := -1
	for n := range canaryUsers {
		if fields["UserId"] == canaryUserID(n) {
			i = n
		}
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Server", canaryText(30))
	header.Set("Set-Cookie", "session="+canaryText(31))
	header.Set("Deprecation", canaryText(32))
	header.Set("X-Ratelimit-"+canaryText(33), canaryText(34))
	header.Set("X-"+canaryText(35), canaryText(35))
	header.Set("Www-Authenticate", `Bearer realm="`+canaryText(36)+`"`)
	header.Add("Www-Authenticate", canaryText(37))
	if fields["AccessToken"] != fixtures.AccessToken || !wellFormed || i < 0 {
		refuse := fmt.Sprintf(`{"error":%q,"%s":{"echo":[%q,%s]}}`, canaryText(40), canaryText(41), canaryUserID(0),
			canaryNumber(40))
		header.Set("Content-Type", "application/"+canaryText(42)+"; user="+canaryText(43))
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(refuse))
		return
	}
	isV6 := isV6(r.URL.Path)
	if strings.HasSuffix(r.URL.Path, findByUserIDs) {
		c.identifiers(w, i, isV6)
		return
	}
	c.authenticators(w, i, isV6)
}

// authenticators answers getUserAuth for a user.
func (c *canaryService) authenticators(w http.ResponseWriter, i int, isV6 bool) {
	body, status := c.record(i, map[string]string{}), http.StatusOK
	switch i {
	case 0: // differences, also of a boolean, and of undocumented members
		other := map[string]string{canaryText(50): `{"` + canaryText(51) + `":` + canaryNumber(50) + `}`,
			canaryNumber(51): `"same"`, "created_on": `"` + canaryText(52) + `"`}
		if isV6 {
			other = map[string]string{canaryText(50): `{"` + canaryText(51) + `":` + canaryNumber(52) + `}`,
				canaryNumber(51): "true", canaryText(53): "[" + canaryNumber(53) + "]", "IsLocked": "true",
				"Description": `"` + canaryText(54) + `"`}
		}
		body = c.record(i, other)
	case 1: // values in a wrong form, and of a wrong type
		body = c.record(i, map[string]string{"CreatedOn": `"` + strings.Replace(canaryTime(1), "T", " ", 1) + `"`,
			"ModeId": `"{` + canaryGUID(55) + `}"`, "Flags": `"` + canaryText(55) + `"`,
			"Device": `["` + canaryText(56) + `"]`})
	case 2: // an error page
		if isV6 {
			status, body = http.StatusInternalServerError, "<h1>"+canaryText(57)+"</h1>\n"+canaryUserID(i)
			w.Header().Set("Content-Type", "text/html; user="+canaryText(58))
		}
	case 3: // no JSON
		if body += canaryText(59); !isV6 {
			body = fmt.Sprintf(`{%q:1,%q:2,"x":tru%s`, canaryText(60), canaryText(60), canaryText(61))
		}
	case 4: // no UTF-8
		if body = strings.Replace(body, "Wert", "W\xe4rt", 1); isV6 {
			body = fmt.Sprintf(`{"%s":1,"%s":2}`, canaryText(62), canaryText(62))
		}
	case 5: // no HTTP
		if isV6 {
			c.raw(w, "HTTP/1.1 200 "+canaryText(63)+"\r\nno header, but "+canaryText(64)+"\r\n\r\n")
			return
		}
	case 6:
		status = http.StatusFound
		w.Header().Set("Location", "https://"+canaryText(65)+".example/?user="+canaryUserID(i))
	case 7: // the record of another user
		body = c.record(8, map[string]string{})
	case 8: // a list
		if body = "[]"; isV6 {
			body = "[" + c.record(8, map[string]string{"Id": `"` + canaryGUID(66) + `"`}) + `,{"` +
				canaryUserID(8) + `":` + canaryNumber(67) + `},"` + canaryText(68) + `"]`
		}
	case 9: // no record
		body = fmt.Sprintf(`{%q:%s,%q:[%q,null,true]}`, canaryUserID(9), canaryNumber(69), canaryText(69),
			canaryText(70))
	case 10: // marked as not enrolled
		status, body = http.StatusNotFound, fmt.Sprintf(`{"detail":%q}`, canaryText(71))
	case 11: // volatile
		n := int(c.calls.Add(1)) % 10
		body = c.record(i, map[string]string{"CreatedBy": `"` + canaryText(72+n) + `"`,
			canaryText(82 + n): `"` + canaryText(83) + `"`})
	}
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

// identifiers answers findByUserIds for a user.
func (c *canaryService) identifiers(w http.ResponseWriter, i int, isV6 bool) {
	list := []string{`"` + canaryGUID(i) + `"`, `"` + canaryGUID(95) + `"`}
	switch {
	case i == 1:
		list = append(list, `"`+canaryText(94)+`"`, canaryNumber(94), `{"`+canaryText(95)+`":1}`)
	case i == 2 && isV6:
		list = append(list[:1], `"`+strings.ToUpper(canaryGUID(95))+`"`, `"`+canaryGUID(96)+`"`)
	case i == 5 && isV6:
		w.Header().Set("Content-Encoding", canaryText(97))
	case i == 6 && isV6:
		c.raw(w, "HTTP/1.1 "+canaryText(98)+"\r\n\r\n")
		return
	case i == 10:
		list = nil
	}
	_, _ = w.Write([]byte("[" + strings.Join(list, ",") + "]"))
}

// raw answers with bytes that need be no HTTP.
func (c *canaryService) raw(w http.ResponseWriter, text string) {
	connection, _, err := w.(http.Hijacker).Hijack()
	mustSucceed(err)
	_, _ = connection.Write([]byte(text))
	_ = connection.Close()
}

// canaryFile writes the users file of the canary service, as CSV.
func canaryFile(folder string) string {
	lines := []string{"id,userId,enrolled,name"}
	for i := range canaryUsers {
		lines = append(lines, fmt.Sprintf("%s,%s,%t,%s", canaryID(i), canaryUserID(i), i != 10, canaryName(i)))
	}
	return writeFile(folder, "users.csv", strings.Join(lines, "\n")+"\n")
}

// canaryCommand is a command against the canary service in a new folder.
func canaryCommand(name, url string, flags ...string) command {
	c := command{args: slices.Concat([]string{name, "--target-url", url, "--users", "users.csv"}, flags),
		env: credentialsOfReference(), folder: newFolder()}
	canaryFile(c.folder)
	return c
}
