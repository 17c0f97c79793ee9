package sweep_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/settings/users"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
)

// outcomeCase is what both versions answer for a user, call after call, and what the sweep makes of it. The last answer
// stays; v6 answers like v5 if it has none.
type outcomeCase struct {
	Name     string
	Op       schemas.Operation // getUserAuth if it is not given
	V5, V6   []string
	Settings []string
	Says     string
}

const (
	subject   = "subject"
	subjectID = "5b1d4c1e-6a53-4b7a-9a76-27a1f2a1b002"
	aRecord   = `{"CreatedOn":"2024-02-29T23:59:59.999Z","Description":"desk",` +
		`"Id":"0f8fad5b-d9cb-469f-a165-70867728950e","IsLocked":false,"ModeType":3,"UserId":"subject"}`
	identifiers = `["0f8fad5b-d9cb-469f-a165-70867728950e","7c9e6679-7425-40de-944b-e07fc1f90ae7"]`
)

var (
	statusFirst = regexp.MustCompile(`^\d{3}( |$)`)
	longText    = regexp.MustCompile(`x{50,}`)
	large       = `"` + strings.Repeat("x", 1<<20) + `"`
)

// answerFrom makes an answer of its text: a fault in brackets, a status and perhaps a body, or the body of a 200.
// $record and $identifiers stand for those of the subject, "with A => B" changes them, and # is the number of the call.
func answerFrom(text string, call int) *exchange.Exchange {
	fault := func(status int, kind exchange.FaultKind) *exchange.Exchange {
		return &exchange.Exchange{Status: status, Header: http.Header{}, Fault: &exchange.Fault{Kind: kind}}
	}
	switch text {
	case "(breaks off)":
		return fault(0, exchange.Transport)
	case "(never answers)":
		return fault(0, exchange.Timeout)
	case "(too large)":
		return fault(http.StatusOK, exchange.Bound)
	}
	status, body := http.StatusOK, text
	if statusFirst.MatchString(text) {
		status, _ = strconv.Atoi(text[:3])
		body = strings.TrimPrefix(text[3:], " ")
	}
	words := strings.NewReplacer("$record", aRecord, "$identifiers", identifiers, "#", strconv.Itoa(call),
		"$large", large)
	parts := strings.Split(body, " with ")
	body = words.Replace(parts[0])
	for _, change := range parts[1:] {
		from, to, _ := strings.Cut(change, " => ")
		body = strings.Replace(body, from, words.Replace(to), 1)
	}
	return &exchange.Exchange{Status: status, Header: http.Header{}, Body: []byte(body)}
}

// settingsFrom changes settings by "shape", "ignore POINTER" or "waive REQUIREMENT", the latter with "+N days" until
// it ends, "inconclusive" or a version.
func settingsFrom(texts []string) func(*settings.Settings) {
	return func(s *settings.Settings) {
		for _, text := range texts {
			words, days := strings.Fields(text), 1
			if found := regexp.MustCompile(`[+-]\d+ days`).FindString(text); found != "" {
				_, _ = fmt.Sscanf(found, "%d", &days)
			}
			until := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, days)
			switch words[0] {
			case "shape":
				s.ParityMode = settings.ParityShape
			case "ignore":
				s.Ignore = append(s.Ignore, settings.Ignore{Pointer: words[1], Reason: "known", Until: until})
			case "waive":
				w := ledger.Waiver{Requirement: words[1], Verdict: ledger.Fail, Reason: "known", Until: until}
				for _, word := range words[2:] {
					switch word {
					case string(schemas.V5), string(schemas.V6):
						w.Version = schemas.Version(word)
					case string(ledger.Inconclusive):
						w.Verdict = ledger.Inconclusive
					}
				}
				s.Waivers = append(s.Waivers, w)
			}
		}
	}
}

// checkerWith is a sweep that is never carried out, to check users one by one.
func checkerWith(change ...func(*settings.Settings)) *sweep.Sweep {
	return sweep.New(testkit.Settings(&url.URL{Scheme: "http", Host: "127.0.0.1"}, nil, change...), testkit.Suite(),
		sweep.Options{Seed: 1, Shard: stats.Shard{Index: 1, Of: 1}}, sweep.Input{})
}

// marks are how a users file may mark the subject.
var marks = []string{"unmarked", "enrolled", "not enrolled"}

// checkSubject checks the subject, who is marked so, and returns the result with the versions that were asked, and
// whether the user is to be asked once more. The result is the same whether somebody was served before or not.
func checkSubject(w *sweep.Sweep, c outcomeCase, mark string) (result stats.Result, asked string, again bool) {
	GinkgoHelper()
	var results []stats.Result
	for _, witnessed := range []bool{false, true} {
		answers, calls := map[schemas.Version][]string{schemas.V5: c.V5, schemas.V6: c.V6}, map[schemas.Version]int{}
		asked = ""
		var err error
		row := users.Row{User: exchange.User{ID: subjectID, UserID: subject, Enrolled: mark != "not enrolled"},
			EnrolledGiven: mark != "unmarked"}
		result, again, err = w.CheckUser(row, c.Op, witnessed,
			func(p exchange.Probe) *exchange.Exchange {
				list, call := answers[p.Version], calls[p.Version]
				asked, calls[p.Version] = asked+" "+string(p.Version), call+1
				return answerFrom(list[min(call, len(list)-1)], call)
			})
		Expect(err).NotTo(HaveOccurred())
		result.Witnessed = false
		results = append(results, result)
	}
	Expect(results[1]).To(Equal(results[0]), mark)
	return result, asked, again
}

