package conformance

import (
	. "authenticator-conformance/suites/internal/judge/check"
	. "authenticator-conformance/suites/internal/judge/spec"
)

// §7: "Error payloads, error codes, status codes, and the behaviour for a missing required field, an invalid token or
// an unknown user: not shown." How a service refuses is observed here; that it refuses is judged in sections 4.1, 4.2
// and 5.1.
func errorAnswers(s *Suite) {
	s.Section("7", "Errors")
	s.OpenPoint("open/7/unknown-user").SendToBoth(UnknownUser).Observe(HowRefused)
	s.OpenPoint("open/7/missing-field").SendEach(Without).Observe(HowRefused)
	s.OpenPoint("open/7/null-field").SendEach(Null).Observe(HowRefused)
	s.OpenPoint("open/7/empty-token").SendToBoth(EmptyToken).Observe(HowRefused)
	s.OpenPoint("open/7/wrong-type").SendEach(WrongType, "AccessToken").Observe(HowRefused)
	s.OpenPoint("open/7/unknown-token").SendToBoth(WrongType("AccessToken"), RandomToken, ChangedToken).
		Observe(HowRefused)
	s.OpenPoint("open/7/unknown-application").SendToBoth(UnknownApplication).Observe(HowRefused)
	s.OpenPoint("open/7/not-json").SendToBoth(NotJSON).Observe(HowRefused)
	s.OpenPoint("open/7/empty-body").SendToBoth(EmptyBody).Observe(HowRefused)
	s.OpenPoint("open/7/content-type").SendToBoth(PlainText).Observe(HowRefused)
	s.OpenPoint("open/7/wrong-method").SendToBoth(MethodGet).Observe(HowRefused)
	s.OpenPoint("open/7/undocumented-member").SendToBoth(ExtraMember).Observe(HowRefused)
}
