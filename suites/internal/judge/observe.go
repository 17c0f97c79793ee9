package judge

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/strictjson"
)

// rounds is how often every well-formed request is sent. What is asked again tells nothing new at the open points, and
// would only make the counts of v5 and v6 differ.
const rounds = 2

// observe notes what a well-formed request showed at the open points of sections 2 to 5, 8 and 9.4.
func (j *Judge) observe(result *Judgement) {
	ex := result.Answer.Exchange
	if ex.Probe.Round > rounds {
		result.Told = nil
		return
	}
	if !ex.Probe.User.Enrolled {
		result.fact("open/4.3/empty-result", j.describe(ex))
	}
	if result.Answer.Served() && ex.Probe.User.Enrolled {
		result.fact("open/4.3/status", strconv.Itoa(ex.Status))
		result.fact("open/4.3/content-type", j.contentType(ex))
	}
	if ex.Answered() {
		result.fact("open/8/size", strconv.Itoa(ex.Length()))
	}
	if len(result.Answer.Records) > 0 {
		if result.Answer.List {
			result.fact("open/4.3/cardinality", "an array of records")
		} else {
			result.fact("open/4.3/cardinality", "one record")
		}
	}
	j.headers(result)
}

// observeRecord notes what a record shows at the open points of sections 2 and 3.
func (j *Judge) observeRecord(result *Judgement, record map[string]any) {
	device, _ := record["Device"].(map[string]any)
	j.presence(result, "", record, j.record)
	if device != nil {
		j.presence(result, "Device.", device, j.device)
	}
	for _, open := range [][2]string{
		{"open/2/flags", "Flags"},
		{"open/2/mode-type", "ModeType"},
		{"open/2/authentication-count-limit", "AuthenticationCountLimit"},
	} {
		if number, ok := record[open[1]].(json.Number); ok {
			result.fact(open[0], strictjson.ParseDecimal(number).String())
		}
	}
	if user, ok := record["UserId"].(string); ok {
		result.fact("open/2/user-id-format", j.form(user))
		if asked := result.Answer.Exchange.Probe.User.UserID; user == asked {
			result.fact("open/2/user-id-case", "as asked")
		} else if strings.EqualFold(user, asked) {
			result.fact("open/2/user-id-case", "differs from the asked one in case only")
		}
	}
	state := func(object map[string]any, member string) string {
		if value, ok := object[member].(bool); ok {
			return strconv.FormatBool(value)
		}
		return "not shown"
	}
	result.fact("open/3/states", "IsDisabled "+state(record, "IsDisabled")+", IsLocked "+state(record, "IsLocked")+", Device.IsEnabled "+state(device, "IsEnabled"))
}

// presence tells null from absent from present for each documented member (J8), and names the undocumented ones (J9).
func (j *Judge) presence(result *Judgement, prefix string, object map[string]any, members members) {
	for _, member := range members.names {
		value, present := object[member]
		switch {
		case !present:
			result.fact("open/2/null-or-absent", prefix+member+" absent")
		case value == nil:
			result.fact("open/2/null-or-absent", prefix+member+" null")
		default:
			result.fact("open/2/null-or-absent", prefix+member+" present")
		}
	}
	for _, name := range members.others(object) {
		result.fact("open/2/undocumented-members", prefix+j.secrets.ShowJSON(name, 60))
	}
}

var (
	digits = regexp.MustCompile(`^[0-9]+$`)
	email  = regexp.MustCompile(`^[^@\s]+@[^@\s]+$`)
)

// guidLength is how long a GUID's text is (RFC 9562 §4); whether a text of that length is one, the schema says.
const guidLength = 36

// form names the form of a UserId, which the document leaves open.
func (j *Judge) form(user string) string {
	switch {
	case user == "":
		return "empty"
	case len(user) == guidLength && len(j.contract.Identifiers.Check([]any{user})) == 0:
		return "GUID"
	case digits.MatchString(user):
		return "digits"
	case email.MatchString(user):
		return "like a mail address"
	default:
		return "other text"
	}
}

