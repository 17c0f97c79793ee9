package judge_test

import (
	"encoding/json"
	"io/fs"
	"strings"
	"testing"

	other "github.com/santhosh-tekuri/jsonschema/v6"

	"authenticator-conformance/fixtures/messages"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/judge"
	"authenticator-conformance/suites/internal/strictjson"
)

// seeds are bodies that a target may answer, right and wrong ones.
func seeds(f *testing.F) []string {
	list := []string{
		``, `null`, `[]`, `{}`, `[[]]`, three, "\uFEFF" + three, three + "junk", `{"Flags":1e400,"Device":{"Id":null}}`, `[{"Flags":1},{"Id":2}]`,
		`["` + guidA + `",1,null,{"Id":"` + guidB + `"}]`, `{"Device":{"Device":{}}}`, `{"Flags":1,"Flags":2}`, `{"a":"\ud800"}`, strings.Repeat(`[`, 600),
		`{"UserId":"` + userID + `","userid":1,"Device":[]}`, `[` + strings.Repeat(`"x",`, 300) + `0]`, `{"Description":"` + token + `","Flags":1,"ModeType":-0.0}`,
	}
	all, err := messages.All()
	if err != nil {
		f.Fatal(err)
	}
	for _, m := range all {
		list = append(list, string(m.Body))
	}
	return list
}

// FuzzWellFormed holds the judge against another library's reading of the schemas: of every documented field of every
// record, a witness where the value keeps its schema, a finding where it does not, and nothing else.
func FuzzWellFormed(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add([]byte(seed), true, 200)
	}
	f.Add([]byte(with()), false, 404)
	validate := compiled(f)
	j := newJudge()
	f.Fuzz(func(t *testing.T, body []byte, get bool, status int) {
		op := schemas.FindByUserIDs
		if get {
			op = schemas.GetUserAuth
		}
		ex := answered(asked(op), status, string(body))
		result := j.WellFormed(ex)
		tidy(t, result)
		if again := j.Again(result, ex); len(again.Rows) != len(result.Rows) || len(again.Facts) != len(result.Facts) {
			t.Fatalf("Again says %v, WellFormed %v", again, result)
		}
		value, err := strictjson.Decode(body)
		if status < 200 || status > 299 || err != nil {
			if result.Answer.Served() {
				t.Fatalf("status %d with %q was served", status, body)
			}
			return
		}
		if get {
			recordsAlike(t, result, value, validate)
		} else {
			identifiersAlike(t, result, value, validate)
		}
	})
}

type validator func(schema string, value any) bool

func recordsAlike(t *testing.T, result *judge.Judgement, value any, validate validator) {
	records, list := value.([]any)
	if !list {
		records = []any{value}
	}
	witnesses, count := map[string]int{}, map[string]int{}
	note := func(row string, right bool) {
		if right {
			witnesses[row]++
		} else {
			count[row]++
		}
	}
	served := true
	for _, element := range records {
		record, _ := element.(map[string]any)
		known := false
		for _, member := range contract().Record.Members() {
			value, present := record[member]
			known = known || present
			if value == nil {
				continue
			}
			if device, ok := value.(map[string]any); ok && member == "Device" {
				witnesses["2.1/Device"]++
				for _, member := range contract().Device.Members() {
					if value := device[member]; value != nil {
						note("2.2/"+member, validate("device.schema.json", map[string]any{member: value}))
					}
				}
				continue
			}
			note("2.1/"+member, validate("authenticator.schema.json", map[string]any{member: value}))
		}
		served = served && known
	}
	for _, q := range contract().Requirements {
		if q.Section != "2.1" && q.Section != "2.2" || q.Kind != schemas.Documented {
			continue
		}
		row := result.Rows[q.ID]
		if row == nil {
			row = &judge.Outcome{}
		}
		if row.Witnesses != witnesses[q.ID] || row.Count != count[q.ID] {
			t.Fatalf("%s: %d witnesses and %d findings, another library sees %d and %d", q.ID, row.Witnesses, row.Count, witnesses[q.ID], count[q.ID])
		}
	}
	if served != result.Answer.Served() {
		t.Fatalf("served is %v", result.Answer.Served())
	}
}

func identifiersAlike(t *testing.T, result *judge.Judgement, value any, validate validator) {
	list, served := value.([]any)
	if served != result.Answer.Served() {
		t.Fatalf("served is %v", result.Answer.Served())
	}
	right := 0
	for _, element := range list {
		if validate("guid-array.schema.json", []any{element}) {
			right++
		}
	}
	row := result.Rows["2.3/identifiers"]
	if row == nil {
		row = &judge.Outcome{}
	}
	if row.Witnesses != right || row.Count != len(list)-right {
		t.Fatalf("%d witnesses and %d findings, another library sees %d and %d", row.Witnesses, row.Count, right, len(list)-right)
	}
}

