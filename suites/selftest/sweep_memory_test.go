package selftest_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
)

// lean answers all users alike, each with the own identifier, as fast as it can be done.
func lean() http.Handler {
	first := knownUsers()[:1]
	template := func(operation string) ([]byte, []byte) {
		recorder := httptest.NewRecorder()
		body := fmt.Sprintf(`{"Id":%q,"UserId":%q,"AccessToken":%q,"ApplicationId":%q}`, first[0].ID, first[0].UserID, fixtures.AccessToken, fixtures.ApplicationID)
		request := httptest.NewRequest(http.MethodPost, "/api/v5/authenticator/"+operation, bytes.NewReader([]byte(body)))
		request.Header.Set("Content-Type", "application/json")
		referenceOf(first).ServeHTTP(recorder, request)
		before, after, found := bytes.Cut(recorder.Body.Bytes(), []byte(`"UserId":"`+first[0].UserID+`"`))
		if !found {
			return before, nil
		}
		return append(before, `"UserId":"`...), append([]byte(`"`), after...)
	}
	before, after := template(record)
	list, _ := template(identifiers)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // who breaks off gets no answer
		if bytes.HasSuffix([]byte(r.URL.Path), []byte(identifiers)) {
			_, _ = w.Write(list)
			return
		}
		_, _ = w.Write(append(append(append([]byte(nil), before...), userIDOf(indexIn(body))...), after...))
	})
}

func sweepMemorySpecs(r *rig) {
	few, many := peopleOf(2_000, everybody), peopleOf(60_000, everybody)
	sweeps := runAhead(r,
		func() *outcome { return r.sweepUsers(lean(), few) },
		func() *outcome { return r.sweepUsers(lean(), many) })

	It("takes no more memory for 60,000 users than for 2,000", func() {
		peaks := [2]int64{}
		for i, p := range []people{few, many} {
			o := sweeps.result(i)
			report, _ := swept(o)
			Expect(report.Verdict).To(Equal("pass"), o.said())
			Expect(report.Tally.Users).To(BeNumerically("==", len(p)))
			if peaks[i] = o.peak; o.peak == 0 {
				Skip("this system does not tell how much memory a process took")
			}
		}
		AddReportEntry("peaks of resident memory", fmt.Sprintf("%d and %d MiB", peaks[0]>>20, peaks[1]>>20), ReportEntryVisibilityFailureOrVerbose)
		Expect(peaks[1]).To(BeNumerically("<", 96<<20))
		Expect(float64(peaks[1])).To(BeNumerically("<=", 1.25*float64(peaks[0])))
	})
}