// headers notes the headers that speak of authentication, rate limits and deprecation.
func (j *Judge) headers(result *Judgement) {
	header := result.Answer.Exchange.Header
	var names []string // few answers have any
	for name := range header {
		if name != "Content-Type" && name != "Content-Length" && name != "Date" {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		switch lower := strings.ToLower(name); {
		case lower == "www-authenticate", lower == "proxy-authenticate":
			scheme, _, _ := strings.Cut(header.Get(name), " ")
			result.fact("open/5.4/header-authentication", name+": "+j.secrets.Show(scheme, 40))
		case lower == "authentication-info", lower == "set-cookie":
			result.fact("open/5.4/header-authentication", name)
		case strings.HasPrefix(lower, "ratelimit"), strings.HasPrefix(lower, "x-ratelimit"), strings.HasPrefix(lower, "x-rate-limit"), lower == "retry-after":
			result.fact("open/8/rate-limit", j.secrets.Show(name, 60))
		case lower == "deprecation", lower == "sunset":
			result.fact("open/9.4/deprecation", name+": "+j.secrets.Show(header.Get(name), 80))
		}
	}
}

// circumstance says which of several probes of one open point an observation is about.
func (j *Judge) circumstance(p exchange.Probe) string {
	switch p.Alteration {
	case exchange.Absent, exchange.Null, exchange.WrongType:
		return p.Field + ": "
	case exchange.RandomToken, exchange.ChangedToken:
		return string(p.Alteration) + ": "
	case exchange.Neighbour:
		return p.Segment + ": "
	default:
		return ""
	}
}

// describe says how an exchange ended, in words that can be compared: status, media type, shape of the body.
func (j *Judge) describe(ex *exchange.Exchange) string {
	switch {
	case ex.Fault != nil && ex.Fault.Kind == exchange.Timeout:
		return "no answer in time"
	case ex.Fault != nil && ex.Fault.Kind == exchange.Transport:
		return "no answer: the connection failed"
	case ex.Fault != nil && ex.Fault.Kind == exchange.Encoding:
		return fmt.Sprintf("%d, a body that can't be decoded", ex.Status)
	case ex.Fault != nil:
		return fmt.Sprintf("%d, a body past what the suite reads", ex.Status)
	case len(ex.Body) == 0:
		return fmt.Sprintf("%d, empty body", ex.Status)
	}
	return fmt.Sprintf("%d, %s, %s", ex.Status, j.contentType(ex), j.bodyShape(ex.Body))
}

func (j *Judge) bodyShape(body []byte) string {
	value, err := strictjson.Decode(body)
	if err != nil {
		return "no JSON"
	}
	switch value := value.(type) {
	case nil:
		return "null"
	case map[string]any:
		switch {
		case j.telling(value):
			return "a record"
		case len(value) == 0:
			return "{}"
		}
		return "an object"
	case []any:
		switch {
		case len(value) == 0:
			return "[]"
		case j.tells(value):
			return "an array with records or identifiers"
		}
		return "an array"
	default:
		return "a " + strictjson.TypeOf(value)
	}
}

// contentType is the Content-Type header in one spelling: the same media type and parameters always read alike.
func (j *Judge) contentType(ex *exchange.Exchange) string {
	values := ex.Header[http.CanonicalHeaderKey("Content-Type")]
	switch {
	case len(values) == 0:
		return "no content type"
	case len(values) == 1 && values[0] == "application/json":
		return values[0] // by far the most frequent one
	}
	// A media type is read in small letters, in which a trace of a secret may not be known again.
	if media, parameters, err := mime.ParseMediaType(j.secrets.Clean(values[0])); err == nil && len(values) == 1 {
		for name, value := range parameters {
			parameters[name] = strings.ToLower(value)
		}
		if text := mime.FormatMediaType(media, parameters); text != "" {
			return j.secrets.Show(text, 80)
		}
	}
	return j.secrets.Show(strings.Join(values, ", "), 80)
}
