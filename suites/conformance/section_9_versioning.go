package conformance

import (
	. "authenticator-conformance/suites/internal/judge/check"
	. "authenticator-conformance/suites/internal/judge/spec"
)

// §9.3: "In both versions the Authenticator group has the same two operations with the same request and response
// shapes" (J14, J15). Whether they also agree at the open points counts only if the settings say so (J16).
func sameInBothVersions(s *Suite) {
	s.Section("9.3", "The same in both versions")
	s.Requirement("9.3/getUserAuth/shape").Send(GetUserAuth, WellFormed).EachComparison(HaveTheSameShape)
	s.Requirement("9.3/getUserAuth/values").Send(GetUserAuth, WellFormed).
		EachComparison(HaveTheSameValues).OnlyIf(ValuesAreCompared)
	s.Requirement("9.3/getUserAuth/divergence").Send(GetUserAuth, WellFormed).
		EachOpenPoint(AgreesInBoth).OnlyIf(DivergenceFails)
	s.Requirement("9.3/findByUserIds/shape").Send(FindByUserIds, WellFormed).EachComparison(HaveTheSameShape)
	s.Requirement("9.3/findByUserIds/values").Send(FindByUserIds, WellFormed).
		EachComparison(HaveTheSameValues).OnlyIf(ValuesAreCompared)
	s.Requirement("9.3/findByUserIds/divergence").Send(FindByUserIds, WellFormed).
		EachOpenPoint(AgreesInBoth).OnlyIf(DivergenceFails)
}

// §9.4: "Deprecation policy and compatibility rules between versions: not shown."
func deprecation(s *Suite) {
	s.Section("9.4", "Deprecation and compatibility")
	s.OpenPoint("open/9.4/deprecation").SendToBoth(WellFormed).ObserveEveryAnswer(DeprecationHeaders).OrNone("none")
	before, after := s.Contract.Neighbours()
	s.OpenPoint("open/9.4/neighbours").Send(GetUserAuth, InPath(before), InPath(after)).Observe(HowRefused)
}
