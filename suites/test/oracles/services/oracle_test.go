package services_test

import (
	"encoding/json"
	"math/big"
	"reflect"
	"slices"
	"strings"
)

// deservedVerdicts are the verdicts that a service deserves, by "version id": said from how it was made, without the
// judge.
func (s *service) deservedVerdicts() map[string]string {
	rows := map[string]string{}
	for _, v := range versions {
		fields := map[string][]state{}
		userIsRight := "pass"
		for _, a := range s.shows[v] {
			if a == nil {
				continue
			}
			for _, r := range a.records {
				fields["2.1/Id"] = append(fields["2.1/Id"], right)
				fields["2.1/UserId"] = append(fields["2.1/UserId"], right)
				fields["2.1/Device"] = append(fields["2.1/Device"], r.device.state)
				for name, f := range r.fields {
					fields["2.1/"+name] = append(fields["2.1/"+name], f.state)
				}
				for name, f := range r.members {
					if r.device.state == right {
						fields["2.2/"+name] = append(fields["2.2/"+name], f.state)
					}
				}
				if r.userID == "somebody else" {
					userIsRight = "fail"
				}
			}
			for _, identifier := range a.identifiers {
				fields["2.3/identifiers"] = append(fields["2.3/identifiers"], identifier.state)
			}
		}
		for name := range deviceFields {
			fields["2.2/"+name] = append(fields["2.2/"+name], absent)
		}
		for id, states := range fields {
			rows[v+" "+id] = verdictOf(states)
		}
		rows[v+" 4.1/user"], rows[v+" 4.2/user"] = userIsRight, s.whoseIdentifiers(v)
		for _, operation := range []string{"getUserAuth", "findByUserIds"} {
			rows[v+" 4/"+operation+"/served"] = "pass"
			// What must be refused is asked for a user whose right answer shows that it is served (J13).
			refused := "pass"
			if operation == "findByUserIds" && verdictOf(fields["2.3/identifiers"]) == "fail" && !s.hasGUIDs(v) {
				refused = "inconclusive"
			}
			rows[v+" 5.1/"+operation+"/token"] = refused
			section := map[string]string{"getUserAuth": "4.1/", "findByUserIds": "4.2/"}[operation]
			for _, name := range []string{"Id", "UserId", "AccessToken", "ApplicationId"} {
				if name == "Id" && operation == "findByUserIds" {
					continue
				}
				rows[v+" "+section+name+"/required"] = refused
				if refused == "pass" && s.lenient[v+" "+operation+" "+name] {
					rows[v+" "+section+name+"/required"] = "fail"
				}
			}
		}
	}
	s.addParity(rows)
	return rows
}

// whoseIdentifiers is the verdict of the identifiers of a version: whether each user has their own (J24).
func (s *service) whoseIdentifiers(version string) string {
	shows := func(i int, identifier string) bool { // in a record
		return slices.ContainsFunc(versions, func(v string) bool {
			a := s.shows[v][i]
			return a != nil && strings.Contains(strings.ToLower(a.body("getUserAuth")), identifier)
		})
	}
	isIDOf := func(i int, identifier string) bool {
		return slices.ContainsFunc(versions, func(v string) bool {
			a := s.shows[v][i]
			return a != nil && slices.ContainsFunc(a.records, func(r *record) bool {
				return quotedJSON(strings.ToLower(r.id)) == identifier
			})
		})
	}
	users := map[string][]int{} // by list
	for i, a := range s.shows[version] {
		if a == nil {
			continue
		}
		var list []string
		for _, v := range a.identifiers {
			identifier := strings.ToLower(v.text)
			list = append(list, identifier)
			for other := range s.users {
				if v.state == right && isIDOf(other, identifier) && !shows(i, identifier) {
					return "fail"
				}
			}
		}
		slices.Sort(list)
		users[strings.Join(list, ",")] = append(users[strings.Join(list, ",")], i)
	}
	all, shared, known := 0, 0, false
	for list, of := range users {
		if all += len(of); len(of) > 1 {
			shared += len(of)
		}
		known = slices.ContainsFunc(strings.Split(list, ","), func(identifier string) bool {
			return identifier != `"no guid"` && shows(of[0], identifier)
		})
	}
	if 2*shared >= all || all == 1 && !known {
		return "inconclusive"
	}
	return "pass"
}

// hasGUIDs reports whether a list of a version has a GUID.
func (s *service) hasGUIDs(version string) bool {
	return slices.ContainsFunc(s.shows[version], func(a *answers) bool {
		return a != nil && slices.ContainsFunc(a.identifiers, func(v value) bool { return v.state == right })
	})
}

func verdictOf(states []state) string {
	switch {
	case slices.Contains(states, wrong):
		return "fail"
	case slices.Contains(states, right):
		return "pass"
	}
	return "inconclusive"
}

// addParity adds the rows of parity (J14): shapes differ by members and JSON types, values by value.
func (s *service) addParity(rows map[string]string) {
	for _, operation := range []string{"getUserAuth", "findByUserIds"} {
		shape, values := "pass", "pass"
		for i, from := range s.shows["v5"] {
			if from == nil {
				continue
			}
			left, right := decodeText(from.body(operation)), decodeText(s.shows["v6"][i].body(operation))
			if operation == "findByUserIds" {
				if !sameElements(left, right) {
					values = "fail"
				}
				continue
			}
			compareValues(left, right, &shape, &values)
		}
		rows["v5=v6 9.3/"+operation+"/shape"], rows["v5=v6 9.3/"+operation+"/values"] = shape, values
	}
}

func decodeText(text string) any {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	_ = decoder.Decode(&value) // the service writes JSON
	return value
}

func sameElements(left, right any) bool {
	l, r := left.([]any), right.([]any)
	count := map[any]int{}
	for _, e := range l {
		count[e]++
	}
	for _, e := range r {
		count[e]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

func compareValues(left, right any, shape, values *string) {
	if reflect.TypeOf(left) != reflect.TypeOf(right) {
		*shape = "fail"
		return
	}
	switch l := left.(type) {
	case map[string]any:
		r := right.(map[string]any)
		for name, x := range l {
			if y, both := r[name]; both {
				compareValues(x, y, shape, values)
			} else {
				*shape = "fail"
			}
		}
		for name := range r {
			if _, both := l[name]; !both {
				*shape = "fail"
			}
		}
	case []any:
		r := right.([]any)
		for i := range l {
			if i < len(r) {
				compareValues(l[i], r[i], shape, values)
			}
		}
		if len(l) != len(r) {
			*values = "fail"
		}
	case json.Number:
		x, _ := new(big.Rat).SetString(l.String())
		y, _ := new(big.Rat).SetString(right.(json.Number).String())
		if x.Cmp(y) != 0 {
			*values = "fail"
		}
	default:
		if left != right {
			*values = "fail"
		}
	}
}
