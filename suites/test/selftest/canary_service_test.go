package selftest_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/suites/internal/testkit"
)

// canaryFormats are values of users that occur nowhere else. A file that holds a part of one holds data of a user.
var canaryFormats = map[string]string{"text": "VqzKanariWertYx%03d", "guid": "b16b00b5-4bad-4bad-8bad-cafe%08d",
	"number": "730114662951%03d", "time": "1931-07-14T03:12:%02d.517Z", "id": "5afec4a4-4bca-4a17-9a17-7e57ab1e%04d",
	"user": "pk7xqvUserLwzTq%02d", "name": "label of Mrs ZwqxKrtlBnm%02d"}

// canariesIn lists which canaries are in the streams and files of a process, also in the case of a header's name.
func canariesIn(r *result) []string {
	var all []string
	for _, format := range canaryFormats {
		canary, _, _ := strings.Cut(format, "%")
		all = append(all, canary, strings.ToLower(canary), strings.ToUpper(canary),
			canary[:1]+strings.ToLower(canary[1:]))
	}
	return tracesIn(r, deepest, all...)
}

// canaryUser is a user of the canary service. An answer that is nil is the right one.
type canaryUser struct {
	Name               string
	Enrolled           *bool
	V5, V6, IDs5, IDs6 *canaryAnswer
}

type canaryAnswer struct {
	Once                              bool // only at the first call; at others the right one
	Status                            int
	Type, Coding, Location, Body, Raw string
	Set                               map[string]string
}

var canaryUsers = testkit.Cases[canaryUser](filepath.Join("testdata", "canaries.yaml"))

// canaryRecord has the members of a right record.
var canaryRecord = map[string]string{"AuthenticationCountLimit": "$number1", "CreatedOn": `"$time1"`,
	"Description": `"$text1"`, "ExpirationDate": `"$time2"`, "Flags": "$number2", "Id": `"$id"`, "IsDisabled": "false",
	"IsLocked": "false", "ModeDeviceName": `"$text2"`, "ModeId": `"$guid20"`, "ModeType": "$number3",
	"ModeTypeName": `"$text3"`, "UserId": `"$user"`, "SerialNumber": `"$text4"`, "CreatedBy": `"$text10"`,
	"Device": `{"Id":"$guid21","AuthType":"$guid22","SerialNumber":"$text5","RegistrationDate":"$time3",` +
		`"IsEnabled":true,"LastUserId":"$user","Comment":"$text6","Model":"$text7","$text9":"$text8"}`}

var canaryName, canaryCalls = regexp.MustCompile(`\$([a-z]+)(\d*)`), atomic.Int64{}

// fillCanaries replaces the names of canaries in a text. A name without a number has that of the user.
func fillCanaries(text string, user int) string {
	return canaryName.ReplaceAllStringFunc(text, func(name string) string {
		parts, number := canaryName.FindStringSubmatch(name), user
		if parts[1] == "changing" {
			parts[1], number = "text", int(72+canaryCalls.Add(1)%10)
		} else if parts[2] != "" {
			number, _ = strconv.Atoi(parts[2]) // they are digits
		}
		return fmt.Sprintf(canaryFormats[parts[1]], number)
	})
}

// canaryService answers for the canary users with records that differ, break the contract, or are no answers at all.
// Its headers and refusals have canaries too.
func canaryService() http.Handler {
	var called sync.Map // with which answers
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serveCanaries(&called, w, r) })
}

func serveCanaries(called *sync.Map, w http.ResponseWriter, r *http.Request) {
	fields := map[string]any{}
	err := json.NewDecoder(r.Body).Decode(&fields)
	i := -1
	for n := range canaryUsers {
		if fields["UserId"] == fillCanaries("$user", n) {
			i = n
		}
	}
	set := func(name, value string) { w.Header().Add(fillCanaries(name, i), fillCanaries(value, i)) }
	for _, line := range []string{"Server: $text30", "Set-Cookie: session=$text31", "Deprecation: $text32",
		"X-Ratelimit-$text33: $text34", "X-$text35: $text35", `Www-Authenticate: Bearer realm="$text36"`,
		"Www-Authenticate: $text37"} {
		name, value, _ := strings.Cut(line, ": ")
		set(name, value)
	}
	if err != nil || i < 0 || r.Method != http.MethodPost || fields["AccessToken"] != fixtures.AccessToken {
		set("Content-Type", "application/$text42; user=$text43")
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprint(w, fillCanaries(`{"error":"$text40","$text41":{"echo":["$user",$number40]}}`, 0))
		return
	}
	u, isV6 := canaryUsers[i], strings.Contains(r.URL.Path, "/v6/")
	answer, right := map[bool]*canaryAnswer{false: u.V5, true: u.V6}[isV6], &canaryAnswer{Set: map[string]string{}}
	if strings.HasSuffix(r.URL.Path, "/findByUserIds") {
		answer = map[bool]*canaryAnswer{false: u.IDs5, true: u.IDs6}[isV6]
		right = &canaryAnswer{Body: `["$id","$guid95"]`}
	}
	if answer != nil && answer.Once {
		if _, again := called.LoadOrStore(answer, true); again {
			answer = right
		}
	}
	answer = cmp.Or(answer, right)
	if answer.Raw != "" {
		connection, _, err := w.(http.Hijacker).Hijack()
		mustSucceed(err)
		_, _ = fmt.Fprint(connection, fillCanaries(answer.Raw, i))
		_ = connection.Close()
		return
	}
	body := answer.Body
	if answer.Set != nil {
		members := maps.Clone(canaryRecord)
		maps.Copy(members, answer.Set)
		var list []string
		for _, name := range slices.Sorted(maps.Keys(members)) {
			list = append(list, `"`+name+`":`+members[name])
		}
		body = "{" + strings.Join(list, ",") + "}"
	}
	for name, value := range map[string]string{"Content-Type": cmp.Or(answer.Type, "application/json"),
		"Content-Encoding": answer.Coding, "Location": answer.Location} {
		if value != "" {
			set(name, value)
		}
	}
	w.WriteHeader(cmp.Or(answer.Status, http.StatusOK))
	_, _ = fmt.Fprint(w, fillCanaries(body, i))
}

// canaryCommand is a command against the canary service, with a users file in CSV, in a new folder.
func canaryCommand(name string, flags ...string) command {
	GinkgoHelper()
	t := startTarget(canaryService())
	c := command{args: slices.Concat([]string{name, "--target-url", t.url, "--users", "users.csv"}, flags),
		env: credentialsWith(fixtures.AccessToken), folder: newFolder()}
	lines := "id,userId,enrolled,name\n"
	for i, u := range canaryUsers {
		lines += fillCanaries(fmt.Sprintf("$id,$user,%t,$name\n", u.Enrolled == nil), i)
	}
	writeFile(c.folder, "users.csv", lines)
	return c
}
