package conformance

import (
	. "authenticator-conformance/suites/internal/judge/check"
	. "authenticator-conformance/suites/internal/judge/spec"
)

// §5.1: "Every request carries AccessToken … the token of the administrator on whose behalf the call is made." A
// token that is not one is refused (J13). That it is required is judged in sections 4.1 and 4.2, as is ApplicationId
// (§5.2).
func accessToken(s *Suite) {
	s.Section("5.1", "Authentication: the administrator's token")
	s.Requirement("5.1/getUserAuth/token").Send(GetUserAuth, RandomToken, ChangedToken).EachAnswer(DisclosesNothing)
	s.Requirement("5.1/findByUserIds/token").Send(FindByUserIds, RandomToken, ChangedToken).EachAnswer(DisclosesNothing)
}

// §5.4: "any authentication by header: not shown".
func headerAuthentication(s *Suite) {
	s.Section("5.4", "Authentication: what is not shown")
	s.OpenPoint("open/5.4/header-authentication").SendToBoth(WellFormed).
		ObserveEveryAnswer(AuthenticationHeaders).OrNone("none")
}