// FuzzAltered holds that a request which must not be served is either refused or served, never both; that a refusal holds
// nothing which another library takes for identifiers; and that what was served to a well-formed request and tells
// something is never called a refusal.
func FuzzAltered(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add([]byte(seed), 400, byte(0))
		f.Add([]byte(seed), 200, byte(3))
	}
	validate := compiled(f)
	j := newJudge()
	alterations := []exchange.Alteration{exchange.Absent, exchange.Null, exchange.EmptyToken, exchange.RandomToken, exchange.ChangedToken}
	f.Fuzz(func(t *testing.T, body []byte, status int, which byte) {
		for _, op := range schemas.Operations() {
			p := altered(op, alterations[int(which)%len(alterations)], exchange.AccessToken)
			result := j.Altered(answered(p, status, string(body)))
			tidy(t, result)
			row := result.Rows[p.Rows()[0]]
			if len(result.Rows) != 1 || row == nil || row.Witnesses+row.Count != 1 {
				t.Fatalf("%s: neither refused nor served, or both: %v", p.Name(), result.Rows)
			}
			value, err := strictjson.Decode(body)
			if list, ok := value.([]any); err == nil && ok && len(list) > 0 && validate("guid-array.schema.json", list) && row.Count == 0 {
				t.Fatalf("%q is called a refusal", body)
			}
			if j.WellFormed(answered(asked(op), 200, string(body))).Answer.Telling() && row.Count == 0 {
				t.Fatalf("%q tells something where it is served, and is called a refusal", body)
			}
		}
	})
}

// tidy holds what every judgement must keep: findings within their bound and counted, pointers that can be read, texts
// that can be shown.
func tidy(t *testing.T, result *judge.Judgement) {
	for id, row := range result.Rows {
		requirement, known := contract().Requirement(id)
		if !known || requirement.Kind != schemas.Documented {
			t.Fatalf("%s is no documented requirement", id)
		}
		if len(row.Findings) != min(row.Count, judge.MostFindings) {
			t.Fatalf("%s: %d findings kept of %d", id, len(row.Findings), row.Count)
		}
		causes := 0
		for _, c := range row.Causes {
			causes += c.Count
		}
		if causes != row.Count {
			t.Fatalf("%s: causes for %d of %d findings", id, causes, row.Count)
		}
		for _, finding := range row.Findings {
			showable(t, id, finding.Expected, finding.Actual)
			if finding.Expected == "" || finding.Actual == "" || finding.Kind == "" {
				t.Fatalf("%s: a finding without words: %+v", id, finding)
			}
		}
		showable(t, id, row.Notes...)
	}
	for _, fact := range allFacts(result) {
		showable(t, fact.ID, fact.Text)
		if requirement, known := contract().Requirement(fact.ID); !known || requirement.Kind != schemas.Open {
			t.Fatalf("%s is no open point", fact.ID)
		}
	}
}

func showable(t *testing.T, id string, texts ...string) {
	for _, text := range texts {
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x202e }) || strings.Contains(text, token) {
			t.Fatalf("%s: %q is not fit to be shown", id, text)
		}
	}
}

// compiled reads the schemas with another library, which knows none of our formats: the patterns beside them must do.
func compiled(f *testing.F) validator {
	files, err := fs.Glob(schemas.Files(), "*.schema.json")
	if err != nil {
		f.Fatal(err)
	}
	compiler, ids := other.NewCompiler(), map[string]string{}
	for _, file := range files {
		content, err := fs.ReadFile(schemas.Files(), file)
		if err != nil {
			f.Fatal(err)
		}
		document, err := other.UnmarshalJSON(strings.NewReader(string(content)))
		if err != nil {
			f.Fatal(err)
		}
		ids[file], _ = document.(map[string]any)["$id"].(string)
		if err := compiler.AddResource(ids[file], document); err != nil {
			f.Fatal(err)
		}
	}
	read := map[string]*other.Schema{}
	for file, id := range ids {
		if read[file], err = compiler.Compile(id); err != nil {
			f.Fatal(err)
		}
	}
	return func(schema string, value any) bool { return read[schema].Validate(tamed(value)) == nil }
}

// tamed puts a number for one of the same wholeness: the other library writes out an exponent's digits.
func tamed(value any) any {
	switch value := value.(type) {
	case json.Number:
		if strictjson.ParseDecimal(value).IsWhole() {
			return json.Number("1")
		}
		return json.Number("0.5")
	case map[string]any:
		out := map[string]any{}
		for name, member := range value {
			out[name] = tamed(member)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i := range value {
			out[i] = tamed(value[i])
		}
		return out
	default:
		return value
	}
}
