package report_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing/quick"
	"unicode"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/run"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/markdown"
	htmlpage "authenticator-conformance/suites/internal/report/page"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// harmful are texts that do harm wherever they come out as they are.
var harmful = []string{"\x1b[2J", "\x1b]0;x\x07", "\u202e", "\u2028", "\u2066", "\u200d", "\U000e0041", "\ufeff",
	"\x00", "\u009b31m", "\r\n", "\n", "\t", "]]>", "<script>alert(1)</script>", "-->", "&lt;", "::error::x",
	"##vso[x]",
	"{{red}}", "%0A", "|", "`", "](http://x)", `"`, `\`, "'", "é", " "}

// hostile has all of them.
var hostile = strings.Join(harmful, "")

// hostileText draws a text of harmful ones, and of any other character.
func hostileText(random *rand.Rand) (text string) {
	for range 1 + random.IntN(12) {
		if text += harmful[random.IntN(len(harmful))]; random.IntN(4) == 0 {
			text += string(rune(random.IntN(unicode.MaxRune)))
		}
	}
	return strings.ReplaceAll(text, "\ufffd", "") // what Go makes of half a surrogate pair
}

// hostileRun is a run whose target answers with a hostile text, and with the token in many forms, wherever it can.
func hostileRun(hostile string) *run.Run {
	quoted := func(text string) string {
		return strings.Trim(string(testkit.Must(json.Marshal(text))), `"`)
	}
	echo := token + " " + base64.StdEncoding.EncodeToString([]byte(token)) + " " + strings.ToUpper(token) + " " +
		token[:18]
	r := readyRun(func(s *settings.Settings) {
		s.Users = []exchange.User{{ID: guid, UserID: "u" + hostile, Enrolled: true, Name: "n" + hostile}}
		s.Waivers = []ledger.Waiver{{Requirement: "2.1/Id", Verdict: "fail", Reason: hostile + token, Until: end,
			Where: "w" + hostile}}
	})
	header := http.Header{"Content-Type": {hostile + token}, "Deprecation": {hostile + token},
		"Www-Authenticate": {token + hostile}, "Ratelimit-" + token: {"1"}}
	nasty := quoted(hostile) + echo
	addAnswer(r, `{"Id":"`+nasty+`","UserId":"`+nasty+`","Flags":"`+nasty+`","`+nasty+`":1,"created_on":"x",`+
		`"Device":["`+nasty+`"]}`, header)
	addAnswer(r, nasty, header)
	addAnswer(r, `["`+nasty+`",{"x":"`+nasty+`"}]`, header)
	p := probeOf(r)
	p.Kind, p.Field, p.ID = exchange.ChangedToken, exchange.AccessToken, "e90"
	ex := &exchange.Exchange{Probe: p, Status: 200, Header: header,
		Body: []byte(`{"Description":"` + nasty + `","Flags":"` + nasty + `","ModeType":1}`)}
	Expect(r.Ledger.Add(r.Suite.Judge(ex))).To(Succeed())
	return r
}

// unsafeParts finds in a text what must come out nowhere: the token in its forms, and what does something instead of
// being shown.
func unsafeParts(text string) []string {
	found := []string{}
	for _, form := range []string{token, strings.ToUpper(token), strings.ToLower(token), token[:18],
		base64.StdEncoding.EncodeToString([]byte(token))[:24]} {
		if strings.Contains(text, form) {
			found = append(found, form)
		}
	}
	for _, c := range text {
		if unicode.In(c, unicode.C, unicode.Zl, unicode.Zp) && c != '\n' && c != '\t' || c == 0xfffd {
			found = append(found, strconv.QuoteToASCII(string(c)))
		}
	}
	return found
}

var _ = Describe("What a hostile target sends (J20, J21)", func() {
	It("Comes out of no file, terminal or explanation as it is, and is no output of a case of JUnit", func() {
		Expect(quick.Check(func(seed uint64) bool {
			text := hostileText(rand.New(rand.NewPCG(seed, 20)))
			for _, err := range []error{nil, errors.New("the run broke off: " + text + token)} {
				result := closeRun(hostileRun(text), err)
				var page strings.Builder
				Expect(htmlpage.Write(&page, result, nil)).To(Succeed())
				shown := map[string]string{"report.json": jsonText(result), "junit.xml": junitText(result),
					"terminal": printedOn(report.Screen{}, result), "page": page.String(),
					"annotations": markdown.Annotations(result.Document()),
					"summary":     string(markdown.Render(result.Document())),
					"colours": regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(
						printedOn(report.Screen{Colours: true}, result), "")}
				for _, row := range result.Requirements {
					shown[row.ID+string(row.Version)] = row.Explain()
				}
				for name, output := range shown {
					Expect(unsafeParts(output)).To(BeEmpty(), "%s, of %q", name, text)
				}
				Expect(shown["page"]).NotTo(ContainSubstring("<script>alert"))
				casesByName(parseJUnit(shown["junit.xml"]))
				// GitLab would take a text in it for a file to link to.
				Expect(shown["junit.xml"]).NotTo(Or(ContainSubstring("system-out"), ContainSubstring("system-err")))
			}
			return true
		}, &quick.Config{MaxCount: 20})).To(Succeed())
	})

	It("Does break the rows that it should", func() {
		result := closeRun(hostileRun(hostile), nil)
		for _, id := range []string{"2.1/Id", "2.1/Flags", "2.1/Device", "4.1/user", "4/getUserAuth/served",
			"5.1/getUserAuth/token"} {
			Expect(findRow(result, id, schemas.V5).Findings).NotTo(BeEmpty(), id)
		}
	})
})
