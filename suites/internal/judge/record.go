package judge

import (
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/strictjson"
)

// judgeRecord judges each documented field of a record and its device (§2.1, §2.2), and whose record it is (J12).
func (j *Judge) judgeRecord(result *Judgement, record Record) {
	var broken map[string]schemas.Violation // nil for nearly all records
	for _, v := range j.contract.Record.Check(record.Value) {
		if broken == nil {
			broken = map[string]schemas.Violation{}
		}
		broken[v.Pointer] = v
	}
	j.fields(result, record, "", record.Value, j.record, broken)
	if device, ok := record.Value["Device"].(map[string]any); ok {
		j.fields(result, record, "/Device", device, j.device, broken)
	}
	j.owner(result, record)
}

// fields judges the members of one object: a finding where the schema is broken, a witness where a value is there and
// keeps it; null and absent are neither (J8).
func (j *Judge) fields(result *Judgement, record Record, base string, object map[string]any, members members, broken map[string]schemas.Violation) {
	for i, member := range members.names {
		value, present := object[member]
		if !present || value == nil {
			continue
		}
		if v, pointer, ok := brokenAt(broken, base, member); ok {
			result.Rows.find(members.rows[i], "not "+kind(value), record.Pointer+pointer, func() Finding {
				return Finding{Probe: result.Answer.Exchange.Probe, Expected: v.Expected, Actual: j.secrets.ShowJSON(value, shown)}
			})
			continue
		}
		result.Rows.witness(members.rows[i])
	}
	j.nearMisses(result, object, members)
}

// brokenAt tells what the schema says of a member, and where that stands.
func brokenAt(broken map[string]schemas.Violation, base, member string) (v schemas.Violation, pointer string, ok bool) {
	if len(broken) == 0 {
		return v, "", false
	}
	pointer = strictjson.Pointer(base, member)
	v, ok = broken[pointer]
	return v, pointer, ok
}

// kind names the JSON type of a value that broke its schema, so that two runs can compare the ways in which a row broke.
func kind(value any) string {
	switch value.(type) {
	case string:
		return "in its form"
	default:
		return "of its type: " + strictjson.TypeOf(value)
	}
}

// nearMisses notes members whose names are a documented one but for case, hyphens or underscores: names are
// case-sensitive (J8), and a row without a witness is then no riddle.
func (j *Judge) nearMisses(result *Judgement, object map[string]any, members members) {
	for _, name := range members.others(object) {
		if meant, ok := members.folded[fold(name)]; ok {
			result.Rows.note(members.section+meant, "a member named "+j.secrets.ShowJSON(name, 80)+" was seen; names are case-sensitive, the document has "+meant)
		}
	}
}

func fold(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// owner is J12: the record's UserId is the one asked for. A difference of case only is observed.
func (j *Judge) owner(result *Judgement, record Record) {
	owner, ok := record.Value["UserId"].(string)
	if !ok {
		return
	}
	asked := result.Answer.Exchange.Probe.User.UserID
	if strings.EqualFold(owner, asked) {
		result.Rows.witness("4.1/user")
		return
	}
	result.Rows.find("4.1/user", "another user", record.Pointer+"/UserId", func() Finding {
		return Finding{
			Probe:    result.Answer.Exchange.Probe,
			Expected: "the UserId that was asked for: " + j.secrets.ShowJSON(asked, shown),
			Actual:   j.secrets.ShowJSON(owner, shown),
		}
	})
}