func describeResult(result stats.Result, asked string, again bool) string {
	text := string(result.Outcome)
	if result.Divergence != "" {
		text += " [" + result.Divergence + "]"
	}
	if result.Why != "" {
		text += " (" + result.Why + ")"
	}
	if asked != " v5 v6" {
		text += ", asked" + asked
	}
	if again {
		text += ", and once more at the end"
	}
	for _, f := range result.Findings {
		text += fmt.Sprintf("\n  %s %s: %s", f.Version, f.Requirement, f.Kind)
		if f.Pointer != "" {
			text += " at " + f.Pointer
		}
		for _, v := range schemas.Versions() {
			if value := strings.ReplaceAll(f.Values[v], aRecord, "$record"); value != "" {
				text += fmt.Sprintf(", %s %s", v, longText.ReplaceAllString(value, "x…x"))
			}
		}
		if f.Waived {
			text += " (waived)"
		}
	}
	return text
}

var _ = Describe("A sweep decides of two versions that answer", func() {
	const file = "testdata/outcomes.yaml"
	for _, c := range testkit.Cases[outcomeCase](file) {
		It(c.Name, func() {
			if c.Op == "" {
				c.Op = schemas.GetUserAuth
			}
			if c.V6 == nil {
				c.V6 = c.V5
			}
			w, by := checkerWith(settingsFrom(c.Settings)), map[string][]string{}
			var texts []string
			for _, mark := range marks {
				text := describeResult(checkSubject(w, c, mark))
				if by[text] == nil {
					texts = append(texts, text)
				}
				by[text] = append(by[text], mark)
			}
			for i, text := range texts {
				if len(texts) > 1 {
					texts[i] = strings.Join(by[text], ", ") + ": " + text
				}
			}
			testkit.Says(file, c.Name, c.Says, errors.New(strings.Join(texts, "\n")))
		})
	}

	It("in any two ways that the user has no data, or otherwise", func() {
		w, text := checkerWith(), &strings.Builder{}
		for _, op := range schemas.Operations() {
			answers := append(emptyAnswers(), "500", "<html>", map[schemas.Operation]string{
				schemas.GetUserAuth: "$record", schemas.FindByUserIDs: "$identifiers"}[op])
			for _, mark := range marks {
				fmt.Fprintf(text, "\n%s, %s\n%14s", op, mark, "v5 \\ v6")
				for _, v6 := range answers {
					fmt.Fprintf(text, " %12s", quoteBlank(v6))
				}
				text.WriteString("\n")
				for _, v5 := range answers {
					fmt.Fprintf(text, "%14s", quoteBlank(v5))
					for _, v6 := range answers {
						result, _, _ := checkSubject(w, outcomeCase{Op: op, V5: []string{v5},
							V6: []string{v6}}, mark)
						fmt.Fprintf(text, " %12s", strings.NewReplacer("equal-under-rule", "rule", "nothing-alike",
							"nothing", "not-comparable", "open").Replace(string(result.Outcome)))
					}
					text.WriteString("\n")
				}
			}
		}
		testkit.ExpectGolden("testdata/no-data.txt", text.String())
	})

	It("with a difference, which has all that a finding needs", func() {
		result, _, _ := checkSubject(checkerWith(), outcomeCase{Op: schemas.GetUserAuth, V5: []string{"$record"},
			V6: []string{"$record with desk => shelf"}}, "unmarked")
		both := schemas.Versions()
		Expect(strings.Split(result.Findings[0].Repeat, "\n")).To(HaveExactElements(
			And(HavePrefix("printf "), ContainSubstring("/api/v5/")), ContainSubstring("/api/v6/")))
		result.Findings[0].Repeat = ""
		Expect(result).To(Equal(stats.Result{Outcome: stats.Different, Served: both, Findings: []stats.Finding{{
			User:      stats.User{ID: subjectID, UserID: subject},
			Operation: schemas.GetUserAuth, Version: schemas.Parity, Requirement: "9.3/getUserAuth/values",
			Kind: "value", Pointer: "/Description", Count: 1, Exchange: "u0.6",
			Expected: `what v5 shows (u0.5): string "desk"`, Actual: `v6 shows: string "shelf"`,
			Values: map[schemas.Version]string{schemas.V5: `"desk"`, schemas.V6: `"shelf"`},
		}}}))
	})
})

// quoteBlank is a text, in other words if it is not seen otherwise.
func quoteBlank(text string) string {
	if text == "" {
		return "no body"
	}
	return strings.ReplaceAll(text, "\r\n", `\r\n`)
}

// emptyAnswers can mean that the user has no data.
func emptyAnswers() []string {
	return []string{"404", "410", "400", "422", "204", "", "null", " null\r\n", "{}", `""`, "[]", `{"Code":1}`,
		`"none"`}
}
