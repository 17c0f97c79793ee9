package check_test

import (
	"encoding/hex"
	"fmt"
	"strings"

	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// guidNamed is the GUID that a word stands for. A word with a capital stands for the same in upper case. "none" is no
// GUID.
func guidNamed(word string) string {
	digits := hex.EncodeToString([]byte(strings.ToLower(word)))
	text := "0f8fad5b-d9cb-469f-a165-" + strings.Repeat("0", 12-len(digits)) + digits
	switch {
	case word == "none":
		return word
	case word != strings.ToLower(word):
		return strings.ToUpper(text)
	}
	return text
}

// wordOf is the word that a GUID stands for.
func wordOf(guid string) string {
	word, err := hex.DecodeString(guid[24:])
	Expect(err).NotTo(HaveOccurred())
	return strings.Trim(string(word), "\x00")
}

// addCalls adds what came for one user, from a line such as "alice: a b | a | refused" with the identifiers of each
// call, or "alice has a b" with the Ids of one record each.
func addCalls(l *check.Lists, line string) {
	user, calls, lists := strings.Cut(line, ":")
	var ids string
	if !lists {
		user, ids, _ = strings.Cut(line, " has")
	}
	p := exchange.Probe{Operation: schemas.FindByUserIDs, Version: schemas.V5,
		User: exchange.User{ID: guid, UserID: user, Enrolled: true}}
	add := func(answer any) { // nil is a refusal
		ex := &exchange.Exchange{Probe: p, Status: 200, Body: kit.Encode(answer)}
		if answer == nil {
			ex.Status = 404
		}
		a := contract().Read(ex)
		if len(ex.Body)%2 == 0 { // of a large answer only what was kept is left
			a.Drop()
			ex.Body = nil
		}
		l.Add(a)
	}
	if !lists {
		p.Operation = schemas.GetUserAuth
		if ids == " refused" {
			add(nil)
			return
		}
		records := []any{}
		for _, word := range strings.Fields(ids) {
			records = append(records, map[string]any{"Id": guidNamed(word), "Device": map[string]any{
				"Id": guidNamed("d-" + word)}})
		}
		add(records)
		return
	}
	for i, call := range strings.Split(calls, "|") {
		p.Round, p.ID = i+1, fmt.Sprintf("%s.%d", user, i+1)
		if strings.TrimSpace(call) == "refused" {
			add(nil)
			continue
		}
		identifiers := []any{}
		for _, word := range strings.Fields(call) {
			identifiers = append(identifiers, guidNamed(word))
		}
		add(identifiers)
	}
}

// whoseIdentifiers judges lines of calls to v5, and says what comes of it in lines such as "2 witnesses" and
// "alice.2 /0: b of bob, at 1 of 3".
func whoseIdentifiers(lines ...string) []string {
	l := &check.Lists{}
	for _, line := range lines {
		addCalls(l, line)
	}
	said := []string{}
	for _, o := range check.BelongToTheAskedUser(l, schemas.V5) {
		for _, f := range o.Findings {
			another := f.Actual.(check.Anothers)
			text := fmt.Sprintf("%s %s: %s of %s", f.Probe.ID, f.Pointer, wordOf(another.Identifier),
				another.Owner.User.UserID)
			if another.Calls > 0 {
				text += fmt.Sprintf(", at %d of %d", another.Calls, another.All)
			}
			Expect(schemas.IsGUID(another.Identifier)).To(BeTrue())
			Expect(f.Expected).To(Equal(check.OwnIdentifier{UserID: f.Probe.User.UserID}))
			Expect(f.Kind == "another user's identifier").To(Equal(another.Calls == 0))
			said = append(said, text)
		}
		if o.Witnesses > 0 {
			said = append(said, fmt.Sprintf("%d witnesses", o.Witnesses))
		}
		for _, note := range o.Notes {
			said = append(said, strings.TrimPrefix(fmt.Sprintf("%#v", note), "check."))
		}
	}
	return said
}
